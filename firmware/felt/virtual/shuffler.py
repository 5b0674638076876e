"""An emulated shuffler that speaks Felt's protocol, with a small menu of misbehaviour. `ShufflerDevice` is the
device itself, sans-IO; `PtyShuffler` puts it on a real pseudo-terminal that any serial program can open. Neither
knows the table's rules: it deals what it is asked to deal."""

from __future__ import annotations

import contextlib
import enum
import os
import random
import select
import threading
import time
import tty
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from felt.nouns.cards import DECK, Card
from felt.nouns.stamps import NS_PER_MS, NS_PER_S
from felt.wire.shuffler import (
    Ack,
    CommandReader,
    Dispense,
    StatusAsked,
    encode_card,
    encode_heartbeat,
    encode_hello,
    encode_packet,
    encode_status,
    next_sequence,
)

RETRANSMIT_NS = 200 * NS_PER_MS
HEARTBEAT_NS = 1 * NS_PER_S
NOISE_BYTES = 12


class Misbehaviour(enum.StrEnum):
    """What the device does wrong once, at the next numbered message or, for a card, at the next deal."""

    REPEAT = "repeat"  # the message is sent twice
    DROP = "drop"  # the message does not reach the line the first time
    NOISE = "noise"  # random bytes come before the message
    DAMAGE = "damage"  # one byte of the message is wrong the first time
    DUPLICATE_CARD = "duplicate_card"  # the deal's second card is its first once more


class ShufflerDevice:
    """Feed it what the table sends with `receive`; send what `tick` returns; call again by `next_due_ns`.

    Every numbered message is repeated until it is acknowledged, and only then does the next one follow."""

    def __init__(
        self,
        chance: random.Random,
        decks: Sequence[Sequence[Card]] = (),
        packets: bool = False,
        identity: str = "Felt virtual shuffler",
    ) -> None:
        """`decks` are dealt first, in their order; after them each deal has 52 cards shuffled by `chance`.
        With `packets` the cards of a set travel as one message."""
        self._chance = chance
        self._decks = deque(tuple(deck) for deck in decks)
        self._packets = packets
        self._identity = identity
        self._commands = CommandReader()
        self._misdeeds: deque[Misbehaviour] = deque()
        self._last_order: int | None = None
        self._deck = self._next_deck()
        self._heartbeat_ns: int | None = None
        self.restart()

    def restart(self) -> None:
        """Power off and on: what was not acknowledged is forgotten, numbers begin again, HELLO is said."""
        self._sequence = 0
        self._outgoing: deque[tuple[int, bytes]] = deque()
        self._repeat_ns: int | None = None  # when the message at the head goes out again; None: not sent yet
        session = self._chance.getrandbits(32)
        self._queue(lambda sequence: encode_hello(sequence, session, self._identity))
        self._queue_status(len(self._deck), shuffled=True)

    def misbehave(self, misdeed: Misbehaviour) -> None:
        self._misdeeds.append(misdeed)

    def dispense(self, sets: int, cards_each: int) -> tuple[tuple[Card, ...], ...]:
        """Deal from a fresh deck, as if the dealer had pressed the device's own key; after it the next deck is
        made ready and told. Returns what was dealt."""
        deck = list(self._deck)
        if self._take_misdeed(Misbehaviour.DUPLICATE_CARD) and len(deck) > 1:
            deck[1] = deck[0]
        wanted = min(sets * cards_each, len(deck))
        dealt = tuple(tuple(deck[begin : min(begin + cards_each, wanted)]) for begin in range(0, wanted, cards_each))
        ordinal = 1
        for cards in dealt:
            self._queue_set(ordinal, cards)
            ordinal += len(cards)
        self._queue_status(len(deck) - wanted, shuffled=False)
        self._deck = self._next_deck()
        self._queue_status(len(self._deck), shuffled=True)
        return dealt

    def receive(self, data: bytes) -> None:
        self._commands.receive(data)
        for event in self._commands:
            match event:
                case Ack(sequence):
                    self._acknowledged(sequence)
                case Dispense(sequence, sets, cards_each) if cards_each and sequence != self._last_order:
                    self._last_order = sequence
                    self.dispense(sets, cards_each)
                case StatusAsked():
                    self._queue_status(len(self._deck), shuffled=True)
                case _:
                    pass  # noise, or an order already carried out

    def tick(self, now_ns: int) -> bytes:
        """What goes out on the line by now."""
        data = b""
        if self._outgoing and (self._repeat_ns is None or now_ns >= self._repeat_ns):
            data = self._outgoing[0][1] if self._repeat_ns is not None else self._first_sending()
            self._repeat_ns = now_ns + RETRANSMIT_NS
        if self._heartbeat_ns is None or now_ns >= self._heartbeat_ns:
            data += encode_heartbeat()
            self._heartbeat_ns = now_ns + HEARTBEAT_NS
        return data

    def next_due_ns(self) -> int:
        """When `tick` has something to send again; 0 means at once."""
        if self._heartbeat_ns is None or (self._outgoing and self._repeat_ns is None):
            return 0
        return min(self._heartbeat_ns, self._repeat_ns) if self._repeat_ns is not None else self._heartbeat_ns

    def quiet(self) -> bool:
        """Everything that was said has been acknowledged."""
        return not self._outgoing

    def _next_deck(self) -> Sequence[Card]:
        return self._decks.popleft() if self._decks else self._chance.sample(DECK, len(DECK))

    def _queue_set(self, ordinal: int, cards: tuple[Card, ...]) -> None:
        if self._packets:
            self._queue(lambda sequence: encode_packet(sequence, ordinal, cards))
            return
        for offset, card in enumerate(cards):
            self._queue_card(ordinal + offset, card)

    def _queue_card(self, ordinal: int, card: Card) -> None:
        self._queue(lambda sequence: encode_card(sequence, ordinal, card))

    def _queue_status(self, cards_in_deck: int, shuffled: bool) -> None:
        self._queue(lambda sequence: encode_status(sequence, cards_in_deck, shuffled))

    def _queue(self, encode: Callable[[int], bytes]) -> None:
        self._sequence = next_sequence(self._sequence)
        self._outgoing.append((self._sequence, encode(self._sequence)))

    def _acknowledged(self, sequence: int) -> None:
        if self._outgoing and self._outgoing[0][0] == sequence and self._repeat_ns is not None:
            self._outgoing.popleft()
            self._repeat_ns = None

    def _take_misdeed(self, misdeed: Misbehaviour) -> bool:
        if misdeed not in self._misdeeds:
            return False
        self._misdeeds.remove(misdeed)
        return True

    def _first_sending(self) -> bytes:
        frame = self._outgoing[0][1]
        if self._take_misdeed(Misbehaviour.DROP):
            return b""
        if self._take_misdeed(Misbehaviour.DAMAGE):
            return frame[:3] + bytes((frame[3] ^ 0x01,)) + frame[4:]
        if self._take_misdeed(Misbehaviour.REPEAT):
            frame += frame
        if self._take_misdeed(Misbehaviour.NOISE):
            frame = self._chance.randbytes(NOISE_BYTES) + frame
        return frame


class PtyShuffler:
    """A shuffler device on a pseudo-terminal. Open `path` with any serial program. `plug` and `unplug` do to the
    program at the other end what pulling the cable does; `link`, if given, is a name that stays the same."""

    def __init__(self, device: ShufflerDevice, link: Path | None = None) -> None:
        self._device = device
        self._link = link
        self._lock = threading.Lock()
        self._wake_read, self._wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._path = ""

    @property
    def path(self) -> str:
        return str(self._link) if self._link is not None else self._path

    def plug(self) -> None:
        assert self._thread is None, "the cable is already plugged in"
        master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self._path = os.ttyname(slave)
        if self._link is not None:
            self._link.unlink(missing_ok=True)
            self._link.symlink_to(self._path)
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, args=(master, slave), name="felt-shuffler", daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        if self._thread is None:
            return
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        self._stopping.set()
        self._wake()
        self._thread.join()
        self._thread = None

    def close(self) -> None:
        self.unplug()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def dispense(self, sets: int, cards_each: int) -> tuple[tuple[Card, ...], ...]:
        with self._lock:
            dealt = self._device.dispense(sets, cards_each)
        self._wake()
        return dealt

    def misbehave(self, misdeed: Misbehaviour) -> None:
        with self._lock:
            self._device.misbehave(misdeed)

    def quiet(self) -> bool:
        with self._lock:
            return self._device.quiet()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._wake_write, b"!")

    def _run(self, master: int, slave: int) -> None:
        # The other end stays open here too, so that a program may come and go without an end of file.
        try:
            while not self._stopping.is_set():
                with self._lock:
                    data = self._device.tick(time.monotonic_ns())
                    wait_s = max(0, self._device.next_due_ns() - time.monotonic_ns()) / NS_PER_S
                # With nobody listening the line fills up; what does not fit is lost, as on a real line.
                with contextlib.suppress(BlockingIOError):
                    os.write(master, data)
                ready, _, _ = select.select([master, self._wake_read], [], [], wait_s)
                self._take_in(master, ready)
        finally:
            os.close(master)
            os.close(slave)

    def _take_in(self, master: int, ready: Sequence[int]) -> None:
        if self._wake_read in ready:
            os.read(self._wake_read, 4096)
        if master in ready:
            data = os.read(master, 4096)
            with self._lock:
                self._device.receive(data)
