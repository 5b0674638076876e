"""Facts of chips and bets."""

from __future__ import annotations

from felt.nouns.ids import Spot
from felt.table.facts.fact import Fact


class ChipSeen(Fact):
    spot: Spot
    edge_ns: int  # the first edge of the contact, in this boot's monotonic time


class ChipLifted(Fact):
    spot: Spot
    edge_ns: int


class ChipFlickered(Fact):
    """A change too short to be believed and too real to be forgotten."""

    spot: Spot
    edge_ns: int
    last_ns: int  # when the old level was back


class ChipChattered(Fact):
    spot: Spot
    edge_ns: int


class LevelFound(Fact):
    """A level read again that its edges had not told of. It has no edge, so it proves no time."""

    spot: Spot
    present: bool


class BetKeyed(Fact):
    """A bet told by a person: where nothing senses it, or to make its amount known. None = merely present."""

    spot: Spot
    amount_minor: int | None
    person: str
    player: str = ""  # whose bet it is, where the game lets several players bet on one box


class BetUnkeyed(Fact):
    spot: Spot
    person: str


class AmountFound(Fact):
    """After the lock the dealer finds what a bet really amounts to. The snapshot stays; the settlement heeds it."""

    spot: Spot  # also that of a bet which lies there since the decision, as in 3.play
    amount_minor: int
    person: str
