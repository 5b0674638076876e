"""The name of three face-up cards as a dealer says it: "Pair of nines", "Queen high", "7 points". For display only;
no decision depends on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from felt.nouns.cards import INDEX_OF, RANKS, Card
from felt.rules.hands import THREE_CARD_CATEGORY, pictures, points, three_card_rank

BY_POINTS = ("lucky-three-pictures",)  # games that count points and pictures instead of poker hands

_ONE = dict(zip(RANKS, "two three four five six seven eight nine ten jack queen king ace".split(), strict=True))
_SEVERAL = {**{rank: f"{name}s" for rank, name in _ONE.items()}, "6": "sixes"}
_WHEEL = {"A", "2", "3"}  # the ace counts low


def name_of(game: str, cards: Sequence[Card]) -> str:
    """Empty unless all three cards are known."""
    if len(cards) != 3 or any(card not in INDEX_OF for card in cards):
        return ""
    a, b, c = (INDEX_OF[card] for card in cards)
    if game in BY_POINTS:
        return _points(points(a, b, c), pictures(a, b, c))
    return _poker(THREE_CARD_CATEGORY[three_card_rank(a, b, c)], [card[0] for card in cards])


def _points(total: int, court: int) -> str:
    if court == 3:
        return "Three pictures"
    with_pictures = {0: "", 1: ", one picture", 2: ", two pictures"}[court]
    return f"{total} point{'' if total == 1 else 's'}{with_pictures}"


def _poker(category: str, ranks: list[str]) -> str:
    common = Counter(ranks).most_common(1)[0][0]
    highest = "3" if set(ranks) == _WHEEL else max(ranks, key=RANKS.index)
    return {
        "high_card": f"{_ONE[max(ranks, key=RANKS.index)].capitalize()} high",
        "pair": f"Pair of {_SEVERAL[common]}",
        "flush": f"Flush, {_ONE[max(ranks, key=RANKS.index)]} high",
        "straight": f"Straight to the {_ONE[highest]}",
        "three_of_a_kind": f"Three {_SEVERAL[common]}",
        "straight_flush": f"Straight flush to the {_ONE[highest]}",
        "mini_royal": "Ace, king, queen suited",
    }[category]
