"""The odds of one table as a page that a laboratory can print: the configuration's digest, every count, the strategy
found and the return against the meters. One file, nothing from outside."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from html import escape

from felt.nouns.money import say
from felt.odds.exact import Wager, decimal, percent, square_root
from felt.odds.progressive import break_even, levels
from felt.odds.telling import Sheet
from felt.rules.rulebook import readings_in_force

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1b1f23; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .6rem; border-bottom: 1px solid #d9dee3; text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; } tfoot td { font-weight: 600; border-top: 2px solid #8a939b; }
.figures { margin: .5rem 0 0; } .figures b { font-size: 1.15rem; } .small { color: #57606a; font-size: .88rem; }
svg { width: 100%; height: auto; margin-top: .8rem; } section { break-inside: avoid-page; }
@media print { body { margin: 0; max-width: none; font-size: 11px; } h2 { break-after: avoid; } }
"""
_PLOT_WIDTH, _PLOT_HEIGHT, _LEFT, _BOTTOM = 720, 240, 56, 28
_POINTS = 48


def page(sheet: Sheet, digest: str, source: str) -> str:
    body = "\n".join(_body(sheet, digest, source))
    title = escape(f"Odds: {sheet.book.title}")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _body(sheet: Sheet, digest: str, source: str) -> Iterator[str]:
    yield f"<h1>{escape(sheet.book.title)}</h1>"
    told = f"Version {sheet.book.version}; {source}; configuration {digest}."
    yield f"<p class=small>{escape(told)}</p>"
    yield "<p>Every deal was counted. Counts are whole numbers and edges exact fractions; percentages are rounded.</p>"
    yield from _summary(sheet)
    for wager in sheet.wagers:
        yield from _section(sheet, wager)
    yield from _turns(sheet)
    yield "<h2>Readings in force</h2>"
    yield "<table><tbody>"
    for name, value in readings_in_force(sheet.book, sheet.terms).items():
        yield f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>"
    yield "</tbody></table>"


def _title(wager: Wager) -> str:
    return escape(f"{wager.name.replace('_', ' ').capitalize()} {wager.pay_table}".strip())


def _summary(sheet: Sheet) -> Iterator[str]:
    yield "<h2>Summary</h2>"
    yield "<table><thead><tr><th>Wager</th><th>Strategy</th><th class=number>House edge</th>"
    yield "<th class=number>Of all risked</th><th class=number>Hit rate</th><th class=number>Deviation</th></tr>"
    yield "</thead><tbody>"
    for wager in sheet.wagers:
        edge = wager.house_edge(sheet.meters)
        cells = (
            percent(edge), percent(edge / wager.risk()), percent(wager.hit_rate(sheet.meters)),
            decimal(square_root(wager.variance(sheet.meters), 8), 4),
        )  # fmt: skip
        numbers = "".join(f"<td class=number>{cell}</td>" for cell in cells)
        yield f"<tr><td>{_title(wager)}</td><td>{escape(wager.strategy)}</td>{numbers}</tr>"
    yield "</tbody></table>"


def _section(sheet: Sheet, wager: Wager) -> Iterator[str]:
    yield "<section>"
    yield f"<h2>{_title(wager)} <span class=small>{escape(wager.paragraph)}</span></h2>"
    if wager.strategy:
        yield f"<p>Strategy: {escape(wager.strategy)}.</p>"
    yield "<table><thead><tr><th>Outcome</th><th>Pays</th><th class=number>Count</th><th class=number>Chance</th></tr>"
    yield "</thead><tbody>"
    for outcome in wager.outcomes:
        chance = percent(Fraction(outcome.count, wager.deals))
        name = escape(outcome.name.replace("_", " "))
        yield f"<tr><td>{name}</td><td>{escape(outcome.pays)}</td>"
        yield f"<td class=number>{outcome.count:,}</td><td class=number>{chance}</td></tr>"
    yield f"</tbody><tfoot><tr><td colspan=2>All deals</td><td class=number>{wager.deals:,}</td><td></td></tr>"
    yield "</tfoot></table>"
    edge = wager.house_edge(sheet.meters)
    yield f"<p class=figures>House edge <b>{percent(edge)}</b> = {edge}.</p>"
    if wager.stake_minor:
        yield from _progressive(sheet, wager)
    yield "</section>"


def _progressive(sheet: Sheet, wager: Wager) -> Iterator[str]:
    currency = sheet.terms.currency
    run = sheet.long_run(wager)
    bet = escape(say(wager.stake_minor, currency))
    most = "at most " if run.at_most else ""
    yield f"<p>For a bet of {bet}. In the long run {most}{percent(run.whole, 2)} goes back:"
    yield f"{percent(run.fixed, 2)} by odds, {percent(run.seeds, 2)} by resets, {percent(run.growth, 2)} by growth."
    if wager.envy:
        yield f"Each further box adds {percent(wager.envy)} by envy."
    yield "</p>"
    for level in levels(wager):
        even = break_even(wager, level.meter, sheet.meters)
        stands = say(sheet.meters[level.meter], currency)
        told = "never breaks even" if even is None else f"breaks even at {say(int(even), currency)}"
        yield f"<p>Meter {escape(level.meter)} at {escape(stands)}: one hit in {decimal(level.bets_a_hit, 1)} bets;"
        yield f"{escape(told)}.</p>"
        yield _plot(sheet, wager, level.meter, even)


def _plot(sheet: Sheet, wager: Wager, meter: str, even: Fraction | None) -> str:
    """The return against one meter, with a line at 100% and one where the meter stands."""
    top = max(Fraction(sheet.meters[meter]) * 2, (even or Fraction(0)) * Fraction(3, 2), Fraction(1))
    amounts = [top * place / _POINTS for place in range(_POINTS + 1)]
    returns = [1 + wager.net({**sheet.meters, meter: amount}) for amount in amounts]
    most = max(*returns, Fraction(11, 10))
    floor = _PLOT_HEIGHT - _BOTTOM

    def across(amount: Fraction) -> str:
        return decimal(_LEFT + amount / top * (_PLOT_WIDTH - _LEFT - 8), 1)

    def up(part: Fraction) -> str:
        return decimal(floor * (1 - part / most), 1)

    curve = " ".join(f"{across(amount)},{up(part)}" for amount, part in zip(amounts, returns, strict=True))
    even_line, now = up(Fraction(1)), across(Fraction(sheet.meters[meter]))
    least, greatest = (escape(say(int(amount), sheet.terms.currency)) for amount in (amounts[0], amounts[-1]))
    return "".join(
        (
            f'<svg viewBox="0 0 {_PLOT_WIDTH} {_PLOT_HEIGHT}" role="img" ',
            f'aria-label="Return against the meter {escape(meter)}">',
            f'<path d="M{_LEFT} {even_line}H{_PLOT_WIDTH}" stroke="#b42318" stroke-dasharray="5 4"/>',
            f'<path d="M{now} 0V{floor}" stroke="#8a939b" stroke-dasharray="2 3"/>',
            f'<path d="M{_LEFT} {floor}H{_PLOT_WIDTH}" stroke="#57606a"/>',
            f'<polyline points="{curve}" fill="none" stroke="#0b5fae" stroke-width="2.5"/>',
            f'<text x="4" y="{even_line}" font-size="12" dy="4">100%</text>',
            f'<text x="{_LEFT}" y="{_PLOT_HEIGHT - 8}" font-size="12">{least}</text>',
            f'<text x="{_PLOT_WIDTH - 4}" y="{_PLOT_HEIGHT - 8}" font-size="12" text-anchor="end">{greatest}</text>',
            "</svg>",
        )
    )


def _turns(sheet: Sheet) -> Iterator[str]:
    if not sheet.turns:
        return
    ante = say(sheet.ante_minor, sheet.terms.currency)
    yield "<h2>Where the strategy changes</h2>"
    yield "<p>A fold forfeits the progressive bet."
    yield f"With an Ante of {escape(ante)} these hands are played once the meter has reached:</p>"
    yield "<table><tbody>"
    for turn, hand in sheet.turns:
        amount = say(int(turn.meter_minor), sheet.terms.currency)
        yield f"<tr><td>{escape(hand)} and its like</td><td class=number>{escape(amount)}</td></tr>"
    yield "</tbody></table>"
