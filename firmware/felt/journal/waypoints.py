"""The places where replay can start: the first fact of each era, and the stored snapshots. To reconstruct a round or
a day, start at the waypoint before it."""

from __future__ import annotations

from felt.journal.reading import beginnings, genesis_of
from felt.journal.segment import segment_name
from felt.journal.snapshot import Snapshot, agrees, read_snapshot, snapshot_names, snapshot_seq
from felt.nouns.values import Value
from felt.ports import Disk


class Waypoint(Value):
    seq: int  # of the first record to read
    snapshot: str | None  # the table before that record; None: an era begins with an empty table


def waypoints(disk: Disk) -> list[Waypoint]:
    """All waypoints, oldest first."""
    eras = [Waypoint(beginning.seq + 1, None) for beginning in beginnings(disk) if beginning.opens_era]
    kept = [Waypoint(snapshot_seq(name) + 1, name) for name in snapshot_names(disk.names())]
    return sorted([*eras, *kept], key=lambda waypoint: (waypoint.seq, waypoint.snapshot or ""))


def snapshot_at(disk: Disk, waypoint: Waypoint) -> Snapshot | None:
    """The waypoint's snapshot, if it is whole and belongs to this journal and record; otherwise None."""
    if waypoint.snapshot is None:
        return None
    snapshot = read_snapshot(disk.read(waypoint.snapshot))
    if snapshot is None or snapshot.journal != genesis_of(disk):
        return None
    return snapshot if agrees(snapshot, disk.read(segment_name(snapshot.place.segment))) else None
