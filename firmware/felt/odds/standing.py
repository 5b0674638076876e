"""The odds of a table at tonight's meters, in a short form: for the console, for pages and for the start of a table.
They come from counts made before, so a table's box needs no numpy."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import msgspec

from felt.nouns.money import say
from felt.odds.cached import ante_in_force, returns_of, sides_in_force
from felt.odds.exact import Wager, decimal, square_root
from felt.odds.progressive import long_run
from felt.odds.sheet import DEVIATION_DIGITS, meter_figures
from felt.rules.rulebook import Rulebook, Terms

DIGITS = 4


class SmallLevel(msgspec.Struct, frozen=True):
    meter: str
    minor: int
    bets_a_hit: float
    adds_percent: float  # to the return, tonight
    even_minor: int
    is_above_even: bool


class Small(msgspec.Struct, frozen=True):
    """One wager as a person reads it. Percentages are rounded; `felt odds` has them exactly."""

    wager: str
    pay_table: str
    strategy: str
    house_edge_percent: float  # tonight, of the stake
    hit_rate_percent: float
    deviation: float  # in stakes
    long_run_return_percent: float
    levels: tuple[SmallLevel, ...] = ()
    strategy_changes_minor: tuple[int, ...] = ()  # the meter values at which the best strategy changes


def plain(small: Small) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(small)
    return told


def standing(book: Rulebook, terms: Terms, meters: Mapping[str, int]) -> tuple[Small, ...]:
    """Every wager under the pay tables in force. A meter of unknown value counts with its reset."""
    known = {**dict(terms.resets), **{name: minor for name, minor in meters.items() if name in book.meters}}
    ante = _ante(book, terms)
    changes = dict(_changes(book, terms))
    sides = (_side(book, terms, wager, known, changes.get(wager.name, ())) for wager in _sides(book, terms))
    return (*(() if ante is None else (ante,)), *sides)


def above_even(book: Rulebook, terms: Terms, meters: Mapping[str, int]) -> tuple[str, ...]:
    """A sentence for each meter at which tonight's bet costs the player nothing. It stops nothing."""
    told = []
    known = {**dict(terms.resets), **meters}
    for wager in _sides(book, terms):
        for level in meter_figures(wager, known) if wager.stake_minor else ():
            if level.is_above_even:
                stands = say(level.minor, terms.currency)
                even = say(int(level.even_minor), terms.currency)
                told.append(f"the meter {level.meter} stands at {stands}, above {even}, where its bet breaks even")
    return tuple(told)


@lru_cache(maxsize=16)
def _sides(book: Rulebook, terms: Terms) -> tuple[Wager, ...]:
    return sides_in_force(book, terms)


@lru_cache(maxsize=16)
def _changes(book: Rulebook, terms: Terms) -> tuple[tuple[str, tuple[int, ...]], ...]:
    returns = returns_of(book, terms)
    return tuple((wager.bet, tuple(int(piece.from_minor) for piece in wager.pieces[1:])) for wager in returns)


@lru_cache(maxsize=16)
def _ante(book: Rulebook, terms: Terms) -> Small | None:
    if not book.has_fold:
        return None
    kept = ante_in_force(book, terms)
    edge, variance = Fraction(kept.house_edge), Fraction(kept.variance)
    hits, deviation = Fraction(kept.hit_rate), square_root(variance, DEVIATION_DIGITS)
    rule, _, cases = kept.strategy.partition(":")
    strategy = rule if ";" in cases else kept.strategy  # one rule for each open card is too long for a page
    return Small(
        "ante", "", strategy, _read(edge * 100), _read(hits * 100), _read(deviation), _read((1 - edge) * 100)
    )


def _side(
    book: Rulebook, terms: Terms, wager: Wager, meters: Mapping[str, int], changes: tuple[int, ...]
) -> Small:
    figures = wager.house_edge(meters), wager.hit_rate(meters)
    deviation = square_root(wager.variance(meters), DEVIATION_DIGITS)
    back = long_run(wager, book, terms).whole if wager.stake_minor else 1 - figures[0]
    levels = tuple(
        SmallLevel(
            level.meter, level.minor, _read(level.bets_a_hit), _read(level.adds * 100), int(level.even_minor),
            level.is_above_even,
        )
        for level in (meter_figures(wager, meters) if wager.stake_minor else ())
    )  # fmt: skip
    edge, hits = figures
    return Small(
        wager.name, wager.pay_table, "", _read(edge * 100), _read(hits * 100), _read(deviation), _read(back * 100),
        levels, changes,
    )  # fmt: skip


def _read(value: Fraction) -> float:
    return float(decimal(value, DIGITS))
