"""`felt jackpot backup` and `restore` as a person meets them."""

from __future__ import annotations

import contextlib
import json
import socket
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from felt.cli import main
from felt.config.jackpot_file import load_jackpot
from felt.config.link_folder import LEDGER_KEY
from felt.evidence.signing import write_new_key
from felt.jackpot.ledger.sql import SqlLedger
from felt.wiring.jackpot_controller import open_office
from tests.jackpot.evening import Sender
from tests.real.linked import controller_file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "link").mkdir()
    write_new_key(tmp_path / "link" / LEDGER_KEY)
    path = tmp_path / "jackpot.toml"
    path.write_text(controller_file(1, ("T1",)))
    with contextlib.closing(open_office(load_jackpot(path))) as office:
        Sender(office).play(1, 1, 2)
    return path


def say(*words: str | Path) -> int:
    try:
        return main([str(word) for word in words])
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        return ended.code


def test_a_ledger_is_kept_and_put_back_where_there_is_none(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = file.parent / "kept"
    assert say("jackpot", "backup", kept, "--json", "--config", file) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["letters"] == 3
    assert say("jackpot", "restore", kept, "--config", file) == 1
    assert "only put back where there is no ledger" in capsys.readouterr().err
    for path in file.parent.glob("jackpot.ledger*"):
        path.rename(path.with_name(f"former-{path.name}"))
    assert say("jackpot", "restore", kept, "--json", "--config", file) == 0
    assert json.loads(capsys.readouterr().out) == made
    with contextlib.closing(open_office(load_jackpot(file))) as office:
        assert office.standing.meters[0].wagers == 2
        assert office.report().conserved


def test_nothing_is_put_back_under_a_running_controller(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as controller:
        controller.bind(str(file.parent / "control"))
        controller.listen()
        assert say("jackpot", "restore", "any", "--config", file) == 1
    assert "A controller is running on this ledger" in capsys.readouterr().err


@pytest.mark.parametrize("action", ["backup", "restore"])
def test_a_file_must_be_named(action: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert say("jackpot", action, "--config", file) == 2
    assert "name the file" in capsys.readouterr().err


def test_a_file_that_is_no_backup_is_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in file.parent.glob("jackpot.ledger*"):
        path.unlink()
    (file.parent / "junk").write_bytes(b"junk\n" * 100)
    assert say("jackpot", "restore", file.parent / "junk", "--config", file) == 1
    assert "damaged or cut short" in capsys.readouterr().err
    assert not (file.parent / "jackpot.ledger").exists(), "what was not restored is not left behind"


def test_a_restore_that_fails_half_way_leaves_nothing_that_would_block_the_next(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = file.parent / "kept"
    assert say("jackpot", "backup", kept, "--config", file) == 0
    for path in file.parent.glob("jackpot.ledger*"):
        path.unlink()

    def fill_the_disk(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as full:
        full.setattr(SqlLedger, "_write_entries", fill_the_disk)
        assert say("jackpot", "restore", kept, "--config", file) == 1
    said = capsys.readouterr().err
    assert said.startswith("felt jackpot: Nothing was put back. ")
    assert "database or disk is full" in said
    assert not [*file.parent.glob("jackpot.ledger*")]
    assert say("jackpot", "restore", kept, "--config", file) == 0
    with contextlib.closing(open_office(load_jackpot(file))) as office:
        assert office.report().conserved
    assert sorted(path.name for path in file.parent.glob("jackpot.ledger*")) == [
        "jackpot.ledger",
        "jackpot.ledger-witness",
    ]
    assert stat.S_IMODE((file.parent / "jackpot.ledger").stat().st_mode) == 0o600


def test_a_ledger_that_appears_while_a_backup_is_put_back_is_not_touched(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, place = file.parent / "kept", file.parent / "jackpot.ledger"
    assert say("jackpot", "backup", kept, "--config", file) == 0
    for path in file.parent.glob("jackpot.ledger*"):
        path.unlink()
    fill = SqlLedger.fill

    def fill_beside_another(ledger: SqlLedger, *contents: Any) -> None:
        place.write_text("somebody else's")
        fill(ledger, *contents)

    monkeypatch.setattr(SqlLedger, "fill", fill_beside_another)
    assert say("jackpot", "restore", kept, "--config", file) == 1
    assert "File exists" in capsys.readouterr().err
    assert [path.read_text() for path in file.parent.glob("jackpot.ledger*")] == ["somebody else's"]


def test_a_folder_that_is_not_there_is_one_sentence(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = file.parent / "kept"
    assert say("jackpot", "backup", kept, "--config", file) == 0
    file.write_text(file.read_text().replace("[controller]", "[controller]\nledger = 'nowhere/ledger'"))
    assert say("jackpot", "restore", kept, "--config", file) == 1
    assert "nowhere/ledger cannot be made (No such file or directory)" in capsys.readouterr().err
