"""Who comes first. The only place that compares times: of claims on one meter, and of a claim with the rounds that
may belong to its value. What the clocks cannot tell apart is undetermined, and then a person decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from felt.jackpot.clocks import Moment, Order, moment_of, order_of
from felt.jackpot.draft import Context
from felt.jackpot.standing import (
    OUTSIDE,
    Hit,
    Lot,
    OpenClaim,
    Origin,
    Round,
    RoundStage,
    Standing,
    journal_of,
    round_of_claim,
    valued_claim_on,
)
from felt.jackpot.terms import MajorsAcrossTables, link_of

_ORDER_SIZE = 1_000_000  # places of one order of the house


def next_order(standing: Standing) -> int:
    """The first place of an order that the house now makes. In front of the place stands the number of the order."""
    last = max((claim.house_place for claim in standing.claims), default=0)
    return (last // _ORDER_SIZE + 1) * _ORDER_SIZE + 1


class Turn(NamedTuple):
    """Whose turn it is on a meter: one claim, or several of which no clock says which was first."""

    first: OpenClaim | None
    undetermined: tuple[OpenClaim, ...] = ()


def turn_on(standing: Standing, context: Context, meter: str) -> Turn:
    """The claim already valued, else the hand dealt first."""
    valued = valued_claim_on(standing, meter)
    if valued is not None:
        return Turn(valued)
    queue = [claim for claim in standing.claims if claim.meter == meter and not _comes_after_parts(standing, claim)]
    # Each is placed once: with every comparison it would cost more than a controller has, when many wait.
    timed = [(claim, moment_that_counts(context, claim)) for claim in queue]
    firsts = [
        claim
        for claim, moment in timed
        if all(_order_of(standing, other, theirs, claim, moment) is not Order.BEFORE for other, theirs in timed)
    ]
    if len(firsts) <= 1:
        return Turn(firsts[0] if firsts else min(queue, key=_by_the_house, default=None))
    return Turn(None, tuple(firsts))


def _by_the_house(claim: OpenClaim) -> tuple[bool, int, int]:
    """A house may order claims in a circle with the evidence; then its own order decides among those it named."""
    return not claim.house_place, place_in_order(claim), claim.place


def place_in_order(claim: OpenClaim) -> int:
    return claim.house_place % _ORDER_SIZE


def _comes_after_parts(standing: Standing, claim: OpenClaim) -> bool:
    if claim.split != OUTSIDE:
        return False
    same = [one for one in standing.claims if (*one[:3], one.meter) == (*claim[:3], claim.meter)]
    return any(one.split != OUTSIDE for one in same)


def _order_of(standing: Standing, one: OpenClaim, mine: Moment, other: OpenClaim, theirs: Moment) -> Order:
    """By the house where it has named both in one order, else by the evidence. Where that tells nothing, the places of
    two orders are better than to ask again about a claim that was ordered among others."""
    ordered = bool(one.house_place and other.house_place)
    if ordered and one.house_place // _ORDER_SIZE == other.house_place // _ORDER_SIZE:
        return _by_number(one.house_place, other.house_place)
    told = _evidence(standing, one, mine, other, theirs)
    if ordered and told is Order.UNDETERMINED:
        return _by_number(place_in_order(one), place_in_order(other))
    return told


def evidence_of_order(standing: Standing, context: Context, one: OpenClaim, other: OpenClaim) -> Order:
    mine, theirs = moment_that_counts(context, one), moment_that_counts(context, other)
    return _evidence(standing, one, mine, other, theirs)


def _evidence(standing: Standing, one: OpenClaim, mine: Moment, other: OpenClaim, theirs: Moment) -> Order:
    if one.table == other.table:
        return _by_number(_on_one_table(standing, one), _on_one_table(standing, other))
    return order_of(mine, theirs)


def moment_that_counts(context: Context, claim: OpenClaim) -> Moment:
    together = context.procedure.majors_across_tables is MajorsAcrossTables.TABLES_TOGETHER
    return placed(context, claim.table, claim.table_moment if together else claim.moment)


def _on_one_table(standing: Standing, claim: OpenClaim) -> tuple[int, ...]:
    """One table deals one round after another, and its boxes clockwise. With a new journal its rounds are counted from
    the first again."""
    return (round_of_claim(standing, claim).begun, claim.round, claim.deal_place, claim.place)


def _by_number(one: int | tuple[int, ...], other: int | tuple[int, ...]) -> Order:
    if one == other:
        return Order.UNDETERMINED
    return Order.BEFORE if one < other else Order.AFTER  # type: ignore[operator]  # both of one kind


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
    """Rounds with a bet on the meter and a hand that was dealt not later than the claim's, whose result is missing and
    can still come: it may bring a claim that goes first, and its contributions belong to the value."""
    link = link_of(claim.meter)
    for one in standing.rounds:
        if (
            one.stage is RoundStage.PENDING
            and one.first_hand is not None
            and one.table != claim.table
            and one.contributions
            and context.link_of_table(one.table) == link
            and may_be_dealt_before(context, one.table, one.first_hand, claim.table, claim.moment)
            and not journal_of(standing, Origin(one.table, one.nonce)).superseded
        ):
            yield one


def waits(standing: Standing, context: Context, claim: OpenClaim) -> bool:
    """Asked with every result while a claim is open: the first round found is enough."""
    return next(rounds_waited_for(standing, context, claim), None) is not None


def belongs_to_next_cycle(standing: Standing, context: Context, meter: str, one: Round) -> bool:
    """Whether a round's contributions come after the claims whose turn it is."""
    claimed = _claimed(standing, context, meter)
    return _comes_after(context, claimed, (one.table, one.begun, one.number), one.dealt)


def brought_in(standing: Standing, context: Context, meter: str) -> list[Lot]:
    """Of what was counted for the next cycle, all that does not come after the claims whose turn it is now."""
    claimed = _claimed(standing, context, meter)
    return [
        lot
        for lot in standing.lots
        if lot.meter == meter
        and not _comes_after(context, claimed, (lot.table, lot.begun, lot.round), lot.dealt)
    ]


_Played = tuple[str, int, int]  # a table, the place of its journal, and a round


class _Claimed(NamedTuple):
    rounds: tuple[Round, ...]  # of the claims whose turn it is
    frozen: bool = False  # one has its value: whatever else there is comes after it


def _claimed(standing: Standing, context: Context, meter: str) -> _Claimed:
    first, undetermined = turn_on(standing, context, meter)
    if first is None:
        return _Claimed(tuple(round_of_claim(standing, claim) for claim in undetermined))
    return _Claimed((round_of_claim(standing, first),), first.valuation is not None)


def _comes_after(context: Context, claimed: _Claimed, played: _Played, dealt: Moment | None) -> bool:
    if claimed.frozen or not claimed.rounds:
        return claimed.frozen
    return all(_is_later(context, played, dealt, one) for one in claimed.rounds)


def _is_later(context: Context, played: _Played, dealt: Moment | None, claimed: Round) -> bool:
    table, *place = played
    if claimed.table == table:
        return place > [claimed.begun, claimed.number]
    return not may_be_dealt_before(context, table, dealt, claimed.table, claimed.dealt)


def passed_over_by(standing: Standing, context: Context, meter: str, one: Round) -> str:
    """The claim that was valued or paid without this round, though the round was dealt first; or nothing."""
    valued = valued_claim_on(standing, meter)
    if valued is not None:
        claimed = round_of_claim(standing, valued)
        if claimed.table != one.table:
            if _certainly_before(context, one.table, one.dealt, claimed.table, claimed.dealt):
                return f"{valued.claim} of table {valued.table}"
    hit = last_hit(standing, meter)
    if hit is not None and hit.table != one.table:
        if _certainly_before(context, one.table, one.dealt, hit.table, hit.dealt):
            return f"{hit.claim} of table {hit.table}"
    return ""


def claim_passed_over_by(standing: Standing, context: Context, claim: OpenClaim) -> str:
    """The claim of a later hand that was valued or paid before this one came; or nothing."""
    valued = valued_claim_on(standing, claim.meter)
    if valued is not None and evidence_of_order(standing, context, claim, valued) is Order.BEFORE:
        return f"{valued.claim} of table {valued.table}"
    for hit in reversed([hit for hit in standing.hits if hit.meter == claim.meter]):
        if hit.table != claim.table and _certainly_before(context, claim.table, claim.moment, hit.table, hit.moment):
            return f"{hit.claim} of table {hit.table}"
    return ""


def last_hit(standing: Standing, meter: str) -> Hit | None:
    return max((hit for hit in standing.hits if hit.meter == meter), key=lambda hit: hit.number, default=None)


def _certainly_before(
    context: Context, table: str, moment: Moment | None, other_table: str, other: Moment | None
) -> bool:
    if moment is None or other is None:
        return False
    return order_of(placed(context, table, moment), placed(context, other_table, other)) is Order.BEFORE
