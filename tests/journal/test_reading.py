"""Reading beside a running table, the last records of an era, and replay."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from felt.drivers.disk import FolderDisk
from felt.journal import (
    JournalDamaged,
    Record,
    ReplayDiverged,
    audit,
    last_records,
    open_journal,
    read_records,
    replay,
)
from felt.nouns.values import replace
from felt.virtual.disk import ForgetfulDisk
from tests.journal.evening import HEADER, digest, payload, turn, turns_in, write_turns


def long_evening() -> ForgetfulDisk:
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER)
    for number in range(12):
        write_turns(opened, range(number, number + 1))
        if number % 3 == 2:
            opened.store.rotate(HEADER)
    return disk


def test_all_records_are_read_in_order() -> None:
    assert turns_in(list(read_records(long_evening()))) == [turn(number) for number in range(12)]


def test_reading_starts_at_any_sequence() -> None:
    disk = long_evening()
    everything = list(read_records(disk))
    for first in range(everything[-1].seq + 3):
        assert list(read_records(disk, first)) == [record for record in everything if record.seq >= first]


def test_an_empty_folder_has_no_records() -> None:
    disk = ForgetfulDisk()
    assert list(read_records(disk)) == []
    assert last_records(disk) == ()
    assert audit(disk).records == 0


def test_the_last_records_are_read_across_segments() -> None:
    disk = long_evening()
    everything = tuple(read_records(disk))
    for wanted in range(1, len(everything) + 1):
        assert last_records(disk, wanted) == everything[-wanted:]
    assert last_records(disk, 1000) == everything


def test_reading_the_last_record_reads_only_one_segment() -> None:
    read: list[str] = []

    class Noting(ForgetfulDisk):
        def read(self, name: str) -> bytes:
            read.append(name)
            return super().read(name)

    disk, source = Noting(), long_evening()
    for name in source.names():
        disk.replace(name, source.read(name))
    write_turns(open_journal(disk, HEADER), range(12, 13))
    read.clear()
    assert last_records(disk)[0].digest == digest(12)
    assert read == ["journal-00000005.felt"]


def test_a_reader_does_not_see_a_turn_that_is_being_written(tmp_path: Path) -> None:
    writer = FolderDisk(tmp_path / "journal")
    write_turns(open_journal(writer, HEADER), range(2))
    whole = writer.read("journal-00000001.felt")
    reader = FolderDisk(tmp_path / "journal", read_only=True)
    for size in range(len(whole) - 150, len(whole)):
        writer.truncate("journal-00000001.felt", size)
        assert turns_in(list(read_records(reader))) == [turn(0)]
        assert last_records(reader)[-1].digest == digest(0)
        writer.append("journal-00000001.felt", whole[size:])
    assert turns_in(list(read_records(reader))) == [turn(0), turn(1)]
    reader.close()
    writer.close()


def test_a_segment_that_has_only_just_been_created_is_no_damage_to_a_reader() -> None:
    disk = long_evening()
    records = tuple(read_records(disk))
    disk.append("journal-00000006.felt", b"000000")
    assert tuple(read_records(disk)) == records
    assert last_records(disk) == records[-1:]
    assert audit(disk).records == len(records)


def test_readers_refuse_damage() -> None:
    disk = long_evening()
    content = bytearray(disk.read("journal-00000002.felt"))
    content[50] ^= 1
    disk.replace("journal-00000002.felt", bytes(content))
    with pytest.raises(JournalDamaged):
        list(read_records(disk))
    with pytest.raises(JournalDamaged):
        audit(disk)


def digest_of(total: int) -> str:
    return hashlib.sha256(b"%d" % total).hexdigest()


def records_of(amounts: list[int]) -> list[Record]:
    """Turns of two facts. The table is a sum."""
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER)
    total = 0
    for first, second in zip(amounts[::2], amounts[1::2], strict=True):
        total += first + second
        opened.store.append_turn([json.dumps({"add": first}), json.dumps({"add": second})], digest_of(total))
    return list(read_records(disk))


def step(total: int, fact: dict[str, int]) -> int:
    return total + fact["add"]


def test_replay_leads_to_the_same_table() -> None:
    assert replay(records_of([1, 2, 3, 4]), 0, step, digest_of, json.loads) == 10
    assert replay([], 7, step, digest_of, json.loads) == 7


def test_replay_names_the_record_whose_table_differs() -> None:
    def forgetful_step(total: int, fact: dict[str, int]) -> int:
        return total if fact["add"] == 3 else total + fact["add"]

    with pytest.raises(ReplayDiverged, match="replay diverged at record 5: the table's digest") as caught:
        replay(records_of([1, 2, 3, 4, 5, 6]), 0, forgetful_step, digest_of, json.loads)
    assert caught.value.seq == 5


def test_replay_from_the_wrong_table_is_noticed_in_the_first_turn() -> None:
    with pytest.raises(ReplayDiverged, match="record 3"):
        replay(records_of([1, 2, 3, 4]), 1, step, digest_of, json.loads)


def test_a_fact_that_cannot_be_stepped_is_named() -> None:
    records = records_of([1, 2, 3, 4])
    records[2] = replace(records[2], payload=payload(1))
    with pytest.raises(ReplayDiverged, match=r"record 4: the fact cannot be stepped \(KeyError\)"):
        replay(records, 0, step, digest_of, json.loads)
