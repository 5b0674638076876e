"""The bans in the pure rooms, and proof that the check sees a breach."""

from __future__ import annotations

import pytest

from tests.house.bans import PURE_ROOMS, broken_bans
from tests.house.tree import FIRMWARE, name_of, python_files


def test_the_pure_rooms_are_pure() -> None:
    folders = [FIRMWARE / room for room in PURE_ROOMS]
    modules = [path for path in python_files("firmware") if any(path.is_relative_to(folder) for folder in folders)]
    assert modules
    problems = [problem for path in modules for problem in broken_bans(path.read_text(), name_of(path))]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "from time import monotonic_ns",
        "import os.path",
        "import random",
        "from secrets import token_hex",
        "import threading",
        "import asyncio",
        "import socket",
        "import pathlib",
        "def f():\n    import time",
        "today = datetime.date.today()",
        "at = datetime.now()",
        "open('x')",
        "print('x')",
        "hash('x')",
        "def f(value: float) -> None: ...",
        "rate = float(text)",
        "rate = 0.5",
        "rate = 1e3",
        "share = meter / 4",
        "meter /= 4",
        "from math import sqrt",
        "math.log(2)",
        "for suit in {'c', 'd'}: ...",
        "for suit in set(suits): ...",
        "[suit for suit in frozenset(suits)]",
        "tuple(suit for suit in {1, 2})",
        "{seat: 1 for seat in {1, 2}}",
        "list({1, 2})",
        "','.join({'a'})",
        "[*{1, 2}]",
        "print_all(*{1, 2})",
        "seats = {1, 2}\nfor seat in seats: ...",
        "SEATS = frozenset((1, 2))\ndef f():\n    return [s for s in SEATS]",
        "def f(seats: frozenset[int]) -> None:\n    for seat in seats: ...",
        "def f(seats: set[int] | None) -> tuple[int, ...]:\n    return tuple(seats)",
        "class Table:\n    seats: frozenset[int]\ndef f(table):\n    return tuple(table.seats)",
        "def f(a):\n    for seat in set(a) - {1}: ...",
        "def f(a):\n    for seat in set(a).union(a): ...",
        "seats = {1, 2}\nfirst = seats.pop()",
    ],
)
def test_a_breach_is_seen(source: str) -> None:
    assert broken_bans(source, "module")


@pytest.mark.parametrize(
    "source",
    [
        "import json, hashlib, zlib, datetime",
        "from math import comb, gcd",
        "share = meter // 4",
        "text = '1.5 / 2'",
        "from fractions import Fraction\nedge = Fraction(1, 3)",
        "for seat in (1, 2): ...",
        "for seat in sorted({2, 1}): ...",
        "SEATS = {1, 2}\nfound = 1 in SEATS",
        "SEATS = {1, 2}\nhighest = max(seat for seat in SEATS)",
        "same = {seat + 1 for seat in {1, 2}}",
        "counts = {'a': 1}\nfor name in counts: ...",
        "SEATS = {1, 2}\ndef f(SEATS: tuple[int, ...]) -> None:\n    for seat in SEATS: ...",
        "def f(seats):\n    seats = {1}\ndef g(seats: tuple[int, ...]):\n    return list(seats)",
        "last = waiting.pop(0)",
    ],
)
def test_what_is_allowed_passes(source: str) -> None:
    assert broken_bans(source, "module") == []


def test_a_breach_is_named_with_its_line() -> None:
    assert broken_bans("a = 1\nimport time\n", "rules/shelf.py") == [
        "rules/shelf.py, line 2: no time in a pure room",
    ]
