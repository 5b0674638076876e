"""Facts of people with authority: rulings, orders, confirmations."""

from __future__ import annotations

from felt.table.facts.fact import Fact


class BetsReturned(Fact):
    """A box is out of the round: its hand is invalid and its bets go back."""

    seat: int
    person: str
    role: str = "supervisor"


class SeatBarred(Fact):
    """A box is taken out of play, or brought back, until somebody says otherwise."""

    seat: int
    out: bool
    person: str


class ProgressiveSwitched(Fact):
    """The house plays on without progressive bets, or with them again, from the next round on."""

    off: bool
    person: str
    reason: str


class RevealRefused(Fact):
    """A player will not show his cards."""

    seat: int
    person: str


class HandEstablished(Fact):
    """A player's hand lies open before it is settled: he laid it down, or somebody has seen it who says so."""

    seat: int
    person: str  # who saw it


class TableOpened(Fact):
    person: str


class TableClosed(Fact):
    person: str


class VoidOrdered(Fact):
    person: str
    reason: str
    role: str = "supervisor"


class RulingMade(Fact):
    """A supervisor's answer to an open question."""

    question: str
    choice: str
    person: str
    reason: str
    role: str = "supervisor"


class IrregularityDeclared(Fact):
    """The dealer or a supervisor says what went wrong, where no device can know it."""

    mishap: str
    where: str  # a box, the dealer, the community, or empty
    evidence: str
    person: str
    role: str
    other: str = ""  # where the cards of `where` came to instead
    count: int = 0  # of cards that were counted there; 0: nobody said
    reconstructable: str = ""  # yes or no, where somebody has judged it already


class PlayerChose(Fact):
    """What the player of a box chose where the rules let each player choose."""

    question: str
    seat: int
    choice: str  # continue or return
    person: str  # who recorded it


class CorrectionRecorded(Fact):
    """What was wrong with an earlier round and what was done about it, as a record of its own: no round changes."""

    round: int
    what: str
    person: str
    role: str
    reason: str


class HitReported(Fact):
    """Somebody sees a jackpot hand on the layout that the settlement has not found."""

    seat: int
    hand: str  # the row of the pay table, as in royal_flush
    evidence: str
    person: str
    role: str


class ClaimConfirmed(Fact):
    claim: str
    person: str


class ClaimDenied(Fact):
    claim: str
    person: str
    reason: str
    hand: str = "misread"  # or stands: the hand lies there, and the claim is denied for another reason
