"""A real controller, and a test in systemd's place that hears every pat. The controller pats in idle turns too. An
unplugged shuffler is a fault, and so is its line's hung thread: the pats go on. If anything else hangs or dies, the
pats stop."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from felt.journal import read_records
from felt.virtual.shuffler import PtyShuffler, ShufflerDevice
from felt.wiring.devices import read_only_disk
from tests.real.killable import FIRMWARE

PATIENCE_S = 30.0
SILENT_S = 1.0  # after this time a thread counts as hung here; a real table waits longer
SILENCE_S = 2 * SILENT_S

# A controller with a planted mistake: while the flag is there, one part of it hangs, or its thread dies.
PROGRAM = f"""
import os, sys, time
import serial
from felt.cli import main
from felt.drivers import lamps, serial_link

part, flag, *words = sys.argv[1:]
serial_link.SILENT_S = lamps.SILENT_S = {SILENT_S}

def planted(owner, name, die=False):
    really = getattr(owner, name)
    def hanging(*given, **more):
        if die and os.path.exists(flag):
            raise SystemExit
        while os.path.exists(flag):
            time.sleep(0.02)
        return really(*given, **more)
    setattr(owner, name, hanging)

planted(*{{
    "reading": (serial.Serial, "read"),
    "reader": (serial.Serial, "read", True),
    "lamps": (lamps.LampScheduler, "_states"),
    "disk": (os, "fdatasync"),
}}.get(part, (os, "getcwd")))
sys.exit(main(words))
"""


class Box:
    """A table controller, its shuffler's cable, and what systemd hears of it."""

    def __init__(self, folder: Path, part: str = "", board: str = "") -> None:
        self.folder = folder
        self.flag = folder / "flag"
        self.shuffler = PtyShuffler(ShufflerDevice(random.Random(1)), folder / "shuffler")
        self.shuffler.plug()
        self.file = folder / "table.toml"
        self.file.write_text(f'[shuffler]\nurl = "{folder / "shuffler"}"\n{board}')
        self._heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._heard.bind(str(folder / "notify"))
        path = os.pathsep.join(part for part in (str(FIRMWARE), os.environ.get("PYTHONPATH")) if part)
        words = [sys.executable, "-c", PROGRAM, part, str(self.flag), "run", "--config", str(self.file)]
        environment = {**os.environ, "PYTHONPATH": path, "NOTIFY_SOCKET": str(folder / "notify")}
        with (folder / "stderr").open("wb") as stderr:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=stderr, env=environment)
        while not self.hears(b"READY=1", 0.5):
            assert self.process.poll() is None, (folder / "stderr").read_text()
        assert self.hears(b"WATCHDOG=1")

    def hears(self, word: bytes, within_s: float = PATIENCE_S) -> bool:
        deadline = time.monotonic() + within_s
        while (left_s := deadline - time.monotonic()) > 0:
            self._heard.settimeout(left_s)
            try:
                if self._heard.recv(100) == word:
                    return True
            except TimeoutError:
                return False
        return False

    def falls_silent(self) -> bool:
        """The pats cease, and stay away for longer than the time between two of them."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if not self.hears(b"WATCHDOG=1", SILENCE_S):
                return True
        return False

    def facts(self) -> str:
        disk = read_only_disk(self.folder / "journal")
        try:
            return "\n".join(record.payload for record in read_records(disk))
        finally:
            disk.close()

    def close(self) -> None:
        self.flag.unlink(missing_ok=True)
        self.process.kill()
        self.process.wait(PATIENCE_S)
        self.shuffler.close()
        self._heard.close()


@pytest.fixture
def box_of(tmp_path: Path) -> Iterator[Callable[..., Box]]:
    boxes: list[Box] = []

    def make(part: str = "", board: str = "") -> Box:
        boxes.append(Box(tmp_path, part, board))
        return boxes[-1]

    yield make
    for box in boxes:
        box.close()


def test_idle_turns_are_patted_for_and_an_unplugged_shuffler_changes_nothing(box_of: Callable[..., Box]) -> None:
    box = box_of()
    box.shuffler.unplug()
    deadline = time.monotonic() + PATIENCE_S
    while '"ShufflerLost"' not in box.facts():
        assert time.monotonic() < deadline, "the fault was never recorded"
        assert box.hears(b"WATCHDOG=1")
    unplugged = time.monotonic()
    while time.monotonic() < unplugged + 2 * SILENT_S:  # a hung thread would have been noticed by then
        assert box.hears(b"WATCHDOG=1")
    box.process.terminate()
    assert box.hears(b"STOPPING=1")
    assert box.process.wait(PATIENCE_S) == 0


THREE_SEATS = """
[table]
seats = 3
[board]
kind = "mock"
profile = "three-seat-header"
sensed = ["ante", "progressive"]
"""


def test_a_hung_thread_stops_the_pats_until_it_comes_round(box_of: Callable[..., Box]) -> None:
    box = box_of("lamps", THREE_SEATS)
    box.flag.touch()
    assert box.falls_silent()
    box.flag.unlink()
    assert box.hears(b"WATCHDOG=1")


@pytest.mark.parametrize("part", ["reading", "reader"])
def test_the_watchdog_never_ends_a_table_for_its_shufflers_sake(part: str, box_of: Callable[..., Box]) -> None:
    """A hung or dead thread of the shuffler's line is a fault, and the pats go on."""
    box = box_of(part)
    box.flag.touch()
    deadline = time.monotonic() + PATIENCE_S
    while '"code":"F-209"' not in box.facts():
        assert time.monotonic() < deadline, "the fault was never recorded"
        assert box.hears(b"WATCHDOG=1", SILENCE_S)
    for _ in range(4):
        assert box.hears(b"WATCHDOG=1", SILENCE_S)
    box.flag.unlink()
    while part == "reading" and '"FaultCleared"' not in box.facts():
        assert time.monotonic() < deadline, "the fault never passed"
        assert box.hears(b"WATCHDOG=1", SILENCE_S)


def test_a_turn_that_does_not_complete_stops_the_pats(box_of: Callable[..., Box]) -> None:
    box = box_of("disk")
    box.flag.touch()
    box.shuffler.unplug()  # something to write down
    assert box.falls_silent()
    box.flag.unlink()
    assert box.hears(b"WATCHDOG=1")
