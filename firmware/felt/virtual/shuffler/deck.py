"""What every emulated device has, whatever it speaks: a deck, honest shuffles, cards that leave it, and the misdeeds
that were ordered."""

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
    DROP = "drop"  # the message does not reach the line the first time
    NOISE = "noise"  # random bytes come before the message
    DAMAGE = "damage"  # one byte of the message is wrong the first time: its CRC does not match
    TRUNCATE = "truncate"  # the message breaks off the first time
    SKIP = "skip"  # a message is never sent at all, and its number is left out
    UNKNOWN = "unknown"  # a sound message of a kind that nobody knows comes before it
    DUPLICATE_CARD = "duplicate_card"  # the deal's second card is its first once more
    FOREIGN_CARD = "foreign_card"  # the deal's first card is none of the deck
    UNREAD_CARD = "unread_card"  # the deal's first card cannot be read
    TOGETHER = "together"  # the deal's first two cards leave at once
    FACE_UP = "face_up"  # the deal's first card lies face up
    SHORT_DECK = "short_deck"  # the next deck has a card too few
    JAM = "jam"  # the next deal stops after its first card; the rest follows when it is mended
    SILENCE = "silence"  # not a word, not even heartbeats
    SLOW = "slow"  # a pause before every message
    DOOR_OPEN = "door_open"  # its door stands open


LASTING = (Misbehaviour.JAM, Misbehaviour.SILENCE, Misbehaviour.SLOW, Misbehaviour.DOOR_OPEN)


class Device(Protocol):
    """Feed it what the table sends with `receive`; send what `tick` returns; call again by `next_due_ns`."""

    def receive(self, received: bytes) -> None: ...

    def tick(self, now_ns: int) -> bytes: ...

    def next_due_ns(self) -> int:
        """When `tick` has something to send again; 0 means at once."""

    def dispense(self, sets: int, cards_each: int, *, goes_on: bool = False) -> tuple[tuple[Card, ...], ...]:
        """A new deal, or more cards of the same one."""

    def burn(self) -> None: ...

    def eject(self) -> None: ...

    def load(self, deck: Sequence[Card]) -> None: ...

    def restart(self, *, forgets: bool = False) -> None:
        """Power off and on. One that `forgets` does not know any more how many cards have left."""

    def misbehave(self, misdeed: Misbehaviour) -> None: ...

    def mend(self) -> None: ...

    def quiet(self) -> bool:
        """Everything that was said has arrived, as far as the device can know."""

    def state(self) -> State: ...


class State(Value):
    """What a device would say of its deck."""

    cards: int
    shuffled: bool
    sets: int
    face_up_next: bool
    jammed: bool
    door_open: bool


class Dealer:
    """Decks and the cards that leave them, with everything that can be wrong with a card."""

    def __init__(self, chance: random.Random, decks: Sequence[Sequence[Card]]) -> None:
        """`decks` are dealt first, in their order; after them each deal has 52 cards shuffled by `chance`."""
        self.chance = chance
        self.decks = deque(tuple(deck) for deck in decks)
        self.misdeeds: deque[Misbehaviour] = deque()
        self.laid_aside: tuple[Card, ...] = ()  # cards that it deals to no hand, and says so
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
        """Off the top, set by set, as far as the deck goes."""
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
        """The cards as the device tells of them: the first ones bear the misdeeds."""
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
