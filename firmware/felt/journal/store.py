"""The writing end of an open journal. One turn is one append and one sync. After the disk refuses once, this store
never writes again, because it is unknown what reached the disk."""

from __future__ import annotations

from collections.abc import Sequence

from felt.journal.record import JournalBroken, check_digest, join_lines, write_line
from felt.journal.segment import JournalPlace, first_of_next, segment_name, write_header
from felt.journal.snapshot import (
    Snapshot,
    snapshot_digest,
    snapshot_name,
    superfluous,
    write_snapshot,
)
from felt.nouns.values import Value
from felt.ports import Disk, DiskError

# The end of a complete turn, and the digest of the table after it.
ClosedTurn = tuple[JournalPlace, str]

SEGMENT_LIMIT_BYTES = 1024 * 1024


class Head(Value):
    """The last durable record. Every letter carries it, so a lost tail is noticed."""

    seq: int
    chain: str


class SavedSnapshot(Value):
    name: str
    seq: int
    digest: str  # the caller adds it to the chain in a fact


class Store:
    """Created by `open_journal`, which has verified everything up to `end`."""

    def __init__(
        self,
        disk: Disk,
        journal: str,
        header: str,
        end: JournalPlace,
        last_turn: ClosedTurn | None,
        segment_limit_bytes: int,
    ) -> None:
        self._disk = disk
        self._journal = journal
        self._header = header
        self._end = end
        self._name = segment_name(end.segment)
        self._last_turn = last_turn
        self._segment_limit_bytes = segment_limit_bytes
        self._broken: str | None = None

    @property
    def journal(self) -> str:
        """The journal's identity: the chain after its very first record."""
        return self._journal

    @property
    def head(self) -> Head:
        return Head(self._end.seq, self._end.chain)

    @property
    def last_fact(self) -> Head:
        """The same as `head`, or the fact before the header of a newly begun segment."""
        return self.head if self._last_turn is None else Head(self._last_turn[0].seq, self._last_turn[0].chain)

    @property
    def wants_rotation(self) -> bool:
        return self._end.offset > self._segment_limit_bytes

    def append_turn(self, payloads: Sequence[str], digest: str) -> None:
        """Writes the facts of one turn. When this returns, they survive a power cut."""
        check_digest(digest)
        if not payloads:
            raise ValueError("a turn without facts is not written")
        start, lines = self._end, []
        seq, chain = start.seq, start.chain
        last = seq + len(payloads)
        for payload in payloads:
            seq += 1
            line, chain = write_line(seq, payload, digest if seq == last else None, chain)
            lines.append(line)
        content = join_lines(lines)
        self._write(self._name, content)
        self._end = end = JournalPlace(start.segment, start.offset + len(content), seq, chain)
        self._last_turn = (end, digest)

    def rotate(self, header: str | None = None) -> None:
        """Begins the next segment, with the last header unless another is given. Call it only between rounds, if
        `wants_rotation` or if the header changes."""
        header = self._header if header is None else header
        content, end = write_header(first_of_next(self._end), header)
        name = segment_name(end.segment)
        self._write(name, content)
        self._end, self._name, self._header = end, name, header

    def save_snapshot(self, text: str) -> SavedSnapshot:
        """Saves the table after the last turn. A `DiskError` here does not break the journal."""
        if self._broken is not None:
            raise self._refusal()
        if self._last_turn is None:
            raise ValueError("there is no turn yet to take a snapshot of")
        place, table_digest = self._last_turn
        snapshot = Snapshot(self._journal, place, table_digest, text)
        name = snapshot_name(place.seq)
        self._disk.replace(name, write_snapshot(snapshot))
        for older in superfluous(self._disk.names()):
            self._disk.remove(older)
        return SavedSnapshot(name, place.seq, snapshot_digest(snapshot))

    def _write(self, name: str, content: bytes) -> None:
        if self._broken is not None:
            raise self._refusal()
        # An interruption of these two calls leaves the disk in doubt, so note the doubt first.
        self._broken = "a write was interrupted"
        try:
            self._disk.append(name, content)
            self._disk.sync(name)
        except DiskError as error:
            self._broken = str(error)
            raise self._refusal() from error
        self._broken = None

    def _refusal(self) -> JournalBroken:
        return JournalBroken(
            f"the journal can no longer be written: {self._broken}; put the table out of service and restart it"
        )
