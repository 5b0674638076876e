"""What can happen to a table, in the past tense. A fact is frozen, carries its stamp and is all that the
journal keeps. Nothing here decides anything."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from felt.nouns.cards import Card
from felt.nouns.ids import Spot
from felt.nouns.plain import write_plain
from felt.nouns.shapes import ShapeError, decoder_of
from felt.nouns.stamps import Stamp

SCHEMA = 1
Meters = tuple[tuple[str, int], ...]  # meter name, displayed value in micro-units


@dataclass(frozen=True, slots=True)
class Fact:
    at: Stamp


# --- the house ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Configured(Fact):
    """The settings in force from here on, in full."""

    settings: dict[str, Any]
    digest: str


@dataclass(frozen=True, slots=True)
class Booted(Fact):
    """A start of the firmware: a new boot's clock, and every level as it was read."""

    firmware: str
    levels: tuple[tuple[Spot, bool], ...]


@dataclass(frozen=True, slots=True)
class EraClosed(Fact):
    """The last record of an era. Its hand-over is all that another version reads."""

    handover: dict[str, Any]


@dataclass(frozen=True, slots=True)
class EraOpened(Fact):
    """The first fact of an era: a born table, or what the era before handed over."""

    nonce: str
    firmware: str
    handover: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SnapshotTaken(Fact):
    digest: str


@dataclass(frozen=True, slots=True)
class DeadlinePassed(Fact):
    name: str


@dataclass(frozen=True, slots=True)
class StepFailed(Fact):
    """A fact that the core could not work through, kept as text so that it is never stepped again."""

    failed: str
    problem: str


@dataclass(frozen=True, slots=True)
class FaultRaised(Fact):
    code: str
    where: str


@dataclass(frozen=True, slots=True)
class FaultCleared(Fact):
    code: str
    where: str
    person: str


@dataclass(frozen=True, slots=True)
class OutOfServiceOrdered(Fact):
    person: str
    reason: str


@dataclass(frozen=True, slots=True)
class BackInServiceOrdered(Fact):
    person: str


@dataclass(frozen=True, slots=True)
class ClockStepped(Fact):
    by_ns: int  # the wall clock was set while the table ran; nothing is ordered by it


@dataclass(frozen=True, slots=True)
class DoorMoved(Fact):
    is_open: bool  # the cabinet's door, as its contact tells


# --- chips -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChipSeen(Fact):
    spot: Spot
    edge_ns: int  # the first edge of the contact, in this boot's monotonic time


@dataclass(frozen=True, slots=True)
class ChipLifted(Fact):
    spot: Spot
    edge_ns: int


@dataclass(frozen=True, slots=True)
class ChipFlickered(Fact):
    """A change too short to be believed and too real to be forgotten."""

    spot: Spot
    edge_ns: int
    last_ns: int  # when the old level was back


@dataclass(frozen=True, slots=True)
class ChipChattered(Fact):
    spot: Spot
    edge_ns: int


@dataclass(frozen=True, slots=True)
class LevelFound(Fact):
    """A level read again that its edges had not told of. It has no edge, so it proves no time."""

    spot: Spot
    present: bool


@dataclass(frozen=True, slots=True)
class BetKeyed(Fact):
    """A bet told by a person: where nothing senses it, or to make its amount known. None = merely present."""

    spot: Spot
    amount_minor: int | None
    person: str


@dataclass(frozen=True, slots=True)
class BetUnkeyed(Fact):
    spot: Spot
    person: str


# --- the dealer's panel ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenPressed(Fact):
    """"Place your Bets"."""


@dataclass(frozen=True, slots=True)
class NoMoreBetsPressed(Fact):
    edge_ns: int
    meters: Meters  # the value registered with the lock


@dataclass(frozen=True, slots=True)
class CollectPressed(Fact):
    pass


@dataclass(frozen=True, slots=True)
class CardsSeenPressed(Fact):
    pass


@dataclass(frozen=True, slots=True)
class FoldModePressed(Fact):
    pass


@dataclass(frozen=True, slots=True)
class PlayModePressed(Fact):
    pass


@dataclass(frozen=True, slots=True)
class SeatPressed(Fact):
    seat: int


@dataclass(frozen=True, slots=True)
class RevealPressed(Fact):
    pass


@dataclass(frozen=True, slots=True)
class SettlePressed(Fact):
    """The SETTLE/END key: settles after the reveal, ends the round after paying."""


@dataclass(frozen=True, slots=True)
class VoidPressed(Fact):
    """The dealer's VOID key calls the supervisor; it voids nothing by itself."""


@dataclass(frozen=True, slots=True)
class MisdealPressed(Fact):
    """The dealer declares that something went wrong with the cards."""


@dataclass(frozen=True, slots=True)
class OtherModePressed(Fact):
    """The next of the rarer things that a seat key can do."""


@dataclass(frozen=True, slots=True)
class CountMismatchPressed(Fact):
    """The chips collected are not as many as the progressive bets accepted."""


@dataclass(frozen=True, slots=True)
class SupervisorTurned(Fact):
    on: bool  # the key switch


@dataclass(frozen=True, slots=True)
class DealerSignedIn(Fact):
    """By a code on the seat keys, or by name at the desk; an empty name signs out. No code is ever a fact."""

    name: str
    person: str


@dataclass(frozen=True, slots=True)
class WrongCodeEntered(Fact):
    pass


# --- people with authority ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BetsReturned(Fact):
    """A box is out of the round: its hand is invalid and its bets go back."""

    seat: int
    person: str


@dataclass(frozen=True, slots=True)
class SeatBarred(Fact):
    """A box is taken out of play, or brought back, until somebody says otherwise."""

    seat: int
    out: bool
    person: str


@dataclass(frozen=True, slots=True)
class TableOpened(Fact):
    person: str


@dataclass(frozen=True, slots=True)
class TableClosed(Fact):
    person: str


@dataclass(frozen=True, slots=True)
class VoidOrdered(Fact):
    person: str
    reason: str


@dataclass(frozen=True, slots=True)
class RulingMade(Fact):
    """A supervisor's answer to an open question."""

    question: str
    choice: str
    person: str
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimConfirmed(Fact):
    claim: str
    person: str


@dataclass(frozen=True, slots=True)
class ClaimDenied(Fact):
    claim: str
    person: str
    reason: str


# --- cards -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CardDealt(Fact):
    card: Card
    arrived_ns: int
    sequence: int  # of the shuffler's message, which it repeats until it is acknowledged


@dataclass(frozen=True, slots=True)
class ShufflerLost(Fact):
    pass


@dataclass(frozen=True, slots=True)
class ShufflerFound(Fact):
    pass


@dataclass(frozen=True, slots=True)
class ShufflerGreeted(Fact):
    """The shuffler itself started anew: its message numbers begin again."""

    session: int


# --- the jackpot controller --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LetterAcked(Fact):
    sequence: int


@dataclass(frozen=True, slots=True)
class ClaimValued(Fact):
    claim: str
    value_micro: int  # the frozen meter
    award_minor: int


@dataclass(frozen=True, slots=True)
class LinkLost(Fact):
    pass


@dataclass(frozen=True, slots=True)
class LinkFound(Fact):
    pass


FACTS: dict[str, type[Fact]] = {kind.__name__: kind for kind in Fact.__subclasses__()}
_NAMES: dict[type[Fact], tuple[str, ...]] = {
    kind: tuple(field.name for field in dataclasses.fields(kind)) for kind in FACTS.values()
}
assert not any("fact" in names or "v" in names for names in _NAMES.values()), "these two name kind and version"
# attrgetter of a single name gives the bare value; every fact has `at`, so only bare facts are single.
_VALUES = {kind: attrgetter(*names) for kind, names in _NAMES.items()}
_BARE = {kind for kind, names in _NAMES.items() if len(names) == 1}

_decode_json = json.JSONDecoder().raw_decode
def encode(fact: Fact) -> str:
    """One line of JSON, the same for the same fact always."""
    kind = type(fact)
    if kind in _BARE:
        return write_plain({"fact": kind.__name__, "v": SCHEMA, "at": fact.at})
    values = _VALUES[kind](fact)
    return write_plain({"fact": kind.__name__, "v": SCHEMA, **dict(zip(_NAMES[kind], values, strict=True))})


def decode(text: str | bytes) -> Fact:
    """The fact that `encode` wrote. Anything else is a `ShapeError`."""
    try:
        plain, end = _decode_json(text if isinstance(text, str) else text.decode("ascii"))
    except ValueError as error:
        raise ShapeError(f"not JSON: {error}") from None
    if end != len(text):
        raise ShapeError("not JSON: something follows the object")
    if not isinstance(plain, dict):
        raise ShapeError("not an object")
    name = plain.pop("fact", None)
    kind = FACTS.get(name) if isinstance(name, str) else None
    if kind is None or plain.pop("v", None) != SCHEMA:
        raise ShapeError("names no fact of this version")
    fact: Fact = decoder_of(kind)(plain)
    return fact
