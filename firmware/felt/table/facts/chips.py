"""Facts of chips and bets. A contact moves in bursts: edges nearer to one another than its settle time. A fact of a
burst has its first and last edge, in this boot's monotonic time; without the last one it had only one edge."""

from __future__ import annotations

from felt.nouns.ids import Spot
from felt.table.facts.fact import Fact


class ChipSeen(Fact):
    spot: Spot
    edge_ns: int
    last_ns: int | None = None


class ChipLifted(Fact):
    spot: Spot
    edge_ns: int
    last_ns: int | None = None


class ChipFlickered(Fact):
    """A burst that ended on the level on which it began: it has changed nothing."""

    spot: Spot
    edge_ns: int
    last_ns: int  # when the old level was back


class ChipChattered(Fact):
    """A burst has become longer than four settle times and goes on."""

    spot: Spot
    edge_ns: int


class LevelFound(Fact):
    """A level that no single movement tells of: where chatter came to rest, or what was read again when the edge was
    lost. A level that was read has no edge; it had that level at the latest when it was read."""

    spot: Spot
    present: bool
    edge_ns: int | None = None  # of the chatter that came to rest
    last_ns: int | None = None
    read_ns: int | None = None  # when the level was read


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
