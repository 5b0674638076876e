"""What may befall a box in service: a disk that fills, a file system that turns read-only, a clock that steps, a kernel
that hangs, an upgrade at the wrong moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.machine.site import Site
from tests.real.packages import NEXT, copy_with_version
from tools.machine import house

FILLER = "/var/tmp/filler"
MEGABYTE = 1024 * 1024


@pytest.fixture
def idle(site: Site) -> Site:
    if site.desk.ask("status")["phase"] != "IDLE":
        site.dealer.play_rounds(1)
    return site


def standing(site: Site) -> set[str]:
    return {alert["code"] for alert in site.desk.ask("faults")["alerts"] if not alert["passed"]}


def leave_free(site: Site, megabytes: int) -> None:
    free = int(site.machine.run(f"rm -f {FILLER}; sync; df --output=avail -B1 /var/tmp | tail -1"))
    site.machine.run(f"fallocate -l {free - megabytes * MEGABYTE} {FILLER} && chown felt {FILLER}")


def back_in_service(site: Site) -> None:
    def is_back(_: dict[str, Any]) -> bool:
        site.desk.order("BackInServiceOrdered")
        return bool(site.desk.ask("status")["service"] == "IN_SERVICE")

    site.desk.until("status", is_back)


def test_a_disk_that_fills_slowly_warns_then_stops_and_is_well_when_there_is_room(idle: Site) -> None:
    leave_free(idle, 200)
    idle.desk.until("status", lambda _: "F-406" in standing(idle))
    idle.dealer.play_rounds(1)
    leave_free(idle, 30)
    idle.desk.until("status", lambda _: "F-407" in standing(idle))
    idle.pins.press("open")
    assert idle.desk.ask("status")["phase"] in ("IDLE", "CLOSED")
    idle.machine.run(f"rm {FILLER}")
    idle.desk.until("status", lambda _: not standing(idle) & {"F-406", "F-407"})
    back_in_service(idle)
    idle.dealer.play_rounds(1)


def test_a_round_in_play_is_finished_on_a_disk_that_is_full_at_once(idle: Site) -> None:
    while idle.desk.ask("status")["phase"] != "BETTING":
        idle.dealer.step()
    leave_free(idle, 20)
    before = idle.desk.ask("status")["rounds"]
    while idle.desk.ask("status")["rounds"] == before:
        idle.dealer.step()
    idle.desk.until("status", lambda _: "F-407" in standing(idle))
    idle.machine.run(f"rm {FILLER}")
    idle.desk.until("status", lambda _: not standing(idle) & {"F-406", "F-407"})
    back_in_service(idle)


def test_a_file_system_that_turns_read_only_stops_the_table_which_returns_with_its_round(idle: Site) -> None:
    while idle.desk.ask("status")["phase"] != "BETTING":
        idle.dealer.step()
    before = idle.desk.ask("status")
    idle.machine.run("sync; echo u >/proc/sysrq-trigger; sleep 2")
    idle.pins.press("no_more_bets")  # it must be written, and cannot
    wanted = "until [ $(systemctl show -P NRestarts felt) -gt 0 ] || ! systemctl is-active -q felt; do sleep 1; done"
    idle.machine.run(f"timeout 60 sh -c '{wanted}'", 90)
    idle.machine.run("mount -o remount,rw /")
    idle.until_ready()
    after = idle.desk.ask("status")
    assert (after["round"], after["rounds"]) == (before["round"], before["rounds"])
    assert after["journal"] >= before["journal"]
    idle.dealer.play_rounds(1)


@pytest.mark.parametrize("step", ["+1 hour", "-1 hour"])
def test_a_clock_that_steps_is_noted_and_play_goes_on(idle: Site, step: str) -> None:
    idle.machine.run(f"date -s '{step}'")
    idle.desk.until("panel", lambda panel: any("wall clock stepped" in note["sentence"] for note in panel["notices"]))
    idle.dealer.play_rounds(1)


def test_a_kernel_that_hangs_is_reset_by_the_hardware_watchdog(idle: Site) -> None:
    assert idle.machine.run("systemctl show -P RuntimeWatchdogUSec").strip() not in ("0", "infinity")
    before = idle.desk.ask("status")
    idle.machine.forget_boot()
    idle.machine.send("sysctl -w kernel.panic=0; echo c >/proc/sysrq-trigger")
    idle.machine.until_up()
    idle.pins.as_they_lie()
    idle.until_ready()
    after = idle.desk.ask("status")
    assert (after["rounds"], after["phase"]) == (before["rounds"], before["phase"])
    idle.dealer.play_rounds(1)


def test_an_upgrade_is_refused_in_a_round_and_done_between_rounds_and_taken_back(idle: Site, tmp_path: Path) -> None:
    later = tmp_path / "later"
    copy_with_version(later, NEXT)
    deb = house.package(later)
    for suffix in ("", ".sig"):
        for file in (deb, deb.with_suffix(".statement.txt")):
            name = f"{file.name}{suffix}"
            idle.machine.write(f"/var/tmp/parcel/{name}", (deb.parent / name).read_bytes())
    while idle.desk.ask("status")["phase"] != "BETTING":
        idle.dealer.step()
    status, said = idle.machine.try_run(f"felt-package install /var/tmp/parcel/{deb.name}", 300)
    assert status != 0
    assert "F-404: round" in said
    assert idle.desk.ask("status")["phase"] == "BETTING", "the old version plays on"
    idle.dealer.play_rounds(1)
    for command in (f"felt-package install /var/tmp/parcel/{deb.name}", "felt-package rollback"):
        idle.machine.run(command, 600)
        idle.until_ready()
        idle.dealer.play_rounds(1)
    assert "every file" in idle.machine.run("felt-package audit")
