"""The dealers' plans, drawn from a seed in advance, and the totals that they must reach. The tally uses the plans and
the awards that the dealers paid. No figure in it comes from a ledger."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

MICRO = 1_000_000
MICRO_PER_BASIS_POINT = 100  # of a stake of one minor unit
STAKES = (100, 500, 500, 500, 2500)
HOT_EVERY = 5  # in every fifth round several tables claim at about the same time
CALM_EVERY = 4  # every fourth table is on a calm link


class Level(NamedTuple):
    name: str
    reset_minor: int
    rate_bp: int
    reserve_bp: int
    share: tuple[int, int]


MAJOR = Level("major", 5_000_000, 1500, 300, (1, 1))
MINOR = Level("minor", 200_000, 500, 0, (1, 10))
LEVELS = (MAJOR, MINOR)


class Link(StrEnum):
    """On a hot link jackpots are claimed. On a calm link results are corrected instead. With both on one link the house
    replaces what a jackpot paid out of bets that became void later, and that amount depends on the exact moment."""

    HOT = "hot"
    CALM = "calm"


def link_of(table: str) -> Link:
    return Link.CALM if int(table[1:]) % CALM_EVERY == 0 else Link.HOT


class Ending(StrEnum):
    RESULT = "result"
    VOID_BEFORE = "void_before"
    VOID_AFTER = "void_after"


class PlannedClaim(NamedTuple):
    claim: str
    seat: int
    level: Level
    granted: bool
    early: bool = False  # denied before its value is known
    reported: bool = False  # reported by people only: claimed after the result


class Plan(NamedTuple):
    bets: tuple[tuple[int, int], ...]  # seat and stake
    ending: Ending = Ending.RESULT
    returned: tuple[int, ...] = ()
    claims: tuple[PlannedClaim, ...] = ()
    taken_back: tuple[int, ...] = ()  # seats whose hands were found invalid after the result

    def accepted(self) -> tuple[int, ...]:
        """The stakes that count in the end."""
        if self.ending is not Ending.RESULT:
            return ()
        return tuple(stake for seat, stake in self.bets if seat not in (*self.returned, *self.taken_back))


def plan_of(seed: int, table: str, number: int) -> Plan:
    chance = random.Random(f"{seed}/{table}/{number}")
    seats = sorted(chance.sample(range(1, 8), chance.randint(1, 6)))
    bets = tuple((seat, chance.choice(STAKES)) for seat in seats)
    kind = chance.random()
    hot = link_of(table) is Link.HOT
    if hot and number % HOT_EVERY == 2 and kind < 0.3:
        return Plan(bets, claims=_claims(chance, number, seats))
    if kind > 0.97:
        return Plan(bets, Ending.VOID_BEFORE)
    if kind > 0.92 and not hot:
        return Plan(bets, Ending.VOID_AFTER)
    returned = tuple(seats[:1]) if kind > 0.88 and len(seats) > 1 else ()
    taken_back = tuple(seats[-1:]) if 0.82 < kind < 0.88 and not hot else ()
    return Plan(bets, returned=returned, taken_back=taken_back)


def _claims(chance: random.Random, number: int, seats: list[int]) -> tuple[PlannedClaim, ...]:
    chosen = chance.sample(seats, min(len(seats), chance.choice((1, 1, 1, 2))))
    made = []
    for seat in sorted(chosen):
        granted = chance.random() < 0.7
        early = not granted and chance.random() < 0.3
        level, reported = chance.choice(LEVELS), chance.random() < 0.15
        made.append(PlannedClaim(f"{number}.{seat}", seat, level, granted, early, reported))
    return tuple(made)


class Paid(NamedTuple):
    level: str
    award_minor: int


class Expected(NamedTuple):
    """What one meter must show when everybody has left, in micro-units unless the name says otherwise."""

    display: int
    reserve: int
    wagers: int
    stakes_minor: int
    hits: int
    wins_minor: int


def expected(seed: int, tables: Iterable[str], rounds: int, paid: Iterable[Paid]) -> Mapping[str, Expected]:
    """By the full name of each meter. Only tables on a hot link pay jackpots."""
    stakes: dict[Link, list[int]] = {link: [] for link in Link}
    for table in tables:
        for number in range(1, rounds + 1):
            stakes[link_of(table)] += plan_of(seed, table, number).accepted()
    awards = list(paid)
    return {
        meter_name(link, level): _expected(
            level, stakes[link], [award for award in awards if (Link.HOT, award.level) == (link, level.name)]
        )
        for link in Link
        for level in LEVELS
    }


def meter_name(link: Link, level: Level) -> str:
    return f"{link}/{level.name}"


def _expected(level: Level, stakes: list[int], paid: list[Paid]) -> Expected:
    staked, wins = sum(stakes), sum(award.award_minor for award in paid)
    whole = level.share[0] == level.share[1]
    seeds_minor = level.reset_minor * (1 + (len(paid) if whole else 0))
    grown = staked * (level.rate_bp - level.reserve_bp) * MICRO_PER_BASIS_POINT
    return Expected(
        display=(seeds_minor - wins) * MICRO + grown,
        reserve=staked * level.reserve_bp * MICRO_PER_BASIS_POINT,
        wagers=len(stakes),
        stakes_minor=staked,
        hits=len(paid),
        wins_minor=wins,
    )
