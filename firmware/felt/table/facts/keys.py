"""Facts of the dealer's panel."""

from __future__ import annotations

from felt.table.facts.fact import Fact

Meters = tuple[tuple[str, int], ...]  # meter name, displayed value in micro-units


class OpenPressed(Fact):
    """"Place your Bets"."""


class NoMoreBetsPressed(Fact):
    edge_ns: int
    meters: Meters  # the value registered with the lock


class CollectPressed(Fact):
    pass


class CardsSeenPressed(Fact):
    pass


class FoldModePressed(Fact):
    pass


class PlayModePressed(Fact):
    pass


class SeatPressed(Fact):
    seat: int


class RevealPressed(Fact):
    pass


class SettlePressed(Fact):
    """The SETTLE/END key: settles after the reveal, ends the round after paying."""


class VoidPressed(Fact):
    """The dealer's VOID key calls the supervisor; it voids nothing by itself."""


class MisdealPressed(Fact):
    """The dealer declares that something went wrong with the cards."""


class OtherModePressed(Fact):
    """The next of the rarer things that a seat key can do."""


class CountMismatchPressed(Fact):
    """The chips collected are not as many as the progressive bets accepted."""


class SupervisorTurned(Fact):
    on: bool  # the key switch


class DealerSignedIn(Fact):
    """By a code on the seat keys, or by name at the desk; an empty name signs out. No code is ever a fact."""

    name: str
    person: str


class WrongCodeEntered(Fact):
    pass
