"""A progressive bet that a fold forfeits. The value of a hand then depends on the Ante, the stake and the meters. The
best strategy changes at certain meter values, so the return of the bets is given piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby

import msgspec

from felt.nouns.cards import SUITS, Card
from felt.odds.exact import Wager, best_first
from felt.odds.settled import STAKE, Kind, Settlement, by_code
from felt.odds.side_bets import outcome_of, pay_table
from felt.rules.rulebook import FOLD, Terms
from felt.rules.rulebook import Cards as DecidedBy

Meters = Mapping[str, int | Fraction]
BET = "progressive"
BESIDE = ("ante", "play", BET)


class Fold(msgspec.Struct, frozen=True):
    """A hand that the Ante alone says to fold. It stands for all hands that differ only by suits which the bet's pay
    table treats alike: a royal in spades may win more than one in hearts, and a player knows which he may get."""

    cards: tuple[Card, ...]
    open_card: str  # how many hands are alike
    weight: int  # how much more playing costs the Ante than folding, over its deals, at an Ante of STAKE
    loss: int  # by how much playing costs the Ante more than folding, over its deals, at an Ante of STAKE
    # Its deals by the code of the six cards, and by suit in codes that have one kind for each. Codes that win nothing
    # may be left out.
    counts: dict[int, tuple[int, ...]]
    deals_each: int  # of one such hand, all codes together

    @property
    def deals(self) -> int:
        return self.deals_each * self.weight

    def in_words(self) -> str:
        return f"play {' '.join(self.cards)}" + (f" against {self.open_card}" if self.open_card else "")


class Turn(msgspec.Struct, frozen=True):
    """A meter value (minor units) from which a hand is played that is folded below it."""

    meter: str
    meter_minor: Fraction
    cards: tuple[Card, ...]
    open_card: str
    deals: int


class Piece(msgspec.Struct, frozen=True):
    """A range of meter values with one best strategy, and so with one set of coefficients."""

    meter: str
    from_minor: Fraction
    folded: int  # deals
    ante_edge: Fraction  # the cost of Ante and Play under it, in Antes
    fixed: Fraction  # the progressive bet's return apart from this meter, in stakes
    share: Fraction  # the average part of this meter that one bet wins


class _Gain(msgspec.Struct, frozen=True):
    """What the progressive bet gains over its deals if a hand is played that is otherwise folded."""

    fixed: Fraction  # minor units
    shares: dict[str, Fraction]  # wholes of each meter

    def at(self, meters: Meters) -> Fraction:
        return self.fixed + sum((share * meters[meter] for meter, share in self.shares.items()), Fraction(0))


class Awards:
    """What the bet comes to on every kind of six cards, played and folded."""

    def __init__(self, settlement: Settlement, six: Iterable[Kind]) -> None:
        table = pay_table(settlement.book, BET)
        kinds = by_code(six)
        self.played = {
            code: tuple(outcome_of(settlement, table, kind, BESIDE) for kind in found) for code, found in kinds.items()
        }
        self.folded = {
            code: tuple(outcome_of(settlement, table, kind, BESIDE, FOLD) for kind in found)
            for code, found in kinds.items()
        }
        self._stake = settlement.stake_of(BET)

    def gain(self, fold: Fold) -> _Gain:
        fixed, shares = Fraction(0), dict[str, Fraction]()
        for code, counts in fold.counts.items():
            for count, better, worse in zip(counts, self.played[code], self.folded[code], strict=True):
                fixed += count * (better.net - worse.net) * self._stake
                if count and better.meter and better.share != worse.share:
                    shares[better.meter] = shares.get(better.meter, Fraction(0)) + count * (better.share - worse.share)
        return _Gain(fixed, shares)

    def wins(self, code: int) -> bool:
        """Whether the bet wins anything on such six cards."""
        return any(outcome.net > -1 or outcome.meter for outcome in self.played[code])

    def suits_alike(self) -> tuple[int, ...]:
        """For each suit the first one with which every hand comes to the same."""
        suited = [code for code, outcomes in self.played.items() if len(outcomes) == len(SUITS)]
        treated = [
            [(self.played[code][suit], self.folded[code][suit]) for code in suited] for suit in range(len(SUITS))
        ]
        return tuple(treated.index(outcomes) for outcomes in treated)


class Forfeit:
    """`never_folded` is the bet of a box that plays every hand; `ante_edge` is the least cost of Ante and Play."""

    def __init__(
        self,
        awards: Awards,
        folds: Iterable[Fold],
        never_folded: Wager,
        ante_edge: Fraction,
        folded_beside: int = 0,  # deals of hands that are always folded, because they win nothing
    ) -> None:
        self.awards = awards
        self.folds = tuple(folds)
        self._folded_beside = folded_beside
        self.never_folded = never_folded
        self._stake = never_folded.stake_minor
        self.ante_edge = ante_edge
        self._gains = tuple(awards.gain(fold) for fold in self.folds)

    def played(self, ante_minor: int, meters: Meters) -> tuple[bool, ...]:
        """Which of these hands the best strategy for both bets together plays."""
        return tuple(
            gain.at(meters) >= Fraction(fold.loss * ante_minor, STAKE)
            for fold, gain in zip(self.folds, self._gains, strict=True)
        )

    def turns(self, ante_minor: int, meters: Meters, meter: str) -> tuple[Turn, ...]:
        """The values of one meter at which the best strategy changes, with the other meters unchanged, lowest first."""
        found = []
        for fold, gain in zip(self.folds, self._gains, strict=True):
            lacks = Fraction(fold.loss * ante_minor, STAKE) - gain.at({**meters, meter: 0})
            if lacks > 0 and gain.shares.get(meter):
                found.append(Turn(meter, lacks / gain.shares[meter], fold.cards, fold.open_card, fold.deals))
        return tuple(sorted(found, key=lambda turn: (turn.meter_minor, turn.cards, turn.open_card)))

    def pieces(self, ante_minor: int, meters: Meters, meter: str) -> tuple[Piece, ...]:
        """The coefficients of both bets under the best strategy, from an empty meter upwards."""
        turns = self.turns(ante_minor, meters, meter)
        starts = [Fraction(0), *(value for value, _ in groupby(turns, key=lambda turn: turn.meter_minor))]
        return tuple(self._piece(ante_minor, {**meters, meter: start}, meter) for start in starts)

    def _piece(self, ante_minor: int, meters: Meters, meter: str) -> Piece:
        deals = self.never_folded.deals
        lost, missing, share, folded = 0, Fraction(0), Fraction(0), self._folded_beside
        for fold, gain, played in zip(self.folds, self._gains, self.played(ante_minor, meters), strict=True):
            if played:
                lost += fold.loss * fold.weight
            else:
                folded += fold.deals
                missing += gain.at({**meters, meter: 0}) * fold.weight
                share += gain.shares.get(meter, Fraction(0)) * fold.weight
        whole_share = sum(
            (outcome.share * outcome.count for outcome in self.never_folded.outcomes if outcome.meter == meter),
            Fraction(0),
        )
        fixed = 1 + self.never_folded.net({**meters, meter: 0}) - missing / (self._stake * deals)
        edge = self.ante_edge + Fraction(lost, STAKE * deals)
        return Piece(meter, meters[meter] + Fraction(0), folded, edge, fixed, (whole_share - share) / deals)

    def standing(self, ante_minor: int, meters: Meters) -> Fraction:
        """The average gain of both bets together in minor units, under the best strategy at the present meters."""
        meter = next(iter(meters))
        piece = self._piece(ante_minor, meters, meter)
        won = (piece.fixed - 1) * self._stake + piece.share * meters[meter]
        return won - piece.ante_edge * ante_minor

    def wager(self, played: Sequence[bool], strategy: str) -> Wager:
        """The bet of a box that folds all of these hands but those marked as played."""
        awards = self.awards
        totals = {msgspec.structs.replace(outcome, count=0): outcome.count for outcome in self.never_folded.outcomes}
        for fold, is_played in zip(self.folds, played, strict=True):
            for code, counts in () if is_played else fold.counts.items():
                for count, outcome, instead in zip(counts, awards.played[code], awards.folded[code], strict=True):
                    totals[outcome] -= count * fold.weight
                    totals[instead] = totals.get(instead, 0) + count * fold.weight
        after_all = tuple(fold.in_words() for fold, is_played in zip(self.folds, played, strict=True) if is_played)
        counted = [msgspec.structs.replace(outcome, count=total) for outcome, total in totals.items() if total]
        assert sum(outcome.count for outcome in counted) == self.never_folded.deals, "every deal is counted once"
        return msgspec.structs.replace(
            self.never_folded, outcomes=best_first(counted), strategy=strategy, exceptions=after_all
        )


def least_ante(terms: Terms) -> int:
    """The Ante at which a forfeit costs most."""
    return next((limit.minimum for limit in terms.limits if limit.bet == "ante" and limit.minimum), STAKE)


def is_forfeited(settlement: Settlement) -> bool:
    """True if a fold loses the progressive bet although it could win: the dealer's cards decide it."""
    book = settlement.book
    wager = next((wager for wager in book.wagers if wager.coin_spot), None)
    return (
        wager is not None
        and book.fold_forfeits_jackpot(settlement.terms)
        and book.cards_that_decide(wager, settlement.terms) is DecidedBy.DEALER
    )
