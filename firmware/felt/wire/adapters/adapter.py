"""The interface of every shuffler and shoe: bytes in, events out, and the few commands that a device may accept.

Each event carries its `answer`: the bytes to send once everything in the event is durable, and not before. The
answer is empty for a device that takes no acknowledgement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from felt.nouns.cards import Card
from felt.nouns.values import Value

RAW_KEPT_BYTES_MAX = 64  # this many bytes of an unknown message are kept as evidence
AGE_UNKNOWN_MS = 65_535  # assumed age of a card if the device cannot say when it left


class Greeted(Value):
    """The device identified itself. The same session means the same run of the device; None: it starts anew each
    time."""

    session: int | None
    identity: str
    version: int = 1
    answer: bytes = b""


class Unsupported(Value):
    """The device cannot be understood at all. `what` names the versions for a person. The device gets no answer."""

    what: str


class CardLeft(Value):
    card: Card | None  # None: it left unread
    age_ms: int = 0  # how long before the message's arrival it may have left
    face_up: bool = False
    burnt: bool = False
    together: bool = False  # left together with the previous card
    foreign: bool = False  # read, but not a card of the deck
    missing: bool = False  # never reported; the device's count shows that it left


class CardsLeft(Value):
    """The cards of one message. Either all of them become durable in one turn, or none."""

    message: int | None  # its number from 1 to `numbers`; None: the device sends no numbers and never repeats
    cards: tuple[CardLeft, ...]
    repeat: bool = False  # a known repetition: acknowledge it again, but do not deal it again
    answer: bytes = b""
    first_ordinal: int | None = None  # ordinal of its first card in the deal, from 1; None: unknown to the device


class CountLost(Value):
    """The device has lost count: nobody knows how many cards left since the last reported card."""

    reason: str
    answer: bytes = b""


class DeckTold(Value):
    cards: int
    shuffled: bool
    sets: int = 0
    face_up_next: bool = False
    jammed: bool = False
    door_open: bool = False
    answer: bytes = b""


class OrderAnswered(Value):
    order: int
    refused: str = ""  # the reason in a few words; empty: done or in progress
    busy: bool = False  # not now; the table orders again later
    answer: bytes = b""


class Alive(Value):
    """A sign of life, or a repetition that only needs the same answer."""

    answer: bytes = b""


class NotUnderstood(Value):
    """Stored as it came. `damaged` blames the line or the device; otherwise the message is only unknown."""

    reason: str
    raw: bytes
    damaged: bool = True
    answer: bytes = b""


Event = Greeted | Unsupported | CardsLeft | CountLost | DeckTold | OrderAnswered | Alive | NotUnderstood


class Adapter(Protocol):
    """One device on one line. The table creates a new adapter at every start, so an adapter remembers nothing across
    a power cut."""

    numbers: int  # how many message numbers there are before they wrap
    silent_after_ms: int  # silence after which the device counts as lost; 0: it sends no heartbeat
    counts_the_deal: bool  # it reports each card's ordinal; if not, every interruption of a deal raises a question
    ask_every_ms: int  # interval of `question` in normal operation; 0: only until it is answered

    def receive(self, received: bytes) -> Sequence[Event]:
        """Takes bytes in pieces of any size. Raises for nothing that a line can deliver."""

    def question(self, *, greeted: bool) -> bytes:
        """The bytes that ask for the device's state, and for its identity until it has greeted."""

    def dispense(self, origin: int, order: int, sets: int, cards_each: int) -> bytes:
        """The bytes of an order to deal. The same number from the same origin is the same order. Empty: the device
        takes no orders."""
