"""Explores every state that can be reached, breadth first, so that the first mistake found has the shortest way. Then
it goes backwards from the end states: a state that reaches no end is stuck. Steps by which somebody gives up what is
due to him lead out of everything, so they do not count there. It knows nothing of jackpots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

State = TypeVar("State")
Action = TypeVar("Action")


class Model(Protocol[State, Action]):
    def steps(self, state: State) -> Iterator[tuple[Action, State]]: ...

    def is_resolved(self, state: State) -> bool: ...

    def gives_up(self, action: Action) -> bool: ...


Law = Callable[[State, Action, State], str]  # what is wrong with a step; empty if nothing is


@dataclass
class Explored(Generic[State, Action]):
    states: list[State]
    came_from: list[tuple[int, Action | None]]  # the step that first reached a state
    depths: list[int]
    leads_to: list[list[int]]
    steps: int = 0
    problem: str = ""
    problem_at: int = 0
    problem_after: tuple[Action, ...] = ()

    @property
    def depth(self) -> int:
        return self.depths[-1]

    def trace(self, place: int) -> list[Action]:
        """The shortest way to a state."""
        actions: list[Action] = []
        while (step := self.came_from[place])[1] is not None:
            actions.append(step[1])
            place = step[0]
        return actions[::-1]

    def counterexample(self) -> list[Action]:
        return [*self.trace(self.problem_at), *self.problem_after]


def explore(model: Model[State, Action], first: State, law: Law[State, Action]) -> Explored[State, Action]:
    """Explores everything, or stops at the first broken law."""
    found: Explored[State, Action] = Explored([first], [(0, None)], [0], [])
    places = {first: 0}
    place = 0
    while place < len(found.states):
        state = found.states[place]
        targets: list[int] = []
        for action, target in model.steps(state):
            found.steps += 1
            found.problem = law(state, action, target)
            if found.problem:
                found.problem_at, found.problem_after = place, (action,)
                return found
            at = places.setdefault(target, len(found.states))
            if at == len(found.states):
                found.states.append(target)
                found.came_from.append((place, action))
                found.depths.append(found.depths[place] + 1)
            if at != place and not model.gives_up(action):
                targets.append(at)
        found.leads_to.append(targets)
        place += 1
    _find_stuck(model, found)
    return found


def _find_stuck(model: Model[State, Action], found: Explored[State, Action]) -> None:
    """The first state, in breadth-first order, from which no resolved state can be reached."""
    leads_from: list[list[int]] = [[] for _ in found.states]
    for place, targets in enumerate(found.leads_to):
        for target in targets:
            leads_from[target].append(place)
    hopeful = [model.is_resolved(state) for state in found.states]
    waiting = [place for place, is_resolved in enumerate(hopeful) if is_resolved]
    while waiting:
        for place in leads_from[waiting.pop()]:
            if not hopeful[place]:
                hopeful[place] = True
                waiting.append(place)
    stuck = [place for place, has_hope in enumerate(hopeful) if not has_hope]
    if stuck:
        found.problem, found.problem_at = "from here nothing can ever be resolved", stuck[0]
