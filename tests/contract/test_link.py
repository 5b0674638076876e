"""What every link must do. It runs on the in-memory one and on pyserial over a real pseudo-terminal."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from felt.drivers.serial_link import SerialLink
from felt.nouns.cards import DECK, Card
from felt.nouns.values import replace
from felt.ports import Link
from felt.virtual.link import VirtualLink
from felt.virtual.shuffler import Misbehaviour, PtyShuffler, ShufflerDevice
from felt.wire.adapters.adapter import CardsLeft, DeckTold, Event, Greeted, NotUnderstood, OrderAnswered, Unsupported
from felt.wire.adapters.felt_1 import Felt1
from felt.wire.shuffler import encode_ask_hello, encode_burn, encode_dispense, encode_eject

ORIGIN = 0x7E
PATIENCE_S = 10.0


class Table:
    """The least table: it hears the device through its adapter, keeps each card once, and answers what it has kept."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.adapter = Felt1()
        self.cards: list[Card | None] = []
        self.ordinals: list[int | None] = []  # of each message's first card
        self.errors: list[NotUnderstood] = []
        self.stamps: list[int] = []
        self.decks: list[DeckTold] = []
        self.orders: list[OrderAnswered] = []
        self.sessions: list[int | None] = []
        self.refused: list[Unsupported] = []
        self.repeats = 0
        self.states: list[bool] = []
        self.lock = threading.Lock()

    def begin(self) -> None:
        self.link.start(self.on_bytes, self.states.append)

    def on_bytes(self, received: bytes, ns: int) -> None:
        with self.lock:
            self.stamps.append(ns)
            for event in self.adapter.receive(received):
                self.keep(event)
                if not isinstance(event, Unsupported) and event.answer:
                    self.link.send(event.answer)

    def keep(self, event: Event) -> None:
        match event:
            case NotUnderstood():
                self.errors.append(event)
            case CardsLeft(cards=cards, repeat=repeat, first_ordinal=ordinal):
                self.repeats += repeat
                self.ordinals.extend(() if repeat else (ordinal,))
                self.cards.extend(() if repeat else (card.card for card in cards))
            case DeckTold() if replace(event, answer=b"") not in self.decks[-1:]:
                self.decks.append(replace(event, answer=b""))
            case OrderAnswered():
                self.orders.append(event)
            case Greeted(session=session) if session not in self.sessions:
                self.sessions.append(session)
            case Unsupported():
                self.refused.append(event)
            case _:
                pass


class Bench(Protocol):
    """A table at one end of a link and a shuffler at the other."""

    link: Link
    table: Table

    def until(self, condition: Callable[[], bool]) -> None: ...

    def deal(self, sets: int, cards_each: int) -> list[Card]: ...

    def misbehave(self, misdeed: Misbehaviour) -> None: ...

    def mend(self) -> None: ...

    def unplug(self) -> None: ...

    def plug(self) -> None: ...

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

    def mend(self) -> None:
        self.device.mend()

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

    def mend(self) -> None:
        self.shuffler.ask(lambda device: device.mend())

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
    bench.until(lambda: len(bench.table.sessions) == 1)
    assert bench.table.states == [True]
    assert bench.link.alive()


def test_every_card_arrives_once_and_in_order(bench: Bench) -> None:
    bench.table.begin()
    dealt = bench.deal(8, 3)
    bench.until(lambda: len(bench.table.cards) == 24)
    assert bench.table.cards == dealt
    assert bench.table.stamps == sorted(bench.table.stamps)


def test_an_order_from_the_table_is_dealt_once_and_answered_even_if_it_is_repeated(bench: Bench) -> None:
    bench.table.begin()
    bench.until(lambda: bench.table.states == [True])
    for _ in range(3):
        bench.link.send(encode_dispense(5, ORIGIN, 2, 3))
    # The deck that is ready after the deal is the second deck reported.
    bench.until(lambda: [deck.cards for deck in bench.table.decks] == [52, 46, 52])
    bench.link.send(encode_dispense(5, ORIGIN, 2, 3))
    bench.until(lambda: len(bench.table.orders) > 1)
    assert all((order.order, order.refused) == (5, "") for order in bench.table.orders)
    assert len(bench.table.cards) == 6


def test_the_same_number_from_another_table_is_another_order(bench: Bench) -> None:
    bench.table.begin()
    bench.until(lambda: len(bench.table.decks) == 1)
    bench.link.send(encode_dispense(5, ORIGIN, 1, 3))
    bench.until(lambda: len(bench.table.cards) == 3)
    bench.until(lambda: [deck.cards for deck in bench.table.decks] == [52, 49, 52])
    bench.link.send(encode_dispense(5, ORIGIN + 1, 1, 3))
    bench.until(lambda: len(bench.table.cards) == 6)


def test_an_order_that_cannot_be_carried_out_says_why(bench: Bench) -> None:
    bench.table.begin()
    bench.until(lambda: len(bench.table.decks) == 1)
    bench.link.send(encode_dispense(5, ORIGIN, 18, 3))
    bench.until(lambda: [order.refused for order in bench.table.orders] == ["it has too few cards"])
    assert bench.table.cards == []


def test_a_burn_card_and_an_ejected_deck_are_ordered_and_told(bench: Bench) -> None:
    bench.table.begin()
    bench.until(lambda: len(bench.table.decks) == 1)
    bench.link.send(encode_burn(5, ORIGIN))
    bench.until(lambda: [deck.cards for deck in bench.table.decks] == [52, 51])
    assert len(bench.table.cards) == 1
    bench.link.send(encode_eject(6, ORIGIN))
    bench.until(lambda: [deck.cards for deck in bench.table.decks] == [52, 51, 0, 52])
    assert [order.order for order in bench.table.orders] == [5, 6]


def test_a_device_that_is_asked_who_it_is_says_so_without_restarting(bench: Bench) -> None:
    bench.table.begin()
    bench.until(lambda: len(bench.table.decks) == 1)
    heard = len(bench.table.stamps)
    bench.link.send(encode_ask_hello())
    bench.until(lambda: len(bench.table.stamps) > heard + 1)
    assert len(bench.table.sessions) == 1


@pytest.mark.parametrize(
    "misdeed",
    [
        Misbehaviour.REPEAT, Misbehaviour.DROP, Misbehaviour.NOISE, Misbehaviour.DAMAGE, Misbehaviour.TRUNCATE,
        Misbehaviour.UNKNOWN, Misbehaviour.SLOW,
    ],
)  # fmt: skip
def test_a_line_that_misbehaves_costs_no_card_and_doubles_none(bench: Bench, misdeed: Misbehaviour) -> None:
    bench.table.begin()
    bench.until(lambda: len(bench.table.decks) == 1)
    bench.misbehave(misdeed)
    dealt = bench.deal(2, 3)
    bench.until(lambda: len(bench.table.decks) == 3)
    assert bench.table.cards == dealt
    if misdeed in (Misbehaviour.NOISE, Misbehaviour.DAMAGE, Misbehaviour.TRUNCATE):
        assert bench.table.errors[0].damaged
    if misdeed is Misbehaviour.UNKNOWN:
        assert [error.damaged for error in bench.table.errors] == [False]
    if misdeed is Misbehaviour.REPEAT:
        assert bench.table.repeats


def test_a_card_that_comes_twice_in_one_deal_is_delivered_as_it_is(bench: Bench) -> None:
    bench.table.begin()
    bench.misbehave(Misbehaviour.DUPLICATE_CARD)
    bench.deal(1, 3)
    bench.until(lambda: len(bench.table.cards) == 3)
    assert bench.table.cards[0] == bench.table.cards[1]


def test_an_unread_card_or_one_of_no_deck_leaves_its_place_empty(bench: Bench) -> None:
    bench.table.begin()
    bench.misbehave(Misbehaviour.UNREAD_CARD)
    dealt = bench.deal(1, 3)
    bench.until(lambda: len(bench.table.cards) == 3)
    assert bench.table.cards == [None, *dealt[1:]]
    assert bench.table.errors == []
    bench.misbehave(Misbehaviour.FOREIGN_CARD)
    bench.deal(1, 1)
    bench.until(lambda: len(bench.table.cards) == 4)
    assert bench.table.cards[3] is None
    assert [(error.raw, error.damaged) for error in bench.table.errors] == [(b"Jo", False)]


def test_a_message_that_is_never_sent_leaves_a_gap_in_the_count_of_the_deal(bench: Bench) -> None:
    bench.table.begin()
    dealt = bench.deal(1, 2)
    bench.until(lambda: len(bench.table.cards) == 2)
    bench.until(lambda: [deck.cards for deck in bench.table.decks] == [52, 50, 52])
    bench.misbehave(Misbehaviour.SKIP)
    more = bench.deal(1, 3)
    bench.until(lambda: len(bench.table.cards) == 4)
    assert bench.table.cards == [*dealt, *more[1:]]
    assert bench.table.ordinals == [1, 2, 2, 3]  # the second deal begins with its second card
    assert "messages are missing" in bench.table.errors[0].reason


def test_a_jam_stops_the_deal_and_its_cards_follow_when_it_is_cleared(bench: Bench) -> None:
    bench.table.begin()
    bench.misbehave(Misbehaviour.JAM)
    dealt = bench.deal(2, 3)
    bench.until(lambda: bool(bench.table.decks) and bench.table.decks[-1].jammed)
    assert bench.table.cards == dealt[:1]
    bench.mend()
    bench.until(lambda: not bench.table.decks[-1].jammed and bench.table.decks[-1].cards == 52)
    assert bench.table.cards == dealt


def test_an_open_door_is_told_and_refuses_orders_until_it_is_closed(bench: Bench) -> None:
    bench.table.begin()
    bench.until(lambda: len(bench.table.decks) == 1)
    bench.misbehave(Misbehaviour.DOOR_OPEN)
    bench.until(lambda: bench.table.decks[-1].door_open)
    bench.link.send(encode_dispense(5, ORIGIN, 1, 3))
    bench.until(lambda: [order.refused for order in bench.table.orders] == ["its door is open"])
    bench.mend()
    bench.until(lambda: not bench.table.decks[-1].door_open)
    bench.link.send(encode_dispense(5, ORIGIN, 1, 3))
    bench.until(lambda: len(bench.table.cards) == 3)


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
    bench.until(lambda: len(bench.table.sessions) == 1)
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
