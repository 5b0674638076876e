"""What was wagered, by bet: handle, what went back without having played, losses and payments. What nobody knows is
counted as unknown and never as nothing. A round that became another after its end is taken out again and counted as it
stands."""

from __future__ import annotations

import re
from collections.abc import Mapping

from felt.nouns.values import Value, replace
from felt.rules.rulebook import RETURNED, Line
from felt.rules.verdicts import OVER_LIMIT

_ODDS = re.compile(r"([\d,]+) (?:to|for) ([\d,]+)")
_SECOND_BET = {"play": "ante"}  # a second bet without limits of its own has those of the first


class Sum(Value):
    """Minor units that are known, and how many amounts are not."""

    known: int = 0
    unknown: int = 0

    def plus(self, amount: int | None, times: int = 1) -> Sum:
        if amount is None:
            return Sum(self.known, self.unknown + times)
        return Sum(self.known + times * amount, self.unknown)


class Wagered(Value):
    bets: int = 0
    handle: Sum = Sum()  # what was in action
    returned: Sum = Sum()  # what went back without having played
    lost: Sum = Sum()
    paid: Sum = Sum()

    def plus(self, line: Line, tops: Mapping[str, int | None], times: int = 1) -> Wagered:
        """A line without a stake is something paid beside a bet, and no bet; `times` -1 takes the line out again."""
        if line.outcome == RETURNED:  # whatever it was, nothing of it is lost
            return replace(self, returned=self.returned.plus(line.stake, times))
        lost, paid = self.lost.plus(line.lost, times), self.paid.plus(line.paid, times)
        if line.stake == 0:
            return replace(self, lost=lost, paid=paid)
        action = in_action(line, tops)
        handle, returned = self.handle.plus(action, times), self.returned
        if line.stake is not None and action is not None:
            returned = returned.plus(line.stake - action, times)
        return Wagered(self.bets + times, handle, returned, lost, paid)

    def hold(self) -> int | None:
        """What stayed with the house; None while anything of it is unknown."""
        return None if self.lost.unknown or self.paid.unknown else self.lost.known - self.paid.known


def in_action(line: Line, tops: Mapping[str, int | None]) -> int | None:
    """The part that played of a bet that did not go back: what was lost, what the odds were paid on, else what the
    limit lets stand."""
    if line.stake is None or line.lost:
        return line.lost
    odds = _ODDS.fullmatch(line.odds)
    if OVER_LIMIT in line.because and odds and line.paid is not None:
        amount, per = (int(one.replace(",", "")) for one in odds.groups())
        return min(line.stake, -(-line.paid * per // amount))
    top = tops.get(line.bet, tops.get(_SECOND_BET.get(line.bet, "")))
    return line.stake if top is None else min(line.stake, top)
