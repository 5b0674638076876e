"""`felt report`: a shift or a day of one table on paper, from its journal: as text, spreadsheet rows or a printable
page. Unknown amounts are shown as unknown."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from datetime import datetime
from itertools import takewhile

from felt.commands.check import add_source_arguments
from felt.commands.failing import one_sentence
from felt.commands.paper import Paper, Section, as_page, as_rows, as_text, money, when
from felt.commands.report_period import add_period_arguments, period_of
from felt.commands.role import add_role_argument
from felt.config import Config, load
from felt.evidence.changes import SoftwareChange, software_changes
from felt.evidence.retelling import Retelling, RetoldStep, before, begun_before
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
    shown.add_argument("--to", metavar="TIME", help="until this time (default: now)")
    parser.add_argument(
        "--as",
        dest="form",
        choices=WRITERS,
        default="text",
        help="the form: text (default), csv for a spreadsheet, html to print",
    )
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


def sheet_of(config: Config, disk: Disk, made: TableReport, period: Period) -> Paper:
    changes = [change for change in software_changes(disk) if period.from_ns <= change.wall_ns < period.until_ns]
    heading = f"Table {config.table.id} from {when(period.from_ns)} until {when(period.until_ns)}"
    return Paper(heading, _verdict(made), sections(made, changes))


def _made(disk: Disk, period: Period, role: str) -> TableReport:
    """Starts at the last waypoint before the period's first segment and reads to the end of the period's last one."""
    known, problems = waypoints(disk), list[str]()
    first, beyond = _stretch(disk, period)
    begun = begun_before(disk, known, first + 2) or Retelling("", None, known[0].seq if known else 1)
    eras = [
        waypoint.seq
        for waypoint in known
        if waypoint.snapshot is None and begun.next_seq < waypoint.seq < (beyond or waypoint.seq + 1)
    ]
    made = report_of(_steps(disk, begun, [*eras, beyond], problems), period.from_ns, period.until_ns, role)
    made.problems = [*problems, *made.problems]
    return made


def _stretch(disk: Disk, period: Period) -> tuple[int, int | None]:
    """The records to read. Leaves out segments that lie wholly before the period at one end or after it at the
    other. A segment in between may have been written while the clock was wrong."""
    segments = [(beginning.seq, beginning.wall_ns) for beginning in beginnings(disk) if beginning.wall_ns is not None]
    early = list(takewhile(lambda segment: segment[1] <= period.from_ns, segments))
    late = list(takewhile(lambda segment: segment[1] >= period.until_ns + CLOCK_SLACK_NS, reversed(segments)))
    return early[-1][0] if early else 0, late[-1][0] if late else None


def _steps(disk: Disk, begun: Retelling, ends: list[int | None], problems: list[str]) -> Iterator[RetoldStep]:
    """Era by era. Eras that only their own version can replay are named, and the rest is counted."""
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
    unknown = sum(wager.handle.unknown for wager in made.wagers.values())
    money_said = f" Amounts are in {made.currency}." if made.currency else ""
    missing = f" Bets whose stake is unknown and in no sum: {unknown}." if unknown else ""
    alerts = [fault for fault, person in made.alerts if not person]
    waiting = f" Alerts that nobody has acknowledged: {len(alerts)}." if alerts else ""
    problems = "".join(f" {problem}" for problem in made.problems)
    return f"Rounds settled: {made.settled}, void: {void}.{money_said}{missing}{waiting}{problems}"


def sections(made: TableReport, changes: list[SoftwareChange]) -> list[Section]:
    grown = [[level, money(micro, made.minor_digits)] for level, micro in made.contributed_micro.items()]
    acts = [[when(act.wall_ns), act.person, act.text] for act in made.acts]
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
            [when(change.wall_ns), change.from_firmware or "installed", change.firmware, change.software[:16]]
            for change in changes
        ]),
        ("Alerts at the end", ["code", "where", "meaning", "acknowledged by"], [
            [fault.code, fault.where, _meaning(fault.code), person or "NOBODY"] for fault, person in made.alerts
        ]),
    ]  # fmt: skip


def _rounds(made: TableReport) -> Section:
    span = f"{made.numbers[0]} to {made.numbers[-1]}" if made.numbers else ""
    void = ", ".join(str(voided.round) for voided in made.voided)
    rows = [["settled", str(made.settled), span], ["void", str(len(made.voided)), void]]
    return "Rounds", ["kind", "number", "rounds"], rows


def _voids(made: TableReport) -> Section:
    rows = [[when(voided.wall_ns), str(voided.round), voided.rule, voided.reason, voided.how] for voided in made.voided]
    return "Voids", ["when", "round", "paragraph", "reason", "remark"], rows


def _wagers(made: TableReport) -> Section:
    def row(name: str) -> list[str]:
        wagered = made.wagers[name]
        hold = wagered.hold()
        said = UNKNOWN if hold is None else _minor(hold, made)
        sums = (wagered.handle, wagered.returned, wagered.lost, wagered.paid)
        return [name, str(wagered.bets), *(_sum(amount, made) for amount in sums), said]

    columns = ["bet", "count", "handle", "returned", "lost", "paid", "hold"]
    return "Bets", columns, [row(name) for name in sorted(made.wagers)]


def _jackpots(made: TableReport) -> Section:
    rows = [
        [
            when(jackpot.wall_ns), str(jackpot.round), jackpot.claim, str(jackpot.seat), jackpot.level,
            UNKNOWN if jackpot.award_minor is None else _minor(jackpot.award_minor, made),
            jackpot.verdict or "open", jackpot.person,
        ]
        for jackpot in made.jackpots
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
            when(asked.wall_ns),
            str(asked.round),
            asked.what,
            asked.where,
            asked.rule,
            asked.because,
            asked.answer or "open",
            asked.person,
        ]
        for asked in made.asked.values()
    ]
    return "Irregularities", ["when", "round", "what", "where", "paragraph", "because", "decision", "by"], rows


def _faults(made: TableReport) -> Section:
    rows = [
        [
            when(fault.wall_ns) if fault.wall_ns else "earlier", fault.code, fault.where, _meaning(fault.code),
            when(fault.cleared_ns) if fault.cleared_ns else "stands", fault.cleared_by,
        ]
        for fault in made.faults
    ]  # fmt: skip
    return "Faults", ["when", "code", "where", "meaning", "cleared", "by"], rows


def _happened(found: list[Happened]) -> list[list[str]]:
    return [[when(happened.wall_ns), happened.text] for happened in found]


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
