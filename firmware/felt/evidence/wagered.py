"""What was wagered, per bet: handle, bets returned without action, losses and payments. Unknown amounts are counted
as unknown, never as zero. If a round changes after its end, its former values are subtracted and the new ones added."""

from __future__ import annotations

import re
from collections.abc import Mapping

from felt.nouns.values import Value, replace
from felt.rules.rulebook import RETURNED, Line
from felt.rules.verdicts import OVER_LIMIT

_ODDS = re.compile(r"([\d,]+) (?:to|for) ([\d,]+)")
_SECOND_BET = {"play": "ante"}  # a second bet without limits of its own has those of the first


class Sum(Value):
    """A sum of known minor units, and the number of unknown amounts."""

    known: int = 0
    unknown: int = 0

    def plus(self, amount: int | None, times: int = 1) -> Sum:
        if amount is None:
            return Sum(self.known, self.unknown + times)
        return Sum(self.known + times * amount, self.unknown)


class Wagered(Value):
    bets: int = 0
    handle: Sum = Sum()  # amounts in action
    returned: Sum = Sum()  # returned without action
    lost: Sum = Sum()
    paid: Sum = Sum()

    def plus(self, line: Line, tops: Mapping[str, int | None], times: int = 1) -> Wagered:
        """Adds a line. A line without a stake is a payment beside a bet, not a bet. `times` -1 subtracts the line."""
        if line.outcome == RETURNED:  # nothing of it is lost, whatever the bet was
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
        """The amount kept by the house; None while any part is unknown."""
        return None if self.lost.unknown or self.paid.unknown else self.lost.known - self.paid.known


def in_action(line: Line, tops: Mapping[str, int | None]) -> int | None:
    """The part of a bet that was in action: what was lost, what the odds were paid on, or else what the limit
    allows."""
    if line.stake is None or line.lost:
        return line.lost
    odds = _ODDS.fullmatch(line.odds)
    if OVER_LIMIT in line.because and odds and line.paid is not None:
        amount, per = (int(number.replace(",", "")) for number in odds.groups())
        return min(line.stake, -(-line.paid * per // amount))
    top = tops.get(line.bet, tops.get(_SECOND_BET.get(line.bet, "")))
    return line.stake if top is None else min(line.stake, top)
