"""When cards truly left and deals truly ended, by a clock that no machine in the house has. The controller's order of
rounds and claims is compared with it. Uncertain times are not compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from tests.storm.purse import Claim, Violation

RoundKey = tuple[str, int]  # a table and one of its rounds


class Deal(NamedTuple):
    first_hand_ns: int | None  # when the last card of the first hand left
    ended_ns: int | None  # when the table received the last card of the deal


UNKNOWN = Deal(None, None)


class Truth(Protocol):
    def deal_of(self, key: RoundKey) -> Deal: ...

    def hand_of(self, table: str, claim: str) -> int | None:
        """When the last card of the claiming hand left."""


class NobodyKnows:
    """Implements `Truth` where no true time is known."""

    def deal_of(self, _: RoundKey) -> Deal:
        return UNKNOWN

    def hand_of(self, *_: str) -> int | None:
        return None


def check_counted_later(truth: Truth, one: RoundKey, claimed: Iterable[RoundKey], meter: str) -> None:
    """A round placed after the claims that have their turn was not dealt before all of them."""
    ended, others = truth.deal_of(one).ended_ns, [truth.deal_of(key).ended_ns for key in claimed]
    if ended is not None and others and all(other is not None and ended < other for other in others):
        raise Violation(f"{meter}: bets of round {one[1]} of {one[0]} come after claims that were dealt after them")


def check_waited_for(truth: Truth, claim: Claim, without_result: Iterable[RoundKey]) -> None:
    """A hand dealt earlier may claim earlier, and its round's contributions belong to the value."""
    hand_ns = truth.hand_of(claim.table, claim.name)
    for table, number in without_result:
        first_ns = truth.deal_of((table, number)).first_hand_ns
        if table != claim.table and hand_ns is not None and first_ns is not None and first_ns < hand_ns:
            early_ms = (hand_ns - first_ns) / 1e6
            raise Violation(
                f"claim {claim.name} of {claim.table} is valued without the result of round {number} of {table}, "
                f"of which a hand was dealt {early_ms:.3f} ms before"
            )


def check_brought_in(truth: Truth, claim: Claim, waiting: Iterable[RoundKey]) -> None:
    """What still stands behind was not dealt before the claim that has its value now."""
    ended_ns = truth.deal_of(claim.round).ended_ns
    for table, number in waiting:
        of_round_ns = truth.deal_of((table, number)).ended_ns
        if ended_ns is not None and of_round_ns is not None and of_round_ns < ended_ns:
            raise Violation(
                f"claim {claim.name} of {claim.table} is valued without the bets of round {number} of {table}, which "
                f"was dealt {(ended_ns - of_round_ns) / 1e6:.3f} ms before"
            )
