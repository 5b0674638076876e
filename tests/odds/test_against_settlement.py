"""The odds against the settlement, deal by deal: for some hands every deal there is, for every class of hands a few."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest

from felt.nouns.cards import DECK, parse_cards
from felt.odds.forfeit import Forfeit
from felt.odds.kinds import Comparison, Enumerated
from felt.odds.settled import Cards, Settlement
from felt.odds.wagers import AnteAndPlay
from felt.rules import shelf
from felt.rules.rulebook import FOLD, PLAY
from tests.odds.test_published import house_terms

HANDS = ("As Ks Qs", "Jd Td 4c", "7c 7d 2h")
WITH_ANTE = ("progressive-3-card-poker", "multi-link-3-card-poker", "california-three-card-poker", "stax-three-card")


def deals_of(hand: str) -> list[Cards]:
    player = parse_cards(hand)
    others = [card for card in DECK if card not in player]
    return [Cards(player, dealer) for dealer in combinations(others, 3)]


def counts_of(comparison: Comparison, counted: Enumerated, hand: str) -> tuple[int, dict[int, int]]:
    """Of the class that this hand belongs to, by its ranks and how its suits fall together."""
    shape = _shape(parse_cards(hand))
    for place, player in enumerate(comparison.classes):
        if _shape(counted.hands.names(player.hand)) == shape:
            return place, comparison.counts[place]
    raise AssertionError(hand)


def _shape(cards: tuple[str, ...]) -> tuple[object, ...]:
    ordered = sorted(cards, key=lambda card: DECK.index(card) // 4)
    suits = [card[1] for card in ordered]
    return tuple(card[0] for card in ordered), tuple(suits.index(suit) for suit in suits)


@pytest.mark.parametrize("game", WITH_ANTE)
@pytest.mark.parametrize("hand", HANDS[1:3])
def test_a_hand_is_worth_the_sum_of_all_its_settlements(counted: Enumerated, game: str, hand: str) -> None:
    book, terms = shelf.rulebook(game), house_terms(game)
    settlement = Settlement(book, terms)
    bets = AnteAndPlay(settlement, counted.compared(book, terms))
    _, counts = counts_of(bets.comparison, counted, hand)
    for decision in (PLAY, FOLD):
        lines = [
            line
            for deal in deals_of(hand)
            for line in settlement.lines(deal, AnteAndPlay.BETS, decision)
            if line.bet in AnteAndPlay.COUNTED
        ]
        net = sum((line.paid or 0) - (line.lost or 0) for line in lines)
        assert bets.worth(counts, decision) == Fraction(net, 1_000)


@pytest.mark.parametrize("hand", HANDS[:2])
def test_a_forfeit_costs_what_all_settlements_say(counted: Enumerated, hand: str) -> None:
    book, terms = shelf.rulebook("progressive-3-card-poker"), house_terms("progressive-3-card-poker")
    settlement = Settlement(book, terms)
    forfeit = Forfeit(settlement, counted.six_cards)
    place, _ = counts_of(counted.compared(book, terms), counted, hand)
    fixed, part = forfeit.gain(counted.six_cards.counts[place])
    # A class stands for its hands in every suit, and one suit wins the whole meter: take all four.
    told_fixed = told_part = Fraction(0)
    for shift in range(4):
        renamed = " ".join(card[0] + "cdhs"[("cdhs".index(card[1]) + shift) % 4] for card in hand.split())
        for deal in deals_of(renamed):
            for line in settlement.lines(deal, ("ante", "play", "progressive"), PLAY):
                if line.bet == "progressive" and line.outcome == "win":
                    told_fixed += Fraction(line.paid or 0, 4)
                    told_part += Fraction(line.share_num, line.share_den * 4)
    assert (fixed, part) == (told_fixed, told_part)


@pytest.mark.parametrize("game", WITH_ANTE)
def test_every_class_of_hands_is_paid_as_its_kind_says(counted: Enumerated, game: str) -> None:
    book, terms = shelf.rulebook(game), house_terms(game)
    settlement = Settlement(book, terms)
    comparison = counted.compared(book, terms)
    chance = random.Random(20_26)
    for player in comparison.classes:
        cards = counted.hands.names(player.hand)
        dealer = tuple(chance.sample([card for card in DECK if card not in cards], 3))
        code = comparison.code_of(player.hand, counted.hands.place[tuple(sorted(map(DECK.index, dealer)))])
        for decision in (PLAY, FOLD):
            own = settlement.paid(Cards(cards, dealer), AnteAndPlay.BETS, AnteAndPlay.COUNTED, decision)
            like = settlement.paid(comparison.kinds[code].cards, AnteAndPlay.BETS, AnteAndPlay.COUNTED, decision)
            assert own == like, (cards, dealer, decision)
