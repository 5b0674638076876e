"""How a link stands: its meters, the rounds that can still change them, the open claims, the journals heard.
A frozen value, written to the ledger as rows of text and read back strictly. It decides nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cache
from operator import itemgetter
from typing import Any

from felt.jackpot.by_table import ByTable
from felt.jackpot.clocks import Moment
from felt.jackpot.meters import Account, Kind, Meter, Rates
from felt.jackpot.terms import MeterTerms, level_of, link_of
from felt.nouns.named import NamedTuple
from felt.nouns.shapes import from_plain
from felt.nouns.stamps import Stamp
from felt.wire import as_written
from felt.wire.jackpot import Contribution


class Origin(NamedTuple):
    """Whose letter: a table and the journal it keeps."""

    table: str
    nonce: str


class Journal(NamedTuple):
    table: str
    nonce: str
    highest: int = 0  # the latest letter, and therefore the number of letters
    last_round: int = 0
    superseded: bool = False  # the table has begun another journal: this one is not heard again
    begun: int = 0  # which of its table's journals, from nought


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
    waiting: tuple[str, ...] = ()  # meters that count them for the next cycle: the round came after an open claim


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


_STAKE = itemgetter(1)  # of a contribution


def stake_of(one: Round) -> int:
    return sum(map(_STAKE, one.contributions))


def round_as_dealt(one: Round, dealt: Moment, first_hand: Moment, seats: tuple[int, ...]) -> Round:
    # As `_replace` does, at a quarter of its price: every round is dealt, and most have a result.
    return tuple.__new__(Round, (*one[:6], dealt, first_hand, seats, *one[9:]))


def round_as_committed(one: Round, rates: tuple[Rates, ...], held: tuple[str, ...]) -> Round:
    return tuple.__new__(Round, (*one[:5], _COMMITTED, *one[6:11], rates, held, ()))


HITS_KEPT = 25  # of each meter

# --- finding -----------------------------------------------------------------------------------------


def meter_named(standing: Standing, name: str) -> Meter | None:
    return next((meter for meter in standing.meters if meter.terms.name == name), None)


def round_of(standing: Standing, origin: Origin, number: int) -> Round | None:
    for one in standing.rounds.of(origin.table):
        if one.number == number and one.nonce == origin.nonce:
            return one
    return None


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
        if link_of_table(one.table) == link_of(meter)
        and (one.stage is RoundStage.PENDING or meter in one.held)
    )


def shown_micro(standing: Standing, meter: Meter) -> int:
    frozen = valued_claim_on(standing, meter.terms.name)
    return meter.display if frozen is None or frozen.valuation is None else frozen.valuation.value_micro


# --- changing ----------------------------------------------------------------------------------------


# A letter changes several parts of a standing. To name them would be clearer and cost three times as much.


def with_meters(standing: Standing, changed: Sequence[Meter]) -> Standing:
    """Some of the meters or all of them, in the order in which they stand."""
    meters, rounds, claims, journals, hits, agreed = standing
    if len(changed) != len(meters):
        by_name = {meter[0][0]: meter for meter in changed}
        changed = [by_name.get(meter[0][0], meter) for meter in meters]
    return tuple.__new__(Standing, (tuple(changed), rounds, claims, journals, hits, agreed))


def with_round(standing: Standing, changed: Round) -> Standing:
    table = changed[0]
    return with_rounds_of(standing, table, _put_among(standing.rounds.of(table), changed, _NONCE_AND_NUMBER))


def with_rounds_of(standing: Standing, table: str, rounds: tuple[Round, ...]) -> Standing:
    meters, former, claims, journals, hits, agreed = standing
    return tuple.__new__(Standing, (meters, former.put(table, rounds), claims, journals, hits, agreed))


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
    meters, rounds, claims, journals, hits, agreed = standing
    table = changed[0]
    put = journals.put(table, _put_among(journals.of(table), changed, _NONCE))
    return tuple.__new__(Standing, (meters, rounds, claims, put, hits, agreed))


def settled(standing: Standing) -> Standing:
    """After a commit; of what was drafted before, nothing may be read any more."""
    meters, rounds, claims, journals, hits, agreed = standing
    return Standing(meters, rounds.settled(), claims, journals.settled(), hits, agreed)


def taken_back(committed: Standing, drafted: Standing) -> Standing:
    """What is to be settled after the draft was, to stand again where it was committed."""
    meters, _, claims, _, hits, agreed = committed
    return Standing(meters, drafted.rounds.taken_back(), claims, drafted.journals.taken_back(), hits, agreed)


# --- rows --------------------------------------------------------------------------------------------

Rows = dict[str, str]
Row = Meter | Round | OpenClaim | Journal | Hit | Agreed


_KEY_OF: dict[type, Callable[[Any], str]] = {
    Meter: lambda row: f"meter/{row.terms.name}",
    Round: lambda row: f"round/{row[0]}/{row[1]}/{row[2]}",
    OpenClaim: lambda row: f"claim/{row.place:09d}",
    Journal: lambda row: f"journal/{row[0]}/{row[1]}",
    Hit: lambda row: f"hit/{row.meter}/{row.number % HITS_KEPT:02d}",
    Agreed: lambda row: f"agreed/{row.terms.name}",
}


def key_of(row: Row) -> str:
    return _KEY_OF[type(row)](row)


def rows_of(standing: Standing) -> Rows:
    return {key_of(row): as_written.write(row) for part in standing for row in part}


def changed_rows(before: Standing, after: Standing) -> dict[str, str | None]:
    """What to write; None for a row that is gone. `before` is as it was committed. Parts that did not change are the
    same objects, so that a letter costs what it changes and not what the whole link weighs."""
    changed: dict[str, str | None] = {}
    pairs: list[tuple[tuple[Row, ...], tuple[Row, ...]]] = [
        (before.meters, after.meters),
        (before.claims, after.claims),
        (before.hits, after.hits),
        (before.agreed, after.agreed),
    ]
    for former, latter in pairs:
        if former is not latter:
            _note_changes(changed, former, latter)
    for former_rounds, rounds in after.rounds.changes():
        _note_few(changed, former_rounds, rounds, 3)
    for former_journals, journals in after.journals.changes():
        _note_few(changed, former_journals, journals, 2)
    return changed


def _note_changes(changed: dict[str, str | None], former: tuple[Row, ...], latter: tuple[Row, ...]) -> None:
    before, now = set(map(id, former)), set(map(id, latter))
    for row in former:
        if id(row) not in now:
            changed[key_of(row)] = None
    for row in latter:
        if id(row) not in before:
            changed[key_of(row)] = as_written.write(row)


def _note_few(
    changed: dict[str, str | None], former: tuple[Any, ...], latter: tuple[Any, ...], key_length: int
) -> None:
    """The same for the rows of one table: of so few, each is looked for among all."""
    if len(former) == len(latter) == 1 and former[0][:key_length] == latter[0][:key_length]:
        changed[key_of(latter[0])] = as_written.write(latter[0])
        return
    for row in former:
        if row not in latter:
            changed[key_of(row)] = None
    for row in latter:
        if row not in former:
            changed[key_of(row)] = as_written.write(row)


_SHAPES: dict[str, type] = {
    "meter": Meter, "round": Round, "claim": OpenClaim, "journal": Journal, "hit": Hit, "agreed": Agreed,
}  # fmt: skip


def standing_of(rows: Rows) -> Standing:
    """What `rows_of` wrote; a ValueError for anything else."""
    parts: dict[str, list[Any]] = {name: [] for name in _SHAPES}
    for key in sorted(rows):
        name = key.partition("/")[0]
        if name not in parts:
            raise ValueError(f"{key!r} is no part of a standing")
        parts[name].append(from_plain(_SHAPES[name], json.loads(rows[key])))
    hits = sorted(parts["hit"], key=lambda hit: (hit.meter, hit.number))
    return Standing(
        tuple(parts["meter"]),
        _by_table(parts["round"]),
        tuple(parts["claim"]),
        _by_table(parts["journal"]),
        tuple(hits),
        tuple(parts["agreed"]),
    )


def _by_table(rows: Iterable[Any]) -> ByTable[Any]:
    found: dict[str, tuple[Any, ...]] = {}
    for row in rows:
        found[row.table] = (*found.get(row.table, ()), row)
    return ByTable(found)
