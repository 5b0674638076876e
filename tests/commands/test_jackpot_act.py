"""What a person types for an act, and what he is shown before he says yes."""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import Any

import pytest

from felt.commands import jackpot_act
from felt.commands.failing import WrongUse
from felt.commands.jackpot_act import fields_said, preview_lines
from felt.config.jackpot_file import load_jackpot

FILE = "[tables.T1]\n[meters.major]\nreset_minor = 5000\nrate_bp = 300\n"
PREVIEW = {"meters": {"major": {"display_micro": [5_000_000_000, 6_250_000_000]}}, "records": []}


def named(table: str, nonce: str = "") -> dict[str, str]:
    return {"table": table, "claim": "7.3", "nonce": nonce}


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        (["meter=major", "reset=5000.00", "rate=3.25%"], {"meter": "major", "reset_minor": 500_000, "rate_bp": 325}),
        (["purse=display", "amount=-12.5"], {"purse": "display", "amount_micro": -1_250_000_000}),
        (["table=T1", "claim=7.3", "share=1/10"], {"claim": named("T1"), "share_num": 1, "share_den": 10}),
        (["table=T1", "claim=7.3", "journal=n1", "award=1"], {"claim": named("T1", nonce="n1"), "award_minor": 100}),
        (
            ["meter=major", "claims=T1:7.3,T2:4.1"],
            {"meter": "major", "claims": [{"table": "T1", "claim": "7.3"}, {"table": "T2", "claim": "4.1"}]},
        ),
        (["table=T2", "journal=n1", "round=4"], {"table": "T2", "nonce": "n1", "round": 4}),
        (["pay=yes"], {"pay": True}),
    ],
)  # fmt: skip
def test_fields_are_said_in_the_units_of_people(words: list[str], fields: dict[str, Any]) -> None:
    assert fields_said(words, 2) == fields


def test_a_currency_without_minor_units_has_none() -> None:
    assert fields_said(["reset=5000"], 0) == {"reset_minor": 5_000}


@pytest.mark.parametrize("word", ["reset=5.001", "reset=much", "rate=3.255%", "round=1.5", "pay=maybe", "meter", "=x"])
def test_what_is_no_such_field_is_named(word: str) -> None:
    with pytest.raises(WrongUse):
        fields_said([word], 2)


def test_what_would_change_is_said_in_the_currency() -> None:
    changes = {"major": {"reset_minor": [500_000, 1_000_000], "rate_bp": [300, 325], "display_micro": [10**9, 0]}}
    record = {"kind": "terms_agreed", "meter": "major", "claim": "", "detail": "From the next cycle."}
    lines = preview_lines("ChangeTerms", {"meters": changes, "records": [record]}, 2)
    assert lines == [
        "ChangeTerms would change:",
        "  meter major, reset: 5000.00 becomes 10000.00",
        "  meter major, rate: 3 % becomes 3.25 %",
        "  meter major, display: 10.00 becomes 0.00",
        "  written down: terms_agreed major  From the next cycle.",
    ]


@pytest.mark.parametrize(
    ("typed", "done"), [("yes\n", ["preview", "act"]), ("y\n", ["preview"]), ("", ["preview"])]
)
def test_nothing_is_done_before_somebody_has_typed_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, done: list[str]
) -> None:
    asked: list[dict[str, Any]] = []

    def ask(words: dict[str, Any]) -> dict[str, Any]:
        asked.append(words)
        return {"preview": PREVIEW} if "preview" in words else {"done": "AdjustMeter"}

    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    file = tmp_path / "jackpot.toml"
    file.write_text(FILE)
    parser = argparse.ArgumentParser()
    jackpot_act.add_arguments(parser)
    said = parser.parse_args(["--set", "meter=major", "--set", "amount=12.50", "--person", "Ann:supervisor"])
    said.what, said.json = "AdjustMeter", False
    assert jackpot_act.act(load_jackpot(file), said, ask) == (0 if len(done) == 2 else 1)
    assert [next(iter(words)) for words in asked] == done
    assert all(words["fields"] == {"meter": "major", "amount_micro": 1_250_000_000} for words in asked)
