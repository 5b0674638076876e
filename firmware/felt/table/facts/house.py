"""Facts of the house: settings, starts, eras, faults, service, the clock."""

from __future__ import annotations

from typing import Any

from felt.nouns.ids import Spot
from felt.table.facts.fact import Fact
from felt.table.settings import Settings


class Configured(Fact):
    """The settings in force from here on, in full."""

    settings: Settings
    digest: str


class Booted(Fact):
    """A start of the firmware: a new boot's clock, and every level as it was read."""

    firmware: str
    levels: tuple[tuple[Spot, bool], ...]


class EraClosed(Fact):
    """The last record of an era. Its hand-over is all that another version reads."""

    handover: dict[str, Any]


class EraOpened(Fact):
    """The first fact of an era: a born table, or what the era before handed over."""

    nonce: str
    firmware: str
    handover: dict[str, Any]


class SnapshotTaken(Fact):
    digest: str


class DeadlinePassed(Fact):
    name: str


class StepFailed(Fact):
    """A fact that the core could not work through, kept as text so that it is never stepped again."""

    failed: str
    problem: str


class FaultRaised(Fact):
    code: str
    where: str


class FaultCleared(Fact):
    code: str
    where: str
    person: str


class OutOfServiceOrdered(Fact):
    person: str
    reason: str


class BackInServiceOrdered(Fact):
    person: str


class ClockStepped(Fact):
    by_ns: int  # the wall clock was set while the table ran; nothing is ordered by it


class ClockJudged(Fact):
    early: bool  # by the wall clock no version of the rulebook is in force yet


class LampFound(Fact):
    """A coin spot's lamp whose current is fed back, judged anew."""

    lamp: Spot
    state: str  # good, open or short


class DoorMoved(Fact):
    is_open: bool  # the cabinet's door, as its contact tells
