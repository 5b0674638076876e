"""What every emulated device has, whatever its protocol: a deck, honest shuffles, cards that leave it, and ordered
misbehaviour."""

from __future__ import annotations

import enum
import random
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from felt.nouns.cards import DECK, Card
from felt.nouns.stamps import NS_PER_MS
from felt.nouns.values import Value, replace
from felt.wire.shuffler import OneCard

NOISE_BYTES = 12
SLOW_NS = 300 * NS_PER_MS
FOREIGN_LETTERS = b"Jo"  # a joker
CARDS_MAX = len(DECK)


class Misbehaviour(enum.StrEnum):
    """What the device does wrong once: on the line at its next message, with a card at its next deal. `silence`,
    `slow`, `jam` and `door_open` last until `mend`."""

    REPEAT = "repeat"  # the message is sent twice
    DROP = "drop"  # the message is lost the first time
    NOISE = "noise"  # random bytes come before the message
    DAMAGE = "damage"  # the message has a wrong byte the first time, so its CRC does not match
    TRUNCATE = "truncate"  # the message is cut short the first time
    SKIP = "skip"  # a message is never sent, and its number is skipped
    UNKNOWN = "unknown"  # a valid message of an unknown kind comes first
    DUPLICATE_CARD = "duplicate_card"  # the deal's second card repeats its first
    FOREIGN_CARD = "foreign_card"  # the deal's first card is not in the deck
    UNREAD_CARD = "unread_card"  # the deal's first card cannot be read
    TOGETHER = "together"  # the deal's first two cards leave at once
    FACE_UP = "face_up"  # the deal's first card lies face up
    SHORT_DECK = "short_deck"  # the next deck lacks a card
    JAM = "jam"  # the next deal stops after its first card; the rest follows after `mend`
    SILENCE = "silence"  # no messages, not even heartbeats
    SLOW = "slow"  # a pause before every message
    DOOR_OPEN = "door_open"  # its door is open


LASTING = (Misbehaviour.JAM, Misbehaviour.SILENCE, Misbehaviour.SLOW, Misbehaviour.DOOR_OPEN)


class SimulatedDevice(Protocol):
    """Pass what the table sends to `receive`, send what `tick` returns, and call again by `next_due_ns`."""

    def receive(self, received: bytes) -> None: ...

    def tick(self, now_ns: int) -> bytes: ...

    def next_due_ns(self) -> int:
        """When `tick` next has something to send; 0 means now."""

    def dispense(self, sets: int, cards_each: int, *, goes_on: bool = False) -> tuple[tuple[Card, ...], ...]:
        """Deals, or with `goes_on` deals more cards into the same deal."""

    def burn(self) -> None: ...

    def eject(self) -> None: ...

    def load(self, deck: Sequence[Card]) -> None: ...

    def restart(self, *, forgets: bool = False) -> None:
        """Switches power off and on. With `forgets` the device no longer knows how many cards have left."""

    def misbehave(self, misdeed: Misbehaviour) -> None: ...

    def mend(self) -> None: ...

    def quiet(self) -> bool:
        """Whether the table has received everything, as far as the device can know."""

    def state(self) -> State: ...


class State(Value):
    """What a device reports about its deck."""

    cards: int
    shuffled: bool
    sets: int
    face_up_next: bool
    jammed: bool
    door_open: bool


class Dealer:
    """Decks and the cards that leave them, with every fault that a card can have."""

    def __init__(self, chance: random.Random, decks: Sequence[Sequence[Card]]) -> None:
        """`decks` are dealt first, in order. After them, `chance` shuffles 52 cards for each deal."""
        self.chance = chance
        self.decks = deque(tuple(deck) for deck in decks)
        self.misdeeds: deque[Misbehaviour] = deque()
        self.laid_aside: tuple[Card, ...] = ()  # cards that it deals to no hand and reports as such
        self.sets = 0
        self.jammed = False
        self.deck: Sequence[Card] = ()
        self.new_deck()

    def state(self, *, shuffled: bool) -> State:
        face_up = Misbehaviour.FACE_UP in self.misdeeds
        door_open = Misbehaviour.DOOR_OPEN in self.misdeeds
        return State(len(self.deck), shuffled, self.sets, face_up, self.jammed, door_open)

    def new_deck(self) -> None:
        deck = self.decks.popleft() if self.decks else self.chance.sample(DECK, len(DECK))
        self.deck = deck[1:] if self.take(Misbehaviour.SHORT_DECK) else deck
        self.sets = 0

    def draw(self, sets: int, cards_each: int) -> tuple[tuple[Card, ...], ...]:
        """Draws from the top, set by set, as far as the deck lasts."""
        deck = list(self.deck)
        if self.take(Misbehaviour.DUPLICATE_CARD) and len(deck) > 1:
            deck[1] = deck[0]
        wanted = min(sets * cards_each, len(deck))
        self.deck = deck[wanted:]
        drawn = tuple(
            tuple(deck[begin : min(begin + cards_each, wanted)]) for begin in range(0, wanted, cards_each)
        )
        self.sets = min(255, self.sets + len(drawn))
        return drawn

    def as_told(self, cards: Sequence[Card]) -> tuple[OneCard, ...]:
        """The cards as the device reports them; the first cards carry the ordered faults."""
        told = [OneCard(card, burnt=card in self.laid_aside) for card in cards]
        if self.take(Misbehaviour.UNREAD_CARD):
            told[0] = replace(told[0], card=None)
        elif self.take(Misbehaviour.FOREIGN_CARD):
            told[0] = replace(told[0], card=None, letters=FOREIGN_LETTERS)
        if self.take(Misbehaviour.FACE_UP):
            told[0] = replace(told[0], face_up=True)
        if len(told) > 1 and self.take(Misbehaviour.TOGETHER):
            told[1] = replace(told[1], together=True)
        return tuple(told)

    def take(self, misdeed: Misbehaviour) -> bool:
        if misdeed not in self.misdeeds:
            return False
        if misdeed not in LASTING:
            self.misdeeds.remove(misdeed)
        return True

    def mend(self) -> None:
        self.misdeeds.clear()
        self.jammed = False

    def damaged(self, frame: bytes) -> bytes:
        place = self.chance.randrange(len(frame))
        return frame[:place] + bytes((frame[place] ^ (1 << self.chance.randrange(8)),)) + frame[place + 1 :]
