"""Facts of the house: settings, starts, eras, faults, service, the clock."""

from __future__ import annotations

from typing import Any

from felt.nouns.ids import Spot
from felt.table.facts.fact import Fact, fact


@fact
class Configured(Fact):
    """The settings in force from here on, in full."""

    settings: dict[str, Any]
    digest: str


@fact
class Booted(Fact):
    """A start of the firmware: a new boot's clock, and every level as it was read."""

    firmware: str
    levels: tuple[tuple[Spot, bool], ...]


@fact
class EraClosed(Fact):
    """The last record of an era. Its hand-over is all that another version reads."""

    handover: dict[str, Any]


@fact
class EraOpened(Fact):
    """The first fact of an era: a born table, or what the era before handed over."""

    nonce: str
    firmware: str
    handover: dict[str, Any]


@fact
class SnapshotTaken(Fact):
    digest: str


@fact
class DeadlinePassed(Fact):
    name: str


@fact
class StepFailed(Fact):
    """A fact that the core could not work through, kept as text so that it is never stepped again."""

    failed: str
    problem: str


@fact
class FaultRaised(Fact):
    code: str
    where: str


@fact
class FaultCleared(Fact):
    code: str
    where: str
    person: str


@fact
class OutOfServiceOrdered(Fact):
    person: str
    reason: str


@fact
class BackInServiceOrdered(Fact):
    person: str


@fact
class ClockStepped(Fact):
    by_ns: int  # the wall clock was set while the table ran; nothing is ordered by it


@fact
class LampFound(Fact):
    """A coin spot's lamp whose current is fed back, judged anew."""

    lamp: Spot
    state: str  # good, open or short


@fact
class DoorMoved(Fact):
    is_open: bool  # the cabinet's door, as its contact tells
