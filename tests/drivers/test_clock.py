from __future__ import annotations

import re

import pytest

from felt.drivers.clock import SystemClock
from felt.nouns.stamps import Stamp
from felt.ports import Clock
from felt.virtual.clock import VirtualClock


@pytest.mark.parametrize("clock", [SystemClock(), VirtualClock()])
def test_stamps_of_one_boot_share_its_name_and_never_run_backwards(clock: Clock) -> None:
    stamps = [clock.stamp() for _ in range(100)]
    assert len({stamp.boot for stamp in stamps}) == 1
    assert re.fullmatch("[0-9a-f]{8}", stamps[0].boot)
    assert [stamp.mono_ns for stamp in stamps] == sorted(stamp.mono_ns for stamp in stamps)


def test_two_runs_of_the_program_are_two_boots() -> None:
    assert SystemClock().stamp().boot != SystemClock().stamp().boot


def test_a_virtual_clock_moves_only_when_it_is_told_to() -> None:
    clock = VirtualClock(wall_ns=1_000)
    clock.advance(50)
    clock.advance_to(70)
    clock.advance_to(10)
    assert clock.stamp() == Stamp(clock.stamp().boot, 70, 1_070)
    assert clock.now_ns() == 70


def test_the_wall_clock_can_step_back_while_monotonic_time_goes_on() -> None:
    clock = VirtualClock(wall_ns=1_000)
    clock.step_wall(-400)
    clock.advance(1)
    assert clock.stamp() == Stamp(clock.stamp().boot, 1, 601)


def test_monotonic_time_restarts_with_a_new_boot() -> None:
    clock = VirtualClock(mono_ns=9, wall_ns=1_000)
    clock.reboot("0000beef", off_ns=500)
    assert clock.stamp() == Stamp("0000beef", 0, 1_500)
