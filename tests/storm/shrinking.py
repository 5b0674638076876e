"""Reduces the plan of a failure while it still fails in the same way: fewer rounds, tables, kinds of weather and
mistakes, and finally gust by gust. The result is short enough to read."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

from tests.storm.arguments import PATIENCE_S
from tests.storm.plan import RATES, Plan
from tests.storm.storm import Found, play_plan

GUSTS_TRIED_MAX = 400
TRIES_MAX = 1_000


def shrunk(
    found: Found,
    patience_s: float = PATIENCE_S,
    tell: Callable[[str], None] = lambda _: None,
    tries_max: int = TRIES_MAX,
) -> Found:
    """The smallest known evening with the same kind of problem, told line by line."""
    until_s, tries = time.monotonic() + patience_s, 0
    best, improved = found, True
    while improved:
        improved = False
        for smaller in _smaller(best.plan):
            tries += 1
            if tries > tries_max or time.monotonic() >= until_s:
                break
            failed = _fails(smaller, best.problem)
            if failed is not None:
                best, improved = failed, True
                tell(f"still fails: {say(best.plan)}")
                break
    told = _fails(best.plan, best.problem, telling=True)
    return best if told is None else told


def _fails(plan: Plan, problem: str, *, telling: bool = False) -> Found | None:
    try:
        play_plan(plan, telling=telling)
    except Found as found:
        return found if kind_of(found.problem) == kind_of(problem) else None
    return None


def kind_of(problem: str) -> str:
    """Two sentences that differ only in numbers and names are the same problem."""
    return re.sub(r"T?\d[\d.]*|'[^']*'", "#", problem)[:40]


def _smaller(plan: Plan) -> Iterator[Plan]:
    """The largest reductions first."""
    for rounds in sorted({1, plan.rounds // 2, plan.rounds - 1}):
        if 0 < rounds < plan.rounds:
            yield plan._replace(rounds=rounds)
    if len(plan.tables) > 1:
        for kept in plan.tables:
            yield plan._replace(tables=(kept,))
        for gone in plan.tables:
            yield plan._replace(tables=tuple(index for index in plan.tables if index != gone))
    if plan.weather:
        yield plan._replace(weather=())
        half = len(plan.weather) // 2
        if half:
            yield plan._replace(weather=plan.weather[:half])
            yield plan._replace(weather=plan.weather[half:])
    if plan.mistakes:
        yield plan._replace(mistakes=False)
    for gone_kind in plan.weather:
        yield plan._replace(weather=tuple(kind for kind in plan.weather if kind != gone_kind))
    yield from _fewer_gusts(plan)


def _fewer_gusts(plan: Plan) -> Iterator[Plan]:
    if not plan.weather:
        return
    most = min(plan.gusts_max, GUSTS_TRIED_MAX)
    for gusts in (most // 4, most // 2, most * 3 // 4, most - 1):
        if 0 <= gusts < plan.gusts_max:
            yield plan._replace(gusts_max=gusts)
    if plan.gusts_max <= 24:
        for gust in range(1, plan.gusts_max + 1):
            if gust not in plan.dropped:
                yield plan._replace(dropped=plan.dropped | {gust})


def say(plan: Plan) -> str:
    """The command that plays exactly this again."""
    parts = [f"--seed {plan.seed} --rounds {plan.rounds}"]
    if len(plan.tables) < len(plan.games):
        parts.append(f"--tables {','.join(str(index + 1) for index in plan.tables)}")
    parts.append(f"--weather {','.join(kind.replace(' ', '_') for kind in plan.weather) or 'none'}")
    if plan.rate == RATES[-1]:
        parts.append("--wild")  # named kinds of weather also occur more often
    if not plan.mistakes:
        parts.append("--no-mistakes")
    if plan.gusts_max <= GUSTS_TRIED_MAX:
        parts.append(f"--gusts {plan.gusts_max}")
    if plan.dropped:
        parts.append(f"--without {','.join(map(str, sorted(plan.dropped)))}")
    return " ".join(parts)
