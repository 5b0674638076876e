"""`felt settle` and `felt rules` as commands: arguments, help, exit statuses."""

from __future__ import annotations

import argparse
import io
import json
import sys

import pytest

from felt.commands import rules, settle
from felt.rules import shelf


class Piped:
    """Standard input or output as a process has it."""

    def __init__(self, content: bytes = b"") -> None:
        self.buffer = io.BytesIO(content)


def run_settle(monkeypatch: pytest.MonkeyPatch, content: bytes, *arguments: str) -> tuple[int, bytes]:
    parser = argparse.ArgumentParser()
    settle.add_arguments(parser)
    output = Piped()
    monkeypatch.setattr(sys, "stdin", Piped(content))
    monkeypatch.setattr(sys, "stdout", output)
    status = settle.run(parser.parse_args(arguments))
    monkeypatch.undo()
    return status, output.buffer.getvalue()


def test_settle_reads_lines_and_its_status_tells_whether_all_were_good(monkeypatch: pytest.MonkeyPatch) -> None:
    good = b'{"id": 1, "game": "stax-three-card", "void": true, "boxes": []}\n'
    assert run_settle(monkeypatch, good)[0] == 0
    status, output = run_settle(monkeypatch, good + b"?\n")
    assert status == 1
    assert [json.loads(line)["id"] for line in output.splitlines()] == [1, None]


def test_settle_of_nothing_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_settle(monkeypatch, b"") == (0, b"")


@pytest.mark.parametrize("jobs", ["0", "-1", "many", "65", "1.5"])
def test_settle_refuses_a_silly_number_of_jobs(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    settle.add_arguments(parser)
    with pytest.raises(SystemExit) as exit_:
        parser.parse_args(["--jobs", jobs])
    assert exit_.value.code == 2
    assert "jobs" in capsys.readouterr().err


def run_rules(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    rules.add_arguments(parser)
    return rules.run(parser.parse_args(arguments))


def test_rules_lists_every_game_with_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_rules() == 0
    output = capsys.readouterr().out
    assert [line.split()[0] for line in output.splitlines() if not line.startswith(" ")] == list(shelf.GAMES)


@pytest.mark.parametrize("game", shelf.GAMES)
def test_rules_shows_wagers_pay_tables_and_readings(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_rules(game) == 0
    told = " ".join(capsys.readouterr().out.split())  # lines are broken where a terminal ends
    book = shelf.rulebook(game)
    assert all(wager.name in told for wager in book.wagers)
    assert all(reading.name in told and reading.meaning in told for reading in book.readings)
    assert run_rules(game, "--json") == 0
    plain = json.loads(capsys.readouterr().out)
    assert [reading["name"] for reading in plain["readings"]] == [reading.name for reading in book.readings]
    assert {table["bet"] for table in plain["pay_tables"]} == {table.bet for table in book.pay_tables}


def test_rules_of_all_games_can_be_read_by_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_rules("--json") == 0
    assert [game["game"] for game in json.loads(capsys.readouterr().out)["games"]] == list(shelf.GAMES)


def test_rules_of_an_unknown_game_is_wrong_use_and_says_which_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_rules("baccarat") == 2
    error = capsys.readouterr().err
    assert error.startswith("felt rules: 'baccarat' is not a game on the shelf: use one of")
    assert error.count("\n") == 1
