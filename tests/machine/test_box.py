"""Felt's package on a Debian that has never seen it: installed, started, played, unplugged, killed, hung."""

from __future__ import annotations

import re
import time

import pytest

from tests.machine.site import Site
from tools.machine.people import Terminal

READY_S = 120.0


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


def test_a_jackpot_is_confirmed_by_two_persons_at_the_serial_console(site: Site) -> None:
    terminal = Terminal(site.machine)
    try:
        terminal.sign_in()
        for _ in range(30):
            status = site.desk.ask("status")
            if status["phase"] == "VERIFYING":
                break
            site.dealer.step()
        assert status["phase"] == "VERIFYING", "one deal in four is a royal flush"
        site.desk.until("round", lambda answer: all(claim["value_micro"] for claim in answer["round"]["claims"]))
        terminal.ask("confirm")
        site.desk.until("status", lambda status: status["phase"] != "VERIFYING")
        assert site.desk.ask("status")["phase"] == "PAYING"
    finally:
        terminal.close()
    site.dealer.play_rounds(1)
    assert [kind for _, kind, _ in site.house.controller.letters()].count("ClaimConfirmed") >= 1


def test_a_shuffler_that_is_unplugged_is_a_fault_and_back_when_it_is_plugged(site: Site) -> None:
    site.shuffler.unplug()
    site.desk.until("status", lambda status: "F-201" in [alert["code"] for alert in status["alerts"]])
    site.shuffler.plug(site.machine)
    site.desk.until("status", lambda status: status["shuffler"])
    site.dealer.play_rounds(1)


@pytest.mark.parametrize("blow", ["KILL", "STOP"])
def test_a_table_that_is_killed_or_hangs_is_started_again_and_knows_its_round(site: Site, blow: str) -> None:
    while site.desk.ask("status")["phase"] != "BETTING":
        site.dealer.step()
    before = site.desk.ask("status")
    pid = site.machine.run("systemctl show -P MainPID felt").strip()
    site.machine.run(f"kill -{blow} {pid}")
    deadline = time.monotonic() + READY_S
    while site.machine.run("systemctl show -P MainPID felt").strip() in (pid, "0"):
        assert time.monotonic() < deadline, "nobody started it again"
        time.sleep(0.5)
    site.until_ready()
    after = site.desk.ask("status")
    assert after["journal"] >= before["journal"]
    assert (after["rounds"], after["round"]) == (before["rounds"], before["round"])
    site.dealer.play_rounds(1)


def test_the_log_holds_no_traceback(site: Site) -> None:
    said = site.machine.run("journalctl -b -o cat --no-pager -u 'felt*'", 60)
    assert "Traceback" not in said
    assert not re.search(r"F-(103|111|401|405|701)", said)
