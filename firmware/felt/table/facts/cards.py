"""Facts of the shuffler and its cards."""

from __future__ import annotations

from felt.nouns.cards import Card
from felt.table.facts.fact import Fact


class CardDealt(Fact):
    card: Card
    arrived_ns: int
    sequence: int  # of the shuffler's message, which it repeats until it is acknowledged
    uncertain_ns: int = 0  # how much earlier than it arrived the card may have left
    face_up: bool = False  # found face up by the device
    burnt: bool = False  # the device says that it laid the card aside; one that cannot tell says nothing
    together: bool = False  # left at the same time as the card before it
    ordinal: int | None = None  # in its deal, from 1; None: the device does not count by deals, or does not know
    age_ns: int = 0  # it had left at least so long before it arrived, as the device says; 0: it does not say


class CardUnread(Fact):
    """A card left the shuffler and could not be read, or was read and is none of the deck."""

    arrived_ns: int
    sequence: int
    uncertain_ns: int = 0
    foreign: bool = False
    ordinal: int | None = None
    age_ns: int = 0
    missing: bool = False  # nobody heard of it: a count shows that it left


class CardKeyed(Fact):
    """A card that was not read, entered by hand under a supervisor's authority."""

    card: Card
    person: str
    role: str


class CardStruck(Fact):
    """A card is taken out of the inventory, by a person with authority: it is not in play."""

    card: Card
    person: str
    role: str
    reason: str


class DiscardSaid(Fact):
    """Which of three community cards is discarded, from 1 in the order of the deal."""

    place: int
    person: str


class DeckReported(Fact):
    """What the shuffler says of its deck, when it has changed."""

    cards: int
    shuffled: bool
    sets: int  # hand sets dispensed since the shuffle
    face_up_next: bool
    jammed: bool
    door_open: bool


class DeckChanged(Fact):
    """A new deck was put in."""

    person: str
    role: str


class DeckVerified(Fact):
    """The deck was put in order and counted: its 52 cards are there, and no others."""

    person: str
    role: str


class StubChecked(Fact):
    """The cards left after a deal were counted."""

    cards: int
    person: str


class DealCountLost(Fact):
    """Nobody can say how many cards have left the shuffler: some may be missing."""

    reason: str


class FrameKept(Fact):
    """Something the shuffler sent that nobody understands, kept as it came."""

    reason: str
    raw: str  # hexadecimal


class FramesCounted(Fact):
    """So many more such frames came within the minute and were not kept."""

    count: int


class ShufflerLost(Fact):
    pass


class ShufflerFound(Fact):
    pass


class ShufflerGreeted(Fact):
    """The shuffler itself started anew: its message numbers begin again."""

    session: int
    identity: str = ""
    version: int = 1  # of the protocol, as both ends agreed
