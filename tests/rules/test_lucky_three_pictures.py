"""Non-Commission Lucky Three Pictures, paragraph by paragraph."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from felt.nouns.values import replace
from felt.rules.lucky_three_pictures import shared_out
from felt.rules.rulebook import Limit, Terms
from tests.rules.rounds import PICTURES, Settled, box, deal, read, settle, shared_box

ALL = {"initial": 5000, "lucky_tie": 1000, "lucky_pictures": 1000, "player_lucky_6": 1000, "dealer_lucky_6": 1000}


def play(dealer: str, cards: str, bets: Mapping[str, int] = ALL, **readings: str) -> Settled:
    return settle(PICTURES, deal(dealer, shared_box(cards, ("A", bets))), read(Terms(), **readings))


def paid(round_: Settled) -> dict[str, int | None]:
    return {line.bet: line.paid for line in round_.lines if line.outcome == "win"}


def test_3_13_3_equal_ranks_return_the_initial_bet_and_pay_the_tie() -> None:
    round_ = play("Kd Kh Kc", "Ks Qs Js")
    assert round_.money("initial") == ("push", 5000, 0, 0)
    assert paid(round_) == {"lucky_tie": 600_000, "lucky_pictures": 1_000_000}


def test_3_13_4_equal_points_pay_the_tie_beside_the_winner() -> None:
    assert paid(play("Kd Tc Ac", "Ks Qs Ad")) == {"initial": 5000, "lucky_tie": 8000, "lucky_pictures": 4000}


@pytest.mark.parametrize(("dealer", "cards", "odds"), [("Kd 4h 5h", "2s 3d 4d", 10), ("Kd Qd 8h", "8s Td Th", 10)])
def test_4_1_a_tie_on_eight_or_nine_pays_ten(dealer: str, cards: str, odds: int) -> None:
    assert play(dealer, cards).line("lucky_tie").paid == 1000 * odds


def test_1_16_three_pictures_tie_with_a_zero_hand_unless_read_otherwise() -> None:
    assert play("Td Th Tc", "Ks Qs Js").line("lucky_tie").paid == 8000
    assert play("Td Th Tc", "Ks Qs Js", three_pictures_points="none").money("lucky_tie") == ("lose", 0, 1000, 0)
    assert play("Kd Kh Kc", "Ks Qs Js", three_pictures_points="none").line("lucky_tie").paid == 600_000


def test_4_1_a_win_on_six_pays_half_and_the_odd_cent_is_rounded_by_reading() -> None:
    assert play("Jd 3c 2c", "Ks 4s 2d", {"initial": 5001}).line("initial").paid == 2500
    assert play("Jd 3c 2c", "Ks 4s 2d", {"initial": 5001}, fractional_cent="nearest").line("initial").paid == 2501
    assert play("Jd 3c 2c", "Ks 4s 2d").line("initial").odds == "1 to 2"


@pytest.mark.parametrize(("cards", "odds"), [("Ks Qs 6d", 25), ("Ks 4s 2d", 15), ("8s 8d Th", 10)])
def test_4_1_player_lucky_6_pays_by_the_pictures_of_the_winning_hand(cards: str, odds: int) -> None:
    round_ = play("Jd 3c 2c", cards)
    assert round_.line("player_lucky_6").paid == 1000 * odds
    assert round_.line("dealer_lucky_6").outcome == "lose"


def test_1_4_dealer_lucky_6_needs_the_dealer_to_win() -> None:
    assert play("Kc Qc 6c", "8s 8d Th").line("dealer_lucky_6").paid == 25_000
    assert play("4c 2c Th", "Ks Qs 6d").line("dealer_lucky_6").outcome == "lose"


def test_1_15_a_six_against_a_six_wins_by_pictures_and_equal_sixes_win_for_nobody() -> None:
    by_pictures = play("Kc 4c 2c", "Ks Qs 6d")
    assert (by_pictures.line("player_lucky_6").paid, by_pictures.line("initial").paid) == (25_000, 2500)
    equal = play("Kc 4c 2c", "Ks 4s 2d")
    assert {equal.line(bet).outcome for bet in ("player_lucky_6", "dealer_lucky_6")} == {"lose"}


@pytest.mark.parametrize(
    ("dealer", "cards", "odds"),
    [
        ("5d 6c Tc", "Ks Qs Jd", 4),
        ("Kd 6c Tc", "Ks Qs Jd", 10),
        ("Kd Qd Tc", "Ks Qs Jd", 100),
        ("Kd Qd 3c", "Ks 2s 5d", 4),
    ],
)
def test_1_9_pictures_of_both_hands_count_together(dealer: str, cards: str, odds: int) -> None:
    assert play(dealer, cards).line("lucky_pictures").paid == 1000 * odds


def test_5_13_side_bets_go_back_only_where_nobody_has_an_initial_bet() -> None:
    alone = settle(PICTURES, deal("Kd Kh Kc", shared_box("", ("A", {"lucky_tie": 1000}))), Terms())
    assert alone.money("lucky_tie") == ("returned", 1000, 0, 0)
    together = shared_box("Ks Qs Js", ("A", {"initial": 5000}), ("B", {"lucky_tie": 1000}))
    assert settle(PICTURES, deal("Kd Kh Kc", together), Terms()).line("lucky_tie", player="B").paid == 600_000


LIMIT = Limit("initial", 2_500, 100_000)
DEFAULTS = {"prorata_minimum": "simple", "prorata_under_minimum_bet": "that_player", "fractional_cent": "down"}


def test_5_1_1_an_over_full_box_is_shared_out_pro_rata() -> None:
    over = shared_box("Kd 5h 3c", ("A", {"initial": 90_000}), ("B", {"initial": 60_000}))
    round_ = settle(PICTURES, deal("Ks Qs Js", over), Terms(limits=(LIMIT,)))
    assert round_.money("initial", player="A") == ("lose", 30_000, 60_000, 0)
    assert round_.money("initial", player="B") == ("lose", 20_000, 40_000, 0)
    won = settle(PICTURES, deal("2s 3s 4d", replace(over, cards=("Kd", "Qh", "9c"))), Terms(limits=(LIMIT,)))
    assert won.money("initial", player="A") == ("win", 90_000, 0, 60_000)


def test_5_1_1_nobody_is_pro_rated_below_the_minimum() -> None:
    assert shared_out([197_000, 3_000], LIMIT, DEFAULTS) == [98_500, 2_500]
    redistribute = {**DEFAULTS, "prorata_minimum": "redistribute"}
    assert shared_out([197_000, 3_000], LIMIT, redistribute) == [97_500, 2_500]


def test_5_1_2_who_bet_less_than_the_minimum_plays_his_whole_bet() -> None:
    assert shared_out([199_000, 1_000], LIMIT, DEFAULTS) == [99_500, 1_000]
    whole_box = {**DEFAULTS, "prorata_under_minimum_bet": "whole_box"}
    assert shared_out([199_000, 1_000], LIMIT, whole_box) == [199_000, 1_000]


def test_5_1_1_a_pro_rated_stake_is_rounded_by_reading() -> None:
    assert shared_out([50_000, 50_000, 50_000], LIMIT, DEFAULTS) == [33_333, 33_333, 33_333]
    assert shared_out([110_000, 55_001], LIMIT, {**DEFAULTS, "fractional_cent": "nearest"}) == [66_666, 33_334]


def test_5_2_1_a_box_within_its_maximum_is_settled_as_it_lies() -> None:
    assert shared_out([60_000, 100], LIMIT, DEFAULTS) == [60_000, 100]


def test_5_3_leaving_changes_nothing() -> None:
    left = replace(shared_box("Ks Qs 9d", ("A", {"initial": 5000})), decision="walk_away")
    assert settle(PICTURES, deal("2s 3s 4d", left), Terms()).line("initial").outcome == "win"


def test_5_14_and_5_6_3_void_and_invalidated_hands_return_every_bet() -> None:
    two = shared_box("Ks Qs Js", ("A", {"initial": 5000, "lucky_tie": 500}), ("B", {"initial": 700}))
    void = settle(PICTURES, deal("Kd Kh Kc", two, void=True), Terms())
    invalid = settle(PICTURES, deal("Kd Kh Kc", replace(two, invalidated=True)), Terms())
    for round_, rule in ((void, "5.14"), (invalid, "5.6.3")):
        assert [(line.player, line.outcome, line.returned, line.rule) for line in round_.lines] == [
            ("A", "returned", 5000, rule),
            ("A", "returned", 500, rule),
            ("B", "returned", 700, rule),
        ]


def test_a_box_with_one_player_may_name_him_directly() -> None:
    round_ = settle(PICTURES, deal("2s 3s 4d", box("Ks Qs Js", "", initial=5000)), Terms())
    assert round_.money("initial") == ("win", 5000, 0, 5000)
