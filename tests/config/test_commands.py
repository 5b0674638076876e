"""`felt check` and `felt config`, as a person or a program calls them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from felt.commands import check, config
from felt.config import demo_table, load


def run_check(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    check.add_arguments(parser)
    return check.run(parser.parse_args(arguments))


def run_config(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    config.add_arguments(parser)
    return config.run(parser.parse_args(arguments))


def test_check_says_that_a_good_file_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.toml"
    path.write_text('[table]\nid = "T4"\n', encoding="utf-8")
    assert run_check("--config", str(path)) == 0
    output = capsys.readouterr().out
    assert f"{path} is good: table T4, progressive-3-card-poker, 7 seats" in output
    assert load(path).digest in output


def test_check_says_what_is_wrong_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.toml"
    path.write_text("[table]\nseat = 7\n", encoding="utf-8")
    assert run_check("--config", str(path)) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"felt check: {path}: table.seat: unknown key")
    assert output.err.count("\n") == 1


def test_check_answers_a_program_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_check("--json") == 0
    assert json.loads(capsys.readouterr().out)["good"] is True
    assert run_check("--json", "--config", str(tmp_path)) == 1
    assert json.loads(capsys.readouterr().out)["problem"] == "this is a folder"


def test_config_prints_a_file_that_loads_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_config("--set", "lock.drain_ms=250") == 0
    path = tmp_path / "table.toml"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    assert load(path).digest == load(None, ["lock.drain_ms=250"]).digest


def test_config_prints_only_what_was_changed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_config("--changed", "--set", "lock.drain_ms=250") == 0
    assert capsys.readouterr().out == "[lock]\ndrain_ms = 250\n"
    assert run_config("--changed") == 0
    assert capsys.readouterr().out == "# nothing differs from the defaults\n"


def test_config_as_json_carries_digest_and_profile(capsys: pytest.CaptureFixture[str]) -> None:
    three_seats = (
        "board.kind=mock",
        "board.profile=three-seat-header",
        "table.seats=3",
        'board.sensed=["ante","progressive"]',
    )
    assert run_config("--json", *(part for override in three_seats for part in ("--set", override))) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["config"]["profile"]["name"] == "three-seat-header"
    assert printed["digest"] == load(None, three_seats).digest


def test_config_refuses_what_check_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_config("--set", "lock.drain_ms=1") == 1
    assert capsys.readouterr().err.startswith("felt config: override lock.drain_ms=1: lock.drain_ms: 1 is too short")


def test_check_says_that_antes_are_presumed(capsys: pytest.CaptureFixture[str]) -> None:
    coin_spots_alone = ("--set", 'board.sensed=["progressive"]')
    assert run_check(*coin_spots_alone) == 0
    assert "warning: table.antes: ante bets are presumed behind the chips that need them" in capsys.readouterr().err
    for known in (("--set", "table.antes=keyed", *coin_spots_alone), ()):
        assert run_check(*known) == 0
        assert "table.antes" not in capsys.readouterr().err


def test_check_refuses_antes_where_wagers_stand_alone(capsys: pytest.CaptureFixture[str]) -> None:
    table = str(demo_table("stax-three-card"))
    assert run_check("--config", table, "--set", "table.antes=keyed") == 1
    assert "table.antes: wagers of stax-three-card may stand alone" in capsys.readouterr().err
