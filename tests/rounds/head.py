"""The head of a story: which game, which table, which readings. Every line of it becomes a setting of a table file."""

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
class Head:
    game: str = ""
    overrides: list[str] = field(default_factory=list)
    late_ms: dict[str, int] = field(default_factory=dict)
    seed: int = 0


def game_named(name: str) -> str:
    """By its id, by the number of its book, or by words of its title that fit no other."""
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


def _set(head: Head, setting: str, value: object) -> None:
    head.overrides.append(f"{setting}={value}")


def _set_meter(head: Head, found: re.Match[str]) -> None:
    settings = {
        "reset_minor": _minor(found[2]),
        "rate_bp": int(Decimal(found[3]) * 100),
        "reserve_bp": int(Decimal(found[4] or 0) * 100),
    }
    for key, value in settings.items():
        _set(head, f"progressive.meters.{found[1]}.{key}", value)


_MONEY = r"(\$[\d,]+(?:\.\d\d)?)"
Put = Callable[[Head, "re.Match[str]"], None]


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
          lambda head, found: head.late_ms.update({"*": int(found[1])})),
    _head("seed N", r"seed (\d+)", lambda head, found: setattr(head, "seed", int(found[1]))),
)  # fmt: skip
