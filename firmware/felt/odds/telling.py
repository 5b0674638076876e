"""Exact odds as tables and plots on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from textwrap import wrap

from felt.nouns.money import Currency, say
from felt.odds.exact import Wager, decimal, grouped, percent
from felt.odds.forfeit import Turn
from felt.odds.progressive import break_even
from felt.odds.sheet import Forfeiture, Sheet

WIDTH = 100
PLOT_WIDTH, PLOT_HEIGHT = 72, 12


def told(sheet: Sheet, source: str, digest: str) -> Iterator[str]:
    yield f"{sheet.book.title}, version {sheet.book.version}"
    yield f"{source}, configuration {digest[:16]}; every deal counted"
    yield ""
    yield from _summary(sheet)
    for name, group in groupby(sheet.wagers, key=lambda wager: (wager.name, wager.pay_table)):
        yield ""
        yield from _wager_told(sheet, name[0], list(group))
    if sheet.forfeiture is not None:
        yield ""
        yield from _forfeiture_told(sheet, sheet.forfeiture)
    yield ""
    changed = dict(sheet.terms.readings)
    readings = ", ".join(f"{name} = {value}" for name, value in changed.items())
    yield from wrap(f"Readings: {readings or 'the defaults'}", WIDTH, subsequent_indent="  ")


def _rows(rows: Sequence[Sequence[str]], left: int = 1) -> Iterator[str]:
    """Columns side by side. The first `left` are aligned left, the others right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield ("  " + "  ".join(cells)).rstrip()


def _name(wager: Wager) -> str:
    return f"{wager.name.replace('_', ' ')} {wager.pay_table}".strip()


def _short(strategy: str) -> str:
    """`optimal` of `optimal: play Q-6-4 or better, fold everything else`."""
    return strategy.partition(":")[0].replace(" and the meters as they stand", "")


def _summary(sheet: Sheet) -> Iterator[str]:
    rows = [("WAGER", "STRATEGY", "HOUSE EDGE", "OF ALL RISKED", "HIT RATE", "DEVIATION")]
    for wager in sheet.wagers:
        figures = sheet.figures(wager)
        rows.append(
            (
                _name(wager),
                _short(wager.strategy),
                percent(figures.edge, 5),
                percent(figures.of_all_risked, 5),
                percent(figures.hits),
                decimal(figures.deviation, 4),
            )
        )
    yield from _rows(rows, left=2)
    yield "  House edge and deviation are in stakes of the wager, as the meters stand."


def _wager_told(sheet: Sheet, name: str, strategies: list[Wager]) -> Iterator[str]:
    """Every outcome under the first strategy. The others are in the summary, and in full in --json and --html."""
    wager = strategies[0]
    yield f"{_name(wager).upper()}  [{wager.paragraph}]"
    if wager.advice:
        yield f"  {_short(wager.strategy)}:"
        yield from _rows([(f"  against {seen}", what) for seen, what in wager.advice], left=2)
        yield f"  {len(wager.exceptions):,} kinds of hands make the exceptions: --html and --json name each."
    elif wager.strategy:
        yield f"  {wager.strategy}"
    rows = [("OUTCOME", "PAYS", "DEALS", "CHANCE")]
    for outcome in wager.outcomes:
        chance = percent(Fraction(outcome.count, wager.deals))
        rows.append((outcome.name.replace("_", " "), outcome.pays, f"{outcome.count:,}", chance))
    rows.append(("all", "", f"{wager.deals:,}", percent(Fraction(1))))
    yield from _rows(rows, left=2)
    figures = sheet.figures(wager)
    risked = f", {percent(figures.of_all_risked, 5)} of all risked" if figures.risk != 1 else ""
    yield f"  house edge {percent(figures.edge, 5)} = {figures.edge}{risked}"
    if wager.stake_minor:
        yield from _meters_told(sheet, strategies[-1])


def _meters_told(sheet: Sheet, wager: Wager) -> Iterator[str]:
    currency = sheet.terms.currency
    strategy = f", {_short(wager.strategy)}" if wager.strategy else ""
    yield f"  for a bet of {say(wager.stake_minor, currency)}{strategy}:"
    rows = [("METER", "STANDS AT", "ONE HIT IN", "ADDS TO THE RETURN", "EVEN AT")]
    for level in sheet.meter_figures(wager):
        rows.append(
            (
                level.meter,
                say(level.minor, currency),
                f"{grouped(level.bets_a_hit, 1)} bets",
                percent(level.adds),
                _money(level.even_minor, currency) + (" (it is above)" if level.is_above_even else ""),
            )
        )
    yield from _rows(rows)
    if wager.envy:
        yield f"  envy: each further box in the round adds {percent(wager.envy)} where neither folds"
    run = sheet.long_run(wager)
    parts = f"odds {percent(run.fixed, 2)}, resets {percent(run.seeds, 2)}, growth {percent(run.growth, 2)}"
    yield f"  long run: {'at most ' if run.at_most else ''}{percent(run.whole, 2)} goes back ({parts})"


def _forfeiture_told(sheet: Sheet, forfeiture: Forfeiture) -> Iterator[str]:
    currency = sheet.terms.currency
    ante = say(forfeiture.ante_minor, currency)
    yield "A FOLD FORFEITS THE PROGRESSIVE BET"
    yield f"  It costs {percent(forfeiture.cost_beside_the_ante)} of that bet to whoever decides by the Ante alone, and"
    yield f"  {percent(forfeiture.cost_at_best)} to whoever decides for both. The best for both at an Ante of {ante}:"
    rows = [("METER", "FROM", "FOLDS", "ANTE EDGE", "RETURN BESIDE IT", "SHARE OF IT A BET WINS")]
    deals = next(wager.deals for wager in sheet.wagers if wager.stake_minor)
    for piece in forfeiture.pieces:
        folds = percent(Fraction(piece.folded, deals))
        share = f"1 / {grouped(1 / piece.share, 1)}" if piece.share else "none"
        start = _money(piece.from_minor, currency)
        rows.append((piece.meter, start, folds, percent(piece.ante_edge), percent(piece.fixed), share))
    yield from _rows(rows)
    for (meter, value), group in groupby(forfeiture.turns, key=lambda turn: (turn.meter, turn.meter_minor)):
        kinds = "; ".join(hand_and_card(turn) for turn in group)
        yield from wrap(
            f"from {meter} {_money(value, currency)} on play {kinds} and the like in suits that pay alike",
            WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
        )


def hand_and_card(turn: Turn) -> str:
    against = f" against {turn.open_card}" if turn.open_card else ""
    return " ".join(turn.cards) + against


def _money(minor: Fraction, currency: Currency) -> str:
    return say(int(minor), currency)


# --- the plot ---------------------------------------------------------------------------------------------


def plot_top(sheet: Sheet, wager: Wager, meter: str) -> Fraction:
    """The greatest meter value of a plot: well past break-even and past the present value."""
    even = break_even(wager, meter, sheet.meters) or Fraction(0)
    return max(Fraction(sheet.meters[meter]) * 2, even * Fraction(3, 2), Fraction(1))


def plot(sheet: Sheet, wager: Wager, meter: str) -> Iterator[str]:
    """The return of a bet against one of its meters. `:` is the present value, `-` is break-even."""
    top = plot_top(sheet, wager, meter)
    columns = [top * place / (PLOT_WIDTH - 1) for place in range(PLOT_WIDTH)]
    returns = [1 + wager.net({**sheet.meters, meter: value}) for value in columns]
    most = max(*returns, Fraction(11, 10))
    step = _step(most)
    now = round(Fraction(sheet.meters[meter]) / top * (PLOT_WIDTH - 1))
    name = f"{_name(wager)}, {_short(wager.strategy)}" if wager.strategy else _name(wager)
    yield f"{name}: return against the meter {meter}"
    for line in range(int(most / step) + 1, -1, -1):
        level = step * line
        cells = [
            "*" if abs(value - level) <= step / 2 else "-" if level == 1 else ":" if place == now else " "
            for place, value in enumerate(returns)
        ]
        yield (f"{percent(level, 0):>6} |" + "".join(cells)).rstrip()
    yield f"{'':6} +{'-' * PLOT_WIDTH}"
    currency = sheet.terms.currency
    left, right = _money(Fraction(0), currency), _money(top, currency)
    stands = f": now {say(sheet.meters[meter], currency)}"
    even = break_even(wager, meter, sheet.meters)
    told = f"- even at {_money(even, currency)}" if even is not None else ""
    yield f"{'':8}{left}{f'{stands}   {told}':^{PLOT_WIDTH - len(left) - len(right)}}{right}"


def _step(most: Fraction) -> Fraction:
    """A step at round parts of the stake, with one line at 100%."""
    steps = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(1, 4), Fraction(1, 2), Fraction(1))
    return next((step for step in steps if most / step <= PLOT_HEIGHT), Fraction(int(most / PLOT_HEIGHT) + 1))
