"""Counts deals that are alike. Each function sorts every deal into kinds within which no rulebook makes a difference,
and returns one deal of each kind with the number of its deals."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import chain, combinations

import msgspec
import numpy as np
from numpy.typing import NDArray

from felt.nouns.cards import DECK, SUITS, Card
from felt.odds.enumeration import CARDS, DEALS, DEALS_A_SET, HANDS, Hands, Indices, PlayerClass
from felt.odds.settled import Cards, Kind, Showdown, by_code
from felt.rules import hands as ranking
from felt.rules.california_three_card_poker import hand_order
from felt.rules.rulebook import Rulebook, Terms, readings_in_force

Progress = Callable[[str], None]

FIVES = 2_598_960

THREE_CARD_NAMES = tuple(name for name, _ in ranking.THREE_CARD_CLASSES)
FIVE_CARD_NAMES = tuple(name for name, _ in ranking.FIVE_CARD_CLASSES)
_SUITED = ("straight_flush", "royal_flush")

def category_numbers(categories: tuple[str, ...], names: tuple[str, ...]) -> Indices:
    """For each rank the index of its category."""
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


class Tally:
    """Every deal of every class of hands by one code: how often each class meets each code, and the first deal of each
    code."""

    def __init__(
        self,
        hands: Hands,
        classes: tuple[PlayerClass, ...],
        codes: Callable[[int, Indices], Indices],
        size: int,
    ) -> None:
        self.classes = classes
        self.hands = hands
        self.codes = codes
        self.size = size
        self.counts = np.zeros((len(classes), size), dtype=np.int64)  # without the weights of the classes
        self.examples: dict[int, tuple[int, int]] = {}  # the indices of the two hands
        for row, player in enumerate(classes):
            dealers = hands.disjoint_from(player.hand)
            found = codes(player.hand, dealers)
            counts = np.bincount(found, minlength=size)
            self.counts[row] = counts
            for code in np.flatnonzero(counts).tolist():
                if code not in self.examples:
                    self.examples[code] = (player.hand, int(dealers[np.argmax(found == code)]))
        self.weights = np.array([player.weight for player in classes], dtype=np.int64)

    @property
    def totals(self) -> Indices:
        whole: Indices = self.weights @ self.counts
        return whole

    def code_of(self, hand: int, dealer: int) -> int:
        """Of one deal, by the places of its two hands."""
        return int(self.codes(hand, np.array([dealer]))[0])

    def by_open_card(self, player: PlayerClass) -> Indices:
        """One of the dealer's cards lies face up: a row for each card that can lie there. Any of the dealer's three
        cards may be the open one, so each deal counts three times."""
        dealers = self.hands.disjoint_from(player.hand)
        codes = self.codes(player.hand, dealers)
        table = np.zeros(CARDS * self.size, dtype=np.int64)
        for column in self.hands.cards[dealers].T:
            table += np.bincount(column * self.size + codes, minlength=CARDS * self.size)
        return table.reshape(CARDS, self.size)


class SixCards:
    """By the best five of the player's and the dealer's six cards, whether the player alone holds a mini-royal, and
    whether all six make a royal. A class stands for its hands in every suit: where a suit may matter, a code has one
    kind for each suit, in their order, and each is a quarter."""

    def __init__(self, hands: Hands, classes: tuple[PlayerClass, ...]) -> None:
        category = category_numbers(ranking.FIVE_CARD_CATEGORY, FIVE_CARD_NAMES)
        best_three = len(ranking.THREE_CARD_CATEGORY) - 1

        def codes(hand: int, dealers: Indices) -> Indices:
            found: Indices = category[hands.best_of_six(hand, dealers)] * 4
            found += 2 * int(hands.rank[hand] == best_three)
            found += _six_card_royals(hands, hand, dealers)
            return found

        self.tally = Tally(hands, classes, codes, len(FIVE_CARD_NAMES) * 4)
        totals = self.tally.totals.tolist()
        self.kinds = [
            kind
            for code, deal in sorted(self.tally.examples.items())
            for kind in _in_each_suit(hands, code, totals[code], *deal)
        ]
        suited = [name in _SUITED for name in FIVE_CARD_NAMES for _ in range(4)]
        self._has_suit = np.array(suited, dtype=np.int64)

    def of_one_hand(self, hand: int) -> Indices:
        """Deals by code and suit. A code without suits has all of them in the first column."""
        dealers = self.tally.hands.disjoint_from(hand)
        return np.bincount(self._keys(hand, dealers), minlength=self._keys_in_all).reshape(-1, len(SUITS))

    def of_one_hand_by_open_card(self, hand: int) -> Indices:
        """The same for each card of the dealer's that may lie face up."""
        dealers = self.tally.hands.disjoint_from(hand)
        keys = self._keys(hand, dealers)
        table = np.zeros(CARDS * self._keys_in_all, dtype=np.int64)
        for column in self.tally.hands.cards[dealers].T:
            table += np.bincount(column * self._keys_in_all + keys, minlength=len(table))
        return table.reshape(CARDS, -1, len(SUITS))

    @property
    def _keys_in_all(self) -> int:
        return self.tally.size * len(SUITS)

    def _keys(self, hand: int, dealers: Indices) -> Indices:
        hands = self.tally.hands
        codes = self.tally.codes(hand, dealers)
        held = hands.suit_count[:, dealers] + hands.suit_count[:, hand, None]
        keys: Indices = codes * len(SUITS) + held.argmax(axis=0) * self._has_suit[codes]
        return keys


def in_sets(six: SixCards, deals_a_set: int) -> list[Kind]:
    """Sets of six cards instead of deals: whether the player alone holds a mini-royal is dropped."""
    together: dict[tuple[int, int], Kind] = {}
    for code, found in by_code(six.kinds).items():
        for suit, kind in enumerate(found):
            key = (code & ~2, suit)
            known = together.get(key)
            count = kind.count + (known.count if known else 0)
            together[key] = msgspec.structs.replace(kind, count=count, code=key[0])
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
        return (Kind(name, count, cards, code),)
    assert count % len(SUITS) == 0, "suits are alike"
    each = count // len(SUITS)
    own = int((hands.suit_count[:, player] + hands.suit_count[:, dealer]).argmax())
    return tuple(Kind(name, each, _in_another_suit(cards, suit - own), code) for suit in range(len(SUITS)))


def _in_another_suit(cards: Cards, shift: int) -> Cards:
    def renamed(names: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(Card(name[0] + SUITS[(SUITS.index(name[1]) + shift) % len(SUITS)]) for name in names)

    return Cards(renamed(cards.player), renamed(cards.dealer), renamed(cards.community))


def by_five_cards(hands: Hands) -> tuple[int, list[Kind]]:
    """By the player's three and the two community cards together."""
    flat = chain.from_iterable(combinations(range(CARDS), 5))
    fives = np.fromiter(flat, dtype=np.int8, count=FIVES * 5).reshape(-1, 5)
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
    size = ranking.THREE_PICTURES + 1
    tally = Tally(hands, classes, lambda hand, dealers: rank[hand] * size + rank[dealers], size * size)
    totals = tally.totals.tolist()
    kinds = [
        Kind("", totals[code], Cards(hands.names(player), hands.names(dealer)))
        for code, (player, dealer) in tally.examples.items()
    ]
    return DEALS, kinds


class Comparison:
    """Player against dealer for each class of hands: the number of deals of each kind."""

    def __init__(
        self, hands: Hands, classes: tuple[PlayerClass, ...], order: Indices, qualifies: NDArray[np.bool_]
    ) -> None:
        categories = category_numbers(ranking.THREE_CARD_CATEGORY, THREE_CARD_NAMES)[hands.rank]

        def codes(hand: int, dealers: Indices) -> Indices:
            """For each category three results of the comparison, each with and without a qualifying dealer."""
            dealt = order[dealers]
            compared = 1 + (dealt < order[hand]).astype(np.int64) - (dealt > order[hand])
            found: Indices = categories[hand] * 6 + compared * 2 + qualifies[dealers]
            return found

        self.tally = Tally(hands, classes, codes, len(THREE_CARD_NAMES) * 6)
        self.kinds: dict[int, Showdown] = {}
        for code, (player, dealer) in self.tally.examples.items():
            cards = Cards(hands.names(player), hands.names(dealer))
            self.kinds[code] = Showdown(THREE_CARD_NAMES[code // 6], code % 6 // 2, bool(code % 2), cards)


class Enumerated:
    """Keeps counts that several wagers and games need."""

    def __init__(self, progress: Progress = lambda step: None) -> None:
        self._progress = progress
        self._compared: dict[tuple[bytes, bytes], Comparison] = {}

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
        """Counts deals: for bets that also depend on which three of the six cards are the player's."""
        return DEALS, self.six_cards.kinds

    @property
    def by_sets_of_six(self) -> tuple[int, list[Kind]]:
        """Counts sets: for bets that depend on the six cards alone. Twenty deals share one set of six."""
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
        """Rulebooks that rank hands alike and whose dealers qualify alike share one comparison."""
        order = _order(self.hands, book, terms)
        qualifies = np.array([bool(book.qualifies(self.hands.names(hand))) for hand in range(HANDS)])
        key = (np.unique(order, return_inverse=True)[1].tobytes(), qualifies.tobytes())
        if key not in self._compared:
            self._progress("player against dealer")
            self._compared[key] = Comparison(self.hands, self.classes, order, qualifies)
        return self._compared[key]


def _order(hands: Hands, book: Rulebook, terms: Terms) -> Indices:
    """What hands are compared by. One rulebook's readings change the order of hands."""
    if book.id != "california-three-card-poker":
        return hands.rank
    readings = readings_in_force(book, terms)
    orders = [hand_order((a, b, c), readings) for a, b, c in hands.cards.tolist()]
    places = {order: place for place, order in enumerate(sorted(set(orders)))}
    return np.array([places[order] for order in orders])
