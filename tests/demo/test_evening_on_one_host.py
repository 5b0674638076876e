"""The demo is the product's first impression: it plays, adds up, keeps its state and fails in one sentence."""

from __future__ import annotations

import importlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from felt import cli
from felt.demo.legend import keys_now
from felt.rules import shelf
from felt.stories.evening import Evening
from felt.table.state import Phase

FELT = [sys.executable, "-m", "felt.cli"]


def felt(*words: str, timeout_s: int = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*FELT, *words], capture_output=True, text=True, timeout=timeout_s, check=False)


@pytest.mark.parametrize("game", shelf.GAMES)
def test_every_game_plays_by_itself_and_conserves_money(game: str) -> None:
    done = felt("demo", "--game", game, "--autoplay", "--rounds", "2", "--seed", "5", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["rounds"] == 2
    assert summary["conserved"] is True
    assert summary["staked"] == summary["returned"] + summary["lost"]
    assert set(summary["meters"]) == set(shelf.rulebook(game).meters)


def test_a_table_that_senses_coin_spots_alone_plays_by_itself_with_keyed_antes() -> None:
    coins = ("--set", 'board.sensed=["progressive"]', "--set", "table.antes=keyed")
    done = felt("demo", "--autoplay", "--rounds", "2", "--seed", "5", "--json", *coins)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["rounds"], summary["conserved"]) == (2, True)


def test_state_is_kept_from_one_evening_to_the_next_and_can_be_replayed(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    first = json.loads(felt("demo", "--autoplay", "--rounds", "1", "--state", state, "--json").stdout)
    second = json.loads(felt("demo", "--autoplay", "--rounds", "1", "--state", state, "--json").stdout)
    assert second["meters"]["major"]["before"] == first["meters"]["major"]["after"]
    replayed = felt("replay", f"{state}/journal", "--json")
    assert replayed.returncode == 0, replayed.stderr
    rounds = [json.loads(line) for line in replayed.stdout.splitlines()]
    assert [told["round"] for told in rounds] == [1, 2]
    assert all(told["version"] == "5" and told["readings"]["void_window"] == "until_next_open" for told in rounds)
    kinds = [letter["letter"] for letter in rounds[1]["letters"]]
    assert kinds[0] == "RoundLocked"
    assert kinds[-1] == "RoundEnded"
    whole = felt("replay", f"{state}/journal", "2")
    assert "letter RoundResult" in whole.stdout
    assert "lamp BETTING" in whole.stdout


def test_a_demo_of_a_table_leaves_neither_its_witness_nor_its_signature(tmp_path: Path) -> None:
    """A witness that had seen the demo's journal would stop the table itself at its next start (F-412)."""
    key, witness, state, table = (tmp_path / name for name in ("key", "witness", "state", "table.toml"))
    assert felt("verify", "--new-key", str(key)).returncode == 0
    witness.mkdir()
    journal = f'folder = "{tmp_path / "of-the-table"}"\nkey = "{key}"\nwitness = "{witness}"\ncheckpoint_rounds = 1'
    table.write_text(f"[journal]\n{journal}\n", encoding="utf-8")
    for _ in range(2):
        done = felt("demo", "--config", str(table), "--autoplay", "--rounds", "1", "--json")
        assert done.returncode == 0, done.stderr
    kept = felt("demo", "--config", str(table), "--autoplay", "--rounds", "1", "--json", "--state", str(state))
    assert kept.returncode == 0, kept.stderr
    assert list(witness.iterdir()) == []
    assert "ed25519" not in (state / "journal/checkpoints.felt").read_text(encoding="utf-8")


def test_the_last_lines_for_a_person_are_the_sum_of_the_evening() -> None:
    lines = felt("demo", "--autoplay", "--rounds", "1", "--seed", "1").stdout.splitlines()
    assert lines[-1].split() == ["money", "conserved"]
    assert lines[-6].startswith("rounds         1")


@pytest.mark.parametrize(
    ("words", "sentence", "status"),
    [
        (("demo", "--json"), "--json needs --autoplay", 2),
        (("demo", "--game", "whist"), "'whist' is not a game on the shelf", 2),
        (("demo", "--autoplay", "--rounds", "0"), "not a number of rounds", 2),
        (("demo", "--set", "lock.drain_ms=fast"), "lock.drain_ms", 1),
        (("replay", "/nowhere/at/all"), "it does not exist", 1),
        (("explain", "F-000"), "is not a fault code", 2),
        (("run", "--config", "/nowhere.toml"), "/nowhere.toml", 1),
        (("run",), "no table file: name it with --config FILE", 2),
        (("demo", "--state", ""), "an empty name is no folder", 2),
        (("demo", "--state", __file__), "is a file: name a folder", 2),
        (("demo", "--stories", "/no/folder"), "'/no/folder' is no folder: name one that holds .round files", 2),
        (("demo", "--state", f"{__file__}/inside"), "is a file: name a folder", 2),
        (("demo", "--rounds", "9" * 5000), "'99999999999999999999' is not a number of rounds", 2),
        (("trace", "nope"), "'nope' is not a book, paragraph or requirement", 2),
        (("check", "--set", "shuffler.url=gopher://x"), "shuffler.url: gopher is not a kind of serial line", 1),
        (("dance",), "invalid choice", 2),
    ],
)
def test_a_mistake_gets_one_sentence_and_a_status(words: tuple[str, ...], sentence: str, status: int) -> None:
    done = felt(*words)
    assert done.returncode == status
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


class Played:
    """A demo on a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [*FELT, "demo", "--terminal", *words], stdin=slave, stdout=slave, stderr=slave, close_fds=True
        )
        os.close(slave)

    def until(self, words: bytes, type_first: bytes = b"", *, below: bytes = b"") -> bytes:
        """Reads until the screen shows the words and, where given, what stands below them.

        A screen may arrive in several pieces, so whatever the caller looks for afterwards must be named here.
        """
        os.write(self._master, type_first)
        screen = b""
        deadline = time.monotonic() + 20
        while below not in screen or (words not in screen and words not in b" ".join(screen.split())):  # two lines
            assert time.monotonic() < deadline, (words, screen[-2000:].decode())
            if select.select([self._master], [], [], 0.1)[0]:
                screen += os.read(self._master, 65536)
        return screen

    def __enter__(self) -> Played:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


def test_a_round_can_be_played_from_the_keyboard() -> None:
    with Played("--seed", "3") as played:
        until = played.until
        until(b"Table closed")
        until(b"Press OPEN", b"o")
        until(b"Bets are open", b"o")
        until(b"1.ante is not keyed: place a chip", b"b1 ante 2500\n")
        until(b"ante            o", b"1")
        until(b"not understood", b"b1 ante much\n")
        until(b"p is the beginning of several: pair_plus, progressive", b"b1 p 500\n")
        until(b"bet: 1 an 2500_", b"b1 an 2599\x7f\x7f00")
        until(b"ante           $25", b"\n")
        until(b"z has no effect here", b"z")
        until(b"there is no question now", b"y")
        until(b"there is nothing to deal before bets are locked", b"d")
        until(b"DEALING", b"l")
        until(b"Fold or play: box 1", b"d")
        until(b"c COLLECT | # COUNT MISMATCH", b"s")
        until(b"boxes: PLAY", b"p")
        until(b"Press REVEAL", b"1")
        until(b"Press SETTLE", b"r")
        until(b"ante -$25, play -$25", b"e")
        assert b"$25.00" in until(b"w back to the table", b"w")
        until(b"ante -$25, play -$25", b"w")
        until(b"Press OPEN", b"e")
        until(b"conserved", b"q")
        assert played.process.wait(timeout=10) == 0


def test_a_misdeal_that_players_answer_is_played_to_the_end_on_24_lines_and_every_box_is_told_its_pay() -> None:
    with Played("--seed", "3") as played:
        until = played.until
        until(b"Table closed")
        until(b"Press OPEN", b"o")
        until(b"Bets are open", b"o")
        until(b"ante            o" + b"        o" * 6, b"1234567")
        for seat in b"1234567":
            until(b"bet: %c an 2500_" % seat, b"b%c an 2500" % seat)
            until(b"Bets are open", b"\n")
        until(b"DEALING", b"l")
        until(b"Fold or play", b"d")
        until(b"c COLLECT | # COUNT MISMATCH", b"s")
        until(b"MISDEAL: one card exposed", b"m")
        until(b"MISDEAL: wrong number", b"mm")
        until(b"y accepts, n overrules: reconstruct", b"2")
        until(b"play is held", b"5")
        until(b"type 1 or 3 or 4 or 5 or 6 or 7, then y goes on", b"y")
        until(b"type the box first", b"y")
        until(b"box 2 has no choice to make", b"2")
        until(b"box 1: y goes on, n takes its bets back", b"1")
        until(b"type 3 or 4 or 5 or 6 or 7, then y goes on", b"n")
        for seat in b"34567":
            until(b"box %c: y goes on" % seat, b"%c" % seat)
            until(b"noted: box %c: play goes on" % seat, b"y")
        until(b"boxes: PLAY", b"p")
        for seat in b"34567":
            until(b"play\r\n", b"%c" % seat)
        until(b"Press SETTLE", b"r")
        screen = until(b"? all keys", b"e")
        while b"Pay, then press SETTLE" not in screen:
            screen = until(b"? all keys")
        lines = screen.rpartition(b"\x1b[H\x1b[J")[2].decode().splitlines()
        assert len(lines) <= 23
        assert [line[:5] for line in lines if line.startswith("box ") and "ante" in line] == [
            f"box {seat}" for seat in range(1, 8)
        ]
        until(b"conserved", b"q")


def test_chips_lie_where_they_lay_after_a_power_cut_and_the_proposal_says_which_keys_answer_it(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    with Played("--state", state) as played:
        played.until(b"Table closed")
        played.until(b"Press OPEN", b"o")
        played.until(b"Bets are open", b"o")
        played.until(b"ante            o", b"1")
        played.until(b"DEALING", b"l")
    with Played("--state", state) as played:
        screen = played.until(b"y accepts, n overrules", below=b"ante            o")
        assert b"!R!" not in screen
        played.until(b"is void", b"y")
        played.until(b"Press OPEN", b"e")
        played.until(b"conserved", b"q")
    told = felt("replay", f"{state}/journal", "1").stdout
    for words in ("power: the table restarted", "noted: q1: ", "ruling: demo supervisor answers q1 with void"):
        assert words in told


def test_a_console_signs_in_at_a_demo_that_keeps_its_state(tmp_path: Path) -> None:
    source = ("--config", str(tmp_path / "demo.toml"))
    with Played("--state", str(tmp_path)) as played:
        played.until(b"Table closed")
        played.until(b"Press OPEN", b"o")
        for words, typed in ((("add-person", "Tess", "supervisor"), "123456\n"), ((), "Tess\n123456\nstatus\nquit\n")):
            command = [*FELT, "console", *words, *source]
            done = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=30, check=False)
            assert done.returncode == 0, done.stderr
        assert "Press OPEN for the next round." in done.stdout
        played.until(b"conserved", b"q")
        assert played.process.wait(timeout=10) == 0
    assert not (tmp_path / "desk").exists()


def test_no_line_of_the_table_is_wider_than_a_terminal() -> None:
    for game in shelf.GAMES:
        shown = felt("demo", "--game", game, "--autoplay", "--rounds", "1", "--seed", "8").stdout.splitlines()
        assert [line for line in shown if len(line) > 79] == []


def test_control_c_while_a_command_is_imported_is_one_line_and_status_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "felt.commands.demo", raising=False)
    monkeypatch.setattr(importlib, "import_module", interrupted)
    assert cli.main(["demo", "--terminal"]) == 130
    assert capsys.readouterr().err == "felt: interrupted\n"


def test_control_c_in_the_middle_of_an_evening_is_one_line_and_status_130(tmp_path: Path) -> None:
    words = [*FELT, "demo", "--autoplay", "--json", "--state", str(tmp_path)]
    hears = partial(signal.signal, signal.SIGINT, signal.default_int_handler)  # also where the tests run behind nohup
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hears,  # noqa: PLW1509 # this process forks from one thread
    ) as process:
        deadline = time.monotonic() + 20
        while not (tmp_path / "chips.json").exists():  # the first chip lies
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert (process.returncode, said) == (130, "felt demo: interrupted\n")


def test_a_shuffler_that_is_not_plugged_in_is_a_warning(tmp_path: Path) -> None:
    done = felt("check", "--set", f"shuffler.url={tmp_path}/felt-shuffler", "--json")
    assert done.returncode == 0
    assert "is not there at the moment" in done.stderr
    assert len(json.loads(done.stdout)["warnings"]) == 1
    assert felt("check", "--set", "shuffler.url=/dev/null").stderr == ""


def test_a_number_of_thousands_of_digits_is_named_without_being_read_out(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f"[table]\nseats = {'9' * 5000}\n", encoding="utf-8")
    assert felt("check", "--config", str(file)).stderr == (
        f"felt check: {file}: a number has thousands of digits; correct it\n"
    )
    assert len(felt("check", "--set", f"table.seats={'9' * 5000}").stderr) < 200


def test_a_controller_says_which_table_it_runs_and_a_bench_without_a_folder_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text('[table]\nid = "T9"\n[bench]\nsocket = "nowhere/bench"\n', encoding="utf-8")
    done = felt("run", "--config", str(file))
    assert done.returncode == 1
    assert done.stderr == (
        f"felt run: F-501: bench.socket {tmp_path}/nowhere/bench cannot be opened (No such file or directory): "
        "name a file in a folder that exists\n"
    )
    file.write_text('[table]\nid = "T9"\n', encoding="utf-8")
    with subprocess.Popen([*FELT, "run", "--config", str(file)], stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        assert running.stderr.readline() == f"felt run: {file}, table T9, journal in {tmp_path}/journal\n"
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=20) == 0


def test_the_last_line_names_no_key_that_is_not_lit() -> None:
    """REVEAL is named once every box has decided."""
    evening = Evening(7)
    evening.order("TableOpened", person="supervisor")
    evening.press("open")
    assert "l lock" in keys_now(evening.table, "ante")
    evening.chip("1.ante")
    evening.advance(200)
    evening.press("no_more_bets")
    evening.until(lambda: evening.phase is Phase.DEALING)
    evening.deal()
    evening.until(lambda: evening.phase is Phase.DECIDING)
    assert "s seen" in keys_now(evening.table, "ante")
    assert "r reveal" not in keys_now(evening.table, "ante")
    for key in ("cards_seen", "play", "seat_1"):
        evening.press(key)
    assert "r reveal" in keys_now(evening.table, "ante")


_NOBODY_PLAYS = """
import sys
from felt.demo import people, show
from felt.cli import main
show.STILL_S = 1
people.People.play = lambda self: None
sys.exit(main(["demo", "--autoplay", "--rounds", "1", "--json"]))
"""


def test_an_evening_in_which_nothing_moves_is_given_up_with_a_sentence() -> None:
    words = [sys.executable, "-c", _NOBODY_PLAYS]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("felt demo: nothing has moved for 1 s, so the demo ends; the table is ")
