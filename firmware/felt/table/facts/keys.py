"""Facts of the dealer's panel."""

from __future__ import annotations

from felt.table.facts.fact import Fact, fact

Meters = tuple[tuple[str, int], ...]  # meter name, displayed value in micro-units


@fact
class OpenPressed(Fact):
    """"Place your Bets"."""


@fact
class NoMoreBetsPressed(Fact):
    edge_ns: int
    meters: Meters  # the value registered with the lock


@fact
class CollectPressed(Fact):
    pass


@fact
class CardsSeenPressed(Fact):
    pass


@fact
class FoldModePressed(Fact):
    pass


@fact
class PlayModePressed(Fact):
    pass


@fact
class SeatPressed(Fact):
    seat: int


@fact
class RevealPressed(Fact):
    pass


@fact
class SettlePressed(Fact):
    """The SETTLE/END key: settles after the reveal, ends the round after paying."""


@fact
class VoidPressed(Fact):
    """The dealer's VOID key calls the supervisor; it voids nothing by itself."""


@fact
class MisdealPressed(Fact):
    """The dealer declares that something went wrong with the cards."""


@fact
class OtherModePressed(Fact):
    """The next of the rarer things that a seat key can do."""


@fact
class CountMismatchPressed(Fact):
    """The chips collected are not as many as the progressive bets accepted."""


@fact
class SupervisorTurned(Fact):
    on: bool  # the key switch


@fact
class DealerSignedIn(Fact):
    """By a code on the seat keys, or by name at the desk; an empty name signs out. No code is ever a fact."""

    name: str
    person: str


@fact
class WrongCodeEntered(Fact):
    pass
