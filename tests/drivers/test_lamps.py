from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import combinations

import pytest

from felt.drivers.lamps import PATTERNS, LampScheduler, Pattern, is_lit, next_change_ms

PATIENCE_S = 10.0


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


def rhythm(pattern: Pattern) -> tuple[int, ...]:
    """Lit and dark stretches in turn, begun where a person would: every start of the cycle is the same rhythm."""
    whole = [is_lit(pattern, ms) for ms in range(sum(phase.ms for phase in pattern))]
    if len(set(whole)) == 1:
        return (1,) if whole[0] else (0,)
    stretches: list[int] = []
    begin = next(ms for ms in range(len(whole)) if whole[ms] and not whole[ms - 1])
    turned = whole[begin:] + whole[:begin]
    for place, lit in enumerate(turned):
        if place == 0 or lit != turned[place - 1]:
            stretches.append(0)
        stretches[-1] += 1
    return min(tuple(stretches[at:] + stretches[:at]) for at in range(0, len(stretches), 2))


@pytest.mark.parametrize(("one", "other"), list(combinations(sorted(set(PATTERNS) - {"on"}), 2)))
def test_any_two_patterns_of_a_spot_differ_in_rhythm_alone(one: str, other: str) -> None:
    assert rhythm(PATTERNS[one]) != rhythm(PATTERNS[other])


def test_every_pattern_the_table_may_ask_for_is_there() -> None:
    assert set(PATTERNS) == set(
        "off invite seen accepted late removed winner out_of_service fault test on".split()
    )


@pytest.mark.parametrize("name", sorted(PATTERNS))
def test_nothing_changes_before_the_next_change(name: str) -> None:
    pattern = PATTERNS[name]
    elapsed_ms = 0
    for _ in range(20):
        wait_ms = next_change_ms(pattern, elapsed_ms)
        if wait_ms is None:
            assert len({is_lit(pattern, ms) for ms in range(5000)}) == 1
            return
        assert wait_ms > 0
        assert len({is_lit(pattern, elapsed_ms + ms) for ms in range(wait_ms)}) == 1
        elapsed_ms += wait_ms


class Bulbs:
    def __init__(self) -> None:
        self.writes: list[tuple[str, bool, int]] = []
        self.broken = False

    def write(self, lamp: str, lit: bool) -> None:
        self.writes.append((lamp, lit, time.monotonic_ns()))
        if self.broken:
            raise OSError("the expander does not answer")


def scheduler_with(bulbs: Bulbs, *lamps: str) -> LampScheduler:
    scheduler = LampScheduler(lamps, bulbs.write)
    scheduler.start()
    return scheduler


def test_a_steady_lamp_is_written_once() -> None:
    bulbs = Bulbs()
    scheduler = scheduler_with(bulbs, "a", "b")
    scheduler.show({"a": "on"})
    until(lambda: len(bulbs.writes) == 1)
    scheduler.show({"a": "accepted"})
    scheduler.show({"b": "on"})
    until(lambda: len(bulbs.writes) == 2)
    scheduler.stop()
    assert [(lamp, lit) for lamp, lit, _ in bulbs.writes] == [("a", True), ("b", True)]


def test_lamps_set_at_different_instants_to_one_pattern_change_together() -> None:
    bulbs = Bulbs()
    scheduler = scheduler_with(bulbs, "a", "b")
    scheduler.show({"a": "removed"})
    until(lambda: len(bulbs.writes) >= 3)
    scheduler.show({"b": "removed"})
    until(lambda: sum(lamp == "b" for lamp, _, _ in bulbs.writes) >= 4)
    scheduler.stop()
    lamps = [lamp for lamp, _, _ in bulbs.writes]
    since = bulbs.writes[lamps.index("b") + 1 :]
    pairs = list(zip(since[::2], since[1::2], strict=False))
    assert len(pairs) >= 2
    for first, second in pairs:
        assert {first[0], second[0]} == {"a", "b"}
        assert first[1] == second[1]


def test_one_thread_serves_any_number_of_lamps() -> None:
    bulbs = Bulbs()
    before = threading.active_count()
    scheduler = scheduler_with(bulbs, *(f"lamp.{place}" for place in range(40)))
    scheduler.show({f"lamp.{place}": name for place, name in enumerate(list(PATTERNS) * 3)})
    assert threading.active_count() == before + 1
    scheduler.stop()
    assert threading.active_count() == before


def test_a_lamp_that_cannot_be_written_is_told_and_the_thread_goes_on() -> None:
    bulbs = Bulbs()
    scheduler = scheduler_with(bulbs, "a")
    assert scheduler.alive()
    bulbs.broken = True
    scheduler.show({"a": "on"})
    until(lambda: not scheduler.alive())
    bulbs.broken = False
    scheduler.show({"a": "off"})
    until(scheduler.alive)
    scheduler.stop()


def test_blinking_lamps_cost_next_to_nothing() -> None:
    bulbs = Bulbs()
    names = sorted(PATTERNS)
    scheduler = scheduler_with(bulbs, *names)
    scheduler.show({name: name for name in names})
    window_s = 1.0
    cpu_s = time.process_time()
    threading.Event().wait(window_s)
    used = (time.process_time() - cpu_s) / window_s
    scheduler.stop()
    assert bulbs.writes
    assert used < 0.05
