"""Facts of the jackpot controller and its link."""

from __future__ import annotations

from felt.table.facts.fact import Fact


class LetterAcked(Fact):
    sequence: int


class ClaimValued(Fact):
    claim: str
    value_micro: int  # the frozen meter
    award_minor: int
    level: str = ""  # as it stands at the controller, where persons may have corrected it; empty: not told
    share_num: int = 0
    share_den: int = 0


class LinkLost(Fact):
    pass


class LinkFound(Fact):
    pass
