"""Facts of people with authority: rulings, orders, confirmations."""

from __future__ import annotations

from dataclasses import dataclass

from felt.table.facts.fact import Fact


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
class ProgressiveSwitched(Fact):
    """The house plays on without progressive bets, or with them again, from the next round on."""

    off: bool
    person: str
    reason: str


@dataclass(frozen=True, slots=True)
class RevealRefused(Fact):
    """A player will not show his cards."""

    seat: int
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
    role: str = "supervisor"


@dataclass(frozen=True, slots=True)
class RulingMade(Fact):
    """A supervisor's answer to an open question."""

    question: str
    choice: str
    person: str
    reason: str
    role: str = "supervisor"


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class PlayerChose(Fact):
    """What the player of a box chose where the rules let each player choose."""

    question: str
    seat: int
    choice: str  # continue or return
    person: str  # who recorded it


@dataclass(frozen=True, slots=True)
class CorrectionRecorded(Fact):
    """What was wrong with an earlier round and what was done about it, as a record of its own: no round changes."""

    round: int
    what: str
    person: str
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class HitReported(Fact):
    """Somebody sees a jackpot hand on the layout that the settlement has not found."""

    seat: int
    hand: str  # the row of the pay table, as in royal_flush
    evidence: str
    person: str
    role: str


@dataclass(frozen=True, slots=True)
class ClaimConfirmed(Fact):
    claim: str
    person: str


@dataclass(frozen=True, slots=True)
class ClaimDenied(Fact):
    claim: str
    person: str
    reason: str
