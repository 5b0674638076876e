"""tools/shuffler as a person starts it: a process with a pseudo-terminal, told what to do by lines or by a script."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from felt.drivers.serial_link import SerialLink
from felt.virtual.shuffler import Misbehaviour
from felt.wire.adapters.adapter import Adapter, CardsLeft, DeckTold, Event, Unsupported
from felt.wire.adapters.felt_1 import Felt1
from felt.wire.adapters.simple_shoe import SimpleShoe

ROOT = Path(__file__).resolve().parents[2]
TOOL = [sys.executable, str(ROOT / "tools" / "shuffler")]
PATIENCE_S = 15.0


class Listener:
    """A program that opens the emulator's terminal: it answers at once and keeps everything."""

    def __init__(self, path: Path, adapter: Adapter) -> None:
        self._adapter = adapter
        self.events: list[Event] = []
        self._changed = threading.Condition()
        self._link = SerialLink(str(path))
        self._link.start(self._hear, lambda state: self._link.send(adapter.question(greeted=False)))

    def _hear(self, received: bytes, ns: int) -> None:
        with self._changed:
            for event in self._adapter.receive(received):
                self.events.append(event)
                if not isinstance(event, Unsupported) and event.answer:
                    self._link.send(event.answer)
            self._changed.notify_all()

    def until(self, truth: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(truth, PATIENCE_S), f"it did not come: {self.events[-5:]}"

    def cards(self) -> list[str]:
        told = [event for event in self.events if isinstance(event, CardsLeft) and not event.repeat]
        return [card.card or "unread" for event in told for card in event.cards]

    def close(self) -> None:
        self._link.close()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        command = [*TOOL, "--link", str(tmp_path / "tty"), *arguments]
        pipe = subprocess.PIPE
        made = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        running.append(made)
        assert made.stdout is not None
        assert "speaks on" in made.stdout.readline()
        return made

    yield start
    for process in running:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def tell(process: subprocess.Popen[str], *lines: str) -> None:
    assert process.stdin is not None
    process.stdin.write("".join(f"{line}\n" for line in lines))
    process.stdin.flush()


@pytest.mark.parametrize(("model", "adapter"), [("felt-1", Felt1), ("simple-shoe", SimpleShoe)])
def test_either_model_deals_what_it_is_told_to(
    started: Callable[..., subprocess.Popen[str]], tmp_path: Path, model: str, adapter: type[Adapter]
) -> None:
    process = started("--model", model)
    listener = Listener(tmp_path / "tty", adapter())
    listener.until(lambda: any(isinstance(event, DeckTold) for event in listener.events))
    tell(process, "noise", "cards As Kd 2c", "unread_card", "cards 3c")
    listener.until(lambda: listener.cards() == ["As", "Kd", "2c", "unread"])
    tell(process, "quit")
    output, errors = process.communicate(timeout=PATIENCE_S)
    listener.close()
    assert process.returncode == 0
    assert "3 cards out" in output
    assert "As" not in output + errors  # unless it is asked to show them
    assert not (tmp_path / "tty").is_symlink()


def test_a_script_is_played_and_then_the_keyboard_is_read(
    started: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    script = tmp_path / "evening.txt"
    script.write_text("# a quiet beginning\nwait 0.1\ndeck As Kd 2c 9h\ndeal 1 4  # all of it\n\nunplug\nplug\n")
    process = started("--script", str(script), "--show-cards", "--single")
    listener = Listener(tmp_path / "tty", Felt1())
    listener.until(lambda: listener.cards() == ["As", "Kd", "2c", "9h"])
    output, _ = process.communicate("quiet\nstatus\n", timeout=PATIENCE_S)
    listener.close()
    assert "4 cards out: As Kd 2c 9h" in output
    assert "every message arrived" in output


def test_the_same_seed_deals_the_same_evening(started: Callable[..., subprocess.Popen[str]]) -> None:
    outputs = [
        started("--seed", "7", "--show-cards").communicate("deal 5\ndeal 5\n", timeout=PATIENCE_S)[0] for _ in range(2)
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].count("15 cards out") == 2


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("dael 3", "'dael' is not a command; type help"),
        ("deal", "as in: deal 5 3"),
        ("deal 0", "'0' is not a number from 1 to 52"),
        ("deal ٣", "is not a number from 1 to 52"),
        ("cards", "a deal has 1 to 52 cards, not 0"),
        ("cards As Zz", "'Zz' is not a card"),
        ("wait forever", "as in: wait 0.5"),
        ("wait nan", "nan is not between 0 and 3600 seconds"),
        ("noise twice", "noise takes no argument, but got 'twice'"),
        ("plug", "it is already plugged in"),
    ],
)
def test_a_line_that_makes_no_sense_is_answered_with_a_sentence_and_stops_a_script(
    started: Callable[..., subprocess.Popen[str]], tmp_path: Path, line: str, sentence: str
) -> None:
    output, errors = started().communicate(f"{line}\nstatus\n", timeout=PATIENCE_S)
    assert sentence in output
    assert "52 cards" in output  # and it goes on
    assert errors == ""
    script = tmp_path / "bad.txt"
    script.write_text(f"# a remark\n{line}\n")
    ran = subprocess.run([*TOOL, "--script", str(script)], capture_output=True, text=True, check=False, input="")
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert f"{script}, line 2: " in ran.stderr
    assert sentence in ran.stderr


def test_help_names_every_command_and_every_misdeed(started: Callable[..., subprocess.Popen[str]]) -> None:
    output, _ = started().communicate("help\n", timeout=PATIENCE_S)
    for misdeed in Misbehaviour:
        assert f"  {misdeed} " in output
    ran = subprocess.run([*TOOL, "--help"], capture_output=True, text=True, check=False)
    assert "example: tools/shuffler --link" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--script", "/nonexistent"], "the script /nonexistent cannot be read"),
        (["--link", "/usr"], "/usr exists and is no link"),
        (["--link", "/nonexistent/tty"], "/nonexistent/tty"),
        (["--damaged", "2000"], "is not between 0 and 1000"),
        (["--model", "acme"], "invalid choice: 'acme'"),
    ],
)
def test_wrong_use_is_a_sentence_and_no_traceback(arguments: list[str], sentence: str) -> None:
    ran = subprocess.run([*TOOL, *arguments], capture_output=True, text=True, check=False, input="")
    assert ran.returncode == 2
    assert sentence in ran.stderr
    assert "Traceback" not in ran.stderr
