"""What a table file says of its game, held against the game's own rulebook."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from felt.config.bounds import Violation
from felt.config.settings import Settings
from felt.config.terms import terms_of
from felt.rules import shelf
from felt.rules.procedure import PROCEDURES
from felt.rules.returns import returns_of, say_percent
from felt.rules.rulebook import Rulebook, missing_terms


def contradicted_by_rules(settings: Settings) -> Iterator[Violation]:
    if settings.game.id not in shelf.GAMES:
        problem = f"{settings.game.id!r} is not a game on the shelf"
        yield Violation(("game", "id"), problem, _one_of(settings.game.id, shelf.GAMES))
        return
    book = shelf.rulebook(settings.game.id)
    yield from _readings(settings, book)
    methods = [method.name for method in PROCEDURES[book.id].methods]
    if settings.game.dealing not in methods:
        problem = f"{settings.game.dealing!r} is not a dealing method of {book.id}"
        yield Violation(("game", "dealing"), problem, _one_of(settings.game.dealing, methods))
    wagers = [wager.name for wager in book.wagers]
    yield from _unknown(("game", "limits"), settings.game.limits, wagers, "a wager of this game")
    yield from _unknown(("game", "pay_tables"), settings.game.pay_tables, wagers, "a wager of this game")
    yield from _unknown(("progressive", "meters"), settings.progressive.meters, book.meters, "a meter of this game")
    for meter in book.meters:
        if meter not in settings.progressive.meters:
            problem = f"{book.id} has a meter {meter} that is not set"
            remedy = f"add [progressive.meters.{meter}] with reset_minor, rate_bp, reserve_bp and limit_minor"
            yield Violation(("progressive", "meters"), problem, remedy)
    missing = missing_terms(book, terms_of(settings))
    if missing:
        yield Violation(("game",), "; ".join(missing), "state each of them: the rulebook does not print it")
        return
    for wager in returns_of(book, terms_of(settings)):
        if wager.whole > 1:
            problem = f"the {wager.bet} bet would return {say_percent(wager.whole)} of its stakes to the players"
            yield Violation(("game", "id"), problem, "post lower odds, a higher stake, lower resets or lower rates")


def _readings(settings: Settings, book: Rulebook) -> Iterator[Violation]:
    known = {reading.name: (reading.default, *reading.alternatives) for reading in book.readings}
    yield from _unknown(("game", "readings"), settings.game.readings, known, "a reading of this game")
    for name, value in settings.game.readings.items():
        if name in known and value not in known[name]:
            problem = f"{value!r} is not a way to read it"
            yield Violation(("game", "readings", name), problem, _one_of(value, known[name]))


def _unknown(path: tuple[str, ...], names: Iterable[str], known: Iterable[str], noun: str) -> Iterator[Violation]:
    choices = tuple(known)
    for name in names:
        if name not in choices:
            yield Violation((*path, name), f"{name!r} is not {noun}", _one_of(name, choices))


def _one_of(wrong: str, choices: Iterable[str]) -> str:
    listed = tuple(choices)
    near = difflib.get_close_matches(wrong, listed, n=1)
    return f"did you mean {near[0]}?" if near else f"use one of {', '.join(listed)}" if listed else "remove it"
