"""Thousands of tables in one process, as the controller meets them: letters in sealed envelopes over one connection.
They keep nothing and never die; only their number matters."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker
from felt.drivers.mqtt_post import new_session
from felt.letters.from_controller import Acked, Pong, Refused
from felt.letters.from_table import (
    NAME_OF,
    Contribution,
    DealtHand,
    Letter,
    Ping,
    Posted,
    RoundDealtLetter,
    RoundEndedLetter,
    RoundLockedLetter,
    RoundResultLetter,
    write,
)
from felt.nouns.keyring import LinkKey
from felt.nouns.stamps import Stamp
from felt.wire import bulletin
from felt.wire.jackpot import Message, decode, encode
from felt.wire.sealed import Purpose, seal

CONTROLLER = "main"
SEATS = (1, 3, 4, 6, 7)
STAKE = 500
LETTERS_A_ROUND = 4
IN_FLIGHT_MAX = 400  # below every queue on the way: nothing is dropped, so that the answers measure the controller
PATIENCE_S = 30.0
RESEND_S = 5.0


@dataclass
class SwarmTable:
    name: str
    key: LinkKey
    session: str = field(default_factory=new_session)
    number: int = 0  # of its envelopes
    written: int = 0  # letters
    sent_s: float = 0.0
    heard: tuple[str, int, int] = ("", 0, 0)  # the controller's clock in the last answer to a ping, and when it came

    def envelope(self, content: bytes) -> bytes:
        self.number += 1
        return seal(Purpose.UP, self.name, self.key, self.session, self.number, content)

    def next_letter(self) -> bytes:
        self.written += 1
        return self.letter()

    def letter(self) -> bytes:
        """The latest letter, as often as it is asked for."""
        number, place = divmod(self.written - 1, LETTERS_A_ROUND)
        at = Stamp(f"b-{self.name}", self.written, self.written)
        letter = _letter(place, number + 1, at)
        posted = Posted(
            self.name, "load", self.written, NAME_OF[type(letter)], write(letter), self.written, "ab" * 32
        )
        return encode(posted)

    def ping(self) -> bytes:
        """With its half of a clock sample, like every table's."""
        return encode(Ping(self.name, "load", self.written, self.name, time.monotonic_ns(), 0, *self.heard))


def _letter(place: int, number: int, at: Stamp) -> Letter:
    if place == 0:
        return RoundLockedLetter(number, at, tuple(Contribution(seat, STAKE) for seat in SEATS))
    if place == 1:
        return RoundDealtLetter(number, at, tuple(DealtHand(seat, at.mono_ns) for seat in SEATS))
    if place == 2:
        return RoundResultLetter(number, at, ())
    return RoundEndedLetter(number, at, STAKE * len(SEATS), 0, len(SEATS))


class Swarm:
    def __init__(self, port: int, keys: dict[str, LinkKey]) -> None:
        self._tables = {name: SwarmTable(name, key) for name, key in keys.items()}
        self._came: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.resent = 0
        connected = threading.Event()
        will = LastWill(f"felt/{CONTROLLER}/load", b"")
        self._broker = MqttBroker(BrokerAddress("127.0.0.1", port), "felt-load", will)
        topics = (bulletin.down_topic(CONTROLLER, "+"),)
        self._broker.start(topics, lambda _, content: self._came.put(content), lambda state: connected.set())
        assert connected.wait(PATIENCE_S), "the broker does not answer"

    def letters(self, seconds: float) -> list[float]:
        """The seconds from each letter to its answer, for `seconds`. The next one leaves when the last is answered."""
        return self._turn_round(seconds, SwarmTable.next_letter, SwarmTable.letter, Acked)

    def pings(self, seconds: float) -> list[float]:
        return self._turn_round(seconds, SwarmTable.ping, SwarmTable.ping, Pong)

    def close(self) -> None:
        self._broker.close()

    def _turn_round(
        self,
        seconds: float,
        write: Callable[[SwarmTable], bytes],
        again: Callable[[SwarmTable], bytes],
        awaited: type[Message],
    ) -> list[float]:
        """All tables take their turns; as many as the way holds are on their way at once."""
        resting, under_way = deque(self._tables.values()), set[str]()
        took: list[float] = []
        end = time.monotonic() + seconds
        last_look = time.monotonic()
        while True:
            now = time.monotonic()
            while now < end and resting and len(under_way) < IN_FLIGHT_MAX:
                table = resting.popleft()
                under_way.add(table.name)
                self._send(table, write(table), now)
            if not under_way:
                return took
            for message in self._heard():
                if isinstance(message, Refused):
                    raise AssertionError(f"the controller refused: {message}")
                if isinstance(message, awaited) and message.table in under_way:
                    table = self._tables[message.table]
                    if isinstance(message, Acked) and message.sequence != table.written:
                        continue
                    if isinstance(message, Pong):
                        table.heard = (message.controller_boot, message.controller_ns, time.monotonic_ns())
                    under_way.discard(table.name)
                    resting.append(table)
                    took.append(time.monotonic() - table.sent_s)
            if now - last_look > 1.0:
                last_look = now
                self._send_again(under_way, again, now)
                assert now < end + PATIENCE_S, f"{len(under_way)} letters were never answered"

    def _send(self, table: SwarmTable, content: bytes, now: float) -> None:
        table.sent_s = now
        self._broker.publish(bulletin.up_topic(CONTROLLER, table.name), table.envelope(content))

    def _send_again(self, under_way: set[str], again: Callable[[SwarmTable], bytes], now: float) -> None:
        for name in sorted(under_way):
            table = self._tables[name]
            if now - table.sent_s > RESEND_S:
                self.resent += 1
                self._send(table, again(table), now)

    def _heard(self) -> list[Message]:
        heard: list[Message] = []
        try:
            content = self._came.get(timeout=0.1)
            while True:
                heard.append(decode(content.partition(b"\n")[2]))
                content = self._came.get_nowait()
        except queue.Empty:
            return heard
