"""Multi-Link Progressive 3 Card Poker: where it differs from its older sister."""

from __future__ import annotations

import pytest

from felt.nouns.values import replace
from felt.rules.rulebook import Box
from tests.rules.rounds import MULTI_LINK, RWS_TERMS, Settled, box, deal, read, settle

METERS = {"major": 50_000_000}
BETS = {"ante": 5000, "play": 5000, "progressive": 500}


def play(dealer: str, community: str, *boxes: Box, **readings: str) -> Settled:
    return settle(MULTI_LINK, deal(dealer, *boxes, community=community), read(RWS_TERMS, **readings), METERS)


def test_3_12_1_a_fold_costs_the_ante_alone() -> None:
    round_ = play("Qd Jd 9c", "8h 4c", box("7s 6d 5s", "fold", ante=5000, pair_plus=1000, progressive=500))
    assert round_.money("ante") == ("lose", 0, 5000, 0)
    assert round_.money("pair_plus") == ("win", 1000, 0, 5000)
    assert round_.money("progressive") == ("win", 0, 500, 10_000)
    assert "ante_bonus" not in round_.bets()


def test_3_12_1_the_pair_plus_of_a_folded_hand_is_lost_by_reading() -> None:
    folded = box("5h 5d 2s", "fold", ante=5000, pair_plus=1000)
    assert play("Qs Jd 9c", "2h 7c", folded, pair_plus_on_fold="lost").money("pair_plus") == ("lose", 0, 1000, 0)


@pytest.mark.parametrize(
    ("community", "cards", "times"),
    [("Kh 3c", "Ks Kd Kc", 400), ("3d 3c", "Ks Kd Kc", 80), ("9h 4h", "Kh 7h 3h", 40), ("4d 3c", "As 2d 5s", 20)],
)
def test_4_4_minor_awards_are_for_1_and_replace_the_stake(community: str, cards: str, times: int) -> None:
    round_ = play("7d 5c 2c", community, box(cards, bets=BETS))
    assert round_.money("progressive") == ("win", 0, 500, 500 * times)
    assert round_.line("progressive").odds == f"{times} for 1"


def test_4_4_a_smaller_jackpot_stake_earns_its_own_multiple() -> None:
    round_ = play("7d 5c 2c", "4d 3c", box("As 2d 5s", ante=5000, play=5000, progressive=300))
    assert round_.line("progressive").paid == 6_000


def test_1_17_the_dealers_cards_never_count() -> None:
    round_ = play("As 5h 2c", "Ts 3d", box("Ks Qs Js", bets=BETS))
    assert round_.money("progressive") == ("lose", 0, 500, 0)


@pytest.mark.parametrize("suit", ["c", "d", "h", "s"])
def test_4_4_a_royal_takes_all_whatever_the_suit(suit: str) -> None:
    cards = " ".join(rank + suit for rank in "KQJ")
    round_ = play("7d 5h 2c", f"A{suit} T{suit}", box(cards, bets=BETS))
    assert round_.money("progressive") == ("win", 0, 500, 50_000_000)
    assert round_.meters == {"major": 5_000_000}


def two_majors(first: str, second: str, **readings: str) -> Settled:
    return play("7d 5h 2c", "Ts Js", box(first, bets=BETS), box(second, seat=2, bets=BETS), **readings)


def test_4_7_1_majors_are_paid_in_deal_order_from_what_is_left() -> None:
    straight_flush_first = two_majors("7s 8s 9s", "As Ks Qs")
    assert straight_flush_first.line("progressive").paid == 5_000_000
    assert straight_flush_first.line("progressive", 2).paid == 45_000_000
    assert straight_flush_first.meters == {"major": 5_000_000}
    royal_first = two_majors("As Ks Qs", "7s 8s 9s")
    assert royal_first.line("progressive").paid == 50_000_000
    assert royal_first.line("progressive", 2).paid == 500_000
    assert royal_first.meters == {"major": 4_500_000}


def test_4_4_the_stake_goes_back_with_a_share_by_reading_but_never_with_odds_for_1() -> None:
    major = play("7d 5h 2c", "Ac Tc", box("Kc Qc Jc", bets=BETS), pj_stake_on_win="returned")
    assert major.money("progressive") == ("win", 500, 0, 50_000_000)
    minor = play("7d 5c 2c", "4d 3c", box("As 2d 5s", bets=BETS), pj_stake_on_win="returned")
    assert minor.money("progressive") == ("win", 0, 500, 10_000)


def test_4_5_who_will_not_show_has_folded_and_gets_his_play_bet_back() -> None:
    shy = box("5h 5d 2s", "refuse_reveal", ante=5000, play=5000, pair_plus=1000)
    round_ = play("Qs Jd 9c", "2h 7c", shy)
    assert round_.money("ante") == ("lose", 0, 5000, 0)
    assert round_.money("play") == ("returned", 5000, 0, 0)
    assert round_.money("pair_plus") == ("win", 1000, 0, 1000)
    assert round_.line("ante").rule == "4.5"
    assert play("Qs Jd 9c", "2h 7c", shy, refusal_play_bet="lost").money("play") == ("lose", 0, 5000, 0)


def test_5_5_leaving_before_the_decision_is_a_fold_that_keeps_the_side_bets_alive() -> None:
    left = box("5h 5d 2s", "walk_away", ante=5000, pair_plus=1000)
    round_ = play("Qs Jd 9c", "2h 7c", left)
    assert (round_.line("ante").outcome, round_.line("pair_plus").outcome) == ("lose", "win")


def test_5_4_a_jackpot_bet_without_an_ante_goes_back() -> None:
    round_ = play("Qs Jd 9c", "Ac Tc", box("Kc Qc Jc", "", pair_plus=1000, progressive=500))
    assert round_.money("progressive") == ("returned", 500, 0, 0)
    assert round_.meters == METERS


def test_no_envy_is_given_in_this_book() -> None:
    royal = box("Kc Qc Jc", bets=BETS)
    other = box("9h 8d 3s", seat=2, bets=BETS)
    assert "envy" not in play("7d 5h 2c", "Ac Tc", royal, other).bets(2)


def test_4_5_a_hand_that_nobody_established_loses_the_bets_that_depend_on_it() -> None:
    for decision in ("refuse_reveal", "fold"):
        bets = {"ante": 5000, "pair_plus": 1000, "progressive": 500}
        royal = replace(box("Kc Qc Jc", decision, bets=bets), established=False)
        unseen = play("7d 5h 2c", "Ac Tc", royal)
        assert unseen.money("pair_plus") == ("lose", 0, 1000, 0)
        assert unseen.money("progressive") == ("lose", 0, 500, 0)
        assert (unseen.line("pair_plus").rule, unseen.line("progressive").rule) == ("4.5", "4.5")
        assert unseen.line("progressive").level == ""
        by_machine = play("7d 5h 2c", "Ac Tc", royal, unshown_hand="settled_by_machine")
        assert by_machine.money("pair_plus") == ("win", 1000, 0, 40_000)
        assert by_machine.line("progressive").level == "major"
