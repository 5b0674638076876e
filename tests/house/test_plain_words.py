"""The rooms are written in plain words, and the check finds a breach."""

from __future__ import annotations

import pytest

from tests.house.plain_words import hard_words
from tests.house.tree import FIRMWARE

# Rooms whose prose still has to be revised. A room that leaves this list never comes back.
AWAITING = frozenset({"jackpot"})
ROOMS = sorted(path.name for path in FIRMWARE.iterdir() if path.is_dir() and path.name != "__pycache__")


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in AWAITING])
def test_a_room_is_written_in_plain_words(room: str) -> None:
    problems = [
        problem
        for path in sorted((FIRMWARE / room).rglob("*.py"))
        for problem in hard_words(path.read_text(encoding="utf-8"), str(path.relative_to(FIRMWARE)))
    ]
    assert problems == []


def test_every_awaiting_room_exists() -> None:
    assert set(ROOMS) >= AWAITING


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ('"""' + "word " * 31 + '."""', "module.py, line 1: a first sentence of 32 words, at most 30"),
        ("# Whoever reads this.", "module.py, line 1: 'Whoever': name who it is"),
        ('def go():\n    """Fills `ports.Disk`."""', "module.py, line 2: 'Fills `': write 'Implements'"),
        ("for one in (1, 2):\n    print(one)", "module.py, line 1: a variable called 'one': name it for what it holds"),
        ("def go(one):\n    return one", "module.py, line 1: a variable called 'one': name it for what it holds"),
    ],
)
def test_a_hard_word_is_found(source: str, problem: str) -> None:
    assert hard_words(source, "module.py") == [problem]


def test_plain_words_pass() -> None:
    assert hard_words('"""Reads a file. It closes the file."""\nline = 1  # counted from one\n', "module.py") == []
