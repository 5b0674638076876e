"""What the jackpot controller answers a table."""

from __future__ import annotations

from felt.letters.addressed import Addressed, Count, Number

GAP = "gap"  # the reason of a refusal that an earlier letter cures: post from the oldest unanswered one


class Acked(Addressed):
    """The letter is in the ledger. Where it told totals, `differs` says what the ledger counts otherwise."""

    sequence: Number
    highest_seen: Count
    differs: str = ""


class Refused(Addressed):
    sequence: Number
    reason: str


class Valued(Addressed):
    """The frozen value of a claim's meter and the award, with level and share as they stand at the controller, where
    persons may have corrected them."""

    claim: str
    value_micro: Count
    award_minor: Count
    level: str = ""
    share_num: Count = 0
    share_den: Count = 0


class Pong(Addressed):
    highest_seen: Count
    meters: dict[str, int]
    controller_boot: str = ""  # of the controller's clock; empty: it was given none
    controller_ns: Count = 0  # monotonic in that boot, not later than the sending
