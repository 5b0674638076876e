"""What every model of shuffler or shoe is to the table: bytes in, events out, and the few things that can be said to
it.

Each event carries its `answer`: the bytes that the device is owed once everything the event tells is durable, and not a
moment earlier. A device that takes no acknowledgement is owed nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from felt.nouns.cards import Card
from felt.nouns.values import Value

RAW_KEPT_BYTES_MAX = 64  # of what nobody understands, so much is kept as evidence
AGE_UNKNOWN_MS = 65_535  # reckoned for a card of which the device cannot say when it left


class Greeted(Value):
    """The device told who it is. The same session again is the same run of it; None: it starts anew each time."""

    session: int | None
    identity: str
    version: int = 1
    answer: bytes = b""


class Unsupported(Value):
    """The device cannot be understood at all; `what` names the versions, for a person. It gets no answer."""

    what: str


class CardLeft(Value):
    card: Card | None  # None: it left and could not be read
    age_ms: int = 0  # how long before its message arrived it may have left
    face_up: bool = False
    burnt: bool = False
    together: bool = False  # with the card before it
    foreign: bool = False  # it was read, and is none of the deck
    missing: bool = False  # the device did not tell of it: its count shows that it left


class CardsLeft(Value):
    """One message's cards: all of them become durable in one turn, or none."""

    message: int | None  # its number from 1 to `numbers`; None: the device does not number, and never repeats
    cards: tuple[CardLeft, ...]
    repeat: bool = False  # known to have come before: it is answered again and not dealt again
    answer: bytes = b""
    first_ordinal: int | None = None  # of its first card in the deal, from 1; None: the device does not know it


class CountLost(Value):
    """From here on nobody knows how many cards have left since the last one that was told."""

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
    refused: str = ""  # why not, in a few words; empty: it is done or being done
    busy: bool = False  # not now: it is ordered again
    answer: bytes = b""


class Alive(Value):
    """A sign of life, or a repetition that only has to be answered again."""

    answer: bytes = b""


class NotUnderstood(Value):
    """Kept as it came. `damaged` is the line's or the device's fault; else it is merely unknown."""

    reason: str
    raw: bytes
    damaged: bool = True
    answer: bytes = b""


Event = Greeted | Unsupported | CardsLeft | CountLost | DeckTold | OrderAnswered | Alive | NotUnderstood


class Adapter(Protocol):
    """One device on one line. The table makes a new one at every start, so it remembers nothing across a power cut."""

    numbers: int  # how many message numbers there are before they begin again
    silent_after_ms: int  # without a word of it the device counts as lost; 0: it gives no sign of life
    counts_the_deal: bool  # it tells the ordinal of each card; if not, every interruption of a deal is asked about
    ask_every_ms: int  # how often `question` is asked while nothing is wrong; 0: only until it is answered

    def receive(self, received: bytes) -> Sequence[Event]:
        """Takes bytes as they come, in pieces of any size; raises for nothing that can come over a line."""

    def question(self, *, greeted: bool) -> bytes:
        """Asks the device for its state; and who it is, as long as it has not said so."""

    def dispense(self, origin: int, order: int, sets: int, cards_each: int) -> bytes:
        """An order to deal; the same number from the same origin is the same order. Empty: the device takes none."""
