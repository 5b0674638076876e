"""The odds of one table as a page that a laboratory can print: the configuration's digest, every count under every
strategy, the strategies found, and the return against the meters. One file without external parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from html import escape
from itertools import groupby

from felt import __version__
from felt.nouns.money import say
from felt.nouns.texts import capitalized
from felt.odds.exact import Wager, decimal, grouped, percent
from felt.odds.forfeit import Turn
from felt.odds.progressive import break_even
from felt.odds.sheet import Forfeiture, Sheet
from felt.odds.telling import hand_and_card, plot_top
from felt.rules.rulebook import readings_in_force

_STYLE = """
:root { --ink: #1b1f23; --soft: #57606a; --line: #d9dee3; --strong: #8a939b; --blue: #0b5fae; --red: #b42318; }
* { box-sizing: border-box; }
body { font: 15px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--ink); margin: 2rem auto;
  max-width: 62rem; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .5rem; padding-bottom: .2rem; border-bottom: 2px solid var(--ink); }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; margin: .4rem 0 .8rem; }
caption { text-align: left; color: var(--soft); font-size: .88rem; padding-bottom: .2rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { border-bottom: 1px solid var(--strong); font-size: .85rem; color: var(--soft); font-weight: 600; }
th.n, td.n { text-align: right; white-space: nowrap; }
tfoot td { font-weight: 600; border-top: 2px solid var(--strong); border-bottom: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .6rem 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
code { font: .88em ui-monospace, "DejaVu Sans Mono", monospace; }
.small { color: var(--soft); font-size: .88rem; }
.refused { color: var(--red); font-weight: 600; border-left: 4px solid var(--red); padding-left: .7rem; }
.big { font-size: 1.1rem; }
.columns { columns: 4 11rem; font: .78rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
.columns div { break-inside: avoid; }
svg { width: 100%; height: auto; margin: .4rem 0; }
svg text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--soft); }
@page { size: A4; margin: 16mm 14mm; }
@media print {
  body { margin: 0; max-width: none; padding: 0; font-size: 10.5px; }
  h2, h3, caption { break-after: avoid; } tr, svg, dl { break-inside: avoid; } thead { display: table-header-group; }
}
"""
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 250, 52, 14, 20, 30
_POINTS = 48


def page(sheet: Sheet, digest: str, source: str, refused: Sequence[str] = ()) -> str:
    body = "\n".join(_body(sheet, digest, source, refused))
    title = escape(f"Odds: {sheet.book.title}")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _body(sheet: Sheet, digest: str, source: str, refused: Sequence[str]) -> Iterator[str]:
    terms, book = sheet.terms, sheet.book
    yield f"<h1>{escape(book.title)}</h1>"
    yield "<p>The exact odds of every wager of this table. Every deal was counted by the rules that settle its rounds."
    yield "Counts are whole numbers, edges exact fractions; only percentages and deviations are rounded.</p>"
    meters = ", ".join(f"{name} {say(value, terms.currency)}" for name, value in sheet.meters.items())
    facts = [
        ("Game", f"{book.id}, version {book.version}"),
        ("Configuration", source),
        ("Its digest", f"<code>{escape(digest)}</code>"),
        ("Firmware", __version__),
    ]
    if meters:
        facts.append(("Meters", meters))
    yield "<dl>"
    for name, value in facts:
        yield f"<dt>{name}</dt><dd>{value if value.startswith('<code>') else escape(value)}</dd>"
    yield "</dl>"
    for sentence in refused:
        yield f"<p class=refused>No table may be run under these terms: {escape(sentence)}.</p>"
    yield from _summary(sheet)
    for group in _by_wager(sheet.wagers):
        yield from _section(sheet, group)
    if sheet.forfeiture is not None:
        yield from _forfeited(sheet, sheet.forfeiture)
    yield "<h2>Readings in force</h2>"
    yield "<p class=small>Where the rulebook leaves a choice, the house's stands here; those that differ from the"
    yield "default are in bold.</p>"
    differing = dict(terms.readings)
    readings = [
        (escape(name), f"<b>{escape(value)}</b>" if name in differing else escape(value))
        for name, value in readings_in_force(book, terms).items()
    ]
    yield from _table(("Reading", "Value"), readings, left=2)
    for wager in sheet.wagers:
        if wager.exceptions:
            yield from _exceptions(wager)


def _by_wager(wagers: Iterable[Wager]) -> list[list[Wager]]:
    """One wager under each of its strategies."""
    return [list(group) for _, group in groupby(wagers, key=lambda wager: (wager.name, wager.pay_table))]


def _table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, foot: Sequence[str] = (), caption: str = ""
) -> Iterator[str]:
    """Cells are markup already. The first `left` columns are words, the others numbers."""

    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}>{cell}</{tag}>" if column < left else f"<{tag} class=n>{cell}</{tag}>"
            for column, cell in enumerate(row)
        )

    yield "<table>" + (f"<caption>{escape(caption)}</caption>" if caption else "")
    yield f"<thead><tr>{cells(head, 'th')}</tr></thead><tbody>"
    for row in rows:
        yield f"<tr>{cells(row, 'td')}</tr>"
    yield "</tbody>" + (f"<tfoot><tr>{cells(foot, 'td')}</tr></tfoot>" if foot else "") + "</table>"


def _title(wager: Wager) -> str:
    return escape(f"{wager.name.replace('_', ' ').capitalize()} {wager.pay_table}".strip())


def _short(strategy: str) -> str:
    return escape(strategy.partition(":")[0])


def _summary(sheet: Sheet) -> Iterator[str]:
    yield "<h2>Summary</h2>"
    rows = []
    for wager in sheet.wagers:
        figures = sheet.figures(wager)
        run = sheet.long_run(wager) if wager.stake_minor else None
        back = percent(1 - figures.edge) if run is None else percent(run.whole)
        rows.append(
            (
                _title(wager), _short(wager.strategy), percent(figures.edge, 5), percent(figures.of_all_risked, 5),
                percent(figures.hits), decimal(figures.deviation, 4), back,
            )
        )  # fmt: skip
    head = ("Wager", "Strategy", "House edge", "Of all risked", "Hit rate", "Deviation", "Long-run return")
    yield from _table(head, rows, left=2)
    yield "<p class=small>House edge, deviation and return are in stakes of the wager; Ante with Play in Antes. Of a"
    yield "progressive bet the edge is as the meters stand; the long-run return is what resets and growth give in time."
    yield "</p>"


def _section(sheet: Sheet, strategies: list[Wager]) -> Iterator[str]:
    first = strategies[0]
    paragraph = escape(f"{sheet.book.id}, {first.paragraph}")
    yield f"<h2>{_title(first)} <span class=small>{paragraph}</span></h2>"
    for wager in strategies:
        if wager.strategy:
            short = _short(wager.strategy)
            yield f"<h3>{capitalized(short)}</h3>"
        found = wager.strategy.partition(": ")[2]
        if wager.advice:
            rows = [(escape(seen), escape(what)) for seen, what in wager.advice]
            yield from _table(("Against", "Strategy found"), rows, left=2)
        elif found:
            yield f"<p>Strategy found: {escape(found)}.</p>"
        if wager is not first and wager.outcomes == first.outcomes:
            yield f"<p>Every count is as under <i>{_short(first.strategy)}</i>.</p>"
            continue
        yield from _outcomes(wager)
        figures = sheet.figures(wager)
        yield f"<p>House edge <b class=big>{percent(figures.edge, 5)}</b> = {figures.edge}; of all risked"
        yield f"{percent(figures.of_all_risked, 5)}; hit rate {percent(figures.hits)}; standard deviation"
        yield f"{decimal(figures.deviation, 4)}.</p>"
        if wager.stake_minor:
            yield from _progressive(sheet, wager)


def _outcomes(wager: Wager) -> Iterator[str]:
    rows = [
        (
            escape(outcome.name.replace("_", " ")),
            escape(outcome.pays),
            f"{outcome.count:,}",
            percent(Fraction(outcome.count, wager.deals), 6),
        )
        for outcome in wager.outcomes
    ]
    foot = ("All deals", "", f"{wager.deals:,}", "100%")
    yield from _table(("Outcome", "Pays", "Deals", "Chance"), rows, left=2, foot=foot)


def _progressive(sheet: Sheet, wager: Wager) -> Iterator[str]:
    currency = sheet.terms.currency
    rows = [
        (
            escape(level.meter),
            escape(say(level.minor, currency)),
            f"{level.hits:,}",
            grouped(level.bets_a_hit, 1),
            percent(level.adds),
            percent(level.each_minor_adds * 10**currency.minor_digits * 1000, 6),
            escape(say(int(level.even_minor), currency)) + (" (above)" if level.is_above_even else ""),
        )
        for level in sheet.meter_figures(wager)
    ]
    thousand = escape(say(1000 * 10**currency.minor_digits, currency))
    each = f"Each {thousand} adds"
    head = ("Meter", "Stands at", "Deals", "Bets a hit", "Adds to the return", each, "Breaks even at")
    bet = say(wager.stake_minor, currency)
    yield from _table(head, rows, caption=f"The meters, for a bet of {bet}")
    run = sheet.long_run(wager)
    most = "at most " if run.at_most else ""
    yield f"<p>In the long run {most}<b>{percent(run.whole)}</b> of the stakes goes back: {percent(run.fixed)} by odds,"
    yield f"{percent(run.seeds)} by resets, {percent(run.growth)} by growth."
    if wager.envy:
        yield f"Each further box in the round adds {percent(wager.envy)} by envy, where neither folds."
    yield "</p>"
    for level in sheet.meter_figures(wager):
        yield _plot(sheet, wager, level.meter)


def _plot(sheet: Sheet, wager: Wager, meter: str) -> str:
    """The return against one meter, with lines at every half stake, at break-even and at the present value."""
    top = plot_top(sheet, wager, meter)
    amounts = [top * place / _POINTS for place in range(_POINTS + 1)]
    returns = [1 + wager.net({**sheet.meters, meter: amount}) for amount in amounts]
    most = max(*returns, Fraction(11, 10))
    floor, currency = _HEIGHT - _BOTTOM, sheet.terms.currency

    def across(amount: Fraction) -> str:
        return decimal(_LEFT + amount / top * (_WIDTH - _LEFT - _RIGHT), 1)

    def up(part: Fraction) -> str:
        return decimal(_TOP + (floor - _TOP) * (1 - part / most), 1)

    def mark(amount: Fraction, colour: str, said: str) -> str:
        place = across(amount)
        anchor = "end" if amount * 2 > top else "start"
        shift = -5 if amount * 2 > top else 5
        return (
            f'<path d="M{place} {_TOP}V{floor}" stroke="{colour}" stroke-dasharray="3 3"/>'
            f'<text x="{place}" y="{_TOP - 6}" dx="{shift}" text-anchor="{anchor}">{escape(said)}</text>'
        )

    lines = []
    half = Fraction(1, 2) if most <= 4 else Fraction(int(most) // 4 + 1)
    part = Fraction(0)
    while part <= most:
        colour = "#b42318" if part == 1 else "#d9dee3"
        lines.append(f'<path d="M{_LEFT} {up(part)}H{_WIDTH - _RIGHT}" stroke="{colour}"/>')
        lines.append(f'<text x="{_LEFT - 6}" y="{up(part)}" dy="4" text-anchor="end">{percent(part, 0)}</text>')
        part += half
    if half > 1:
        lines.append(f'<path d="M{_LEFT} {up(Fraction(1))}H{_WIDTH - _RIGHT}" stroke="#b42318"/>')
    curve = " ".join(f"{across(amount)},{up(part)}" for amount, part in zip(amounts, returns, strict=True))
    lines.append(mark(Fraction(sheet.meters[meter]), "#57606a", f"now {say(sheet.meters[meter], currency)}"))
    even = break_even(wager, meter, sheet.meters)
    if even:
        lines.append(mark(even, "#b42318", f"even at {say(int(even), currency)}"))
    ends = ((amounts[0], "start"), (amounts[-1], "end"))
    for amount, anchor in ends:
        text = escape(say(int(amount), currency))
        lines.append(f'<text x="{across(amount)}" y="{_HEIGHT - 10}" text-anchor="{anchor}">{text}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) // 2
    axis = escape(f"meter {meter}")
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Return against the {axis}">{"".join(lines)}'
        f'<text x="{middle}" y="{_HEIGHT - 10}" text-anchor="middle">return against the {axis}</text>'
        f'<polyline points="{curve}" fill="none" stroke="#0b5fae" stroke-width="2.5"/></svg>'
    )


def _forfeited(sheet: Sheet, forfeiture: Forfeiture) -> Iterator[str]:
    currency = sheet.terms.currency
    ante = escape(say(forfeiture.ante_minor, currency))
    yield "<h2>A fold forfeits the progressive bet</h2>"
    yield f"<p>That costs <b>{percent(forfeiture.cost_beside_the_ante)}</b> of the bet where the Ante alone decides,"
    yield f"and <b>{percent(forfeiture.cost_at_best)}</b> where the player decides for both bets, at an Ante of {ante}"
    yield "and the meters as they stand. The best strategy for both changes with the meter. From each of these values"
    yield "to the next the coefficients hold: the progressive bet returns its fixed part and its share of the meter."
    yield "</p>"
    deals = next(wager.deals for wager in sheet.wagers if wager.stake_minor)
    rows = [
        (
            escape(piece.meter), escape(say(int(piece.from_minor), currency)), f"{piece.folded:,}",
            percent(Fraction(piece.folded, deals)), percent(piece.ante_edge, 5), percent(piece.fixed, 5),
            grouped(1 / piece.share, 1) if piece.share else "never",
        )
        for piece in forfeiture.pieces
    ]  # fmt: skip
    head = ("Meter", "From", "Deals folded", "Of all", "Ante edge", "Fixed part", "Bets to win it whole once")
    yield from _table(head, rows)
    if not forfeiture.turns:
        return
    turned = [
        (escape(say(int(value), currency)), _hands(list(group)))
        for (_, value), group in groupby(forfeiture.turns, key=lambda turn: (turn.meter, turn.meter_minor))
    ]
    yield from _table(("From", "Hands that are then played"), turned, left=2)


def _hands(turns: Sequence[Turn]) -> str:
    return escape("; ".join(hand_and_card(turn) for turn in turns) + " and the like in suits that pay alike")


def _exceptions(wager: Wager) -> Iterator[str]:
    yield f"<h2>Exceptions to the strategy: {_title(wager)}, {_short(wager.strategy)}</h2>"
    yield "<p class=small>One of each kind of hand, which stands for those in other suits that look alike.</p>"
    yield "<div class=columns>"
    for exception in wager.exceptions:
        yield f"<div>{escape(exception)}</div>"
    yield "</div>"
