"""Plays the evening of one seed: people and weather until the rounds are played, then calm until the house is at rest,
then one more round at each table."""

from __future__ import annotations

import gc
import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from felt.jackpot.books.order import turn_on
from felt.jackpot.books.standing import OpenClaim
from felt.jackpot.controller.office import Office
from felt.loop import boot
from tests.storm.checkers import stuck
from tests.storm.copyist import Cell, _stepper
from tests.storm.house import CLAIM_WAIT_S, House
from tests.storm.office_checks import check_written
from tests.storm.people import People
from tests.storm.plan import Plan, plan_of
from tests.storm.purse import Violation
from tests.storm.weather import GUSTS, Weather

MS_A_ROUND_MAX = 25_000
CALM_MS_MAX = 240_000
KINDS = tuple(GUSTS)
# An evening makes millions of values and hardly any reference cycles, so collect cycles less often.
RINGS_SOUGHT = (20_000, 20, 20)


class Figures(NamedTuple):
    """The totals of one or more evenings."""

    seeds: int = 0
    tables: int = 0
    rounds: int = 0
    settled: int = 0
    voided: int = 0
    jackpots: int = 0
    boxes: int = 0  # boxes with cards, over all locked rounds
    facts: int = 0
    letters: int = 0
    boots: int = 0  # of tables
    controllers: int = 0
    ordered: int = 0  # claims of two tables that the clocks distinguished
    undetermined: int = 0
    fired: Counter[str] = Counter()  # noqa: RUF012 # summed into new values, never changed
    faults: Counter[str] = Counter()  # noqa: RUF012
    cells: frozenset[Cell] = frozenset()
    paragraphs: frozenset[str] = frozenset()
    digest: str = ""
    story: tuple[str, ...] = ()

    def plus(self, other: Figures) -> Figures:
        counts = {name: getattr(self, name) + getattr(other, name) for name in COUNTED}
        cells, paragraphs = self.cells | other.cells, self.paragraphs | other.paragraphs
        return other._replace(**counts, cells=cells, paragraphs=paragraphs)


COUNTED = Figures._fields[:15]
NOTHING = Figures()


class Found(Violation):
    """A violation and the evening that led to it."""

    def __init__(self, plan: Plan, problem: str, story: list[str]) -> None:
        super().__init__(f"seed {plan.seed}: {problem}")
        self.plan = plan
        self.seed = plan.seed
        self.problem = problem
        self.story = story

    def __reduce__(self) -> tuple[type[Found], tuple[Plan, str, list[str]]]:
        """It may be pickled by another process."""
        return Found, (self.plan, self.problem, self.story)


def play(seed: int, rounds: int, *, calm: bool = False, wild: bool = False, telling: bool = False) -> Figures:
    """Raises `Found` when something happened that must not. `calm`: nothing goes wrong; `wild`: everything does."""
    return play_plan(plan_of(seed, rounds, KINDS, calm=calm, wild=wild), telling=telling)


def play_plan(plan: Plan, *, telling: bool = False) -> Figures:
    story: list[str] = []
    patch = pytest.MonkeyPatch()
    patch.setattr(boot, "Stepper", _stepper)  # keeps no state between steps, and is slow to build
    usual = gc.get_threshold()
    gc.set_threshold(*RINGS_SOUGHT)
    try:
        house = House(plan, story if telling else None)
        people = [
            People(place, random.Random(plan.seed * 2_003 + place.index), mistakes=plan.mistakes)
            for place in house.places
        ]
        weather = Weather(house)
        for some in people:
            house.walks(some.evening())
        house.walks(weather.blows())
        house.walks(_supervisor(house))
        _storm(house)
        weather.calm()
        _come_to_rest(house, people)
        _play_on(house, people)
    except Violation as violation:
        raise Found(plan, str(violation), story) from violation
    finally:
        gc.set_threshold(*usual)
        patch.undo()
    return _figures(house, people)


def _supervisor(house: House) -> Iterator[float]:
    """A person at the jackpot controller orders claims that the clocks cannot order, and does not let claims wait for
    ever."""
    while True:
        yield 700
        node = None if house.controller is None else house.controller.node
        if node is None or not node.office.standing.claims:
            continue
        context = node.office._context(node.clock.stamp())
        for meter in node.office.standing.meters:
            turn = turn_on(node.office.standing, context, meter.name)
            first = turn.first
            if turn.undetermined:
                claims = [_named(claim) for claim in turn.undetermined]
                _ask(house, "OrderClaims", {"meter": meter.name, "claims": claims})
            elif first is not None and first.valuation is None and not first.released:
                if context.elapsed_ns(first.since) > CLAIM_WAIT_S * 1_000_000_000:
                    _ask(house, "ReleaseClaim", {"claim": _named(first)})


def _named(claim: OpenClaim) -> dict[str, str]:
    return {"table": claim.table, "nonce": claim.nonce, "claim": claim.claim}


def _ask(house: House, act: str, fields: dict[str, object]) -> None:
    assert house.controller is not None
    persons = [["Ada", "supervisor"]]
    words = {"act": act, "fields": fields, "persons": persons, "reason": "as the cameras show"}
    house.controller.ask(words, lambda reply: house.tell(f"{act} {fields}: {reply}"))


def _rounds(house: House) -> int:
    return sum(place.table.tally.rounds for place in house.places if place.running is not None)


def _storm(house: House) -> None:
    wanted = house.plan.rounds * len(house.places)
    for _ in range(house.plan.rounds * MS_A_ROUND_MAX // 1_000):
        house.advance(1_000)
        if _rounds(house) >= wanted:
            return


def _come_to_rest(house: House, people: list[People]) -> None:
    for some in people:
        some.calm = True
    for _ in range(CALM_MS_MAX // 500):
        house.advance(500)
        if not _stuck(house):
            break
    house.advance(1_500)
    if _stuck(house):
        raise Violation(f"no rest after the storm: {_stuck(house)}")
    _check_rest(house)


def _stuck(house: House) -> str:
    for place in house.places:
        problem = "it is dark" if place.running is None else stuck(place.table)
        if problem:
            return f"{place.name}: {problem}"
    if house.controller is not None and house.controller.node is None:
        return "no jackpot controller leads"
    return ""


def _check_rest(house: House) -> None:
    for place in house.places:
        place.checkers.at_rest(place)
        link, tally = house.link_of(place.name), place.table.tally
        own = (link.stakes_of.get(place.name, 0), link.wins_of.get(place.name, 0))
        if (tally.contributions_minor, tally.awards_minor) != own:
            told = (tally.contributions_minor, tally.awards_minor)
            raise Violation(f"{place.name} counts {told}, its letters {own}")
    for link in house.links.values():
        link.all_is_settled()
    office = _office(house)
    house.checks.at_rest(office)
    check_written(house.books.memory.rows(), office)


def _office(house: House) -> Office:
    if house.controller is None:
        return house.office
    assert house.controller.node is not None
    return house.controller.node.office


def _play_on(house: House, people: list[People]) -> None:
    """After the storm the house still plays: one more round at each table, from chip to end."""
    before = {place.name: place.table.tally for place in house.places}
    for some, place in zip(people, house.places, strict=True):
        some.encore = place.table.tally.rounds + 1
    for _ in range(CALM_MS_MAX // 500):
        house.advance(500)
        done = all(place.table.tally.rounds > before[place.name].rounds for place in house.places)
        if done and not _stuck(house):
            break
    for place in house.places:
        was, is_now = before[place.name], place.table.tally
        if is_now.settled != was.settled + 1:
            raise Violation(f"{place.name} plays no more: {was} became {is_now}, {stuck(place.table) or 'idle'}")
    house.advance(1_500)
    _check_rest(house)


def _figures(house: House, people: list[People]) -> Figures:
    tallies = [place.table.tally for place in house.places]
    copyists = [place.checkers.copyist for place in house.places]
    for tally in tallies:
        house.note(str(tally))
    return Figures(
        1,
        len(house.places),
        sum(tally.rounds for tally in tallies),
        sum(tally.settled for tally in tallies),
        sum(tally.voided for tally in tallies),
        sum(purse.hits for link in house.links.values() for purse in link.purses.values()),
        sum(place.checkers.boxes for place in house.places),
        sum(copyist.facts for copyist in copyists),
        sum(place.checkers.witness.counted for place in house.places),
        sum(place.boots for place in house.places),
        0 if house.controller is None else house.controller.boots,
        house.checks.ordered,
        house.checks.undetermined,
        house.fired,
        sum((copyist.faults for copyist in copyists), Counter()),
        frozenset().union(*(copyist.cells for copyist in copyists)),
        frozenset().union(*(copyist.paragraphs for copyist in copyists)),
        house.digest(),
        tuple(house.story or ()),
    )

