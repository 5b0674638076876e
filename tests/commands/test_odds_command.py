"""`felt odds` as a command: what it reads, what it writes, and the sentence for everything that is wrong."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from felt.commands import odds

STAX, CALIFORNIA, PICTURES = "stax-three-card", "california-three-card-poker", "lucky-three-pictures"
PROGRESSIVE = "progressive-3-card-poker"
PAIR_PLUS = {"straight_flush": 40, "three_of_a_kind": 30, "straight": 6, "flush": 4, "pair": 1}


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    odds.add_arguments(parser)
    return odds.run(parser.parse_args(words))


def sentences(capsys: pytest.CaptureFixture[str]) -> list[str]:
    captured = capsys.readouterr()
    assert captured.out == ""
    return [line for line in captured.err.splitlines() if not line.startswith("felt odds: counting ")]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["stud"], "'stud' is not a game on the shelf: use one of progressive-3-card-poker"),
        ([CALIFORNIA, "--meter", "minor=5"], "'minor' is not a meter of california-three-card-poker"),
        ([PICTURES, "--meter", "major=5"], "'major' is not a meter of lucky-three-pictures: it has none"),
        ([CALIFORNIA, "--meter", "major=-5"], "write it as in --meter major=20000000"),
        ([CALIFORNIA, "--meter", "major=5", "--meter", "major=6"], "the meter major is given twice"),
        ([CALIFORNIA, "--reading", "mood=good"], "'mood' is not a reading of this game; use one of"),
        ([CALIFORNIA, "--reading", "tie_break=luck"], "'luck' is not a value of this reading; use one of poker"),
        ([CALIFORNIA, "--reading", "tie_break"], "write it as in --reading NAME=VALUE"),
        (
            [CALIFORNIA, "--reading", "tie_break=poker", "--reading", "tie_break=highest_card"],
            "the reading tie_break is given twice: leave one of them out",
        ),
        ([STAX, "--stake", "0"], "'0' is not an amount: write minor units, as in --stake 2500"),
        ([STAX, "--stake=-5"], "'-5' is not an amount: write minor units, as in --stake 2500"),
        ([STAX, "--ante", "1.5"], "'1.5' is not an amount: write minor units, as in --ante 2500"),
        ([STAX, "--plot", "--json"], "--plot is for people and --json for a program: leave one of them out"),
        ([PICTURES, "--stake", "100"], "lucky-three-pictures has no progressive bet: leave --stake out"),
        ([PICTURES, "--ante", "100"], "lucky-three-pictures has no Ante: leave --ante out"),
        ([CALIFORNIA, "--table", "nowhere.toml"], "nowhere.toml: the file cannot be read"),
        ([CALIFORNIA, "--table", "nowhere.json"], "nowhere.json cannot be read"),
        ([STAX, "--set", 'game.pay_tables.player_bonus="D"'], "'D' is not a printed pay table of this bet"),
    ],
)
def test_each_mistake_gets_one_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert run(*words) == 2
    (said,) = sentences(capsys)
    assert said.startswith("felt odds: ")
    assert sentence in said


@pytest.mark.parametrize(
    ("pair_plus", "sentence"),
    [
        ({**PAIR_PLUS, "flush": None}, "pay_tables.pair_plus: it has no row for flush; post what it pays"),
        ({**PAIR_PLUS, "flush": -3}, "pay_tables.pair_plus.flush: -3 is not from 1 to 1000000000"),
        ({**PAIR_PLUS, "flush": "3 to 1"}, "pay_tables.pair_plus.flush: '3 to 1' is not a whole number"),
        ({**PAIR_PLUS, "four_of_a_kind": 5}, "'four_of_a_kind' is unknown: use mini_royal, straight_flush"),
        ({}, "pay_tables.pair_plus: it has no rows"),
    ],
)
def test_a_posted_table_with_a_hole_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pair_plus: dict[str, object], sentence: str
) -> None:
    file = tmp_path / "posted.json"
    rows = {hand: pays for hand, pays in pair_plus.items() if pays is not None}
    file.write_text(json.dumps({"pay_tables": {"pair_plus": rows}}), encoding="utf-8")
    assert run(CALIFORNIA, "--table", str(file)) == 2
    (said,) = sentences(capsys)
    assert sentence in said


def test_a_posted_table_is_read_by_what_it_holds_and_not_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "posted.txt"
    file.write_text(json.dumps({"pay_tables": {"pair_plus": PAIR_PLUS}}), encoding="utf-8")
    assert run(CALIFORNIA, "--table", str(file), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    (pair_plus,) = (wager for wager in told["wagers"] if wager["wager"] == "pair_plus")
    assert pair_plus["house_edge_percent"] == 2.3167
    assert pair_plus["outcomes"][0] == {"outcome": "straight_flush", "count": 48, "pays": "40 to 1", "net": "40"}


def request(folder: Path, table: object) -> str:
    file = folder / "table.json"
    file.write_text(json.dumps(table) if table is not None else "", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("table", "words", "sentence"),
    [
        (None, [], "the file is empty: write a request's table, as felt settle reads it"),
        ({}, ["--set", "progressive.stake_minor=5"], "a request has no settings: leave --set out"),
    ],
)
def test_a_request_that_says_nothing_or_is_asked_for_settings_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], table: object, words: list[str], sentence: str
) -> None:
    assert run(STAX, "--table", request(tmp_path, table), *words) == 2
    (said,) = sentences(capsys)
    assert sentence in said


def told(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert run(*words, "--json") == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_a_stake_on_the_command_line_is_used_beside_a_request_that_states_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = told(capsys, STAX, "--table", request(tmp_path, {"progressive": {"stake": 100}}), "--stake", "500")
    (stax,) = (wager for wager in answer["wagers"] if wager["wager"] == "progressive")
    assert (stax["stake_minor"], stax["long_run_return_percent"]) == (500, 84.5113)


def test_no_table_may_be_run_by_a_request_that_returns_too_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = told(capsys, STAX, "--table", request(tmp_path, {"progressive": {"stake": 100}}))
    assert answer["refused"] == ["the progressive bet would return 139.35% of its stakes to the players"]


def test_two_different_terms_never_have_one_digest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = request(tmp_path, {"progressive": {"stake": 500}})
    variants: list[list[str]] = [[], ["--stake", "600"], ["--reading", "stax_hand=best_five_of_six"]]
    digests = [told(capsys, STAX, "--table", file, *words)["configuration"] for words in variants]
    assert len(set(digests)) == len(digests)


def test_a_page_and_an_answer_for_a_program_can_be_had_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "odds.html"
    assert told(capsys, PICTURES, "--html", str(file))["game"] == PICTURES
    assert file.exists()


def test_a_page_is_written_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "odds.html"
    assert run(PICTURES, "--html", str(file)) == 0
    assert sentences(capsys) == [f"felt odds: {file} is written"]
    assert "407,170,400" in file.read_text(encoding="utf-8")
    assert run(PICTURES, "--html", str(tmp_path)) == 1


def test_a_host_without_numpy_is_told_what_to_install() -> None:
    """As on a table's box: everything else of the command is there."""
    without = "import sys; sys.modules['numpy'] = None; from felt.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", without, "odds", PROGRESSIVE]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "felt odds: numpy is not installed: pip install 'felt[odds]'\n"
