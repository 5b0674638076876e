"""Storms over whole houses: no seed may find a violation, and every planted mistake must be found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from felt.stories.evening import Evening
from felt.table.state import Phase
from tests.house.tree import ROOT
from tests.storm import sums, telling
from tests.storm.mistakes import Mistake
from tests.storm.plan import plan_of
from tests.storm.planted import (
    PLANTED,
    cards_on_the_screen,
    contribution_forgotten,
    lamps_left_as_they_were,
    refused_without_a_reason,
    settled_twice,
    void_is_not_told,
    write_without_sync,
)
from tests.storm.planted_at_controller import fractions_of_a_cent_lost
from tests.storm.planted_at_table import (
    another_value_registered,
    closed_coin_spot_counts,
    dealer_taken_for_the_first_box,
    refusal_answered_as_done,
    void_confiscates_bets,
)
from tests.storm.planting import WITHIN_SEEDS, seeds_until_found
from tests.storm.shrinking import say, shrunk
from tests.storm.storm import KINDS, NOTHING, Found, play, play_plan

BLOCKS = 5
SEEDS_A_FULL_BLOCK, FULL_ROUNDS = 120, 12
# A quick run plays these, which are found within seconds. --full and tools/storm --planted play all.
SAMPLED = (
    write_without_sync, contribution_forgotten, void_is_not_told, lamps_left_as_they_were, refused_without_a_reason,
    settled_twice, cards_on_the_screen, fractions_of_a_cent_lost, closed_coin_spot_counts, another_value_registered,
    dealer_taken_for_the_first_box, refusal_answered_as_done, void_confiscates_bets,
)  # fmt: skip


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_storm_finds_a_violation(block: int, full: bool) -> None:
    """A quick run plays the same evenings as `tools/storm --smoke`."""
    seeds = SEEDS_A_FULL_BLOCK if full else telling.SMOKE_SEEDS // BLOCKS
    total = NOTHING
    for seed in range(block * seeds, (block + 1) * seeds):
        total = total.plus(play(seed, FULL_ROUNDS if full else telling.SMOKE_ROUNDS))
    assert total.settled > total.seeds, "most evenings have rounds that are played to their end"
    assert total.boots > total.tables, "tables are started again"
    assert len(total.fired) > 10, "many kinds of weather were seen"
    assert total.boxes >= 3 * total.rounds, "most boxes are played"


def test_a_calm_evening_pays_jackpots_and_has_no_faults() -> None:
    total = play(6, 4, calm=True)
    assert total.jackpots > 0
    assert total.voided <= total.tables, "at most the round that was opened and not bet on when the evening ended"
    assert total.boots == total.tables
    assert not total.fired
    assert not total.faults


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
    command = [sys.executable, str(ROOT / "tools" / "storm"), "--seed", str(seed), "--rounds", "2", "--digest"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_one_seed_is_one_evening_whatever_the_hash_seed() -> None:
    """Several tables, a controller and everything between them."""
    assert len(plan_of(4, 2, KINDS).tables) > 1
    assert digest_of(4, "0") == digest_of(4, "4711") == play(4, 2).digest


def test_two_seeds_are_two_evenings() -> None:
    assert play(2, 1).digest != play(7, 1).digest


def test_a_story_changes_nothing_about_its_evening() -> None:
    told = play(2, 2, telling=True)
    assert told.digest == play(2, 2).digest
    assert any("key.no_more_bets" in line for line in told.story)


def first_found(seeds: int, *, lies: bool = False, outside: bool = False) -> Found:
    for seed in range(seeds):
        try:
            play_plan(plan_of(seed, 4, KINDS, wild=True)._replace(lies=lies, outside=outside))
        except Found as found:
            return found
    raise AssertionError(f"nothing was found in {seeds} seeds")


def test_a_disk_that_lies_about_syncing_is_found_by_replay() -> None:
    first_found(2, lies=True)


def test_a_disk_that_lies_about_syncing_is_found_by_what_leaves_the_table_alone() -> None:
    first_found(10, lies=True, outside=True)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "mistake" in metafunc.fixturenames:
        full = metafunc.config.getoption("--full")
        planted = [mistake for mistake in PLANTED if full or mistake.plant in SAMPLED]
        metafunc.parametrize("mistake", planted, ids=lambda mistake: mistake.plant.__name__)


@pytest.mark.timeout(900)
def test_a_planted_mistake_is_found_for_what_it_is(mistake: Mistake) -> None:
    tried, _ = seeds_until_found(mistake)
    assert tried <= WITHIN_SEEDS


def test_at_least_twenty_different_mistakes_are_planted() -> None:
    assert len({mistake.plant for mistake in PLANTED}) == len(PLANTED) >= 20


@pytest.mark.parametrize("any_mistake", PLANTED, ids=lambda mistake: mistake.plant.__name__)
def test_every_mistake_can_still_be_planted(any_mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample above plays a few mistakes. Renaming a part of the product must break every mistake that patches
    it."""
    any_mistake.plant(monkeypatch)


def test_a_failure_is_made_smaller_and_told_and_can_be_played_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    void_is_not_told(monkeypatch)
    found = first_found(5)
    assert len(found.plan.tables) > 1
    small = shrunk(found, patience_s=600, tries_max=8)
    assert (len(small.plan.tables), small.plan.rounds) < (len(found.plan.tables), found.plan.rounds)
    assert any("journal" in line for line in small.story)
    assert telling.main(say(small.plan).split()) == 1
    assert small.problem in capsys.readouterr().out


def test_the_tool_names_the_seed_of_a_violation_and_its_exit_status_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    void_is_not_told(monkeypatch)
    assert telling.main(["--seeds", "9", "--rounds", "4", "--wild", "--shrink-s", "0"]) == 1
    said = capsys.readouterr().out
    assert "VIOLATION: seed " in said
    assert "The smallest evening known to fail: tools/storm --seed " in said


def test_a_long_run_goes_on_where_it_was(tmp_path: Path) -> None:
    log = tmp_path / "sums.json"
    run = ["--rounds", "1", "--calm", "--log", str(log)]
    assert telling.main([*run, "--seeds", "2"]) == 0
    versions = sums.versions_of(ROOT)
    first, half, _ = sums.read(log, versions.firmware)
    assert (first, half.seeds) == (2, 2)
    assert telling.main([*run, "--rounds-in-all", str(half.rounds + 1)]) == 0
    after, whole, by_simulator = sums.read(log, versions.firmware)
    assert (after, whole.seeds) == (3, 3)
    assert whole.rounds > half.rounds
    assert whole.cells >= half.cells
    assert by_simulator == ((versions.simulator, whole.rounds),)


def test_sums_of_another_firmware_do_not_count_and_what_holds_no_sums_is_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "sums.json"
    versions = sums.versions_of(ROOT)
    sums.write(log, versions, sums.Kept(), 5, NOTHING._replace(rounds=60))
    assert sums.read(log, versions.firmware).total.rounds == 60
    assert sums.read(log, "another") == sums.Kept()
    kept = sums.read(log, versions.firmware)
    sums.write(log, versions._replace(simulator="newer"), kept, 6, NOTHING._replace(rounds=70))
    assert sums.read(log, versions.firmware).by_simulator == ((versions.simulator, 60), ("newer", 10))
    log.write_text("[1]", encoding="utf-8")
    with pytest.raises(SystemExit, match="holds no sums of a storm: name another file"):
        telling.main(["--seeds", "1", "--log", str(log)])
    assert log.read_text(encoding="utf-8") == "[1]"
