"""Facts of those who care for the table: test mode, lamps tried, entries into the log, alerts acknowledged, who came to
the desk, meters adjusted there."""

from __future__ import annotations

from felt.table.facts.fact import Fact


class TestModeEntered(Fact):
    person: str


class TestModeLeft(Fact):
    person: str


class LampsTried(Fact):
    """In test mode: exactly these lamps are lit."""

    lamps: tuple[str, ...]
    person: str


class EntryLogged(Fact):
    """Somebody opened or touched a part of the table."""

    part: str
    reason: str
    person: str
    licence: str


class AlertAcknowledged(Fact):
    """Somebody has seen a fault that stands and takes care of it."""

    code: str
    where: str
    person: str


class SignInNoted(Fact):
    """Somebody came to the desk, or failed to. A name that nobody has is not kept: it may be a PIN."""

    person: str  # empty: nobody who is known
    role: str
    outcome: str  # in, wrong or locked
    wait_s: int = 0  # of a lock-out that began with it


class MeterAdjusted(Fact):
    """Two persons adjusted a meter of the table's own jackpot ledger, which has the entry."""

    meter: str
    purse: str
    amount_minor: int  # negative: taken out
    type: str
    person: str
    reason: str
