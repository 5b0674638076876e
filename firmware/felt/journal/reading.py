"""Reads a journal without opening it for writing: for queries, replays, audits and an era's hand-over. Works beside
a running table; a turn that is being written is not visible yet."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator

from felt.journal.record import Record
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
)
from felt.nouns.values import Value
from felt.ports import Disk

BEGINNING_BYTES = 16 * 1024  # holds a header and the start of the first fact
_ERA = '{"is":"EraOpened"'  # how a payload begins that may be cut off
_WALL = re.compile(r'"at":\["[^"]*",\d+,(\d+)\]')


class Audited(Value):
    segments: int
    records: int
    seq: int
    chain: str


class Beginning(Value):
    """The first records of a segment."""

    segment: int
    seq: int  # of its header
    header: str
    opens_era: bool
    wall_ns: int | None  # of its first fact; None: it has none yet


def read_records(disk: Disk, first_seq: int = 1) -> Iterator[Record]:
    """The facts of all complete turns from `first_seq` on. Verifies the chain from the header of the first segment
    read."""
    for found in _scans(disk, first_seq):
        if found.records and found.records[0].seq >= first_seq:
            yield from found.records
        else:
            yield from (record for record in found.records if record.seq >= first_seq)


def audit(disk: Disk) -> Audited:
    """Verifies the whole chain from the first record on; raises `JournalDamaged` at the first error."""
    segments, records, end = 0, 0, GENESIS
    for found in _scans(disk, 1):
        segments += 1
        records += len(found.records)
        end = found.end
    return Audited(segments, records, end.seq, end.chain)


def whole_segments(disk: Disk) -> Iterator[tuple[str, bytes]]:
    """The stored segments, verified, up to the last complete turn."""
    for found in _scans(disk, 1):
        name = segment_name(found.end.segment)
        yield name, disk.beginning(name, found.end.offset)


def beginnings(disk: Disk) -> Iterator[Beginning]:
    """The beginning of each segment, oldest first, without reading the rest. Stops at an incomplete header."""
    for number in _numbers(disk):
        content = disk.beginning(segment_name(number), BEGINNING_BYTES)
        header = read_header(content, number)
        if header is None:
            return
        # A record's line: sequence, checksum, payload.
        first = content[header[1].offset :].decode(errors="replace").split(" ", 2)
        payload = first[2] if len(first) == 3 else ""
        wall = _WALL.search(payload)
        yield Beginning(number, header[1].seq, header[0], payload.startswith(_ERA), int(wall[1]) if wall else None)


def last_records(disk: Disk, wanted: int = 1) -> tuple[Record, ...]:
    """The last facts, oldest first. Reads no more segments than needed."""
    numbers = _numbers(disk)
    records: list[Record] = []
    for number in reversed(numbers):
        content = disk.read(segment_name(number))
        found = scan(content, _start_in(content, number))
        refuse_damage(content, found, is_last=number == numbers[-1])
        records = found.records[-wanted + len(records) :] + records
        if len(records) >= wanted:
            break
    return tuple(records)


def head_of(disk: Disk) -> tuple[str, int, str] | None:
    """The journal's identity, its last complete record and the chain there; None if there is no journal."""
    numbers, genesis = _numbers(disk), genesis_of(disk)
    for number in reversed(numbers if genesis else ()):
        content = disk.read(segment_name(number))
        found = scan(content, _start_in(content, number))
        refuse_damage(content, found, is_last=number == numbers[-1])
        if found.end.offset > 0:
            return genesis, found.end.seq, found.end.chain
    return None


def genesis_of(disk: Disk) -> str:
    """The journal's identity: the chain after its very first record; empty if there is no journal."""
    names = disk.names()
    first = read_header(disk.beginning(segment_name(1), BEGINNING_BYTES), 1) if segment_name(1) in names else None
    return first[1].chain if first else ""


def _numbers(disk: Disk) -> tuple[int, ...]:
    numbers = segment_numbers(disk.names())
    refuse_gaps(numbers)
    return numbers


def _scans(disk: Disk, first_seq: int) -> Iterator[Scan]:
    numbers = _numbers(disk)
    first = max(0, bisect_right(numbers, first_seq, key=lambda number: _first_seq_in(disk, number)) - 1)
    start: JournalPlace | None = None
    for number in numbers[first:]:
        content = disk.read(segment_name(number))
        found = scan(content, start or _start_in(content, number))
        refuse_damage(content, found, is_last=number == numbers[-1])
        if found.end.offset > 0:
            yield found
        start = first_of_next(found.end)


def _first_seq_in(disk: Disk, number: int) -> int:
    header = read_header(disk.beginning(segment_name(number), BEGINNING_BYTES), number)
    return header[1].seq if header else sys.maxsize


def _start_in(content: bytes, number: int) -> JournalPlace:
    """The place behind the header. The header's chain is accepted as written; only the first segment has a known
    start."""
    if number == 1:
        return GENESIS
    header = read_header(content, number)
    if header is None:
        return JournalPlace(number, 0, 0, "")
    return header[1]
