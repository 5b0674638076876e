"""Facts of those who care for the table: test mode, lamps tried, entries into the log, alerts acknowledged."""

from __future__ import annotations

from dataclasses import dataclass

from felt.table.facts.fact import Fact


@dataclass(frozen=True, slots=True)
class TestModeEntered(Fact):
    person: str


@dataclass(frozen=True, slots=True)
class TestModeLeft(Fact):
    person: str


@dataclass(frozen=True, slots=True)
class LampsTried(Fact):
    """In test mode: exactly these lamps are lit."""

    lamps: tuple[str, ...]
    person: str


@dataclass(frozen=True, slots=True)
class EntryLogged(Fact):
    """Somebody opened or touched a part of the table."""

    part: str
    reason: str
    person: str
    licence: str


@dataclass(frozen=True, slots=True)
class AlertAcknowledged(Fact):
    """Somebody has seen a fault that stands and takes care of it."""

    code: str
    where: str
    person: str
