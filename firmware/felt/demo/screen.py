"""Draws the table as text. A pure function of table and meters. Cards appear only if the room may see them. On a
small terminal the least important parts are left out first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from felt.demo.legend import say_key, with_letter
from felt.demo.settlement import WIDTH, box_rows, in_full, short
from felt.nouns.ids import kind_of, seat_of
from felt.nouns.money import Currency, minor_of, say
from felt.nouns.values import Value
from felt.table import lock, settle, views
from felt.table.settings import Settings
from felt.table.state import Notice, SpotState, Table

CELL_MAX = 9
BOUND = "\0"  # a space that never breaks a line

# A word and a mark for each pattern, so lamps can be read without colour.
_MARKS = {
    "off": ".",
    "invite": "( )",
    "seen": "(o)",
    "accepted": "[O]",
    "late": "!L!",
    "removed": "!R!",
    "winner": "*W*",
    "out_of_service": "x",
    "fault": "?F?",
}


class Wanted(Value):
    """What is shown beside the table, and how much room there is."""

    rows: int | None = None  # None: as many as needed
    hint: str = ""  # what the keyboard would do now
    said: str = ""  # the keyboard's message
    legend: str = ""  # the last line
    letters: bool = False  # keys are shown with their letters
    notices: tuple[Notice, ...] = ()


class Screenful(Value):
    top: list[str]
    notices: list[str]
    last_notice: list[str]
    coins: list[str]
    chips: list[str]
    boxes: list[str]
    full: list[str]
    legend: list[str]
    settled: bool


def draw(table: Table, meters: Mapping[str, int], wanted: Wanted) -> list[str]:
    settings = table.settings
    if settings is None:
        return ["starting"]
    currency = settings.terms.currency
    shown = table.round or table.previous
    label, cell = _columns(table, settings)
    notices = _notices(wanted)
    picture = Screenful(
        top=top(table, meters, wanted),
        notices=[row for notice in notices for row in notice],
        last_notice=notices[-1] if notices else [],
        coins=[_row("box", label, cell, map(str, range(1, settings.seats + 1))), *_coin_row(table, label, cell)],
        chips=_chip_rows(table, label, cell, currency),
        boxes=box_rows(shown, currency) if shown is not None and (table.round or shown.lines) else [],
        full=in_full(shown, currency),
        legend=[wanted.legend] if wanted.legend else [],
        settled=shown is not None and bool(shown.lines),
    )
    return next(lines for lines in _tries(picture, wanted.rows) if wanted.rows is None or len(lines) <= wanted.rows)


def top(table: Table, meters: Mapping[str, int], wanted: Wanted) -> list[str]:
    """The part that stays on the screen on every page."""
    settings = table.settings
    assert settings is not None
    signs = "   ".join(f"{name} {say(minor_of(micro), settings.terms.currency)}" for name, micro in meters.items())
    number = table.round.number if table.round else table.tally.rounds
    keys = map(with_letter if wanted.letters else say_key, views.keys_lit(table))
    hint = f" ({wanted.hint})" if wanted.hint else ""
    return [
        *_head(f"{settings.game}   table {settings.table_id}", signs),
        "-" * WIDTH,
        f"round {number:<6} {table.phase:<12} {_say_count(table)}".rstrip(),
        *textwrap.wrap(f"> {views.prompt(table)}{hint}", WIDTH, subsequent_indent="  "),
        *_wrapped_whole(f"keys: {' | '.join(key.replace(' ', BOUND) for key in keys) or '-'}"),
        *([f"  boxes: {say_key(table.panel.mode)}"] if table.panel.mode else []),
    ]


def _tries(picture: Screenful, rows: int | None) -> Iterator[list[str]]:
    """The same picture, with less content each time."""
    top, notices, coins, chips, boxes = picture.top, picture.notices, picture.coins, picture.chips, picture.boxes
    legend, last_notice = picture.legend, picture.last_notice
    spaced = [*top, *notices, "", *coins, *chips, *_below(boxes)]
    yield [*spaced, *_below(picture.full), *_below(legend)]
    yield [*spaced, *_below(legend)]
    yield [*top, *notices, *coins, *chips, *boxes, *legend]
    if picture.settled:  # payments matter more than the position of chips
        chips = []
    yield [*top, *notices, *coins, *chips, *boxes, *legend]
    yield [*top, *last_notice, *coins, *chips, *boxes, *legend]
    boxes = _one_line_a_box(boxes)
    yield [*top, *last_notice, *coins, *chips, *boxes, *legend]
    yield [*top, *coins, *chips, *boxes, *legend]
    yield [*top, *coins, *boxes, *legend]
    most = (rows or 0) - len(legend)
    yield [*[*top, *coins, *boxes][: max(0, most)], *legend][: rows or 0]


def _below(lines: list[str]) -> list[str]:
    return ["", *lines] if lines else []


def _one_line_a_box(rows: list[str]) -> list[str]:
    cut: list[str] = []
    for row in rows:
        if not row.startswith(" "):
            cut.append(row)
        elif not cut[-1].endswith("…"):
            cut[-1] += " …"
    return cut


def _head(name: str, signs: str) -> list[str]:
    """One line if it fits, with the meters on the right; otherwise the meters get their own line."""
    if len(name) + 2 + len(signs) <= WIDTH:
        return [name.ljust(WIDTH - len(signs)) + signs]
    return [name, signs.rjust(WIDTH)]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")


def _wrapped_whole(text: str) -> list[str]:
    return [row.replace(BOUND, " ") for row in _wrapped(text)]


def _notices(wanted: Wanted) -> list[list[str]]:
    told = [_wrapped(f"{notice.kind}: {notice.sentence}") for notice in wanted.notices]
    return [*told, _wrapped(f"demo: {wanted.said}")] if wanted.said else told


def _say_count(table: Table) -> str:
    if table.round is None or not table.round.drained:
        return ""
    return f"progressive bets accepted: {views.accepted_count(table)}"


# --- the felt ------------------------------------------------------------------------------------------


def _columns(table: Table, settings: Settings) -> tuple[int, int]:
    """The width of the names, which are needed whole to key a bet, and of each box."""
    label = max(12, *(len(kind_of(spot.spot)) + 1 for spot in table.spots)) if table.spots else 12
    return label, min(CELL_MAX, (WIDTH - label) // settings.seats)


def _row(name: str, label: int, cell: int, marks: Iterator[str]) -> str:
    return (f"{name:<{label}}" + "".join(mark.center(cell) for mark in marks)).rstrip()


def _coin_row(table: Table, label: int, cell: int) -> list[str]:
    coin, spots = settle.coin_spots(table)
    if coin is None:
        return []
    lamps = views.lamps(table)
    return [_row("coin spot", label, cell, (_MARKS.get(lamps[spot.spot], "?") for spot in spots))]


def _chip_rows(table: Table, label: int, cell: int, currency: Currency) -> list[str]:
    rows: dict[str, dict[int, str]] = {}
    for spot in table.spots:
        rows.setdefault(kind_of(spot.spot), {})[seat_of(spot.spot)] = _say_chip(table, spot, cell, currency)
    return [_row(kind, label, cell, iter(marks.values())) for kind, marks in rows.items()]


def _say_chip(table: Table, spot: SpotState, cell: int, currency: Currency) -> str:
    """A chip or a keyed bet, with its worth if that is known and fits."""
    if not lock.lies(table, spot):
        return "."
    worth = "" if spot.amount_minor is None else short(spot.amount_minor, currency)
    return worth if 0 < len(worth) < cell else "o"
