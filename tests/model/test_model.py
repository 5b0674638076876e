"""Explores the protocol between tables and controller to its end, then takes the production code along the same
ways."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from tests.model.exploring import Explored, explore
from tests.model.laws import broken_law
from tests.model.mutants import MUTANTS
from tests.model.protocol import Protocol, Step
from tests.model.replaying import Replay
from tests.model.words import BETS, NO_VALUE, RESET, Action, Setting, State

PLAIN = Setting(
    table_crashes=0, controller_crashes=0, backlog=1, voids=False, corrections=False, house_drops=False
)  # two tables, two claims, and nothing but the network goes wrong
CRASHES = PLAIN._replace(table_crashes=1, controller_crashes=1, claims=1)
TROUBLES = PLAIN._replace(voids=True, house_drops=True, apart=False)
SAMPLED = {
    "two claims": PLAIN,
    "one claim, the controller crashes": CRASHES._replace(table_crashes=0, apart=False),
    "one claim, voids and drops": TROUBLES._replace(claims=1),
}
WHOLE = {
    "two claims, both crash": CRASHES._replace(claims=2, apart=False),
    "one claim, both crash, a crash may part taking from committing": CRASHES,
    "two claims, voids, corrections and drops": TROUBLES._replace(corrections=True),
    "one claim, both crash, voids and drops": CRASHES._replace(voids=True, house_drops=True, apart=False),
    "two claims, letters pile up": PLAIN._replace(backlog=9, apart=False),
    "two claims of one round": TROUBLES._replace(seats=2, house_drops=False),
    "two rounds at one table": PLAIN._replace(rounds=(2, 1), apart=False),
}


@cache
def explored(name: str, setting: Setting) -> Explored[State, Action]:
    found = explore(Protocol(setting), State(), broken_law)
    print(f"{name}: {len(found.states)} states, {found.steps} steps, depth {found.depth}")
    return found


@pytest.mark.timeout(3600)
def test_no_way_of_the_protocol_breaks_a_law_or_gets_stuck(full: bool) -> None:
    for name, setting in (SAMPLED | (WHOLE if full else {})).items():
        found = explored(name, setting)
        assert not found.problem, f"{name}: {_story(found)}"


# The situations that the protocol exists for. A law that no situation touches proves nothing.
RARE: dict[str, Callable[[State], bool]] = {
    "a late claim": lambda state: any(claim.late for claim in state.standing.claims),
    "a late claim that is paid": lambda state: any(claim.late for claim in state.standing.hits),
    "an order of the house": lambda state: any(claim.house for claim in state.standing.claims),
    "a released claim that is paid": lambda state: any(claim.released for claim in state.standing.hits),
    "two claims that wait": lambda state: [claim.value for claim in state.standing.claims] == [NO_VALUE, NO_VALUE],
    "two awards": lambda state: len(state.standing.hits) == 2,
    "a cycle that begins with the bets that waited": lambda state: (
        len(state.standing.hits) == 1 and state.standing.purse.display == RESET + BETS
    ),
    "something in the bucket": lambda state: state.standing.purse.bucket > 0,
}


@pytest.mark.parametrize("what", RARE)
def test_the_explorer_and_the_code_reach_what_is_rare(what: str) -> None:
    found = explored("two claims", PLAIN)
    place = next(place for place, state in enumerate(found.states) if RARE[what](state))
    _replayed(found.trace(place), PLAIN)


# The setting in which a mutant shows itself soonest, if not the plain one, and by which law.
WHERE: dict[str, Setting] = {
    "RefusesWhatTheHouseGaveUp": PLAIN._replace(house_drops=True),
    "LowersTheDisplayWithAVoid": PLAIN._replace(voids=True),
    "TakesLettersOutOfTurn": PLAIN._replace(backlog=2),
    "DropsWhatPendsInACrash": CRASHES,
    "ValuesInMemoryOnly": CRASHES,
    "AnswersBeforeCommitting": CRASHES,
    "ForgetsUnansweredLetters": CRASHES,
}
BROKEN = {
    "ValuesBeforeEarlierResults": "before the result of a round that was dealt not later",
    "ValuesTwoAtOnce": "two claims are valued at once",
    "OrdersByArrival": "no person said so",
    "BelievesEveryStamp": "before the result of a round that was dealt not later",
    "MarksNothingLate": "a claim was passed over and is not marked",
    "PaysByThePresentDisplay": "what was paid is not what was confirmed",
    "LosesWhatWaitsWhenItComesIn": "money is not conserved",
    "LeavesWhatWaitedForAClaimThatIsGone": "without bets that were dealt not later",
    "BeginsWithoutReset": "a cycle begins below the reset value",
    "CommitsWithTheLock": "not committed exactly once",
    "RefusesWhatTheHouseGaveUp": "a letter of an honest table is refused",
    "LowersTheDisplayWithAVoid": "money is not conserved",
    "TakesLettersOutOfTurn": "a letter of an honest table is refused",
    "CountsAResendAgain": "a part of the meter is below nought",
    "AnswersBeforeCommitting": "a letter is acknowledged that is not in the ledger",
    "DropsWhatPendsInACrash": "a crash has changed the ledger",
    "ForgetsUnansweredLetters": "what pends is not the rounds without a result",
    "ValuesInMemoryOnly": "a crash has changed the ledger",
    "NobodyOrders": "nothing can ever be resolved",
    "EndsWithOpenClaims": "a claim of it is left",
}


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught_by_a_shortest_story(name: str) -> None:
    found = explore(MUTANTS[name](WHERE.get(name, PLAIN)), State(), broken_law)
    print(f"{name} {_story(found)}")
    assert BROKEN[name] in found.problem
    assert found.counterexample()


# --- the code along the same ways --------------------------------------------------------------------

EVERYTHING = Setting(rounds=(2, 2), claims=3, seats=2, table_crashes=2, controller_crashes=2, backlog=3)


class Shallow(Protocol):
    """Stops after a number of steps."""

    def __init__(self, setting: Setting, depth: int) -> None:
        super().__init__(setting)
        self.depth = depth
        self.depths = {State(): 0}

    def steps(self, state: State) -> Iterator[Step]:
        depth = self.depths.pop(state)
        for action, target in super().steps(state) if depth < self.depth else ():
            self.depths.setdefault(target, depth + 1)
            yield action, target


def _replayed(actions: list[Action], setting: Setting) -> None:
    """Replays a trace of the explorer: each of its actions leads to one state."""
    model, state, replay = Protocol(setting), State(), Replay()
    for action in actions:
        target = next(target for taken, target in model.steps(state) if taken == action)
        replay.do(state, action, target)
        state = target
    assert replay.office.report().conserved


@pytest.mark.timeout(1800)
def test_the_code_follows_every_short_way_of_the_model(full: bool) -> None:
    depth = 9 if full else 7
    setting = EVERYTHING._replace(rounds=(1, 1))
    found = explore(Shallow(setting, depth), State(), lambda *_: "")
    ways = [found.trace(place) for place in range(len(found.states)) if found.depths[place] == depth]
    for way in ways[:: 1 if full else max(1, len(ways) // 600)]:
        _replayed(way, setting)
    print(f"{len(ways)} ways of {depth} steps")


@pytest.mark.timeout(1800)
def test_the_code_follows_long_ways_of_the_model(full: bool) -> None:
    seen: set[str] = set()
    for seed in range(2_000 if full else 120):
        rng, model, state, replay = random.Random(seed), Protocol(EVERYTHING), State(), Replay()
        for _ in range(80):
            steps = list(model.steps(state))
            going_on = [step for step in steps if step[1] != state and not model.gives_up(step[0])]
            action, target = rng.choice(going_on if going_on and rng.random() < (seed % 3) / 2 else steps)
            replay.do(state, action, target)
            seen.add(action.name)
            seen |= {mark for mark, is_seen in SEEN.items() if is_seen(target)}
            state = target
        assert replay.office.report().conserved
    assert seen >= {*SEEN, "order first", "release", "drop", "commit", "controller crashes", "void after the end"}


SEEN: dict[str, Callable[[State], bool]] = {
    "something in the bucket": RARE["something in the bucket"],
    "a correction": lambda state: state.standing.purse.corrected > 0,
    "an award": lambda state: bool(state.standing.hits),
    "a dropped round and one that counts": lambda state: 0 < state.standing.purse.dropped < state.standing.purse.pended,
}


def _story(found: Explored[State, Action]) -> str:
    return "\n  ".join([f"{found.problem}, shortest way:", *map(str, found.counterexample())])
