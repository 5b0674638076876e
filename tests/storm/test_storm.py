"""Storms over one table: no seed may find a violation, and every planted mistake must be found."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from felt.table.state import Phase
from tests.evening import Evening
from tests.house.tree import ROOT
from tests.storm.planted import PLANTED, Mistake
from tests.storm.storm import NOTHING, Found, play

SEEDS_A_BLOCK, SEEDS_A_FULL_BLOCK = 8, 250
ROUNDS, FULL_ROUNDS = 10, 20
# Every planted mistake is found within this many seeds; most of them in the first three, none later than the tenth.
WITHIN_SEEDS = 25


def first_found(seeds: int, **weather: bool) -> Found:
    for seed in range(seeds):
        try:
            play(seed, 8, **weather)
        except Found as found:
            return found
    raise AssertionError(f"nothing was found in {seeds} seeds")


@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("block", range(5))
def test_no_storm_finds_a_violation(block: int, full: bool) -> None:
    seeds = SEEDS_A_FULL_BLOCK if full else SEEDS_A_BLOCK
    total = NOTHING
    for seed in range(block * seeds, (block + 1) * seeds):
        total = total.plus(play(seed, FULL_ROUNDS if full else ROUNDS))
    assert total.settled > total.seeds, "most evenings have rounds that are played to their end"
    assert total.jackpots > 0
    assert total.boots > 2 * total.seeds, "the firmware is started again and again"
    assert len(total.fired) > 10, "many kinds of weather were seen"
    assert total.boxes >= 3 * total.rounds, "most boxes are played"


def test_a_long_evening_fills_several_segments_and_starts_from_the_last() -> None:
    evening = Evening(overrides=("journal.segment_bytes=4096",))
    evening.order("TableOpened", person="supervisor")
    for _ in range(12):
        evening.press("open")
        evening.press("no_more_bets")
        evening.until(lambda: evening.phase is Phase.VOIDING)
        evening.press("settle")
    segments = [name for name in evening.disk.names() if name.startswith("journal-")]
    assert len(segments) > 2
    before = evening.table
    evening.power_cut()
    evening.boot()
    assert (evening.phase, evening.table.tally) == (before.phase, before.tally)


def digest_of(seed: int, hash_seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, str(ROOT / "tools" / "storm"), "--seed", str(seed), "--rounds", "6", "--digest"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("seed", [3, 11])
def test_one_seed_is_one_evening_whatever_the_hash_seed(seed: int) -> None:
    assert digest_of(seed, "0") == digest_of(seed, "1") == digest_of(seed, "4711")


def test_two_seeds_are_two_evenings() -> None:
    assert play(1, 3).digest != play(2, 3).digest


def test_a_story_changes_nothing_about_its_evening() -> None:
    told = play(5, 4, telling=True)
    assert told.digest == play(5, 4).digest
    assert any("key.no_more_bets" in line for line in told.story)


def test_a_disk_that_lies_about_syncing_is_found_by_replay() -> None:
    first_found(1, lie_about_sync=True)


def test_a_disk_that_lies_about_syncing_is_found_by_what_leaves_the_table_alone() -> None:
    first_found(10, lie_about_sync=True, from_outside_only=True)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: mistake.plant.__name__)
def test_a_planted_mistake_is_found_for_what_it_is(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    mistake.plant(monkeypatch)
    found = first_found(WITHIN_SEEDS, wild=True)
    assert any(words in found.problem for words in mistake.found_as), found.problem


def test_the_tool_names_the_seed_of_a_violation_and_its_exit_status_is_one() -> None:
    code = (
        "import runpy, sys, pytest; sys.path[:0] = ['.', 'firmware']; from tests.storm import planted;"
        "planted.void_is_not_told(pytest.MonkeyPatch()); sys.argv = ['storm', '--seeds', '9', '--rounds', '8'];"
        "runpy.run_path('tools/storm', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "VIOLATION: seed " in done.stdout
    assert "tools/storm --seed " in done.stdout
