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
    burnt: bool = False  # the device says that it is the burn card; one that cannot tell says nothing
    together: bool = False  # left at the same time as the card before it


class CardUnread(Fact):
    """A card left the shuffler and could not be read, or was read and is none of the deck."""

    arrived_ns: int
    sequence: int
    uncertain_ns: int = 0
    foreign: bool = False


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


class DeckReported(Fact):
    """What the shuffler says of its deck, when it has changed."""

    cards: int
    shuffled: bool
    sets: int  # hand sets dispensed since the shuffle
    face_up_next: bool
    jammed: bool
    door_open: bool


class DeckChanged(Fact):
    """A new deck was put in, or the old one was found whole."""

    person: str
    role: str


class StubChecked(Fact):
    """The cards left after a deal were counted."""

    cards: int
    person: str


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
