"""A progressive bet that a fold forfeits: what the forfeit costs, and from which meter on a hand should no longer be
folded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import msgspec

from felt.odds.exact import Outcome, Wager, best_first
from felt.odds.kinds import SixCards
from felt.odds.settled import Kind, Settlement
from felt.rules.rulebook import FOLD, PLAY


class Turn(msgspec.Struct, frozen=True):
    """From this value of the meter on (minor units) a kind of hand is played that is folded below it."""

    meter_minor: Fraction
    hand: int
    deals: int


class Forfeit:
    """A progressive bet that a fold loses. What a hand is worth then hangs on the Ante, the stake and the meter."""

    def __init__(self, settlement: Settlement, six: SixCards) -> None:
        self._six = six
        self._stake = settlement.stake_of("progressive")
        self._played = {code: _paid(settlement, found, PLAY) for code, found in six.by_code.items()}
        self._folded = {code: _paid(settlement, found, FOLD) for code, found in six.by_code.items()}
        self._envy = {
            (code, decision == PLAY): sum((settlement.envy(kind.cards, decision) for kind in found), Fraction(0))
            / len(found)
            for code, found in six.by_code.items()
            for decision in (PLAY, FOLD)
        }

    def gain(self, counts: Mapping[int, int]) -> tuple[Fraction, Fraction]:
        """What playing instead of folding brings over these deals: in minor units, and in wholes of the meter."""
        fixed = part = Fraction(0)
        for code, count in counts.items():
            played, folded = self._played[code], self._folded[code]
            each = Fraction(count, len(played))
            for better, worse in zip(played, folded, strict=True):
                fixed += each * (better.net - worse.net) * self._stake
                part += each * (better.share - worse.share)
        return fixed, part

    def turns(self, ante_gains: Iterable[Fraction], ante_minor: int) -> list[Turn]:
        """The meter values at which the best strategy changes, least first. `ante_gains` are what playing brings to the
        Ante over each class of hands, in Antes."""
        found = []
        for player, counts, gain in zip(self._six.classes, self._six.counts, ante_gains, strict=True):
            fixed, part = self.gain(counts)
            without = gain * ante_minor + fixed
            if without < 0 < part:
                found.append(Turn(-without / part, player.hand, sum(counts.values()) * player.weight))
        return sorted(found, key=lambda turn: (turn.meter_minor, turn.hand))

    def wager(self, played: Iterable[bool], template: Wager, strategy: str) -> Wager:
        """The bet where these classes of hands are played and the others folded."""
        totals: dict[Outcome, Fraction] = {}
        envy = Fraction(0)
        for player, counts, play in zip(self._six.classes, self._six.counts, played, strict=True):
            for code, count in counts.items():
                outcomes = (self._played if play else self._folded)[code]
                envy += self._envy[code, play] * count * player.weight
                for outcome in outcomes:  # a class stands for every suit alike
                    each = Fraction(count * player.weight, len(outcomes))
                    totals[outcome] = totals.get(outcome, Fraction(0)) + each
        counted = [msgspec.structs.replace(outcome, count=int(total)) for outcome, total in totals.items()]
        assert sum(outcome.count for outcome in counted) == template.deals, "every deal is counted once"
        return msgspec.structs.replace(
            template, outcomes=best_first(counted), strategy=strategy, envy=envy / template.deals
        )


def _paid(settlement: Settlement, found: tuple[Kind, ...], decision: str) -> tuple[Outcome, ...]:
    """One outcome for each suit, not yet counted."""
    outcomes = []
    for kind in found:
        paid = settlement.paid(kind.cards, ("ante", "play", "progressive"), ("progressive",), decision)
        won = paid.net > 0 or bool(paid.meter)
        spades = kind.name == "royal_flush" and paid.share == 1
        name = f"{kind.name}{'_spades' if spades else ''}" if won else "fold" if decision == FOLD else "lose"
        outcomes.append(Outcome(name, 0, paid.pays, paid.net, paid.risked, paid.meter, paid.share))
    return tuple(outcomes)
