"""Every deal of a game, as arrays. The ranks come from the tables that the settlement itself uses (`rules.hands`). A
player's 22,100 hands fall into 1,755 classes that differ only by the names of the suits. One hand stands for its class,
with its weight, so 32 million pairs of hands stand for all 407,170,400 deals. This module knows no rulebook."""

from __future__ import annotations

from functools import reduce
from itertools import combinations, permutations

import msgspec
import numpy as np
from numpy.typing import NDArray

from felt.nouns.cards import DECK, SUITS, Card
from felt.rules import hands

Indices = NDArray[np.int64]

CARDS = len(DECK)
HANDS = 22_100  # of three cards
DEALERS = 18_424  # of three cards, once a player holds three
DEALS = HANDS * DEALERS
DEALS_A_SET = 20  # ways to give three of six cards to the player


class PlayerClass(msgspec.Struct, frozen=True):
    """One hand that stands for all hands that differ from it only by the names of the suits."""

    hand: int  # its index among all three-card hands
    weight: int


class Hands:
    """All three-card hands and the tables to look them up."""

    def __init__(self) -> None:
        self.cards: Indices = np.array(list(combinations(range(CARDS), 3)), dtype=np.int64)
        first, second, third = self.cards.T
        three, by_sum, by_mask = hands.load_tables()
        self.rank: Indices = np.asarray(three, dtype=np.int64)[(first * CARDS + second) * CARDS + third]
        self.bits = sum(np.uint64(1) << column.astype(np.uint64) for column in self.cards.T)
        self.place: dict[tuple[int, ...], int] = {tuple(row): place for place, row in enumerate(self.cards.tolist())}
        ranks = np.sort(self.cards // 4, axis=1)
        multisets, self.multiset = np.unique(ranks, axis=0, return_inverse=True)
        self._sums, self._sum_ranks = _sorted_columns(by_sum)
        self._by_multisets = _ranks_of_two_multisets(multisets, self._sums, self._sum_ranks)
        self._flush_rank = np.asarray(by_mask, dtype=np.int64)
        self.suit_mask = np.stack([_masks_of_suit(self.cards, suit) for suit in range(len(SUITS))])
        self.suit_count = np.stack([(self.cards % 4 == suit).sum(axis=1) for suit in range(len(SUITS))])

    def names(self, hand: int) -> tuple[Card, ...]:
        return tuple(DECK[card] for card in self.cards[hand])

    def disjoint_from(self, hand: int) -> Indices:
        """The hands that the dealer can have when the player has this one."""
        return np.flatnonzero((self.bits & self.bits[hand]) == 0)

    def best_of_six(self, hand: int, others: Indices) -> Indices:
        """The rank of the best five cards of the six, for one hand with each of the others."""
        best: Indices = self._by_multisets[self.multiset[hand], self.multiset[others]]
        for suit in range(len(SUITS)):
            held = self.suit_count[suit, hand]
            if held < 2:
                continue  # no other hand can bring it to five
            flush = np.flatnonzero(self.suit_count[suit, others] + held >= 5)
            masks = self.suit_mask[suit, others[flush]] | self.suit_mask[suit, hand]
            best[flush] = self._flush_rank[masks]
        return best

    def rank_of_five(self, fives: NDArray[np.int8]) -> Indices:
        """The rank of each row of five cards."""
        sums = (5 ** (fives.astype(np.int64) // 4)).sum(axis=1)
        ranks: Indices = self._sum_ranks[np.searchsorted(self._sums, sums)]
        flush = np.flatnonzero((fives % 4 == fives[:, :1] % 4).all(axis=1))
        masks = (1 << (fives[flush].astype(np.int64) // 4)).sum(axis=1)
        ranks[flush] = self._flush_rank[masks]
        return ranks

    def classes(self) -> tuple[PlayerClass, ...]:
        """Of all hands that are equal up to the names of the suits, the first stands for them."""
        suits, ranks = self.cards % 4, self.cards // 4
        renamed = (np.sort(ranks * 4 + np.array(names)[suits], axis=1) for names in _RENAMINGS)
        least = reduce(np.minimum, ((own[:, 0] * CARDS + own[:, 1]) * CARDS + own[:, 2] for own in renamed))
        _, first, weights = np.unique(least, return_index=True, return_counts=True)
        return tuple(PlayerClass(*pair) for pair in zip(first.tolist(), weights.tolist(), strict=True))


_RENAMINGS = tuple(permutations(range(len(SUITS))))


def _masks_of_suit(cards: Indices, suit: int) -> Indices:
    of_suit = cards % 4 == suit
    masks: Indices = np.where(of_suit, 1 << (cards // 4), 0).sum(axis=1)
    return masks


def _sorted_columns(by_sum: dict[int, int]) -> tuple[Indices, Indices]:
    by_sum[5**0 + 5**1 + 5**2 + 5**3 + 5**5]  # the first lookup fills the table
    pairs = np.array(sorted(by_sum.items()), dtype=np.int64)
    return pairs[:, 0], pairs[:, 1]


def _ranks_of_two_multisets(multisets: Indices, sums: Indices, sum_ranks: Indices) -> Indices:
    """The rank of six cards without five of a suit, by the ranks of one three and the ranks of the other."""
    counts = (multisets[:, :, None] == np.arange(CARDS // len(SUITS))).sum(axis=1)
    # Two sets that each need five cards of one rank never occur in one deal.
    meet = (counts[:, None, :] + counts[None, :, :]).max(axis=2) <= len(SUITS)
    powers = (5**multisets).sum(axis=1)
    together = powers[:, None] + powers[None, :]
    table = np.zeros(together.shape, dtype=np.int64)
    table[meet] = sum_ranks[np.searchsorted(sums, together[meet])]
    return table
