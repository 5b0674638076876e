"""Whether another version of the firmware may take this table over now. The journal answers, whether the controller
runs or not: an era ends only without an open round or question, and only a closed era can be taken over (F-404).
This module writes nothing and waits for nothing."""

from __future__ import annotations

import json
from enum import StrEnum

from felt.journal.reading import last_records, read_records
from felt.journal.record import Record
from felt.journal.replay import replay
from felt.journal.segment import segment_name, segment_numbers
from felt.journal.snapshot import Snapshot, agrees, read_snapshot, snapshot_names
from felt.nouns.values import Value
from felt.ports import Disk
from felt.table import facts
from felt.table.handover import era_may_close
from felt.table.machine import Stepper
from felt.table.state import Table, digest_of, read_table


class Activity(StrEnum):
    """The state in which a table's journal was left."""

    UNBORN = "unborn"  # there is no journal yet
    CLOSED = "closed"  # its last era is closed: any version may continue
    QUIET = "quiet"  # no round is open: an orderly stop closes the era
    QUESTION = "question"  # a question about the last round is unanswered
    ROUND = "round"  # a round is open


class Readiness(Value):
    activity: Activity
    firmware: str = ""  # the version that wrote the journal last
    detail: str = ""  # the number of the open round, or the open question


def readiness_of(disk: Disk) -> Readiness:
    """The state of a journal on the disk. Raises `JournalError` if it is damaged or leads elsewhere."""
    last = last_records(disk)
    if not last:
        return Readiness(Activity.UNBORN)
    if json.loads(last[0].payload)["is"] == "EraClosed":
        return Readiness(Activity.CLOSED)
    table = _table_of(disk)
    if table.round is not None:
        return Readiness(Activity.ROUND, table.firmware, str(table.round.number))
    if not era_may_close(table):
        return Readiness(Activity.QUESTION, table.firmware, table.irregularity.questions[0].id)
    return Readiness(Activity.QUIET, table.firmware)


def _table_of(disk: Disk) -> Table:
    """Replays from the era's first fact or its last snapshot, as a boot does, without changing anything."""
    snapshot = _last_snapshot(disk)
    records = tuple(read_records(disk, snapshot.place.seq + 1 if snapshot else 1))
    start, records = _start(snapshot, records)
    stepper = Stepper()
    return replay(records, start, stepper.after, digest_of, facts.decode)


def _start(snapshot: Snapshot | None, records: tuple[Record, ...]) -> tuple[Table, tuple[Record, ...]]:
    for place in range(len(records) - 1, -1, -1):
        if records[place].payload.startswith('{"is":"EraOpened"'):
            return Table(), records[place:]
    return (read_table(snapshot.text) if snapshot else Table()), records


def _last_snapshot(disk: Disk) -> Snapshot | None:
    names = disk.names()
    numbers = segment_numbers(names)
    for name in snapshot_names(names):
        found = read_snapshot(disk.read(name))
        if found and found.place.segment in numbers and agrees(found, disk.read(segment_name(found.place.segment))):
            return found
    return None
