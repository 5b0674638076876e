"""The odds of one game under one house's terms, as a value. The reports are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from felt.odds.exact import Wager, square_root
from felt.odds.forfeit import Forfeit, Piece, Turn
from felt.odds.progressive import LongRun, break_even, levels, long_run
from felt.rules.rulebook import Rulebook, Terms

DEVIATION_DIGITS = 8
POSTED = "posted"


class Forfeiture(msgspec.Struct, frozen=True):
    """The effect on one sheet of a fold that forfeits the progressive bet."""

    ante_minor: int  # the Ante on which the strategy depends
    cost_beside_the_ante: Fraction  # in progressive stakes, for a player who considers only the Ante
    cost_at_best: Fraction  # the same for a player who considers both bets
    pieces: tuple[Piece, ...]
    turns: tuple[Turn, ...]

    @classmethod
    def of(cls, forfeit: Forfeit, ante_minor: int, meters: Mapping[str, int]) -> Forfeiture:
        whole = forfeit.never_folded
        names = [level.meter for level in levels(whole)]
        ante_alone = forfeit.wager((False,) * len(forfeit.folds), "")
        without = whole.net(meters) * whole.stake_minor - forfeit.ante_edge * ante_minor
        return cls(
            ante_minor,
            whole.net(meters) - ante_alone.net(meters),
            (without - forfeit.standing(ante_minor, meters)) / whole.stake_minor,
            tuple(piece for name in names for piece in forfeit.pieces(ante_minor, meters, name)),
            tuple(turn for name in names for turn in forfeit.turns(ante_minor, meters, name)),
        )


class Figures(msgspec.Struct, frozen=True):
    """The figures of one wager at the present meters. All are exact except the deviation, which is a root."""

    edge: Fraction
    risk: Fraction
    hits: Fraction
    deviation: Fraction

    @property
    def of_all_risked(self) -> Fraction:
        return self.edge / self.risk


class MeterFigures(msgspec.Struct, frozen=True):
    """The effect of one meter on a bet at the present value."""

    meter: str
    minor: int
    hits: int
    bets_a_hit: Fraction
    adds: Fraction  # to the return, in stakes
    each_minor_adds: Fraction
    even_minor: Fraction

    @property
    def is_above_even(self) -> bool:
        return self.minor > self.even_minor


class Sheet(msgspec.Struct, frozen=True):
    book: Rulebook
    terms: Terms
    meters: dict[str, int]
    wagers: tuple[Wager, ...]
    forfeiture: Forfeiture | None = None

    def long_run(self, wager: Wager) -> LongRun:
        return long_run(wager, self.book, self.terms)

    def figures(self, wager: Wager) -> Figures:
        return Figures(
            wager.house_edge(self.meters),
            wager.risk(),
            wager.hit_rate(self.meters),
            square_root(wager.variance(self.meters), DEVIATION_DIGITS),
        )

    def meter_figures(self, wager: Wager) -> tuple[MeterFigures, ...]:
        return meter_figures(wager, self.meters)

    def pay_table(self, wager: Wager) -> str:
        """The letter, if the rulebook prints several pay tables, or the source of the table."""
        if wager.pay_table:
            return wager.pay_table
        is_posted = any(wager.name == name for name, _ in self.book.posted_rows)
        return POSTED if is_posted else wager.paragraph


def meter_figures(wager: Wager, meters: Mapping[str, int]) -> tuple[MeterFigures, ...]:
    found = []
    for level in levels(wager):
        each = level.coefficient / wager.stake_minor
        minor, even = meters[level.meter], break_even(wager, level.meter, meters)
        assert even is not None, "a level is a meter that is won"
        found.append(MeterFigures(level.meter, minor, level.hits, level.bets_a_hit, each * minor, each, even))
    return tuple(found)
