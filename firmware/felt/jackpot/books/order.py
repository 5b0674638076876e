"""Who comes first. The only place that compares times: of hits in one meter's queue, and of a hit with the rounds that
may belong to its value. What the clocks cannot tell apart is undetermined, and then a person decides."""

from __future__ import annotations

from collections.abc import Iterator

from felt.jackpot.books.clocks import Moment, Order, moment_of, order_of
from felt.jackpot.books.draft import Context
from felt.jackpot.books.standing import (
    OUTSIDE,
    Bets,
    OpenClaim,
    Origin,
    Round,
    RoundStage,
    Standing,
    journal_of,
    last_hit,
    round_of_claim,
    rounds_in,
    valued_claim_on,
)
from felt.jackpot.books.terms import MajorsAcrossTables, link_of
from felt.nouns.values import Value

_ORDER_SIZE = 1_000_000  # places of one order of the house


def next_order(standing: Standing) -> int:
    """The first place of an order that the house now makes. In front of the place stands the number of the order."""
    last = max((claim.house_place for claim in standing.claims), default=0)
    return (last // _ORDER_SIZE + 1) * _ORDER_SIZE + 1


def place_in_order(claim: OpenClaim) -> int:
    return claim.house_place % _ORDER_SIZE


# --- hits --------------------------------------------------------------------------------------------


class Turn(Value):
    """Whose turn it is on a meter: one hit, or several of which no clock says which was first."""

    first: OpenClaim | None
    undetermined: tuple[OpenClaim, ...] = ()


def turn_on(standing: Standing, context: Context, meter: str) -> Turn:
    """The hit already valued, else the hand dealt first."""
    valued = valued_claim_on(standing, meter)
    if valued is not None:
        return Turn(valued)
    queue = [claim for claim in standing.claims if claim.meter == meter and not _stands_after_parts(standing, claim)]
    # Each is placed once: with every comparison it would cost more than a controller has, when many wait.
    timed = [(claim, moment_that_counts(context, claim)) for claim in queue]
    firsts = tuple(
        claim
        for claim, moment in timed
        if all(_order_of(standing, other, theirs, claim, moment) is not Order.BEFORE for other, theirs in timed)
    )
    if len(firsts) > 1:
        return Turn(None, firsts)
    # Where orders of the house and evidence form a circle, the lowest place given by the house goes first.
    return Turn(firsts[0] if firsts else min(queue, key=_by_the_house, default=None))


def _by_the_house(claim: OpenClaim) -> tuple[bool, int, int]:
    return not claim.house_place, place_in_order(claim), claim.place


def _stands_after_parts(standing: Standing, claim: OpenClaim) -> bool:
    return claim.split == OUTSIDE and any(
        other.split != OUTSIDE and (other.round_key, other.meter) == (claim.round_key, claim.meter)
        for other in standing.claims
    )


def _order_of(standing: Standing, claim: OpenClaim, mine: Moment, other: OpenClaim, theirs: Moment) -> Order:
    """By the house where it has named both in one order, else by the evidence. Where that tells nothing, the places of
    two orders are better than to ask again about a claim that was ordered among others."""
    ordered = bool(claim.house_place and other.house_place)
    if ordered and claim.house_place // _ORDER_SIZE == other.house_place // _ORDER_SIZE:
        return _by_number((claim.house_place,), (other.house_place,))
    told = _evidence(standing, claim, mine, other, theirs)
    if ordered and told is Order.UNDETERMINED:
        return _by_number((place_in_order(claim),), (place_in_order(other),))
    return told


def evidence_of_order(standing: Standing, context: Context, claim: OpenClaim, other: OpenClaim) -> Order:
    mine, theirs = moment_that_counts(context, claim), moment_that_counts(context, other)
    return _evidence(standing, claim, mine, other, theirs)


def _evidence(standing: Standing, claim: OpenClaim, mine: Moment, other: OpenClaim, theirs: Moment) -> Order:
    if claim.table == other.table:
        return _by_number(_on_one_table(standing, claim), _on_one_table(standing, other))
    return order_of(mine, theirs)


def moment_that_counts(context: Context, claim: OpenClaim) -> Moment:
    together = context.procedure.majors_across_tables is MajorsAcrossTables.TABLES_TOGETHER
    return placed(context, claim.table, claim.table_moment if together else claim.moment)


def _on_one_table(standing: Standing, claim: OpenClaim) -> tuple[int, ...]:
    """One table deals one round after another, and its boxes clockwise. With a new journal its rounds are counted from
    the first again."""
    return (round_of_claim(standing, claim).begun, claim.round, claim.deal_place, claim.place)


def _by_number(mine: tuple[int, ...], theirs: tuple[int, ...]) -> Order:
    if mine == theirs:
        return Order.UNDETERMINED
    return Order.BEFORE if mine < theirs else Order.AFTER


def placed(context: Context, table: str, moment: Moment) -> Moment:
    """A moment in the controller's present time, where it was placed in another boot's or in none."""
    if moment.controller == context.clocks.controller:
        return moment
    again = moment_of(context.clocks, table, moment.boot, moment.mono_ns, moment.early_ns)
    return again if again.controller else moment


def may_be_dealt_before(
    context: Context, table: str, dealt: Moment | None, other_table: str, other: Moment | None
) -> bool:
    """Not certainly later. False for a round of which no deal is known yet: it can still be void before its first
    card, and if it was dealt after all, its contributions are marked late."""
    if dealt is None or other is None:
        return False
    return order_of(placed(context, table, dealt), placed(context, other_table, other)) is not Order.AFTER


def rounds_waited_for(standing: Standing, context: Context, claim: OpenClaim) -> Iterator[Round]:
    """Rounds with a bet on the meter and a hand that was dealt not later than the hit's, whose result is missing and
    can still come: it may bring a hit that goes first, and its contributions belong to the value."""
    link = link_of(claim.meter)
    for played in rounds_in(standing):
        if (
            played.stage is RoundStage.PENDING
            and played.first_hand is not None
            and played.table != claim.table
            and played.contributions
            and context.link_of_table(played.table) == link
            and may_be_dealt_before(context, played.table, played.first_hand, claim.table, claim.moment)
            and not journal_of(standing, Origin(played.table, played.nonce)).superseded
        ):
            yield played


def waits(standing: Standing, context: Context, claim: OpenClaim) -> bool:
    """Asked with every result while a claim is open: the first round found is enough."""
    return next(rounds_waited_for(standing, context, claim), None) is not None


# --- bets --------------------------------------------------------------------------------------------


def stands_behind(standing: Standing, context: Context, meter: str, bets: Bets) -> bool:
    """Whether a round's bets come after the hits whose turn it is: certainly later than all of them, or whenever they
    were dealt, if a hit has its value."""
    first, hits = _hits_whose_turn_it_is(standing, context, meter)
    if first is not None and first.valuation is not None:
        return True
    return bool(hits) and all(_is_later(context, bets, hit) for hit in hits)


def not_behind(standing: Standing, context: Context, meter: str) -> list[Bets]:
    """Of the bets that stand behind, all that do not come after the hits whose turn it is now: gap nought."""
    first, hits = _hits_whose_turn_it_is(standing, context, meter)
    if first is not None and first.valuation is not None:
        return []
    own = [bets for bets in standing.bets.values() if bets.meter == meter]
    return [bets for bets in own if not hits or not all(_is_later(context, bets, hit) for hit in hits)]


def _hits_whose_turn_it_is(standing: Standing, context: Context, meter: str) -> tuple[OpenClaim | None, list[Round]]:
    turn = turn_on(standing, context, meter)
    claims = turn.undetermined if turn.first is None else (turn.first,)
    return turn.first, [round_of_claim(standing, claim) for claim in claims]


def _is_later(context: Context, bets: Bets, hit: Round) -> bool:
    if hit.table == bets.table:
        return (bets.begun, bets.number) > (hit.begun, hit.number)
    return not may_be_dealt_before(context, bets.table, bets.dealt, hit.table, hit.dealt)


# --- what came too late ------------------------------------------------------------------------------


def passed_over_by(standing: Standing, context: Context, meter: str, played: Round) -> str:
    """The hit that was valued or paid without this round, though the round was dealt first; or nothing."""
    valued = valued_claim_on(standing, meter)
    if valued is not None and valued.table != played.table:
        hit_dealt = round_of_claim(standing, valued).dealt
        if _certainly_before(context, played.table, played.dealt, valued.table, hit_dealt):
            return f"{valued.claim} of table {valued.table}"
    hit = last_hit(standing, meter)
    if hit is not None and hit.table != played.table:
        if _certainly_before(context, played.table, played.dealt, hit.table, hit.dealt):
            return f"{hit.claim} of table {hit.table}"
    return ""


def claim_passed_over_by(standing: Standing, context: Context, claim: OpenClaim) -> str:
    """The hit of a later hand that was valued or paid before this one came; or nothing."""
    valued = valued_claim_on(standing, claim.meter)
    if valued is not None and evidence_of_order(standing, context, claim, valued) is Order.BEFORE:
        return f"{valued.claim} of table {valued.table}"
    for hit in reversed([hit for hit in standing.hits if hit.meter == claim.meter]):
        if hit.table != claim.table and _certainly_before(context, claim.table, claim.moment, hit.table, hit.moment):
            return f"{hit.claim} of table {hit.table}"
    return ""


def _certainly_before(
    context: Context, table: str, moment: Moment | None, other_table: str, other: Moment | None
) -> bool:
    if moment is None or other is None:
        return False
    return order_of(placed(context, table, moment), placed(context, other_table, other)) is Order.BEFORE
