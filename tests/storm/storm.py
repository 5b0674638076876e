"""One seed, one evening: people and weather until the rounds are played, then calm until the table is at rest."""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

from felt.table.state import Phase
from tests.storm.checkers import Checkers, Violation, stuck
from tests.storm.people import People
from tests.storm.weather import Weather
from tests.storm.world import World

ACTS_A_ROUND_MAX = 120
CALM_ACTS_MAX = 250
CALM_MS_MAX = 180_000


class Figures(NamedTuple):
    """What an evening, or many, came to."""

    seeds: int
    rounds: int
    settled: int
    voided: int
    jackpots: int
    boxes: int  # with cards, over all rounds that were locked
    facts: int
    boots: int
    fired: Counter[str]
    cells: frozenset[tuple[str, str, str]]
    digest: str
    story: tuple[str, ...]

    def plus(self, other: Figures) -> Figures:
        return Figures(
            self.seeds + other.seeds,
            self.rounds + other.rounds,
            self.settled + other.settled,
            self.voided + other.voided,
            self.jackpots + other.jackpots,
            self.boxes + other.boxes,
            self.facts + other.facts,
            self.boots + other.boots,
            self.fired + other.fired,
            self.cells | other.cells,
            other.digest,
            other.story,
        )


NOTHING = Figures(0, 0, 0, 0, 0, 0, 0, 0, Counter(), frozenset(), "", ())


class Found(Violation):
    """A violation and the evening that led to it."""

    def __init__(self, seed: int, problem: str, story: list[str]) -> None:
        super().__init__(f"seed {seed}: {problem}")
        self.seed = seed
        self.problem = problem
        self.story = story


def play(
    seed: int,
    rounds: int,
    *,
    lie_about_sync: bool = False,
    from_outside_only: bool = False,
    wild: bool = False,
    telling: bool = False,
) -> Figures:
    """Raises `Found` when something happened that must not. `from_outside_only` leaves the disk unread, `wild` is
    all weather at once."""
    checkers = Checkers(reads_the_disk=not from_outside_only)
    story: list[str] = []
    try:
        world = World(seed, checkers, lie_about_sync=lie_about_sync, story=story if telling else None)
        people = People(world, random.Random(seed * 7 + 4))
        weather = Weather(world, random.Random(seed * 7 + 5), wild=wild)
        _storm(world, people, weather, rounds)
        weather.calm()
        _come_to_rest(world, people)
        _play_on(world, people)
    except Violation as violation:
        raise Found(seed, str(violation), story) from violation
    return _figures(world)


def _storm(world: World, people: People, weather: Weather, rounds: int) -> None:
    for _ in range(rounds * ACTS_A_ROUND_MAX):
        weather.blow()
        people.act()
        world.advance(world.rough.uniform(5, 60))
        if world.table.tally.rounds >= rounds and world.table.phase is Phase.IDLE:
            return


def _come_to_rest(world: World, people: People) -> None:
    until_ns = world.world_ns() + CALM_MS_MAX * 1_000_000
    world.advance(5_000)  # the link is found again, and what was on its way arrives
    for _ in range(CALM_ACTS_MAX):
        if world.table.phase is Phase.IDLE:
            break
        people.next_right_thing(calm=True)
        world.advance(50)
    while stuck(world.table) and world.world_ns() < until_ns:
        world.advance(500)
    if stuck(world.table):
        raise Violation(f"no rest after the storm: {stuck(world.table)}")
    world.checkers.at_rest(world)


def _play_on(world: World, people: People) -> None:
    """A table at rest after a storm still plays: one more round from chip to end."""
    before = world.table.tally
    for spot in list(world.acts):
        world.move_chip(spot, False)
    world.advance(2_000)
    people.next_right_thing(calm=True)
    for _ in range(CALM_ACTS_MAX):
        if world.table.phase is Phase.BETTING and not world.intended("1.ante"):
            world.move_chip("1.ante", True)
            world.move_chip("1.progressive", True)
            world.advance(100)
        if world.table.tally.rounds > before.rounds and world.table.phase is Phase.IDLE:
            break
        people.next_right_thing(calm=True)
    world.advance(5_000)
    after = world.table.tally
    if after.settled != before.settled + 1:
        raise Violation(f"the table plays no more: {before} became {after}, {stuck(world.table) or 'idle'}")
    world.checkers.at_rest(world)


def _figures(world: World) -> Figures:
    tally, checkers = world.table.tally, world.checkers
    world.digest.update(str(tally).encode())
    return Figures(
        1, tally.rounds, tally.settled, tally.voided, checkers.purse.hits, checkers.boxes, checkers.copyist.facts,
        world.boots, world.fired, frozenset(checkers.copyist.cells), world.digest.hexdigest(), tuple(world.story or ()),
    )  # fmt: skip
