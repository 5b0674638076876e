"""Three Card Poker as a Californian card room plays it, paragraph by paragraph."""

from __future__ import annotations

import pytest

from felt.nouns.values import replace
from felt.rules.rulebook import Box, MissingTermsError, Terms
from tests.rules.rounds import CALIFORNIA, CALIFORNIA_TERMS, Settled, box, deal, read, settle

METERS = {"major": 7_500_000}


def play(dealer: str, *boxes: Box, **readings: str) -> Settled:
    return settle(CALIFORNIA, deal(dealer, *boxes), read(CALIFORNIA_TERMS, **readings), METERS)


def test_playing_5_an_unqualified_dealer_pays_only_the_better_hand() -> None:
    higher = play("Js Td 8c", box("Qh 4h 2s", ante=5000, play=5000))
    assert higher.money("ante") == ("win", 5000, 0, 5000)
    assert higher.money("play") == ("push", 5000, 0, 0)
    lower = play("Js Td 8c", box("5h 4h 2s", ante=5000, play=5000))
    assert lower.money("ante") == ("lose", 0, 5000, 0)
    assert lower.money("play") == ("push", 5000, 0, 0)


def test_playing_5_the_ante_below_an_unqualified_dealer_goes_back_by_reading() -> None:
    lower = play("Js Td 8c", box("5h 4h 2s", ante=5000, play=5000), nonqualify_lower_hand="ante_returned")
    assert lower.money("ante") == ("push", 5000, 0, 0)


def test_last_paragraph_identical_hands_push_even_below_queen_high() -> None:
    equal = play("Js Td 8c", box("Jh Tc 8s", ante=5000, play=5000))
    assert equal.money("ante") == ("push", 5000, 0, 0)
    assert equal.money("play") == ("push", 5000, 0, 0)


def test_last_paragraph_taken_at_its_word_an_ace_beats_a_pair_of_kings() -> None:
    aces_kicker = box("5h 5c As", ante=5000, play=5000)
    assert play("Ks Kd 2c", aces_kicker).line("ante").outcome == "lose"
    assert play("Ks Kd 2c", aces_kicker, tie_break="highest_card").line("ante").outcome == "win"


def test_rank_of_hands_three_two_ace_is_a_straight_unless_read_otherwise() -> None:
    low = box("3h 2c As", ante=5000, play=5000, pair_plus=5000)
    assert play("Ks Kd 2d", low).line("ante").outcome == "win"
    strict = play("Ks Kd 2d", low, ace_low_straight="no")
    assert (strict.line("ante").outcome, strict.line("pair_plus").outcome) == ("lose", "lose")
    suited = play("Ks Kd 2d", box("3h 2h Ah", ante=5000, play=5000, pair_plus=5000), ace_low_straight="no")
    assert suited.line("pair_plus").paid == 15_000
    kings = play("4s 3d 2d", box("Ks Kd 2c", ante=5000, play=5000), ace_low_straight="no")
    assert kings.line("ante").outcome == "lose"


def test_playing_2_a_fold_forfeits_ante_and_pair_plus_and_spares_the_6_card_bonus() -> None:
    round_ = play("5s 5d Ac", box("5h 4d 4s", "fold", ante=5000, pair_plus=1000, six_card_bonus=1000))
    assert round_.money("ante") == ("lose", 0, 5000, 0)
    assert round_.money("pair_plus") == ("lose", 0, 1000, 0)
    assert round_.line("six_card_bonus").outcome == "lose"  # the house posted nothing for a full house
    trips = play("5s 5d Ac", box("5h 9d 4s", "fold", ante=5000, six_card_bonus=1000))
    assert trips.money("six_card_bonus") == ("win", 1000, 0, 5000)


def test_playing_2_the_progressive_survives_a_fold_unless_read_otherwise() -> None:
    folded = box("Js Ts 2h", "fold", ante=5000, progressive=100)
    assert play("As Ks Qs", folded).money("progressive") == ("win", 0, 100, 7_500_000)
    assert play("As Ks Qs", folded, progressive_on_fold="forfeit").money("progressive") == ("lose", 0, 100, 0)


def test_playing_1_the_pair_plus_is_cut_to_the_ante_and_the_6_card_bonus_to_a_hundred() -> None:
    heavy = box("9h 5d 4s", ante=2500, play=2500, pair_plus=4000, six_card_bonus=12_000)
    round_ = play("As Kd 2c", heavy)
    assert round_.money("pair_plus") == ("lose", 1500, 2500, 0)
    assert round_.money("six_card_bonus") == ("lose", 2000, 10_000, 0)
    assert play("As Kd 2c", heavy, pair_plus_over_ante="stands").money("pair_plus") == ("lose", 0, 4000, 0)


def test_playing_1_every_other_bet_needs_an_ante() -> None:
    round_ = play("As Kd 2c", box("", "", pair_plus=4000, six_card_bonus=100, progressive=100))
    assert [line.outcome for line in round_.lines] == ["returned"] * 3


def test_playing_2_a_play_bet_unequal_to_the_ante_is_settled_on_the_lesser() -> None:
    heavy = box("Qh 4h 2s", ante=5000, play=8000)
    assert play("Qs 3d 2c", heavy).money("play") == ("win", 8000, 0, 5000)
    assert play("Qs 3d 2c", heavy, play_mismatch="play_stands").money("play") == ("win", 8000, 0, 8000)


def test_progressive_1_a_mini_royal_is_a_sum_and_a_five_card_royal_the_whole_meter() -> None:
    mini = play("9s 5d 2c", box("Ah Kh Qh", ante=5000, play=5000, progressive=100))
    assert mini.money("progressive") == ("win", 0, 100, 250_000)
    assert mini.meters == METERS
    five = play("Qh Kh 2c", box("Ah Jh Th", ante=5000, play=5000, progressive=100))
    assert five.money("progressive") == ("win", 0, 100, 7_500_000)
    assert five.meters == {"major": 1_000_000}


def test_progressive_1_both_royals_at_once_are_one_award_unless_read_otherwise() -> None:
    both = box("Ah Kh Qh", ante=5000, play=5000, progressive=100)
    assert play("Jh Th 2c", both).line("progressive").paid == 7_500_000
    lines = play("Jh Th 2c", both, both_royals="both").lines
    assert [line.paid for line in lines if line.bet == "progressive"] == [7_500_000, 250_000]


def test_progressive_1_the_stake_of_a_winner_goes_back_by_reading() -> None:
    mini = box("Ah Kh Qh", ante=5000, play=5000, progressive=100)
    round_ = play("9s 5d 2c", mini, progressive_stake_on_win="returned")
    assert round_.money("progressive") == ("win", 100, 0, 250_000)


ANOTHER = {"ante": 5000, "play": 5000, "progressive": 100}


def test_progressive_1_a_mini_royal_gives_envy_to_every_other_player_with_a_bet() -> None:
    round_ = play(
        "9s 5d 2c",
        box("Ah Kh Qh", player="A", ante=5000, play=5000),
        box("As Ks Qs", seat=2, player="B", bets=ANOTHER),
        box("9h 8d 3s", seat=3, player="C", bets=ANOTHER),
        box("9d 8c 3d", seat=4, player="A", bets=ANOTHER),
        box("9c 8s 3c", seat=5, player="D", ante=5000, play=5000),
    )
    envy = {line.seat: line.paid for line in round_.lines if line.bet == "envy"}
    assert envy == {2: 2500, 3: 5000, 4: 2500}


def test_progressive_1_the_giver_needs_a_bet_of_his_own_only_by_reading() -> None:
    boxes = (box("Ah Kh Qh", ante=5000, play=5000), box("9h 8d 3s", seat=2, bets=ANOTHER))
    assert "envy" in play("9s 5d 2c", *boxes).bets(2)
    assert "envy" not in play("9s 5d 2c", *boxes, envy_achiever_needs_bet="yes").bets(2)


def test_progressive_1_folded_boxes_count_for_envy_unless_read_otherwise() -> None:
    giver = box("Ah Kh Qh", "fold", ante=5000, progressive=100)
    receiver = box("9h 8d 3s", "fold", seat=2, ante=5000, progressive=100)
    playing = box("9d 8c 3d", seat=3, bets=ANOTHER)
    assert "envy" in play("9s 5d 2c", giver, receiver).bets(2)
    assert "envy" not in play("9s 5d 2c", giver, playing, envy_folded_boxes="excluded").bets(3)
    royal = box("Ah Kh Qh", bets=ANOTHER)
    assert "envy" not in play("9s 5d 2c", royal, receiver, envy_folded_boxes="excluded").bets(2)


def test_progressive_1_the_bankers_own_mini_royal_gives_no_envy() -> None:
    assert "envy" not in play("Ah Kh Qh", box("9h 8d 3s", bets=ANOTHER)).bets()


@pytest.mark.parametrize("bet", ["pair_plus", "six_card_bonus"])
def test_odds_that_the_book_does_not_print_are_never_invented(bet: str) -> None:
    wagered = box("9h 9d 3s", ante=5000, play=5000, bets={bet: 1000})
    with pytest.raises(MissingTermsError, match=f"prints no odds for {bet}"):
        settle(CALIFORNIA, deal("Ah Kd 2s", wagered), Terms(), METERS)


def test_the_envy_amount_is_never_invented() -> None:
    boxes = (box("Ah Kh Qh", ante=5000, play=5000), box("9h 8d 3s", seat=2, bets=ANOTHER))
    with pytest.raises(MissingTermsError, match="envy"):
        settle(CALIFORNIA, deal("9s 5d 2c", *boxes), replace(CALIFORNIA_TERMS, envy=None), METERS)


def test_rank_of_hands_without_low_straights_pairs_are_still_compared_by_the_pair_first() -> None:
    kings = box("Jd Kd Kh", ante=5000, play=5000)
    assert play("4h As 4c", kings, ace_low_straight="no").line("ante").outcome == "win"
