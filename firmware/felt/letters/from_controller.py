"""The jackpot controller's answers to a table."""

from __future__ import annotations

from felt.letters.addressed import Addressed, Count, Number

GAP = "gap"  # reason of a refusal that an earlier letter cures: post again from the oldest unanswered letter


class Acked(Addressed):
    """The letter is in the ledger. If the letter told totals, `differs` says where the ledger disagrees."""

    sequence: Number
    highest_seen: Count
    differs: str = ""


class Refused(Addressed):
    sequence: Number
    reason: str


class Valued(Addressed):
    """The frozen value of a claim's meter, and the award. Level and share are the controller's, since persons may
    have corrected them there."""

    claim: str
    value_micro: Count
    award_minor: Count
    level: str = ""
    share_num: Count = 0
    share_den: Count = 0


class Pong(Addressed):
    highest_seen: Count
    meters: dict[str, int]
    controller_boot: str = ""  # the boot of the controller's clock; empty: it has no clock
    controller_ns: Count = 0  # monotonic in that boot, read before the answer was sent
    edition: Count = 0  # of the shown values: it rises each time a meter falls
