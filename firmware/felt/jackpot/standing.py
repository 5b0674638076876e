"""How a link stands: its meters, the rounds that can still change them, the open claims, the journals heard, the bets
that wait. A frozen value; it decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from felt.jackpot.by_table import ByTable
from felt.jackpot.clocks import Moment
from felt.jackpot.meters import Account, Kind, Meter, Rates
from felt.jackpot.terms import MeterTerms, level_of, link_of
from felt.letters.from_table import Contribution
from felt.nouns.stamps import Stamp


class Origin(NamedTuple):
    """Whose letter: a table and the journal it keeps."""

    table: str
    nonce: str


class Shown(NamedTuple):
    """What a meter showed."""

    meter: str
    micro: int


class Journal(NamedTuple):
    table: str
    nonce: str
    highest: int = 0  # the latest letter, and therefore the number of letters
    last_round: int = 0
    superseded: bool = False  # the table has begun another journal: this one is not heard again
    begun: int = 0  # its place among its table's journals, from nought; one that comes back has another from then on
    # Of the meters that have fallen since its last lock, the most that they showed; None: it has locked no round yet.
    peaks: tuple[Shown, ...] | None = None


class RoundStage(StrEnum):
    PENDING = "pending"
    COMMITTED = "committed"
    VOIDED = "voided"
    DROPPED = "dropped"  # given up by two persons; its table may still speak of it
    ABANDONED = "abandoned"  # persons have settled a claim that its journal has left open, and that cannot come back


_COMMITTED = RoundStage.COMMITTED


class Round(NamedTuple):
    """A locked round, kept until the table locks its next one: until then a void may still correct it."""

    table: str
    nonce: str
    number: int
    contributions: tuple[Contribution, ...]
    since: Stamp  # when its lock was heard, by the controller's clock
    stage: RoundStage = RoundStage.PENDING
    dealt: Moment | None = None  # the whole deal
    first_hand: Moment | None = None  # of the deal
    seats: tuple[int, ...] = ()  # in the order of the deal
    paid_claims: tuple[str, ...] = ()
    awards_minor: int = 0
    rates: tuple[Rates, ...] = ()  # what it was committed by, for a correction
    held: tuple[str, ...] = ()  # meters that take its contributions only when its claims are resolved
    begun: int = 0  # the place of its journal when it was locked
    shown: tuple[Shown, ...] = ()  # the most that each meter can have shown its table when it was locked


class Lot(NamedTuple):
    """What a round's bets have raised the next cycle of a meter by: the round was dealt after an open claim."""

    table: str
    nonce: str
    round: int
    meter: str
    dealt: Moment | None  # the whole deal
    begun: int  # as the round has it
    micro: int


class Valuation(NamedTuple):
    value_micro: int  # the frozen meter
    award_minor: int


OUTSIDE = 0  # the split of a reported hit where those that were found share: with nobody, and after them


class OpenClaim(NamedTuple):
    """A share of a meter that nobody has confirmed or denied yet."""

    table: str
    nonce: str
    round: int
    claim: str
    meter: str
    share_num: int
    share_den: int
    place: int  # order of arrival; its name among the rows
    moment: Moment  # of the hand's last card
    table_moment: Moment  # of the first hand that this round claims the meter with
    deal_place: int  # among the hands of its round
    since: Stamp  # when it was heard, by the controller's clock
    split: int = 1  # how many equal parts the hits of this round take, or OUTSIDE
    late: bool = False  # a later hand was valued before this claim came
    house_place: int = 0  # the house's order; nought: none
    released: bool = False  # a supervisor has ended its waiting
    valuation: Valuation | None = None
    accepted_minor: int = 0  # two persons accept an award stated by its table up to this


class Hit(NamedTuple):
    """An award that was paid."""

    meter: str
    number: int  # of the meter's hits, from one
    table: str
    nonce: str
    round: int
    claim: str
    value_micro: int  # nought where the award was stated by the table
    award_minor: int
    at_wall_ns: int
    moment: Moment
    dealt: Moment  # of the whole round
    late: bool
    part: bool = False  # one of several equal parts, paid from the display


class Agreed(NamedTuple):
    """Terms that come into force with the next hit or an authorised clear."""

    terms: MeterTerms
    persons: str
    reason: str


class Standing(NamedTuple):
    meters: tuple[Meter, ...]
    rounds: ByTable[Round]
    claims: tuple[OpenClaim, ...]
    journals: ByTable[Journal]
    hits: tuple[Hit, ...]  # the latest of each meter
    agreed: tuple[Agreed, ...]
    lots: ByTable[Lot]


class Entry(NamedTuple):
    """One line of the ledger. An amount is in micro-units, or in the unit of its account where that differs."""

    kind: Kind
    table: str = ""
    nonce: str = ""
    round: int = 0
    claim: str = ""
    meter: str = ""
    account: Account | None = None
    amount: int = 0
    at_wall_ns: int = 0
    detail: str = ""
    persons: str = ""  # who did it, where persons did


def stake_of(one: Round) -> int:
    return sum(contribution.stake_minor for contribution in one.contributions)


def round_as_dealt(one: Round, dealt: Moment, first_hand: Moment, seats: tuple[int, ...]) -> Round:
    return one._replace(dealt=dealt, first_hand=first_hand, seats=seats)


def round_as_committed(one: Round, rates: tuple[Rates, ...], held: tuple[str, ...]) -> Round:
    return one._replace(stage=_COMMITTED, rates=rates, held=held)


HITS_KEPT = 25  # of each meter

# --- finding -----------------------------------------------------------------------------------------


def meter_named(standing: Standing, name: str) -> Meter | None:
    return next((meter for meter in standing.meters if meter.terms.name == name), None)


def round_of(standing: Standing, origin: Origin, number: int) -> Round | None:
    for one in standing.rounds.of(origin.table):
        if one.number == number and one.nonce == origin.nonce:
            return one
    return None


def round_of_claim(standing: Standing, claim: OpenClaim) -> Round:
    one = round_of(standing, Origin(claim.table, claim.nonce), claim.round)
    assert one is not None, "a round is kept as long as it has open claims"
    return one


def claim_of(standing: Standing, origin: Origin, claim: str) -> OpenClaim | None:
    return next((one for one in standing.claims if one[:2] == origin and one.claim == claim), None)


def journal_of(standing: Standing, origin: Origin) -> Journal:
    """The journal as known; one that was never heard of is empty."""
    for journal in standing.journals.of(origin.table):
        if journal.nonce == origin.nonce:
            return journal
    return Journal(*origin)


def valued_claim_on(standing: Standing, meter: str) -> OpenClaim | None:
    """The claim that the meter is frozen for."""
    return next((one for one in standing.claims if one.meter == meter and one.valuation is not None), None)


def meters_of_link(standing: Standing, link: str) -> tuple[Meter, ...]:
    return tuple([meter for meter in standing.meters if _link_of(meter[0][0]) == link])


_link_of = cache(link_of)  # of meters' names, which are few and asked for with every letter


def meter_for(standing: Standing, link: str, level: str) -> Meter | None:
    """The meter that a claim of a table on this link means by a level."""
    return next((one for one in meters_of_link(standing, link) if level_of(one.terms.name) == level), None)


def pending_stake(standing: Standing, meter: str, link_of_table: Callable[[str], str]) -> int:
    """The stakes that pend on a meter: rounds without a result, and rounds held until their claims are resolved."""
    return sum(
        stake_of(one)
        for one in standing.rounds
        if link_of_table(one.table) == link_of(meter) and (one.stage is RoundStage.PENDING or meter in one.held)
    )


def shown_micro(standing: Standing, meter: Meter) -> int:
    frozen = valued_claim_on(standing, meter.terms.name)
    return meter.display if frozen is None or frozen.valuation is None else frozen.valuation.value_micro


# --- changing ----------------------------------------------------------------------------------------


# A letter changes several parts of a standing. To name them would be clearer and cost three times as much.


def with_meters(standing: Standing, changed: Sequence[Meter]) -> Standing:
    """Some of the meters or all of them, in the order in which they stand."""
    meters, rounds, claims, journals, hits, agreed, lots = standing
    if len(changed) != len(meters):
        by_name = {meter[0][0]: meter for meter in changed}
        changed = [by_name.get(meter[0][0], meter) for meter in meters]
    return Standing(tuple(changed), rounds, claims, journals, hits, agreed, lots)


def with_round(standing: Standing, changed: Round) -> Standing:
    table = changed[0]
    return with_rounds_of(standing, table, _put_among(standing.rounds.of(table), changed, _NONCE_AND_NUMBER))


def with_rounds_of(standing: Standing, table: str, rounds: tuple[Round, ...]) -> Standing:
    meters, former, claims, journals, hits, agreed, lots = standing
    return Standing(meters, former.put(table, rounds), claims, journals, hits, agreed, lots)


_NONCE, _NONCE_AND_NUMBER = itemgetter(1), itemgetter(1, 2)  # what tells the rows of one table apart


def _put_among(own: tuple[Any, ...], changed: Any, key_of_own: Callable[[Any], object]) -> tuple[Any, ...]:
    """In the place of the row of the same key, or after the others."""
    key = key_of_own(changed)
    if len(own) == 1:  # as of most tables
        return (changed,) if key_of_own(own[0]) == key else (*own, changed)
    for place, one in enumerate(own):
        if key_of_own(one) == key:
            return (*own[:place], changed, *own[place + 1 :])
    return (*own, changed)


def with_claim(standing: Standing, changed: OpenClaim) -> Standing:
    return standing._replace(claims=tuple(changed if one.place == changed.place else one for one in standing.claims))


def without_claim(standing: Standing, gone: OpenClaim) -> Standing:
    return standing._replace(claims=tuple(one for one in standing.claims if one.place != gone.place))


def with_hit(standing: Standing, hit: Hit) -> Standing:
    others = tuple(one for one in standing.hits if one.meter != hit.meter)
    own = tuple(one for one in standing.hits if one.meter == hit.meter)[-(HITS_KEPT - 1) :]
    return standing._replace(hits=(*others, *own, hit))


def with_journal(standing: Standing, changed: Journal) -> Standing:
    meters, rounds, claims, journals, hits, agreed, lots = standing
    table = changed[0]
    put = journals.put(table, _put_among(journals.of(table), changed, _NONCE))
    return Standing(meters, rounds, claims, put, hits, agreed, lots)


def settled(standing: Standing) -> Standing:
    """After a commit; of what was drafted before, nothing may be read any more."""
    meters, rounds, claims, journals, hits, agreed, lots = standing
    return Standing(meters, rounds.settled(), claims, journals.settled(), hits, agreed, lots.settled())


def taken_back(committed: Standing, drafted: Standing) -> Standing:
    """What is to be settled after the draft was, to stand again where it was committed."""
    meters, _, claims, _, hits, agreed, _ = committed
    rounds, journals, lots = drafted.rounds.taken_back(), drafted.journals.taken_back(), drafted.lots.taken_back()
    return Standing(meters, rounds, claims, journals, hits, agreed, lots)
