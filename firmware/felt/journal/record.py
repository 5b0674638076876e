"""One record of the journal: a line of text with its own checksum, chained to the line before it. This room does not
know what a fact means, and knows neither the clock nor the disk.

    00000042 1b2c3d4e {"is":"ChipSeen"} - 9f86d081...
    sequence checksum payload             | chain
                                          digest of the table, on the last record of a turn
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from zlib import crc32

from felt.nouns.values import Value, read_part

GENESIS_CHAIN = "0" * 64
LONGEST_TURN_BYTES = 1024 * 1024

# A lookahead, so candidates may overlap: after a lost line break a record may begin at any byte.
_START = re.compile(rb"(?=(\d{8,12}) ([0-9a-f]{8}) )")
_CLOSE = re.compile(rb" (?:-|[0-9a-f]{64})(?= )")


class JournalError(Exception):
    """Anything that prevents writing the journal or trusting it."""


class JournalBroken(JournalError):
    """The disk refused a write. It is unknown what reached the disk, so nothing more is written before a restart."""


class JournalDamaged(JournalError):
    """Durable records are no longer whole. Nothing was changed; a person must decide."""

    def __init__(self, problem: str, *, segment: str, offset: int, seq: int) -> None:
        super().__init__(
            f"the journal is damaged in {segment} at byte {offset}, record {seq}: {problem}; nothing was changed: "
            "keep betting closed, copy the folder for evidence and call service"
        )
        self.problem = problem
        self.segment = segment
        self.offset = offset
        self.seq = seq


class Record(Value):
    seq: int
    payload: str
    digest: str | None  # of the table after the turn that this record closes
    chain: str


class _Tagged(Value, forbid_unknown_fields=False, rename={"kind": "is"}):
    kind: str


def kind_of(record: Record) -> str:
    """The kind of the record's fact, also of one that only another version can decode."""
    return read_part(_Tagged, record.payload).kind


def check_digest(digest: str) -> None:
    if len(digest) != 64 or not digest.isalnum():
        raise ValueError(f"{digest!r} is not a digest: 64 hexadecimal digits")


def write_line(seq: int, payload: str, digest: str | None, chain: str) -> tuple[bytes, str]:
    """The line and the chain after it. Raises ValueError if the payload is not UTF-8."""
    number = b"%08d " % seq
    rest = f"{payload} {digest or '-'}".encode()
    body = b"%b%08x %b " % (number, crc32(rest, crc32(number)), rest)
    chain_after = sha256(chain.encode("ascii") + body).hexdigest()
    return b"%b%b\n" % (body, chain_after.encode("ascii")), chain_after


def join_lines(lines: Sequence[bytes]) -> bytes:
    """Joins the lines of one write. Checks them as a whole, because this runs in every turn and a bad line must be
    found before the first byte is written."""
    content = b"".join(lines)
    if content.count(b"\n") != len(lines):
        raise ValueError("a payload must be one line of text")
    if len(content) > LONGEST_TURN_BYTES:
        raise ValueError(f"{len(content)} bytes are more than the limit of {LONGEST_TURN_BYTES} for one turn")
    return content


def read_line(line: bytes, seq: int, chain: str) -> Record | None:
    """The record, if this line (without its line break) is the expected next one; otherwise None."""
    if sha256(chain.encode("ascii") + line[:-64]).hexdigest().encode("ascii") != line[-64:]:
        return None
    record = read_alone(line)
    return record if record is not None and record.seq == seq else None


def read_alone(line: bytes) -> Record | None:
    """The record, checked by its own checksum only. Its chain is read from the line and not verified."""
    parts = line[:-65].split(b" ", 2)
    if len(parts) != 3:
        return None
    number, checksum, rest = parts
    if b"%08x" % crc32(rest, crc32(number + b" ")) != checksum:
        return None
    payload, _, digest = rest.rpartition(b" ")
    try:
        closing = None if digest == b"-" else digest.decode("ascii")
        return Record(int(number), payload.decode(), closing, line[-64:].decode("ascii"))
    except ValueError:
        return None


def find_record(content: bytes, offset: int) -> tuple[int, int] | None:
    """Finds the next record at or after `offset`, at any byte, that its own checksum confirms. Returns its offset
    and sequence. The chain need not match: the checksum alone shows that the record was once written."""
    for start in _START.finditer(content, offset):
        number, checksum = start.groups()
        first, line_end = start.end(2) + 1, content.find(b"\n", start.end(2))
        seed = crc32(number + b" ")
        for close in _CLOSE.finditer(content, first, line_end if line_end >= 0 else len(content)):
            if b"%08x" % crc32(content[first : close.end()], seed) == checksum:
                return start.start(), int(number)
    return None
