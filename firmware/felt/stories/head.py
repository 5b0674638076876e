"""The head of a story: the game, the table, the readings. Every line becomes a setting of a table file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from felt.rules import shelf

_BOOKS = {
    "000": "progressive-3-card-poker",
    "001": "lucky-three-pictures",
    "002": "multi-link-3-card-poker",
    "003": "california-three-card-poker",
    "004": "stax-three-card",
}


class HeadError(ValueError):
    """What is wrong with a line of the head."""


@dataclass
class StoryHead:
    game: str = ""
    overrides: list[str] = field(default_factory=list)
    late_ms: dict[str, int] = field(default_factory=dict)
    seed: int = 0
    tables: tuple[str, ...] = ()  # the ids of several linked tables; empty: one table with its own meters
    at_table: dict[str, list[str]] = field(default_factory=dict)  # settings that differ, by a table's number or id
    reserves: dict[str, int] = field(default_factory=dict)  # the opening balance of a meter's reserve, in minor units


def game_named(name: str) -> str:
    """By its id, by the number of its rulebook, or by words of its title that fit no other."""
    if name in _BOOKS:
        return _BOOKS[name]
    if name in shelf.GAMES:
        return name
    words = re.findall(r"[a-z0-9]+", name.lower())
    titles = {game: f"{shelf.rulebook(game).title} {game}".lower() for game in shelf.GAMES}
    fitting = [game for game, title in titles.items() if all(word in title for word in words)]
    exact = [game for game in fitting if shelf.rulebook(game).title.lower() == name.lower()]
    if len(exact or fitting) != 1:
        raise HeadError(f"{name!r} names no game of its own; games are {', '.join(shelf.GAMES)}")
    return (exact or fitting)[0]


def _minor(text: str) -> int:
    return int(Decimal(text.lstrip("$").replace(",", "")) * 100)


def _set(head: StoryHead, setting: str, value: object) -> None:
    head.overrides.append(f"{setting}={value}")


def _set_meter(head: StoryHead, found: re.Match[str]) -> None:
    settings = {
        "reset_minor": _minor(found[2]),
        "rate_bp": int(Decimal(found[3]) * 100),
        "reserve_bp": int(Decimal(found[4] or 0) * 100),
    }
    for key, value in settings.items():
        _set(head, f"progressive.meters.{found[1]}.{key}", value)


def _set_tables(head: StoryHead, found: re.Match[str]) -> None:
    named = tuple(found[1].split(", "))
    if found[1].isdigit():
        named = tuple(f"T{number}" for number in range(1, min(int(found[1]), TABLES_MAX + 1) + 1))
    head.tables = named
    if len(named) not in range(1, TABLES_MAX + 1) or len(set(named)) != len(named):
        raise HeadError(f"{found[1]!r} does not name 1 to {TABLES_MAX} tables: write `tables: 2`, or an id for each")


def _set_reserve(head: StoryHead, found: re.Match[str]) -> None:
    head.reserves[found[1]] = _minor(found[2])


_MONEY = r"(\$[\d,]+(?:\.\d\d)?)"
TABLES_MAX = 9
EVERY_LINE = "*"
Put = Callable[[StoryHead, "re.Match[str]"], None]


def _head(form: str, pattern: str, put: Put) -> tuple[str, re.Pattern[str], Put]:
    return form, re.compile(pattern), put


HEAD = (
    _head("story: TEXT", r"(?:story|title): .+", lambda head, found: None),
    _head("game: NAME", r"game: (.+)", lambda head, found: setattr(head, "game", game_named(found[1]))),
    _head("seats: N", r"(?:seats|boxes): (\d)", lambda head, found: _set(head, "table.seats", found[1])),
    _head("method: NAME", r"(?:method|dealing): ([a-z_ ]+)",
          lambda head, found: _set(head, "game.dealing", found[1].replace(" ", "_"))),
    _head("limits WAGER: $MIN to $MAX", rf"limits (\w+): {_MONEY} to {_MONEY}",
          lambda head, found: _set(
              head, f"game.limits.{found[1]}", f"{{ min = {_minor(found[2])}, max = {_minor(found[3])} }}")),
    _head("stake: $AMOUNT", rf"stake: {_MONEY}",
          lambda head, found: _set(head, "progressive.stake_minor", _minor(found[1]))),
    _head("meter NAME: from $RESET growing N% [reserve N%]",
          rf"meter (\w+): from {_MONEY} growing ([\d.]+)%(?: reserve ([\d.]+)%)?",
          _set_meter),
    _head("reserve NAME: opens with $AMOUNT", rf"reserve (\w+): opens with {_MONEY}", _set_reserve),
    _head("tables: N / tables: ID, ID", r"tables: (\d{1,3}|[\w-]+(?:, [\w-]+)*)", _set_tables),
    _head("sensed: WAGER[, WAGER]", r"sensed: ((?:\w+(?:, )?)+)",
          lambda head, found: _set(head, "board.sensed", str(found[1].split(", ")).replace("'", '"'))),
    _head("dealer NAME has code DIGITS", r"dealer (\w+) has code (\d+)",
          lambda head, found: _set(head, f"dealers.{found[1]}", f'"{found[2]}"')),
    _head("set SECTION.KEY = VALUE", r"set ([\w.]+) = (.+)", lambda head, found: _set(head, found[1], found[2])),
    _head("reading NAME = VALUE", r"reading (\w+) = (\w+)",
          lambda head, found: _set(head, f"game.readings.{found[1]}", found[2])),
    _head("late SPOT = N ms", r"late (\S+) = (\d+) ms",
          lambda head, found: head.late_ms.update({found[1]: int(found[2])})),
    _head("late every line = N ms", r"late every line = (\d+) ms",
          lambda head, found: head.late_ms.update({EVERY_LINE: int(found[1])})),
    _head("seed N", r"seed (\d+)", lambda head, found: setattr(head, "seed", int(found[1]))),
)  # fmt: skip


# How the lines of a head begin, whatever follows. No sentence begins so.
_BEGINNING = re.compile(
    r"(game|seats|boxes|method|dealing|stake|tables|sensed):|(limits|meter|reserve) \w+:|(reading|set) \S+ =|(seed) "
    r"|(late) .+ =|(dealer) \w+ has code"
)


def take_head_line(head: StoryHead, text: str) -> bool:
    """True if the line belongs to the head. Raises `HeadError` if it is a wrong one."""
    for _, pattern, put in HEAD:
        found = pattern.fullmatch(text)
        if found:
            put(head, found)
            return True
    begun = _BEGINNING.match(text)
    if begun:
        raise HeadError(f"{text!r} does not fit; write `{_form_of(begun[begun.lastindex or 0])}`")
    return False


def _form_of(word: str) -> str:
    """The form of the head's lines that begin with this word, or that take it as well."""
    return next(form for form, pattern, _ in HEAD if re.match(rf"{word}\b|\(\?:(?:\w+\|)*{word}\b", pattern.pattern))


def take_line_of_table(head: StoryHead, table: str, text: str) -> bool:
    """The same for a setting of one of several tables."""
    own = StoryHead()
    if not take_head_line(own, text):
        return False
    if own != StoryHead(overrides=own.overrides):
        raise HeadError(f"{text!r} holds for all tables of a link: write it without `at table {table}:`")
    head.at_table.setdefault(table, []).extend(own.overrides)
    return True
