"""A table that runs as a process of its own, the people who may use its desk, and consoles that connect to it."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from felt.config.people import ListedPerson, Role, digest_of, write_people
from felt.nouns.cards import Card
from felt.virtual.shuffler import PtyShuffler, ShufflerDevice
from tests.real.driver import TABLE
from tests.real.killable import KillableTable, Said
from tests.real.typist import Typist

PINS = {"Tess": "2222", "Sam": "3333", "Shu": "4444"}
ROLES = {"Tess": Role.TECHNICIAN, "Sam": Role.SUPERVISOR, "Shu": Role.SUPERVISOR}
PATIENCE_S = 30.0


def list_people(folder: Path, pins: dict[str, str]) -> None:
    people = {person: ListedPerson(role, digest_of(pins[person]), "L-7") for person, role in ROLES.items()}
    write_people(folder / "people.toml", people)


class House:
    """A running table, its shuffler, and a hand that moves its contacts."""

    def __init__(self, folder: Path, decks: list[list[Card]] | None = None, more: str = "") -> None:
        """`more` is added to the table file."""
        self.folder = folder
        self.file = folder / "table.toml"
        self.shuffler = PtyShuffler(ShufflerDevice(random.Random(1), decks or ()), folder / "tty")
        self.shuffler.plug()
        self.file.write_text(TABLE.format(name="T1", url=self.shuffler.path) + more)
        (folder / "levels.json").write_text("{}")
        self.where: Said = {}
        self.lamps: dict[str, str] = {}
        self.typists: list[Typist] = []
        self.start()

    def start(self) -> None:
        self.table = KillableTable(self.file, self.folder / "bench")
        self.until(lambda: self.where.get("link") == "UP")

    def until(self, truth: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not truth():
            assert time.monotonic() < deadline, f"it did not happen: {self.where}"
            self.hear()

    def hear(self, wait_s: float = 0.02) -> None:
        for said in self.table.hear(wait_s):
            if "phase" in said:
                self.where = said
            elif "lamp" in said:
                self.lamps[said["lamp"]] = said["shows"]

    def drive(self, line: str, level: bool) -> None:
        self.table.send(drive=line, level=level)

    def press(self, key: str) -> None:
        self.drive(f"key.{key}", True)
        time.sleep(0.03)  # a finger's press
        self.drive(f"key.{key}", False)

    def chatter(self, line: str) -> None:
        for turn in range(40):
            self.drive(line, turn % 2 == 0)
            time.sleep(0.001)  # a loose contact

    def typist(self, **how: Any) -> Typist:
        self.typists.append(Typist(self.file, **how))
        return self.typists[-1]

    def close(self) -> None:
        for typist in self.typists:
            with contextlib.suppress(AssertionError, OSError):
                typist.hang_up()
        self.table.close()
        self.shuffler.close()

    # --- a round ---------------------------------------------------------------------------------------

    def phase_is(self, phase: str) -> None:
        self.until(lambda: self.where.get("phase") == phase)

    def order(self, kind: str, **fields: Any) -> None:
        self.table.send(order=kind, fields={"person": "outside", **fields}, id=1)

    def open(self) -> None:
        self.until(lambda: self.where.get("service") == "IN_SERVICE")
        self.order("TableOpened")
        self.phase_is("IDLE")

    def press_until(self, key: str, truth: Callable[[], bool]) -> None:
        """Press as a finger does: again if nothing happened. On a busy host a short press may look like a bounce."""
        deadline = time.monotonic() + PATIENCE_S
        while not truth():
            assert time.monotonic() < deadline, f"{key} did nothing: {self.where}"
            self.press(key)
            again = time.monotonic() + 0.5
            while not truth() and time.monotonic() < again:
                self.hear()

    def play_a_round(self, *boxes: int, meanwhile: Callable[[str], None] = lambda _: None) -> None:
        """Every box plays. `meanwhile` is called with each phase as it is reached."""

        def reached(phase: str) -> Callable[[], bool]:
            return lambda: self.where.get("phase") == phase

        self.press_until("open", reached("BETTING"))
        for box in boxes:
            self.drive(f"{box}.ante", True)
            self.drive(f"{box}.progressive", True)
        self.until(lambda: all(self.lamps.get(f"{box}.progressive") == "seen" for box in boxes))
        meanwhile("BETTING")
        self.press_until("no_more_bets", reached("DEALING"))
        meanwhile("DEALING")
        self.press_until("collect", lambda: bool(self.where["collected"]))
        self.shuffler.dispense(len(boxes) + 1, 3)
        self.phase_is("DECIDING")
        meanwhile("DECIDING")
        self.press_until("play", lambda: self.where["mode"] == "play")
        for box in boxes:
            self.press_until(f"seat_{box}", lambda box=box: str(box) in self.where["decisions"])  # type: ignore[misc]
        self.press_until("reveal", reached("REVEALING"))
        meanwhile("REVEALING")
        self.press_until("settle", reached("PAYING"))
        meanwhile("PAYING")
        for box in boxes:
            self.drive(f"{box}.ante", False)
            self.drive(f"{box}.progressive", False)
        self.press_until("settle", reached("IDLE"))


def ask_desk(folder: Path, question: str) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(10)
        line.connect(str(folder / "desk"))
        line.sendall(json.dumps({"felt": 1, "id": 1, "ask": question}).encode() + b"\n")
        with line.makefile("rb") as answers:
            return dict(json.loads(answers.readline())["answer"])
