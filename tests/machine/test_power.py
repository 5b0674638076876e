"""Power cuts in the middle of play: whatever had left the machine is still true after each. A disk may lose what was
written after its last flush, and a machine loses what it never gave to its disk: both are cut here. A machine whose
syncs do nothing must fail, or these tests could not."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import pytest

from tests.machine.site import Site
from tests.machine.witness import Witness, disagreements
from tools.machine import crash, qemu

PLUGS, PLUGS_LONG = 20, 50
POINTS, POINTS_LONG = 30, 60
PLAYED_S, CONTROL_S = 90.0, 25.0
NO_SYNC = """
int fsync(int f) { (void)f; return 0; }
int fdatasync(int f) { (void)f; return 0; }
int syncfs(int f) { (void)f; return 0; }
void sync(void) {}
"""
PRELOADED = "[Service]\nEnvironment=LD_PRELOAD=/opt/machine/nosync.so\n"
DROP_IN = "/etc/systemd/system/felt.service.d/nosync.conf"
PHASES = ("CLOSED", "IDLE", "BETTING", "LOCKING", "DEALING", "DECIDING", "REVEALING", "SETTLING", "VERIFYING", "PAYING")


@pytest.fixture
def playing(site: Site) -> Site:
    """A machine that was switched off in good order, and stands again, linked and ready, afterwards."""
    if not site.machine.runs():
        site.boot()
        site.until_ready()
    return site


def play_for(site: Site, seconds: float, witness: Witness) -> None:
    site.dealer.on_status = witness.note
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        site.dealer.step()


def journal_of(site: Site, name: str) -> crash.Found:
    """Of a machine that is off."""
    return crash.Found(crash.journal_on(site.disk, site.folder / name))


def test_whatever_had_left_is_true_after_each_pulled_plug(playing: Site, long: bool) -> None:
    site, chance = playing, random.Random(7)
    for number in range(PLUGS_LONG if long else PLUGS):
        witness = Witness(site)
        play_for(site, chance.uniform(1.0, 9.0), witness)
        site.cut()
        found = journal_of(site, "pulled")
        problems = disagreements(found, witness.answers, site.house.controller.letters())
        was = witness.last
        print(f"cut {number + 1}: {was['phase']}, round {was['round']}, record {was['journal']}: {problems or 'good'}")
        assert problems == []
        site.boot()
        site.until_ready()
        after = site.desk.ask("status")
        assert (after["rounds"], after["round"]) >= (was["rounds"], was["round"])
        phase = after["phase"]
        if phase == "INTERRUPTED":  # the question names the phase in which play stood
            asked = site.desk.ask("questions")["questions"]
            (phase,) = [question["statement"]["phase"] for question in asked if question["statement"]]
        if after["rounds"] == was["rounds"] and {phase, was["phase"]} <= set(PHASES):
            assert PHASES.index(phase) >= PHASES.index(was["phase"]), f"{was['phase']} became {phase}"
    site.dealer.play_rounds(1)
    letters = site.house.controller.letters()
    assert len({sequence for sequence, _, _ in letters}) == len(letters), "none is doubled"
    site.desk.until("status", lambda status: status["mail"] == 0)
    audited = site.machine.run("systemctl start felt-audit && systemctl show -p Result felt-audit", 300)
    assert "Result=success" in audited


def logged_run(site: Site, seconds: float) -> tuple[Witness, Path, Path, int]:
    """Plays on a disk whose every write is logged. Where play began in the log; and the disk as it was before."""
    before = qemu.copy_disk(site.disk, site.folder / "before.img")
    log = site.folder / "writes.log"
    site.boot_logged(log)
    site.until_ready()
    began = log.stat().st_size
    witness = Witness(site, log)
    play_for(site, seconds, witness)
    site.cut()
    return witness, log, before, began


def broken_points(site: Site, seconds: float, points: int) -> list[str]:
    """What the disk contradicts at so many flushes of one run: at each, what left before the next flush ended."""
    witness, log, disk, began = logged_run(site, seconds)
    flushes = [entry.end for entry in crash.entries(log) if entry.is_flush and entry.end > began]
    letters = site.house.controller.letters()
    chosen = sorted(random.Random(11).sample(range(len(flushes) - 1), min(points, len(flushes) - 1)))
    print(f"{len(flushes)} flushes, {len(witness.answers)} answers, {len(letters)} letters; {len(chosen)} points")
    replayed, problems = crash.Replayed(disk, log), []
    for place in chosen:
        replayed.go_to(flushes[place])
        found = crash.Found(crash.journal_on(disk, site.folder / "point"))
        left = [answer for answer in witness.answers if answer.position < flushes[place + 1]]
        problems += [f"flush {place}: {problem}" for problem in disagreements(found, left, letters)]
    return problems


def test_whatever_had_left_is_on_the_disk_at_each_flush(playing: Site, long: bool) -> None:
    site = playing
    site.turn_off()
    assert broken_points(site, PLAYED_S, POINTS_LONG if long else POINTS) == []
    site.boot()
    site.until_ready()
    site.dealer.play_rounds(1)


def test_the_same_cuts_break_a_table_whose_syncs_do_nothing(playing: Site) -> None:
    site = playing
    source, library = site.folder / "nosync.c", site.folder / "nosync.so"
    source.write_text(NO_SYNC)
    subprocess.run(["gcc", "-shared", "-fPIC", "-O", "-o", library, source], check=True)
    site.machine.write("/opt/machine/nosync.so", library.read_bytes(), 0o755)
    site.machine.write(DROP_IN, PRELOADED)
    site.turn_off()
    assert broken_points(site, CONTROL_S, POINTS), "the control must fail"
