"""A jackpot controller as a process of its own, a table linked to it over a real broker, and the people around them."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from felt.config.jackpot_file import load_jackpot
from felt.wiring.jackpot_controller import open_office
from tests.real.child import Child
from tests.real.driver import Driver
from tests.real.killable import FIRMWARE

PATIENCE_S = 30.0

CONTROLLER = """
[controller]
metrics_port = {metrics}
{settings}
[broker]
port = {broker}
tls = {tls}
names = {names}
{tables}
[meters.major]
reset_minor = 5000000
rate_bp = 2000
"""

LINK = """
[link]
kind = "mqtt"
port = {port}
lost_s = {lost_s}
folder = "{folder}"
"""


def controller_file(
    broker_port: int, tables: Sequence[str], *, tls: bool = False, settings: str = "", broker_names: Sequence[str] = ()
) -> str:
    """`settings` are added to the controller's own."""
    named = "\n".join(f"[tables.{table}]" for table in tables)
    names = json.dumps(list(broker_names))
    return CONTROLLER.format(
        metrics=0, settings=settings, broker=broker_port, tables=named, tls=str(tls).lower(), names=names
    )


def felt(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "felt.cli", *map(str, words)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environment(),
    )  # fmt: skip


def felt_without(package: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `felt` as on a host on which a package is not installed."""
    program = f"import sys; sys.modules[{package!r}] = None; from felt.cli import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environment(),
    )  # fmt: skip


def environment() -> dict[str, str]:
    path = os.pathsep.join(part for part in (str(FIRMWARE), os.environ.get("PYTHONPATH")) if part)
    return {**os.environ, "PYTHONPATH": path}


def until(truth: Callable[[], bool], what: str, within_s: float = PATIENCE_S) -> None:
    deadline = time.monotonic() + within_s
    while not truth():
        assert time.monotonic() < deadline, f"it did not happen: {what}"
        time.sleep(0.02)


class JackpotController:
    """`felt jackpot` with its own file. It can be killed and started again."""

    def __init__(
        self, folder: Path, broker_port: int, tables: tuple[str, ...], *, tls: bool = False,
        broker_names: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.folder = folder
        self.file = folder / "jackpot.toml"
        self.ledger = folder / "jackpot.ledger"
        command = [sys.executable, "-m", "felt.cli", "jackpot", "--config", str(self.file)]
        self._child = Child(command, folder / "jackpot.stderr", environment())
        self.kill, self.stop, self.close = self._child.kill, self._child.stop, self._child.close
        self.forget, self.said = self._child.forget, self._child.said
        self.file.write_text(controller_file(broker_port, tables, tls=tls, broker_names=broker_names))
        for table in tables:
            made = felt("jackpot", "provision", table, "--config", self.file, "--to", folder / f"link-{table}")
            assert made.returncode == 0, made.stderr

    def start(self) -> None:
        self._child.start(forget_what_was_said=True)
        until(lambda: self._answers() or self._child.has_ended, "the controller answers")
        assert not self._child.has_ended, self.said()

    @property
    def process(self) -> subprocess.Popen[bytes]:
        return self._child.process

    def status(self) -> dict[str, Any]:
        asked = felt("jackpot", "status", "--json", "--config", self.file)
        assert asked.returncode == 0, asked.stderr
        answer = json.loads(asked.stdout)
        assert isinstance(answer, dict)
        return answer

    def page(self, path: str) -> str:
        address = self.said().partition("metrics at ")[2].split()[0].removesuffix("/metrics")
        with urllib.request.urlopen(address + path, timeout=PATIENCE_S) as answer:
            return str(answer.read().decode())

    def letters(self) -> list[tuple[int, str, str]]:
        with contextlib.closing(sqlite3.connect(f"file:{self.ledger}?mode=ro", uri=True)) as ledger:
            return list(ledger.execute("SELECT sequence, kind, body FROM letters ORDER BY sequence"))

    def books(self) -> tuple[bool, int, int]:
        """Of a controller that has stopped: whether its books are in order, and the stakes and wins in them."""
        with contextlib.closing(open_office(load_jackpot(self.file))) as office:
            meter = office.standing.meters[0]
            return office.report().conserved, meter.stakes, meter.wins

    def _answers(self) -> bool:
        return "metrics at" in self.said() and (self.folder / "control").is_socket()


class LinkedDriver(Driver):
    """People at a table whose meters are the controller's. They play on until `truth` holds."""

    def __init__(
        self, folder: Path, seed: int, broker_port: int, link_folder: Path, lost_s: int, name: str = "T1"
    ) -> None:
        super().__init__(folder, seed, name)
        with (folder / "table.toml").open("a") as file:
            file.write(LINK.format(port=broker_port, lost_s=lost_s, folder=link_folder))

    def sit_down(self) -> None:
        self._start(None)

    def play_until(self, truth: Callable[[], bool], what: str, within_s: float = 60.0) -> None:
        deadline = time.monotonic() + within_s
        while not truth():
            assert time.monotonic() < deadline, f"it did not happen: {what}; {self.tally.where}"
            self._play_on()

    def watch_until(self, truth: Callable[[], bool], what: str, within_s: float = 60.0) -> None:
        """Nobody touches the table meanwhile."""
        assert self._process is not None
        deadline = time.monotonic() + within_s
        while not truth():
            assert time.monotonic() < deadline, f"it did not happen: {what}; {self.tally.where}"
            self._hear(self._process.hear(0.05))

    def order(self, kind: str, **fields: Any) -> str:
        """The reason of the refusal; empty if it was done."""
        known = len(self.tally.refusals)
        self._order(kind, **fields)
        self.watch_until(lambda: not self.tally.pending, f"{kind} is answered")
        return self.tally.refusals[-1] if len(self.tally.refusals) > known else ""

    def open_round(self) -> None:
        """Open a round even where people would rather wait for the link."""
        self._press("open")

    def get_up(self) -> None:
        assert self._process is not None
        status, said = self._process.stop()
        self._hear(said)
        assert status == 0
        self._forget_the_life()
