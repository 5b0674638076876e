"""How a link stands: its meters, the rounds that can still change them, the queue of hits and the bets behind them, the
journals heard. A frozen value; it decides nothing. Rows of tables are found by their table, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from felt.jackpot.books.clocks import Moment
from felt.jackpot.books.meter import Meter, Share, remember_peak
from felt.jackpot.books.terms import level_of, link_of
from felt.letters.from_table import Contribution
from felt.nouns.stamps import Stamp
from felt.nouns.values import Value, replace

HITS_KEPT = 25  # of each meter
JOURNALS_KEPT = 16  # of each table, that it has left
OUTSIDE = 0  # the split of a hit that shares with nobody and stands after those of its round that share


class Origin(Value):
    """Whose letter: a table and the journal it keeps."""

    table: str
    nonce: str


class RoundKey(Value):
    table: str
    nonce: str
    number: int


class ClaimKey(Value):
    table: str
    nonce: str
    claim: str


class BetsKey(Value):
    round: RoundKey
    meter: str


class Journal(Value):
    table: str
    nonce: str
    highest: int = 0  # the latest letter, and therefore the number of letters
    last_round: int = 0
    superseded: bool = False  # the table has begun another journal: this one is not heard again
    begun: int = 0  # its place among its table's journals, from nought; one that comes back has another from then on
    edition: int = 0  # of the answer whose values its table registered last

    @property
    def key(self) -> Origin:
        return Origin(self.table, self.nonce)


class RoundStage(StrEnum):
    PENDING = "pending"
    COMMITTED = "committed"
    VOIDED = "voided"
    DROPPED = "dropped"  # given up by two persons; its table may still speak of it
    ABANDONED = "abandoned"  # persons have settled a claim that its journal has left open, and that cannot come back


class Held(Value):
    """A meter that takes a round's bets only when its claims are resolved, as its terms were when it had its result."""

    meter: str
    only_if_not_won: bool


class Round(Value):
    """A locked round, kept until the table locks its next one: until then a void may still correct it."""

    table: str
    nonce: str
    number: int
    contributions: tuple[Contribution, ...]
    since: Stamp  # when its lock was heard, by the controller's clock
    begun: int  # the place of its journal when it was locked
    tops: dict[str, int]  # by meter: the most that was shown since its table was told what it registered
    stage: RoundStage = RoundStage.PENDING
    dealt: Moment | None = None  # the whole deal
    first_hand: Moment | None = None  # of the deal
    seats: tuple[int, ...] = ()  # in the order of the deal
    paid_claims: tuple[str, ...] = ()
    awards_minor: int = 0
    shares: tuple[Share, ...] = ()  # how it was counted, for a correction
    held: tuple[Held, ...] = ()
    splits: tuple[str, ...] = ()  # meters of which several whole hits of this round share the value

    @property
    def key(self) -> RoundKey:
        return RoundKey(self.table, self.nonce, self.number)

    @property
    def stake(self) -> int:
        return sum(bet.stake_minor for bet in self.contributions)


class Bets(Value):
    """What a round's bets bring a meter, behind a hit. The row keeps its deal and not its place: where it stands is
    told when a hit has its turn."""

    table: str
    nonce: str
    number: int
    meter: str
    dealt: Moment | None  # the whole deal
    begun: int  # as the round has it
    micro: int

    @property
    def round_key(self) -> RoundKey:
        return RoundKey(self.table, self.nonce, self.number)

    @property
    def key(self) -> BetsKey:
        return BetsKey(self.round_key, self.meter)


class Valuation(Value):
    value_micro: int  # the frozen meter
    award_minor: int


class OpenClaim(Value):
    """A hit in the queue: a share of a meter that nobody has confirmed or denied yet, or that its table has paid and
    its meter has not."""

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
    stated_minor: int | None = None  # what its table has paid, by its registered value
    accepted_minor: int = 0  # what two persons accept that its table states
    seat: int = 0  # these are of the hand, for the record of the hit
    rank: str = ""
    cards: tuple[str, ...] = ()
    dealer: str = ""
    shoe: str = ""
    confirmed_by: str = ""  # of a stated one

    @property
    def key(self) -> ClaimKey:
        return ClaimKey(self.table, self.nonce, self.claim)

    @property
    def round_key(self) -> RoundKey:
        return RoundKey(self.table, self.nonce, self.round)

    @property
    def origin(self) -> Origin:
        return Origin(self.table, self.nonce)

    @property
    def is_whole(self) -> bool:
        return self.share_num == self.share_den


class Hit(Value):
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
    seat: int = 0
    rank: str = ""
    cards: tuple[str, ...] = ()
    dealer: str = ""
    shoe: str = ""
    confirmed_by: str = ""
    bets_minor: int = 0  # of the round that won

    @property
    def round_key(self) -> RoundKey:
        return RoundKey(self.table, self.nonce, self.round)


class Standing(Value):
    meters: tuple[Meter, ...]
    rounds: dict[str, tuple[Round, ...]]  # by table
    claims: tuple[OpenClaim, ...]
    journals: dict[str, tuple[Journal, ...]]  # by table
    hits: tuple[Hit, ...]  # the latest of each meter
    bets: dict[BetsKey, Bets]  # behind a hit


NOTHING = Standing((), {}, (), {}, (), {})


# --- finding -----------------------------------------------------------------------------------------


def meter_named(standing: Standing, name: str) -> Meter | None:
    return next((meter for meter in standing.meters if meter.name == name), None)


def rounds_in(standing: Standing) -> Iterator[Round]:
    return (played for own in standing.rounds.values() for played in own)


def journals_in(standing: Standing) -> Iterator[Journal]:
    return (journal for own in standing.journals.values() for journal in own)


def round_of(standing: Standing, key: RoundKey) -> Round | None:
    return next((played for played in standing.rounds.get(key.table, ()) if played.key == key), None)


def round_of_claim(standing: Standing, claim: OpenClaim) -> Round:
    played = round_of(standing, claim.round_key)
    assert played is not None, "a round is kept as long as it has hits in the queue"
    return played


def claim_of(standing: Standing, key: ClaimKey) -> OpenClaim | None:
    """One that is open for its table: of a stated one the table says no more."""
    return next((claim for claim in standing.claims if claim.key == key and claim.stated_minor is None), None)


def is_known(standing: Standing, origin: Origin) -> bool:
    return any(journal.key == origin for journal in standing.journals.get(origin.table, ()))


def journal_of(standing: Standing, origin: Origin) -> Journal:
    """The journal as known; one that was never heard of is empty."""
    own = standing.journals.get(origin.table, ())
    return next((journal for journal in own if journal.nonce == origin.nonce), Journal(origin.table, origin.nonce))


def valued_claim_on(standing: Standing, meter: str) -> OpenClaim | None:
    """The claim that the meter is frozen for."""
    return next((claim for claim in standing.claims if claim.meter == meter and claim.valuation is not None), None)


def meters_of_link(standing: Standing, link: str) -> tuple[Meter, ...]:
    return tuple(meter for meter in standing.meters if link_of(meter.name) == link)


def meter_for(standing: Standing, link: str, level: str) -> Meter | None:
    """The meter that a claim of a table on this link means by a level."""
    return next((meter for meter in meters_of_link(standing, link) if level_of(meter.name) == level), None)


def edition_of(standing: Standing) -> int:
    """Of what the meters show: another one each time that one of them falls."""
    return sum(meter.falls for meter in standing.meters)


def last_hit(standing: Standing, meter: str) -> Hit | None:
    return max((hit for hit in standing.hits if hit.meter == meter), key=lambda hit: hit.number, default=None)


# --- changing ----------------------------------------------------------------------------------------


def with_meter(standing: Standing, changed: Meter) -> Standing:
    edition = edition_of(standing)
    meters = tuple(
        remember_peak(meter, changed, edition) if meter.name == changed.name else meter
        for meter in standing.meters
    )
    return replace(standing, meters=meters)


def with_round(standing: Standing, changed: Round) -> Standing:
    own = {played.key: played for played in standing.rounds.get(changed.table, ())}
    return with_rounds_of(standing, changed.table, tuple({**own, changed.key: changed}.values()))


def with_rounds_of(standing: Standing, table: str, rounds: tuple[Round, ...]) -> Standing:
    return replace(standing, rounds={**standing.rounds, table: rounds})


def with_journal(standing: Standing, changed: Journal) -> Standing:
    own = {journal.key: journal for journal in standing.journals.get(changed.table, ())}
    journals = tuple({**own, changed.key: changed}.values())
    return replace(standing, journals={**standing.journals, changed.table: journals})


def with_claim(standing: Standing, changed: OpenClaim) -> Standing:
    claims = tuple(changed if claim.place == changed.place else claim for claim in standing.claims)
    return replace(standing, claims=claims)


def without_claim(standing: Standing, gone: OpenClaim) -> Standing:
    return replace(standing, claims=tuple(claim for claim in standing.claims if claim.place != gone.place))


def with_hit(standing: Standing, hit: Hit) -> Standing:
    others = tuple(known for known in standing.hits if known.meter != hit.meter)
    own = tuple(known for known in standing.hits if known.meter == hit.meter)[-(HITS_KEPT - 1) :]
    return replace(standing, hits=(*others, *own, hit))


def with_bets(standing: Standing, bets: Bets) -> Standing:
    return replace(standing, bets={**standing.bets, bets.key: bets})


def without_bets(standing: Standing, keys: set[BetsKey]) -> Standing:
    return replace(standing, bets={key: bets for key, bets in standing.bets.items() if key not in keys})
