"""When the clock was last set right, judged by the file that the time daemon touches."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from felt.host.clock_status import HOUR_NS, TRACE, clock_trouble

NOW_NS = 500_000 * HOUR_NS


@pytest.mark.parametrize(
    ("hours", "trouble"), [(0, ""), (23, ""), (24, "the clock was last synchronised 24 hours ago"), (-5, "")]
)
def test_a_day_without_the_right_time_is_too_long(tmp_path: Path, hours: int, trouble: str) -> None:
    trace = tmp_path / TRACE
    trace.parent.mkdir(parents=True)
    trace.touch()
    os.utime(trace, ns=(NOW_NS - hours * HOUR_NS, NOW_NS - hours * HOUR_NS))
    assert clock_trouble(NOW_NS, tmp_path) == trouble


def test_a_daemon_that_never_reached_its_server_is_reported(tmp_path: Path) -> None:
    (tmp_path / TRACE).parent.mkdir(parents=True)
    assert clock_trouble(NOW_NS, tmp_path) == "the clock was not synchronised since the box started"


def test_a_box_whose_daemon_leaves_no_trace_is_not_judged(tmp_path: Path) -> None:
    assert clock_trouble(NOW_NS, tmp_path) == ""
