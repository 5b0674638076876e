"""Questions that chips raise after the lock, and the count of them."""

from __future__ import annotations

from felt.nouns.ids import Spot
from felt.nouns.stamps import BURST_SETTLE_TIMES
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
    """Evidence that came after the snapshot: the snapshot stays, the supervisor returns the chip or voids. Also of an
    edge after the lock that belongs to a burst before it, because then the burst ended otherwise than it seemed."""
    assert isinstance(fact, facts.ChipSeen | facts.ChipLifted)
    if phase_of_play(table) not in AFTER_SNAPSHOT or lock.edge_is_after_lock(table, fact.spot, fact.edge_ns):
        return ()
    because = f"{fact.spot} changed before the lock, but the edge was delivered after bets were recorded"
    rule = settle.paragraphs_of(table).chip_positions
    question = Question("", "late_evidence", fact.spot, rule, (RETURN, VOID), RETURN, because, holds=False)
    return once(table, question)


def by_drain(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.DeadlinePassed)
    return _undetermined_chips(table) if fact.name == "drain" else ()


def by_ruling(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    """While the lock waits for rulings, a coin spot can come back that had failed: its chip is asked about as well."""
    return _undetermined_chips(table) if table.round is not None and table.round.drained else ()


def _undetermined_chips(table: Table) -> tuple[Question, ...]:
    if phase_of_play(table) is not Phase.LOCKING:
        return ()
    rule = settle.paragraphs_of(table).after_lock
    return tuple(one for spot in lock.undetermined(table) for one in once(table, _undetermined(table, spot, rule)))


def _undetermined(table: Table, spot: Spot, rule: str) -> Question:
    because = _why_undetermined(table, spot)
    return Question("", "undetermined_chip", spot, rule, (RETURN, SEAT), RETURN, because, holds=False)


def _why_undetermined(table: Table, name: Spot) -> str:
    assert table.settings is not None
    spot = next(one for one in table.spots if one.spot == name)
    long_ns = BURST_SETTLE_TIMES * lock.settle_ns(table.settings, name)
    if not spot.bursts[-1].ended:
        return f"the contact of {name} still chatters: nobody can tell what lay there at the lock"
    needed_from_ns = lock.needed_from_ns(table, name) or 0
    near = [burst for burst in lock.changes(spot) if burst.last_ns >= needed_from_ns]
    if any(burst.found for burst in near):
        return f"{name} was found changed without an edge: nobody can tell whether that was before the lock"
    if any(burst.last_ns - burst.edge_ns > long_ns for burst in near):
        return f"the contact of {name} chattered across the lock and ended changed: nobody can tell when it changed"
    return f"the edge of {name} lies too near the lock for its clock to tell which came first"


def by_count(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    coin = settle.coin_wager(table.settings) if table.settings else None
    if coin is None or table.round is None or table.phase not in (Phase.DEALING, Phase.DECIDING, Phase.REVEALING):
        return ()
    count = len(settle.contributions(table.round))
    because = f"{count} progressive bets were accepted and the dealer has collected another number of chips"
    rule = settle.paragraphs_of(table).chip_positions
    return once(table, Question("", "count_mismatch", coin.name, rule, (NOTED, VOID), NOTED, because, holds=False))
