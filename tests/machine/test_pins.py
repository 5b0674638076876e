"""Pins on a real kernel: the board's contract suite as it stands, edges that come fast, a chip that goes and comes."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.machine.site import Site
from tools.machine import house

ROOT = Path(__file__).resolve().parents[2]
PYTHON = "/opt/felt/python3.11/bin/python3"
# What pytest runs with. Pure Python, so the host's copy runs in the machine.
RUNNER = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
EDGES, EVERY_MS, LINES = 10_000, 1.0, 7
FAST_ENOUGH_MS = 50.0  # from an edge to its callback, the median, under emulation


@pytest.fixture
def stopped(site: Site) -> Iterator[Site]:
    """The table is out of the way, and starts again."""
    if site.desk.ask("status")["phase"] != "IDLE":
        site.dealer.play_rounds(1)
    site.machine.run("systemctl stop felt")
    yield site
    site.pins.as_they_lie()
    site.machine.run("systemctl start felt", 300)
    site.until_ready()


def carry_in(site: Site, *paths: Path) -> None:
    """Files of this clone and of its environment, to /var/tmp/suite."""
    archive = site.folder / "suite.tar.gz"
    words = [word for path in paths for word in ("-C", str(path.parent), path.name)]
    subprocess.run(["tar", "czf", str(archive), "--exclude=__pycache__", *words], check=True)
    site.machine.write("/var/tmp/suite.tar.gz", archive.read_bytes())
    site.machine.run("mkdir -p /var/tmp/suite && tar xzf /var/tmp/suite.tar.gz -C /var/tmp/suite")


def installed(name: str) -> Path:
    found = importlib.util.find_spec(name)
    assert found is not None
    assert found.origin is not None
    file = Path(found.origin)
    return file.parent if file.name == "__init__.py" else file


BOARDS = sorted(path.stem for path in (ROOT / "hw/boards").glob("*.toml"))


@pytest.mark.parametrize("profile", BOARDS)
def test_the_contract_of_every_board_holds_whole_on_real_chips(stopped: Site, profile: str) -> None:
    carry_in(stopped, ROOT / "tests/contract/test_board.py", *map(installed, RUNNER))
    command = (
        f"cd /var/tmp/suite && FELT_BOARD_PROFILE={profile} PYTHONPATH=/var/tmp/suite {PYTHON} -B -m pytest "
        "test_board.py --noconftest -p no:cacheprovider -q -k machine"
    )
    said = stopped.machine.run(command, 300)
    print(said)
    assert " passed" in said
    assert "skipped" not in said


def test_no_edge_is_lost_at_a_thousand_a_second_and_the_stamps_are_the_kernels(stopped: Site) -> None:
    carry_in(stopped, ROOT / "tests/machine/edges_inside.py")
    command = f"cd /var/tmp/suite && {PYTHON} -B edges_inside.py {house.PROFILE} {EDGES} {EVERY_MS} {LINES}"
    found = json.loads(stopped.machine.run(command, 300))
    print(found)
    assert found["heard"] == found["told_by_the_kernel"], "the driver loses nothing that the kernel saw"
    assert (found["driven"], found["lost"], found["out_of_order"]) == (EDGES, 0, 0), "this needs an idle host"
    assert found["stamped_before_the_write"] == 0
    assert found["stamped_long_after_ms_max"] < 1000
    assert found["callback_ms_median"] < FAST_ENOUGH_MS


def test_a_chip_whose_driver_is_unbound_comes_back_without_a_restart(site: Site) -> None:
    if site.desk.ask("status")["phase"] != "IDLE":
        site.dealer.play_rounds(1)
    pid = site.machine.run("systemctl show -P MainPID felt")
    driver, chip = "/sys/bus/platform/drivers/gpio-sim", "gpio-sim.0"
    site.machine.run(f"echo {chip} >{driver}/unbind")
    site.desk.until("status", lambda status: "F-111" in [alert["code"] for alert in status["alerts"]])
    before = float(site.machine.run("ps -o cputimes= -p $(systemctl show -P MainPID felt)"))
    lines = int(site.machine.run("journalctl -u felt -o cat --no-pager | wc -l"))
    time.sleep(10)
    assert float(site.machine.run("ps -o cputimes= -p $(systemctl show -P MainPID felt)")) - before < 5
    assert int(site.machine.run("journalctl -u felt -o cat --no-pager | wc -l")) - lines < 50
    raised = "for pull in /sys/devices/platform/gpio-sim.0/gpiochip*/sim_gpio*/pull; do echo pull-up >$pull; done"
    site.machine.run(f"echo {chip} >{driver}/bind; {raised}")
    site.pins.as_they_lie()
    site.pins.watch_lamps()

    def cleared(status: dict[str, object]) -> bool:
        alerts = site.desk.ask("faults")["alerts"]
        for alert in alerts:
            if alert["code"] == "F-111" and not alert["passed"]:
                site.desk.order("FaultCleared", by="Tess", code=alert["code"], where=alert["where"])
        return not any(alert["code"] == "F-111" and not alert["passed"] for alert in alerts)

    time.sleep(5)
    site.desk.until("status", cleared)
    assert site.desk.order("BackInServiceOrdered") == ""
    assert site.machine.run("systemctl show -P MainPID felt") == pid
    site.dealer.play_rounds(1)
