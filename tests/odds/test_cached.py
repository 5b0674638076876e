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
from felt.odds.cached import COUNTS, returns_of
from felt.odds.exact import percent, percent_cut
from felt.odds.kinds import Enumerated
from felt.odds.progressive import long_run
from felt.odds.side_bets import side_bets
from felt.odds.wagers import Game
from felt.rules import shelf

ROOT = Path(__file__).resolve().parents[2]
STAX = "stax-three-card"


def whole_returns(game: str, *overrides: str) -> dict[str, Fraction]:
    config = load(demo_table(game), overrides)
    return {one.bet: one.whole for one in returns_of(shelf.rulebook(game), terms_of(config))}


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


@pytest.mark.parametrize("game", shelf.GAMES)
def test_every_built_in_table_keeps_something_for_the_house(game: str) -> None:
    assert all(0 < whole < 1 for whole in whole_returns(game).values())


def test_a_stax_bet_of_five_dollars_is_accepted_and_told() -> None:
    assert percent_cut(whole_returns(STAX)["progressive"]) == "84.51%"


def test_a_table_that_would_return_more_than_it_takes_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"progressive bet would return 139\.35% of its stakes"):
        load(demo_table(STAX), ["progressive.stake_minor=100"])


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


@pytest.mark.parametrize("reading", ["deduct", "reset", "deduct_not_below_reset"])
def test_what_a_part_of_a_meter_leaves_changes_the_long_run(reading: str) -> None:
    book = shelf.rulebook("progressive-3-card-poker")
    terms = replace(terms_of(load(None)), readings=(("partial_win_meter", reading),))
    jackpot = next(wager for wager in side_bets(book, terms, COUNTS) if wager.name == "progressive")
    run = long_run(jackpot, book, terms)
    # By hand: 18.84% by odds; 940 whole and 2,820 quarter hits of 407,170,400; growth 20%.
    expected = {"deduct": "41.15%", "reset": "31.63%", "deduct_not_below_reset": "42.88%"}
    assert (percent(run.whole, 2), run.at_most) == (expected[reading], reading == "deduct_not_below_reset")
