"""Facts of the dealer's panel."""

from __future__ import annotations

from dataclasses import dataclass

from felt.table.facts.fact import Fact

Meters = tuple[tuple[str, int], ...]  # meter name, displayed value in micro-units


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
