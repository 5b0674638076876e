"""`felt replay`: reconstructs what happened from a journal: rounds, lamps, letters and money, questions, rulings,
refusals and power cuts. It shows cards that the rules have turned over; other cards need a role that may see them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from felt.commands.failing import one_sentence
from felt.commands.role import add_role_argument
from felt.demo.settlement import say_line
from felt.desk.round_steps import round_steps
from felt.evidence.events import device_of, events_of
from felt.evidence.outcomes import outcomes
from felt.evidence.retelling import Retelling, Told, as_they_stand, before, round_numbered
from felt.journal.reading import read_records
from felt.journal.replay import ReplayDiverged
from felt.journal.waypoints import waypoints
from felt.nouns.money import say
from felt.nouns.values import to_plain
from felt.ports import Disk
from felt.table import redacted
from felt.wiring.devices import read_only_disk

EPILOG = """examples:
  felt replay /var/lib/felt/journal            every round, a line each
  felt replay /var/lib/felt/journal 17         round 17 in full
  felt replay /var/lib/felt/journal --json     one JSON object a round
  felt replay /var/lib/felt/journal --events   every record as an event: time, code, kind, sentence
  felt replay /var/lib/felt/journal 17 --role supervisor
      the same with every card, also of folded hands"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "journal", type=Path, metavar="JOURNAL", help="the journal's folder, also while a table uses it"
    )
    parser.add_argument("round", type=int, nargs="?", metavar="ROUND", help="one round in full, by its number")
    parser.add_argument("--json", action="store_true", help="print one JSON object a round")
    parser.add_argument("--steps", action="store_true", help="print one round step by step, as JSON")
    parser.add_argument("--events", action="store_true", help="print every record as an event, instead of rounds")
    add_role_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    with one_sentence("felt replay"):
        disk = read_only_disk(arguments.journal)
        if arguments.events:
            return _tell_events(disk, arguments)
        if arguments.steps:
            return _tell_steps(disk, arguments)
        if arguments.round is not None:
            return _tell_one(disk, arguments)
        found = False
        for told in as_they_stand(_rounds(disk, arguments.role)):
            found = True
            _print(told, as_json=arguments.json, whole=False)
        if not found:
            print(f"felt replay: {_without_rounds(disk, arguments.journal)}", file=sys.stderr)
        return 0 if found else 1
    return 1


def _tell_one(disk: Disk, arguments: argparse.Namespace) -> int:
    told = round_numbered(disk, arguments.round, arguments.role)
    if told is None:
        print(f"felt replay: no round {arguments.round} has ended in this journal", file=sys.stderr)
        return 1
    _print(told, as_json=arguments.json, whole=True)
    return 0


def _tell_steps(disk: Disk, arguments: argparse.Namespace) -> int:
    if arguments.round is None:
        print("felt replay: --steps tells one round: name its number", file=sys.stderr)
        return 2
    told = round_steps(disk, arguments.round, arguments.role)
    if told is None:
        print(f"felt replay: there is no round {arguments.round} in this journal", file=sys.stderr)
        return 1
    print(json.dumps(told, separators=(",", ":"), default=to_plain))
    return 0


def _tell_events(disk: Disk, arguments: argparse.Namespace) -> int:
    device = device_of(disk)
    if device is None:
        print(f"felt replay: {_without_rounds(disk, arguments.journal)}", file=sys.stderr)
        return 1
    for event in events_of(outcomes(disk), device, arguments.role):
        print(json.dumps(to_plain(event)) if arguments.json else event.line())
    return 0


def _rounds(disk: Disk, role: str) -> Iterator[Told]:
    """Era by era. An era of another version that this one cannot replay is named and skipped."""
    eras = [waypoint.seq for waypoint in waypoints(disk) if waypoint.snapshot is None]
    for place, first in enumerate(eras):
        records = read_records(disk, first)
        is_last = place + 1 == len(eras)
        try:
            yield from Retelling(role, None, first).take(records if is_last else before(records, eras[place + 1]))
        except ReplayDiverged as error:
            if is_last:
                raise
            print(f"felt replay: the era from record {first} on is skipped: {error}", file=sys.stderr)


def _without_rounds(disk: Disk, folder: Path) -> str:
    records = sum(1 for _ in read_records(disk))
    if not records:
        return f"no journal in {folder}: name a journal's folder"
    return f"{folder} is a journal of {records} records in which no round has ended yet: play one first"


def _print(told: Told, *, as_json: bool, whole: bool) -> None:
    if as_json:
        letters = [{"letter": kind, "body": json.loads(body)} for kind, body in told.letters]
        lines = [to_plain(line) for line in told.record["lines"]]
        claims = [to_plain(claim) for claim in told.record["claims"]]
        shown = {"letters": letters, "lamps": told.lamps, "events": told.events}
        print(json.dumps({**told.record, "lines": lines, "claims": claims, **shown}))
        return
    for text in told_round(told, whole=whole):
        print(text)
    if whole:
        for kind, body in told.letters:
            print(f"  letter {kind} {body}")
        for change in told.lamps:
            print(f"  lamp {change}")


def told_round(told: Told, *, whole: bool) -> Iterator[str]:
    """A round for people, here and at the console."""
    record = told.record
    paid = sum(line.paid or 0 for line in record["lines"])
    ending = f"void by {record['void']}" if record["void"] else f"paid {say(paid, told.currency)}"
    yield f"round {record['round']}: {record['rulebook']} {record['version']}, {len(record['lines'])} bets, {ending}"
    if whole:
        for line in record["lines"]:
            yield from say_line(line, told.currency)
        for hand in record["hands"]:
            hidden = [redacted.HIDDEN] * (hand["dealt"] - len(hand["cards"]))
            target = f"box {hand['target']}" if hand["target"].isdigit() else hand["target"]
            yield f"  {target}: {' '.join([*hand['cards'], *hidden])}"
        for interruption in record["interruptions"]:
            yield f"  interrupted: {interruption}"
        for finding in record["findings"]:
            yield f"  found {finding}"
        for event in told.events:
            yield f"  {event}"
