"""What a table file is checked with: returns from counts that were made before."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from felt.config import ConfigError, demo_table, load
from felt.config.terms import terms_of
from felt.nouns.values import replace
from felt.odds.cached import COUNTS, ante_in_force, returns_of
from felt.odds.exact import percent, percent_cut
from felt.odds.kinds import Enumerated
from felt.odds.making import sheet_of
from felt.odds.progressive import long_run
from felt.odds.side_bets import side_bets
from felt.odds.standing import above_even
from felt.odds.wagers import Game
from felt.rules import rws_three_card, shelf
from felt.rules.rulebook import to

ROOT = Path(__file__).resolve().parents[2]
STAX, CALIFORNIA = "stax-three-card", "california-three-card-poker"


def whole_returns(game: str, *overrides: str) -> dict[str, Fraction]:
    config = load(demo_table(game), overrides)
    return {paid.bet: paid.whole for paid in returns_of(shelf.rulebook(game), terms_of(config))}


@pytest.mark.parametrize("game", shelf.GAMES)
def test_the_kept_counts_lead_to_the_same_wagers_as_counting_does(counted: Enumerated, game: str) -> None:
    book, terms = shelf.rulebook(game), terms_of(load(demo_table(game)))
    assert list(side_bets(book, terms, COUNTS)) == list(side_bets(book, terms, counted))


@pytest.mark.parametrize("game", shelf.GAMES)
def test_the_kept_ante_is_the_counted_one(counted: Enumerated, game: str) -> None:
    book, terms = shelf.rulebook(game), terms_of(load(demo_table(game)))
    found = Game(book, terms, counted)
    if found.bets is not None:
        assert whole_returns(game)["ante"] == 1 + found.best_ante(found.bets).net({})


def test_the_kept_file_is_what_the_rules_lead_to(full: bool) -> None:
    """With --full: it counts for every reading that changes an Ante."""
    if full:
        subprocess.run([sys.executable, ROOT / "tools" / "make_odds", "--check"], check=True)


def test_a_changed_rule_cannot_use_a_kept_ante(monkeypatch: pytest.MonkeyPatch) -> None:
    """Side bets are settled anew with every start; of an Ante its figures are kept, with a deal of every kind."""
    monkeypatch.setitem(rws_three_card._ANTE_BONUS_PAYS, "straight_flush", to(6))
    for game in ("progressive-3-card-poker", "multi-link-3-card-poker"):
        terms = replace(terms_of(load(demo_table(game))), limits=())  # not yet asked about
        with pytest.raises(AssertionError, match=r"is of other rules of .*: run tools/make_odds"):
            ante_in_force(shelf.rulebook(game), terms)


@pytest.mark.parametrize("game", [game for game in shelf.GAMES if shelf.rulebook(game).has_fold])
def test_an_ante_is_kept_for_every_reading_that_changes_it(game: str) -> None:
    """Each value of each reading by itself: where nothing is kept for it, it must settle as the default does."""
    book, terms = shelf.rulebook(game), terms_of(load(demo_table(game)))
    for reading in book.readings:
        for value in reading.values:
            ante_in_force(book, replace(terms, readings=((reading.name, value),)))


@pytest.mark.parametrize("game", shelf.GAMES)
def test_every_built_in_table_keeps_something_for_the_house(game: str) -> None:
    assert all(0 < whole < 1 for whole in whole_returns(game).values())


def test_a_stax_bet_of_five_dollars_is_accepted_and_told() -> None:
    assert percent_cut(whole_returns(STAX)["progressive"]) == "84.51%"


def test_a_table_that_would_return_more_than_it_takes_is_refused() -> None:
    sentence = r"progressive\.stake_minor: the progressive bet would return 139\.35% of its stakes"
    with pytest.raises(ConfigError, match=sentence):
        load(demo_table(STAX), ["progressive.stake_minor=100"])


def test_a_posted_table_that_returns_too_much_is_named_with_its_bet() -> None:
    rows = "mini_royal = 50, straight_flush = 40, three_of_a_kind = 30, straight = 9, flush = 4, pair = 1"
    sentence = r"game\.pay_tables\.pair_plus: the pair_plus bet would return 107\.63% of its stakes"
    with pytest.raises(ConfigError, match=sentence):
        load(demo_table(CALIFORNIA), [f"game.pay_tables.pair_plus={{ {rows} }}"])


def test_a_figure_like_the_approved_sheet_s_is_accepted() -> None:
    load(demo_table(STAX), ['game.approved={ player_bonus = "92.90%", progressive = "84.5113%" }'])


@pytest.mark.parametrize(
    ("approved", "sentence"),
    [
        ('{ player_bonus = "92.91%" }', r"the approved sheet says 92\.91%, this table returns 92\.90%"),
        ('{ player_bonus = "92,9" }', r"'92,9' is not a percentage"),
        ('{ pair_plus = "92.90%" }', r"'pair_plus' is not a wager whose return is known"),
    ],
)
def test_another_figure_than_the_approved_sheet_s_is_refused(approved: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        load(demo_table(STAX), [f"game.approved={approved}"])


def test_envy_at_a_full_table_counts_in_what_is_refused() -> None:
    """84.37% without envy, and 0.4525% by each of six further boxes for every 25 dollars."""
    load(demo_table(CALIFORNIA), ["progressive.envy={mini_royal=14000}"])
    with pytest.raises(ConfigError, match=r"would return 100\.63% of its stakes to the players, 16\.26% of it by envy"):
        load(demo_table(CALIFORNIA), ["progressive.envy={mini_royal=14975}"])
    load(demo_table(CALIFORNIA), ["progressive.envy={mini_royal=14975}", "table.seats=5"])


def test_the_stated_odds_of_a_top_award_are_those_that_were_counted() -> None:
    load(None, ["progressive.meters.major.odds_to_one=433159"])  # 940 of 407,170,400 deals
    load(None, ["progressive.meters.major.odds_to_one=433160"])
    with pytest.raises(ConfigError, match="states 400000 to 1, but the top award of this meter is hit 433159 to 1"):
        load(None, ["progressive.meters.major.odds_to_one=400000"])


def test_a_meter_above_break_even_stops_nothing_and_is_told() -> None:
    config = load(None, ["progressive.meters.major.base_minor=200000000"])
    told = above_even(shelf.rulebook(config.game.id), terms_of(config), {"major": 200_000_000})
    assert told == ("the meter major stands at $2,000,000.00, above $1,004,408.51, where its bet breaks even",)


def test_a_configuration_keeps_what_its_wagers_return() -> None:
    config = load(demo_table(STAX))
    assert {paid.bet: percent_cut(paid.whole) for paid in config.returns}["progressive"] == "84.51%"


@pytest.mark.parametrize(("game", "readings"), [
    ("progressive-3-card-poker", {}),
    (CALIFORNIA, {"progressive_on_fold": "forfeit"}),
    (STAX, {"stax_on_fold": "forfeit", "stax_hand": "best_five_of_six"}),
])  # fmt: skip
def test_the_kept_pieces_are_the_counted_ones(counted: Enumerated, game: str, readings: dict[str, str]) -> None:
    book, terms = shelf.rulebook(game), replace(terms_of(load(demo_table(game))), readings=tuple(readings.items()))
    (jackpot,) = (paid for paid in returns_of(book, terms) if paid.bet == "progressive")
    sheet = sheet_of(book, terms, {}, counted)
    assert sheet.forfeiture is not None
    assert jackpot.pieces == sheet.forfeiture.pieces


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("straight_flush = 40, three_of_a_kind = 30, straight = 6, pair = 1", "it has no row for flush"),
        ("straight_flush = 40, three_of_a_kind = 30, straight = 6, flush = 3", "it has no row for pair"),
        ("straight_flush = 40, three_of_a_kind = 30, straight = 6, flush = -3, pair = 1", "flush: -3 is not an award"),
        ("straight_flush = 40, three_of_a_kind = 30, straight = 6, flush = 3, pair = 1, quads = 9", "'quads' is not"),
    ],
)
def test_a_posted_pay_table_with_a_hole_is_refused(rows: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        load(demo_table(CALIFORNIA), [f"game.pay_tables.pair_plus={{ {rows} }}"])


@pytest.mark.parametrize(
    ("game", "table", "sentence"),
    [
        (STAX, 'player_bonus="D"', "'D' is not a printed pay table of this bet; use one of A, B, C"),
        (STAX, "player_bonus={ pair = 1 }", "is not a printed pay table of this bet; use one of A, B, C"),
        (STAX, 'ante="A"', "'ante' is not a bet whose pay table the house chooses"),
        (CALIFORNIA, 'pair_plus="A"', "'A' is a letter, but the rulebook prints no pay table for this bet"),
        (CALIFORNIA, "six_card_bonus={ nonsense = 3 }", "'nonsense' is not a hand that this bet can pay"),
        (CALIFORNIA, "pair_plus={}", "is not a pay table"),
    ],
)
def test_a_pay_table_that_the_game_does_not_know_is_refused(game: str, table: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        load(demo_table(game), [f"game.pay_tables.{table}"])


@pytest.mark.parametrize("reading", ["deduct", "reset", "deduct_not_below_reset"])
def test_what_a_part_of_a_meter_leaves_changes_the_long_run(reading: str) -> None:
    book = shelf.rulebook("progressive-3-card-poker")
    terms = replace(terms_of(load(None)), readings=(("partial_win_meter", reading),))
    jackpot = next(wager for wager in side_bets(book, terms, COUNTS) if wager.name == "progressive")
    run = long_run(jackpot, book, terms)
    # By hand: 18.84% by odds; 940 whole and 2,820 quarter hits of 407,170,400; growth 20%.
    expected = {"deduct": "41.15%", "reset": "31.63%", "deduct_not_below_reset": "42.88%"}
    assert (percent(run.whole, 2), run.at_most) == (expected[reading], reading == "deduct_not_below_reset")
