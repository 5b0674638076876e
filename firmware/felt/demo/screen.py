"""The table as text. A pure function of the table and the meters; cards only when the room may see them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from felt.nouns.ids import kind_of, seat_of
from felt.nouns.money import Currency, minor_of, say
from felt.rules.rulebook import Line
from felt.table import redacted, settle, views
from felt.table.state import Round, Table

WIDTH = 78

# A word and a mark for each pattern, so that a lamp can be read without colour.
_MARKS = {
    "off": "  .  ",
    "invite": " ( ) ",
    "seen": " (o) ",
    "accepted": " [O] ",
    "late": " !L! ",
    "removed": " !R! ",
    "winner": " *W* ",
    "out_of_service": "  x  ",
    "fault": " ?F? ",
}


def draw(table: Table, meters: Mapping[str, int], below: Sequence[str] = (), hint: str = "") -> list[str]:
    """What matters most stands on top: a small terminal cuts the end. `below` comes before the verdicts."""
    settings = table.settings
    if settings is None:
        return ["starting"]
    currency = settings.terms.currency
    signs = "   ".join(f"{name} {say(minor_of(micro), currency)}" for name, micro in meters.items())
    number = table.round.number if table.round else table.tally.rounds
    return [
        *_head(f"{settings.game}   table {settings.table_id}", signs),
        "-" * WIDTH,
        f"round {number:<6} {table.phase:<12} {_say_count(table)}",
        *textwrap.wrap(f"> {views.prompt(table)}" + (f" ({hint})" if hint else ""), WIDTH, subsequent_indent="  "),
        *_wrapped(f"keys: {' | '.join(map(_say_key, views.keys_lit(table))) or '-'}"),
        *([f"  boxes: {_say_key(table.panel.mode)}"] if table.panel.mode else []),
        *(row for notice in table.panel.notices[-2:] for row in _wrapped(f"{notice.kind}: {notice.sentence}")),
        "",
        "box         " + "".join(f"  {seat}  " for seat in range(1, settings.seats + 1)),
        *_coin_row(table),
        *_chip_rows(table),
        *_hand_rows(table),
        *below,
        *_verdicts(table, currency),
    ]


def _head(name: str, signs: str) -> list[str]:
    """On one line if it fits, with the meters on the right; else the meters have a line of their own."""
    if len(name) + 2 + len(signs) <= WIDTH:
        return [name.ljust(WIDTH - len(signs)) + signs]
    return [name, signs.rjust(WIDTH)]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")


def _say_key(name: str) -> str:
    return name.upper().replace("_", " ")


def _say_count(table: Table) -> str:
    if table.round is None or not table.round.drained:
        return ""
    return f"progressive bets accepted: {views.accepted_count(table)}"


def _coin_row(table: Table) -> list[str]:
    coin, spots = settle.coin_spots(table)
    if coin is None:
        return []
    lamps = views.lamps(table)
    return ["coin spot   " + "".join(_MARKS.get(lamps[spot.spot], "  ?  ") for spot in spots)]


def _chip_rows(table: Table) -> list[str]:
    rows: dict[str, dict[int, str]] = {}
    for spot in table.spots:
        rows.setdefault(kind_of(spot.spot), {})[seat_of(spot.spot)] = "  o  " if spot.present else "  .  "
    return [f"{kind[:11]:<12}" + "".join(marks.values()) for kind, marks in rows.items()]


def _hand_rows(table: Table) -> list[str]:
    playing = table.round
    if playing is None or not playing.plan:
        return []
    decided = {one.seat: one.choice for one in playing.decisions}
    rows = [""]
    for hand in views.hands(table):
        cards = " ".join(hand.cards) if hand.cards else " ".join("##" for _ in range(hand.dealt))
        who = f"box {hand.target}" if hand.target.isdigit() else hand.target
        choice = decided.get(int(hand.target), "") if hand.target.isdigit() else ""
        rows.append(f"{who:<12}{cards:<10}{choice}")
    return rows


def _verdicts(table: Table, currency: Currency) -> list[str]:
    ended = table.round or table.previous
    if ended is None or not ended.lines:
        return []
    lines = [row for line in redacted.lines_of(ended) for row in say_line(line, currency)]
    return ["", f"verdict of round {ended.number}{_say_void(ended)}:", *lines]


def _say_void(ended: Round) -> str:
    return f" (void by {ended.void_rule})" if ended.void_rule else ""


def say_line(line: Line, currency: Currency) -> list[str]:
    """The reason stands beside the verdict where it fits, and below it where it does not."""
    stake = "" if not line.stake else say(line.stake, currency)
    if line.paid:
        result = f"+{say(line.paid, currency)}"
    elif line.paid is None:
        result = line.odds
    else:
        result = f"-{say(line.lost, currency)}" if line.lost else ""
    text = f"  box {line.seat} {line.bet:<12} {stake:>9} {line.outcome:<8} {result:<12} {line.rule:<7}"
    if len(text) + 1 + len(line.because) <= WIDTH:
        return [f"{text} {line.because}".rstrip()]
    return [text.rstrip(), *textwrap.wrap(line.because, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)]
