"""Seen, collected, decided, revealed, settled."""

from __future__ import annotations

from felt.rules.rulebook import WALK_AWAY
from felt.table import facts, letters, panel, settle
from felt.table.state import ClaimState, Decision, Table, with_round
from felt.table.upkeep import post


def mark_seen(table: Table, _: facts.Fact) -> Table:
    return with_round(table, seen=True)


def mark_collected(table: Table, fact: facts.Fact) -> Table:
    return with_round(table, collected=True, collected_ns=fact.at.mono_ns)


def decide(table: Table, fact: facts.Fact) -> Table:
    """A decision shows that the player has had his cards. Until the reveal the dealer may correct it."""
    assert isinstance(fact, facts.SeatPressed) and table.round is not None
    others = tuple(one for one in table.round.decisions if one.seat != fact.seat)
    left = table.panel.mode == WALK_AWAY
    made = panel.walk_away(table, fact.seat) if left else Decision(fact.seat, table.panel.mode)
    decided = (*others, made)
    return with_round(table, decisions=tuple(sorted(decided)), seen=True)


def reveal(table: Table, _: facts.Fact) -> Table:
    return with_round(table._replace(panel=panel.dark(table.panel)), revealed=True)


def settle_round(table: Table, fact: facts.Fact) -> Table:
    assert table.round is not None
    lines = settle.lines_of(table)
    claims = settle.claims_of(table.round, lines)
    states = tuple(ClaimState(claim.claim, claim.seat, claim.level) for claim in claims)
    table = with_round(table, lines=lines, claims=states, settled_at=fact.at)
    assert table.round is not None
    tallied = table.tally.contributions_minor + settle.staked_minor(table.round)
    tally = table.tally._replace(contributions_minor=tallied)
    returned = settle.contributions_returned(table.round)
    return post(table._replace(tally=tally), letters.RoundResultLetter(table.round.number, fact.at, claims, returned))
