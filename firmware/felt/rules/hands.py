"""Hand rankings: three cards, the best five of five or six, pictures and points. A card is its index in
`felt.nouns.cards.DECK`; a higher rank is a better hand. Knows nothing of bets.

The ranks come from `tables.bin`, which `tools/make_hand_tables` writes and the package ships, so a table starts
without computing them.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from felt.nouns.cards import RANKS, SUITS

MAGIC = b"felt-hands-1\n"
THREE_CARD_CELLS = 52 * 52 * 52
RANK_MULTISETS = 6_175 + 18_395  # of five cards and of six
FLUSH_MASKS = 8_192

# Three-card categories, lowest first, with the number of classes in each.
THREE_CARD_CLASSES: tuple[tuple[str, int], ...] = (
    ("high_card", 274),
    ("pair", 156),
    ("flush", 274),
    ("straight", 12),
    ("three_of_a_kind", 13),
    ("straight_flush", 11),
    ("mini_royal", 1),
)
FIVE_CARD_CLASSES: tuple[tuple[str, int], ...] = (
    ("high_card", 1_277),
    ("pair", 2_860),
    ("two_pair", 858),
    ("three_of_a_kind", 858),
    ("straight", 10),
    ("flush", 1_277),
    ("full_house", 156),
    ("four_of_a_kind", 156),
    ("straight_flush", 9),
    ("royal_flush", 1),
)


def _category_of_each_rank(classes: tuple[tuple[str, int], ...]) -> tuple[str, ...]:
    """Ranks start at 1, so index 0 is unused."""
    names = [""]
    for name, count in classes:
        names += [name] * count
    return tuple(names)


THREE_CARD_CATEGORY = _category_of_each_rank(THREE_CARD_CLASSES)
FIVE_CARD_CATEGORY = _category_of_each_rank(FIVE_CARD_CLASSES)


class _RankBySum(dict[int, int]):
    """The rank of five or six cards by the sum of their rank keys. Loaded at the first lookup: it takes 2.6 MiB, and
    most games never need it."""

    def __init__(self, sums: array[int], ranks: array[int]) -> None:
        super().__init__()
        self._columns = (sums, ranks)

    def __missing__(self, total: int) -> int:
        if self:
            raise KeyError(total)
        self.update(zip(*self._columns, strict=True))
        return self[total]


def load_tables() -> tuple[array[int], dict[int, int], array[int]]:
    content = Path(__file__).with_name("tables.bin").read_bytes()
    if not content.startswith(MAGIC):
        raise RuntimeError("felt/rules/tables.bin is missing or of another version: run tools/make_hand_tables")
    place = len(MAGIC)
    columns: list[array[int]] = []
    for code, count in (("H", THREE_CARD_CELLS), ("I", RANK_MULTISETS), ("H", RANK_MULTISETS), ("H", FLUSH_MASKS)):
        column = array(code)
        size = column.itemsize * count
        column.frombytes(content[place : place + size])
        place += size
        if sys.byteorder == "big":
            column.byteswap()
        columns.append(column)
    if place != len(content):
        raise RuntimeError("felt/rules/tables.bin has the wrong size: run tools/make_hand_tables")
    three, sums, ranks, flushes = columns
    return three, _RankBySum(sums, ranks), flushes


_THREE, _BY_RANK_SUM, _BY_FLUSH_MASK = load_tables()

# One number per card: its rank as a digit in base five (no rank occurs five times, so sums are unique) and, above bit
# 32, a counter for each suit. Once the counters are raised by three, a suit with five or more cards overflows into the
# tested bits.
_RANK_BITS = 0xFFFFFFFF
_SUIT_START = 3 * (0x1111 << 32)
_FIVE_OF_A_SUIT = 0x8888 << 32
_KEY: tuple[int, ...] = tuple(
    5**rank + (1 << (32 + 4 * suit)) for rank in range(len(RANKS)) for suit in range(len(SUITS))
)


def three_card_rank(a: int, b: int, c: int) -> int:
    """From 1 (5-3-2 of mixed suits) to 741 (A-K-Q suited). A-3-2 is the lowest straight."""
    return _THREE[(a * 52 + b) * 52 + c]


def best_five_of_six(a: int, b: int, c: int, d: int, e: int, f: int) -> int:
    """The rank of the best five, from 1 (7-5-4-3-2) to 7,462 (a royal flush)."""
    total = _KEY[a] + _KEY[b] + _KEY[c] + _KEY[d] + _KEY[e] + _KEY[f]
    if (total + _SUIT_START) & _FIVE_OF_A_SUIT:
        return _flush_rank((a, b, c, d, e, f))
    return _BY_RANK_SUM[total & _RANK_BITS]


def five_card_rank(a: int, b: int, c: int, d: int, e: int) -> int:
    total = _KEY[a] + _KEY[b] + _KEY[c] + _KEY[d] + _KEY[e]
    if (total + _SUIT_START) & _FIVE_OF_A_SUIT:
        return _flush_rank((a, b, c, d, e))
    return _BY_RANK_SUM[total & _RANK_BITS]


def _flush_rank(cards: Sequence[int]) -> int:
    """Among six cards with five of one suit, only a straight flush beats the flush."""
    masks = [0, 0, 0, 0]
    for card in cards:
        masks[card & 3] |= 1 << (card >> 2)
    return max(_BY_FLUSH_MASK[mask] for mask in masks)


def cards_of_best_five(cards: Sequence[int]) -> tuple[int, ...]:
    """The five cards that make the best hand, highest first. If several sets tie, the first in deal order wins."""
    best = max(combinations(cards, 5), key=lambda five: five_card_rank(*five))
    return tuple(sorted(best, reverse=True))


# Q-3-2 of mixed suits: the lowest hand with which a dealer qualifies.
LOWEST_QUEEN_HIGH = three_card_rank(4 * 10, 4 * 1 + 1, 0)


_POINTS: tuple[int, ...] = tuple(
    int(rank) if rank.isdigit() else int(rank == "A") for rank in RANKS for _ in SUITS
)
_PICTURE: tuple[int, ...] = tuple(int(rank in "JQK") for rank in RANKS for _ in SUITS)
THREE_PICTURES = 30


def points(a: int, b: int, c: int) -> int:
    """The last digit of the total. An ace counts one; tens and pictures count nothing."""
    return (_POINTS[a] + _POINTS[b] + _POINTS[c]) % 10


def pictures(a: int, b: int, c: int) -> int:
    return _PICTURE[a] + _PICTURE[b] + _PICTURE[c]


def pictures_rank(a: int, b: int, c: int) -> int:
    """Three pictures rank highest. Other hands rank by points, then by pictures."""
    count = _PICTURE[a] + _PICTURE[b] + _PICTURE[c]
    if count == 3:
        return THREE_PICTURES
    return (_POINTS[a] + _POINTS[b] + _POINTS[c]) % 10 * 3 + count
