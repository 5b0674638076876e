"""One segment file of the journal as bytes: its name, header, turns, and where its valid part ends. Pure: no I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from felt.journal.record import (
    GENESIS_CHAIN,
    JournalDamaged,
    Record,
    find_record,
    join_lines,
    read_alone,
    read_line,
    write_line,
)
from felt.nouns.values import Value

_NAME = re.compile(r"journal-(\d{8})\.felt")


class JournalPlace(Value):
    """A point between two records: how far a segment is read, and the last record before that point."""

    segment: int
    offset: int
    seq: int
    chain: str


GENESIS = JournalPlace(1, 0, 0, GENESIS_CHAIN)


class Scan(Value):
    header: str | None  # if the scan began at the segment's first byte and found a header
    records: list[Record]  # of complete turns only
    end: JournalPlace  # after the last complete turn, or after the header
    last_turn: JournalPlace | None  # after the last complete turn, if there is one
    stopped_at: int  # offset of the first bad record; the content's length if there is none
    expected_seq: int  # the sequence that a record at `stopped_at` must have


def segment_name(number: int) -> str:
    return f"journal-{number:08d}.felt"


def segment_numbers(names: Iterable[str]) -> tuple[int, ...]:
    matches = (_NAME.fullmatch(name) for name in names)
    return tuple(sorted(int(match[1]) for match in matches if match))


def first_of_next(end: JournalPlace) -> JournalPlace:
    """The start of the next segment. The chain continues across segments."""
    return JournalPlace(end.segment + 1, 0, end.seq, end.chain)


def write_header(start: JournalPlace, header: str) -> tuple[bytes, JournalPlace]:
    """The first record of a segment, and the place after it."""
    line, chain = write_line(start.seq + 1, header, None, start.chain)
    return join_lines([line]), JournalPlace(start.segment, len(line), start.seq + 1, chain)


def read_header(content: bytes, number: int) -> tuple[str, JournalPlace] | None:
    """The header, checked by its own checksum only, for readers that skip the previous segment."""
    length = content.find(b"\n")
    record = read_alone(content[:length]) if length >= 0 else None
    if record is None:
        return None
    return record.payload, JournalPlace(number, length + 1, record.seq, record.chain)


def refuse_gaps(numbers: Sequence[int]) -> None:
    for expected, number in enumerate(numbers, start=1):
        if number != expected:
            name = segment_name(expected)
            raise JournalDamaged(f"{name} is missing, although later ones are there", segment=name, offset=0, seq=0)


def scan(content: bytes, start: JournalPlace) -> Scan:
    """Follows the chain from `start` as far as it is valid."""
    lines = content[start.offset :].split(b"\n")
    lines.pop()  # the rest after the last line break is not a line
    header, records, offset, seq, chain = None, [], start.offset, start.seq, start.chain
    end, last_turn, complete = start, None, 0
    for line in lines:
        record = read_line(line, seq + 1, chain)
        if record is None:
            break
        offset += len(line) + 1
        seq, chain = record.seq, record.chain
        if offset == len(line) + 1:
            header, end = record.payload, JournalPlace(start.segment, offset, seq, chain)
            continue
        records.append(record)
        if record.digest is not None:
            end = last_turn = JournalPlace(start.segment, offset, seq, chain)
            complete = len(records)
    del records[complete:]
    return Scan(header, records, end, last_turn, offset, seq + 1)


def refuse_damage(content: bytes, found: Scan, is_last: bool) -> None:
    """Raises unless a bad end is a torn tail: it must be in the last segment, with nothing valid after it."""
    if 0 < found.end.offset == len(content):
        return
    segment = segment_name(found.end.segment)
    if not is_last:
        raise JournalDamaged(
            "the segment is not whole, although a later one was begun",
            segment=segment, offset=found.stopped_at, seq=found.expected_seq,
        )  # fmt: skip
    here = find_record(content, found.stopped_at)
    if here is not None and here[0] == found.stopped_at:
        if here[1] != found.expected_seq:  # no torn write produces a whole record with another sequence
            raise JournalDamaged(
                f"record {here[1]} stands here, so records before it are missing",
                segment=segment, offset=found.stopped_at, seq=found.expected_seq,
            )  # fmt: skip
        here = find_record(content, found.stopped_at + 1)
    if here is not None:
        raise JournalDamaged(
            f"a bad record is followed by a valid one at byte {here[0]}",
            segment=segment, offset=found.stopped_at, seq=found.expected_seq,
        )  # fmt: skip
