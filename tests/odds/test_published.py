"""The figures that others have published, and those that the books' own tables lead to by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from felt.config import load
from felt.config.loading import demo_table
from felt.config.terms import terms_of
from felt.nouns.values import replace
from felt.odds.exact import Wager, percent
from felt.odds.kinds import Enumerated
from felt.odds.making import sheet_of
from felt.odds.progressive import long_run
from felt.odds.wagers import Game
from felt.rules import shelf
from felt.rules.rulebook import PostedOdds, Terms

GAMES = shelf.GAMES
ANTE = 2_500

def house_terms(game: str, **readings: str) -> Terms:
    return replace(terms_of(load(demo_table(game), ())), readings=tuple(readings.items()))


def wagers(counted: Enumerated, game: str, terms: Terms | None = None) -> dict[tuple[str, str, str], Wager]:
    house = house_terms(game) if terms is None else terms
    found = Game(shelf.rulebook(game), house, counted).wagers(ANTE, dict(house.resets))
    return {(wager.name, wager.pay_table, wager.strategy.split(":")[0]): wager for wager in found}


def edge(wager: Wager) -> str:
    return percent(wager.house_edge(dict.fromkeys(("major", "star", "spade", "heart", "diamond"), 0)), 5)


@pytest.mark.parametrize("game", GAMES)
def test_every_deal_of_every_wager_is_counted_once(counted: Enumerated, game: str) -> None:
    for key, wager in wagers(counted, game).items():
        assert sum(outcome.count for outcome in wager.outcomes) == wager.deals, key


@pytest.mark.parametrize("game", ["progressive-3-card-poker", "multi-link-3-card-poker", "stax-three-card"])
def test_ante_with_play_costs_what_is_published(counted: Enumerated, game: str) -> None:
    best = wagers(counted, game)["ante", "", "optimal"]
    assert edge(best) == "3.37298%"
    assert percent(best.house_edge({}) / best.risk(), 5) == "2.01467%"
    assert best.strategy == "optimal: play Q-6-4 or better, fold everything else"


def test_playing_every_hand_costs_what_is_published(counted: Enumerated) -> None:
    assert edge(wagers(counted, "progressive-3-card-poker")["ante", "", "always play"]) == "7.65379%"


def test_an_open_card_of_the_dealer_nearly_halves_the_edge(counted: Enumerated) -> None:
    found = wagers(counted, "california-three-card-poker")
    assert edge(found["ante", "", "optimal against the dealer's open card"]) == "4.59760%"
    assert edge(found["ante", "", "optimal without looking at the open card"]) == "8.65805%"


def test_pair_plus_costs_what_is_published(counted: Enumerated) -> None:
    pair_plus = wagers(counted, "progressive-3-card-poker")["pair_plus", "", ""]
    assert pair_plus.house_edge({}) == Fraction(308, 5525)
    best = pair_plus.outcomes[0]
    assert (best.name, best.count) == ("straight_flush", 48)


def posted(rows: tuple[str, ...], pays: tuple[int, ...]) -> tuple[tuple[str, int], ...]:
    return tuple((row, odds) for row, odds in zip(rows, pays, strict=True) if odds)


# As published by others, mini-royal (or nothing), straight flush, three of a kind, straight, flush, pair.
@pytest.mark.parametrize(
    ("pays", "published"),
    [
        ((0, 40, 30, 6, 4, 1), "2.31674%"),
        ((0, 40, 30, 5, 4, 1), "5.57466%"),
        ((0, 40, 30, 6, 3, 1), "7.27602%"),
        ((0, 35, 33, 6, 4, 1), "2.69683%"),
        ((0, 40, 25, 6, 4, 1), "3.49321%"),
        ((0, 50, 30, 6, 4, 1), "0.14480%"),
        ((50, 40, 30, 6, 3, 1), "7.09502%"),
        ((50, 40, 30, 6, 4, 1), "2.13575%"),
        ((0, 40, 35, 6, 4, 1), "1.14027%"),
    ],
)
def test_pair_plus_tables_cost_what_is_published(counted: Enumerated, pays: tuple[int, ...], published: str) -> None:
    book = shelf.rulebook("california-three-card-poker")
    rows = posted(dict(book.posted_rows)["pair_plus"], pays)
    assert edge(wagers(counted, book.id, with_posted(book.id, "pair_plus", rows))["pair_plus", "", ""]) == published


def with_posted(game: str, bet: str, rows: tuple[tuple[str, int], ...]) -> Terms:
    terms = house_terms(game)
    others = tuple(posted for posted in terms.posted if posted.bet != bet)
    return replace(terms, posted=(*others, PostedOdds(bet, rows)))


# Royal flush, straight flush, four of a kind, full house, flush, straight, three of a kind.
@pytest.mark.parametrize(
    ("pays", "published"),
    [
        ((1000, 200, 50, 25, 20, 10, 5), "10.22479%"),
        ((1000, 200, 50, 25, 15, 10, 5), "15.27899%"),
        ((1000, 200, 100, 20, 15, 10, 7), "8.56141%"),
        ((1000, 200, 100, 20, 15, 9, 8), "6.74133%"),
    ],
)
def test_six_card_tables_cost_what_is_published(counted: Enumerated, pays: tuple[int, ...], published: str) -> None:
    book = shelf.rulebook("california-three-card-poker")
    rows = posted(dict(book.posted_rows)["six_card_bonus"][:7], pays)
    bonus = wagers(counted, book.id, with_posted(book.id, "six_card_bonus", rows))["six_card_bonus", "", ""]
    assert (edge(bonus), bonus.deals) == (published, 20_358_520)


def test_the_five_wagers_of_three_pictures(counted: Enumerated) -> None:
    found = {key[0]: edge(wager) for key, wager in wagers(counted, "lucky-three-pictures").items()}
    assert found == {
        "initial": "3.05598%",
        "lucky_tie": "3.40307%",
        "lucky_pictures": "5.49557%",
        "player_lucky_6": "7.25877%",
        "dealer_lucky_6": "7.25877%",
    }


def test_a_reading_changes_the_odds(counted: Enumerated) -> None:
    game = "lucky-three-pictures"
    terms = house_terms(game, three_pictures_points="none")
    assert edge(wagers(counted, game, terms)["lucky_tie", "", ""]) == "5.16925%"


def test_a_fold_forfeits_84_of_3_760_royals(counted: Enumerated) -> None:
    found = wagers(counted, "progressive-3-card-poker")
    kept = found["progressive", "", "best for the Ante"]
    every = found["progressive", "", "always play"]
    royals = [sum(outcome.count for outcome in wager.outcomes if outcome.meter) for wager in (kept, every)]
    assert royals == [3_676, 3_760]


@pytest.mark.parametrize(("stake", "whole"), [(100, "139.35%"), (500, "84.51%")])
def test_stax_returns_too_much_at_one_dollar_and_not_at_five(counted: Enumerated, stake: int, whole: str) -> None:
    book = shelf.rulebook("stax-three-card")
    terms = replace(house_terms(book.id), progressive_stake=stake)
    stax = wagers(counted, book.id, terms)["progressive", "", ""]
    assert percent(long_run(stax, book, terms).whole, 2) == whole


def test_a_meter_makes_a_folded_jack_and_ten_of_spades_worth_playing(counted: Enumerated) -> None:
    book = shelf.rulebook("progressive-3-card-poker")
    sheet = sheet_of(book, house_terms(book.id), {}, counted, ante_minor=2_500)
    assert sheet.forfeiture is not None
    least = sheet.forfeiture.turns[0]
    assert (int(least.meter_minor), least.cards[1:]) == (5_382_500, ("Ts", "Js"))
