"""Plays a table's end to a maker's device: what the device says, whether it repeats and stops repeating, and one
deal."""

from __future__ import annotations

import contextlib
import secrets
import time
from typing import Any

from felt.drivers.serial_link import SerialLink
from felt.wire.shuffler import (
    CardsRead,
    DeckStatus,
    Done,
    Heartbeat,
    Hello,
    OrderOutcome,
    ShufflerReader,
    encode_ack,
    encode_ask_hello,
    encode_ask_status,
    encode_dispense,
    encode_welcome,
)
from tools.conforming.judge import Ear, Judge, Unheard

REPEATED_WITHIN_S = 1.0
HEARTBEAT_WITHIN_S = 3.0
QUIET_S = 1.0


class TableEnd:
    def __init__(self, url: str, judge: Judge, patience_s: float) -> None:
        self._reader = ShufflerReader()
        self._judge = judge
        self.events: Ear[Any] = Ear(patience_s)
        self._link = SerialLink(url)
        self._link.start(self._hear, lambda _: None)
        self.close, self.send = self._link.close, self._link.send

    def _hear(self, content: bytes, _ns: int) -> None:
        self._reader.receive(content)
        for event in self._reader:
            self.events.put(event)

    def wait(self, kind: type[Any], within_s: float | None = None) -> Any:
        return self.events.wait(f"{kind.__name__} of the device", lambda event: isinstance(event, kind), within_s)

    def acknowledged(self, kind: type[Any]) -> Any:
        """Every numbered message up to the expected one; each is acknowledged."""
        while True:
            event = self.events.wait(
                f"{kind.__name__} of the device", lambda event: isinstance(event, DeckStatus | Done | CardsRead | Hello)
            )
            self.send(encode_welcome(event.sequence, 1) if isinstance(event, Hello) else encode_ack(event.sequence))
            if isinstance(event, kind):
                return event


def look_at_device(url: str, judge: Judge, patience_s: float) -> None:
    table = TableEnd(url, judge, patience_s)
    with contextlib.closing(table):
        _look_at_greeting(table, judge, patience_s)
        _look_at_deal(table, judge)


def _look_at_greeting(table: TableEnd, judge: Judge, patience_s: float) -> None:
    hello = _asked_hello(table, patience_s)
    judge.say("it says HELLO when it is asked", True)
    judge.say("its session is not nought", hello.session != 0)
    judge.say("it speaks version 1", hello.lowest <= 1 <= hello.highest)
    again = table.wait(Hello, REPEATED_WITHIN_S)
    judge.say("it repeats HELLO, the same, until it is welcomed", _same(again, hello))
    table.send(encode_welcome(hello.sequence, 1))
    status = table.wait(DeckStatus)
    judge.say("it tells of its deck after that", True)
    judge.say("its next number is the next one", status.sequence == hello.sequence % 65535 + 1)
    judge.say("it repeats that until it is acknowledged", _same(table.wait(DeckStatus, REPEATED_WITHIN_S), status))
    table.send(encode_ack(status.sequence))
    time.sleep(0.3)  # what was on its way is dropped
    while table.events.hears(lambda event: isinstance(event, DeckStatus), 0.0):
        pass
    repeats = table.events.hears(
        lambda event: isinstance(event, DeckStatus) and event.sequence == status.sequence, QUIET_S
    )
    judge.say("it does not repeat what is acknowledged", not repeats)
    judge.say("it gives a sign of life every second", _lives(table))
    table.send(encode_ask_status())
    asked = table.acknowledged(DeckStatus)
    judge.say("it tells of its deck when it is asked", True)
    judge.say("its deck is shuffled and has 52 cards", asked.shuffled and asked.cards == 52)


def _asked_hello(table: TableEnd, patience_s: float) -> Hello:
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        table.send(encode_ask_hello())
        with contextlib.suppress(Unheard):
            hello: Hello = table.wait(Hello, 1.0)
            return hello
    raise Unheard("HELLO of the device")


def _lives(table: TableEnd) -> bool:
    return table.events.hears(lambda event: isinstance(event, Heartbeat), HEARTBEAT_WITHIN_S)


def _look_at_deal(table: TableEnd, judge: Judge) -> None:
    origin, order = secrets.randbits(32), 7
    table.send(encode_dispense(order, origin, 1, 3))
    done = table.acknowledged(Done)
    judge.say("an order to deal is taken on", done.outcome == OrderOutcome.TAKEN)
    judge.say("the answer names origin and number", (done.origin, done.order) == (origin, order))
    cards: list[Any] = []
    while len(cards) < 3:
        told = table.acknowledged(CardsRead)
        if not told.repeat:
            judge.say(f"card {len(cards) + 1} has its ordinal", told.first_ordinal == len(cards) + 1)
            cards += told.cards
    judge.say("three cards leave, all different", len({card.card for card in cards}) == len(cards) == 3)
    table.send(encode_dispense(order, origin, 1, 3))
    again = table.acknowledged(Done)
    judge.say("the same order again has the same answer", again.outcome == done.outcome)
    more = table.events.hears(lambda event: isinstance(event, CardsRead) and not event.repeat, QUIET_S)
    judge.say("and is not carried out again", not more)


def _same(first: Any, other: Any) -> bool:
    return bool(first.sequence == other.sequence)
