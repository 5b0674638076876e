"""Snapshots: the text of a whole table, tied to its place in the chain. A snapshot only saves time; without one,
replay starts at the first record. The newest serve the next boot and questions about recent rounds. A few older ones
are kept so that any round can be reconstructed quickly."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256

from felt.journal.record import read_alone
from felt.journal.segment import JournalPlace
from felt.nouns.values import ShapeError, Value, read, to_bytes

KEPT_SNAPSHOTS = 12
WAYPOINT_RECORDS = 8192  # one older snapshot is kept for each span of this many records

_NAME = re.compile(r"snapshot-(\d{8,12})\.felt")


class Snapshot(Value):
    journal: str  # the chain after the first header, which identifies the journal
    place: JournalPlace  # after the closing record of the turn that led to this table
    table_digest: str  # as recorded in that closing record
    text: str


class _Heading(Value):
    journal: str
    place: JournalPlace
    table_digest: str


def snapshot_name(seq: int) -> str:
    return f"snapshot-{seq:08d}.felt"


def snapshot_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names of snapshots, newest first."""
    matches = (_NAME.fullmatch(name) for name in names)
    found = sorted(((int(match[1]), match[0]) for match in matches if match), reverse=True)
    return tuple(name for _, name in found)


def snapshot_seq(name: str) -> int:
    match = _NAME.fullmatch(name)
    assert match is not None, "the name of a snapshot"
    return int(match[1])


def superfluous(names: Iterable[str]) -> tuple[str, ...]:
    """The snapshots that are no longer needed."""
    older = snapshot_names(names)[KEPT_SNAPSHOTS:]
    first_in = {snapshot_seq(name) // WAYPOINT_RECORDS: name for name in older}  # the last one wins: the oldest
    return tuple(name for name in older if first_in[snapshot_seq(name) // WAYPOINT_RECORDS] != name)


def _covered(snapshot: Snapshot) -> bytes:
    heading = _Heading(snapshot.journal, snapshot.place, snapshot.table_digest)
    return to_bytes(heading) + b"\n" + snapshot.text.encode()


def snapshot_digest(snapshot: Snapshot) -> str:
    """The digest that ties the snapshot into the chain. It covers place and text."""
    return sha256(_covered(snapshot)).hexdigest()


def write_snapshot(snapshot: Snapshot) -> bytes:
    covered = _covered(snapshot)
    return sha256(covered).hexdigest().encode("ascii") + b"\n" + covered


def read_snapshot(content: bytes) -> Snapshot | None:
    """The snapshot if it is whole, otherwise None. This does not check the chain."""
    digest, _, covered = content.partition(b"\n")
    if sha256(covered).hexdigest().encode("ascii") != digest:
        return None
    heading, _, text = covered.partition(b"\n")
    try:
        head = read(_Heading, heading)
        return Snapshot(head.journal, head.place, head.table_digest, text.decode())
    except (ShapeError, ValueError):
        return None


def agrees(snapshot: Snapshot, segment: bytes) -> bool:
    """Whether the named record is at its place in that segment and closes its turn."""
    end = snapshot.place.offset
    if not 0 < end <= len(segment) or segment[end - 1 : end] != b"\n":
        return False
    record = read_alone(segment[segment.rfind(b"\n", 0, end - 1) + 1 : end - 1])
    return record is not None and (record.seq, record.chain, record.digest) == (
        snapshot.place.seq,
        snapshot.place.chain,
        snapshot.table_digest,
    )
