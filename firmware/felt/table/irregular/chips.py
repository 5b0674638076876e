"""Questions that chips raise after the lock, and the count of them."""

from __future__ import annotations

from felt.nouns.ids import Spot
from felt.table import facts, lock, settle
from felt.table.irregular.parts import (
    AFTER_SNAPSHOT,
    NOTED,
    RETURN,
    SEAT,
    VOID,
    once,
    phase_of_play,
)
from felt.table.state import Phase, Question, Table


def by_chip(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """Evidence that came after the snapshot: the snapshot stays, the supervisor returns the chip or voids."""
    assert isinstance(fact, facts.ChipSeen | facts.ChipLifted)
    if phase_of_play(table) not in AFTER_SNAPSHOT or lock.edge_is_after_lock(table, fact.spot, fact.edge_ns):
        return ()
    because = f"{fact.spot} changed before the lock, but the edge was delivered after bets were recorded"
    rule = settle.paragraphs_of(table).chip_positions
    question = Question("", "late_evidence", fact.spot, rule, (RETURN, VOID), RETURN, because, holds=False)
    return once(table, question)


def by_drain(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.DeadlinePassed)
    if fact.name != "drain" or phase_of_play(table) is not Phase.LOCKING:
        return ()
    rule = settle.paragraphs_of(table).after_lock
    return tuple(one for spot in lock.undetermined(table) for one in once(table, _undetermined(spot, rule)))


def _undetermined(spot: Spot, rule: str) -> Question:
    because = f"the edge of {spot} lies too near the lock for its clock to tell which came first"
    return Question("", "undetermined_chip", spot, rule, (RETURN, SEAT), RETURN, because, holds=False)


def by_count(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    coin = settle.coin_wager(table.settings) if table.settings else None
    if coin is None or table.round is None or table.phase not in (Phase.DEALING, Phase.DECIDING, Phase.REVEALING):
        return ()
    count = len(settle.contributions(table.round))
    because = f"{count} progressive bets were accepted and the dealer has collected another number of chips"
    rule = settle.paragraphs_of(table).chip_positions
    return once(table, Question("", "count_mismatch", coin.name, rule, (NOTED, VOID), NOTED, because, holds=False))
