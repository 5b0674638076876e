"""Published house edges, counted from the product's own settlement: one wrong rule would change them."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

from felt.nouns.cards import DECK
from felt.nouns.values import replace
from felt.rules import hands, shelf
from felt.rules.rulebook import Box, Deal, Limit, Terms
from tests.rules.rounds import MULTI_LINK, PROGRESSIVE, RWS_TERMS, box, deal, settle

ALL_THREES = tuple(combinations(range(52), 3))
NO_LIMITS = replace(RWS_TERMS, limits=())
# The player's strategy: play queen-six-four or better.
QUEEN_SIX_FOUR = hands.three_card_rank(4 * 10, 4 * 4 + 1, 4 * 2 + 2)


def net_of(dealer: tuple[int, ...], cards: tuple[int, ...], decision: str, **bets: int) -> int:
    named = Box(1, "P1", tuple(DECK[card] for card in cards), decision, tuple(bets.items()))
    lines = shelf.rulebook(PROGRESSIVE).settle(Deal(tuple(DECK[card] for card in dealer), (), (named,)), NO_LIMITS)
    return sum((line.paid or 0) - (line.lost or 0) for line in lines)


def test_4_2_pair_plus_at_40_30_5_4_1_costs_5_57_per_cent() -> None:
    dealer = tuple(card for card in range(52) if DECK[card] in ("2c", "3d", "5h"))
    counted = Counter(hands.three_card_rank(*cards) for cards in ALL_THREES)
    example = {hands.three_card_rank(*cards): cards for cards in ALL_THREES}
    total = sum(count * net_of(dealer, example[rank], "", pair_plus=1) for rank, count in counted.items())
    assert Fraction(-total, 22_100) == Fraction(308, 5_525)


def test_4_1_to_4_3_ante_and_play_cost_3_37_per_cent_of_the_ante(full: bool) -> None:
    """Against every dealer's hand for one player's hand of each of the 22,100 up to suit; a sample otherwise."""
    players = _up_to_suits()
    if not full:
        players = dict(random.Random(1).sample(sorted(players.items()), 12))
    counted, checked = _expectation(players)
    if full:
        assert counted == 407_170_400
        assert round(float(-100 * Fraction(checked, counted)), 2) == 3.37
    for cards, _ in list(players.items())[:12]:
        _spot_check(cards)


def _up_to_suits() -> dict[tuple[int, ...], int]:
    """One hand of each kind that differs by more than a change of suits, and how many hands it stands for."""
    kinds: dict[tuple[object, ...], tuple[int, ...]] = {}
    counts: Counter[tuple[object, ...]] = Counter()
    for cards in ALL_THREES:
        suits = [card & 3 for card in cards]
        kind = (tuple(card >> 2 for card in cards), tuple(suits.index(suit) for suit in suits))
        kinds.setdefault(kind, cards)
        counts[kind] += 1
    return {kinds[kind]: count for kind, count in counts.items()}


def _expectation(players: dict[tuple[int, ...], int]) -> tuple[int, int]:
    """Deals and net of the player over all dealers, by the order of hands and the printed bonus alone."""
    bonus = {"mini_royal": 5, "straight_flush": 5, "three_of_a_kind": 4, "straight": 1}
    deals = net = 0
    for cards, count in players.items():
        rank = hands.three_card_rank(*cards)
        deals += count * 18_424
        if rank < QUEEN_SIX_FOUR:
            net -= count * 18_424
            continue
        rest = [card for card in range(52) if card not in cards]
        won = 18_424 * bonus.get(hands.THREE_CARD_CATEGORY[rank], 0)
        for dealer in combinations(rest, 3):
            against = hands.three_card_rank(*dealer)
            if against < hands.LOWEST_QUEEN_HIGH:
                won += 1
            elif rank != against:
                won += 2 if rank > against else -2
        net += count * won
    return deals, net


def _spot_check(cards: tuple[int, ...]) -> None:
    """The short count above agrees with the rulebook, deal by deal."""
    rank = hands.three_card_rank(*cards)
    rest = [card for card in range(52) if card not in cards]
    chance = random.Random(rank)
    bonus = {"mini_royal": 5, "straight_flush": 5, "three_of_a_kind": 4, "straight": 1}
    for _ in range(40):
        dealer = tuple(chance.sample(rest, 3))
        against = hands.three_card_rank(*dealer)
        earned = bonus.get(hands.THREE_CARD_CATEGORY[rank], 0)
        if against < hands.LOWEST_QUEEN_HIGH:
            earned += 1
        elif rank != against:
            earned += 2 if rank > against else -2
        assert net_of(dealer, cards, "play", ante=1, play=1) == earned


def test_4_4_the_minor_awards_come_as_often_as_five_cards_make_them() -> None:
    """Multi-Link's jackpot hand is exactly five cards: its odds are the plain odds of five cards."""
    counted: Counter[str] = Counter()
    chance = random.Random(4)
    for _ in range(4_000):
        dealt = chance.sample(DECK, 8)
        boxed = box(" ".join(dealt[:3]), ante=5000, play=5000, progressive=500)
        round_ = settle(MULTI_LINK, deal(" ".join(dealt[3:6]), boxed, community=" ".join(dealt[6:])), NO_LIMITS, None)
        line = round_.line("progressive")
        five = tuple(DECK.index(card) for card in (*dealt[:3], *dealt[6:]))
        category = hands.FIVE_CARD_CATEGORY[hands.five_card_rank(*five)]
        counted[category] += 1
        assert (line.outcome == "win") == (category in PAYING)
    assert counted["pair"] > counted["two_pair"] > counted["three_of_a_kind"]


PAYING = ("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush", "straight")


def test_a_limit_changes_the_stake_in_action_and_never_the_outcome() -> None:
    chance = random.Random(9)
    tight = Terms(limits=(Limit("ante", 1, 3),), progressive_stake=5, resets=(("major", 5),))
    for _ in range(300):
        dealt = chance.sample(DECK, 6)
        boxed = box(" ".join(dealt[:3]), ante=7, play=7)
        round_dealt = deal(" ".join(dealt[3:]), boxed)
        loose_lines = settle(PROGRESSIVE, round_dealt, NO_LIMITS, None).lines
        tight_lines = settle(PROGRESSIVE, round_dealt, tight, None).lines
        assert [line.outcome for line in loose_lines] == [line.outcome for line in tight_lines]
        assert all((line.lost or 0) <= 3 for line in tight_lines if line.bet in ("ante", "play"))
