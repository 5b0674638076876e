"""Snapshots shorten a boot and never change its result."""

from __future__ import annotations

import hashlib

import pytest

from felt.journal import JournalDamaged, open_journal, snapshot_digest
from felt.journal.snapshot import KEPT_SNAPSHOTS, snapshot_name, snapshot_seq, superfluous
from felt.nouns.values import replace
from felt.virtual.disk import ForgetfulDisk
from tests.journal.evening import HEADER, content_of, digest, disk_with, turn, turns_in, write_turns

FIRST = "journal-00000001.felt"
TEXT = 'the table\n{"round":7} with two lines and a caf\u00e9'


def evening_with_snapshots() -> ForgetfulDisk:
    """Turns 0-9, with snapshots after turns 2, 5 and 7."""
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER)
    for turns in (range(3), range(3, 6), range(6, 8)):
        write_turns(opened, turns)
        opened.store.save_snapshot(f"{TEXT} {turns.stop}")
    opened.store.rotate(HEADER)
    write_turns(opened, range(8, 10))
    return disk


def snapshots_of(disk: ForgetfulDisk) -> list[str]:
    return [name for name in disk.names() if name.startswith("snapshot")]


def test_the_newest_snapshot_is_offered_with_the_records_after_it() -> None:
    opened = open_journal(evening_with_snapshots(), HEADER)
    assert opened.snapshot is not None
    assert opened.snapshot.text == f"{TEXT} 8"
    assert opened.snapshot.table_digest == digest(7)
    assert turns_in(opened.records) == [turn(8), turn(9)]
    assert opened.reports == ()


def test_an_audit_finds_the_same() -> None:
    disk = evening_with_snapshots()
    plain, audited = open_journal(disk, HEADER), open_journal(disk, HEADER, audit=True)
    assert replace(plain, store=audited.store) == audited
    assert plain.store.head == audited.store.head


def test_the_newest_are_kept_and_of_the_older_ones_one_in_each_stretch() -> None:
    taken = [100 * number for number in range(1, 400)]
    kept: list[str] = []
    for seq in taken:
        kept.append(snapshot_name(seq))
        for name in superfluous(kept):
            kept.remove(name)
    seqs = sorted(map(snapshot_seq, kept))
    assert seqs[-KEPT_SNAPSHOTS:] == taken[-KEPT_SNAPSHOTS:]
    assert seqs[:-KEPT_SNAPSHOTS] == [100, 8200, 16400, 24600, 32800]


def test_a_superfluous_snapshot_is_removed() -> None:
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER)
    for number in range(KEPT_SNAPSHOTS + 3):
        write_turns(opened, range(number, number + 1))
        opened.store.save_snapshot(TEXT)
    assert len(snapshots_of(disk)) == KEPT_SNAPSHOTS + 1  # the first one is a waypoint


def test_the_digest_for_the_chain_is_the_one_that_is_read_back() -> None:
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER)
    write_turns(opened, range(2))
    saved = opened.store.save_snapshot(TEXT)
    content = disk.read(saved.name)
    assert saved.digest.encode() == content[:64]
    assert saved.digest == hashlib.sha256(content[65:]).hexdigest()
    found = open_journal(disk, HEADER).snapshot
    assert found is not None
    assert snapshot_digest(found) == saved.digest


def test_a_bit_flipped_anywhere_in_a_snapshot_leads_to_the_one_before() -> None:
    files = content_of(evening_with_snapshots())
    newest = max(name for name in files if name.startswith("snapshot"))
    for place in range(len(files[newest])):
        content = bytearray(files[newest])
        content[place] ^= 1 << place % 8
        opened = open_journal(disk_with({**files, newest: bytes(content)}), HEADER)
        assert opened.snapshot is not None
        assert opened.snapshot.text == f"{TEXT} 6"
        assert turns_in(opened.records) == [turn(number) for number in range(6, 10)]
        assert opened.reports == (f"{newest} is not whole and was ignored",)


def test_without_a_whole_snapshot_the_journal_is_read_from_its_birth() -> None:
    disk = evening_with_snapshots()
    for name in snapshots_of(disk):
        disk.replace(name, b"junk")
    opened = open_journal(disk, HEADER)
    assert opened.snapshot is None
    assert turns_in(opened.records) == [turn(number) for number in range(10)]
    assert len(opened.reports) == 3


def test_a_snapshot_of_another_journal_is_ignored() -> None:
    disk = ForgetfulDisk()
    other = open_journal(disk, '{"nonce":"another"}')
    write_turns(other, range(3))
    saved = other.store.save_snapshot(TEXT)
    ours = ForgetfulDisk()
    write_turns(open_journal(ours, HEADER), range(5))
    ours.replace(saved.name, disk.read(saved.name))
    opened = open_journal(ours, HEADER)
    assert opened.snapshot is None
    assert opened.reports == (f"{saved.name} belongs to another journal and was ignored",)
    assert len(turns_in(opened.records)) == 5


def test_a_snapshot_of_an_evening_that_went_differently_is_ignored() -> None:
    """The folder was restored from a copy and played on: same journal, same place, but another record there."""
    disk = ForgetfulDisk()
    write_turns(open_journal(disk, HEADER), range(2))
    copy = disk_with(content_of(disk))
    opened = open_journal(disk, HEADER)
    write_turns(opened, range(9, 10))
    saved = opened.store.save_snapshot(TEXT)
    write_turns(open_journal(copy, HEADER), range(6, 7))
    assert len(copy.read(FIRST)) == len(disk.read(FIRST))
    copy.replace(saved.name, disk.read(saved.name))
    found = open_journal(copy, HEADER)
    assert found.snapshot is None
    assert found.reports == (f"{saved.name} does not agree with the journal and was ignored",)
    assert turns_in(found.records) == [turn(0), turn(1), turn(6)]


def test_damage_before_the_snapshot_is_found_by_the_audit() -> None:
    disk = evening_with_snapshots()
    content = bytearray(disk.read(FIRST))
    content[content.index(b"\n") + 30] ^= 4
    disk.replace(FIRST, bytes(content))
    assert turns_in(open_journal(disk, HEADER).records) == [turn(8), turn(9)]
    with pytest.raises(JournalDamaged):
        open_journal(disk, HEADER, audit=True)


def test_a_bit_flipped_anywhere_is_found_by_the_audit_or_costs_the_last_turn() -> None:
    files = content_of(evening_with_snapshots())
    last = max(name for name in files if name.startswith("journal"))
    last_line = len(files[last][:-1].rpartition(b"\n")[0]) + 1
    for name in (FIRST, last):
        for place in range(len(files[name])):
            content = bytearray(files[name])
            content[place] ^= 1 << place % 8
            disk = disk_with({**files, name: bytes(content)})
            if name == last and place >= last_line:
                assert turns_in(open_journal(disk, HEADER, audit=True).records) == [turn(8)]
            else:
                with pytest.raises(JournalDamaged):
                    open_journal(disk, HEADER, audit=True)
                assert content_of(disk) == {**files, name: bytes(content)}


@pytest.mark.parametrize("lost", ["tail", "journal"])
def test_a_snapshot_from_beyond_the_end_proves_that_turns_are_missing(lost: str) -> None:
    """A bad last record would be a torn tail, had its turn not been durable when the snapshot was taken."""
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER)
    write_turns(opened, range(3))
    opened.store.save_snapshot(TEXT)
    if lost == "tail":
        disk.truncate(FIRST, len(disk.read(FIRST)) - 1)
    else:
        disk.remove(FIRST)
    before = content_of(disk)
    with pytest.raises(JournalDamaged, match="a snapshot was taken at record 7, but the journal ends at record"):
        open_journal(disk, HEADER)
    assert content_of(disk) == before


def test_there_is_no_snapshot_before_the_first_turn() -> None:
    with pytest.raises(ValueError, match="no turn yet"):
        open_journal(ForgetfulDisk(), HEADER).store.save_snapshot(TEXT)


def test_a_snapshot_right_after_a_restart_is_of_the_last_turn() -> None:
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER)
    write_turns(opened, range(2))
    opened.store.rotate(HEADER)
    open_journal(disk, HEADER).store.save_snapshot(TEXT)
    found = open_journal(disk, HEADER)
    assert found.snapshot is not None
    assert (found.snapshot.table_digest, found.records) == (digest(1), ())
    found.store.save_snapshot("again")
    assert len(snapshots_of(disk)) == 1


def test_a_full_disk_refuses_a_snapshot_and_the_journal_goes_on() -> None:
    disk = ForgetfulDisk()
    opened = open_journal(disk, HEADER)
    write_turns(opened, range(1))
    disk.capacity_bytes = sum(len(disk.read(name)) for name in disk.names())
    with pytest.raises(OSError, match="full"):
        opened.store.save_snapshot(TEXT)
    disk.capacity_bytes = None
    write_turns(opened, range(1, 3))
    assert len(turns_in(open_journal(disk, HEADER).records)) == 3
