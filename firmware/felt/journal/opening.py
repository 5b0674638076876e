"""Opens a journal: accepts what is whole, moves a torn tail aside, refuses damage. Nothing is written before
everything is verified, and every step can be interrupted and repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from felt.journal.record import GENESIS_CHAIN, JournalDamaged, Record, read_line
from felt.journal.segment import (
    GENESIS,
    JournalPlace,
    Scan,
    first_of_next,
    read_header,
    refuse_damage,
    refuse_gaps,
    scan,
    segment_name,
    segment_numbers,
    write_header,
)
from felt.journal.snapshot import Snapshot, agrees, read_snapshot, snapshot_names
from felt.journal.store import SEGMENT_LIMIT_BYTES, ClosedTurn, Store
from felt.nouns.values import Value
from felt.ports import Disk

JUDGED_SNAPSHOTS = 3  # only the newest; if none is usable, replay starts at the journal's first record
_TORN_NAME = re.compile(r"torn-\d{8,12}(-\d+)?\.bin")
_BESIDE_NAME = re.compile(r"checkpoints\.felt|torn-checkpoint-\d{8,12}\.bin")  # files of other programs


class Torn(Value):
    """What a power cut left of a turn that was never acknowledged."""

    kept_in: str
    segment: str
    offset: int
    size_bytes: int
    seq: int  # of the first rejected record

    def __str__(self) -> str:
        return (
            f"{self.segment} ended in {self.size_bytes} bytes of an unfinished turn at record {self.seq}; "
            f"they were moved to {self.kept_in} and play goes on from the turn before"
        )


class OpenedJournal(Value):
    store: Store
    header: str  # of the current segment
    snapshot: Snapshot | None  # where replay starts; None: at an empty table
    records: tuple[Record, ...]  # every fact after the snapshot, in complete turns
    born: bool  # True: the journal was created just now
    torn: Torn | None
    reports: tuple[str, ...]  # sentences about ignored files


class _Candidate(Value):
    snapshot: Snapshot
    agrees: bool  # the record that it names is at the place it names


class _Walked(Value):
    """The verified journal, from the start of the walk to its last complete turn."""

    records: list[Record]
    end: JournalPlace
    last_turn: ClosedTurn | None
    last_content: bytes  # of the last segment
    leftover: bytes  # bytes after the end
    headless: int | None  # number of a last segment without a valid header


def open_journal(
    disk: Disk, header: str, *, audit: bool = False, segment_limit_bytes: int = SEGMENT_LIMIT_BYTES
) -> OpenedJournal:
    """Verifies the journal from the newest snapshot (with `audit`, from its first record) and opens it for writing.
    `header` is used if the journal is created: firmware, configuration, board, rulebook, nonce."""
    names = disk.names()
    numbers = segment_numbers(names)
    refuse_gaps(numbers)
    genesis = _read_genesis(disk, numbers)
    candidates, reports = _judge_snapshots(disk, names, numbers, genesis)
    chosen = next((candidate.snapshot for candidate in candidates if candidate.agrees), None)
    walked = _walk(disk, numbers, chosen, audit)
    _refuse_lost_end(candidates, walked.end)
    reports += [f"{name} does not belong to the journal and was ignored" for name in names if _is_foreign(name)]
    born = walked.end == GENESIS
    if genesis is None or born:
        torn, current = _settle(disk, walked), header
        end = _give_birth(disk, header)
        store = Store(disk, end.chain, current, end, None, segment_limit_bytes)
    else:
        current = _header_in(walked.last_content, walked.end.segment)
        torn = _settle(disk, walked)
        store = Store(disk, genesis, current, walked.end, walked.last_turn, segment_limit_bytes)
    return OpenedJournal(store, current, chosen, tuple(walked.records), born, torn, tuple(reports))


def _is_foreign(name: str) -> bool:
    known = _TORN_NAME.fullmatch(name) or _BESIDE_NAME.fullmatch(name)
    return not (known or segment_numbers([name]) or snapshot_names([name]))


def _judge_snapshots(
    disk: Disk, names: tuple[str, ...], numbers: tuple[int, ...], genesis: str | None
) -> tuple[list[_Candidate], list[str]]:
    """The whole snapshots of this journal, newest first, and a sentence about each unusable one."""
    candidates, reports = [], []
    for name in snapshot_names(names)[:JUDGED_SNAPSHOTS]:
        snapshot = read_snapshot(disk.read(name))
        if snapshot is None:
            reports.append(f"{name} is not whole and was ignored")
        elif genesis is not None and snapshot.journal != genesis:
            reports.append(f"{name} belongs to another journal and was ignored")
        elif genesis is not None and _agrees_on_disk(disk, numbers, snapshot):
            candidates.append(_Candidate(snapshot, True))
        else:
            candidates.append(_Candidate(snapshot, False))
            reports.append(f"{name} does not agree with the journal and was ignored")
    return candidates, reports


def _read_genesis(disk: Disk, numbers: tuple[int, ...]) -> str | None:
    """The chain after the very first record, which identifies the journal. None if there is no such record."""
    if not numbers:
        return None
    line = disk.read(segment_name(1)).partition(b"\n")[0]
    record = read_line(line, 1, GENESIS_CHAIN)
    return record.chain if record else None


def _agrees_on_disk(disk: Disk, numbers: tuple[int, ...], snapshot: Snapshot) -> bool:
    segment = snapshot.place.segment
    return segment in numbers and agrees(snapshot, disk.read(segment_name(segment)))


def _refuse_lost_end(candidates: list[_Candidate], end: JournalPlace) -> None:
    """A snapshot holds durable turns only, so one beyond the end proves that turns are missing."""
    newest = max((candidate.snapshot.place.seq for candidate in candidates), default=0)
    if newest > end.seq:
        raise JournalDamaged(
            f"a snapshot was taken at record {newest}, but the journal ends at record {end.seq}",
            segment=segment_name(end.segment), offset=end.offset, seq=end.seq + 1,
        )  # fmt: skip


def _walk(disk: Disk, numbers: tuple[int, ...], snapshot: Snapshot | None, audit: bool) -> _Walked:
    start = snapshot.place if snapshot and not audit else GENESIS
    last_turn = (snapshot.place, snapshot.table_digest) if snapshot else None
    after = snapshot.place.seq if snapshot else 0
    records: list[Record] = []
    end, last_content = start, b""
    for content, found in _scans(disk, numbers, start):
        if found.end.offset == 0:
            return _Walked(records, end, last_turn, last_content, content, found.end.segment)
        records += [record for record in found.records if record.seq > after]
        if found.last_turn and found.last_turn.seq > after:
            last_turn = (found.last_turn, found.records[-1].digest or "")
        end, last_content = found.end, content
    return _Walked(records, end, last_turn, last_content[: end.offset], last_content[end.offset :], None)


def _scans(disk: Disk, numbers: tuple[int, ...], start: JournalPlace) -> Iterator[tuple[bytes, Scan]]:
    for number in numbers[start.segment - 1 :]:
        content = disk.read(segment_name(number))
        found = scan(content, start)
        refuse_damage(content, found, is_last=number == numbers[-1])
        yield content, found
        start = first_of_next(found.end)


def _header_in(content: bytes, number: int) -> str:
    header = read_header(content, number)
    if header is None:
        raise JournalDamaged("the header is bad", segment=segment_name(number), offset=0, seq=0)
    return header[0]


def _settle(disk: Disk, walked: _Walked) -> Torn | None:
    """Leaves only verified bytes on the disk. The last segment is rewritten even if it is whole: after a failed
    sync, bytes may exist in memory only, and no later sync of the same file would reveal that."""
    segment = walked.headless or walked.end.segment
    offset = 0 if walked.headless else walked.end.offset
    torn = None
    if walked.leftover:
        kept_in = _set_aside(disk, walked.leftover, walked.end.seq + 1)
        torn = Torn(kept_in, segment_name(segment), offset, len(walked.leftover), walked.end.seq + 1)
    if walked.headless:
        disk.remove(segment_name(walked.headless))
    elif walked.end != GENESIS:
        disk.replace(segment_name(segment), walked.last_content)
    return torn


def _set_aside(disk: Disk, leftover: bytes, seq: int) -> str:
    """Moves the leftover aside. Evidence is never overwritten, and the same evidence is not stored twice."""
    names = disk.names()
    for attempt in count(1):
        name = f"torn-{seq:08d}.bin" if attempt == 1 else f"torn-{seq:08d}-{attempt}.bin"
        if name not in names:
            disk.replace(name, leftover)
            return name
        if disk.read(name) == leftover:
            return name
    raise AssertionError("unreachable")


def _give_birth(disk: Disk, header: str) -> JournalPlace:
    content, end = write_header(GENESIS, header)
    disk.append(segment_name(1), content)
    disk.sync(segment_name(1))
    return end
