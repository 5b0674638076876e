"""The journal: durable, hash-chained facts in append-only segment files on the Disk port, with snapshots, replay and
an index for queries. This room stores text; it does not know what a fact means."""

from __future__ import annotations

from felt.journal.opening import OpenedJournal, Torn, open_journal
from felt.journal.reading import Audited, audit, last_records, read_records
from felt.journal.record import JournalBroken, JournalDamaged, JournalError, Record
from felt.journal.replay import ReplayDiverged, replay
from felt.journal.snapshot import Snapshot, snapshot_digest
from felt.journal.store import Head, SavedSnapshot, Store

__all__ = [
    "Audited",
    "Head",
    "JournalBroken",
    "JournalDamaged",
    "JournalError",
    "OpenedJournal",
    "Record",
    "ReplayDiverged",
    "SavedSnapshot",
    "Snapshot",
    "Store",
    "Torn",
    "audit",
    "last_records",
    "open_journal",
    "read_records",
    "replay",
    "snapshot_digest",
]
