"""The speed of ranking hands: the best five of six beside eval7 (where it is available), three cards beside a naive
ranking, and the time to load the tables. All on the same hands in the same run, by processor time."""

from __future__ import annotations

import importlib
import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from felt.nouns.cards import DECK
from felt.rules import hands

HANDS = 100_000


def _seconds(work: Callable[[], object]) -> float:
    took = []
    for _ in range(3):
        begun = time.process_time()
        work()
        took.append(time.process_time() - begun)
    return min(took)


def naive_three_card_rank(cards: tuple[int, int, int]) -> tuple[int, list[int]]:
    """What one writes without tables."""
    ranks = sorted((card // 4 for card in cards), reverse=True)
    suited = len({card % 4 for card in cards}) == 1
    counts = sorted(Counter(ranks).values(), reverse=True)
    straight = ranks[0] - ranks[2] == 2 and counts == [1, 1, 1]
    if ranks == [12, 1, 0]:
        straight, ranks = True, [1, 0, -1]
    if straight:
        return (5 if suited else 3), ranks
    if counts == [3]:
        return 4, ranks
    if suited:
        return 2, ranks
    if counts == [2, 1]:
        return 1, sorted(ranks, key=lambda rank: (-ranks.count(rank), -rank))
    return 0, ranks


def _eval7_seconds(sixes: list[tuple[int, ...]]) -> float | None:
    """eval7 from ints: cards are looked up, the hand is evaluated. It has no build for ARM."""
    try:
        eval7: Any = importlib.import_module("eval7")
    except ImportError:
        return None
    cards: list[Any] = [eval7.Card(name) for name in DECK]
    evaluate = eval7.evaluate

    def work() -> None:
        for a, b, c, d, e, f in sixes:
            evaluate([cards[a], cards[b], cards[c], cards[d], cards[e], cards[f]])

    return _seconds(work)


def figures(count: int = HANDS) -> dict[str, float]:
    chance = random.Random(1)
    sixes = [tuple(chance.sample(range(52), 6)) for _ in range(count)]
    threes = [(a, b, c) for a, b, c, _, _, _ in sixes]
    six_card, three_card = hands.best_five_of_six, hands.three_card_rank

    def rank_sixes() -> None:
        for a, b, c, d, e, f in sixes:
            six_card(a, b, c, d, e, f)

    def rank_threes() -> None:
        for a, b, c in threes:
            three_card(a, b, c)

    def rank_threes_naively() -> None:
        for three in threes:
            naive_three_card_rank(three)

    six_s, three_s, naive_s = _seconds(rank_sixes), _seconds(rank_threes), _seconds(rank_threes_naively)
    found = {
        "six_card_hands_per_s": count / six_s,
        "three_card_hands_per_s": count / three_s,
        "naive_three_card_hands_per_s": count / naive_s,
        "three_card_to_naive": naive_s / three_s,
        "tables_load_ms": 1000 * _seconds(hands.load_tables),
    }
    eval7_s = _eval7_seconds(sixes)
    if eval7_s is not None:
        found["eval7_hands_per_s"] = count / eval7_s
        found["six_card_to_eval7"] = eval7_s / six_s
    return found


if __name__ == "__main__":
    for name, value in figures().items():
        print(f"{name:30} {value:14,.2f}")
