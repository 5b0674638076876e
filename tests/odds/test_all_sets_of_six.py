"""The best five of six cards against an independent evaluator: in the ordinary run a part of all sets, with --full all
20,358,520."""

from __future__ import annotations

from itertools import combinations, islice
from typing import Any

import numpy as np
import pytest

from felt.nouns.cards import DECK
from felt.odds.enumeration import CARDS, DEALS, DEALS_A_SET
from felt.odds.kinds import Enumerated

PART = 211  # of so many first halves one is taken


@pytest.mark.timeout(1800)
def test_all_sets_of_six_are_ranked_as_eval7_ranks_them(counted: Enumerated, full: bool) -> None:
    eval7: Any = pytest.importorskip("eval7", reason="it has no build for this machine")
    hands, evaluate = counted.hands, eval7.evaluate
    cards = [eval7.Card(name) for name in DECK]
    halves = list(combinations(cards, 3))
    begins = np.searchsorted(hands.cards[:, 0], np.arange(CARDS + 1))  # the first hand whose least card is this one
    pairs, sets = [np.empty((0, 2), dtype=np.int64)], 0
    for hand in range(0, len(halves), 1 if full else PART):
        first = int(begins[hands.cards[hand, 2] + 1])  # the other three are higher: each set is met once
        others = np.arange(first, len(halves))
        own = halves[hand]
        theirs = np.fromiter((evaluate(own + half) for half in islice(halves, first, None)), np.int64, len(others))
        sets += len(others)
        pairs.append(np.unique(np.stack([hands.best_of_six(hand, others), theirs], axis=1), axis=0))
    if full:
        assert sets == DEALS // DEALS_A_SET
    ours, theirs = np.unique(np.concatenate(pairs), axis=0).T
    assert (np.diff(ours) > 0).all(), "two of their ranks are one of ours"
    assert (np.diff(theirs) > 0).all(), "two of our ranks are one of theirs, or stand in another order"
    assert len(ours) > 1_000
