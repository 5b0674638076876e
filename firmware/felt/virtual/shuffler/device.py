"""An emulated shuffler that speaks Felt's protocol. Sans-IO: the owner supplies bytes and time."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from felt.nouns.cards import Card
from felt.nouns.stamps import NS_PER_MS, NS_PER_S
from felt.nouns.values import Value, replace
from felt.virtual.shuffler.deck import NOISE_BYTES, SLOW_NS, Dealer, Misbehaviour, State
from felt.wire.shuffler import (
    ORDINAL_UNKNOWN,
    VERSIONS_SPOKEN,
    Ack,
    Burn,
    CommandReader,
    DeckStatus,
    Dispense,
    Eject,
    HelloAsked,
    MessageKind,
    OneCard,
    OrderOutcome,
    StatusAsked,
    Welcome,
    encode_card,
    encode_done,
    encode_frame,
    encode_heartbeat,
    encode_hello,
    encode_packet,
    encode_status,
    next_sequence,
)

RETRANSMIT_NS = 200 * NS_PER_MS
HEARTBEAT_NS = 1 * NS_PER_S
UNKNOWN_KIND = 0x55

Write = Callable[[int, int], bytes]  # builds a frame from number and age in ms


class QueuedFrame(Value):
    sequence: int
    write: Write
    kind: MessageKind


class ShufflerDevice:
    """Repeats every numbered message until it is acknowledged; only then the next one follows."""

    def __init__(
        self,
        chance: random.Random,
        decks: Sequence[Sequence[Card]] = (),
        packets: bool = False,
        identity: str = "Felt virtual shuffler",
        versions: tuple[int, int] = VERSIONS_SPOKEN,
        damaged_in_1000: int = 0,
    ) -> None:
        """With `packets`, the cards of a set travel in one message. Of a thousand frames in either direction,
        `damaged_in_1000` have a wrong bit."""
        self._dealer = Dealer(chance, decks)
        self._packets = packets
        self._identity = identity
        self._versions = versions
        self._damaged_in_1000 = damaged_in_1000
        self._commands = CommandReader()
        self._last_order: tuple[int, int] | None = None  # survives a restart: an order runs once
        self._held: list[tuple[int, tuple[Card, ...]]] = []  # sets behind a jam, with their ordinals
        self._heartbeat_ns: int | None = None
        self._now_ns = 0
        self._ordinal = 0  # of the deal's last card; survives a restart unless it was forgotten
        self._knows_ordinal = True
        self.damages = 0
        self.restart()

    def restart(self, *, forgets: bool = False) -> None:
        """Switches power off and on: unacknowledged messages are lost, numbers start again, and HELLO is sent."""
        self._knows_ordinal = self._knows_ordinal and not forgets
        self._sequence = 0
        self._outgoing: deque[QueuedFrame] = deque()
        self._left_ns: dict[int, int] = {}
        self._repeat_ns: int | None = None  # when the first queued message is sent again; None: not sent yet
        self._pause_ns = 0
        self._session = self._dealer.chance.getrandbits(32) or 1
        self._queue_hello()
        self._queue_status(shuffled=True)

    def misbehave(self, misdeed: Misbehaviour) -> None:
        self._dealer.misdeeds.append(misdeed)
        if misdeed in (Misbehaviour.FACE_UP, Misbehaviour.DOOR_OPEN):
            self._queue_status(shuffled=True)
        if misdeed is Misbehaviour.SHORT_DECK:
            self.load(self._dealer.deck)

    def mend(self) -> None:
        """Ends every fault; jammed cards come out."""
        was_jammed, before = self._dealer.jammed, self.state()
        self._dealer.mend()
        if not was_jammed and self.state() != before:
            self._queue_status(shuffled=True)
        if was_jammed:
            held, self._held = self._held, []
            for ordinal, cards in held:
                self._queue_set(ordinal, cards)
            self._end_deal()

    def load(self, deck: Sequence[Card]) -> None:
        """The next deal uses these cards, in this order."""
        self._dealer.decks.appendleft(tuple(deck))
        self._dealer.new_deck()
        self._queue_status(shuffled=True)

    def stack(self, deck: Sequence[Card], laid_aside: Sequence[Card]) -> None:
        """Arranges the deck silently, as a hand does; no message is sent. Some cards are reported as laid aside."""
        self._dealer.deck, self._dealer.laid_aside = tuple(deck), tuple(laid_aside)

    def count_on_from(self, ordinal: int) -> None:
        """So many cards of this deal have left by another way."""
        self._ordinal = ordinal

    def dispense(self, sets: int, cards_each: int, *, goes_on: bool = False) -> tuple[tuple[Card, ...], ...]:
        """Deals from a fresh deck, as if the dealer had pressed the device's key. Then the next deck is prepared and
        reported. Returns the dealt cards."""
        dealt = self._dealer.draw(sets, cards_each)
        if not goes_on:
            self._ordinal, self._knows_ordinal = 0, True
        first = ordinal = self._ordinal + 1
        jams = self._dealer.take(Misbehaviour.JAM) and bool(dealt)
        for cards in dealt:
            if jams and ordinal > first:
                self._held.append((ordinal, cards))
            elif jams:
                self._queue_set(first, cards[:1])
                if cards[1:]:
                    self._held.append((first + 1, cards[1:]))
            else:
                self._queue_set(ordinal, cards)
            ordinal += len(cards)
        self._ordinal = ordinal - 1
        if jams:
            self._dealer.jammed = True
            self._queue_status(shuffled=False)
        else:
            self._end_deal()
        return dealt

    def burn(self) -> None:
        """One card leaves and is reported as burnt."""
        self._ordinal, self._knows_ordinal = 1, True
        for cards in self._dealer.draw(1, 1):
            self._queue_card(1, replace(self._dealer.as_told(cards)[0], burnt=True))
        self._queue_status(shuffled=False)

    def eject(self) -> None:
        """Ejects the rest of the deck unread and takes a fresh one."""
        self._dealer.deck = ()
        self._end_deal()

    def receive(self, received: bytes) -> None:
        self._commands.receive(self._on_the_line(received))
        for event in self._commands:
            match event:
                case Ack(sequence) | Welcome(sequence):
                    self._acknowledged(sequence)
                case Dispense(order, origin, sets, cards_each):
                    self._obey((origin, order), sets * cards_each, partial(self.dispense, sets, cards_each))
                case Burn(order, origin):
                    self._obey((origin, order), 1, self.burn)
                case Eject(order, origin):
                    self._obey((origin, order), 1, self.eject)
                case StatusAsked() if not self._is_queued(MessageKind.STATUS):
                    self._queue_status(shuffled=True)
                case HelloAsked() if not self._is_queued(MessageKind.HELLO):
                    self._queue_hello()
                    self._queue_status(shuffled=True)
                case _:
                    pass  # noise, or something already in progress

    def tick(self, now_ns: int) -> bytes:
        """The bytes to send by now."""
        self._now_ns = now_ns
        for message in self._outgoing:
            self._left_ns.setdefault(message.sequence, now_ns)
        if Misbehaviour.SILENCE in self._dealer.misdeeds:
            return b""
        sent = b""
        if self._outgoing and now_ns >= self._message_due_ns():
            sent = self._written() if self._repeat_ns is not None else self._first_sending()
            self._repeat_ns = now_ns + RETRANSMIT_NS
        if self._heartbeat_ns is None or now_ns >= self._heartbeat_ns:
            sent += encode_heartbeat()
            self._heartbeat_ns = now_ns + HEARTBEAT_NS
        return self._on_the_line(sent)

    def next_due_ns(self) -> int:
        if Misbehaviour.SILENCE in self._dealer.misdeeds:
            return self._now_ns + HEARTBEAT_NS
        if self._heartbeat_ns is None:
            return 0
        return min(self._heartbeat_ns, self._message_due_ns()) if self._outgoing else self._heartbeat_ns

    def quiet(self) -> bool:
        """Whether every message has been acknowledged."""
        return not self._outgoing

    def state(self) -> State:
        return self._dealer.state(shuffled=not self._dealer.jammed)

    # --- the queue ------------------------------------------------------------------------------------

    def _obey(self, order: tuple[int, int], cards: int, do: Callable[[], object]) -> None:
        if self._is_queued(MessageKind.DONE):
            return
        outcome = self._outcome(order, cards)
        origin, number = order
        self._queue(MessageKind.DONE, lambda sequence, age: encode_done(sequence, origin, number, outcome))
        if outcome is OrderOutcome.TAKEN and order != self._last_order:
            self._last_order = order
            do()

    def _outcome(self, order: tuple[int, int], cards: int) -> OrderOutcome:
        if order == self._last_order:
            return OrderOutcome.TAKEN
        if self._dealer.jammed:
            return OrderOutcome.JAMMED
        if self.state().door_open:
            return OrderOutcome.DOOR_OPEN
        if not cards:
            return OrderOutcome.IMPOSSIBLE
        return OrderOutcome.TAKEN if cards <= len(self._dealer.deck) else OrderOutcome.TOO_FEW_CARDS

    def _end_deal(self) -> None:
        self._queue_status(shuffled=False)
        self._dealer.new_deck()
        self._queue_status(shuffled=True)

    def _queue_set(self, ordinal: int, cards: tuple[Card, ...]) -> None:
        told = self._dealer.as_told(cards)
        ordinal = ordinal if self._knows_ordinal else ORDINAL_UNKNOWN
        if self._packets:
            self._queue(MessageKind.PACKET, lambda sequence, age: encode_packet(sequence, ordinal, told, age))
            return
        for offset, card in enumerate(told):
            self._queue_card(ordinal + offset if ordinal else ORDINAL_UNKNOWN, card)

    def _queue_card(self, ordinal: int, card: OneCard) -> None:
        self._queue(MessageKind.CARD, lambda sequence, age: encode_card(sequence, ordinal, card, age))

    def _queue_hello(self) -> None:
        session, versions = self._session, self._versions
        self._queue(MessageKind.HELLO, lambda sequence, age: encode_hello(sequence, session, self._identity, versions))

    def _queue_status(self, *, shuffled: bool) -> None:
        told = self._dealer.state(shuffled=shuffled and not self._dealer.jammed)
        self._queue(
            MessageKind.STATUS,
            lambda sequence, age: encode_status(
                DeckStatus(
                    sequence, False, told.cards, told.sets,
                    told.shuffled, told.face_up_next, told.jammed, told.door_open,
                )
            ),
        )

    def _queue(self, kind: MessageKind, write: Write) -> None:
        self._sequence = next_sequence(self._sequence)
        self._outgoing.append(QueuedFrame(self._sequence, write, kind))

    def _is_queued(self, kind: MessageKind) -> bool:
        return any(message.kind is kind for message in self._outgoing)

    def _acknowledged(self, sequence: int) -> None:
        if self._outgoing and self._outgoing[0].sequence == sequence and self._repeat_ns is not None:
            self._left_ns.pop(sequence, None)
            self._outgoing.popleft()
            self._repeat_ns = None
            slow = Misbehaviour.SLOW in self._dealer.misdeeds
            self._pause_ns = self._now_ns + SLOW_NS if slow else 0

    # --- the line ------------------------------------------------------------------------------------

    def _message_due_ns(self) -> int:
        return self._pause_ns if self._repeat_ns is None else self._repeat_ns

    def _written(self) -> bytes:
        head = self._outgoing[0]
        return head.write(head.sequence, (self._now_ns - self._left_ns[head.sequence]) // NS_PER_MS)

    def _first_sending(self) -> bytes:
        take = self._dealer.take
        if len(self._outgoing) > 1 and take(Misbehaviour.SKIP):
            self._outgoing.popleft()
        frame = self._written()
        if take(Misbehaviour.DROP):
            return b""
        if take(Misbehaviour.DAMAGE):
            return frame[:3] + bytes((frame[3] ^ 0x01,)) + frame[4:]
        if take(Misbehaviour.TRUNCATE):
            return frame[: len(frame) // 2]
        if take(Misbehaviour.REPEAT):
            frame += frame
        if take(Misbehaviour.UNKNOWN):
            frame = encode_frame(UNKNOWN_KIND, 0, b"?") + frame
        if take(Misbehaviour.NOISE):
            frame = self._dealer.chance.randbytes(NOISE_BYTES) + frame
        return frame

    def _on_the_line(self, sent: bytes) -> bytes:
        if not (sent and self._damaged_in_1000) or self._dealer.chance.randrange(1000) >= self._damaged_in_1000:
            return sent
        self.damages += 1
        return self._dealer.damaged(sent)
