"""One meter: what each event does to its accounts, and that no event loses or invents money."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.jackpot.books.accounts import OUTSIDE_THE_METER, Account, Code
from felt.jackpot.books.meter import (
    Agreed,
    Meter,
    Moved,
    adjust,
    award_of,
    clear,
    commit,
    drop,
    freeze,
    move_up,
    open_meter,
    pay,
    pend,
    resolve_unpaid,
    share_of,
    take_back,
    total_micro,
)
from felt.jackpot.books.terms import (
    FractionalCent,
    MeterTerms,
    OnHit,
    PartialWin,
    TermsError,
    VoidAfterAward,
    check_terms,
)
from felt.nouns.values import replace

MICRO = 1_000_000
TERMS = MeterTerms("major", 1_000, 700, 200)


def grown(meter: Meter, stake: int, *, behind: bool = False) -> Meter:
    return commit(pend(meter, stake).meter, stake, 1, behind=behind).meter


def paid(meter: Meter, award: int, *, whole: bool = True, code: Code = Code.AWARDED) -> Moved:
    """A single hit, valued and paid."""
    return pay(freeze(meter), award, code, whole=whole, last=True)


def put_in(moved: Moved, *codes: Code) -> int:
    return sum(told.micro for told in moved.transfers if told.code in codes)


def test_a_new_meter_begins_at_its_reset_value() -> None:
    meter = open_meter(TERMS).meter
    assert (meter.display, total_micro(meter), meter.house) == (1_000 * MICRO, 1_000 * MICRO, -1_000 * MICRO)


def test_growth_is_split_between_the_meter_and_its_reserve_to_the_last_unit() -> None:
    meter = grown(open_meter(TERMS).meter, 333)
    assert meter.display - 1_000 * MICRO == 333 * 50_000  # 5 %
    assert meter.reserve == 333 * 20_000  # 2 %
    assert (meter.wagers, meter.stakes, meter.pending, meter.pending_stake) == (1, 333, 0, 0)


def test_what_only_pends_is_in_no_purse_and_can_be_dropped() -> None:
    opened = open_meter(TERMS).meter
    pending = pend(opened, 500).meter
    assert total_micro(pending) == total_micro(opened)
    assert (pending.pending, pending.players) == (500 * 70_000, -500 * 70_000)
    assert drop(pending, 500).meter == opened


def test_the_limit_stops_the_display_and_the_overflow_takes_the_rest() -> None:
    meter = grown(open_meter(replace(TERMS, limit_minor=1_010)).meter, 500)
    assert (meter.display, meter.overflow, meter.laid_up) == (1_010 * MICRO, 15 * MICRO, 15 * MICRO)


def test_a_won_meter_begins_again_with_its_seed_its_fraction_and_its_overflow() -> None:
    meter = grown(open_meter(replace(TERMS, limit_minor=1_010)).meter, 500)
    meter = grown(replace(meter, display=meter.display - 600_000, winners=600_000), 20, behind=True)
    after = paid(meter, 1_009).meter
    assert after.display == 1_010 * MICRO  # up to the limit, fraction included
    assert after.overflow == 15 * MICRO + 400_000 - 10 * MICRO
    after = move_up(after, MICRO).meter
    assert (after.waiting, after.overflow, after.hits) == (0, 6 * MICRO + 400_000, 1)


def test_a_won_meter_can_keep_its_overflow_apart_and_add_its_reserve() -> None:
    terms = replace(TERMS, overflow_on_hit=OnHit.KEPT_APART, reserve_on_hit=OnHit.ADDED)
    meter = open_meter(terms).meter
    for purse, micro in ((Account.RESERVE, 7 * MICRO), (Account.OVERFLOW, 9 * MICRO)):
        meter = adjust(meter, purse, micro, Code.ADJUSTED).meter
    after = paid(meter, 1_000).meter
    assert (after.display, after.reserve, after.overflow) == (1_007 * MICRO, 0, 9 * MICRO)


@pytest.mark.parametrize(
    ("reading", "display", "reserve", "seeded"),
    [
        (PartialWin.DEDUCT, 900, 0, 0),
        (PartialWin.RESET, 1_000, 900, 1_000),
        (PartialWin.DEDUCT_NOT_BELOW_RESET, 1_000, 0, 100),
    ],
)
def test_a_partial_win_leaves_what_the_reading_says(
    reading: PartialWin, display: int, reserve: int, seeded: int
) -> None:
    opened = open_meter(replace(TERMS, partial_win_meter=reading)).meter
    moved = paid(adjust(opened, Account.DISPLAY, 200 * MICRO, Code.ADJUSTED).meter, 300, whole=False)
    assert (moved.meter.display, moved.meter.reserve) == (display * MICRO, reserve * MICRO)
    assert put_in(moved, Code.SEED) == seeded * MICRO


def test_a_quarter_of_an_odd_meter_is_rounded_down_and_the_fraction_stays() -> None:
    meter = adjust(open_meter(TERMS).meter, Account.DISPLAY, MICRO + 999_999, Code.ADJUSTED).meter
    award = award_of(meter.display, 1, 4)
    assert award == 250
    assert paid(meter, award, whole=False).meter.display == 751 * MICRO + 999_999


def test_an_award_larger_than_the_meter_is_made_good_by_the_house() -> None:
    moved = paid(open_meter(TERMS).meter, 1_500)
    assert moved.meter.display == 1_000 * MICRO
    assert (put_in(moved, Code.MADE_GOOD), put_in(moved, Code.SEED)) == (500 * MICRO, 1_000 * MICRO)


def test_less_than_a_cent_of_an_award_that_is_rounded_up_is_the_houses() -> None:
    meter = adjust(open_meter(TERMS).meter, Account.DISPLAY, 600_000, Code.ADJUSTED).meter
    moved = paid(meter, award_of(meter.display, 1, 1, FractionalCent.NEAREST))
    assert (put_in(moved, Code.ROUNDING), put_in(moved, Code.MADE_GOOD)) == (400_000, 0)


# --- voids by stretch --------------------------------------------------------------------------------


@pytest.mark.parametrize("behind", [False, True])
def test_a_void_takes_back_exactly_what_its_bets_brought(behind: bool) -> None:
    opened = open_meter(replace(TERMS, limit_minor=1_010)).meter
    meter = grown(opened, 777, behind=behind)
    assert take_back(meter, share_of(opened), 777, 1, waiting=meter.waiting if behind else None).meter == opened


def test_a_void_leaves_first_the_overflow_that_the_bets_of_its_stretch_have_laid_up() -> None:
    opened = open_meter(replace(TERMS, limit_minor=1_010)).meter
    meter = grown(grown(opened, 500), 100)
    after = take_back(meter, share_of(opened), 100, 1).meter
    assert (after.display, after.overflow, after.laid_up) == (1_010 * MICRO, 15 * MICRO, 15 * MICRO)
    assert take_back(after, share_of(opened), 500, 1).meter == opened


def test_a_void_from_a_closed_stretch_moves_no_purse_and_the_house_makes_good() -> None:
    opened = open_meter(TERMS).meter
    meter = paid(grown(opened, 1_000), 1_050).meter
    moved = take_back(meter, share_of(opened), 1_000, 1)
    assert (moved.meter.display, moved.meter.reserve) == (1_000 * MICRO, 0), "its part of the reserve is there"
    assert put_in(moved, Code.MADE_GOOD) == 50 * MICRO


def test_by_the_other_reading_a_void_from_a_closed_stretch_takes_back_what_the_display_has_left() -> None:
    opened = open_meter(replace(TERMS, void_after_award=VoidAfterAward.TAKE_BACK_WHAT_IS_LEFT)).meter
    meter = paid(grown(opened, 1_000), 1_050).meter
    moved = take_back(meter, share_of(opened), 1_000, 1)
    assert (moved.meter.display, moved.meter.reserve) == (950 * MICRO, 0)
    assert put_in(moved, Code.MADE_GOOD) == 0
    lower = adjust(meter, Account.DISPLAY, -970 * MICRO, Code.ADJUSTED).meter
    moved = take_back(lower, share_of(opened), 1_000, 1)
    assert (moved.meter.display, put_in(moved, Code.MADE_GOOD)) == (0, 20 * MICRO), "no account falls below nought"


def test_a_void_does_not_reach_into_a_reserve_that_was_folded_since() -> None:
    opened = open_meter(replace(TERMS, reserve_on_hit=OnHit.ADDED)).meter
    meter = grown(paid(grown(opened, 1_000), 1_050).meter, 2_000)
    moved = take_back(meter, share_of(opened), 1_000, 1)
    assert (moved.meter.display, moved.meter.reserve) == (meter.display, meter.reserve)
    assert put_in(moved, Code.MADE_GOOD) == 70 * MICRO


def test_there_is_no_floor_at_the_reset_and_what_an_adjustment_took_the_house_makes_good() -> None:
    opened = open_meter(TERMS).meter
    lower = adjust(grown(opened, 1_000), Account.DISPLAY, -1_040 * MICRO, Code.ADJUSTED).meter
    moved = take_back(lower, share_of(opened), 1_000, 1)
    assert moved.meter.display == 0
    assert put_in(moved, Code.MADE_GOOD) == 40 * MICRO


# --- equal parts -------------------------------------------------------------------------------------


def test_equal_parts_are_one_place_and_the_cycle_ends_with_the_last() -> None:
    meter = freeze(grown(open_meter(TERMS).meter, 1_000), 2)
    first = pay(meter, 525, Code.AWARDED, whole=True, last=False).meter
    assert (first.display, first.hits) == (525 * MICRO, 1), "no seed yet"
    last = pay(first, 525, Code.AWARDED, whole=True, last=True).meter
    assert (last.display, last.frozen) == (1_000 * MICRO, None)


def test_a_part_that_nobody_was_paid_stays_and_the_seed_only_tops_up() -> None:
    meter = pay(freeze(open_meter(TERMS).meter, 2), 500, Code.AWARDED, whole=True, last=False).meter
    moved = resolve_unpaid(meter)
    assert moved.meter.display == 1_000 * MICRO
    assert put_in(moved, Code.SEED) == 500 * MICRO


def test_parts_that_nobody_was_paid_end_no_cycle() -> None:
    meter = freeze(grown(open_meter(TERMS).meter, 1_000), 2)
    assert resolve_unpaid(meter).meter == replace(meter, frozen=None)


# --- terms -------------------------------------------------------------------------------------------


def test_agreed_terms_come_into_force_with_the_seed_of_the_next_cycle() -> None:
    later = replace(TERMS, reset_minor=300, rate_bp=1_000, limit_minor=400)
    meter = pend(replace(open_meter(TERMS).meter, agreed=Agreed(later, "Ada, Bob", "a new season")), 500).meter
    kept = paid(meter, 100, whole=False).meter
    assert kept.terms == TERMS, "a partial win that is deducted ends no cycle"
    after = paid(kept, 900).meter
    assert (after.terms, after.former_terms, after.agreed) == (later, (TERMS,), None)
    assert (after.display, after.pending) == (300 * MICRO, 500 * 100_000)


def test_what_stands_above_the_new_limit_goes_to_the_overflow() -> None:
    later = replace(TERMS, limit_minor=1_010, overflow_on_hit=OnHit.KEPT_APART)
    meter = replace(grown(open_meter(TERMS).meter, 1_000), agreed=Agreed(later, "Ada, Bob", "as agreed"))
    after = paid(meter, 1_000).meter
    assert (after.display, after.overflow) == (1_010 * MICRO, 40 * MICRO)


# --- terms that cannot be kept -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (replace(TERMS, reserve_bp=701), "reserve_bp"),
        (replace(TERMS, rate_bp=-1), "rate_bp"),
        (replace(TERMS, rate_bp=10_001), "rate_bp"),
        (replace(TERMS, limit_minor=999), "below its reset"),
        (replace(TERMS, reset_minor=-1), "negative"),
        (replace(TERMS, name=""), "name"),
    ],
)
def test_terms_that_cannot_be_kept_are_refused_by_name(terms: MeterTerms, said: str) -> None:
    with pytest.raises(TermsError, match=said):
        check_terms([terms])


def test_meters_may_not_share_a_name_nor_grow_by_more_than_the_stake() -> None:
    with pytest.raises(TermsError, match="twice"):
        check_terms([TERMS, TERMS])
    with pytest.raises(TermsError, match="whole stake"):
        check_terms([replace(TERMS, rate_bp=6_000), replace(TERMS, name="minor", rate_bp=6_000)])


terms_of_any_kind = st.builds(
    MeterTerms,
    st.just("major"),
    st.integers(0, 2_000),
    st.integers(500, 1_000),
    st.integers(0, 500),
    st.sampled_from([0, 2_000, 2_500]),
    st.sampled_from(PartialWin),
    st.sampled_from(OnHit),
    st.sampled_from(OnHit),
    base_minor=st.just(0),
    threshold_minor=st.just(0),
    odds_to_one=st.just(0),
)
ACTS = "grow behind up void late_void pay share registered part deny clear terms adjust".split()
acts = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(1, 10_000)), max_size=30)


def acted(meter: Meter, act: str, size: int) -> Moved:
    share = share_of(meter)
    match act:
        case "grow" | "behind":
            return commit(pend(meter, size).meter, size, 1, behind=act == "behind")
        case "up":
            return move_up(meter, min(size * MICRO, meter.waiting))
        case "void":
            return take_back(meter, share, min(size, meter.stakes), min(1, meter.wagers))
        case "late_void":
            late = replace(share, stretch=meter.stretch - 1, folds=meter.folds - size % 2)
            waiting = meter.waiting // 2 if size % 3 == 0 else None
            return take_back(meter, late, min(size, meter.stakes), min(1, meter.wagers), waiting=waiting)
        case "registered":
            return paid(meter, size, code=Code.AWARDED_AS_REGISTERED)
        case "part":
            parts = 2 + size % 3
            award = award_of(meter.display, 1, parts, FractionalCent.NEAREST)
            meter = pay(freeze(meter, parts), award, Code.AWARDED, whole=True, last=False).meter
            return pay(meter, award, Code.AWARDED, whole=True, last=True)
        case "deny":
            award = award_of(meter.display, 1, 2)
            return resolve_unpaid(pay(freeze(meter, 2), award, Code.AWARDED, whole=True, last=False).meter)
        case "clear":
            return clear(meter)
        case "terms":
            later = replace(meter.terms, rate_bp=500 + size % 500)
            return Moved(replace(meter, agreed=Agreed(later, "Ada, Bob", "as agreed")))
        case "adjust":
            purse = (Account.RESERVE, Account.OVERFLOW)[size % 2]
            sign = -1 if size % 3 == 0 and getattr(meter, purse.value) >= size else 1
            return adjust(meter, purse, sign * size, Code.ADJUSTED)
    num, den = (1, 1) if act == "pay" else (1, 1 + size)
    return paid(meter, award_of(meter.display, num, den), whole=act == "pay")


@given(terms_of_any_kind, acts)
def test_money_is_conserved_whatever_happens_and_no_account_goes_below_nought(
    terms: MeterTerms, plan: list[tuple[str, int]]
) -> None:
    meter = open_meter(terms).meter
    for act, size in plan:
        before, moved = meter, acted(meter, act, size)
        meter = moved.meter
        assert sum(getattr(meter, account.value) for account in Account) == 0
        for account in Account:
            balance: int = getattr(meter, account.value)
            assert balance >= 0 or account in OUTSIDE_THE_METER
            if act not in ("part", "deny", "grow", "behind"):  # those are two events here
                into = sum(told.micro for told in moved.transfers if told.credit is account)
                out = sum(told.micro for told in moved.transfers if told.debit is account)
                assert balance == getattr(before, account.value) + into - out
        limit = meter.terms.limit_minor * MICRO
        assert limit == 0 or meter.display <= limit


def test_a_million_random_bets_are_exact(full: bool) -> None:
    """J5: against fractions, with wins between; a scaled sample unless the bars run at full size."""
    rng = random.Random(1)
    terms = MeterTerms("major", 5_000, 733, 211)
    meter = open_meter(terms).meter
    held = Fraction(5_000)  # in all purses, in minor units
    behind = False
    for _ in range(1_000_000 if full else 30_000):
        stake = rng.randrange(1, 100_000)
        meter = grown(meter, stake, behind=behind)
        held += Fraction(stake * 733, 10_000)
        draw = rng.random()
        if draw < 0.0005:
            num, den = rng.choice([(1, 1), (1, 4), (1, 10)])
            award = award_of(meter.display, num, den)
            meter = paid(meter, award, whole=num == den).meter
            held += (5_000 if num == den else 0) - award
            behind = False
        elif draw < 0.001:
            behind = True
    assert meter.hits > 5
    assert Fraction(total_micro(meter), MICRO) == held
