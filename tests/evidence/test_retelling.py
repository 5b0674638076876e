"""A round is replayed from the waypoint before it and comes out the same, to the lamp, the letter and the cent."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt import cli
from felt.evidence.retelling import begun_at, round_numbered, rounds_of
from felt.journal import snapshot
from felt.journal.reading import read_records
from felt.journal.record import write_line
from felt.journal.waypoints import Waypoint, snapshot_at, waypoints
from felt.virtual.disk import ForgetfulDisk
from tests.evidence.evening import BEGIN, ROUND, STOP, SignedTable


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> SignedTable:
    patch = pytest.MonkeyPatch()
    patch.setattr(snapshot, "KEPT_SNAPSHOTS", 3)
    patch.setattr(snapshot, "WAYPOINT_RECORDS", 100)
    told = BEGIN + ROUND * 7 + STOP + BEGIN + ROUND * 5
    made = SignedTable(tmp_path_factory.mktemp("table"), told, with_key=False)
    patch.undo()
    return made


@pytest.fixture
def disk(table: SignedTable) -> ForgetfulDisk:
    return table.stage.evening.disk


def test_waypoints_are_eras_and_kept_snapshots(disk: ForgetfulDisk) -> None:
    found = waypoints(disk)
    assert [waypoint.seq for waypoint in found] == sorted(waypoint.seq for waypoint in found)
    assert sum(waypoint.snapshot is None for waypoint in found) == 2
    assert 5 <= sum(waypoint.snapshot is not None for waypoint in found) < 12


@pytest.mark.parametrize("role", ["", "supervisor"])
def test_any_round_is_the_same_from_its_waypoint_as_from_the_beginning(disk: ForgetfulDisk, role: str) -> None:
    whole = list(rounds_of(read_records(disk), role))
    assert [told.record["round"] for told in whole] == list(range(1, 13))
    for told in whole:
        assert round_numbered(disk, told.record["round"], role) == told
        assert told.lamps
        assert told.letters
    assert round_numbered(disk, 13) is None
    assert round_numbered(disk, 0) is None


def test_a_snapshot_that_was_changed_is_no_waypoint(table: SignedTable) -> None:
    disk = ForgetfulDisk()
    for name in table.stage.evening.disk.names():
        disk.replace(name, table.stage.evening.disk.read(name))
    kept = [waypoint for waypoint in waypoints(disk) if waypoint.snapshot]
    for waypoint in kept:
        assert waypoint.snapshot is not None
        disk.replace(waypoint.snapshot, disk.read(waypoint.snapshot)[:-1] + b"x")
        assert snapshot_at(disk, waypoint) is None
        assert begun_at(disk, waypoint) is None
    told = round_numbered(disk, 9)
    assert told is not None
    assert told.record["round"] == 9
    assert snapshot_at(disk, Waypoint(2, None)) is None


def test_replay_shows_every_lamp_letter_and_cent_of_a_past_round(
    table: SignedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["replay", str(table.journal), "3"]) == 0
    told = capsys.readouterr().out
    assert "round 3:" in told
    assert "lamp " in told
    assert "letter RoundLocked" in told
    assert "$25" in told
    assert cli.main(["replay", str(table.journal), "99"]) == 1
    assert "no round 99" in capsys.readouterr().err


def written_by_another_version(table: SignedTable) -> None:
    """The journal with another digest of the table in its first era, as a version with another table would write it."""
    chain, is_changed = "0" * 64, False
    for name in ("journal-00000001.felt", "journal-00000002.felt"):
        lines = []
        for line in (table.journal / name).read_text().splitlines():
            number, payload, digest = int(line.split(" ", 1)[0]), *line.split(" ", 2)[2].rsplit(" ", 2)[:2]
            if digest != "-" and not is_changed:
                digest, is_changed = "0" * 64, True
            written, chain = write_line(number, payload, None if digest == "-" else digest, chain)
            lines.append(written)
        (table.journal / name).write_bytes(b"".join(lines))
    for file in table.journal.glob("[sc]*"):  # snapshots and checkpoints belong to the other chain
        file.unlink()


def test_an_era_that_only_another_version_can_replay_is_named_and_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = SignedTable(tmp_path, BEGIN + ROUND * 2 + STOP + BEGIN + ROUND, with_key=False)
    written_by_another_version(table)
    assert cli.main(["replay", str(table.journal)]) == 0
    output = capsys.readouterr()
    assert [line.split(":")[0] for line in output.out.splitlines()] == ["round 3"]
    assert "the era from record 2 on is skipped" in output.err
    assert cli.main(["replay", str(table.journal), "3"]) == 0
    assert "round 3:" in capsys.readouterr().out
    ever = ["--from", "2000-01-01T00:00", "--to", "2100-01-01T00:00"]
    assert cli.main(["report", "--config", str(table.config_file), *ever]) == 1
    output = capsys.readouterr()
    assert "Rounds settled: 1, void: 0." in output.out
    assert "NOT COUNTED" in " ".join(output.out.split())
    assert "NOT COUNTED" in output.err
    assert cli.main(["replay", str(table.journal), "--events"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 60
