"""`felt report`: a shift or a day of one table on paper, from its journal: as text, as rows for a spreadsheet, or as a
page to print. What nobody knows is said to be unknown."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from datetime import datetime
from itertools import takewhile

from felt.commands.check import add_source_arguments
from felt.commands.failing import one_sentence
from felt.commands.paper import Section, Sheet, as_page, as_rows, as_text, money, when
from felt.commands.report_period import add_period_arguments, period_of
from felt.commands.role import add_role_argument
from felt.config import Config, load
from felt.evidence.changes import SoftwareChange, software_changes
from felt.evidence.retelling import Retelling, Step, before, begun_before
from felt.evidence.table_report import CLOCK_SLACK_NS, Happened, TableReport, report_of
from felt.evidence.wagered import Sum
from felt.jackpot.controller.reports import Period
from felt.journal.reading import beginnings, read_records
from felt.journal.replay import ReplayDiverged
from felt.journal.waypoints import waypoints
from felt.nouns.faults import CATALOGUE
from felt.nouns.money import MICRO_PER_MINOR
from felt.ports import Disk
from felt.wiring.devices import read_only_disk

DESCRIPTION = "A report of a table: rounds, bets, money, jackpots, irregularities, faults, entries, persons' acts."
EPILOG = """examples:
  felt report --config table.toml --day                         today, as text
  felt report --config table.toml --shift 2026-11-16/2          the second shift of that day
  felt report --config table.toml --day 2026-11-15 --as html > report.html
  felt report --config table.toml --as csv \\
      --from 2026-11-16T20:00 --to 2026-11-17T04:00"""
WRITERS = {"text": as_text, "csv": as_rows, "html": as_page}
UNKNOWN = "unknown"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_source_arguments(parser)
    shown = parser.add_argument_group("period (one of)")
    add_period_arguments(shown)
    shown.add_argument("--to", metavar="TIME", help="until then (default: now)")
    parser.add_argument("--as", dest="form", choices=WRITERS, default="text", help="output format")
    add_role_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.config is None:
        print("felt report: no table file: name the one of felt run with --config FILE", file=sys.stderr)
        return 2
    with one_sentence("felt report"):
        config = load(arguments.config, arguments.overrides)
        period = period_of(config.reports.shifts, arguments, datetime.now().astimezone())
        disk = read_only_disk(config.path(config.journal.folder))
        made = _made(disk, period, arguments.role)
        sys.stdout.write(WRITERS[arguments.form](sheet_of(config, disk, made, period)))
        for problem in made.problems:
            print(f"felt report: {problem}", file=sys.stderr)
        return 1 if made.problems else 0
    return 1


def sheet_of(config: Config, disk: Disk, made: TableReport, period: Period) -> Sheet:
    changes = [one for one in software_changes(disk) if period.from_ns <= one.wall_ns < period.until_ns]
    heading = f"Table {config.table.id} from {when(period.from_ns)} until {when(period.until_ns)}"
    return Sheet(heading, _verdict(made), sections(made, changes))


def _made(disk: Disk, period: Period, role: str) -> TableReport:
    """From the last waypoint before the segment in which the period begins, as far as a segment of its time comes."""
    known, problems = waypoints(disk), list[str]()
    first, beyond = _stretch(disk, period)
    begun = begun_before(disk, known, first + 2) or Retelling("", None, known[0].seq if known else 1)
    eras = [one.seq for one in known if one.snapshot is None and begun.next_seq < one.seq < (beyond or one.seq + 1)]
    made = report_of(_steps(disk, begun, [*eras, beyond], problems), period.from_ns, period.until_ns, role)
    made.problems = [*problems, *made.problems]
    return made


def _stretch(disk: Disk, period: Period) -> tuple[int, int | None]:
    """The records to be read: without the segments at either end that all begin before, or all after, the period. One
    in between may have been written while the clock was wrong."""
    segments = [(one.seq, one.wall_ns) for one in beginnings(disk) if one.wall_ns is not None]
    early = list(takewhile(lambda one: one[1] <= period.from_ns, segments))
    late = list(takewhile(lambda one: one[1] >= period.until_ns + CLOCK_SLACK_NS, reversed(segments)))
    return early[-1][0] if early else 0, late[-1][0] if late else None


def _steps(disk: Disk, begun: Retelling, ends: list[int | None], problems: list[str]) -> Iterator[Step]:
    """Era by era: what only the version that wrote it can work out is said, and the rest is counted all the same."""
    for end in ends:
        first = begun.next_seq
        try:
            records = read_records(disk, first)
            yield from begun.steps(records if end is None else before(records, end))
        except ReplayDiverged as error:
            problems.append(f"The records from {first} on are NOT COUNTED: {error}.")
        if end is not None:
            begun = Retelling("", None, end)


def _verdict(made: TableReport) -> str:
    void = len(made.voided)
    unknown = sum(one.handle.unknown for one in made.wagers.values())
    money_said = f" Amounts are in {made.currency}." if made.currency else ""
    missing = f" Bets whose stake is unknown and in no sum: {unknown}." if unknown else ""
    alerts = [fault for fault, person in made.alerts if not person]
    waiting = f" Alerts that nobody has acknowledged: {len(alerts)}." if alerts else ""
    problems = "".join(f" {problem}" for problem in made.problems)
    return f"Rounds settled: {made.settled}, void: {void}.{money_said}{missing}{waiting}{problems}"


def sections(made: TableReport, changes: list[SoftwareChange]) -> list[Section]:
    grown = [[level, money(micro, made.minor_digits)] for level, micro in made.contributed_micro.items()]
    acts = [[when(one.wall_ns), one.person, one.text] for one in made.acts]
    return [
        _rounds(made),
        _voids(made),
        _wagers(made),
        ("Contributions", ["level", "contributed"], grown),
        _jackpots(made),
        _chips(made),
        _irregularities(made),
        _faults(made),
        ("Entries and doors", ["when", "event"], _happened(made.entries)),
        ("What persons did", ["when", "person", "event"], acts),
        ("Starts, stops and the clock", ["when", "event"], _happened(made.starts)),
        ("Software changes", ["when", "from", "to", "digest"], [
            [when(one.wall_ns), one.from_firmware or "installed", one.firmware, one.software[:16]] for one in changes
        ]),
        ("Alerts at the end", ["code", "where", "meaning", "acknowledged by"], [
            [fault.code, fault.where, _meaning(fault.code), person or "NOBODY"] for fault, person in made.alerts
        ]),
    ]  # fmt: skip


def _rounds(made: TableReport) -> Section:
    span = f"{made.numbers[0]} to {made.numbers[-1]}" if made.numbers else ""
    void = ", ".join(str(one.round) for one in made.voided)
    rows = [["settled", str(made.settled), span], ["void", str(len(made.voided)), void]]
    return "Rounds", ["kind", "number", "rounds"], rows


def _voids(made: TableReport) -> Section:
    rows = [[when(one.wall_ns), str(one.round), one.rule, one.reason, one.how] for one in made.voided]
    return "Voids", ["when", "round", "paragraph", "reason", "remark"], rows


def _wagers(made: TableReport) -> Section:
    def row(name: str) -> list[str]:
        one = made.wagers[name]
        hold = one.hold()
        said = UNKNOWN if hold is None else _minor(hold, made)
        sums = (one.handle, one.returned, one.lost, one.paid)
        return [name, str(one.bets), *(_sum(amount, made) for amount in sums), said]

    columns = ["bet", "count", "handle", "returned", "lost", "paid", "hold"]
    return "Bets", columns, [row(name) for name in sorted(made.wagers)]


def _jackpots(made: TableReport) -> Section:
    rows = [
        [
            when(one.wall_ns), str(one.round), one.claim, str(one.seat), one.level,
            UNKNOWN if one.award_minor is None else _minor(one.award_minor, made), one.verdict or "open", one.person,
        ]
        for one in made.jackpots
    ]  # fmt: skip
    return "Jackpots", ["when", "round", "claim", "box", "level", "award", "verdict", "by"], rows


def _chips(made: TableReport) -> Section:
    rows = [
        ["progressive bets accepted", str(made.chips_accepted)],
        ["staked on them", _minor(made.staked_minor, made)],
        ["rounds with such bets", str(made.rounds_with_chips)],
        ["of these, chips collected", str(made.rounds_collected)],
        ["counts that did not agree", str(made.chips_differed)],
    ]
    return "Progressive chips and bets", ["what", "number"], rows


def _irregularities(made: TableReport) -> Section:
    rows = [
        [
            when(one.wall_ns),
            str(one.round),
            one.what,
            one.where,
            one.rule,
            one.because,
            one.answer or "open",
            one.person,
        ]
        for one in made.asked.values()
    ]
    return "Irregularities", ["when", "round", "what", "where", "paragraph", "because", "decision", "by"], rows


def _faults(made: TableReport) -> Section:
    rows = [
        [
            when(one.wall_ns) if one.wall_ns else "earlier", one.code, one.where, _meaning(one.code),
            when(one.cleared_ns) if one.cleared_ns else "stands", one.cleared_by,
        ]
        for one in made.faults
    ]  # fmt: skip
    return "Faults", ["when", "code", "where", "meaning", "cleared", "by"], rows


def _happened(found: list[Happened]) -> list[list[str]]:
    return [[when(one.wall_ns), one.text] for one in found]


def _meaning(code: str) -> str:
    return CATALOGUE[code].sentence if code in CATALOGUE else ""


def _sum(amount: Sum, made: TableReport) -> str:
    if not amount.unknown:
        return _minor(amount.known, made)
    return (
        f"{_minor(amount.known, made)} and {amount.unknown} unknown" if amount.known else f"{amount.unknown} {UNKNOWN}"
    )


def _minor(amount: int, made: TableReport) -> str:
    return money(amount * MICRO_PER_MINOR, made.minor_digits)
