"""Facts of the jackpot controller and its link."""

from __future__ import annotations

from dataclasses import dataclass

from felt.table.facts.fact import Fact


@dataclass(frozen=True, slots=True)
class LetterAcked(Fact):
    sequence: int


@dataclass(frozen=True, slots=True)
class ClaimValued(Fact):
    claim: str
    value_micro: int  # the frozen meter
    award_minor: int


@dataclass(frozen=True, slots=True)
class LinkLost(Fact):
    pass


@dataclass(frozen=True, slots=True)
class LinkFound(Fact):
    pass
