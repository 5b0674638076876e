"""What every link must do, run on the in-memory one and on pyserial over a real pseudo-terminal."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from felt.drivers.serial_link import SerialLink
from felt.nouns.cards import DECK, Card
from felt.ports import Link
from felt.virtual.link import VirtualLink
from felt.virtual.shuffler import Misbehaviour, PtyShuffler, ShufflerDevice
from felt.wire.shuffler import (
    CardRead,
    DeckStatus,
    Hello,
    PacketRead,
    ShufflerReader,
    WireError,
    encode_ack,
    encode_dispense,
)

PATIENCE_S = 10.0


class Table:
    """The least table: reads, keeps each card once, acknowledges what it has kept."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.reader = ShufflerReader()
        self.cards: list[Card] = []
        self.ordinals: list[int] = []
        self.errors: list[WireError] = []
        self.stamps: list[int] = []
        self.decks: list[DeckStatus] = []
        self.greetings = 0
        self.repeats = 0
        self.states: list[bool] = []
        self.lock = threading.Lock()

    def begin(self) -> None:
        self.link.start(self.on_bytes, self.states.append)

    def on_bytes(self, data: bytes, ns: int) -> None:
        with self.lock:
            self.stamps.append(ns)
            self.reader.receive(data)
            for event in self.reader:
                if isinstance(event, WireError):
                    self.errors.append(event)
                elif isinstance(event, Hello | CardRead | PacketRead | DeckStatus):
                    self.repeats += event.repeat
                    if not event.repeat:
                        self.keep(event)
                    self.link.send(encode_ack(event.sequence))

    def keep(self, event: Hello | CardRead | PacketRead | DeckStatus) -> None:
        match event:
            case CardRead():
                self.cards.append(event.card)
                self.ordinals.append(event.ordinal)
            case PacketRead():
                self.cards.extend(event.cards)
            case DeckStatus():
                self.decks.append(event)
            case Hello():
                self.greetings += 1


class Bench:
    """A table at one end of a link and a shuffler at the other."""

    link: Link
    table: Table

    def until(self, condition: Callable[[], bool]) -> None:
        raise NotImplementedError

    def deal(self, sets: int, cards_each: int) -> list[Card]:
        raise NotImplementedError

    def misbehave(self, misdeed: Misbehaviour) -> None:
        raise NotImplementedError

    def unplug(self) -> None:
        raise NotImplementedError

    def plug(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.link.close()


class VirtualBench(Bench):
    def __init__(self, device: ShufflerDevice) -> None:
        self.device = device
        self.virtual = self.link = VirtualLink(device)
        self.table = Table(self.virtual)
        self.now_ns = 0

    def until(self, condition: Callable[[], bool]) -> None:
        for _ in range(5_000):
            if condition():
                return
            self.now_ns = max(self.now_ns, self.virtual.next_due_ns())
            self.virtual.deliver(self.now_ns)
        raise AssertionError("it did not happen")

    def deal(self, sets: int, cards_each: int) -> list[Card]:
        return [card for cards in self.device.dispense(sets, cards_each) for card in cards]

    def misbehave(self, misdeed: Misbehaviour) -> None:
        self.device.misbehave(misdeed)

    def unplug(self) -> None:
        self.virtual.unplug()

    def plug(self) -> None:
        self.virtual.plug()


class PtyBench(Bench):
    def __init__(self, device: ShufflerDevice, folder: Path) -> None:
        self.shuffler = PtyShuffler(device, folder / "shuffler")
        self.shuffler.plug()
        self.link = SerialLink(self.shuffler.path)
        self.table = Table(self.link)

    def until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, "it did not happen"
            time.sleep(0.002)

    def deal(self, sets: int, cards_each: int) -> list[Card]:
        return [card for cards in self.shuffler.dispense(sets, cards_each) for card in cards]

    def misbehave(self, misdeed: Misbehaviour) -> None:
        self.shuffler.misbehave(misdeed)

    def unplug(self) -> None:
        self.shuffler.unplug()

    def plug(self) -> None:
        self.shuffler.plug()

    def close(self) -> None:
        super().close()
        self.shuffler.close()


@pytest.fixture(params=["virtual", "pty"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    device = ShufflerDevice(random.Random(7))
    made: Bench = VirtualBench(device) if request.param == "virtual" else PtyBench(device, tmp_path)
    yield made
    made.close()


def test_a_link_says_that_it_is_connected_and_the_device_greets(bench: Bench) -> None:
    bench.table.begin()
    bench.until(lambda: bench.table.greetings == 1)
    assert bench.table.states == [True]
    assert bench.link.alive()


def test_every_card_arrives_once_and_in_order(bench: Bench) -> None:
    bench.table.begin()
    dealt = bench.deal(8, 3)
    bench.until(lambda: len(bench.table.cards) == 24)
    assert bench.table.cards == dealt
    assert bench.table.ordinals == list(range(1, 25))
    assert bench.table.stamps == sorted(bench.table.stamps)


def test_an_order_from_the_table_is_dealt_once_even_if_it_is_repeated(bench: Bench) -> None:
    bench.table.begin()
    bench.until(lambda: bench.table.states == [True])
    for _ in range(3):
        bench.link.send(encode_dispense(5, 2, 3))
    # The deck that is ready after the deal is the second one told of.
    bench.until(lambda: [deck.cards_in_deck for deck in bench.table.decks] == [52, 46, 52])
    assert len(bench.table.cards) == 6


@pytest.mark.parametrize(
    "misdeed", [Misbehaviour.REPEAT, Misbehaviour.DROP, Misbehaviour.NOISE, Misbehaviour.DAMAGE]
)
def test_a_line_that_misbehaves_costs_no_card_and_doubles_none(bench: Bench, misdeed: Misbehaviour) -> None:
    bench.table.begin()
    bench.until(lambda: len(bench.table.decks) == 1)
    bench.misbehave(misdeed)
    dealt = bench.deal(2, 3)
    bench.until(lambda: len(bench.table.decks) == 3)
    assert bench.table.cards == dealt
    if misdeed in (Misbehaviour.NOISE, Misbehaviour.DAMAGE):
        assert bench.table.errors
    if misdeed is Misbehaviour.REPEAT:
        assert bench.table.repeats


def test_a_card_that_comes_twice_in_one_deal_is_delivered_as_it_is(bench: Bench) -> None:
    bench.table.begin()
    bench.misbehave(Misbehaviour.DUPLICATE_CARD)
    bench.deal(1, 3)
    bench.until(lambda: len(bench.table.cards) == 3)
    assert bench.table.cards[0] == bench.table.cards[1]


def test_unplugged_in_the_middle_of_a_deal_and_plugged_again_loses_and_doubles_no_card(bench: Bench) -> None:
    bench.table.begin()
    dealt = bench.deal(8, 3)
    bench.until(lambda: len(bench.table.cards) >= 5)
    bench.unplug()
    bench.until(lambda: bench.table.states == [True, False])
    assert bench.link.alive()
    bench.link.send(b"nobody hears this")
    bench.plug()
    bench.until(lambda: bench.table.states == [True, False, True])
    bench.until(lambda: len(bench.table.cards) == 24)
    assert bench.table.cards == dealt


def test_a_closed_link_says_nothing_more(bench: Bench) -> None:
    bench.table.begin()
    bench.until(lambda: bench.table.greetings == 1)
    bench.link.close()
    bench.link.close()
    assert not bench.link.alive()
    bench.link.send(b"too late")
    assert bench.table.states == [True]


def test_packets_travel_as_one_message_each() -> None:
    bench = VirtualBench(ShufflerDevice(random.Random(1), decks=[DECK], packets=True))
    bench.table.begin()
    assert bench.deal(3, 3) == list(DECK[:9])
    bench.until(lambda: len(bench.table.cards) == 9)
    assert bench.table.cards == list(DECK[:9])
