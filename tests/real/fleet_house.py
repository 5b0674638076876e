"""The house around a fleet: `felt jackpot` on either database, restarted whenever it ends, as systemd would do it; the
groups of tables; and a pit boss who orders claims when the controller asks."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from felt.commands.provisioning import provision
from felt.config.jackpot_file import JackpotConfig, load_jackpot
from felt.ports import LinkUnavailable
from felt.wiring.sockets import ask_controller
from tests.real.child import PATIENCE_S, Child
from tests.real.fleet_plan import LEVELS, Link, link_of, meter_name
from tests.real.fleet_table import Group
from tests.real.linked import environment, until

TREE = Path(__file__).resolve().parents[2]
RESTART_S = 0.2
LOOK_S = 0.3
ORDER_WANTED = re.compile(r"The order of claims on the meter '([\w/]+)' is undetermined, order them: (.*)\.$")
CLAIM_NAMED = re.compile(r"([\w.]+) of table ([\w-]+)")


def write_controller_file(
    folder: Path, broker_port: int, tables: list[str], ledger: str, claim_wait_s: int = 600
) -> JackpotConfig:
    """Write the controller's file and every table's half of the keys."""
    lines = ["[controller]", "metrics_port = 0", f'ledger = "{ledger}"', "[broker]", f"port = {broker_port}"]
    lines += ["[procedure]", f"claim_wait_s = {claim_wait_s}"]
    for table in tables:
        lines += [f"[tables.{table}]", f'link = "{link_of(table)}"']
    for link, level in itertools.product(Link, LEVELS):
        lines += [f'[meters."{meter_name(link, level)}"]', f"reset_minor = {level.reset_minor}"]
        lines += [f"rate_bp = {level.rate_bp}", f"reserve_bp = {level.reserve_bp}"]
    file = folder / "jackpot.toml"
    file.write_text("\n".join(lines) + "\n")
    config = load_jackpot(file)
    for table in tables:
        provision(config, table, folder / f"link-{table}", rotate=False, finish=False)
    return config


class MortalController:
    """`felt jackpot`. It ends when it is killed or when its ledger fails."""

    def __init__(self, config: JackpotConfig) -> None:
        self._config = config
        command = [sys.executable, "-m", "felt.cli", "jackpot", "--config", str(config.source)]
        self._child = Child(command, config.source.with_suffix(".stderr"), environment())
        self._start_at = 0.0
        self.ended_by_itself = 0
        self.stop, self.close, self.said = self._child.stop, self._child.close, self._child.said

    def keep(self) -> None:
        """Restart a controller that has ended, a little later. Call it often."""
        if self._child.has_ended:
            self.ended_by_itself += 1
            self._child.forget()
            self._start_at = time.monotonic() + RESTART_S
        if not self._child.runs and time.monotonic() >= self._start_at:
            self._child.start()

    def keep_until_it_answers(self) -> None:
        def answers() -> bool:
            self.keep()
            return self.ask({"ask": "status"}) is not None

        until(answers, "the controller answers")

    def kill(self) -> None:
        self._child.close()
        self._start_at = time.monotonic() + RESTART_S

    def ask(self, words: dict[str, Any]) -> dict[str, Any] | None:
        """None when nobody answers."""
        try:
            return ask_controller(self._config.path(self._config.controller.control), words)
        except LinkUnavailable:
            return None


class PitBoss:
    """Reads the alerts and orders the claims that no clock can tell apart, in the order in which they are named."""

    def __init__(self, controller: MortalController) -> None:
        self._controller = controller
        self._leaving = threading.Event()
        self.orders = 0
        self.refusals: list[str] = []
        self._thread = threading.Thread(target=self._walk, name="pit boss")
        self._thread.start()

    def close(self) -> None:
        self._leaving.set()
        self._thread.join(PATIENCE_S)

    def _walk(self) -> None:
        while not self._leaving.wait(LOOK_S):
            status = self._controller.ask({"ask": "status"})
            for alert in [] if status is None else status.get("alerts", []):
                found = ORDER_WANTED.fullmatch(alert)
                if found is not None:
                    self._order(found[1], CLAIM_NAMED.findall(found[2]))

    def _order(self, meter: str, claims: list[tuple[str, str]]) -> None:
        named = [{"table": table, "claim": claim} for claim, table in claims]
        fields = {"meter": meter, "claims": named}
        words = {"act": "OrderClaims", "fields": fields, "persons": [["Ada", "supervisor"]], "reason": "by the cameras"}
        answer = self._controller.ask(words)
        if answer is not None and "done" in answer:
            self.orders += 1
        elif answer is not None:
            self.refusals.append(str(answer))


class MortalGroup:
    """Some tables in one process."""

    def __init__(self, folder: Path, name: str, group: Group) -> None:
        self.group = group
        file = folder / f"{name}.json"
        group.write(file)
        path = os.pathsep.join([str(TREE), environment()["PYTHONPATH"]])
        command = [sys.executable, "-m", "tests.real.fleet_table", str(file)]
        self._child = Child(command, folder / f"{name}.stderr", {**environment(), "PYTHONPATH": path})
        self.stop, self.close = self._child.stop, self._child.close

    def start(self) -> None:
        if not self._child.runs:
            self._child.start()

    def kill(self) -> None:
        if self._child.runs:
            self._child.kill()

    def told(self) -> dict[str, Any]:
        """Its last progress; empty before the first report."""
        if self._child.has_ended:
            raise AssertionError(f"a group ended by itself: {self._child.said()[-2000:]}")
        with contextlib.suppress(FileNotFoundError):
            said: dict[str, Any] = json.loads(Path(self.group.told).read_text())
            return said
        return {"rounds": 0, "letters": 0, "done": False, "troubles": [], "signs": {}}


Say = Callable[[str], None]
