"""Every cut and every flipped bit: a torn tail is set aside, damage is refused, and no record is ever wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.journal import JournalDamaged, open_journal
from tests.journal.evening import HEADER, Turn, content_of, disk_with, small_journal, turn, turns_in, write_turns

FILES = small_journal()
FIRST, LAST = sorted(FILES)
TRUTH: list[Turn] = [turn(number) for number in range(6)]


def test_the_small_journal_is_whole() -> None:
    opened = open_journal(disk_with(FILES), HEADER)
    assert turns_in(opened.records) == TRUTH
    assert (opened.torn, opened.reports, opened.born) == (None, (), False)


def turn_ends(content: bytes) -> list[int]:
    """Where the header and each complete turn end."""
    ends, offset = [], 0
    for line in content.splitlines(keepends=True):
        offset += len(line)
        if offset == len(line) or line.split(b" ")[-2] != b"-":
            ends.append(offset)
    return ends


def test_a_cut_at_every_byte_of_the_last_segment_is_a_torn_tail() -> None:
    whole = FILES[LAST]
    ends = turn_ends(whole)
    for size in range(len(whole)):
        disk = disk_with({**FILES, LAST: whole[:size]})
        kept = [end for end in ends if end <= size]
        expected = TRUTH[: 3 + max(0, len(kept) - 1)]
        left_over = whole[max(kept, default=0) : size]
        opened = open_journal(disk, HEADER)
        assert turns_in(opened.records) == expected
        assert (opened.torn is not None) == bool(left_over)
        if opened.torn:
            assert disk.read(opened.torn.kept_in) == left_over
            assert opened.torn.size_bytes == len(left_over)
            assert opened.torn.kept_in in str(opened.torn)
        again = open_journal(disk, HEADER)
        assert (again.torn, again.records, again.store.head) == (None, opened.records, opened.store.head)


def test_play_goes_on_after_a_torn_tail() -> None:
    disk = disk_with({**FILES, LAST: FILES[LAST][:-1]})
    opened = open_journal(disk, HEADER)
    write_turns(opened, range(5, 9))
    assert turns_in(open_journal(disk, HEADER).records) == [turn(number) for number in range(9)]


def test_a_cut_at_every_byte_of_an_earlier_segment_is_damage() -> None:
    for size in range(len(FILES[FIRST])):
        before = {**FILES, FIRST: FILES[FIRST][:size]}
        disk = disk_with(before)
        with pytest.raises(JournalDamaged) as caught:
            open_journal(disk, HEADER)
        # Cut between two turns, the first segment looks whole, and the second does not continue it.
        assert caught.value.segment == (LAST if size in turn_ends(FILES[FIRST]) else FIRST)
        assert content_of(disk) == before


def test_a_cut_at_every_byte_of_the_only_segment_never_loses_a_turn_before_the_cut() -> None:
    whole = FILES[FIRST]
    ends = turn_ends(whole)
    for size in range(len(whole)):
        opened = open_journal(disk_with({FIRST: whole[:size]}), HEADER)
        kept = [end for end in ends if end <= size]
        assert turns_in(opened.records) == TRUTH[: max(0, len(kept) - 1)]
        assert opened.born == (not kept)


def test_every_flipped_bit_is_damage_or_costs_the_last_turn_alone() -> None:
    last_line = len(FILES[LAST][:-1].rpartition(b"\n")[0]) + 1
    for name, whole in FILES.items():
        for place in range(len(whole)):
            for bit in range(8):
                flipped = whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :]
                disk = disk_with({**FILES, name: flipped})
                if name == LAST and place >= last_line:
                    opened = open_journal(disk, HEADER)
                    assert opened.torn is not None
                    assert turns_in(opened.records) == TRUTH[:-1]
                else:
                    with pytest.raises(JournalDamaged) as caught:
                        open_journal(disk, HEADER)
                    assert caught.value.segment == name
                    assert caught.value.offset <= place
                    assert content_of(disk) == {**FILES, name: flipped}


def test_damage_names_segment_byte_record_and_remedy() -> None:
    line_end = FILES[LAST].index(b"\n")
    merged = FILES[LAST][:line_end] + b"\x0b" + FILES[LAST][line_end + 1 :]
    with pytest.raises(JournalDamaged) as caught:
        open_journal(disk_with({**FILES, LAST: merged}), HEADER)
    assert str(caught.value) == (
        f"the journal is damaged in journal-00000002.felt at byte 0, record 8: a bad record is followed by a valid "
        f"one at byte {line_end + 1}; nothing was changed: keep betting closed, copy the folder for evidence and "
        "call service"
    )


@given(st.binary(max_size=1200))
def test_any_junk_after_the_last_turn_is_set_aside(junk: bytes) -> None:
    disk = disk_with({**FILES, LAST: FILES[LAST] + junk})
    opened = open_journal(disk, HEADER)
    assert turns_in(opened.records) == TRUTH
    assert (disk.read(opened.torn.kept_in) if opened.torn else b"") == junk


@given(place=st.integers(0, len(FILES[LAST])), removed=st.integers(0, 3000), junk=st.binary(max_size=300))
def test_whatever_is_overwritten_only_a_beginning_of_the_truth_is_believed(
    place: int, removed: int, junk: bytes
) -> None:
    content = FILES[LAST][:place] + junk + FILES[LAST][place + removed :]
    disk = disk_with({**FILES, LAST: content})
    try:
        opened = open_journal(disk, HEADER)
    except JournalDamaged:
        assert content_of(disk) == {**FILES, LAST: content}
    else:
        turns = turns_in(opened.records)
        assert turns == TRUTH[: len(turns)]


def test_a_missing_middle_segment_is_damage() -> None:
    files = small_journal()
    disk = disk_with(files)
    open_journal(disk, HEADER).store.rotate(HEADER)
    for name in (FIRST, LAST):
        missing = disk_with({other: content for other, content in content_of(disk).items() if other != name})
        with pytest.raises(JournalDamaged, match=f"{name} is missing"):
            open_journal(missing, HEADER)


def test_swapped_segments_are_damage() -> None:
    with pytest.raises(JournalDamaged):
        open_journal(disk_with({FIRST: FILES[LAST], LAST: FILES[FIRST]}), HEADER)


def test_a_removed_turn_in_the_middle_is_damage() -> None:
    lines = FILES[LAST].splitlines(keepends=True)
    with pytest.raises(JournalDamaged):
        open_journal(disk_with({**FILES, LAST: b"".join(lines[:1] + lines[2:])}), HEADER)


def test_turns_missing_before_a_fresh_segment_are_damage() -> None:
    first, second = turn_ends(FILES[FIRST])[1], FILES[LAST].index(b"\n") + 1
    before = {FIRST: FILES[FIRST][:first], LAST: FILES[LAST][:second]}
    disk = disk_with(before)
    with pytest.raises(JournalDamaged, match="record 8 stands here, so records before it are missing"):
        open_journal(disk, HEADER)
    assert content_of(disk) == before


def test_a_missing_turn_before_the_last_is_damage() -> None:
    lines = FILES[FIRST].splitlines(keepends=True)
    without_second = b"".join(line for line in lines[:2] + lines[4:5])
    with pytest.raises(JournalDamaged, match="missing"):
        open_journal(disk_with({FIRST: without_second}), HEADER)


def test_the_same_torn_tail_is_kept_once_and_another_one_beside_it() -> None:
    torn = {**FILES, LAST: FILES[LAST][:-1]}
    disk = disk_with(torn)
    first = open_journal(disk, HEADER).torn
    disk.replace(LAST, torn[LAST])  # as if the power had failed before the segment was cut
    second = open_journal(disk, HEADER).torn
    disk.replace(LAST, torn[LAST][:-7])
    third = open_journal(disk, HEADER).torn
    assert first is not None
    assert first == second
    assert third is not None
    assert (first.kept_in, third.kept_in) == ("torn-00000012.bin", "torn-00000012-2.bin")
    assert disk.read(first.kept_in) != disk.read(third.kept_in)


def test_a_foreign_file_is_ignored_and_reported() -> None:
    disk = disk_with({**FILES, "journal-00000001.felt.bak": b"x", "notes.txt": b"y"})
    opened = open_journal(disk, HEADER)
    assert turns_in(opened.records) == TRUTH
    assert opened.reports == (
        "journal-00000001.felt.bak does not belong to the journal and was ignored",
        "notes.txt does not belong to the journal and was ignored",
    )
    assert disk.read("notes.txt") == b"y"
