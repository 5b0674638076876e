"""The units under a running systemd: what they start, what they forbid, and what happens when the controller dies or
hangs. The software is this checkout's, on this host's own system under a layer of memory."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.real.debian_root import DebianRoot, debian_root
from tests.real.killable import FIRMWARE

ROOT = FIRMWARE.parent
PATIENCE_S = 60.0
NEEDED = ("gpiozero", "colorzero", "serial", "transitions", "six", "msgspec", "paho")
LAUNCHER = """#!/bin/sh
exec env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=/opt/felt/site {python} -m felt.cli "$@"
"""
JACKPOT = """
[controller]
metrics_port = 0
ledger = "/var/lib/felt-jackpot/ledger"
control = "/run/felt-jackpot/control"
[tables.T1]
[meters.major]
reset_minor = 5000000
rate_bp = 2000
"""
IMPATIENT = "[Service]\nWatchdogSec=5\nRestartSec=100ms\n"

pytestmark = pytest.mark.timeout(300)


def until(truth: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not truth():
        assert time.monotonic() < deadline, f"it did not happen: {what}"
        time.sleep(0.1)


class Box:
    def __init__(self, root: DebianRoot) -> None:
        self.root = root
        self._install_software()
        systemd = ROOT / "systemd"
        for unit in (*systemd.glob("*.service"), *systemd.glob("*.timer")):
            shutil.copy(unit, root.path("/etc/systemd/system"))
        for folder in ("sysusers.d", "tmpfiles.d"):
            shutil.copy(systemd / folder / "felt.conf", root.path(f"/usr/lib/{folder}"))
        self.put("/etc/systemd/system/felt.service.d/impatient.conf", IMPATIENT)
        places = '[journal]\nfolder = "/var/lib/felt/journal"\n[jackpot]\nledger = "/var/lib/felt/jackpot.ledger"\n'
        self.put("/etc/felt/table.toml", places + '[desk]\nsocket = "/run/felt/desk"\n')
        self.put("/etc/felt/jackpot.toml", JACKPOT)
        root.good("mount", "--make-rshared", "/")  # as on any box; credentials reach a service by it
        root.good("systemd-sysusers")
        root.good("systemd-tmpfiles", "--create", "felt.conf")
        root.good("systemctl", "daemon-reload")

    def _install_software(self) -> None:
        site = self.root.path("/opt/felt/site")
        site.mkdir(parents=True)
        # Without the bytecode of the tests' own Python: the box may have another patch level, and an audit would report
        # it.
        only_sources = shutil.ignore_patterns("__pycache__")
        shutil.copytree(FIRMWARE / "felt", site / "felt", ignore=only_sources)
        for name in NEEDED:
            found = importlib.util.find_spec(name)
            assert found is not None, f"{name} is not installed here"
            if found.submodule_search_locations:
                shutil.copytree(found.submodule_search_locations[0], site / name, ignore=only_sources)
            else:
                shutil.copy2(str(found.origin), site)
        self.put("/opt/felt/bin/felt", LAUNCHER.format(python=self._python()))
        self.root.path("/opt/felt/bin/felt").chmod(0o755)

    def _python(self) -> str:
        """The system's Python if this host has packages for its version. Otherwise this one, from a place that no
        unit's ProtectHome hides."""
        name = f"python3.{sys.version_info.minor}"
        if Path(f"/usr/bin/{name}").exists():
            return f"/usr/bin/{name}"
        self.root.path("/opt/python").mkdir()
        self.root.good("mount", "--bind", sys.base_prefix, "/opt/python")
        return f"/opt/python/bin/{name}"

    def put(self, inside: str, text: str) -> None:
        self.root.path(inside).parent.mkdir(parents=True, exist_ok=True)
        self.root.path(inside).write_text(text)

    def shows(self, unit: str, key: str) -> str:
        return self.root.good("systemctl", "show", "--value", "-p", key, unit).strip()

    def said(self, unit: str) -> str:
        return self.root.good("journalctl", "--no-pager", "-o", "cat", "-u", unit)


@pytest.fixture
def box() -> Iterator[Box]:
    if os.geteuid() != 0:
        pytest.skip("a systemd of its own needs root: sudo tools/test tests/real/test_units_in_service.py")
    with debian_root(Path("/")) as root:
        yield Box(root)


def test_the_units_serve_a_table_through_death_and_hanging_and_keep_its_secrets(box: Box) -> None:
    root = box.root
    root.good("/opt/felt/bin/felt", "verify", "--new-key", "/etc/credstore/felt.journal.key")
    root.good("systemctl", "start", "felt")
    assert root.path("/run/felt/desk").is_socket()
    _it_comes_back_after_a_kill_and_after_hanging(box)
    _it_is_audited(box)
    _screens_that_are_not_there_are_passed_over(box)
    _a_jackpot_controller_gets_its_keys(box)
    root.good("systemctl", "stop", "felt", "felt-jackpot")
    assert box.shows("felt", "Result") == "success"
    assert "felt.service" not in root.run("systemctl", "--failed", "--no-legend").stdout


def _it_comes_back_after_a_kill_and_after_hanging(box: Box) -> None:
    for number, signal in enumerate(("KILL", "STOP"), start=1):
        box.root.good("systemctl", "kill", "--kill-whom=main", "-s", signal, "felt")
        until(partial(_is_back, box, number), f"it is started again after SIG{signal}")
        assert box.said("felt").count("felt safe-outputs: ") >= number


def _is_back(box: Box, starts: int) -> bool:
    return int(box.shows("felt", "NRestarts")) >= starts and box.shows("felt", "ActiveState") == "active"


def _it_is_audited(box: Box) -> None:
    assert box.root.run("systemctl", "start", "felt-audit").returncode == 0, box.said("felt-audit")
    assert "felt audit: good" in box.said("felt-audit")
    assert box.root.path("/var/lib/felt/audit/result.json").is_file()


def _screens_that_are_not_there_are_passed_over(box: Box) -> None:
    if box.root.run("/opt/felt/bin/felt", "screens", "--help").returncode == 0:
        return  # this version has them
    box.root.good("systemctl", "start", "felt-screens")
    assert (box.shows("felt-screens", "ActiveState"), box.shows("felt-screens", "NRestarts")) == ("inactive", "0")


def _a_jackpot_controller_gets_its_keys(box: Box) -> None:
    root, config = box.root, ("--config", "/etc/felt/jackpot.toml")
    root.good("/opt/felt/bin/felt", "jackpot", "provision", "T1", *config, "--to", "/var/tmp/link-T1")
    assert root.run("systemctl", "start", "felt-jackpot").returncode == 0, box.said("felt-jackpot")
    assert "table T1" in root.good("/opt/felt/bin/felt", "jackpot", "status", *config)
    root.good("systemctl", "reload", "felt-jackpot")
    until(lambda: "The keys were read again" in box.said("felt-jackpot"), "keys are read again at a reload")
    (key,) = root.path("/run/credentials/felt.service").iterdir()
    assert (key.name, key.stat().st_mode & 0o777) == ("journal.key", 0o400)
    assert {credential.name for credential in root.path("/run/credentials/felt-jackpot.service").iterdir()} == {
        "link_ledger.key", "link_sign.keys", "link_table-T1.keys",
    }  # fmt: skip
