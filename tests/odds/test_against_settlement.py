"""The odds against the settlement, deal by deal: for some hands every deal there is, for every class of hands a few."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from felt.nouns.cards import DECK, INDEX_OF, Card, parse_cards
from felt.odds.forfeit import Fold
from felt.odds.kinds import Enumerated, Tally
from felt.odds.settled import ANTE_BETS, OF_THE_ANTE, STAKE, Cards, Settlement
from felt.odds.wagers import AnteAndPlay, Game
from felt.rules import shelf
from felt.rules.rulebook import FOLD, PLAY
from tests.odds.test_published import house_terms

HANDS = ("As Ks Qs", "Jd Td 4c", "7c 7d 2h")
WITH_ANTE = ("progressive-3-card-poker", "multi-link-3-card-poker", "california-three-card-poker", "stax-three-card")
FORFEITS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("progressive-3-card-poker", HANDS[0], {}),
    ("progressive-3-card-poker", HANDS[1], {}),
    ("california-three-card-poker", HANDS[1], {"progressive_on_fold": "forfeit"}),
    ("stax-three-card", HANDS[1], {"stax_on_fold": "forfeit", "stax_hand": "best_five_of_six"}),
)


def deals_of(hand: str) -> list[Cards]:
    player = parse_cards(hand)
    others = [card for card in DECK if card not in player]
    return [Cards(player, dealer) for dealer in combinations(others, 3)]


def class_of(tally: Tally, hand: str) -> int:
    """The class that this hand belongs to, by its ranks and how its suits fall together."""
    shape = _shape(parse_cards(hand))
    for place, player in enumerate(tally.classes):
        if _shape(tally.hands.names(player.hand)) == shape:
            return place
    raise AssertionError(hand)


def _shape(cards: tuple[Card, ...]) -> tuple[object, ...]:
    ordered = sorted(cards, key=lambda card: DECK.index(card) // 4)
    suits = [card[1] for card in ordered]
    return tuple(card[0] for card in ordered), tuple(suits.index(suit) for suit in suits)


@pytest.mark.parametrize("game", WITH_ANTE)
@pytest.mark.parametrize("hand", HANDS[1:3])
def test_a_hand_is_worth_the_sum_of_all_its_settlements(counted: Enumerated, game: str, hand: str) -> None:
    book, terms = shelf.rulebook(game), house_terms(game)
    settlement = Settlement(book, terms)
    bets = AnteAndPlay(settlement, counted.compared(book, terms))
    row = class_of(bets.comparison.tally, hand)
    for decision in (PLAY, FOLD):
        lines = [
            line
            for deal in deals_of(hand)
            for line in settlement.lines(deal, ANTE_BETS, decision)
            if line.bet in OF_THE_ANTE
        ]
        assert bets.worth(row, decision) == sum((line.paid or 0) - (line.lost or 0) for line in lines)


def test_an_open_card_leaves_the_deals_that_hold_it(counted: Enumerated) -> None:
    game, hand, card = "california-three-card-poker", HANDS[1], "Kh"
    book, terms = shelf.rulebook(game), house_terms(game)
    settlement = Settlement(book, terms)
    bets = AnteAndPlay(settlement, counted.compared(book, terms), open_card=True)
    tally = bets.comparison.tally
    own = tally.classes[class_of(tally, hand)].hand
    player = tally.hands.names(own)  # one like it: its suits may be others
    card = next(Card(f"K{suit}") for suit in "cdhs" if all(suit != held[1] for held in player))
    (row,) = np.flatnonzero((bets.hands == own) & (bets.cards == DECK.index(card))).tolist()
    dealt = [deal for deal in deals_of(" ".join(player)) if card in deal.dealer]
    assert bets.counts[row].sum() == len(dealt)
    lines = [line for deal in dealt for line in settlement.lines(deal, ANTE_BETS, PLAY)]
    assert bets.worth(row, PLAY) == sum((line.paid or 0) - (line.lost or 0) for line in lines)


@pytest.mark.parametrize(("game", "hand", "readings"), FORFEITS)
def test_a_forfeit_costs_what_all_settlements_say(
    counted: Enumerated, game: str, hand: str, readings: dict[str, str]
) -> None:
    book, terms = shelf.rulebook(game), house_terms(game, **readings)
    settlement = Settlement(book, terms)
    forfeit = Game(book, terms, counted).forfeit
    assert forfeit is not None
    six = counted.six_cards
    found = six.of_one_hand(counted.hands.place[tuple(sorted(INDEX_OF[card] for card in parse_cards(hand)))])
    counts = {
        code: tuple(found[code, : len(forfeit.awards.played[code])].tolist())
        for code in np.flatnonzero(found.any(axis=1)).tolist()
    }
    gain = forfeit.awards.gain(Fold(parse_cards(hand), "", 1, 0, counts, int(found.sum())))
    fixed, shares = Fraction(0), dict[str, Fraction]()
    for deal in deals_of(hand):
        for line in settlement.lines(deal, ("ante", "play", "progressive"), PLAY):
            if line.bet == "progressive":
                fixed += (line.paid or 0) + (line.returned or 0)
            if line.bet == "progressive" and line.level:
                share = Fraction(line.share_num, line.share_den)
                shares[line.level] = shares.get(line.level, Fraction(0)) + share
    assert (gain.fixed, gain.shares) == (fixed, shares)


@pytest.mark.parametrize(("hand", "from_minor"), [("4h Ts Js", 5_382_500), ("4s Th Jh", 21_530_000)])
def test_a_player_knows_which_suit_a_royal_would_have(counted: Enumerated, hand: str, from_minor: int) -> None:
    """A royal in spades wins the whole meter, one in hearts a quarter. By all settlements of one hand playing costs
    Ante and Play as much as the fixed awards and the meter bring, from exactly this value on."""
    game = "progressive-3-card-poker"
    book, terms = shelf.rulebook(game), house_terms(game)
    settlement = Settlement(book, terms)
    without_meter, share = Fraction(0), Fraction(0)
    for deal in deals_of(hand):
        for line in settlement.lines(deal, ("ante", "play", "progressive"), PLAY):
            stakes = Fraction((line.paid or 0) - (line.lost or 0), settlement.stake_of(line.bet.replace("_bonus", "")))
            without_meter += stakes * (500 if line.bet == "progressive" else 2_500)
            share += Fraction(line.share_num, line.share_den) if line.level else 0
        without_meter += 500 + 2_500  # a fold loses both
    assert -without_meter / share == from_minor
    forfeit = Game(book, terms, counted).forfeit
    assert forfeit is not None
    turns = {turn.cards: turn.meter_minor for turn in forfeit.turns(2_500, {"major": 0}, "major")}
    assert turns[parse_cards(hand)] == from_minor


@pytest.mark.parametrize("meter_minor", [0, 5_000_000, 5_382_499, 5_382_500, 21_530_000, 40_000_000])
def test_no_single_hand_decided_otherwise_would_bring_more(counted: Enumerated, meter_minor: int) -> None:
    """The best for both bets: of each hand that the Ante alone folds, the better decision is taken, and the pieces give
    what the sum of them is worth."""
    book, terms = shelf.rulebook("progressive-3-card-poker"), house_terms("progressive-3-card-poker")
    game = Game(book, terms, counted)
    assert game.forfeit is not None
    meters = {"major": meter_minor}
    ante = 2_500
    best = Fraction(0)
    for fold, played in zip(game.forfeit.folds, game.forfeit.played(ante, meters), strict=True):
        gain = game.forfeit.awards.gain(fold).at(meters) - Fraction(fold.loss * ante, STAKE)
        assert played == (gain >= 0)
        best += max(gain, Fraction(0)) * fold.weight
    nothing_more = game.forfeit.wager((False,) * len(game.forfeit.folds), "").net(meters) * 500
    without = nothing_more - game.forfeit.ante_edge * ante
    assert game.forfeit.standing(ante, meters) == without + best / game.forfeit.never_folded.deals
    pieces = [piece for piece in game.forfeit.pieces(ante, meters, "major") if piece.from_minor <= meter_minor]
    worth = (pieces[-1].fixed - 1) * 500 + pieces[-1].share * meter_minor - pieces[-1].ante_edge * ante
    assert worth == game.forfeit.standing(ante, meters)
