"""Tests the tests: plays seed after seed until each planted mistake is found by the right checker."""

from __future__ import annotations

import time

import pytest

from felt.rules import shelf
from tests.storm.mistakes import Mistake
from tests.storm.plan import Plan, plan_of
from tests.storm.planted import PLANTED
from tests.storm.storm import KINDS, Found, play_plan

# Each planted mistake must be found within this many seeds.
WITHIN_SEEDS = 40
ROUNDS = 5
RACING = 6
ON_THE_WAY = ("messages late", "messages repeated", "messages lost")


class NotFoundError(AssertionError):
    """A mistake that the storm did not find."""


def seeds_until_found(mistake: Mistake, within: int = WITHIN_SEEDS) -> tuple[int, Found]:
    """How many seeds it took. Other violations do not count."""
    others: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        mistake.plant(patch)
        for tried, seed in enumerate(range(within), 1):
            try:
                play_plan(_plan(mistake, seed))
            except Found as found:
                if any(words in found.problem for words in mistake.found_as):
                    return tried, found
                others.append(found.problem)
            except Exception as error:  # noqa: BLE001 # a mistake may raise anything elsewhere
                others.append(f"{type(error).__name__}: {error}")
    raise NotFoundError(f"{mistake.plant.__name__}: not in {within} seeds; found instead: {others[:3]}")


def _plan(mistake: Mistake, seed: int) -> Plan:
    plan = plan_of(seed, ROUNDS, KINDS, wild=True)
    if not mistake.race:
        return plan
    games = (mistake.game or shelf.GAMES[0],) * RACING
    weather = (*ON_THE_WAY, *mistake.weather)
    return plan._replace(games=games, tables=tuple(range(RACING)), embedded=False, weather=weather)


def find_all() -> int:
    missed = 0
    for mistake in PLANTED:
        begun_s = time.monotonic()
        try:
            tried, found = seeds_until_found(mistake)
        except NotFoundError as error:
            missed += 1
            print(f"MISSED  {error}", flush=True)
        else:
            spent_s = time.monotonic() - begun_s
            print(f"{tried:3d} seeds {spent_s:6.1f} s  {mistake.plant.__name__}: {found.problem[:90]}", flush=True)
    print(f"{len(PLANTED)} planted, {len(PLANTED) - missed} found within {WITHIN_SEEDS} seeds each")
    return 1 if missed else 0
