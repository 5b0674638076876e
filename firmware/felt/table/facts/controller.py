"""Facts of the jackpot controller and its link."""

from __future__ import annotations

from felt.table.facts.fact import Fact, fact


@fact
class LetterAcked(Fact):
    sequence: int


@fact
class ClaimValued(Fact):
    claim: str
    value_micro: int  # the frozen meter
    award_minor: int


@fact
class LinkLost(Fact):
    pass


@fact
class LinkFound(Fact):
    pass
