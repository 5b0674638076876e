"""Checkpoints: made between rounds and at a stop, sealed and tied together. Mistakes in them are found."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from felt.evidence.checkpoints import AttestedJournal, CheckpointWriter
from felt.evidence.felt_check import CHECKPOINTS, Wrong, read_checkpoints, walk
from felt.evidence.signing import key_of_seed
from felt.journal.reading import whole_segments
from felt.journal.store import Head
from felt.loop.boot import BootRefused
from felt.loop.outward import Outward
from felt.stories.playing import play
from felt.stories.script import parse_story
from felt.virtual.disk import ForgetfulDisk, PowerCut
from tests.evidence.evening import BEGIN, ROUND, STOP, SignedTable, flipped

JOURNAL = AttestedJournal("T1", "a" * 64, "b" * 64)
KEY = key_of_seed(bytes(32))


def test_each_round_and_each_stop_leaves_a_checkpoint_of_the_chain(tmp_path: Path) -> None:
    table = SignedTable(tmp_path)
    disk = table.stage.evening.disk
    found = read_checkpoints(disk.read(CHECKPOINTS))
    assert len(found) == 3
    assert {checkpoint.public for checkpoint in found} == {table.key.public.hex() if table.key else ""}
    walked = walk(whole_segments(disk), [checkpoint.seq for checkpoint in found])
    assert [walked.chains[checkpoint.seq] for checkpoint in found] == [checkpoint.chain for checkpoint in found]
    assert {(checkpoint.table, checkpoint.journal) for checkpoint in found} == {("T1", walked.journal)}


def test_without_a_key_they_are_sealed_by_digests_and_say_so(tmp_path: Path) -> None:
    table = SignedTable(tmp_path, with_key=False)
    found = read_checkpoints(table.stage.evening.disk.read(CHECKPOINTS))
    assert [checkpoint.public for checkpoint in found] == ["-"] * 3


@pytest.mark.parametrize("key", [None, KEY])
def test_every_flipped_bit_of_a_checkpoint_is_found(key: object, full: bool) -> None:
    disk = ForgetfulDisk()
    checkpoints = CheckpointWriter(disk, JOURNAL, KEY if key else None, 1)
    for number in (5, 9):
        checkpoints.attest(Head(number, f"{number}" * 64), 1_700_000_000_000_000_000 + number)
    content = disk.read(CHECKPOINTS)
    assert len(read_checkpoints(content)) == 2
    chance = random.Random(3)
    places = [(place, bit) for place in range(len(content)) for bit in range(8)]
    for place, bit in places if full else chance.sample(places, 150):
        with pytest.raises(Wrong):
            read_checkpoints(flipped(content, place, bit))
    with pytest.raises(Wrong, match="line 1"):
        read_checkpoints(content.partition(b"\n")[2])


@pytest.mark.parametrize("seed", range(20))
def test_a_power_cut_while_a_checkpoint_is_written_costs_only_that_one(seed: int) -> None:
    chance = random.Random(seed)
    disk = ForgetfulDisk(chance.randrange)
    checkpoints = CheckpointWriter(disk, JOURNAL, None, 1)
    checkpoints.attest(Head(1, "1" * 64), 1)
    disk.cut_at(chance.choice((1, 2)))
    with pytest.raises(PowerCut):
        checkpoints.attest(Head(2, "2" * 64), 2)
    disk.power_on()
    after = CheckpointWriter(disk, JOURNAL, None, 1)
    after.attest(Head(3, "3" * 64), 3)
    found = [checkpoint.seq for checkpoint in read_checkpoints(disk.read(CHECKPOINTS))]
    assert found in ([1, 3], [1, 2, 3])
    assert all("not a checkpoint" in report for report in after.reports)


def test_a_table_that_restarts_after_every_round_makes_as_many_checkpoints_as_any_other() -> None:
    attested = []
    for rounds in range(1, 8):
        told = "story: Restarts\nset journal.checkpoint_rounds = 3\n" + BEGIN + (ROUND + "power cut\nboot\n") * rounds
        disk = play(parse_story(told, "restarts"), "restarts").evening.disk
        attested.append(disk.read(CHECKPOINTS).count(b"\n") if CHECKPOINTS in disk.names() else 0)
    assert attested == [0, 0, 1, 1, 1, 2, 2]


def test_a_disk_that_refuses_a_checkpoint_costs_no_turn() -> None:
    disk = ForgetfulDisk()
    checkpoints = CheckpointWriter(disk, JOURNAL, None, 1)
    disk.fail_syncs()
    checkpoints.attest(Head(1, "1" * 64), 1)
    checkpoints.attest(Head(2, "2" * 64), 2)
    assert disk.read(CHECKPOINTS).count(b"\n") == 1


def test_a_table_whose_journal_ends_before_a_checkpoint_does_not_start(tmp_path: Path) -> None:
    evening = SignedTable(tmp_path, BEGIN + ROUND).stage.evening
    segment = "journal-00000001.felt"
    for name in evening.disk.names():
        if name.startswith("snapshot"):
            evening.disk.remove(name)
    lines = evening.disk.read(segment).splitlines(keepends=True)
    closing = [place for place, line in enumerate(lines) if line.split()[-2] != b"-"]
    evening.disk.replace(segment, b"".join(lines[: closing[-6] + 1]))
    with pytest.raises(BootRefused, match=r"F-401.*checkpoint 1"):
        evening.boot()


def test_another_byte_of_software_is_noted_at_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from felt.evidence.changes import software_changes
    from felt.wiring import table_builder

    table = SignedTable(tmp_path, BEGIN + ROUND)
    evening = table.stage.evening
    first = software_changes(evening.disk)
    assert [change.from_firmware for change in first] == [""]
    for number in range(12):
        evening.power_cut()
        monkeypatch.setattr(table_builder, "software_identity", lambda number=number: f"{number:064x}")
        evening.boot()
        evening.advance(100)
    changes = software_changes(evening.disk)
    assert [change.software for change in changes[1:]] == [f"{number:064x}" for number in range(12)]
    assert [change.from_software for change in changes[2:]] == [change.software for change in changes[1:-1]]
    assert all(change.firmware == changes[0].firmware and change.wall_ns for change in changes)


def test_an_orderly_stop_is_signed(tmp_path: Path) -> None:
    table = SignedTable(tmp_path, BEGIN + ROUND + STOP)
    disk = table.stage.evening.disk
    closed = [line for _, content in whole_segments(disk) for line in content.splitlines() if b'"EraClosed"' in line]
    assert read_checkpoints(disk.read(CHECKPOINTS))[-1].chain == closed[-1].split()[-1].decode()


def test_a_signature_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table says everything of the turn that ended the round before it makes its checkpoint."""
    happened: list[str] = []
    append, speak = ForgetfulDisk.append, Outward.speak

    def noted_append(disk: ForgetfulDisk, name: str, data: bytes) -> None:
        happened.append("checkpoint" if name == CHECKPOINTS else "turn")
        append(disk, name, data)

    def noted_speak(*said: Any) -> None:
        speak(*said)
        happened.append("said")

    monkeypatch.setattr(ForgetfulDisk, "append", noted_append)
    monkeypatch.setattr(Outward, "speak", noted_speak)
    SignedTable(tmp_path, BEGIN + ROUND * 3)
    made = [place for place, event in enumerate(happened) if event == "checkpoint"]
    assert len(made) == 3
    assert {happened[place - 1] for place in made} == {"said"}
