"""Where a journal can be worked out from without beginning at its birth: the first fact of each era, and the snapshots
that are kept. Whoever wants one round, or one day, starts at the waypoint before it."""

from __future__ import annotations

from felt.journal.reading import beginnings, genesis_of
from felt.journal.segment import segment_name
from felt.journal.snapshot import Snapshot, agrees, read_snapshot, snapshot_names, snapshot_seq
from felt.nouns.values import Value
from felt.ports import Disk


class Waypoint(Value):
    seq: int  # of the first record to be read
    snapshot: str | None  # the table before that record; None: an era begins, and so does its table


def waypoints(disk: Disk) -> list[Waypoint]:
    """Oldest first."""
    eras = [Waypoint(one.seq + 1, None) for one in beginnings(disk) if one.opens_era]
    kept = [Waypoint(snapshot_seq(name) + 1, name) for name in snapshot_names(disk.names())]
    return sorted([*eras, *kept], key=lambda one: (one.seq, one.snapshot or ""))


def snapshot_at(disk: Disk, waypoint: Waypoint) -> Snapshot | None:
    """The snapshot of a waypoint, when it is whole, of this journal and of the record that it names; else None."""
    if waypoint.snapshot is None:
        return None
    snapshot = read_snapshot(disk.read(waypoint.snapshot))
    if snapshot is None or snapshot.journal != genesis_of(disk):
        return None
    return snapshot if agrees(snapshot, disk.read(segment_name(snapshot.place.segment))) else None
