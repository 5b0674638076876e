"""The vocabulary of rulebooks: wagers, odds, pay tables, readings, the deal, the house's terms, and verdict lines.
Data only; each game's own module settles it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from felt.nouns.cards import Card
from felt.nouns.money import Currency
from felt.nouns.values import Value

WIN = "win"
LOSE = "lose"
PUSH = "push"
RETURNED = "returned"

PLAY = "play"
FOLD = "fold"
WALK_AWAY = "walk_away"
REFUSE_REVEAL = "refuse_reveal"
DECISIONS = (PLAY, FOLD, WALK_AWAY, REFUSE_REVEAL)


class RulesError(ValueError):
    """The house or the caller must correct something. The message is one sentence for a person."""


class MissingTermsError(RulesError):
    """The settlement needs a term that the rulebook does not print and the house has not set."""


class OddsKind(StrEnum):
    TO = "to"  # the stake is returned as well
    FOR = "for"  # the award replaces the stake
    SUM = "sum"  # a sum of money in whole units of the currency
    SHARE = "share"  # a part of a meter


class Odds(Value):
    kind: OddsKind
    amount: int
    per: int
    meter: str
    text: str


def to(amount: int, per: int = 1) -> Odds:
    return Odds(OddsKind.TO, amount, per, "", f"{amount:,} to {per}")


def for_one(amount: int) -> Odds:
    return Odds(OddsKind.FOR, amount, 1, "", f"{amount:,} for 1")


def sum_of(units: int) -> Odds:
    """A printed sum in whole units. Its text is formatted later, in the table's currency."""
    return Odds(OddsKind.SUM, units, 1, "", "")


def share_of(meter: str, percent: int) -> Odds:
    divisor = {100: 1, 25: 4, 10: 10}[percent]
    return Odds(OddsKind.SHARE, 1, divisor, meter, f"{percent}% of {meter}")


class PayTable(Value):
    bet: str
    letter: str  # A, B, C, if the rulebook prints several
    paragraph: str
    rows: tuple[tuple[str, Odds], ...]

    def pays(self, hand: str) -> Odds | None:
        for name, odds in self.rows:
            if name == hand:
                return odds
        return None


class Cards(StrEnum):
    """The cards that must lie face up to decide a wager."""

    DEALER = "dealer"
    COMMUNITY = "community"
    OWN = "own"


class Wager(Value):
    name: str
    title: str
    paragraph: str
    needs: str = ""  # this wager needs that one
    after_cards: bool = False  # placed with the decision, not before the deal
    coin_spot: bool = False  # placed on the progressive's sensed spot
    decided_by: Cards = Cards.DEALER


class Reading(Value):
    name: str
    default: str
    alternatives: tuple[str, ...]
    paragraph: str
    meaning: str

    @property
    def values(self) -> tuple[str, ...]:
        return (self.default, *self.alternatives)


class Line(Value):
    """One verdict. For a known stake, stake = returned + lost."""

    seat: int
    player: str
    bet: str
    stake: int | None  # minor units; None: present, amount unknown
    outcome: str
    returned: int | None
    lost: int | None
    paid: int | None  # on top of what is returned; None: not known yet
    odds: str
    level: str  # the meter, if this line is a major award
    share_num: int
    share_den: int
    rule: str
    because: str
    cards: tuple[str, ...]


class Reason(Value):
    """Why a line has its result: the paragraph and one short sentence of ours."""

    rule: str
    because: str


class Bettor(Value):
    """One of several players on one box, if the game allows it."""

    player: str
    bets: tuple[tuple[str, int | None], ...]


class Box(Value):
    """A betting box at settlement."""

    seat: int
    player: str
    cards: tuple[Card, ...]
    decision: str
    bets: tuple[tuple[str, int | None], ...]
    invalidated: bool = False
    bettors: tuple[Bettor, ...] = ()
    established: bool = True  # False: the player did not show his cards, and nobody saw them
    gives_envy: bool = True  # False: a claim for this hand was denied, so its royal gives no envy


class Deal(Value):
    """The input of a settlement. Boxes are in deal order."""

    dealer: tuple[Card, ...]
    community: tuple[Card, ...]
    boxes: tuple[Box, ...]
    void: bool = False


class Limit(Value):
    bet: str
    minimum: int
    maximum: int | None


class PostedOdds(Value):
    """Odds to 1 that the house posts because the rulebook prints none."""

    bet: str
    rows: tuple[tuple[str, int], ...]


class Terms(Value):
    """What the house sets because the rulebook does not print it, and the readings that differ from the defaults."""

    limits: tuple[Limit, ...] = ()
    progressive_stake: int | None = None
    resets: tuple[tuple[str, int], ...] = ()
    rates_bp: tuple[tuple[str, int], ...] = ()
    reserves_bp: tuple[tuple[str, int], ...] = ()
    envy: int | None = None
    pay_letters: tuple[tuple[str, str], ...] = ()
    posted: tuple[PostedOdds, ...] = ()
    readings: tuple[tuple[str, str], ...] = ()
    currency: Currency = Currency()


class PrintedMeter(Value):
    """What a rulebook prints about a meter. A table file with other figures names their approval."""

    meter: str
    reset_units: int
    rate_bp: int


class Ceiling(Value):
    """A maximum that the rulebook itself sets."""

    bet: str
    top_minor: int
    what: str  # completes "it is over the ..."
    rule: str
    is_settled: bool = True  # the excess is returned at settlement; otherwise it is only reported while bets are open


class Rulebook(ABC):
    """One version of one game. Instances are stateless constants. `felt rules` prints these names; a table drives
    its charts from `wagers`, `has_fold` and `community_cards`."""

    id: str
    version: str
    title: str
    effective: str
    wagers: tuple[Wager, ...]
    pay_tables: tuple[PayTable, ...]
    readings: tuple[Reading, ...]
    needs: tuple[str, ...]  # terms that the house must supply
    letters: tuple[str, ...] = ()  # bets whose printed pay table the house chooses by letter
    posted_rows: tuple[tuple[str, tuple[str, ...]], ...] = ()  # bets whose odds the house posts, and their rows
    meters: tuple[str, ...] = ()
    printed_meters: tuple[PrintedMeter, ...] = ()
    printed_meters_at: str = ""  # the paragraph that prints them
    stake_on_share_won: str = ""  # the reading that decides whether a major award's stake is returned
    forfeit_on_fold: str = ""  # the reading that says `forfeit` where a fold loses the progressive bet
    hand_cards: int = 3
    community_cards: int = 0
    has_fold: bool = True
    side_bettors_look: bool = False  # whether a player without a decision to make may look at his cards
    has_envy: bool = False
    has_bettors: bool = False

    @abstractmethod
    def settle(self, deal: Deal, terms: Terms) -> tuple[Line, ...]:
        """The verdict lines in deal order. A major award is a share, not yet a sum."""

    @abstractmethod
    def qualifies(self, dealer: tuple[Card, ...]) -> bool | None:
        """Whether the dealer's hand qualifies; None if the game has no qualification."""

    @abstractmethod
    def in_play(self, box: Box) -> bool:
        """Whether this box takes part and needs cards."""

    @abstractmethod
    def folded(self, box: Box) -> bool:
        """Whether the box has left the round, by its own decision or because the rulebook counts it as left."""

    def fold_forfeits_jackpot(self, terms: Terms) -> bool:
        """Whether a folded box loses any share of a meter."""
        return bool(self.forfeit_on_fold) and readings_in_force(self, terms)[self.forfeit_on_fold] == "forfeit"

    def cards_that_decide(self, wager: Wager, terms: Terms) -> Cards:
        """The last cards that must lie face up before this wager has won or lost."""
        return wager.decided_by

    def ceilings(self, staked: Mapping[str, int | None], terms: Terms) -> tuple[Ceiling, ...]:
        """The rulebook's own maxima for this box's bets, beside the posted limits."""
        return ()

    def prescribed_stake(self, terms: Terms) -> int | None:
        """The prescribed amount of a progressive bet; None if there is none."""
        if terms.progressive_stake is not None:
            return terms.progressive_stake
        return next((limit.maximum for limit in terms.limits if limit.bet == "progressive"), None)


def readings_in_force(rulebook: Rulebook, terms: Terms) -> Mapping[str, str]:
    """Every reading of the game with its value. Unknown names and values are refused."""
    return _in_force(rulebook, terms.readings)


@lru_cache(maxsize=256)
def _in_force(rulebook: Rulebook, chosen: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    in_force = {reading.name: reading.default for reading in rulebook.readings}
    known = {reading.name: reading.values for reading in rulebook.readings}
    for name, value in chosen:
        if name not in known:
            raise RulesError(f"{name!r} is not a reading of {rulebook.id}: see `felt rules {rulebook.id}`")
        if value not in known[name]:
            raise RulesError(f"{value!r} is not a value of the reading {name}: use one of {', '.join(known[name])}")
        in_force[name] = value
    return in_force


def missing_terms(rulebook: Rulebook, terms: Terms) -> list[str]:
    """One sentence for each term that the game needs and the house has not set."""
    have = {
        "progressive_stake": terms.progressive_stake is not None,
        "envy": terms.envy is not None,
        **{f"reset.{meter}": True for meter, _ in terms.resets},
        **{f"rate.{meter}": True for meter, _ in terms.rates_bp},
        **{f"limits.{limit.bet}": True for limit in terms.limits},
        **{f"pay_table.{bet}": True for bet, _ in terms.pay_letters},
        **{f"pay_table.{posted.bet}": True for posted in terms.posted},
    }
    return [f"{rulebook.id} needs {_need_in_words(need)}" for need in rulebook.needs if not have.get(need)]


def _need_in_words(need: str) -> str:
    kind, _, name = need.partition(".")
    return {
        "progressive_stake": "the prescribed amount of a progressive bet",
        "envy": "the amount of the envy award",
        "reset": f"the reset value of the meter {name}",
        "rate": f"the growth rate of the meter {name}",
        "limits": f"the limits of the {name} bet",
        "pay_table": f"the pay table in force for {name}",
    }[kind]
