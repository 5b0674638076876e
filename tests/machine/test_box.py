"""Felt's package on a Debian that has never seen it: installed, started, played, unplugged."""

from __future__ import annotations

from tests.machine.site import Site


def test_the_packages_own_rights_and_units_are_there_without_a_reboot(site: Site) -> None:
    assert site.machine.run("cat /proc/sys/kernel/random/boot_id | wc -l").strip() == "1"
    chips = site.machine.run("stat -c '%U:%G %a' /dev/gpiochip*").split("\n")
    assert set(filter(None, chips)) == {"root:gpio 660"}
    assert site.machine.run("systemctl is-enabled felt-audit.timer").strip() == "enabled"
    assert site.machine.run("systemctl is-active felt felt-audit.timer").split() == ["active", "active"]
    assert "every file" in site.machine.run("felt-package audit")
    # A note is allowed: a shuffler that spoke before anybody listened begins in the middle of a frame (F-202).
    assert [alert for alert in site.desk.ask("status")["alerts"] if alert["weight"] != "note"] == []


def test_a_walk_beside_a_running_table_names_the_table_and_not_the_profile(site: Site) -> None:
    status, said = site.machine.try_run("runuser -u felt -- felt pins walk --config /etc/felt/table.toml")
    assert status != 0
    assert "is in use by a running table: systemctl stop felt, then try again" in said


def test_whole_rounds_play_through_the_kernels_pins(site: Site) -> None:
    site.dealer.play_rounds(3)
    assert site.desk.ask("status")["rounds"] >= 3
    site.desk.until("status", lambda status: status["mail"] == 0)
    letters = [kind for _, kind, _ in site.house.controller.letters()]
    assert letters.count("RoundEnded") >= 3


def test_a_shuffler_that_is_unplugged_is_a_fault_and_back_when_it_is_plugged(site: Site) -> None:
    site.shuffler.unplug()
    site.desk.until("status", lambda status: "F-201" in [alert["code"] for alert in status["alerts"]])
    site.shuffler.plug(site.machine)
    site.desk.until("status", lambda status: status["shuffler"])
    site.dealer.play_rounds(1)
