"""Ante with Play, and the wagers that depend on the decision between them. The best strategy comes from comparing the
value of folding and playing for everything a player may know. Named strategies are evaluated beside it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import msgspec
import numpy as np
from numpy.typing import NDArray

from felt.nouns.cards import DECK, SUITS
from felt.nouns.money import say
from felt.odds.advice import Advice, Decided, advice_of
from felt.odds.enumeration import DEALS, Indices
from felt.odds.exact import Outcome, Wager, best_first
from felt.odds.forfeit import Awards, Fold, Forfeit, Meters, is_forfeited
from felt.odds.kinds import Comparison, Enumerated, Tally
from felt.odds.settled import EQUAL, HIGHER, STAKE, Settlement, Showdown
from felt.odds.side_bets import pay_table, side_bets
from felt.rules.hands import three_card_rank
from felt.rules.rulebook import FOLD, PLAY, Rulebook, Terms

Played = NDArray[np.bool_]  # for each row of what a player may know

OPTIMAL = "optimal"
OPTIMAL_OPEN_CARD = "optimal against the dealer's open card"
BLIND = "optimal without looking at the open card"
ALWAYS_PLAY = "always play"
QUEEN_SIX_FOUR = "Q-6-4"
NO_ADVICE = Advice((), ())
BEST_FOR_THE_ANTE = "best for the Ante"
OPEN_CARD_GAMES = ("california-three-card-poker",)
_QUEEN_SIX_FOUR_RANK = three_card_rank(10 * 4, 4 * 4 + 1, 2 * 4)


class AnteAndPlay:
    """Ante, Play and Ante Bonus of one box: what each kind of showdown pays after a fold and after a play. A row is
    everything that the player may know: his hand and, if one lies open, a card of the dealer's."""

    def __init__(self, settlement: Settlement, comparison: Comparison, *, open_card: bool = False) -> None:
        tally = comparison.tally
        self.comparison = comparison
        self.open_card = open_card
        self.deals = DEALS * (3 if open_card else 1)
        self._paragraph = pay_table(settlement.book, "ante").paragraph
        self._played = self._outcomes(settlement, PLAY)
        self._folded = self._outcomes(settlement, FOLD)
        self.hands = np.array([player.hand for player in tally.classes])
        self.cards = np.full(len(self.hands), -1)
        self.weights = tally.weights
        self.counts = tally.counts
        if open_card:
            self.counts, places, self.cards = _by_open_card(tally)
            self.hands, self.weights = self.hands[places], self.weights[places]
        self._gain = self._worth(self._played) - self._worth(self._folded)

    def _outcomes(self, settlement: Settlement, decision: str) -> dict[int, Outcome]:
        found = {}
        for code, kind in self.comparison.kinds.items():
            paid = settlement.ante_paid(kind.cards, decision)
            found[code] = Outcome(_showdown_name(kind, decision), 0, paid.pays, paid.net, paid.risked)
        return found

    def _worth(self, outcomes: dict[int, Outcome]) -> Indices:
        """The total payment of the deals of each row, at an Ante of STAKE, in whole numbers."""
        nets = np.zeros(self.counts.shape[1], dtype=np.int64)
        for code, outcome in outcomes.items():
            assert (outcome.net * STAKE).denominator == 1, "half of STAKE is whole"
            nets[code] = int(outcome.net * STAKE)
        worth: Indices = self.counts @ nets
        return worth

    def outcome(self, code: int, decision: str) -> Outcome:
        """The outcome of a showdown with this code, without a count."""
        return (self._played if decision == PLAY else self._folded)[code]

    def worth(self, row: int, decision: str) -> int:
        return int(self._worth(self._played if decision == PLAY else self._folded)[row])

    def best(self) -> Played:
        return self._gain >= 0

    def losses(self) -> Indices:
        """How much more playing costs than folding, over the deals of each row, at an Ante of STAKE."""
        return -self._gain

    def decided(self, played: Played) -> Decided:
        return Decided(self.hands, self.cards, self.weights * self.counts.sum(axis=1), played)

    def wager(self, played: Played, strategy: str, advice: Advice = NO_ADVICE) -> Wager:
        weighted = self.counts * self.weights[:, None]
        outcomes = []
        for rows, known in ((played, self._played), (~played, self._folded)):
            totals = weighted[rows].sum(axis=0)
            for code, outcome in known.items():
                if totals[code]:
                    outcomes.append(msgspec.structs.replace(outcome, count=int(totals[code])))
        best = best_first(outcomes)
        return Wager(
            "ante", "", self._paragraph, self.deals, best, strategy, advice=advice.rows, exceptions=advice.exceptions
        )


def _by_open_card(tally: Tally) -> tuple[Indices, Indices, Indices]:
    """For each class of hands a row for each card that can lie open, and the class and card of each row."""
    counts, places, cards = [], [], []
    for place, player in enumerate(tally.classes):
        table = tally.by_open_card(player)
        met = np.flatnonzero(table.any(axis=1))
        counts.append(table[met])
        places.append(np.full(len(met), place))
        cards.append(met)
    return np.concatenate(counts), np.concatenate(places), np.concatenate(cards)


def _in_suits_alike(fold: Fold, own: tuple[int, ...], card: int, alike: tuple[int, ...]) -> Iterator[Fold]:
    """One fold for each way in which the suits of a class can matter to the bet."""
    members: dict[tuple[int, ...], tuple[int, ...]] = {}  # each hand of the class, and how the suits are renamed to it
    for names in permutations(range(len(SUITS))) if len(set(alike)) > 1 else [tuple(range(len(SUITS)))]:
        members.setdefault(tuple(sorted(_renamed(held, names) for held in own)), names)
    found: dict[tuple[object, ...], Fold] = {}
    for hand, names in members.items():
        counts = {
            code: tuple(each[names.index(suit)] for suit in range(len(each))) if len(each) > 1 else each
            for code, each in fold.counts.items()
        }
        key = tuple((code, *_summed(each, alike)) for code, each in counts.items() if len(each) > 1)
        known = found.get(key)
        found[key] = msgspec.structs.replace(
            fold,
            cards=tuple(DECK[held] for held in hand),
            open_card=DECK[_renamed(card, names)] if card >= 0 else "",
            weight=fold.weight // len(members) + (known.weight if known else 0),
            counts=counts,
        )
    assert sum(part.weight for part in found.values()) == fold.weight, "every hand of the class is in one of them"
    yield from found.values()


def _renamed(card: int, names: tuple[int, ...]) -> int:
    return card // len(SUITS) * len(SUITS) + names[card % len(SUITS)]


def _summed(counts: tuple[int, ...], alike: tuple[int, ...]) -> tuple[int, ...]:
    """By suits that are alike."""
    return tuple(sum(count for count, own in zip(counts, alike, strict=True) if own == suit) for suit in set(alike))


def _showdown_name(kind: Showdown, decision: str) -> str:
    if decision == FOLD:
        return "fold"
    result = {HIGHER: "higher", EQUAL: "equal"}.get(kind.compared, "lower")
    qualified = "" if kind.qualifies else "_dealer_not_qualified"
    bonus = f"_{kind.hand}" if kind.hand not in ("high_card", "pair", "flush") else ""
    return f"{result}{qualified}{bonus}"


class Game:
    """All wagers of one game under one house's terms."""

    def __init__(self, book: Rulebook, terms: Terms, counted: Enumerated) -> None:
        self.book = book
        self.terms = terms
        self._counted = counted
        self.settlement = Settlement(book, terms)
        self.bets: AnteAndPlay | None = None
        self.forfeit: Forfeit | None = None
        if book.has_fold:
            comparison = counted.compared(book, terms)
            self.bets = AnteAndPlay(self.settlement, comparison, open_card=book.id in OPEN_CARD_GAMES)
        self._sides = tuple(side_bets(book, terms, counted))
        if self.bets is not None and is_forfeited(self.settlement):
            self.forfeit = self._forfeit(self.bets)

    def wagers(self, ante_minor: int, meters: Meters) -> Iterator[Wager]:
        """Ante with Play under each strategy, then the others."""
        if self.bets is not None:
            yield self.best_ante(self.bets)
            yield from self._named_antes()
        for wager in self._sides:
            if wager.name == "progressive" and self.forfeit is not None:
                yield from self._forfeited(self.forfeit, ante_minor, meters)
            else:
                yield wager

    def best_ante(self, bets: AnteAndPlay) -> Wager:
        played = bets.best()
        found = advice_of(self._counted.hands, bets.decided(played))
        if bets.open_card:
            return bets.wager(played, f"{OPTIMAL_OPEN_CARD}: {found.in_a_sentence()}", found)
        return bets.wager(played, f"{OPTIMAL}: {found.in_a_sentence()}", Advice((), found.exceptions))

    def _named_antes(self) -> Iterator[Wager]:
        comparison = self._counted.compared(self.book, self.terms)
        assert self.bets is not None
        bets = AnteAndPlay(self.settlement, comparison) if self.bets.open_card else self.bets
        hands = self._counted.hands
        if self.bets.open_card:
            found = advice_of(hands, bets.decided(bets.best()))
            yield bets.wager(bets.best(), f"{BLIND}: {found.in_a_sentence()}")
        yield bets.wager(hands.rank[bets.hands] >= _QUEEN_SIX_FOUR_RANK, QUEEN_SIX_FOUR)
        yield bets.wager(np.ones(len(bets.hands), dtype=np.bool_), ALWAYS_PLAY)

    # --- where a fold forfeits the progressive bet -----------------------------------------------------------

    def _forfeit(self, bets: AnteAndPlay) -> Forfeit:
        never_folded = next(wager for wager in self._sides if wager.name == "progressive")
        never_folded = never_folded.times(bets.deals // never_folded.deals)
        edge = -bets.wager(bets.best(), "").net({})
        awards = Awards(self.settlement, self._counted.six_cards.kinds)
        return Forfeit(awards, self.folds(bets, awards), never_folded, edge)

    def folds(self, bets: AnteAndPlay, awards: Awards) -> Iterator[Fold]:
        """Every hand, and open card, with which the Ante alone is better folded."""
        six, alike = self._counted.six_cards, awards.suits_alike()
        losses = bets.losses()
        opened: dict[int, Indices] = {}
        for row in np.flatnonzero(losses > 0).tolist():
            hand, card = int(bets.hands[row]), int(bets.cards[row])
            if card < 0:
                found = six.of_one_hand(hand)
            else:
                if hand not in opened:
                    opened = {hand: six.of_one_hand_by_open_card(hand)}  # rows of one hand follow each other
                found = opened[hand][card]
            counts = {
                code: tuple(found[code, : len(awards.played[code])].tolist())
                for code in np.flatnonzero(found.any(axis=1)).tolist()
            }
            own = tuple(self._counted.hands.cards[hand].tolist())
            fold = Fold((), "", int(bets.weights[row]), int(losses[row]), counts, int(found.sum()))
            yield from _in_suits_alike(fold, own, card, alike)

    def _forfeited(self, forfeit: Forfeit, ante_minor: int, meters: Meters) -> Iterator[Wager]:
        """With the best strategy for the Ante alone, with the best one for both bets at the present meters, and without
        any fold."""
        assert self.bets is not None
        found = self.best_ante(self.bets).strategy.partition(": ")[2]
        yield forfeit.wager((False,) * len(forfeit.folds), f"{BEST_FOR_THE_ANTE}: {found}")
        ante = say(ante_minor, self.terms.currency)
        both = f"best for both bets at an Ante of {ante} and the meters as they stand"
        yield forfeit.wager(forfeit.played(ante_minor, meters), both)
        yield msgspec.structs.replace(forfeit.never_folded, strategy=ALWAYS_PLAY)

