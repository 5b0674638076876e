"""`tools/load` as people call it. A person judges the speed; the tool itself checks that every answered letter is in
the ledger."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LOAD = Path(__file__).resolve().parents[2] / "tools" / "load"


def load(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, LOAD, *words],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


def test_a_small_load_is_answered_and_counted_and_its_bottleneck_is_named(tmp_path: Path) -> None:
    done = load("--quick", "--folder", str(tmp_path))
    assert done.returncode == 0, done.stderr
    heading, figures = done.stdout.splitlines()[1:]
    assert heading.split()[:3] == ["tables", "letters/s", "rounds/s"]
    assert int(figures.split()[0]) == 4
    assert int(figures.split()[1]) > 0
    assert "controller" in figures


@pytest.mark.parametrize("words", [("--tables", "0"), ("--tables", "many"), ("--seconds", "1000")])
def test_a_load_without_bounds_is_refused_in_a_sentence(words: tuple[str, str]) -> None:
    done = load(*words)
    assert done.returncode == 2
    assert "is no number of" in done.stderr


def test_help_shows_an_example() -> None:
    assert "tools/load --tables 10 100 1000 3000 --database postgresql" in load("--help").stdout
