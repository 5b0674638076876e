"""What stands around the machine: contacts and lamps by a board profile, the shuffler on its USB cable, the console on
its serial port, the desk, and a dealer who plays as people do, by what the table shows."""

from __future__ import annotations

import contextlib
import random
import re
import select
import socket
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from felt.nouns.cards import Card
from felt.nouns.stamps import NS_PER_S
from felt.virtual.shuffler import ShufflerDevice
from tools.machine.image import MachineError
from tools.machine.qemu import Machine, connect

BOARDS = Path(__file__).resolve().parents[2] / "hw" / "boards"
PATIENCE_S = 90.0
HOLD_S, REST_S = 0.15, 0.15  # emulation is slow: a short press could look like a bounce
PEOPLE = {"Sue": ("4711", "shift_manager"), "Sam": ("4712", "shift_manager"), "Tess": ("4713", "technician")}
COIN = "progressive"


class Pins:
    """Contacts of a board profile. A contact is named by its spot or key and is down or up, whatever the voltage."""

    def __init__(self, machine: Machine, profile: str) -> None:
        board = tomllib.loads((BOARDS / f"{profile}.toml").read_text())
        self._machine = machine
        self._inputs = {line["name"]: (line["chip"], line["line"], line["active"] == "low") for line in board["input"]}
        self._outputs = {line["name"]: (line["chip"], line["line"]) for line in board["output"]}
        self.down: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._inputs)

    def move(self, names: Iterable[str], *, down: bool) -> None:
        moved = [name for name in names if name in self._inputs]
        self.down = self.down | set(moved) if down else self.down - set(moved)
        self._show(moved)

    def press(self, key: str) -> None:
        self.move([f"key.{key}"], down=True)
        time.sleep(HOLD_S)
        self.move([f"key.{key}"], down=False)
        time.sleep(REST_S)

    def as_they_lie(self) -> None:
        """After a boot the simulated chips are new. The contacts of a table stay as they are."""
        self._show(self._inputs)

    def watch_lamps(self) -> None:
        self._machine.ask("watch", lines={name: list(place) for name, place in self._outputs.items()})

    def _show(self, names: Iterable[str]) -> None:
        lines = [(self._inputs[name], name in self.down) for name in names]
        self._machine.ask("move", lines=[(chip, line, down != low) for (chip, line, low), down in lines])


class UsbShuffler:
    """The product's own emulated device at the other end of the machine's USB serial adapter."""

    def __init__(self, chance: random.Random, decks: Sequence[Sequence[Card]] = ()) -> None:
        self.device = ShufflerDevice(chance, decks, packets=True)
        self._guard = threading.Lock()
        self._unplugged = threading.Event()
        self._thread: threading.Thread | None = None

    def plug(self, machine: Machine) -> None:
        line = connect(machine.folder / "usb")
        self._unplugged = threading.Event()
        self._thread = threading.Thread(target=self._carry, args=(line, self._unplugged), daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        self._unplugged.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def dispense(self, sets: int) -> tuple[tuple[Card, ...], ...]:
        with self._guard:
            return self.device.dispense(sets, 3)

    def quiet(self) -> bool:
        with self._guard:
            return self.device.quiet()

    def _carry(self, line: socket.socket, unplugged: threading.Event) -> None:
        with line, contextlib.suppress(OSError):
            while not unplugged.is_set():
                with self._guard:
                    said = self.device.tick(time.monotonic_ns())
                    wait_s = (self.device.next_due_ns() - time.monotonic_ns()) / NS_PER_S
                line.sendall(said)
                ready, _, _ = select.select([line], [], [], min(0.05, max(0.0, wait_s)))
                heard = line.recv(4096) if ready else b""
                if ready and not heard:
                    return
                with self._guard:
                    self.device.receive(heard)


class Terminal:
    """A terminal at the machine's console port."""

    def __init__(self, machine: Machine) -> None:
        self._line = connect(machine.folder / "ttyS1")
        self._line.setblocking(False)

    def close(self) -> None:
        self._line.close()

    def type(self, text: str) -> None:
        self._line.sendall(text.encode())

    def until(self, pattern: str, patience_s: float = PATIENCE_S) -> str:
        """What came until it ends as the pattern says."""
        deadline, seen = time.monotonic() + patience_s, ""
        while not re.search(pattern, seen):
            if time.monotonic() > deadline:
                raise MachineError(f"the console never said {pattern!r}, but {seen[-300:]!r}")
            ready, _, _ = select.select([self._line], [], [], 0.1)
            if ready:
                seen += self._line.recv(65536).decode("utf-8", "replace")
        return seen

    def sign_in(self, name: str = "Sue") -> None:
        self.type("\r")
        if re.search(r"> $", self.until(r"(?i)name[^\n]*: ?$|> $")):
            return
        self.type(f"{name}\r")
        self.until(r"(?i)pin[^\n]*: ?$")
        self.type(f"{PEOPLE[name][0]}\r")
        self.until(r"> $")

    def ask(self, words: str, second: str = "Sam") -> str:
        """Answers to what the console asks back: a second person, and PINs."""
        self.type(f"{words}\r")
        seen, signing = "", "Sue"
        while not (heard := self.until(r"(?s)\n.*> $|PIN: $|person: $|name: $|stop\) $")).endswith("> "):
            seen += heard
            if heard.endswith("person: "):
                signing = second
                self.type(f"{second}\r")
            elif heard.endswith("PIN: "):
                self.type(f"{PEOPLE[signing][0]}\r")
            else:
                self.type("Sue\r" if heard.endswith("name: ") else "\r")
        return seen + heard


class Desk:
    """The table's desk, through the agent."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def ask(self, question: str) -> dict[str, Any]:
        answer = self._say({"ask": question})
        return dict(answer["answer"])

    def order(self, kind: str, *, by: str = "Sue", second: str = "", **fields: Any) -> str:
        """Why it was refused; empty if it was done."""
        signed = self._say({"login": by, "pin": PEOPLE[by][0]})
        if "refused" in signed:
            return str(signed["refused"])
        words: dict[str, Any] = {"order": kind, "fields": fields}
        if second:
            words["second"] = {"login": second, "pin": PEOPLE[second][0]}
        return str(self._say(words).get("refused", ""))

    def until(self, question: str, truth: Callable[[dict[str, Any]], bool], patience_s: float = PATIENCE_S) -> Any:
        """Asks until the answer is as wanted."""
        deadline, last = time.monotonic() + patience_s, "nothing"
        while time.monotonic() < deadline:
            try:
                answer = self.ask(question)
            except MachineError as error:  # the table is not there at the moment
                last = str(error)
            else:
                if truth(answer):
                    return answer
                last = str(answer)
            time.sleep(0.2)
        raise MachineError(f"{question} never was as wanted, but {last[:1500]}")

    def _say(self, words: dict[str, Any]) -> dict[str, Any]:
        return dict(self._machine.ask("desk", words=words)["heard"])


class Dealer:
    """Plays on from whatever the table shows: chips, keys, the shuffler's own key, the supervisor's orders."""

    def __init__(self, machine: Machine, pins: Pins, shuffler: UsbShuffler, chance: random.Random, base: str) -> None:
        """`base` is the bet that every box makes, as in ante."""
        self.desk, self.pins = Desk(machine), pins
        self._shuffler, self._chance, self._base = shuffler, chance, base
        self._bet_in, self._dealt_in = 0, 0
        self.on_status: Callable[[dict[str, Any]], None] = lambda _: None

    def play_rounds(self, count: int, patience_s: float = 600.0) -> None:
        """Until so many more rounds have ended."""
        wanted = self.desk.ask("status")["rounds"] + count
        deadline = time.monotonic() + patience_s
        while (status := self.step())["rounds"] < wanted or status["phase"] != "IDLE":
            if time.monotonic() > deadline:
                raise MachineError(f"{count} rounds did not end: {status}")

    def step(self) -> dict[str, Any]:
        """One look at the table, and what people do then."""
        status = self.desk.ask("status")
        self.on_status(status)
        questions = self.desk.ask("questions")["questions"]
        if questions:
            self._rule(questions[0])
        elif (act := getattr(self, f"_in_{status['phase'].lower()}", None)) is not None:
            act(status)
        return status

    def _rule(self, question: dict[str, Any]) -> None:
        choice = question["proposal"] or question["options"][0]
        if question["players"]:
            self.desk.order("PlayerChose", question=question["id"], seat=question["players"][0], choice=choice)
        else:
            self.desk.order("RulingMade", question=question["id"], choice=choice, reason="as proposed")

    def _in_closed(self, _: dict[str, Any]) -> None:
        self.desk.order("TableOpened")

    def _in_idle(self, _: dict[str, Any]) -> None:
        self._lift()
        if self._shuffler.quiet():
            self.pins.press("open")

    def _in_betting(self, status: dict[str, Any]) -> None:
        if self._bet_in != status["round"]:
            self._bet_in = status["round"]
            if not self._lying():
                seats = sorted(self._chance.sample((1, 2, 3), self._chance.randint(1, 3)))
                self.pins.move([f"{seat}.{kind}" for seat in seats for kind in (self._base, COIN)], down=True)
                time.sleep(REST_S)
        self.pins.press("no_more_bets")

    def _in_dealing(self, status: dict[str, Any]) -> None:
        if any(name.endswith(f".{COIN}") for name in self.pins.down):
            self.pins.press("collect")
            self.pins.move([name for name in self.pins.down if name.endswith(f".{COIN}")], down=False)
        playing = self.desk.ask("round")["round"]
        if playing is None or playing["dealt"] == playing["of"]:
            return
        if self._dealt_in != status["round"] and self._shuffler.quiet():
            self._dealt_in = status["round"]
            self._shuffler.dispense(-(-playing["of"] // 3))
        time.sleep(REST_S)

    def _in_deciding(self, _: dict[str, Any]) -> None:
        panel = self.desk.ask("panel")
        if panel["mode"] == "discard" or "discard" in panel["lit"]:
            self.desk.order("DiscardSaid", place=self._chance.randint(1, 3))
        elif "cards_seen" in panel["lit"]:
            self.pins.press("cards_seen")
        elif panel["seats"]:
            choice = "play" if self._chance.randrange(4) else "fold"
            if panel["mode"] not in ("play", "fold"):
                self.pins.press(choice)
            self.pins.press(f"seat_{panel['seats'][0]}")
        else:
            self.pins.press("reveal")

    def _in_revealing(self, _: dict[str, Any]) -> None:
        panel = self.desk.ask("panel")
        self.pins.press("settle" if "settle" in panel["lit"] else "reveal")

    def _in_verifying(self, _: dict[str, Any]) -> None:
        playing = self.desk.ask("round")["round"]
        for claim in playing["claims"] if playing else ():
            if not claim.get("verdict"):
                self.desk.order("ClaimConfirmed", second="Sam", claim=claim["claim"])

    def _in_paying(self, _: dict[str, Any]) -> None:
        self._lift()
        self.pins.press("settle")

    _in_voiding = _in_paying

    def _lying(self) -> list[str]:
        return [name for name in self.pins.down if not name.startswith("key.")]

    def _lift(self) -> None:
        if self._lying():
            self.pins.move(self._lying(), down=False)
            time.sleep(REST_S)
