"""3 Card with Player Bonus, 6 Card Bounty and Stax, paragraph by paragraph."""

from __future__ import annotations

from fractions import Fraction

import pytest

from felt.nouns.values import replace
from felt.rules import shelf
from felt.rules.rulebook import Box, Cards, MissingTermsError, Terms
from tests.rules.rounds import STAX, STAX_METERS, STAX_TERMS, Settled, box, deal, read, settle


def play(dealer: str, *boxes: Box, terms: Terms = STAX_TERMS, **readings: str) -> Settled:
    return settle(STAX, deal(dealer, *boxes), read(terms, **readings), STAX_METERS)


def test_rules_of_play_5_an_unqualified_dealer_pays_the_ante_even_to_a_lower_hand() -> None:
    round_ = play("Js Td 8c", box("5h 4h 2s", ante=5000, play=5000))
    assert round_.money("ante") == ("win", 5000, 0, 5000)
    assert round_.money("play") == ("push", 5000, 0, 0)


@pytest.mark.parametrize(
    ("cards", "ante", "play_"), [("Qh 4h 2s", "win", "win"), ("Qh 3h 2s", "push", "push"), ("Jh 4h 2s", "lose", "lose")]
)
def test_rules_of_play_6_a_qualified_dealer_is_compared(cards: str, ante: str, play_: str) -> None:
    round_ = play("Qs 3d 2c", box(cards, ante=5000, play=5000))
    assert (round_.line("ante").outcome, round_.line("play").outcome) == (ante, play_)


@pytest.mark.parametrize(
    ("dealer", "cards", "ante", "play_"),
    [
        ("Js Td 8c", "Qh 4h 2s", "win", "win"),
        ("Js Td 8c", "5h 4h 2s", "win", "push"),
        ("Qs 3d 2c", "Qh 4h 2s", "push", "win"),
        ("Qs 3d 2c", "Jh 4h 2s", "lose", "lose"),
        ("Qs 3d 2c", "Qh 3h 2s", "push", "push"),
    ],
)
def test_winning_a_and_b_can_be_taken_at_their_word(dealer: str, cards: str, ante: str, play_: str) -> None:
    round_ = play(dealer, box(cards, ante=5000, play=5000), winning_clauses="clauses_a_b")
    assert (round_.line("ante").outcome, round_.line("play").outcome) == (ante, play_)


def test_rules_of_play_3_a_fold_forfeits_the_ante_and_spares_the_side_wagers() -> None:
    folded = box("5h 4d 4s", "fold", ante=5000, player_bonus=1000, six_card_bounty=1000, progressive=500)
    round_ = play("5s 5d Ac", folded)
    assert round_.money("ante") == ("lose", 0, 5000, 0)
    assert round_.money("player_bonus") == ("win", 1000, 0, 1000)
    assert round_.money("six_card_bounty") == ("win", 1000, 0, 20_000)
    assert round_.money("progressive") == ("lose", 0, 500, 0)


def test_rules_of_play_7_a_folded_straight_earns_its_bonus_only_by_reading() -> None:
    folded = box("4h 3h 2s", "fold", ante=5000)
    assert play("Js Td 8c", folded).bets() == ["ante"]
    assert play("Js Td 8c", folded, ante_bonus_on_fold="paid").money("ante_bonus") == ("win", 0, 0, 5000)


def lettered(bet: str, letter: str) -> Terms:
    return replace(STAX_TERMS, pay_letters=((bet, letter),))


@pytest.mark.parametrize(
    ("cards", "pays"),
    [
        ("Ah Kh Qh", (50, 50, 40)),
        ("Kh Qh Jh", (40, 40, 40)),
        ("9h 9d 9c", (30, 30, 30)),
        ("3h 2d Ac", (6, 5, 6)),
        ("Kh 9h 3h", (3, 4, 3)),
        ("9h 9d 3c", (1, 1, 1)),
    ],
)
def test_table_2_the_player_bonus_pays_by_its_column(cards: str, pays: tuple[int, ...]) -> None:
    for letter, odds in zip("ABC", pays, strict=True):
        round_ = play("8s 5d 2c", box(cards, "", player_bonus=1000), terms=lettered("player_bonus", letter))
        assert round_.line("player_bonus").paid == 1000 * odds


@pytest.mark.parametrize(
    ("dealer", "cards", "pays"),
    [
        ("9h Th Jh", "Ah Kh Qh", (20_000, 1_000, 1_000)),
        ("8h Th Jh", "Ah Kh Qh", (1_000, 1_000, 1_000)),
        ("9h Th Jh", "2c Kh Qh", (200, 200, 200)),
        ("4h 4s Ks", "4d 4c Kh", (50, 100, 100)),
        ("5s 5d Ac", "5h 4d 4s", (20, 20, 20)),
        ("9h 4h 2h", "Kh 7h 3s", (15, 15, 15)),
        ("9s 6d 2c", "8s 7h 5s", (10, 9, 10)),
        ("5s 5d Ac", "5h 9d 4s", (5, 8, 7)),
    ],
)
def test_table_3_the_bounty_pays_by_its_column(dealer: str, cards: str, pays: tuple[int, ...]) -> None:
    for letter, odds in zip("ABC", pays, strict=True):
        round_ = play(dealer, box(cards, "", six_card_bounty=1000), terms=lettered("six_card_bounty", letter))
        assert round_.line("six_card_bounty").paid == 1000 * odds


@pytest.mark.parametrize(
    ("cards", "level"),
    [
        ("Ad Kd Qd", "star"),
        ("As Ks Qs", "spade"),
        ("Ah Kh Qh", "spade"),
        ("Ac Kc Qc", "spade"),
        ("Kd Qd Jd", "heart"),
        ("Kh Qh Jh", "diamond"),
        ("3c 2c Ac", "diamond"),
    ],
)
def test_table_4_the_levels_are_not_the_suits_that_win_them(cards: str, level: str) -> None:
    round_ = play("9s 9h 4c", box(cards, "", progressive=500))
    assert round_.line("progressive").level == level


@pytest.mark.parametrize(("cards", "odds"), [("7h 7d 7c", 20), ("3h 2d Ac", 6), ("Kh 9h 3h", 3), ("9d 9c 3h", 0)])
def test_table_4_lesser_hands_pay_odds_to_1(cards: str, odds: int) -> None:
    line = play("8s 5d 4c", box(cards, "", progressive=500)).line("progressive")
    assert (line.outcome, line.returned, line.paid) == (("win", 500, 500 * odds) if odds else ("lose", 0, 0))


def test_table_5_meters_grow_by_their_rates_before_they_pay() -> None:
    round_ = play("9s 9h 2c", box("Jd Kd Qd", ante=5000, play=5000, progressive=500))
    assert round_.money("progressive") == ("win", 500, 0, 60_035)
    assert round_.meters == {"star": 150_025, "spade": 80_025, "heart": 40_000, "diamond": 40_030}


def test_table_5_meters_grow_after_they_pay_by_reading() -> None:
    round_ = play("9s 9h 2c", box("Jd Kd Qd", "", progressive=500), increment_timing="after_settlement")
    assert round_.line("progressive").paid == 60_000
    assert round_.meters["heart"] == 40_035


def test_table_5_a_part_of_a_cent_stays_on_the_meter() -> None:
    round_ = play("9s 9h 2c", box("8d 5c 3h", "", progressive=110))
    assert round_.meters["heart"] == 60_000 + Fraction(77, 10)
    assert round_.meters["star"] == 150_000 + Fraction(11, 2)


def test_table_4_the_stake_of_a_meter_win_is_kept_by_reading() -> None:
    round_ = play("9s 9h 2c", box("Jd Kd Qd", "", progressive=500), stax_stake_on_meter_win="kept")
    assert round_.money("progressive") == ("win", 0, 500, 60_035)


def test_table_4_a_stax_bet_is_forfeit_with_a_fold_by_reading() -> None:
    folded = box("Jd Kd Qd", "fold", ante=5000, progressive=500)
    assert play("9s 9h 2c", folded).line("progressive").paid == 60_035
    assert play("9s 9h 2c", folded, stax_on_fold="forfeit").money("progressive") == ("lose", 0, 500, 0)


def test_table_4_may_be_read_as_the_best_five_of_six() -> None:
    round_ = play("9d Td 2c", box("Jd Kd Qd", "", progressive=500), stax_hand="best_five_of_six")
    assert round_.line("progressive").level == "heart"
    royal = play("Ad Td 2c", box("Jd Kd Qd", "", progressive=500), stax_hand="best_five_of_six")
    assert royal.line("progressive").level == "star"
    assert (
        play("9s 9h 2c", box("Jd Kd Qd", "", progressive=500), stax_hand="best_five_of_six").line("progressive").outcome
        == "lose"
    )


def two_hits(**readings: str) -> Settled:
    hits = (box("Kh Qh Jh", "", progressive=500), box("Ks Qs Js", "", seat=2, progressive=500))
    return settle(STAX, deal("9s 9h 2c", *hits), read(STAX_TERMS, **readings), STAX_METERS)


def test_table_4_two_hits_of_one_level_are_paid_in_deal_order() -> None:
    round_ = two_hits()
    assert [round_.line("progressive", seat).paid for seat in (1, 2)] == [40_060, 25_000]
    assert round_.meters["diamond"] == 25_000


def test_table_4_two_hits_of_one_level_share_equally_by_reading() -> None:
    round_ = two_hits(same_level_hits="split_equally")
    assert [round_.line("progressive", seat).paid for seat in (1, 2)] == [20_030, 20_030]
    assert round_.meters["diamond"] == 25_000


def test_table_5_the_reserve_takes_its_part_of_the_growth_and_is_kept_apart() -> None:
    terms = replace(STAX_TERMS, reserves_bp=(("heart", 200),))
    winner = box("Jd Kd Qd", "", progressive=500)
    apart = settle(STAX, deal("9s 9h 2c", winner), terms, {**STAX_METERS, "heart.reserve": 1_000})
    assert apart.line("progressive").paid == 60_025
    assert (apart.meters["heart"], apart.meters["heart.reserve"]) == (40_000, 1_010)
    added = settle(
        STAX,
        deal("9s 9h 2c", winner),
        read(terms, reserve_on_hit="added_to_reset"),
        {**STAX_METERS, "heart.reserve": 1_000},
    )
    assert (added.meters["heart"], added.meters["heart.reserve"]) == (41_010, 0)


def test_a_pay_table_must_be_chosen() -> None:
    with pytest.raises(MissingTermsError, match="player_bonus"):
        settle(STAX, deal("9s 9h 2c", box("8d 5c 3h", "", player_bonus=500)), Terms(), STAX_METERS)


def test_rules_of_play_3_a_play_wager_unequal_to_the_ante_is_settled_on_the_lesser() -> None:
    heavy = box("Qh 4h 2s", ante=5000, play=8000)
    assert play("Qs 3d 2c", heavy).money("play") == ("win", 8000, 0, 5000)
    assert play("Qs 3d 2c", heavy, play_mismatch="play_stands").money("play") == ("win", 8000, 0, 8000)


def test_table_4_hangs_on_the_players_cards_unless_the_reading_counts_the_dealers() -> None:
    book = shelf.rulebook(STAX)
    (stax,) = (wager for wager in book.wagers if wager.coin_spot)
    assert book.cards_that_decide(stax, Terms()) is Cards.OWN
    assert book.cards_that_decide(stax, Terms(readings=(("stax_hand", "best_five_of_six"),))) is Cards.DEALER
