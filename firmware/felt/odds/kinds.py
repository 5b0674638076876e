"""Deals that are alike, counted. Each function sorts every deal into kinds that no rulebook treats differently inside,
and answers one deal of each kind with how many there are."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import combinations

import msgspec
import numpy as np

from felt.nouns.cards import DECK, SUITS, Card
from felt.odds.enumeration import CARDS, DEALS, DEALS_A_SET, HANDS, Hands, Indices, PlayerClass
from felt.odds.settled import EQUAL, HIGHER, LOWER, Cards, Kind, Showdown
from felt.rules import hands as ranking
from felt.rules.california_three_card_poker import hand_order
from felt.rules.rulebook import Rulebook, Terms, readings_in_force

Progress = Callable[[str], None]

FIVES = 2_598_960

THREE_CARD_NAMES = tuple(name for name, _ in ranking.THREE_CARD_CLASSES)
FIVE_CARD_NAMES = tuple(name for name, _ in ranking.FIVE_CARD_CLASSES)
_SUITED = ("straight_flush", "royal_flush")

def category_numbers(categories: tuple[str, ...], names: tuple[str, ...]) -> Indices:
    """For each rank the place of its category among the names."""
    return np.array([names.index(name) if name else -1 for name in categories])


def by_three_cards(hands: Hands) -> tuple[int, list[Kind]]:
    """By the player's hand alone: its category, the suit of a straight flush, and whether it is 3-2-A."""
    category = category_numbers(ranking.THREE_CARD_CATEGORY, THREE_CARD_NAMES)[hands.rank]
    suit = np.where(category >= THREE_CARD_NAMES.index("straight_flush"), hands.cards[:, 0] % 4, 0)
    is_ace_low = (np.sort(hands.cards // 4, axis=1) == [0, 1, 12]).all(axis=1)
    code = (category * len(SUITS) + suit) * 2 + is_ace_low
    _, first, counts = np.unique(code, return_index=True, return_counts=True)
    kinds = [
        Kind(THREE_CARD_NAMES[category[hand]], int(count), _against_anybody(hands, int(hand)))
        for hand, count in zip(first, counts, strict=True)
    ]
    return HANDS, kinds


def _against_anybody(hands: Hands, hand: int) -> Cards:
    return Cards(hands.names(hand), hands.names(int(hands.disjoint_from(hand)[0])))


class SixCards:
    """By the best five of the player's and the dealer's six cards, whether the player alone holds a mini-royal, and
    whether all six make a royal. A class stands for its hands in every suit: where a suit matters, a code has one kind
    for each suit, and each is a quarter."""

    def __init__(self, hands: Hands, classes: tuple[PlayerClass, ...]) -> None:
        self.classes = classes
        self.counts: list[dict[int, int]] = []  # for each class
        counted = _Counted()
        category = category_numbers(ranking.FIVE_CARD_CATEGORY, FIVE_CARD_NAMES)
        best_three = len(ranking.THREE_CARD_CATEGORY) - 1
        for player in classes:
            dealers = hands.disjoint_from(player.hand)
            code = category[hands.best_of_six(player.hand, dealers)] * 4
            code += 2 * int(hands.rank[player.hand] == best_three)
            code += _six_card_royals(hands, player.hand, dealers)
            self.counts.append(counted.add(code, player, dealers))
        self.by_code = {code: _in_each_suit(hands, code, *found) for code, found in sorted(counted.kinds.items())}

    @property
    def kinds(self) -> list[Kind]:
        return [kind for found in self.by_code.values() for kind in found]


def in_sets(six: SixCards, deals_a_set: int) -> list[Kind]:
    """Sets of six cards in place of deals: whether the player alone holds a mini-royal is forgotten."""
    together: dict[tuple[int, int], Kind] = {}
    for code, found in six.by_code.items():
        for suit, kind in enumerate(found):
            key = (code & ~2, suit)
            known = together.get(key)
            count = kind.count + (known.count if known else 0)
            together[key] = msgspec.structs.replace(kind, count=count)
    return [msgspec.structs.replace(kind, count=_divided(kind.count, deals_a_set)) for kind in together.values()]


def _divided(count: int, parts: int) -> int:
    assert count % parts == 0, "every set of six is dealt in as many ways"
    return count // parts


def _six_card_royals(hands: Hands, hand: int, dealers: Indices) -> Indices:
    found = np.zeros(len(dealers), dtype=np.int64)
    nine_to_ace = 0b1111110000000
    for suit in range(len(SUITS)):
        if hands.suit_count[suit, hand] == 3:
            found += (hands.suit_mask[suit, dealers] | hands.suit_mask[suit, hand]) == nine_to_ace
    return found


def _in_each_suit(hands: Hands, code: int, count: int, player: int, dealer: int) -> tuple[Kind, ...]:
    name = FIVE_CARD_NAMES[code // 4]
    cards = Cards(hands.names(player), hands.names(dealer))
    if name not in _SUITED:
        return (Kind(name, count, cards),)
    assert count % len(SUITS) == 0, "suits are alike"
    return tuple(Kind(name, count // len(SUITS), _in_another_suit(cards, shift)) for shift in range(len(SUITS)))


def _in_another_suit(cards: Cards, shift: int) -> Cards:
    def renamed(names: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(Card(name[0] + SUITS[(SUITS.index(name[1]) + shift) % len(SUITS)]) for name in names)

    return Cards(renamed(cards.player), renamed(cards.dealer), renamed(cards.community))


class _Counted:
    """How often each code came, weighted, and the first deal with it."""

    def __init__(self) -> None:
        self.kinds: dict[int, tuple[int, int, int]] = {}

    def add(self, codes: Indices, player: PlayerClass, dealers: Indices) -> dict[int, int]:
        """Answers the counts of this player's class, without its weight."""
        found, first, counts = np.unique(codes, return_index=True, return_counts=True)
        for code, place, count in zip(found.tolist(), first.tolist(), counts.tolist(), strict=True):
            before = self.kinds.get(code)
            weighted = count * player.weight
            if before is None:
                self.kinds[code] = (weighted, player.hand, int(dealers[place]))
            else:
                self.kinds[code] = (before[0] + weighted, before[1], before[2])
        return dict(zip(found.tolist(), counts.tolist(), strict=True))


def by_five_cards(hands: Hands) -> tuple[int, list[Kind]]:
    """By the player's three and the two community cards together."""
    fives = np.fromiter(
        (card for five in combinations(range(CARDS), 5) for card in five), dtype=np.int8, count=FIVES * 5
    ).reshape(-1, 5)
    ranks = hands.rank_of_five(fives)
    category = category_numbers(ranking.FIVE_CARD_CATEGORY, FIVE_CARD_NAMES)[ranks]
    _, first, counts = np.unique(category, return_index=True, return_counts=True)
    kinds = []
    for place, count in zip(first.tolist(), counts.tolist(), strict=True):
        five = [int(card) for card in fives[place]]
        others = [card for card in range(CARDS) if card not in five][:3]
        cards = Cards(_named(five[:3]), _named(others), _named(five[3:]))
        kinds.append(Kind(FIVE_CARD_NAMES[category[place]], count, cards))
    return FIVES, kinds


def _named(cards: list[int]) -> tuple[Card, ...]:
    return tuple(DECK[card] for card in cards)


def by_pictures(hands: Hands, classes: tuple[PlayerClass, ...]) -> tuple[int, list[Kind]]:
    """By the points and pictures of both hands."""
    rank = np.array([ranking.pictures_rank(*row) for row in hands.cards.tolist()])
    counted = _Counted()
    for player in classes:
        dealers = hands.disjoint_from(player.hand)
        counted.add(rank[player.hand] * (ranking.THREE_PICTURES + 1) + rank[dealers], player, dealers)
    kinds = [
        Kind("", count, Cards(hands.names(player), hands.names(dealer)))
        for count, player, dealer in counted.kinds.values()
    ]
    return DEALS, kinds


class Comparison:
    """Player against dealer, hand class by hand class: how many deals of each class are of which kind."""

    def __init__(
        self,
        hands: Hands,
        classes: tuple[PlayerClass, ...],
        order: Indices,
        qualifies: Callable[[tuple[Card, ...]], bool | None],
    ) -> None:
        self.classes = classes
        self._hands = hands
        self._order = order
        self._qualifies = np.array([bool(qualifies(hands.names(hand))) for hand in range(HANDS)])
        self.kinds: dict[int, Showdown] = {}
        self.counts: list[dict[int, int]] = [self._count(player) for player in classes]

    def _codes(self, player: PlayerClass, dealers: Indices) -> Indices:
        """Within one player's hand: three results of the comparison, each with and without a qualifying dealer."""
        own = self._order[player.hand]
        dealt = self._order[dealers]
        compared = np.where(dealt < own, HIGHER, np.where(dealt == own, EQUAL, LOWER))
        codes: Indices = compared * 2 + self._qualifies[dealers]
        return codes

    def _count(self, player: PlayerClass) -> dict[int, int]:
        dealers = self._hands.disjoint_from(player.hand)
        codes = self._codes(player, dealers)
        found, first, counts = np.unique(codes, return_index=True, return_counts=True)
        hand = ranking.THREE_CARD_CATEGORY[self._hands.rank[player.hand]]
        base = self._base(player.hand)
        for code, place in zip(found.tolist(), first.tolist(), strict=True):
            cards = Cards(self._hands.names(player.hand), self._hands.names(int(dealers[place])))
            self.kinds.setdefault(base + code, Showdown(hand, code // 2, bool(code % 2), cards))
        return {base + code: count for code, count in zip(found.tolist(), counts.tolist(), strict=True)}

    def code_of(self, hand: int, dealer: int) -> int:
        """Of one deal, by the places of its two hands."""
        player = PlayerClass(hand, 1)
        return self._base(hand) + int(self._codes(player, np.array([dealer]))[0])

    def _base(self, hand: int) -> int:
        return THREE_CARD_NAMES.index(ranking.THREE_CARD_CATEGORY[self._hands.rank[hand]]) * 6

    def by_open_card(self, player: PlayerClass) -> dict[int, dict[int, int]]:
        """With one of the dealer's cards face up: for each card that can lie there, how many deals are of which kind.
        Any of the dealer's three cards may be the open one, so each deal counts three times."""
        dealers = self._hands.disjoint_from(player.hand)
        codes = self._codes(player, dealers)
        base = self._base(player.hand)
        table = np.zeros(CARDS * 6, dtype=np.int64)
        for column in self._hands.cards[dealers].T:
            table += np.bincount(column * 6 + codes, minlength=CARDS * 6)
        return {
            card: {base + code: int(count) for code, count in enumerate(table[card * 6 : card * 6 + 6]) if count}
            for card in range(CARDS)
            if table[card * 6 : card * 6 + 6].any()
        }


class Enumerated:
    """What has been counted already, shared by the wagers and games that need the same count."""

    def __init__(self, progress: Progress = lambda step: None) -> None:
        self._progress = progress
        self._compared: dict[tuple[object, ...], Comparison] = {}

    @cached_property
    def hands(self) -> Hands:
        self._progress("three-card hands")
        return Hands()

    @cached_property
    def classes(self) -> tuple[PlayerClass, ...]:
        return self.hands.classes()

    @cached_property
    def by_three_cards(self) -> tuple[int, list[Kind]]:
        return by_three_cards(self.hands)

    @cached_property
    def six_cards(self) -> SixCards:
        self._progress("the best five of six cards")
        return SixCards(self.hands, self.classes)

    @property
    def by_six_cards(self) -> tuple[int, list[Kind]]:
        """By deals: for bets that also ask which three of the six are the player's."""
        return DEALS, self.six_cards.kinds

    @property
    def by_sets_of_six(self) -> tuple[int, list[Kind]]:
        """For bets that look at the six cards alone: twenty deals share one set of six."""
        return DEALS // DEALS_A_SET, in_sets(self.six_cards, DEALS_A_SET)

    @cached_property
    def by_five_cards(self) -> tuple[int, list[Kind]]:
        self._progress("five cards")
        return by_five_cards(self.hands)

    @cached_property
    def by_pictures(self) -> tuple[int, list[Kind]]:
        self._progress("points and pictures")
        return by_pictures(self.hands, self.classes)

    def compared(self, book: Rulebook, terms: Terms) -> Comparison:
        key = (book.id, terms.readings)
        if key not in self._compared:
            self._progress("player against dealer")
            order = _order(self.hands, book, terms)
            self._compared[key] = Comparison(self.hands, self.classes, order, book.qualifies)
        return self._compared[key]


def _order(hands: Hands, book: Rulebook, terms: Terms) -> Indices:
    """What hands are compared by. One book's readings change the order of hands."""
    if book.id != "california-three-card-poker":
        return hands.rank
    readings = readings_in_force(book, terms)
    orders = [hand_order((a, b, c), readings) for a, b, c in hands.cards.tolist()]
    places = {order: place for place, order in enumerate(sorted(set(orders)))}
    return np.array([places[order] for order in orders])
