"""What the journal's tests share: payloads, digests, a small journal and a scripted life."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from felt.journal import OpenedJournal, Record, open_journal
from felt.ports import Disk
from felt.virtual.disk import ForgetfulDisk

HEADER = json.dumps({"firmware": "1.0", "nonce": "c0ffee"}, separators=(",", ":"))

Turn = tuple[tuple[str, ...], str]


def payload(number: int) -> str:
    fact = {"is": "ChipSeen", "at": ["boot", number, 10**18 + number], "round": number // 4, "note": "a - b"}
    return json.dumps(fact, separators=(",", ":"))


def digest(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


def turn(number: int) -> Turn:
    """Turns of one, two and three facts."""
    return tuple(payload(number * 3 + part) for part in range(1 + number % 3)), digest(number)


def turns_in(records: Sequence[Record]) -> list[Turn]:
    turns: list[Turn] = []
    facts: list[str] = []
    for record in records:
        facts.append(record.payload)
        if record.digest is not None:
            turns.append((tuple(facts), record.digest))
            facts = []
    assert not facts, "the last turn is not closed"
    return turns


def write_turns(opened: OpenedJournal, numbers: range) -> None:
    for number in numbers:
        facts, closing = turn(number)
        opened.store.append_turn(facts, closing)


def small_journal() -> dict[str, bytes]:
    """Six turns in two segments, without a snapshot."""
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER)
    write_turns(opened, range(3))
    opened.store.rotate(HEADER)
    write_turns(opened, range(3, 6))
    return content_of(disk)


def disk_with(files: dict[str, bytes]) -> ForgetfulDisk:
    disk = ForgetfulDisk()
    for name, content in files.items():
        disk.replace(name, content)
    return disk


def content_of(disk: Disk) -> dict[str, bytes]:
    return {name: disk.read(name) for name in disk.names()}
