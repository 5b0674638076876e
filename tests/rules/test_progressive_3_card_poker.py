"""Progressive 3 Card Poker, paragraph by paragraph."""

from __future__ import annotations

import pytest

from felt.nouns.values import replace
from felt.rules.rulebook import Box
from tests.rules.rounds import PROGRESSIVE, RWS_TERMS, Settled, box, deal, read, settle

METERS = {"major": 20_000_000}
ROYAL_DEALER = "Js Ts 2d"
ROYAL_CARDS = "As Ks Qs"
RED_DEALER = "Jh Th 2d"
RED_ROYAL = "Ah Kh Qh"


def play(dealer: str, *boxes: Box, **readings: str) -> Settled:
    return settle(PROGRESSIVE, deal(dealer, *boxes), read(RWS_TERMS, **readings), METERS)


def test_3_13_a_dealer_below_queen_high_pays_the_ante_and_hands_back_the_play() -> None:
    round_ = play("Js Td 8c", box("5h 4h 2s", ante=5000, play=5000))
    assert round_.money("ante") == ("win", 5000, 0, 5000)
    assert round_.money("play") == ("push", 5000, 0, 0)
    assert round_.line("ante").rule == "3.13"


def test_3_15_1_the_better_hand_wins_ante_and_play_at_even_money() -> None:
    round_ = play("Qs 3d 2c", box("Qh 4h 2s", ante=5000, play=5000))
    assert round_.money("ante") == ("win", 5000, 0, 5000)
    assert round_.money("play") == ("win", 5000, 0, 5000)
    assert {round_.line(bet).rule for bet in ("ante", "play")} == {"3.15.1"}


def test_3_15_2_the_lower_hand_loses_both_but_not_the_bonuses() -> None:
    round_ = play("As Ad Ac", box("4h 3h 2s", ante=5000, play=5000, pair_plus=1000))
    assert round_.money("ante") == ("lose", 0, 5000, 0)
    assert round_.money("play") == ("lose", 0, 5000, 0)
    assert round_.money("ante_bonus") == ("win", 0, 0, 5000)
    assert round_.money("pair_plus") == ("win", 1000, 0, 5000)


def test_3_15_3_a_stand_off_returns_ante_and_play_and_still_pays_the_bonus() -> None:
    round_ = play("As Kd Qc", box("Ah Kh Qs", ante=5000, play=5000))
    assert round_.money("ante") == ("push", 5000, 0, 0)
    assert round_.money("play") == ("push", 5000, 0, 0)
    assert round_.money("ante_bonus") == ("win", 0, 0, 5000)


@pytest.mark.parametrize(
    ("cards", "pair_plus", "ante_bonus"),
    [
        ("As Ks Qs", 40, 5),
        ("4h 3h 2h", 40, 5),
        ("9s 9d 9h", 30, 4),
        ("3c 2h Ad", 5, 1),
        ("Kc Jc 9c", 4, 0),
        ("5h 5d 2s", 1, 0),
    ],
)
def test_4_2_and_4_3_pair_plus_and_ante_bonus_pay_what_is_printed(cards: str, pair_plus: int, ante_bonus: int) -> None:
    round_ = play("7s 6d 2c", box(cards, ante=5000, play=5000, pair_plus=1000))
    assert round_.line("pair_plus").paid == 1000 * pair_plus
    assert round_.line("pair_plus").odds == f"{pair_plus} to 1"
    assert [line.paid for line in round_.lines if line.bet == "ante_bonus"] == (
        [5000 * ante_bonus] if ante_bonus else []
    )


def test_3_14_a_pair_plus_may_stand_alone() -> None:
    round_ = play("As Ad Ac", box("2h 2d 3s", "", pair_plus=1000))
    assert round_.bets() == ["pair_plus"]
    assert round_.money("pair_plus") == ("win", 1000, 0, 1000)


@pytest.mark.parametrize(
    ("dealer", "cards", "paid"),
    [
        ("9s Ts 2d", "Ks Qs Js", 125_000),
        ("Kh Kd 2s", "Ks Kc 3d", 25_000),
        ("As Ad Ac", "Kh Kd 2s", 5_000),
        ("As 9s 2d", "Ks 5s 3s", 2_500),
    ],
)
def test_4_4_minor_awards_are_sums_that_replace_the_stake(dealer: str, cards: str, paid: int) -> None:
    round_ = play(dealer, box(cards, ante=5000, play=5000, progressive=500))
    assert round_.money("progressive") == ("win", 0, 500, paid)
    assert round_.line("progressive").level == ""


def test_4_4_a_straight_of_six_cards_is_no_jackpot_hand() -> None:
    round_ = play("9s 8d 2c", box("7h 6d 5s", ante=5000, play=5000, progressive=500))
    assert round_.money("progressive") == ("lose", 0, 500, 0)


def test_4_4_a_royal_in_spades_takes_the_whole_jackpot_and_resets_it() -> None:
    round_ = play(ROYAL_DEALER, box(ROYAL_CARDS, ante=5000, play=5000, progressive=500))
    assert round_.money("progressive") == ("win", 0, 500, 20_000_000)
    assert round_.meters == {"major": 5_000_000}
    line = round_.line("progressive")
    assert (line.level, line.share_num, line.share_den) == ("major", 1, 1)
    assert line.cards == ("As", "Ks", "Qs", "Js", "Ts")


def test_4_4_another_royal_takes_a_quarter_and_leaves_the_rest() -> None:
    round_ = play(RED_DEALER, box(RED_ROYAL, ante=5000, play=5000, progressive=500))
    assert round_.line("progressive").paid == 5_000_000
    assert round_.line("progressive").odds == "25% of major"
    assert round_.meters == {"major": 15_000_000}


@pytest.mark.parametrize(
    ("reading", "left"), [("deduct", 4_500_000), ("reset", 5_000_000), ("deduct_not_below_reset", 5_000_000)]
)
def test_1_15_what_a_partial_win_leaves_is_a_reading(reading: str, left: int) -> None:
    dealt = deal(RED_DEALER, box(RED_ROYAL, ante=5000, play=5000, progressive=500))
    round_ = settle(PROGRESSIVE, dealt, read(RWS_TERMS, partial_win_meter=reading), {"major": 6_000_000})
    assert round_.line("progressive").paid == 1_500_000
    assert round_.meters == {"major": left}


@pytest.mark.parametrize(("reading", "paid"), [("down", 5_000_001), ("nearest", 5_000_002)])
def test_4_4_parts_of_a_cent_are_rounded_by_reading_and_stay_on_the_meter(reading: str, paid: int) -> None:
    dealt = deal(RED_DEALER, box(RED_ROYAL, ante=5000, play=5000, progressive=500))
    round_ = settle(PROGRESSIVE, dealt, read(RWS_TERMS, fractional_cent=reading), {"major": 20_000_006})
    assert round_.line("progressive").paid == paid
    assert round_.meters == {"major": 20_000_006 - paid}


def test_4_4_the_stake_of_a_winner_may_be_returned_by_reading() -> None:
    round_ = play("9s Ts 2d", box("Ks Qs Js", ante=5000, play=5000, progressive=500), pj_stake_on_win="returned")
    assert round_.money("progressive") == ("win", 500, 0, 125_000)


def test_3_12_1_a_fold_loses_ante_pair_plus_and_jackpot_bet() -> None:
    round_ = play("9s Ts 2d", box("Ks Qs Js", "fold", ante=5000, pair_plus=1000, progressive=500))
    assert [line.outcome for line in round_.lines] == ["lose", "lose", "lose"]
    assert round_.bets() == ["ante", "pair_plus", "progressive"]


def test_4_3_a_folded_straight_earns_the_ante_bonus_only_by_reading() -> None:
    folded = box("Ks Qs Js", "fold", ante=5000)
    assert play("9s 5d 2d", folded).bets() == ["ante"]
    assert play("9s 5d 2d", folded, ante_bonus_on_fold="paid").money("ante_bonus") == ("win", 0, 0, 25_000)


def test_5_5_leaving_before_the_decision_is_a_fold() -> None:
    round_ = play("As Kd 2d", box("Ks Qs 9d", "walk_away", ante=5000, pair_plus=1000))
    assert round_.money("ante") == ("lose", 0, 5000, 0)
    assert round_.line("ante").rule == "5.5"


def test_5_6_leaving_after_the_decision_is_settled_as_played() -> None:
    round_ = play("Js Td 8c", box("5h 4h 2s", "walk_away", ante=5000, play=5000))
    assert round_.money("ante") == ("win", 5000, 0, 5000)


def test_5_6_leaving_a_pair_plus_alone_leaves_no_decision() -> None:
    assert play("Js Td 8c", box("5h 5d 2s", "walk_away", pair_plus=1000)).money("pair_plus")[0] == "win"


def test_5_4_a_jackpot_bet_without_an_ante_goes_back_and_adds_nothing() -> None:
    terms = replace(RWS_TERMS, rates_bp=(("major", 2000),))
    alone = box("", "", progressive=500)
    beside = box("5h 5d 2s", "", seat=2, pair_plus=1000, progressive=500)
    round_ = settle(PROGRESSIVE, deal("Js Td 8c", alone, beside), terms, METERS)
    assert round_.money("progressive") == ("returned", 500, 0, 0)
    assert round_.money("progressive", 2) == ("returned", 500, 0, 0)
    assert round_.meters == METERS


def test_5_1_1_what_is_over_the_maximum_is_handed_back() -> None:
    lost = play("Qs 4d 2c", box("Qh 3h 2s", ante=150_000, play=150_000, pair_plus=60_000))
    assert lost.money("ante") == ("lose", 50_000, 100_000, 0)
    assert lost.money("play") == ("lose", 50_000, 100_000, 0)
    assert lost.money("pair_plus") == ("lose", 10_000, 50_000, 0)
    won = play("Qs 4d 2c", box("4h 3h 2s", ante=150_000, play=150_000))
    assert won.money("ante") == ("win", 150_000, 0, 100_000)
    assert won.line("ante_bonus").paid == 100_000


def test_5_2_1_a_bet_below_the_minimum_is_settled_as_it_lies() -> None:
    assert play("Qs 3d 2c", box("Qh 4h 2s", ante=100, play=100)).line("ante").paid == 100


def test_5_3_a_play_bet_is_cut_to_the_ante_and_a_smaller_one_stands() -> None:
    over = play("Qs 4d 2c", box("Qh 3h 2s", ante=5000, play=8000))
    assert over.money("play") == ("lose", 3000, 5000, 0)
    under = play("Qs 3d 2c", box("Qh 4h 2s", ante=5000, play=3000))
    assert under.money("play") == ("win", 3000, 0, 3000)
    assert under.money("ante") == ("win", 5000, 0, 5000)


def test_5_3_1_the_excess_may_be_read_as_over_the_table_maximum() -> None:
    round_ = play("Qs 4d 2c", box("Qh 3h 2s", ante=5000, play=120_000), play_excess="over_table_max")
    assert round_.money("play") == ("lose", 20_000, 100_000, 0)


def test_3_3_a_jackpot_bet_over_the_prescribed_amount_is_cut_or_refused_by_reading() -> None:
    heavy = box("9h 5d 3s", ante=5000, play=5000, progressive=700)
    assert play("As Kd 2c", heavy).money("progressive") == ("lose", 200, 500, 0)
    assert play("As Kd 2c", heavy, pj_wrong_amount="whole_bet_returned").money("progressive") == ("returned", 700, 0, 0)
    light = box("Ks 5s 3s", ante=5000, play=5000, progressive=300)
    assert play("As 9s 2d", light).money("progressive") == ("win", 0, 300, 2_500)


def royal_and(*others: Box, **readings: str) -> Settled:
    return play(ROYAL_DEALER, box(ROYAL_CARDS, player="A", ante=5000, play=5000, progressive=500), *others, **readings)


def test_4_7_a_royal_gives_envy_to_the_other_boxes_with_a_jackpot_bet() -> None:
    with_bet = box("9h 8d 7c", seat=2, ante=5000, play=5000, progressive=500)
    without = box("9d 8c 7h", seat=3, ante=5000, play=5000)
    round_ = royal_and(with_bet, without)
    assert round_.money("envy", 2) == ("win", 0, 0, 50_000)
    assert "envy" not in round_.bets(1) + round_.bets(3)


def test_4_7_a_royal_of_another_suit_gives_half_as_much_and_needs_no_jackpot_bet_of_its_own() -> None:
    round_ = play(
        RED_DEALER,
        box(RED_ROYAL, ante=5000, play=5000),
        box("9d 8d 7c", seat=2, ante=5000, play=5000, progressive=500),
    )
    assert round_.money("envy", 2) == ("win", 0, 0, 25_000)
    assert round_.meters == METERS


def test_4_7_a_player_earns_no_envy_from_his_own_hand_unless_boxes_are_read_apart() -> None:
    own_second = box("9h 8d 7c", seat=2, player="A", ante=5000, play=5000, progressive=500)
    assert "envy" not in royal_and(own_second).bets(2)
    assert "envy" in royal_and(own_second, envy_to_own_other_box="yes").bets(2)
    assert "envy" not in royal_and(own_second, envy_to_own_other_box="yes").bets(1)


def test_4_7_a_folded_box_receives_envy_only_by_reading() -> None:
    folded = box("9h 8d 3c", "fold", seat=2, ante=5000, progressive=500)
    assert "envy" not in royal_and(folded).bets(2)
    assert "envy" in royal_and(folded, envy_to_folded_box="yes").bets(2)


def test_4_7_a_folded_royal_gives_envy_only_by_reading() -> None:
    folded = box("Js Ts 2h", "fold", player="A", ante=5000, progressive=500)
    other = box("9h 8d 7c", seat=2, ante=5000, play=5000, progressive=500)
    assert "envy" not in play("As Ks Qs", folded, other).bets(2)
    assert "envy" in play("As Ks Qs", folded, other, envy_from_folded_royal="yes").bets(2)


def test_4_8_a_royal_on_a_pair_plus_alone_gives_no_envy() -> None:
    alone = box(ROYAL_CARDS, "", pair_plus=1000)
    other = box("9h 8d 7c", seat=2, ante=5000, play=5000, progressive=500)
    assert "envy" not in play(ROYAL_DEALER, alone, other).bets(2)


def test_4_7_a_jackpot_bet_that_went_back_receives_no_envy() -> None:
    no_ante = box("9h 8d 7c", "", seat=2, pair_plus=1000, progressive=500)
    invalid = box("9d 8c 7h", seat=3, ante=5000, play=5000, progressive=500, invalidated=True)
    round_ = royal_and(no_ante, invalid)
    assert "envy" not in round_.bets(2) + round_.bets(3)


def test_5_21_a_void_round_returns_every_bet_whole_and_moves_no_meter() -> None:
    terms = replace(RWS_TERMS, rates_bp=(("major", 2000),))
    heavy = box(ROYAL_CARDS, ante=150_000, play=150_000, pair_plus=1000, progressive=700)
    round_ = settle(PROGRESSIVE, deal(ROYAL_DEALER, heavy, void=True), terms, METERS)
    assert all(
        (line.outcome, line.returned, line.lost, line.paid) == ("returned", line.stake, 0, 0) for line in round_.lines
    )
    assert round_.bets() == ["ante", "play", "pair_plus", "progressive"]
    assert round_.meters == METERS


def test_5_10_3_an_invalidated_hand_gets_its_bets_back_and_the_others_go_on() -> None:
    invalid = box(ROYAL_CARDS, ante=5000, play=5000, progressive=500, invalidated=True)
    other = box("9h 8d 7c", seat=2, ante=5000, play=5000, progressive=500)
    round_ = play(ROYAL_DEALER, invalid, other)
    assert {line.outcome for line in round_.lines if line.seat == 1} == {"returned"}
    assert round_.bets(2) == ["ante", "play", "ante_bonus", "progressive"]
    assert round_.meters == METERS


def test_1_15_accepted_bets_raise_the_meter_before_it_pays_or_only_if_it_does_not() -> None:
    terms = replace(RWS_TERMS, rates_bp=(("major", 1),))
    winner = box(RED_ROYAL, ante=5000, play=5000, progressive=500)
    folded = box("9d 8d 3c", "fold", seat=2, ante=5000, progressive=700)
    before = settle(PROGRESSIVE, deal(RED_DEALER, winner, folded), terms, METERS)
    # Two accepted stakes of 500 at a hundredth of a per cent: a tenth of a cent.
    assert before.line("progressive").paid == 5_000_000
    assert str(before.meters["major"]) == "150000001/10"
    unless_won = settle(
        PROGRESSIVE, deal(RED_DEALER, winner, folded), read(terms, increment_timing="only_if_not_won"), METERS
    )
    assert unless_won.meters == {"major": 15_000_000}


def test_a_stake_that_is_only_present_has_odds_and_no_sum() -> None:
    round_ = play(ROYAL_DEALER, box(ROYAL_CARDS, ante=None, play=None, pair_plus=None, progressive=None))
    assert round_.money("ante") == ("win", None, None, None)
    assert round_.line("pair_plus").odds == "40 to 1"
    assert round_.line("ante_bonus").paid is None
    assert round_.line("progressive").stake == 500
