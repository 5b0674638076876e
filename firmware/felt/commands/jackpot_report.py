"""A report of the meters on paper: as text, as rows for a spreadsheet, as JSON or as a page to print. It shows the
books; amounts are exact to the last millionth of a cent."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime
from typing import Any

from felt.commands.paper import Paper, Section, as_page, as_rows, as_text, money
from felt.commands.paper import when as time_of
from felt.commands.report_period import add_period_arguments, period_of
from felt.config.jackpot_file import JackpotConfig
from felt.jackpot.books.standing import Hit
from felt.jackpot.controller.reports import Flow, Line, ShiftReport, report_of
from felt.nouns.money import MICRO_PER_MINOR
from felt.nouns.values import Value, fields_of, parts_of, to_plain

_COUNTS = ("wagers", "hits")  # everything else is money


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shown = parser.add_argument_group("report")
    add_period_arguments(shown)
    shown.add_argument("--csv", action="store_true", help="rows for a spreadsheet")
    shown.add_argument("--html", action="store_true", help="a page to print")


def report(config: JackpotConfig, arguments: argparse.Namespace) -> int:
    from felt.jackpot.ledger.audit import standing_in
    from felt.jackpot.ledger.reading import open_for_reading

    period = period_of(config.reports.shifts, arguments, datetime.now().astimezone())
    ledger = open_for_reading(config.ledger_place())
    try:
        standing = standing_in(ledger, config.procedure_terms())
        made = report_of(ledger, standing, period)
    finally:
        ledger.close()
    sys.stdout.write(_written(made, arguments, config.controller.minor_digits))
    for problem in made.problems:
        print(f"felt jackpot: DOES NOT ADD UP: {problem}", file=sys.stderr)
    return 1 if made.problems else 0


def _written(made: ShiftReport, arguments: argparse.Namespace, minor_digits: int) -> str:
    if arguments.json:
        return json.dumps(as_plain(made)) + "\n"
    write = as_rows if arguments.csv else as_page if arguments.html else as_text
    return write(sheet_of(made, minor_digits))


class _Amounts(Value):
    """How this controller's currency writes them."""

    minor_digits: int

    def micro(self, amount: int) -> str:
        return money(amount, self.minor_digits)

    def minor(self, amount: int) -> str:
        return money(amount * MICRO_PER_MINOR, self.minor_digits)

    def field(self, name: str, value: int) -> str:
        if name in _COUNTS:
            return str(value)
        return self.minor(value) if name.endswith("_minor") else self.micro(value)


def sections(made: ShiftReport, amounts: _Amounts) -> list[Section]:
    """The whole report as tables, whatever they are written on."""
    found: list[Section] = []
    for page in made.meters:
        purses = [
            [name.removesuffix("_minor"), amounts.field(name, before), amounts.field(name, after)]
            for (name, before), after in zip(
                parts_of(page.opening).items(), parts_of(page.closing).values(), strict=True
            )
        ]
        held = ["held in all", amounts.micro(page.opening.held()), amounts.micro(page.closing.held())]
        found.append((f"Meter {page.name}", ["account", "opening", "closing"], [*purses, held]))
        flows = {**page.tables, "all": page.flow}
        found.append(
            (f"Meter {page.name} by table", ["table", *map(_title, fields_of(Flow))], _flow_rows(flows, amounts))
        )
    found.append(("Claims", _LINE_COLUMNS, [_line_row(line, amounts) for line in made.claims]))
    waiting = [
        [open_claim.table, str(open_claim.round), open_claim.claim, open_claim.meter] for open_claim in made.open_claims
    ]
    found.append(("Claims open now", ["table", "round", "claim", "meter"], waiting))
    found.append(("What persons did", _LINE_COLUMNS, [_line_row(line, amounts) for line in made.acts]))
    found.append(("Alarms and alerts", _LINE_COLUMNS, [_line_row(line, amounts) for line in made.alarms]))
    found.append(("Last hits, as of now", _HIT_COLUMNS, [_hit_row(hit, amounts) for hit in made.last_hits]))
    return found


_HIT_COLUMNS = ["meter", "hit", "when", "table", "round", "claim", "seat", "rank", "cards", "dealer", "shoe",
                "value", "award", "confirmed by", "bets of the round", "late"]  # fmt: skip


def _hit_row(hit: Hit, amounts: _Amounts) -> list[str]:
    return [
        hit.meter, str(hit.number), time_of(hit.at_wall_ns), hit.table, str(hit.round), hit.claim, str(hit.seat),
        hit.rank, " ".join(hit.cards), hit.dealer, hit.shoe, amounts.micro(hit.value_micro),
        amounts.minor(hit.award_minor), hit.confirmed_by, amounts.minor(hit.bets_minor), "late" if hit.late else "",
    ]  # fmt: skip


_LINE_COLUMNS = ["when", "what", "meter", "table", "round", "claim", "amount", "persons", "detail"]


def _title(name: str) -> str:
    return name.removesuffix("_minor")


def _flow_rows(flows: dict[str, Flow], amounts: _Amounts) -> list[list[str]]:
    return [
        [table, *(amounts.field(name, value) for name, value in parts_of(flow).items())]
        for table, flow in flows.items()
    ]


def _line_row(line: Line, amounts: _Amounts) -> list[str]:
    amount = amounts.micro(line.amount) if line.amount else ""
    number = str(line.round or "")
    return [time_of(line.written_ns), line.code, line.meter, line.table, number, line.claim, amount, line.persons,
            line.detail]  # fmt: skip


def _verdict(made: ShiftReport) -> str:
    return "Everything adds up." if not made.problems else "DOES NOT ADD UP: " + " ".join(made.problems)


def _heading(made: ShiftReport) -> str:
    return f"Jackpot report from {time_of(made.period.from_ns)} until {time_of(made.period.until_ns)}"


def sheet_of(made: ShiftReport, minor_digits: int) -> Paper:
    return Paper(_heading(made), _verdict(made), sections(made, _Amounts(minor_digits)))


def as_plain(made: ShiftReport) -> dict[str, Any]:
    """Whole numbers: micro-units of a minor unit, except where a name says otherwise."""
    return {
        "from_ns": made.period.from_ns,
        "until_ns": made.period.until_ns,
        "adds_up": not made.problems,
        "problems": list(made.problems),
        "meters": {
            page.name: {
                "opening": to_plain(page.opening),
                "flow": to_plain(page.flow),
                "closing": to_plain(page.closing),
                "tables": {table: to_plain(flow) for table, flow in page.tables.items()},
            }
            for page in made.meters
        },
        "claims": [to_plain(line) for line in made.claims],
        "open_claims": [[claim.table, claim.round, claim.claim, claim.meter] for claim in made.open_claims],
        "acts": [to_plain(line) for line in made.acts],
        "alarms": [to_plain(line) for line in made.alarms],
        "last_hits": [to_plain(hit) for hit in made.last_hits],
    }
