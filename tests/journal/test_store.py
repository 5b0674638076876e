"""The writing end: the form of a record, the disk calls of one turn, rotation, and a caller's mistakes."""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path

import pytest

from felt.drivers.disk import FolderDisk
from felt.journal import Audited, Head, Record, audit, open_journal
from felt.journal.record import GENESIS_CHAIN, LONGEST_TURN_BYTES, read_line, write_line
from felt.virtual.disk import ForgetfulDisk
from tests.journal.evening import HEADER, digest, payload, turn, turns_in, write_turns

FIRST = "journal-00000001.felt"


def test_a_record_is_a_line_that_a_technician_can_check_by_hand() -> None:
    disk = ForgetfulDisk()
    store = open_journal(disk, HEADER).store
    store.append_turn(['{"is":"ChipSeen"}', '{"is":"ChipGone"}'], digest(1))
    lines = disk.read(FIRST).decode().splitlines()
    chain = "0" * 64
    expected = [(HEADER, "-"), ('{"is":"ChipSeen"}', "-"), ('{"is":"ChipGone"}', digest(1))]
    for seq, (line, (text, closing)) in enumerate(zip(lines, expected, strict=True), start=1):
        checksum = zlib.crc32(f"{seq:08d} {text} {closing}".encode())
        body = f"{seq:08d} {checksum:08x} {text} {closing} "
        chain = hashlib.sha256((chain + body).encode()).hexdigest()
        assert line == body + chain
    assert store.head == Head(3, chain)


def test_a_turn_costs_one_append_and_one_sync() -> None:
    disk = ForgetfulDisk()
    store = open_journal(disk, HEADER).store
    before = disk.calls
    store.append_turn([payload(number) for number in range(64)], digest(1))
    assert disk.calls == before + 2


def test_a_new_journal_opens_with_the_header_it_was_given() -> None:
    disk = ForgetfulDisk()
    born = open_journal(disk, HEADER)
    again = open_journal(disk, '{"nonce":"another"}')
    assert (born.born, again.born) == (True, False)
    assert born.header == again.header == HEADER
    assert born.store.head == again.store.head


def test_a_journal_keeps_its_nonce_when_the_power_fails_at_its_birth() -> None:
    """Its nonce may already be in use when the power fails."""
    disk = ForgetfulDisk()
    head = open_journal(disk, HEADER).store.head
    disk.power_cut()
    disk.power_on()
    again = open_journal(disk, '{"nonce":"another"}')
    assert (again.born, again.header, again.store.head) == (False, HEADER, head)


def test_a_line_with_the_right_chain_and_the_wrong_sequence_is_not_believed() -> None:
    line, chain = write_line(7, payload(1), None, GENESIS_CHAIN)
    assert read_line(line[:-1], 7, GENESIS_CHAIN) == Record(7, payload(1), None, chain)
    assert read_line(line[:-1], 8, GENESIS_CHAIN) is None
    assert read_line(line[:-1], 7, chain) is None


def test_the_chain_runs_on_across_segments() -> None:
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER, segment_limit_bytes=600)
    rotations = 0
    for number in range(20):
        opened.store.append_turn(*turn(number))
        if opened.store.wants_rotation:
            rotations += 1
            opened.store.rotate(json.dumps({"segment": rotations}))
    assert rotations > 5
    again = open_journal(disk, HEADER)
    assert turns_in(again.records) == [turn(number) for number in range(20)]
    assert again.header == json.dumps({"segment": rotations})
    assert again.store.head == opened.store.head
    head = opened.store.head
    records = sum(len(turn(number)[0]) for number in range(20))
    assert audit(disk) == Audited(rotations + 1, records, head.seq, head.chain)


def test_a_fresh_segment_may_be_followed_by_another() -> None:
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER)
    opened.store.rotate(HEADER)
    opened.store.rotate(HEADER)
    write_turns(opened, range(2))
    assert turns_in(open_journal(disk, HEADER).records) == [turn(0), turn(1)]


@pytest.mark.parametrize("wrong", ["two\nlines", "\ud800", "x" * LONGEST_TURN_BYTES])
def test_a_payload_that_is_not_one_line_is_refused_before_anything_is_written(wrong: str) -> None:
    disk = ForgetfulDisk()
    store = open_journal(disk, HEADER).store
    calls = disk.calls
    with pytest.raises(ValueError, match=r"one line|surrogates|limit"):
        store.append_turn([payload(1), wrong], digest(1))
    assert disk.calls == calls
    store.append_turn([payload(1)], digest(1))
    assert len(open_journal(disk, HEADER).records) == 1


def test_a_turn_without_facts_or_digest_is_refused() -> None:
    store = open_journal(ForgetfulDisk(), HEADER).store
    with pytest.raises(ValueError, match="without facts"):
        store.append_turn([], digest(1))
    for wrong in ("-", digest(1)[:-1], f"{digest(1)[:-1]} "):
        with pytest.raises(ValueError, match="not a digest"):
            store.append_turn([payload(1)], wrong)


@pytest.mark.parametrize("odd", ["", " ", "-", " - ", "a - b ", "00000001 00000000 {} - ", "x" * 300_000])
def test_any_line_of_text_comes_back(odd: str) -> None:
    disk = ForgetfulDisk()
    open_journal(disk, HEADER).store.append_turn([odd, odd], digest(1))
    assert [record.payload for record in open_journal(disk, HEADER).records] == [odd, odd]


def test_the_same_journal_is_written_on_a_real_folder(tmp_path: Path) -> None:
    folder, forgetful = FolderDisk(tmp_path / "journal"), ForgetfulDisk()
    for disk in (folder, forgetful):
        opened = open_journal(disk, HEADER)
        write_turns(opened, range(4))
        opened.store.rotate(HEADER)
        write_turns(opened, range(4, 6))
        opened.store.save_snapshot("the table")
        write_turns(opened, range(6, 7))
        assert turns_in(open_journal(disk, HEADER).records) == [turn(6)]
    assert folder.names() == forgetful.names()
    assert [folder.read(name) for name in folder.names()] == [forgetful.read(name) for name in forgetful.names()]
    folder.close()


def test_a_segment_begun_without_a_header_has_that_of_the_one_before() -> None:
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER)
    opened.store.append_turn(['{"is":"a"}'], "a" * 64)
    opened.store.rotate('{"house":"other"}')
    opened.store.rotate()
    again = open_journal(disk, HEADER)
    assert again.header == '{"house":"other"}'
    again.store.rotate()
    assert open_journal(disk, HEADER).header == '{"house":"other"}'
