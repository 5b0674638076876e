"""When another version may take over a table: the journal decides, whether the table runs or is dead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from felt import __version__
from felt.cli import main
from felt.host.upgrade_gate import Activity, Readiness, readiness_of
from felt.stories.evening import Evening
from felt.virtual.disk import ForgetfulDisk


def _open_table(evening: Evening) -> None:
    evening.order("TableOpened", person="Ann")
    evening.until(lambda: evening.phase == "IDLE")


def _open_round(evening: Evening) -> None:
    evening.press("open")
    evening.until(lambda: evening.phase == "BETTING")


def _void_round(evening: Evening) -> None:
    evening.order("VoidOrdered", person="Ann", reason="for the test")
    evening.until(lambda: evening.phase == "VOIDING")
    evening.press("settle")
    evening.until(lambda: evening.phase == "IDLE")


def _stop(evening: Evening) -> None:
    assert evening.running is not None
    evening.running.loop.stop()


def test_a_table_that_was_never_started_may_be_upgraded() -> None:
    disk = ForgetfulDisk(lambda _: 0)
    disk.power_on()
    assert readiness_of(disk) == Readiness(Activity.UNBORN)


def test_a_table_between_rounds_is_quiet_and_closes_its_era_when_it_stops() -> None:
    evening = Evening()
    _open_table(evening)
    assert readiness_of(evening.disk) == Readiness(Activity.QUIET, __version__)
    _stop(evening)
    assert readiness_of(evening.disk).activity is Activity.CLOSED


def test_an_open_round_is_named_before_and_after_a_power_cut_and_after_an_orderly_stop() -> None:
    evening = Evening()
    _open_table(evening)
    for number in ("1", "2"):  # the second round is found from the snapshot after the first
        _open_round(evening)
        assert readiness_of(evening.disk) == Readiness(Activity.ROUND, __version__, number)
        if number == "1":
            _void_round(evening)
            assert readiness_of(evening.disk).activity is Activity.QUIET
    evening.power_cut()
    evening.boot()
    assert readiness_of(evening.disk).activity is Activity.ROUND
    _stop(evening)
    assert readiness_of(evening.disk).activity is Activity.ROUND


def test_looking_changes_nothing() -> None:
    evening = Evening()
    _open_table(evening)
    before = {name: evening.disk.read(name) for name in evening.disk.names()}
    readiness_of(evening.disk)
    assert {name: evening.disk.read(name) for name in evening.disk.names()} == before


def _write_journal(evening: Evening, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name in evening.disk.names():
        (folder / name).write_bytes(evening.disk.read(name))


def test_the_command_says_why_not_and_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table_file = tmp_path / "table.toml"
    table_file.write_text('[table]\nid = "T1"\n')
    words = ["upgrade-check", "--config", str(table_file)]
    assert main(words) == 0
    assert "has no journal yet" in capsys.readouterr().out

    evening = Evening()
    _open_table(evening)
    _write_journal(evening, tmp_path / "journal")
    assert main(words) == 1
    said = capsys.readouterr().err
    assert f"F-404: table T1 was not stopped in good order, so {__version__} has not closed its era" in said
    assert said.count("\n") == 1

    _open_round(evening)
    _write_journal(evening, tmp_path / "journal")
    assert main([*words, "--json"]) == 1
    told = capsys.readouterr()
    assert json.loads(told.out)["rest"] == "round"
    assert "F-404: round 1 of table T1 is open" in told.err
    _void_round(evening)
    _stop(evening)
    _write_journal(evening, tmp_path / "journal")
    assert main([*words, "--closed"]) == 0
    assert "has closed its era: another version may take it over" in capsys.readouterr().out


def test_the_command_wants_a_table_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upgrade-check"]) == 2
    assert capsys.readouterr().err == "felt upgrade-check: no table file: name it with --config FILE\n"


@pytest.mark.parametrize(("kind", "warned"), [("gpiochip", False), ("rpigpio", True)])
def test_check_names_the_pin_library_that_is_missing(
    kind: str, warned: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("felt.commands.check.find_spec", lambda _: None)
    profile = "three-seat-header"
    settings = (f"board.kind={kind}", f"board.profile={profile}", "table.seats=3", "shuffler.url=/dev/null")
    chosen = [word for setting in (*settings, 'board.sensed=["ante", "progressive"]') for word in ("--set", setting)]
    assert main(["check", *chosen]) == 0
    sentence = "rpigpio needs the system's package python3-rpi.gpio, which is not installed here; apt install"
    assert (sentence in capsys.readouterr().err) is warned
