"""The order of hands against independent evaluators and against plain counting."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import phevaluator
import pytest
from pokerkit import RhodeIslandHoldemLookup
from treys import Card as TreysCard
from treys import Evaluator

from felt.nouns.cards import DECK, INDEX_OF, parse_cards
from felt.rules import hands

ROOT = Path(__file__).parents[2]
ALL_THREES = tuple(combinations(range(52), 3))


def three(text: str) -> int:
    a, b, c = (INDEX_OF[card] for card in parse_cards(text))
    return hands.three_card_rank(a, b, c)


def six(text: str) -> int:
    a, b, c, d, e, f = (INDEX_OF[card] for card in parse_cards(text))
    return hands.best_five_of_six(a, b, c, d, e, f)


def test_the_shipped_tables_are_what_the_tool_makes() -> None:
    tool = [sys.executable, str(ROOT / "tools" / "make_hand_tables"), "--check"]
    checked = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_3_1_2_all_22100_hands_stand_in_the_order_of_an_independent_evaluator() -> None:
    lookup = RhodeIslandHoldemLookup()
    for a, b, c in ALL_THREES:
        entry = lookup.get_entry(DECK[a] + DECK[b] + DECK[c])
        assert hands.three_card_rank(a, b, c) == entry.index + 1


def test_there_are_741_classes_and_each_category_has_its_count() -> None:
    ranks = Counter(hands.three_card_rank(*cards) for cards in ALL_THREES)
    assert sorted(ranks) == list(range(1, 742))
    counted: Counter[str] = Counter()
    for rank, count in ranks.items():
        counted[hands.THREE_CARD_CATEGORY[rank]] += count
    assert counted == {
        "mini_royal": 4,
        "straight_flush": 44,
        "three_of_a_kind": 52,
        "straight": 720,
        "flush": 1096,
        "pair": 3744,
        "high_card": 16440,
    }


def test_the_order_of_the_cards_in_a_hand_does_not_matter() -> None:
    assert three("As Kd Qc") == three("Qc As Kd") == three("Kd Qc As")
    assert six("As Kd Qc 2s 3d 4h") == six("4h 3d 2s Qc Kd As")


def test_1_17_exactly_6720_hands_do_not_qualify() -> None:
    assert sum(hands.three_card_rank(*cards) < hands.LOWEST_QUEEN_HIGH for cards in ALL_THREES) == 6720
    assert three("Qs 3d 2c") == hands.LOWEST_QUEEN_HIGH
    assert three("Js Td 8c") < hands.LOWEST_QUEEN_HIGH
    assert three("5s 5d 2c") > hands.LOWEST_QUEEN_HIGH


def test_3_1_1_ace_three_two_is_the_lowest_straight_and_nothing_wraps_round() -> None:
    assert hands.THREE_CARD_CATEGORY[three("3c 2h Ad")] == "straight"
    assert three("3c 2h Ad") < three("4c 3h 2d")
    assert hands.THREE_CARD_CATEGORY[three("Ks Ad 2c")] == "high_card"
    assert hands.THREE_CARD_CATEGORY[three("3h 2h Ah")] == "straight_flush"


@pytest.mark.parametrize(
    ("better", "worse"),
    [("Kc Qd Jh", "Jc Td 9h"), ("5c 5d Kh", "5h 5s Qh"), ("Ac Kd Jh", "Ad Kh Tc"), ("2c 2d 2h", "As Kd Qc")],
)
def test_3_1_3_hands_of_one_kind_are_told_apart_by_their_cards(better: str, worse: str) -> None:
    assert three(better) > three(worse)


def test_every_pair_of_classes_is_compared_as_an_independent_evaluator_compares_them(full: bool) -> None:
    lookup = RhodeIslandHoldemLookup()
    of_class = {hands.three_card_rank(*cards): cards for cards in ALL_THREES}
    entries = {rank: lookup.get_entry("".join(DECK[card] for card in cards)) for rank, cards in of_class.items()}
    classes = sorted(of_class)
    mine = classes if full else random.Random(741).sample(classes, 60)
    for rank in mine:
        for other in classes:
            assert (rank < other) == (entries[rank] < entries[other])
            assert (rank == other) == (entries[rank] == entries[other])


def test_the_best_five_of_six_agrees_with_two_independent_evaluators(full: bool) -> None:
    """Both of them rank lower as better, and their best hand is 1."""
    count = 2_000_000 if full else 10_000
    treys = Evaluator()
    treys_cards = [TreysCard.new(card) for card in DECK]
    chance = random.Random(6)
    deck = list(range(52))
    for number in range(count):
        cards = chance.sample(deck, 6)
        rank = hands.best_five_of_six(*cards)
        assert rank == 7463 - phevaluator.evaluate_cards(*cards)
        if full or number % 5 == 0:
            assert rank == 7463 - treys.evaluate([treys_cards[card] for card in cards[:2]],
                                                 [treys_cards[card] for card in cards[2:]])  # fmt: skip


def test_all_five_card_hands_agree_with_an_independent_evaluator(full: bool) -> None:
    every = combinations(range(52), 5)
    if full:
        counted: Counter[str] = Counter()
        for cards in every:
            rank = hands.five_card_rank(*cards)
            assert rank == 7463 - phevaluator.evaluate_cards(*cards)
            counted[hands.FIVE_CARD_CATEGORY[rank]] += 1
        assert counted["royal_flush"] == 4
        assert counted["straight_flush"] == 36
        assert counted["four_of_a_kind"] == 624
        assert counted["full_house"] == 3_744
        assert counted["flush"] == 5_108
        assert counted["straight"] == 10_200
        assert counted["three_of_a_kind"] == 54_912
        assert counted["two_pair"] == 123_552
        assert counted["pair"] == 1_098_240
        assert counted["high_card"] == 1_302_540
    else:
        chance = random.Random(5)
        for _ in range(5_000):
            five = chance.sample(range(52), 5)
            assert hands.five_card_rank(*five) == 7463 - phevaluator.evaluate_cards(*five)


def test_3_17_five_high_is_the_lowest_straight_of_five() -> None:
    assert hands.FIVE_CARD_CATEGORY[six("As 2d 3c 4h 5s Kd")] == "straight"
    assert six("As 2d 3c 4h 5s Kd") < six("2s 3d 4c 5h 6s Kd")
    assert hands.FIVE_CARD_CATEGORY[six("Qs Kd As 2h 3c 9d")] == "high_card"


def test_the_cards_of_the_best_five_are_named_highest_first() -> None:
    cards = [INDEX_OF[card] for card in parse_cards("2d As Ks Qs Js Ts")]
    assert [DECK[card] for card in hands.cards_of_best_five(cards)] == ["As", "Ks", "Qs", "Js", "Ts"]


def pictures_of(text: str) -> tuple[int, int, int]:
    a, b, c = (INDEX_OF[card] for card in parse_cards(text))
    return hands.pictures_rank(a, b, c), hands.points(a, b, c), hands.pictures(a, b, c)


def test_3_2_points_are_the_last_digit_and_a_ten_is_no_picture() -> None:
    assert pictures_of("8s 8d Th")[1:] == (6, 0)
    assert pictures_of("Ks Qs Ad")[1:] == (1, 2)
    assert pictures_of("Td Th Tc")[1:] == (0, 0)
    assert pictures_of("9s 9d 9h")[1:] == (7, 0)


def test_appendix_g_orders_hands_by_points_and_then_by_pictures() -> None:
    descending = [
        "Ks Qs Js",
        "Ks Qs 9d",
        "Ks 4d 5d",
        "2s 3d 4d",
        "Ks Qs 8d",
        "Jd 9d 9s",
        "Ks Qs Td",
        "Ks Td Tc",
        "Ts Td Tc",
    ]
    ranks = [pictures_of(text)[0] for text in descending]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == len(ranks)
    assert {hands.pictures_rank(*cards) for cards in ALL_THREES} == set(range(31))
