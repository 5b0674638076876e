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
    level: str = ""  # as it stands at the controller, where persons may have corrected it; empty: not told
    share_num: int = 0
    share_den: int = 0


@fact
class LinkLost(Fact):
    pass


@fact
class LinkFound(Fact):
    pass
