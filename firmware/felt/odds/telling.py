"""Exact odds for a program, and as a table and a plot for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import msgspec

from felt.nouns.money import Currency, say
from felt.odds.exact import Outcome, Wager, decimal, percent, square_root
from felt.odds.forfeit import Turn
from felt.odds.progressive import LongRun, break_even, levels, long_run
from felt.rules.rulebook import Rulebook, Terms, readings_in_force

PERCENT_DIGITS = 4
PLOT_WIDTH, PLOT_HEIGHT = 60, 12


class Sheet(msgspec.Struct, frozen=True):
    """The odds of one game under one house's terms."""

    book: Rulebook
    terms: Terms
    meters: dict[str, int]
    wagers: tuple[Wager, ...]
    turns: tuple[tuple[Turn, str], ...] = ()  # where a meter makes a folded hand worth playing, and its cards
    ante_minor: int = 0  # the Ante that those hang on

    def long_run(self, wager: Wager) -> LongRun:
        return long_run(wager, self.book, self.terms)


def plain(sheet: Sheet) -> dict[str, Any]:
    """Counts and edges are exact: whole numbers, and fractions as texts."""
    return {
        "game": sheet.book.id,
        "version": sheet.book.version,
        "readings": dict(readings_in_force(sheet.book, sheet.terms)),
        "meters": sheet.meters,
        "wagers": [_plain_wager(sheet, wager) for wager in sheet.wagers],
        "strategy_changes": [
            {"meter_minor": str(turn.meter_minor), "hand": hand, "deals": turn.deals, "ante_minor": sheet.ante_minor}
            for turn, hand in sheet.turns
        ],
    }


def _plain_wager(sheet: Sheet, wager: Wager) -> dict[str, Any]:
    edge = wager.house_edge(sheet.meters)
    told: dict[str, Any] = {
        "wager": wager.name,
        "pay_table": wager.pay_table,
        "paragraph": wager.paragraph,
        "deals": wager.deals,
        "outcomes": [_plain_outcome(outcome) for outcome in wager.outcomes],
        "house_edge": str(edge),
        "house_edge_percent": _number(edge * 100),
        "element_of_risk": str(edge / wager.risk()),
        "element_of_risk_percent": _number(edge / wager.risk() * 100),
        "hit_rate": str(wager.hit_rate(sheet.meters)),
        "standard_deviation": _number(square_root(wager.variance(sheet.meters), 8)),
        "strategy": wager.strategy or None,
    }
    return told | _plain_meters(sheet, wager) if wager.stake_minor else told


def _plain_outcome(outcome: Outcome) -> dict[str, Any]:
    told: dict[str, Any] = {"outcome": outcome.name, "count": outcome.count, "pays": outcome.pays}
    told["net"] = str(outcome.net)
    return told | {"meter": outcome.meter, "share": str(outcome.share)} if outcome.meter else told


def _plain_meters(sheet: Sheet, wager: Wager) -> dict[str, Any]:
    run = sheet.long_run(wager)
    return {
        "stake_minor": wager.stake_minor,
        "levels": [
            {
                "meter": level.meter,
                "hits": level.hits,
                "bets_a_hit": _number(level.bets_a_hit),
                "return_each_minor_unit": str(level.coefficient / wager.stake_minor),
                "break_even_minor": _text(break_even(wager, level.meter, sheet.meters)),
            }
            for level in levels(wager)
        ],
        "envy_each_further_box": str(wager.envy),
        "long_run_return": str(run.whole),
        "long_run_return_percent": _number(run.whole * 100),
        "long_run_is_a_bound": run.at_most,
    }


def _number(value: Fraction) -> float:
    """A figure to read, with the digits that a person compares."""
    return float(decimal(value, PERCENT_DIGITS))


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


# --- for a person ---------------------------------------------------------------------------------------


def told(sheet: Sheet) -> Iterator[str]:
    yield f"{sheet.book.title}, version {sheet.book.version}"
    for wager in sheet.wagers:
        yield ""
        yield from _wager_told(sheet, wager)
    if sheet.turns:
        yield ""
        yield f"With an Ante of {say(sheet.ante_minor, sheet.terms.currency)} a fold stops paying from these meters on:"
        for turn, hand in sheet.turns:
            yield f"  {_money(turn.meter_minor, sheet.terms.currency):>16}  play {hand}"
    changed = dict(sheet.terms.readings)
    yield ""
    yield "Readings: " + (", ".join(f"{name} = {value}" for name, value in changed.items()) or "the defaults")


def _title(wager: Wager) -> str:
    letter = f" {wager.pay_table}" if wager.pay_table else ""
    strategy = f" ({wager.strategy})" if wager.strategy else ""
    return f"{wager.name.replace('_', ' ')}{letter}{strategy}  [{wager.paragraph}]"


def _wager_told(sheet: Sheet, wager: Wager) -> Iterator[str]:
    yield _title(wager)
    for outcome in wager.outcomes:
        share = Fraction(outcome.count, wager.deals)
        yield f"  {outcome.name.replace('_', ' '):38} {outcome.count:>15,}  {percent(share):>9}  {outcome.pays}"
    edge, risk = wager.house_edge(sheet.meters), wager.risk()
    yield f"  {'of all deals':38} {wager.deals:>15,}"
    yield f"  house edge {percent(edge)} ({edge})" + (f", {percent(edge / risk)} of all risked" if risk != 1 else "")
    deviation = decimal(square_root(wager.variance(sheet.meters), 8), 4)
    yield f"  hit rate {percent(wager.hit_rate(sheet.meters))}, standard deviation {deviation} stakes"
    if wager.stake_minor:
        yield from _meters_told(sheet, wager)


def _meters_told(sheet: Sheet, wager: Wager) -> Iterator[str]:
    currency = sheet.terms.currency
    yield f"  for a bet of {say(wager.stake_minor, currency)}"
    for level in levels(wager):
        even = break_even(wager, level.meter, sheet.meters)
        yield (
            f"  meter {level.meter} at {_money(Fraction(sheet.meters[level.meter]), currency)}: one hit in "
            f"{decimal(level.bets_a_hit, 1)} bets; even at {'never' if even is None else _money(even, currency)}"
        )
    if wager.envy:
        yield f"  each further box adds {percent(wager.envy)} by envy"
    run = sheet.long_run(wager)
    parts = f"odds {percent(run.fixed, 2)}, resets {percent(run.seeds, 2)}, growth {percent(run.growth, 2)}"
    yield f"  long run: {'at most ' if run.at_most else ''}{percent(run.whole, 2)} goes back ({parts})"


def _money(minor: Fraction, currency: Currency) -> str:
    return say(int(minor), currency)


def plot(sheet: Sheet, wager: Wager, meter: str) -> Iterator[str]:
    """The return of a bet against one of its meters, from nothing to a good way past break-even."""
    even = break_even(wager, meter, sheet.meters)
    top = max(Fraction(sheet.meters[meter]) * 2, (even or Fraction(0)) * Fraction(3, 2), Fraction(1))
    returns = [
        1 + wager.net({**sheet.meters, meter: top * place / (PLOT_WIDTH - 1)}) for place in range(PLOT_WIDTH)
    ]
    most = max(*returns, Fraction(1))
    yield f"{wager.name} ({wager.strategy or 'no decision'}): return against the meter {meter}"
    for line in range(PLOT_HEIGHT, -1, -1):
        level = most * line / PLOT_HEIGHT
        half = most / PLOT_HEIGHT / 2
        row = "".join("*" if abs(value - level) <= half else " " for value in returns)
        mark = "-" if abs(level - 1) <= half else " "
        yield f"{percent(level, 0):>6} |" + "".join(mark if cell == " " else cell for cell in row)
    yield f"{'':6} +{'-' * PLOT_WIDTH}"
    left, right = _money(Fraction(0), sheet.terms.currency), _money(top, sheet.terms.currency)
    yield f"{'':8}{left}{right:>{PLOT_WIDTH - len(left)}}"
