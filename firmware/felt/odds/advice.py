"""A strategy in a player's words: from which hand on to play, for each open card that the dealer may show."""

from __future__ import annotations

from itertools import groupby

import msgspec
import numpy as np
from numpy.typing import NDArray

from felt.nouns.cards import DECK
from felt.odds.enumeration import Hands, Indices
from felt.odds.exact import percent_of

RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
EVERYTHING, NOTHING = "play every hand", "fold every hand"


class Advice(msgspec.Struct, frozen=True):
    rows: tuple[tuple[str, str], ...]  # what the player sees, and what to do
    exceptions: tuple[str, ...]  # kinds of hands for which another decision is right

    def in_a_sentence(self) -> str:
        if all(not seen for seen, _ in self.rows):
            ((_, sentence),) = self.rows
            return sentence
        return "; ".join(f"against {seen} {sentence}" for seen, sentence in self.rows)


class Decided(msgspec.Struct, frozen=True):
    """Row by row: the player's hand, the open card (-1: none), the number of deals, and whether to play."""

    hands: Indices
    cards: Indices
    deals: Indices
    played: NDArray[np.bool_]

    def at(self, rows: Indices) -> Decided:
        return Decided(self.hands[rows], self.cards[rows], self.deals[rows], self.played[rows])


def advice_of(hands: Hands, decided: Decided) -> Advice:
    said, exceptions = [], list[str]()
    for seen in sorted(set((decided.cards // 4).tolist())):
        sentence, departing = _threshold(hands, decided.at(np.flatnonzero(decided.cards // 4 == seen)))
        said.append((seen, sentence))
        exceptions += departing
    rows = tuple((_seen_in_words(list(group)), text) for text, group in groupby(said, key=lambda pair: pair[1]))
    return Advice(rows, tuple(exceptions))


def _seen_in_words(group: list[tuple[int, str]]) -> str:
    first, last = group[0][0], group[-1][0]
    if first < 0:
        return ""
    return RANK_NAMES[first] if first == last else f"{RANK_NAMES[first]} to {RANK_NAMES[last]}"


def _threshold(hands: Hands, decided: Decided) -> tuple[str, list[str]]:
    """The rank from which playing is right most often, and the kinds of hands that differ from it."""
    ranks, deals, played = hands.rank[decided.hands], decided.deals, decided.played
    steps = np.unique(ranks)
    wrong = [int(deals[(ranks < step) == played].sum()) for step in steps]
    wrong.append(int(deals[played].sum()))  # play nothing
    best = wrong.index(min(wrong))
    least = steps[best] if best < len(steps) else ranks.max() + 1
    if best == len(steps):
        rule = NOTHING
    elif best == 0:
        rule = EVERYTHING
    else:
        hand = int(decided.hands[np.flatnonzero(ranks == least)[0]])
        rule = f"play {_spoken(hands, hand)} or better, fold everything else"
    departing = np.flatnonzero((ranks < least) == played).tolist()
    if not departing:
        return rule, []
    return f"{rule}; other than that in {percent_of(wrong[best], int(deals.sum()))} of the deals", [
        _exception(hands, decided, row) for row in departing
    ]


def _exception(hands: Hands, decided: Decided, row: int) -> str:
    card = int(decided.cards[row])
    against = f" against {DECK[card]}" if card >= 0 else ""
    return f"{'play' if decided.played[row] else 'fold'} {' '.join(hands.names(int(decided.hands[row])))}{against}"


def _spoken(hands: Hands, hand: int) -> str:
    ranks = sorted((int(card) // 4 for card in hands.cards[hand]), reverse=True)
    return "-".join(RANK_NAMES[rank] for rank in ranks)
