"""The value of a progressive bet as a function of its meters: when it breaks even, and its return in the long run."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from felt.nouns.money import BASIS_POINTS
from felt.odds.exact import Wager
from felt.rules.rulebook import Rulebook, Terms, readings_in_force

Meters = Mapping[str, int | Fraction]


class Level(msgspec.Struct, frozen=True):
    """One meter of a progressive bet."""

    meter: str
    hits: int  # deals that win all or part of it
    deals: int
    coefficient: Fraction  # the average part of this meter that one bet wins

    @property
    def bets_a_hit(self) -> Fraction:
        return Fraction(self.deals, self.hits)


def levels(wager: Wager) -> tuple[Level, ...]:
    names = dict.fromkeys(outcome.meter for outcome in wager.outcomes if outcome.meter)
    return tuple(_level(wager, name) for name in names)


def _level(wager: Wager, meter: str) -> Level:
    hits = [outcome for outcome in wager.outcomes if outcome.meter == meter]
    won = sum((outcome.count * outcome.share for outcome in hits), Fraction(0))
    return Level(meter, sum(outcome.count for outcome in hits), wager.deals, won / wager.deals)


def break_even(wager: Wager, meter: str, meters: Meters) -> Fraction | None:
    """The value of one meter (minor units) at which the bet costs nothing, with the other meters unchanged. None if the
    bet never wins this meter."""
    coefficient = _level(wager, meter).coefficient
    if not coefficient:
        return None
    without = wager.net({**meters, meter: 0})
    return max(Fraction(0), -without * wager.stake_minor / coefficient)


class LongRun(msgspec.Struct, frozen=True):
    """The part of every stake that goes back to the players in the long run."""

    fixed: Fraction  # awards of a fixed size
    seeds: Fraction  # what the house puts in: reset values
    growth: Fraction  # what the bets themselves put in
    at_most: bool = False  # the reading in force has no closed form; this is an upper bound

    @property
    def whole(self) -> Fraction:
        return self.fixed + self.seeds + self.growth


def long_run(wager: Wager, book: Rulebook, terms: Terms) -> LongRun:
    """Money enters a meter as growth and as seeds, and leaves it as awards: in the long run what is paid equals what
    came in. Every hit of the whole meter adds a seed; after a hit of a part it depends on the reading. The growth of a
    reserve belongs to the players too, so it counts."""
    reading = readings_in_force(book, terms).get("partial_win_meter", "deduct")
    resets, rates = dict(terms.resets), dict(terms.rates_bp)
    nothing: Meters = dict.fromkeys(resets, 0)
    seeds = growth = Fraction(0)
    at_most = False
    for level in levels(wager):
        reset = Fraction(resets[level.meter], wager.stake_minor)
        rate = Fraction(rates.get(level.meter, 0), BASIS_POINTS)
        chances = [
            (outcome.share, Fraction(outcome.count, wager.deals))
            for outcome in wager.outcomes
            if outcome.meter == level.meter
        ]
        whole = sum((chance for share, chance in chances if share == 1), Fraction(0))
        parts = sum((chance for share, chance in chances if share != 1), Fraction(0))
        if reading == "reset" and parts:
            # Every hit resets the meter; the rest goes to the reserve. On average a meter stands at its reset plus what
            # the bets since the last hit have added.
            seeds += level.coefficient * reset
            growth += level.coefficient * rate / (whole + parts)
        else:
            seeds += whole * reset
            growth += rate
            if reading == "deduct_not_below_reset" and parts:
                seeds += (level.coefficient - whole) * reset
                at_most = True
    return LongRun(1 + wager.net(nothing), seeds, growth, at_most)
