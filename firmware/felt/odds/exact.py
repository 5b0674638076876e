"""Everything that is known exactly about one wager: each outcome with its count and payment, and the figures that
follow. Only whole numbers and fractions; a figure is rounded once, when it is printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import isqrt

import msgspec


class Outcome(msgspec.Struct, frozen=True):
    """One way for a wager to end. Amounts are in stakes. A share of a meter is kept separately, because meters move."""

    name: str
    count: int
    pays: str  # as the pay table names it
    net: Fraction  # the player's gain, without what a meter pays
    risked: Fraction = Fraction(1)  # everything that he staked
    meter: str = ""
    share: Fraction = Fraction(0)  # of that meter


class Wager(msgspec.Struct, frozen=True):
    """A wager under one pay table and, if it includes a decision, one strategy."""

    name: str
    pay_table: str  # the letter, if the rulebook prints several
    paragraph: str
    deals: int
    outcomes: tuple[Outcome, ...]
    strategy: str = ""
    stake_minor: int = 0  # of a progressive bet: its meters are sums of money, not odds
    envy: Fraction = Fraction(0)  # what each further box in the round adds on average, in stakes
    advice: tuple[tuple[str, str], ...] = ()  # the strategy found, by what the player sees besides his hand
    exceptions: tuple[str, ...] = ()  # kinds of hands for which the best decision differs from that advice

    def progressive(self, stake_minor: int, envy: Fraction) -> Wager:
        return msgspec.structs.replace(self, stake_minor=stake_minor, envy=envy)

    def times(self, factor: int) -> Wager:
        """The same wager with each deal counted this many times."""
        outcomes = tuple(msgspec.structs.replace(outcome, count=outcome.count * factor) for outcome in self.outcomes)
        return msgspec.structs.replace(self, deals=self.deals * factor, outcomes=outcomes)

    def net(self, meters: Mapping[str, int | Fraction]) -> Fraction:
        """The player's average gain in stakes, with the meters at these values (minor units)."""
        return sum(
            (outcome.count * self.net_of(outcome, meters) for outcome in self.outcomes), Fraction(0)
        ) / self.deals

    def net_of(self, outcome: Outcome, meters: Mapping[str, int | Fraction]) -> Fraction:
        if not outcome.meter:
            return outcome.net
        return outcome.net + outcome.share * Fraction(meters[outcome.meter]) / self.stake_minor

    def house_edge(self, meters: Mapping[str, int | Fraction]) -> Fraction:
        return -self.net(meters)

    def risk(self) -> Fraction:
        """The player's average stake: more than one if a second bet follows the first."""
        return sum((outcome.count * outcome.risked for outcome in self.outcomes), Fraction(0)) / self.deals

    def hit_rate(self, meters: Mapping[str, int | Fraction]) -> Fraction:
        wins = sum(outcome.count for outcome in self.outcomes if self.net_of(outcome, meters) > 0)
        return Fraction(wins, self.deals)

    def variance(self, meters: Mapping[str, int | Fraction]) -> Fraction:
        squares = sum(
            (outcome.count * self.net_of(outcome, meters) ** 2 for outcome in self.outcomes), Fraction(0)
        )
        return squares / self.deals - self.net(meters) ** 2


def merged(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """Merges outcomes that look the same to a reader, in the order in which they first occurred."""
    together: dict[tuple[object, ...], Outcome] = {}
    for outcome in outcomes:
        key = (outcome.name, outcome.pays, outcome.net, outcome.risked, outcome.meter, outcome.share)
        known = together.get(key)
        together[key] = outcome if known is None else msgspec.structs.replace(known, count=known.count + outcome.count)
    return tuple(together.values())


def best_first(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    return tuple(sorted(merged(outcomes), key=lambda outcome: (outcome.share, outcome.net), reverse=True))


def decimal(value: Fraction, digits: int) -> str:
    """A fraction as a decimal number, rounded half away from zero."""
    scale = 10**digits
    halves = abs(value.numerator) * scale * 2 // value.denominator
    rounded = (halves + 1) // 2
    sign = "-" if value < 0 and rounded else ""
    text = f"{rounded // scale}.{rounded % scale:0{digits}d}" if digits else str(rounded)
    return sign + text


def grouped(value: Fraction, digits: int) -> str:
    """`110,764.5`: with a separator between the thousands."""
    whole, dot, rest = decimal(value, digits).partition(".")
    return f"{int(whole):,}{dot}{rest}"


def percent(value: Fraction, digits: int = 4) -> str:
    return decimal(value * 100, digits) + "%"


def percent_of(part: int, whole: int) -> str:
    return percent(Fraction(part, whole), 2)


def percent_cut(value: Fraction) -> str:
    """`84.51%`, truncated after two digits: a return is never overstated."""
    hundredths = value.numerator * 10_000 // value.denominator
    return f"{hundredths // 100}.{hundredths % 100:02d}%"


def square_root(value: Fraction, digits: int) -> Fraction:
    """The square root of a fraction, truncated after so many digits. The only inexact figure here."""
    scale = 10**digits
    return Fraction(isqrt(value.numerator * scale * scale // value.denominator), scale)
