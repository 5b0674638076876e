"""Seen, collected, decided, revealed, settled."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.money import say
from felt.nouns.values import replace
from felt.rules.rulebook import WALK_AWAY, Line
from felt.table import facts, panel, settle
from felt.table.irregular import bets
from felt.table.registered import value_registered
from felt.table.state import ClaimState, Decision, Table, with_round
from felt.table.upkeep import notice, post


def mark_seen(table: Table, _: facts.Fact) -> Table:
    return with_round(table, seen=True)


def mark_collected(table: Table, fact: facts.Fact) -> Table:
    return with_round(table, collected=True, collected_ns=fact.at.mono_ns)


def _by_seat(decisions: tuple[Decision, ...]) -> tuple[Decision, ...]:
    return tuple(sorted(decisions, key=lambda decision: decision.seat))


def decide(table: Table, fact: facts.Fact) -> Table:
    """A decision shows that the player has had his cards; leaving without one does not. Until the reveal the dealer
    may correct it."""
    assert isinstance(fact, facts.SeatPressed) and table.round is not None
    others = tuple(one for one in table.round.decisions if one.seat != fact.seat)
    left = table.panel.mode == WALK_AWAY
    made = panel.walk_away(table, fact.seat) if left else Decision(fact.seat, table.panel.mode)
    seen = table.round.seen or made.choice != WALK_AWAY
    return with_round(table, decisions=_by_seat((*others, made)), seen=seen)


def note_left(table: Table, fact: facts.Fact) -> Table:
    """A player leaves outside the time of decisions: with one to make he has folded, else his bets are settled."""
    assert isinstance(fact, facts.SeatPressed) and table.round is not None
    made = panel.walk_away(table, fact.seat)
    others = tuple(one for one in table.round.decisions if one.seat != fact.seat)
    table = with_round(table, decisions=_by_seat((*others, made)))
    paragraphs = settle.paragraphs_of(table)
    folded = made.choice == WALK_AWAY
    rule = paragraphs.walked_undecided if folded else paragraphs.walked_away
    said = "he has folded" if folded else "his bets are settled as they lie"
    return notice(table, "noted", f"Box {fact.seat}: the player left, {said} ({rule}).")


def find_amount(table: Table, fact: facts.Fact) -> Table:
    """The snapshot stays. Once the round is settled the lines of that box are made anew, all but the claims."""
    assert isinstance(fact, facts.AmountFound) and table.round is not None
    found = dict(table.round.found)
    found[fact.spot] = fact.amount_minor
    table = with_round(table, found=tuple(sorted(found.items())))
    table = notice(table, "noted", f"{fact.spot}: {_say(table, fact.amount_minor)} was found there ({fact.person}).")
    for remark in bets.after_lock(table):
        if remark.spot == fact.spot:
            table = notice(table, "noted", remark.sentence)
    return with_round(table, lines=lines_again(table)) if settle.round_of(table).settled_at else table


def lines_again(table: Table) -> tuple[Line, ...]:
    """A line that claims a jackpot is the controller's and the supervisor's business already."""
    claimed = {(line.seat, line.bet): line for line in settle.round_of(table).lines if line.level}
    return tuple(claimed.get((line.seat, line.bet), line) for line in settle.lines_of(table))


def _say(table: Table, amount_minor: int) -> str:
    assert table.settings is not None
    return say(amount_minor, table.settings.terms.currency)


def reveal(table: Table, _: facts.Fact) -> Table:
    return with_round(replace(table, panel=panel.dark(table.panel)), revealed=True)


def settle_round(table: Table, fact: facts.Fact) -> Table:
    assert table.round is not None
    lines = settle.lines_of(table)
    claims = settle.claims_of(table, lines)
    states = tuple(
        ClaimState(
            claim.claim, claim.seat, claim.level,
            registered_micro=value_registered(table, claim.level), by_hand=claim.by_hand,
        )
        for claim in claims
    )
    table = with_round(table, lines=lines, claims=states, settled_at=fact.at)
    for remark in bets.after_lock(table):
        table = notice(table, "noted", remark.sentence)
    assert table.round is not None
    tallied = table.tally.contributions_minor + settle.staked_minor(table.round)
    tally = replace(table.tally, contributions_minor=tallied)
    returned = settle.contributions_returned(table.round)
    return post(replace(table, tally=tally), letters.RoundResultLetter(table.round.number, fact.at, claims, returned))
