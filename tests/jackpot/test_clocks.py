"""Intervals against the truth: whatever clocks and networks do within their limits, the truth lies inside."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from felt.jackpot.books.clocks import (
    BOOTS_MAX,
    SAMPLES_MAX,
    Clocks,
    Moment,
    Order,
    Sample,
    interval_of,
    moment_of,
    order_of,
)
from felt.nouns.values import replace

PPM = 200
MS = 1_000_000
SECOND = 1_000 * MS


def table_time(true_ns: int, offset_ns: int, ppm: int) -> int:
    return offset_ns + true_ns + true_ns * ppm // 1_000_000


def knowing(clocks: Clocks, card_late_ns: int, sample: Sample) -> Clocks:
    clocks.learn("T1", "b", card_late_ns, sample)
    return clocks


ways, holds, pauses = st.integers(0, 500 * MS), st.integers(0, 5 * SECOND), st.integers(0, SECOND)
exchanges = st.tuples(ways, holds, ways, pauses)
offsets, drifts = st.integers(0, 10**15), st.integers(-PPM + 1, PPM - 1)


@given(offsets, drifts, st.lists(exchanges, min_size=1, max_size=90), st.floats(0, 1))
def test_the_true_time_is_always_inside(
    offset: int, ppm: int, plan: list[tuple[int, int, int, int]], when: float
) -> None:
    """The way there, the time the table held it, the way back, the pause; then a card at any time of the evening."""
    clocks, now = Clocks("c", PPM, 0), 1_000 * SECOND
    begun = now
    for there, held, back, pause in plan:
        sent = now
        heard = table_time(now + there, offset, ppm)
        answered = table_time(now + there + held, offset, ppm)
        now += there + held + back
        clocks.learn("T1", "b", 0, Sample(sent, heard, answered, now))
        now += pause
    true_ns = begun + int((now - begun) * when)
    moment = moment_of(clocks, "T1", "b", table_time(true_ns, offset, ppm))
    assert moment.controller == "c"
    assert moment.low_ns - 1 <= true_ns <= moment.high_ns + 1  # the table's clock counts whole nanoseconds
    assert len(clocks.of_table("T1")[0].samples) <= SAMPLES_MAX


def test_a_quick_exchange_makes_a_narrow_interval_whatever_the_table_held() -> None:
    clocks = knowing(Clocks("c", 0, 0), 0, Sample(1_000, 5_000, 5_000 + SECOND, 1_300 + SECOND))
    moment = moment_of(clocks, "T1", "b", 6_000)
    assert (moment.low_ns, moment.high_ns) == (2_000, 2_300)


def test_the_interval_widens_with_the_distance_from_the_samples() -> None:
    clocks = knowing(Clocks("c", PPM, 0), 0, Sample(0, 0, 0, 0))
    near, far = (moment_of(clocks, "T1", "b", at) for at in (SECOND, 3_600 * SECOND))
    assert near.high_ns - near.low_ns == 2 * SECOND * PPM // 1_000_000
    assert far.high_ns - far.low_ns == 2 * 3_600 * SECOND * PPM // 1_000_000


def test_a_card_may_be_as_much_earlier_as_its_table_says() -> None:
    clocks = knowing(Clocks("c", 0, 20), 7, Sample(0, 0, 0, 0))
    assert moment_of(clocks, "T1", "b", 100).low_ns == 80  # the house's own least
    assert moment_of(clocks, "T1", "b", 100, early_ns=60).low_ns == 40


def test_without_samples_a_stamp_has_no_place() -> None:
    assert moment_of(Clocks("c", PPM, 0), "T1", "b", 5) == Moment("b", 5)


def test_samples_that_contradict_one_another_place_nothing() -> None:
    clocks = knowing(Clocks("c", 0, 0), 0, Sample(0, 0, 0, 0))
    clocks.learn("T1", "b", 0, Sample(50, 10, 10, 50))
    assert interval_of(clocks.of_table("T1")[0], 10, 0) is None
    assert not moment_of(clocks, "T1", "b", 10).controller


def test_a_sample_in_which_the_table_held_longer_than_the_controller_waited_is_left_out() -> None:
    assert knowing(Clocks("c", 0, 0), 0, Sample(0, 0, 11, 10)).of_table("T1") == ()


def test_former_boots_of_a_table_are_remembered_and_limited() -> None:
    clocks = Clocks("c", 0, 0)
    for number in range(BOOTS_MAX + 2):
        clocks.learn("T1", f"b{number}", 0, Sample(0, 0, 0, 0))
    assert [one.boot for one in clocks.of_table("T1")] == [f"b{number}" for number in range(2, BOOTS_MAX + 2)]


def test_another_boot_of_the_controller_begins_without_samples() -> None:
    clocks = knowing(Clocks("c", 0, 0), 0, Sample(0, 0, 0, 0))
    clocks.begin("c")
    assert moment_of(clocks, "T1", "b", 5).controller == "c"
    clocks.begin("d")
    assert not moment_of(clocks, "T1", "b", 5).controller


def test_intervals_that_touch_are_not_told_apart() -> None:
    early, touching, late = (Moment(name, 0, 0, "c", low, low + 10) for name, low in (("a", 0), ("b", 10), ("d", 11)))
    assert order_of(early, touching) is order_of(touching, early) is Order.UNDETERMINED
    assert (order_of(early, late), order_of(late, early)) == (Order.BEFORE, Order.AFTER)
    assert order_of(early, replace(late, controller="another boot")) is Order.UNDETERMINED
