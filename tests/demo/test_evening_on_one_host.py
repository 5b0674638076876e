"""The demo is the product's first impression: it plays, adds up, keeps its state and fails in one sentence."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from felt.rules import shelf

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


def test_the_last_lines_for_a_person_are_the_sum_of_the_evening() -> None:
    lines = felt("demo", "--autoplay", "--rounds", "1", "--seed", "1").stdout.splitlines()
    assert lines[-1].split() == ["money", "conserved"]
    assert lines[-6].startswith("rounds         1")


@pytest.mark.parametrize(
    ("words", "sentence", "status"),
    [
        (("demo", "--json"), "--json needs --autoplay", 2),
        (("demo", "--game", "whist"), "'whist' is not a game on the shelf", 1),
        (("demo", "--autoplay", "--rounds", "0"), "not a number of rounds", 2),
        (("demo", "--set", "lock.drain_ms=fast"), "lock.drain_ms", 1),
        (("replay", "/nowhere/at/all"), "it is not there", 1),
        (("explain", "F-000"), "is not a fault code", 2),
        (("run", "--config", "/nowhere.toml"), "/nowhere.toml", 1),
        (("dance",), "invalid choice", 2),
    ],
)
def test_a_mistake_gets_one_sentence_and_a_status(words: tuple[str, ...], sentence: str, status: int) -> None:
    done = felt(*words)
    assert done.returncode == status
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_a_round_can_be_played_from_the_keyboard() -> None:
    master, slave = pty.openpty()
    player = subprocess.Popen([*FELT, "demo", "--seed", "3"], stdin=slave, stdout=slave, stderr=slave, close_fds=True)
    os.close(slave)
    screen = b""

    def until(words: bytes, type_first: bytes = b"") -> None:
        nonlocal screen
        os.write(master, type_first)
        screen = b""
        deadline = time.monotonic() + 20
        while words not in screen:
            assert time.monotonic() < deadline, (words, screen[-2000:].decode())
            if select.select([master], [], [], 0.1)[0]:
                screen += os.read(master, 65536)

    try:
        until(b"Table closed")
        until(b"Press OPEN", b"o")
        until(b"Bets are open", b"o")
        until(b"ante          o", b"1")
        until(b"DEALING", b"l")
        until(b"Fold or play: box 1", b"d")
        until(b"FOLD | PLAY", b"s")
        os.write(master, b"p")
        until(b"Press REVEAL", b"1")
        until(b"Press SETTLE", b"r")
        until(b"verdict of round 1", b"e")
        until(b"Press OPEN", b"e")
        until(b"conserved", b"q")
        assert player.wait(timeout=10) == 0
    finally:
        player.kill()
        player.wait()
        os.close(master)
