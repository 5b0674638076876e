"""The adjudicator's verdicts, point by point, as the documentation shows them, and its statement as data."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from felt.nouns.money import Currency
from felt.nouns.values import read, to_bytes
from felt.table import facts
from felt.table.interruptions import state
from felt.table.questions import plain_statement, say_statement
from felt.table.state import HELD_BY_INTERRUPTION, Phase, Question, Statement, read_table, write_table
from tests.table.bench import Bench, table_at

TOP = Path(__file__).resolve().parent.parent.parent


def test_the_verdicts_are_drawn_from_the_product() -> None:
    command = [sys.executable, str(TOP / "tools" / "draw_verdicts"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def _question(bench: Bench) -> Question:
    return bench.table.irregularity.questions[0]


def test_a_statement_says_outcome_cards_value_paragraph_and_proposal() -> None:
    asked = _question(Bench().dealing().boot())
    assert asked.statement == Statement(
        causes=("power was cut",), phase="DEALING", established=False, why="no bet has won or lost", seen=False,
        progressive_bets=1, registered=(("major", 5_000_000 * 1_000_000),), rule="5.7.2", proposal="void",
    )  # fmt: skip
    assert asked.because == (
        "power was cut; no outcome is established: no bet has won or lost; cards were not seen; "
        "1 progressive bet stands, registered major $50,000.00"
    )


def test_a_statement_survives_being_written_and_read_back() -> None:
    table = Bench().deciding().boot().table
    assert read_table(write_table(table)) == table
    (question,) = table.irregularity.questions
    assert read(Question, to_bytes(question)) == question


def test_screens_and_programs_read_the_statement_as_plain_json() -> None:
    stated = _question(Bench().deciding().do(facts.CardsSeenPressed).boot()).statement
    assert stated is not None
    assert json.loads(json.dumps(plain_statement(stated))) == {
        "causes": ["power was cut"],
        "phase": "DECIDING", "established": False, "why": "no bet has won or lost", "seen": True, "progressive_bets": 1,
        "registered": {"major": 5_000_000}, "rule": "5.7.2", "proposal": "void",
        "readings": {"outcome_established_by": "acts_and_revealed_cards", "power_cut_after_cards_seen": "void_5_7"},
    }  # fmt: skip


def test_later_events_do_not_change_a_statement() -> None:
    bench = Bench().dealing().boot()
    stated = _question(bench).statement
    assert _question(bench.cards("2c 7d")).statement == stated
    again = _question(bench.boot()).statement
    assert again is not None
    assert again.causes == ("power was cut",)


def test_every_held_phase_is_stated_with_a_rule_and_a_proposal() -> None:
    held = (Phase.BETTING, *HELD_BY_INTERRUPTION)
    for phase in held:
        stated = state(table_at(phase.value), "power was cut")
        assert (stated.rule, stated.proposal) == (("5.7.1", "continue") if stated.established else ("5.7.2", "void"))
        assert say_statement(stated, Currency())


@pytest.mark.parametrize(("reason", "taken"), [("", False), ("  ", False), ("as the camera shows", True)])
def test_overruling_the_adjudicator_needs_a_reason(reason: str, taken: bool) -> None:
    bench = Bench().dealing().boot()
    bench.do(facts.RulingMade, question="q1", choice="continue", person="supervisor", reason=reason)
    assert (bench.table.phase is Phase.DEALING) == taken
    if not taken:
        assert bench.table.panel.notices[-1].sentence.endswith("who rules continue says why.")
