"""Devices and clients that flood a table in its own process while it is played. None of the table's own code judges:
the driver presses OPEN and measures the time until the table says, after its sync, that bets are open."""

from __future__ import annotations

import abc
import contextlib
import itertools
import json
import os
import select
import socket
import statistics
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker
from felt.journal import read_records
from felt.nouns.cards import DECK
from felt.nouns.stamps import NS_PER_S
from felt.table import facts
from felt.wire.adapters.simple_shoe import encode_line
from felt.wire.shuffler import (
    DeckStatus,
    OneCard,
    encode_ask_hello,
    encode_card,
    encode_frame,
    encode_heartbeat,
    encode_hello,
)
from felt.wire.shuffler import encode_status as status_frame
from felt.wiring.devices import read_only_disk
from tests.real.console_house import PINS
from tests.real.killable import KillableTable, Said

PATIENCE_S = 20.0
PIECE_BYTES = 2048
REFUSED_S = 0.5  # a key that had no effect by then was refused, and is pressed again
UNKNOWN_KIND = 0x6F
LINE = "shuffler"
HELLO_ASKED = encode_ask_hello()
NOISE = b"\x00\xff" * 200

TABLE = """
[table]
seats = 3
[board]
sensed = ["ante", "progressive"]
[shuffler]
url = "{url}"
model = "{model}"
[bench]
socket = "bench"
"""


# --- what a device may say without end ---------------------------------------------------------------------


def heartbeats() -> Iterator[bytes]:
    return itertools.repeat(encode_heartbeat())


def greetings() -> Iterator[bytes]:
    """Each greeting has a new session: the device seems to restart all the time."""
    return (encode_hello(1, session, "Flood") for session in itertools.cycle(range(1, 1 << 32)))


def the_same_greeting() -> Iterator[bytes]:
    return itertools.repeat(encode_hello(1, 77, "Flood"))


def states() -> Iterator[bytes]:
    """Each message names another deck, so each is news."""
    yield encode_hello(1, 77, "Flood")
    for number in itertools.count():
        deck = DeckStatus(2 + number % 60_000, False, 52 - 3 * (number % 3), number % 3, True)
        yield status_frame(deck)


def cards() -> Iterator[bytes]:
    yield encode_hello(1, 77, "Flood")
    for number in itertools.count():
        card = OneCard(DECK[number % 52], False, False, False, b"")
        yield encode_card(2 + number % 60_000, 1 + number % 52, card)


def the_same_card() -> Iterator[bytes]:
    yield encode_hello(1, 77, "Flood")
    yield from itertools.repeat(encode_card(2, 1, OneCard(DECK[0], False, False, False, b"")))


def unknown_messages() -> Iterator[bytes]:
    return (encode_frame(UNKNOWN_KIND, 1 + number % 60_000, b"what") for number in itertools.count())


def largest_frames() -> Iterator[bytes]:
    return (encode_frame(UNKNOWN_KIND, 1 + number % 60_000, b"\x7e" * 192) for number in itertools.count())


def half_frames() -> Iterator[bytes]:
    return itertools.repeat(encode_hello(1, 77, "Flood")[:-6] + b"\x7e")


def garbage_without_ends() -> Iterator[bytes]:
    return itertools.repeat(bytes(range(0x20, 0x7D)) * 8)


def wrong_checksums() -> Iterator[bytes]:
    spoilt = bytearray(encode_heartbeat())
    spoilt[3] ^= 0x10
    return itertools.repeat(bytes(spoilt))


def lines_of_a_shoe() -> Iterator[bytes]:
    yield encode_line("IFLOOD")
    for number in itertools.count(1):
        yield encode_line(f"S{number % 100:02d}{number % 53:03d}R")


SAYINGS: dict[str, Callable[[], Iterator[bytes]]] = {
    "heartbeats": heartbeats,
    "greetings": greetings,
    "the same greeting": the_same_greeting,
    "states of the deck": states,
    "cards": cards,
    "the same card": the_same_card,
    "unknown messages": unknown_messages,
    "largest frames": largest_frames,
    "half frames": half_frames,
    "garbage without ends": garbage_without_ends,
    "wrong checksums": wrong_checksums,
}


class Device(abc.ABC):
    """A device on a pseudo-terminal. It greets and sends heartbeats as it should, until it is told to flood."""

    def __init__(self, link: Path, greeting: bytes, sign_of_life: bytes) -> None:
        self._link = link
        self._greeting, self._sign_of_life = greeting, sign_of_life
        self._flooding = threading.Event()
        self._closing = threading.Event()
        self._plug()
        self._thread = threading.Thread(target=self._run, name="flood", daemon=True)
        self._thread.start()

    def start(self) -> None:
        self._flooding.set()

    def stop(self) -> None:
        """End the flood."""
        self._flooding.clear()

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._unplug()

    def _plug(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._link.unlink(missing_ok=True)
        self._link.symlink_to(os.ttyname(self._slave))

    def _unplug(self) -> None:
        self._link.unlink(missing_ok=True)
        os.close(self._master)
        os.close(self._slave)

    def _run(self) -> None:
        while not self._closing.is_set():
            if self._flooding.is_set():
                self._flood()
            else:
                self._live()

    def _live(self) -> None:
        asked = b""
        with contextlib.suppress(OSError):
            asked = os.read(self._master, 4096)
        with contextlib.suppress(OSError):
            os.write(self._master, (self._greeting if HELLO_ASKED in asked else b"") + self._sign_of_life)
        self._closing.wait(0.3)

    @abc.abstractmethod
    def _flood(self) -> None:
        """Flood for a moment."""


class FloodingDevice(Device):
    """Sends what it is given as fast as the line takes it. It may or may not read what it is told."""

    def __init__(self, link: Path, saying: Iterator[bytes], *, reads: bool = True, every_s: float = 0.0) -> None:
        self._saying = saying
        self._reads = reads
        self._every_s = every_s  # zero: as fast as the line takes it
        self._waiting = b""
        super().__init__(link, encode_hello(1, 77, "Flood"), encode_heartbeat())

    def _flood(self) -> None:
        while len(self._waiting) < (1 if self._every_s else PIECE_BYTES):
            self._waiting += next(self._saying)
        ready, free, _ = select.select([self._master] if self._reads else [], [self._master], [], 0.05)
        with contextlib.suppress(OSError):
            if ready:
                os.read(self._master, 4096)
            if free:
                self._waiting = self._waiting[os.write(self._master, self._waiting) :]
        self._closing.wait(self._every_s)


class FloodingShoe(FloodingDevice):
    def __init__(self, link: Path) -> None:
        super().__init__(link, lines_of_a_shoe())
        self._greeting, self._sign_of_life = b"", encode_line("S00052R")


class LooseCable(Device):
    """Its plug goes in and out all the time, with a greeting each time."""

    def __init__(self, link: Path) -> None:
        super().__init__(link, encode_hello(1, 77, "Loose"), encode_heartbeat())

    def _flood(self) -> None:
        self._closing.wait(0.02)
        with contextlib.suppress(OSError):
            os.write(self._master, encode_hello(1, 77, "Loose"))
        self._unplug()
        self._closing.wait(0.02)
        self._plug()


class CalmDevice(Device):
    """Never floods."""

    def __init__(self, link: Path) -> None:
        super().__init__(link, encode_hello(1, 77, "Calm"), encode_heartbeat())

    def _flood(self) -> None:
        self._live()


# --- who else may flood ------------------------------------------------------------------------------------


class Restless:
    """A key whose contact never rests."""

    def __init__(self, table: FloodedTable) -> None:
        self._table = table
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="restless", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        level = False
        while not self._stopping.wait(0.001):
            for _ in range(4):
                level = not level
                self._table.send(drive="key.fold", level=level)


class MadClients:
    """Clients that take every place at the desk and ask and order without end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(place,), daemon=True) for place in range(8)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _run(self, place: int) -> None:
        login = {"felt": 1, "id": 1, "login": "Sam", "pin": PINS["Sam"]}
        order = {"felt": 1, "id": 2, "order": "BetKeyed", "fields": {"spot": "9.ante", "stake_minor": 1}}
        words = [order] if place < 4 else [{"felt": 1, "id": 3, "ask": "status"}]
        while not self._stopping.is_set():
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line, contextlib.suppress(OSError):
                line.settimeout(2)
                line.connect(str(self._folder / "desk"))
                line.sendall(json.dumps(login).encode() + b"\n")
                while not self._stopping.is_set():
                    line.sendall(b"".join(json.dumps(word).encode() + b"\n" for word in words))
                    line.recv(65_536)


class FloodedLink:
    """Somebody at the broker who sends the table its controller's answers again and again, with noise between them."""

    def __init__(self, broker_port: int, topic: str) -> None:
        self._topic = topic
        self._latest = b""
        self._client = MqttBroker(BrokerAddress("127.0.0.1", broker_port), "flood", LastWill("flood", b""))
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="flood-link", daemon=True)

    def start(self) -> None:
        self._client.start((self._topic,), self._hear, lambda _: None)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()
        self._client.close()

    def _hear(self, _topic: str, content: bytes) -> None:
        if content != NOISE:
            self._latest = content

    def _run(self) -> None:
        while not self._stopping.wait(0.001):
            for _ in range(10):
                self._client.publish(self._topic, self._latest or NOISE)
                self._client.publish(self._topic, NOISE)


class Flood(Protocol):
    def start(self) -> None: ...

    def stop(self) -> None: ...


# --- the table and its dealer ------------------------------------------------------------------------------


class Figures(NamedTuple):
    """How long OPEN takes, from the key's edge outside to the word that bets are open, in milliseconds."""

    presses: int
    median_ms: float
    worst_ms: float
    after_ms: float  # the first one after the flood
    journal_bytes: int
    faults: dict[str, float]  # code: when it was first raised, in seconds from the beginning of the flood

    def say(self) -> str:
        told = f"{self.presses} presses, median {self.median_ms:.0f} ms, worst {self.worst_ms:.0f} ms"
        faults = ", ".join(f"{code} after {after_s:.1f} s" for code, after_s in self.faults.items())
        kept = f"journal {self.journal_bytes // 1024} KiB"
        return f"{told}, after it {self.after_ms:.0f} ms, {kept}, {faults or 'no fault'}"


def figures_of(
    table: FloodedTable, flood: Flood, seconds: float, codes: tuple[str, ...], presses: int = 2
) -> Figures:
    """Waits for one of `codes`."""
    begun_ns = time.time_ns()
    flood.start()
    try:
        spent = table.play(seconds, presses)
        deadline = time.monotonic() + PATIENCE_S
        while codes and not set(codes) & set(table.faults(begun_ns)):
            assert time.monotonic() < deadline, f"none of {codes} was raised, only {table.faults(begun_ns)}"
            time.sleep(0.1)
    finally:
        flood.stop()
    after_ms = table.press("open", "BETTING", "INTERRUPTED")
    return Figures(
        len(spent), statistics.median(spent), max(spent), after_ms, table.journal_bytes(), table.faults(begun_ns)
    )


class FloodedTable:
    def __init__(self, folder: Path, device: Device, model: str = "felt-1", more: str = "") -> None:
        self.folder = folder
        self._device = device
        file = folder / "table.toml"
        file.write_text(TABLE.format(url=folder / LINE, model=model) + more)
        self.process = KillableTable(file, folder / "bench")
        self.where: Said = {}
        self.lamps: dict[str, str] = {}
        self._sending = threading.Lock()
        try:
            self._open_table()
        except BaseException:
            self.close()
            raise

    def _open_table(self) -> None:
        self.until(lambda: bool(self.where))
        self.send(order="TableOpened", fields={"person": "sup"}, id=1)
        self.until(lambda: self.where["phase"] == "IDLE")
        self.until(lambda: self.lamps.get("key.open", "off") != "off")

    def send(self, **words: Any) -> None:
        with self._sending:
            self.process.send(**words)

    def until(self, truth: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not truth():
            assert time.monotonic() < deadline, f"it did not happen; {self.where}"
            self._hear()

    def _hear(self) -> None:
        for said in self.process.hear(0.05):
            if "phase" in said:
                self.where = said
            elif "lamp" in said:
                self.lamps[said["lamp"]] = said["shows"]

    def press(self, key: str, *phases: str) -> float:
        """How long the table took to reach one of these phases, in milliseconds."""
        begun = time.monotonic()
        while True:
            self.send(drive=f"key.{key}", level=True)
            pressed = time.monotonic()
            while self.where["phase"] not in phases and time.monotonic() < pressed + REFUSED_S:
                self._hear()
            spent_ms = (time.monotonic() - begun) * 1000
            self.send(drive=f"key.{key}", level=False)
            time.sleep(0.05)  # a key rests before it is pressed again
            if self.where["phase"] in phases:
                return spent_ms
            assert time.monotonic() < begun + PATIENCE_S, f"{key} moves nothing; {self.where}"

    def play(self, seconds: float, presses: int = 2) -> list[float]:
        """OPEN and NO MORE BETS with an empty layout, over and over, at least `presses` times."""
        until, spent = time.monotonic() + seconds, list[float]()
        while time.monotonic() < until or len(spent) < presses:
            spent.append(self.press("open", "BETTING", "INTERRUPTED"))
            self._end_round()
        return spent

    def _end_round(self) -> None:
        """End the round in any state: nothing was bet, but cards that nobody ordered may have stopped it."""
        if self.where["phase"] == "BETTING":
            self.press("no_more_bets", "VOIDING", "INTERRUPTED")
        while self.where["phase"] == "INTERRUPTED":
            question = self.where["questions"][0]
            fields = {"question": question["id"], "choice": "void", "person": "sup", "reason": "a flood"}
            self.send(order="RulingMade", fields=fields, id=2)
            self.until(lambda ruled=question: ruled not in self.where["questions"])  # type: ignore[misc]
        self.press("settle", "IDLE")

    def faults(self, since_ns: int) -> dict[str, float]:
        """The faults that were raised, and how many seconds later each was raised first."""
        found: dict[str, float] = {}
        disk = read_only_disk(self.folder / "journal")
        try:
            for fact in map(facts.decode, [record.payload for record in read_records(disk)]):
                if isinstance(fact, facts.FaultRaised) and fact.at.wall_ns >= since_ns:
                    found.setdefault(fact.code, (fact.at.wall_ns - since_ns) / NS_PER_S)
        finally:
            disk.close()
        return found

    def journal_bytes(self) -> int:
        return sum(file.stat().st_size for file in (self.folder / "journal").iterdir())

    def close(self) -> None:
        self.process.close()
        self._device.close()
