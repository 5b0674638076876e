"""A report of the meters on paper: as text, as rows for a spreadsheet, as JSON or as a page to print. It says what the
books say; amounts are exact to the last millionth of a cent."""

from __future__ import annotations

import argparse
import csv
import html
import io
import json
import sys
import textwrap
from datetime import date, datetime, time, timedelta
from typing import Any

from felt.config.errors import ConfigError
from felt.config.jackpot_file import JackpotConfig
from felt.jackpot.reports import Flow, HitRecord, Line, Period, Purses, ShiftReport, report_of
from felt.nouns.money import MICRO_PER_MINOR
from felt.nouns.stamps import NS_PER_S

NOW = "now"
MINOR_DIGITS = 2
WIDTH = 80
_COUNTS = ("wagers", "hits")  # everything else is money


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shown = parser.add_argument_group("report")
    shown.add_argument("--shift", nargs="?", const=NOW, metavar="DAY/NUMBER", help="a shift, as 2026-11-16/2; or this")
    shown.add_argument("--day", nargs="?", const=NOW, metavar="DAY", help="a day, as 2026-11-16; or this one")
    shown.add_argument("--from", dest="since", metavar="TIME", help="from then, as 2026-11-16T06:00")
    shown.add_argument("--csv", action="store_true", help="rows for a spreadsheet")
    shown.add_argument("--html", action="store_true", help="a page to print")


def report(config: JackpotConfig, arguments: argparse.Namespace) -> int:
    from felt.jackpot.audit import standing_in
    from felt.jackpot.reading import open_for_reading

    period = period_of(config, arguments, datetime.now().astimezone())
    ledger = open_for_reading(config.ledger_place())
    try:
        standing = standing_in(ledger, config.procedure_terms())
        made = report_of(ledger.dated_entries(), ledger.letters(), standing, period)
    finally:
        ledger.close()
    sys.stdout.write(_written(made, arguments))
    for problem in made.problems:
        print(f"felt jackpot: DOES NOT ADD UP: {problem}", file=sys.stderr)
    return 1 if made.problems else 0


def _written(made: ShiftReport, arguments: argparse.Namespace) -> str:
    if arguments.json:
        return json.dumps(as_plain(made)) + "\n"
    if arguments.csv:
        return as_rows(made)
    return as_page(made) if arguments.html else as_text(made)


# --- which stretch of the books ------------------------------------------------------------------------


def period_of(config: JackpotConfig, arguments: argparse.Namespace, now: datetime) -> Period:
    """By the clock on this host's wall; a day begins with its first shift."""
    chosen = [bool(arguments.shift), bool(arguments.day), bool(arguments.since or arguments.to)]
    if sum(chosen) != 1:
        raise ConfigError("felt jackpot report", "", "one stretch is reported", "say --shift, --day or --from and --to")
    begins = [time.fromisoformat(text) for text in config.reports.shifts]
    if arguments.shift:
        return _shift(arguments.shift, begins, now)
    if arguments.day:
        day = _day_of(begins, now) if arguments.day == NOW else _read_day(arguments.day)
        return _between(_at(day, begins[0]), _at(day + timedelta(days=1), begins[0]))
    until = _read_time(arguments.to) if arguments.to else now
    if not arguments.since or _read_time(arguments.since) >= until:
        raise ConfigError("--from", "", "it is missing or not before --to", "name an earlier time, 2026-11-16T06:00")
    return _between(_read_time(arguments.since), until)


def _shift(text: str, begins: list[time], now: datetime) -> Period:
    if text == NOW:
        day = _day_of(begins, now)
        number = sum(1 for place in range(len(begins)) if _begin(day, begins, place) <= now)
    else:
        day_text, _, number_text = text.partition("/")
        day, number = _read_day(day_text), int(number_text) if number_text.isdecimal() else 0
    if not 1 <= number <= len(begins):
        raise ConfigError("--shift", "", f"{text} is no shift", f"write a day and a number up to {len(begins)}")
    return _between(_begin(day, begins, number - 1), _begin(day, begins, number))


def _begin(day: date, begins: list[time], place: int) -> datetime:
    """Of a day's shift; shifts after midnight are the same day's, and the last one ends where the next day begins."""
    if place == len(begins):
        return _at(day + timedelta(days=1), begins[0])
    return _at(day + timedelta(days=1 if begins[place] < begins[0] else 0), begins[place])


def _day_of(begins: list[time], now: datetime) -> date:
    return now.date() if now >= _at(now.date(), begins[0]) else now.date() - timedelta(days=1)


def _at(day: date, moment: time) -> datetime:
    return datetime.combine(day, moment).astimezone()


def _between(since: datetime, until: datetime) -> Period:
    return Period(int(since.timestamp()) * NS_PER_S, int(until.timestamp()) * NS_PER_S)


def _read_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ConfigError("--day or --shift", "", f"{text!r} is no day", "write it as 2026-11-16") from None


def _read_time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise ConfigError("--from or --to", "", f"{text!r} is no time", "write it as 2026-11-16T06:00") from None


# --- on paper ------------------------------------------------------------------------------------------


def money(micro: int) -> str:
    """Exact: whole units, cents, and what there is beyond the cents."""
    whole, part = divmod(abs(micro), MICRO_PER_MINOR * 10**MINOR_DIGITS)
    digits = f"{part:0{MINOR_DIGITS + 6}d}"
    beyond = digits[MINOR_DIGITS:].rstrip("0")
    return f"{'-' if micro < 0 else ''}{whole}.{digits[:MINOR_DIGITS]}{beyond}"


def _said(name: str, value: int) -> str:
    if name in _COUNTS:
        return str(value)
    return money(value * MICRO_PER_MINOR if name.endswith("_minor") else value)


def when(ns: int) -> str:
    return datetime.fromtimestamp(ns // NS_PER_S).astimezone().isoformat(sep=" ") if ns else "before version 3"


Section = tuple[str, list[str], list[list[str]]]  # a heading, the columns, the rows


def sections(made: ShiftReport) -> list[Section]:
    """The whole report as tables, whatever they are written on."""
    found: list[Section] = []
    for page in made.meters:
        purses = [
            [name.removesuffix("_minor"), _said(name, before), _said(name, after)]
            for name, before, after in zip(Purses._fields, page.opening, page.closing, strict=True)
        ]
        held = ["held in all", money(page.opening.held()), money(page.closing.held())]
        found.append((f"Meter {page.name}", ["account", "opening", "closing"], [*purses, held]))
        flows = {**page.tables, "all": page.flow}
        found.append((f"Meter {page.name} by table", ["table", *map(_title, Flow._fields)], _flow_rows(flows)))
    found.append(("Claims", _LINE_COLUMNS, [_line_row(line) for line in made.claims]))
    waiting = [[one.table, str(one.round), one.claim, one.meter] for one in made.open_claims]
    found.append(("Claims open now", ["table", "round", "claim", "meter"], waiting))
    found.append(("What persons did", _LINE_COLUMNS, [_line_row(line) for line in made.acts]))
    found.append(("Alarms and alerts", _LINE_COLUMNS, [_line_row(line) for line in made.alarms]))
    found.append(("Last hits, as of now", _HIT_COLUMNS, [_hit_row(one) for one in made.last_hits]))
    return found


_HIT_COLUMNS = ["meter", "hit", "when", "table", "round", "claim", "seat", "rank", "cards", "value", "award",
                "confirmed by", "bets of the round", "late"]  # fmt: skip


def _hit_row(record: HitRecord) -> list[str]:
    hit = record.hit
    return [
        hit.meter, str(hit.number), when(hit.at_wall_ns), hit.table, str(hit.round), hit.claim, str(record.seat),
        record.rank, " ".join(record.cards), money(hit.value_micro), money(hit.award_minor * MICRO_PER_MINOR),
        record.confirmed_by, money(record.contributions_minor * MICRO_PER_MINOR), "late" if hit.late else "",
    ]  # fmt: skip


_LINE_COLUMNS = ["when", "what", "meter", "table", "round", "claim", "amount", "persons", "detail"]


def _title(name: str) -> str:
    return name.removesuffix("_minor")


def _flow_rows(flows: dict[str, Flow]) -> list[list[str]]:
    return [
        [table, *(_said(name, value) for name, value in zip(Flow._fields, flow, strict=True))]
        for table, flow in flows.items()
    ]


def _line_row(line: Line) -> list[str]:
    in_minor = line.kind.startswith("awarded")
    amount = money(line.amount * (MICRO_PER_MINOR if in_minor else 1)) if line.amount else ""
    number = str(line.round or "")
    return [when(line.written_ns), line.kind, line.meter, line.table, number, line.claim, amount, line.persons,
            line.detail]  # fmt: skip


def _verdict(made: ShiftReport) -> str:
    return "Everything adds up." if not made.problems else "DOES NOT ADD UP: " + " ".join(made.problems)


def _heading(made: ShiftReport) -> str:
    return f"Jackpot report from {when(made.period.from_ns)} until {when(made.period.until_ns)}"


def as_text(made: ShiftReport) -> str:
    lines = [_heading(made), _verdict(made)]
    for heading, columns, rows in sections(made):
        lines += ["", heading, *(_as_lines(columns, rows) if rows else ["  none"])]
    return "\n".join(lines) + "\n"


def _as_lines(columns: list[str], rows: list[list[str]]) -> list[str]:
    """As a table where it fits a page, else row by row."""
    widths = [max(len(row[place]) for row in (columns, *rows)) for place in range(len(columns))]
    if sum(widths) + 2 * len(widths) > WIDTH:
        return [line for row in rows for line in _told_row(columns, row)]
    return ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (columns, *rows)]  # fmt: skip


def _told_row(columns: list[str], row: list[str]) -> list[str]:
    told = [(column, cell) for column, cell in zip(columns, row, strict=True) if cell]
    widest = max(len(column) for column in columns)
    rest = [f"      {column:<{widest}}  {cell}" for column, cell in told[1:]]
    return [f"  {told[0][0]} {told[0][1]}", *(line for long in rest for line in textwrap.wrap(
        long, WIDTH, subsequent_indent=" " * (widest + 8), break_long_words=False))]  # fmt: skip


def as_rows(made: ShiftReport) -> str:
    """Each row begins with its section, so that a spreadsheet can be filtered by it."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([_heading(made), _verdict(made)])
    for heading, columns, rows in sections(made):
        writer.writerow([heading, *columns])
        writer.writerows([[heading, *map(_harmless, row)] for row in rows])
    return written.getvalue()


def _harmless(cell: str) -> str:
    """A spreadsheet takes some words for formulas; those of tables and persons must not become one."""
    return f"'{cell}" if cell[:1] in ("=", "+", "@", "\t") or (cell[:1] == "-" and not cell[1:2].isdecimal()) else cell


def as_page(made: ShiftReport) -> str:
    told = html.escape(_heading(made))
    parts = [
        f"<!doctype html><meta charset=utf-8><title>{told}</title><style>body{{font:14px sans-serif}}"
        "table{border-collapse:collapse;margin-bottom:1em}td,th{border:1px solid #999;padding:2px 6px;text-align:left}"
        f"</style><h1>{told}</h1><p>{html.escape(_verdict(made))}</p>"
    ]
    for heading, columns, rows in sections(made):
        body = "".join(_html_row("td", row) for row in rows) or f"<tr><td colspan={len(columns)}>none</td></tr>"
        parts.append(f"<h2>{html.escape(heading)}</h2><table>{_html_row('th', columns)}{body}</table>")
    return "\n".join(parts) + "\n"


def _html_row(cell: str, row: list[str]) -> str:
    return "<tr>" + "".join(f"<{cell}>{html.escape(text)}</{cell}>" for text in row) + "</tr>"


def as_plain(made: ShiftReport) -> dict[str, Any]:
    """Whole numbers: micro-units of a minor unit, except where a name says otherwise."""
    return {
        "from_ns": made.period.from_ns,
        "until_ns": made.period.until_ns,
        "adds_up": not made.problems,
        "problems": list(made.problems),
        "meters": {
            page.name: {
                "opening": page.opening._asdict(),
                "flow": page.flow._asdict(),
                "closing": page.closing._asdict(),
                "tables": {table: flow._asdict() for table, flow in page.tables.items()},
            }
            for page in made.meters
        },
        "claims": [line._asdict() for line in made.claims],
        "open_claims": [[one.table, one.round, one.claim, one.meter] for one in made.open_claims],
        "acts": [line._asdict() for line in made.acts],
        "alarms": [line._asdict() for line in made.alarms],
        "last_hits": [{**one._asdict(), "hit": one.hit._asdict()} for one in made.last_hits],
    }
