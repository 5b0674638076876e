"""In test mode nothing counts: no letter is posted and no tally changes, whatever the table is told. The last round and
the questions about it stay as they are, and so does everything that the next round depends on."""

from __future__ import annotations

import pytest

from felt.desk.permissions import POWERS
from felt.table import facts
from felt.table.facts import FACTS, Fact
from felt.table.maintenance import REFUSED
from felt.table.state import ServiceState, Table
from tests.table.bench import STEPPER, WAYS, samples, table_at

TESTED = [way for way in WAYS if "in test mode" in way]
# An era opens before any test of its own: it knows the old one only by its hand-over.
FACTS_OF_AN_ERA = [kind for kind in FACTS.values() if kind is not facts.EraOpened]
# Orders of players and dealers that have rows of their own in every state, or are answered before the table hears them.
ELSEWHERE = ("TableOpened", "TableClosed", "MeterAdjusted", "DealerSignedIn")


def _counts(table: Table) -> tuple[object, ...]:
    return (
        table.post.written, table.tally, table.round, table.previous, table.phase, table.irregularity,
        table.progressive_off, table.barred, table.shuffler.struck,
    )  # fmt: skip


def test_the_bench_has_tables_in_test_mode_with_something_to_lose() -> None:
    tables = [table_at(way) for way in TESTED]
    assert all(table.service.state is ServiceState.TEST for table in tables)
    assert any(table.previous is not None for table in tables)
    assert any(table.irregularity.questions for table in tables)


@pytest.mark.parametrize("way", TESTED)
def test_no_fact_posts_a_letter_or_moves_money_in_test_mode(way: str) -> None:
    table = table_at(way)
    for kind in FACTS_OF_AN_ERA:
        for fact in samples(kind, table):
            assert _counts(STEPPER.after(table, fact)) == _counts(table), fact


@pytest.mark.parametrize("way", TESTED)
@pytest.mark.parametrize("kind", REFUSED)
def test_orders_about_play_are_refused_in_test_mode_with_that_reason(way: str, kind: type[Fact]) -> None:
    table = table_at(way)
    for fact in samples(kind, table):
        after = STEPPER.after(table, fact)
        assert [notice.sentence for notice in after.panel.notices if notice.number > table.panel.noticed] == [
            "The table is in test mode (t): leave it first."
        ]


def test_every_order_about_play_is_listed_here() -> None:
    play = [kind for kind, roles in POWERS.items() if "technician" not in roles]
    assert {FACTS[kind] for kind in play if kind not in ELSEWHERE} <= set(REFUSED)


def test_a_void_after_the_test_is_the_same_as_before_it() -> None:
    table = table_at("in test mode after a round")
    left = STEPPER.after(table, next(samples(facts.TestModeLeft, table)))
    ordered = facts.VoidOrdered(next(samples(facts.TestModeLeft, left)).at, "Ruth", "a quarrel", "shift_manager")
    voided = STEPPER.after(left, ordered)
    assert voided.previous is not None
    assert voided.previous.void_rule
    assert voided.post.written == table.post.written + 1
