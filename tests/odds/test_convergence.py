"""The whole product against its exact odds: a year of rounds through the production core, its rulebooks and the jackpot
office. `--full` plays a whole year of each game, else a part of it; the figures are printed (`pytest -s`)."""

from __future__ import annotations

import time

import pytest

from felt.odds.kinds import Enumerated
from felt.odds.progressive import levels
from felt.rules import shelf
from tests.odds.year import ROUNDS_A_YEAR, Year

SEED = 23
PART = 250  # rounds of an ordinary run, for each game
ERRORS_MAX = 4


@pytest.mark.timeout(6 * 3600)
@pytest.mark.parametrize("game", shelf.GAMES)
def test_a_year_of_rounds_comes_to_what_the_odds_say(counted: Enumerated, game: str, full: bool) -> None:
    seed = SEED + shelf.GAMES.index(game)  # each game has its own cards
    year = Year(game, counted, seed)
    begun = time.monotonic()
    for _ in range(ROUNDS_A_YEAR if full else PART):
        year.play_round()
    took = time.monotonic() - begun
    print(f"\n{game}: seed {seed}, {year.rounds:,} rounds in {took:.1f} s ({year.rounds / took:,.0f} a second)")
    for wager in year.counted():
        print("  " + wager.told())
    for wager in year.counted():
        assert abs(wager.off_by) <= ERRORS_MAX, wager.told()
        assert abs(wager.hits_off_by) <= ERRORS_MAX, wager.told()
    _growth_is_right(year)


def _growth_is_right(year: Year) -> None:
    """To the last part of a cent a meter is what bets, awards and seeds have made of it, and its hits are as many as
    were to be expected."""
    for meter, (expected, stands) in year.growth().items():
        print(f"  meter {meter}: {float(stands) / 100:,.2f}, {year.hits[meter]} hits")
        assert stands == expected, meter
    for tally in year.tallies.values():
        for level in levels(tally.wager):
            mean = tally.bets * level.hits / level.deals
            error = (mean * (1 - level.hits / level.deals)) ** 0.5
            # One hit more than nothing is no surprise, however rare it is.
            assert abs(year.hits[level.meter] - mean) <= max(ERRORS_MAX * error, 1), level.meter


def test_a_wrong_pay_table_would_be_seen(counted: Enumerated) -> None:
    """What is settled by one pay table and expected by another is far off, already after a part of a year."""
    year = Year("lucky-three-pictures", counted, SEED)
    tally = year.tallies["initial"]
    tally.expect(float(tally.wager.net({})) + 1 + 0.25)  # a quarter of the stake more than the rules pay
    for _ in range(150):
        year.play_round()
    initial = next(wager for wager in year.counted() if wager.wager == "initial")
    assert initial.off_by < -ERRORS_MAX
