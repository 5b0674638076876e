"""What the house's own terms give back, against hands counted again and figures published by others."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from felt.config import ConfigError, demo_table, load
from felt.config.terms import terms_of
from felt.rules import returns, shelf
from felt.rules.hands import (
    FIVE_CARD_CATEGORY,
    THREE_CARD_CATEGORY,
    best_five_of_six,
    five_card_rank,
    three_card_rank,
)


def whole_returns(game: str, *overrides: str) -> dict[str, Fraction]:
    config = load(demo_table(game), overrides)
    return {one.bet: one.whole for one in returns.returns_of(shelf.rulebook(game), terms_of(config))}


def test_the_three_card_hands_are_counted_right() -> None:
    counted = Counter(THREE_CARD_CATEGORY[three_card_rank(*cards)] for cards in combinations(range(52), 3))
    assert {hand: counted[hand] for hand in returns.THREE_CARD_COUNTS} == returns.THREE_CARD_COUNTS
    assert counted.total() == returns.THREE_CARD_HANDS


def test_the_five_and_six_card_hands_are_counted_right(full: bool) -> None:
    """By default every hand that holds the two of clubs; with --full every hand there is."""
    first = (0,) if not full else ()
    rest = range(1, 52) if not full else range(52)
    five = Counter(FIVE_CARD_CATEGORY[five_card_rank(*first, *cards)] for cards in combinations(rest, 5 - len(first)))
    six_rest = range(2, 52) if not full else range(52)
    six_first = (0, 1) if not full else ()
    six = Counter(
        FIVE_CARD_CATEGORY[best_five_of_six(*six_first, *cards)] for cards in combinations(six_rest, 6 - len(six_first))
    )
    if full:
        assert {hand: five[hand] for hand in returns.FIVE_CARD_COUNTS} == returns.FIVE_CARD_COUNTS
        assert {hand: six[hand] for hand in returns.SIX_CARD_COUNTS} == returns.SIX_CARD_COUNTS
        assert (five.total(), six.total()) == (returns.FIVE_CARD_HANDS, returns.SIX_CARD_HANDS)
    else:
        # One card in fifty-two, five times a hand: the two of clubs is in 5/52 of all hands, and in its share of each.
        assert five.total() * 52 == returns.FIVE_CARD_HANDS * 5
        assert five["four_of_a_kind"] * 52 == returns.FIVE_CARD_COUNTS["four_of_a_kind"] * 5
        assert five["full_house"] * 52 == returns.FIVE_CARD_COUNTS["full_house"] * 5
        assert six.total() == 230_300


def test_stax_returns_what_is_published_for_one_and_five_dollars() -> None:
    assert returns.say_percent(whole_returns("stax-three-card")["progressive"]) == "84.51%"
    config = load(demo_table("stax-three-card"))
    terms = terms_of(config)._replace(progressive_stake=100)
    at_one = {one.bet: one.whole for one in returns.returns_of(shelf.rulebook("stax-three-card"), terms)}
    assert returns.say_percent(at_one["progressive"]) == "139.35%"


def test_a_table_that_would_return_more_than_it_takes_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"progressive bet would return 139\.35% of its stakes"):
        load(demo_table("stax-three-card"), ["progressive.stake_minor=100"])


def test_pair_plus_at_fifty_forty_thirty_six_three_one_keeps_seven_per_cent() -> None:
    assert returns.say_percent(whole_returns("california-three-card-poker")["pair_plus"]) == "92.90%"


@pytest.mark.parametrize("game", shelf.GAMES)
def test_every_built_in_table_keeps_something_for_the_house(game: str) -> None:
    assert all(0 < whole < 1 for whole in whole_returns(game).values())
