"""Reading a journal without opening it for writing: for queries, replays, audits and for the hand-over of an
era. Works beside a running table; a turn that is just being written is not seen yet."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from felt.journal.record import Record
from felt.journal.segment import (
    GENESIS,
    Place,
    Scan,
    first_of_next,
    read_header,
    refuse_damage,
    refuse_gaps,
    scan,
    segment_name,
    segment_numbers,
)
from felt.ports import Disk


class Audited(NamedTuple):
    segments: int
    records: int
    seq: int
    chain: str


def read_records(disk: Disk, first_seq: int = 1) -> Iterator[Record]:
    """The facts of all complete turns from `first_seq` on. The chain is verified from the header of the
    segment in which reading begins."""
    for found in _scans(disk, first_seq):
        if found.records and found.records[0].seq >= first_seq:
            yield from found.records
        else:
            yield from (record for record in found.records if record.seq >= first_seq)


def audit(disk: Disk) -> Audited:
    """Follow the whole chain from the journal's birth; raises `JournalDamaged` where it does not hold."""
    segments, records, end = 0, 0, GENESIS
    for found in _scans(disk, 1):
        segments += 1
        records += len(found.records)
        end = found.end
    return Audited(segments, records, end.seq, end.chain)


def last_records(disk: Disk, wanted: int = 1) -> tuple[Record, ...]:
    """The last facts, oldest first, reading no more segments than needed."""
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


def _numbers(disk: Disk) -> tuple[int, ...]:
    numbers = segment_numbers(disk.names())
    refuse_gaps(numbers)
    return numbers


def _scans(disk: Disk, first_seq: int) -> Iterator[Scan]:
    numbers = _numbers(disk)
    first = max(0, bisect_right(numbers, first_seq, key=lambda number: _first_seq_in(disk, number)) - 1)
    start: Place | None = None
    for number in numbers[first:]:
        content = disk.read(segment_name(number))
        found = scan(content, start or _start_in(content, number))
        refuse_damage(content, found, is_last=number == numbers[-1])
        if found.end.offset > 0:
            yield found
        start = first_of_next(found.end)


def _first_seq_in(disk: Disk, number: int) -> int:
    header = read_header(disk.read(segment_name(number)), number)
    return header[1].seq if header else sys.maxsize


def _start_in(content: bytes, number: int) -> Place:
    """Behind the header, whose chain is taken as it stands; only the first segment has a known beginning."""
    if number == 1:
        return GENESIS
    header = read_header(content, number)
    if header is None:
        return Place(number, 0, 0, "")
    return header[1]
