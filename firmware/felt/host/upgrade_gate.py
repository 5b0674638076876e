"""Whether another version of the firmware may take this table over now. The journal answers, whether the controller
runs or not: an era ends only without an open round or question, and only a closed era can be taken over (F-404).
This module writes nothing and waits for nothing."""

from __future__ import annotations

from enum import StrEnum

from felt.journal.reading import last_records, read_records
from felt.journal.record import kind_of
from felt.journal.replay import replay
from felt.journal.waypoints import snapshot_at, waypoints
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
    if kind_of(last[0]) == "EraClosed":
        return Readiness(Activity.CLOSED)
    table = _table_of(disk)
    if table.round is not None:
        return Readiness(Activity.ROUND, table.firmware, str(table.round.number))
    if not era_may_close(table):
        return Readiness(Activity.QUESTION, table.firmware, table.irregularity.questions[0].id)
    return Readiness(Activity.QUIET, table.firmware)


def _table_of(disk: Disk) -> Table:
    """Replays from the era's first fact or its last snapshot, as a boot does, without changing anything."""
    for waypoint in reversed(waypoints(disk)):
        snapshot = snapshot_at(disk, waypoint)
        if snapshot is not None or waypoint.snapshot is None:
            start = read_table(snapshot.text) if snapshot else Table()
            records = read_records(disk, waypoint.seq)
            return replay(records, start, Stepper().after, digest_of, facts.decode)
    return Table()
