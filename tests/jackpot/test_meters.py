from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.jackpot.meters import (
    Account,
    Kind,
    Meter,
    Moved,
    adjust,
    award_of,
    begin_cycle,
    bring_in,
    change_terms,
    clear,
    commit,
    correct,
    drop,
    end_split,
    open_meter,
    pay,
    pay_beside,
    pay_part,
    pend,
    seed,
    total_micro,
)
from felt.jackpot.terms import FractionalCent, MeterTerms, OnHit, PartialWin, TermsError, check_terms

MICRO = 1_000_000
TERMS = MeterTerms("major", 1_000, 700, 200)


def grown(meter: Meter, stake: int, to_bucket: bool = False) -> Meter:
    return commit(pend(meter, stake).meter, stake, 1, to_bucket).meter


def joined(first: Moved, then: Callable[[Meter], Moved]) -> Moved:
    second = then(first.meter)
    return Moved(second.meter, first.movements + second.movements)


def paid(meter: Meter, award_minor: int, whole: bool, kind: Kind = Kind.AWARDED) -> Moved:
    """An award, and the cycle that begins with it."""
    return joined(pay(meter, award_minor, whole, kind), lambda left: begin_cycle(left, whole))


def test_a_new_meter_begins_at_its_reset_value() -> None:
    meter = open_meter(TERMS).meter
    assert (meter.display, total_micro(meter)) == (1_000 * MICRO, 1_000 * MICRO)


def test_growth_is_split_between_the_meter_and_its_reserve_to_the_last_unit() -> None:
    meter = grown(open_meter(TERMS).meter, 333)
    assert meter.display - 1_000 * MICRO == 333 * 50_000  # 5 %
    assert meter.reserve == 333 * 20_000  # 2 %
    assert (meter.wagers, meter.stakes, meter.pending) == (1, 333, 0)


def test_what_only_pends_is_in_no_purse_and_can_be_dropped() -> None:
    opened = open_meter(TERMS).meter
    pending = pend(opened, 500).meter
    assert total_micro(pending) == total_micro(opened)
    assert pending.pending == 500 * 70_000
    assert drop(pending, 500).meter == opened


def test_the_limit_stops_the_display_and_the_overflow_takes_the_rest() -> None:
    limited = open_meter(TERMS._replace(limit_minor=1_010)).meter
    meter = grown(limited, 500)
    assert (meter.display, meter.overflow) == (1_010 * MICRO, 15 * MICRO)


def test_a_won_meter_resets_and_takes_overflow_next_cycle_and_its_own_fraction_with_it() -> None:
    limited = grown(open_meter(TERMS._replace(limit_minor=1_010)).meter, 500)
    meter = limited._replace(display=1_009_400_000, bucket=MICRO)
    after = bring_in(paid(meter, 1_009, whole=True).meter, MICRO).meter
    assert after.display == (1_000 + 9) * MICRO + MICRO  # up to the limit, fraction included
    assert after.overflow == 15 * MICRO + MICRO + 400_000 - 10 * MICRO
    assert (after.bucket, after.hits, after.wins) == (0, 1, 1_009)


def test_a_won_meter_can_keep_its_overflow_apart_and_add_its_reserve() -> None:
    terms = TERMS._replace(overflow_on_hit=OnHit.KEPT_APART, reserve_on_hit=OnHit.ADDED)
    meter = open_meter(terms).meter._replace(reserve=7 * MICRO, overflow=9 * MICRO)
    after = paid(meter, 1_000, whole=True).meter
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
    meter = open_meter(TERMS._replace(partial_win_meter=reading)).meter._replace(display=1_200 * MICRO)
    moved = paid(meter, 300, whole=False)
    assert (moved.meter.display, moved.meter.reserve) == (display * MICRO, reserve * MICRO)
    assert sum(amount for kind, _, amount in moved.movements if kind is Kind.SEED) == seeded * MICRO


def test_a_quarter_of_an_odd_meter_is_rounded_down_and_the_fraction_stays() -> None:
    meter = open_meter(TERMS).meter._replace(display=1_001 * MICRO + 999_999)
    award = award_of(meter.display, 1, 4)
    assert award == 250
    assert paid(meter, award, whole=False).meter.display == 751 * MICRO + 999_999


def test_an_award_larger_than_the_meter_is_made_good_by_the_house() -> None:
    moved = paid(open_meter(TERMS).meter, 1_500, whole=True)
    assert moved.meter.display == 1_000 * MICRO
    assert sum(amount for kind, _, amount in moved.movements if kind is Kind.SEED) == 1_500 * MICRO


def test_an_award_beside_a_frozen_display_leaves_the_display_alone() -> None:
    meter = grown(open_meter(TERMS).meter, 500, to_bucket=True)
    after = pay_beside(meter, 30, Kind.AWARDED_AS_REGISTERED).meter
    assert (after.display, after.bucket, after.wins) == (1_000 * MICRO, 0, 30)


def test_a_correction_takes_back_exactly_what_was_committed() -> None:
    opened = open_meter(TERMS).meter
    assert correct(grown(opened, 777), 777, 1).meter == opened
    bucketed = grown(opened, 777, to_bucket=True)
    assert correct(bucketed, 777, 1, waiting=bucketed.bucket).meter == opened


def test_what_was_paid_away_beside_a_frozen_display_is_not_taken_back_from_it() -> None:
    meter = pay_beside(grown(open_meter(TERMS).meter, 777, to_bucket=True), 30, Kind.AWARDED_AS_REGISTERED).meter
    moved = correct(meter, 777, 1, waiting=meter.bucket)
    assert (moved.meter.display, moved.meter.bucket) == (1_000 * MICRO, 0)
    assert [amount for kind, _, amount in moved.movements if kind is Kind.SEED] == [30 * MICRO]


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (TERMS._replace(reserve_bp=701), "reserve_bp"),
        (TERMS._replace(rate_bp=-1), "rate_bp"),
        (TERMS._replace(rate_bp=10_001), "rate_bp"),
        (TERMS._replace(limit_minor=999), "below its reset"),
        (TERMS._replace(reset_minor=-1), "negative"),
        (TERMS._replace(name=""), "name"),
    ],
)
def test_terms_that_cannot_be_kept_are_refused_by_name(terms: MeterTerms, said: str) -> None:
    with pytest.raises(TermsError, match=said):
        check_terms([terms])


def test_meters_may_not_share_a_name_nor_grow_by_more_than_the_stake() -> None:
    with pytest.raises(TermsError, match="twice"):
        check_terms([TERMS, TERMS])
    with pytest.raises(TermsError, match="whole stake"):
        check_terms([TERMS._replace(rate_bp=6_000), TERMS._replace(name="minor", rate_bp=6_000)])


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
ACTS = "grow bucket bring_in take_back pay share registered beside correct part split clear terms reserve".split()
acts = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(1, 10_000)), max_size=30)


def acted(meter: Meter, act: str, size: int) -> Moved:
    if act in ("grow", "bucket"):
        return commit(pend(meter, size).meter, size, 1, act == "bucket")
    if act == "correct":
        return correct(meter, min(size, meter.stakes), min(1, meter.wagers))
    if act == "beside":
        return pay_beside(meter, size, Kind.AWARDED_AS_REGISTERED)
    if act == "bring_in":
        return bring_in(meter, min(size * MICRO, meter.bucket))
    if act == "take_back":
        return correct(meter, min(size, meter.stakes), min(1, meter.wagers), waiting=meter.bucket // 2)
    if act == "registered":
        return paid(meter, size, whole=True, kind=Kind.AWARDED_AS_REGISTERED)
    if act == "part":
        return pay_part(meter, award_of(meter.display, 1, 1 + size, FractionalCent.NEAREST))
    if act == "split":
        return end_split(meter, all_paid=size % 2 == 0)
    if act == "clear":
        return joined(clear(meter), seed)
    if act == "terms":
        return change_terms(meter, meter.terms._replace(rate_bp=500 + size % 500), 0)
    if act == "reserve":
        return adjust(meter, Account.RESERVE, size, Kind.ADJUSTED)
    share = (1, 1) if act == "pay" else (1, 1 + size)
    return paid(meter, award_of(meter.display, *share), whole=act == "pay")


@given(terms_of_any_kind, acts)
def test_money_is_conserved_whatever_happens_and_no_purse_goes_below_nought(
    terms: MeterTerms, plan: list[tuple[str, int]]
) -> None:
    moved = open_meter(terms)
    meter = moved.meter
    put_in = terms.reset_minor * MICRO
    grown_micro = 0  # each stake by the rate of its own time
    for act, size in plan:
        before, moved = meter, acted(meter, act, size)
        meter = moved.meter
        put_in += sum(amount for kind, _, amount in moved.movements if kind in (Kind.SEED, Kind.ADJUSTED))
        if act in ("grow", "bucket", "correct", "take_back"):
            grown_micro += (meter.stakes - before.stakes) * before.terms.rate_bp * 100
        assert total_micro(meter) == grown_micro + put_in - meter.wins * MICRO
        assert all(getattr(meter, account.value) >= 0 for account in Account if account is not Account.CARRIED)
        assert terms.limit_minor == 0 or meter.display <= terms.limit_minor * MICRO


def test_a_million_random_bets_are_exact(full: bool) -> None:
    """J5: against fractions, with wins between; a scaled sample unless the bars run at full size."""
    rng = random.Random(1)
    terms = MeterTerms("major", 5_000, 733, 211)
    meter = open_meter(terms).meter
    held = Fraction(5_000)  # meter + reserve + overflow + bucket, in minor units
    frozen = False
    for _ in range(1_000_000 if full else 30_000):
        stake = rng.randrange(1, 100_000)
        meter = grown(meter, stake, to_bucket=frozen)
        held += Fraction(stake * 733, 10_000)
        draw = rng.random()
        if draw < 0.0005:
            num, den = rng.choice([(1, 1), (1, 4), (1, 10)])
            award = award_of(meter.display, num, den)
            meter = paid(meter, award, whole=num == den).meter
            held += (5_000 if num == den else 0) - award
            frozen = False
        elif draw < 0.001:
            frozen = True
    assert meter.hits > 5
    assert Fraction(total_micro(meter), MICRO) == held
