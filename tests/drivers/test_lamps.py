from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import combinations

import pytest

from felt.drivers import lamps
from felt.drivers.lamps import LEAST_MS, PATTERNS, BlinkPhase, LampScheduler, Pattern, is_lit, next_change_ms

PATIENCE_S = 10.0


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


JITTER_MS = 60
GLANCE_MS = 8_000
ALIKE_BY_DESIGN = {frozenset({"on", "accepted"})}


def changes(pattern: Pattern, begin: int, glance_ms: int) -> list[int]:
    """When a lamp changes, from the lighting of its phase `begin` on."""
    instants, elapsed_ms, place = [0], 0, begin
    while elapsed_ms <= glance_ms:
        elapsed_ms += pattern[place % len(pattern)].ms
        instants.append(elapsed_ms)
        place += 1
    return instants


def look_alike(pattern: Pattern, other: Pattern, jitter_ms: int) -> bool:
    """Whether one view could be either pattern. Each change is seen up to `jitter_ms` before or after it happens. The
    two may have begun at any phase and any instant."""
    if len(pattern) == 1 or len(other) == 1:
        return pattern == other
    for begin in (place for place, phase in enumerate(pattern) if phase.lit):
        for begin_other in (place for place, phase in enumerate(other) if phase.lit):
            pairs = zip(changes(pattern, begin, GLANCE_MS), changes(other, begin_other, GLANCE_MS), strict=False)
            apart = [first - second for first, second in pairs]
            # Both may be off by the jitter, either way: their distance varies by up to four times that.
            if max(apart) - min(apart) <= 4 * jitter_ms:
                return True
    return False


@pytest.mark.parametrize(("name", "other"), list(combinations(sorted(PATTERNS), 2)))
def test_any_two_patterns_differ_in_rhythm_alone_even_to_a_hasty_eye(name: str, other: str) -> None:
    alike = look_alike(PATTERNS[name], PATTERNS[other], JITTER_MS)
    assert alike is (frozenset({name, other}) in ALIKE_BY_DESIGN)


def test_the_hasty_eye_does_confuse_what_is_nearly_alike() -> None:
    slow, slower = (BlinkPhase(True, 800), BlinkPhase(False, 800)), (BlinkPhase(True, 820), BlinkPhase(False, 780))
    assert look_alike(slow, slower, JITTER_MS)
    assert not look_alike(slow, slower, jitter_ms=1)


def test_no_phase_is_so_short_that_a_hasty_eye_misses_it_and_nothing_flashes_three_times_a_second() -> None:
    for pattern in PATTERNS.values():
        assert min(phase.ms for phase in pattern) > 2 * JITTER_MS
        flashes = sum(phase.lit for phase in pattern) if len(pattern) > 1 else 0
        assert flashes * 1000 < 3 * sum(phase.ms for phase in pattern)


def test_every_pattern_the_table_may_ask_for_is_there() -> None:
    assert set(PATTERNS) == set(
        "off invite seen accepted late removed winner out_of_service fault test on alarm".split()
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


def test_a_lamp_that_cannot_be_written_is_reported_and_the_thread_goes_on() -> None:
    bulbs = Bulbs()
    scheduler = scheduler_with(bulbs, "a")
    assert scheduler.alive()
    bulbs.broken = True
    scheduler.show({"a": "on"})
    until(lambda: bool(scheduler.problem()))
    assert scheduler.alive()
    bulbs.broken = False
    scheduler.show({"a": "off"})
    until(lambda: not scheduler.problem())
    scheduler.stop()


def test_a_thread_that_does_not_come_back_from_a_bus_is_not_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """It still runs, as far as Python can tell."""
    monkeypatch.setattr(lamps, "SILENT_S", 0.2)
    monkeypatch.setattr(lamps, "BEAT_S", 0.02)
    writing, answers = threading.Event(), threading.Event()

    def write(_: str, __: bool) -> None:
        writing.set()
        answers.wait()

    scheduler = LampScheduler(("a",), write)
    scheduler.start()
    begun_ns = time.monotonic_ns()
    until(lambda: scheduler._beat_ns > begun_ns)  # while idle it shows again and again that it lives
    scheduler.show({"a": "on"})
    assert writing.wait(10)
    until(lambda: not scheduler.alive())
    answers.set()
    until(scheduler.alive)
    scheduler.stop()


def test_an_alarm_sounds_for_a_second_and_a_half_even_if_it_is_called_off_at_once() -> None:
    bulbs = Bulbs()
    scheduler = scheduler_with(bulbs, "buzzer")
    scheduler.show({"buzzer": "alarm"})
    scheduler.show({"buzzer": "off"})
    until(lambda: len(bulbs.writes) == 2)
    scheduler.stop()
    (_, sounds, begun_ns), (_, still_sounds, ended_ns) = bulbs.writes
    assert (sounds, still_sounds) == (True, False)
    assert ended_ns - begun_ns >= 1_500_000_000
    assert LEAST_MS["alarm"] >= 1_500


def test_an_alarm_begins_at_once_whatever_the_other_lamps_do() -> None:
    bulbs = Bulbs()
    scheduler = scheduler_with(bulbs, "buzzer")
    time.sleep(0.05)  # into the cycle of all other patterns
    shown_ns = time.monotonic_ns()
    scheduler.show({"buzzer": "alarm"})
    until(lambda: bool(bulbs.writes))
    scheduler.stop()
    assert bulbs.writes[0][1] is True
    assert bulbs.writes[0][2] - shown_ns < 200_000_000


def test_the_thread_sleeps_while_nothing_changes() -> None:
    bulbs = Bulbs()
    scheduler = scheduler_with(bulbs, "a", "b")
    scheduler.show({"a": "on", "b": "off"})
    until(lambda: len(bulbs.writes) == 1)
    looks: list[int] = []
    original = scheduler._states
    scheduler._states = lambda elapsed_ms: (looks.append(elapsed_ms), original(elapsed_ms))[1]  # type: ignore[method-assign, func-returns-value]
    time.sleep(0.3)  # longer than any phase
    assert len(looks) <= 1  # it may still be on its way to sleep
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
