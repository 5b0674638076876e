"""The command tools/storm: plays the evenings that `asked` names, sums them up, and reports a failure."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from tests.storm import sums
from tests.storm.arguments import arguments
from tests.storm.copyist import CELLS
from tests.storm.plan import Plan, plan_of
from tests.storm.shrinking import say, shrunk
from tests.storm.storm import KINDS, Figures, Found, play, play_plan

ROOT = Path(__file__).resolve().parent.parent.parent
TOLD_EVERY_S = 5.0
WRONG_USE = 2
SMOKE_SEEDS, SMOKE_ROUNDS = 15, 3


def main(given: list[str] | None = None) -> int:
    asked = arguments(given)
    unknown = [kind for kind in asked.weather or () if kind not in KINDS]
    if unknown:
        print(f"tools/storm: {unknown[0]!r} is no weather: use some of {', '.join(KINDS)}", file=sys.stderr)
        return WRONG_USE
    if asked.planted:
        from tests.storm.planting import find_all

        return find_all()
    if asked.seed is not None:
        plan = _plan(asked)
        missing = [index + 1 for index in plan.tables if not 0 <= index < len(plan.games)]
        if missing:
            print(
                f"tools/storm: evening {asked.seed} has no table {missing[0]}: use some of 1 to {len(plan.games)}",
                file=sys.stderr,
            )
            return WRONG_USE
        return tell_one(plan, digest_only=asked.digest)
    if asked.smoke:
        asked.seeds, asked.rounds = SMOKE_SEEDS, SMOKE_ROUNDS
    return play_many(asked)


def _plan(asked: argparse.Namespace) -> Plan:
    plan = plan_of(asked.seed, asked.rounds, KINDS, calm=asked.calm, wild=asked.wild)
    if asked.tables:
        plan = plan._replace(tables=tuple(number - 1 for number in asked.tables))
    if asked.weather is not None:
        plan = plan._replace(weather=asked.weather)
    if asked.no_mistakes:
        plan = plan._replace(mistakes=False)
    if asked.gusts is not None:
        plan = plan._replace(gusts_max=asked.gusts)
    return plan._replace(dropped=frozenset(asked.without))


def tell_one(plan: Plan, *, digest_only: bool) -> int:
    try:
        figures = play_plan(plan, telling=not digest_only)
    except Found as found:
        print("\n".join(found.story))
        print(f"VIOLATION: {found}")
        return 1
    if digest_only:
        print(figures.digest)
    else:
        print("\n".join(figures.story))
        print(report(figures))
    return 0


def play_many(asked: argparse.Namespace) -> int:
    versions = sums.versions_of(ROOT)
    try:
        kept = sums.read(asked.log, versions.firmware) if asked.log else sums.Kept()
    except ValueError as error:
        sys.exit(f"tools/storm: {error}")
    begun = total = kept.total
    first = max(kept.next_seed, asked.first)
    if total.seeds:
        print(f"going on after {total.seeds} seeds and {total.rounds} rounds", file=sys.stderr, flush=True)
    begun_s = told_s = time.monotonic()
    wanted = asked.rounds_in_all
    seeds = iter(range(first, 1 << 40)) if wanted else iter(range(first, first + asked.seeds))
    for seed, played in _played(seeds, asked):
        if isinstance(played, Found):
            print(report(total))
            return tell_failure(played, asked)
        total = total.plus(played)
        now_s = time.monotonic()
        if now_s - told_s >= TOLD_EVERY_S:
            told_s = now_s
            _tell_progress(seed, begun, total, now_s - begun_s)
            if asked.log:
                sums.write(asked.log, versions, kept, seed + 1, total)
        if wanted and total.rounds >= wanted:
            break
    if asked.log:
        sums.write(asked.log, versions, kept, first + total.seeds - begun.seeds, total)
    print(report(total))
    spent_s = time.monotonic() - begun_s
    print(f"no violation in {spent_s:.1f} s ({(total.rounds - begun.rounds) / max(0.1, spent_s):.0f} rounds a second)")
    return 0


def _tell_progress(seed: int, begun: Figures, total: Figures, spent_s: float) -> None:
    speed = f"{(total.rounds - begun.rounds) / spent_s:.0f} rounds, {(total.facts - begun.facts) / spent_s:,.0f} facts"
    print(f"  seed {seed}: {total.rounds} rounds, {speed} a second", file=sys.stderr, flush=True)


def _played(seeds: Iterator[int], asked: argparse.Namespace) -> Iterator[tuple[int, Figures | Found]]:
    """Yields the evenings in the order of their seeds, played by several processes."""
    work = partial(_play, rounds=asked.rounds, calm=asked.calm, wild=asked.wild)
    if asked.jobs <= 1:
        for seed in seeds:
            yield seed, work(seed)
        return
    with multiprocessing.get_context("fork").Pool(asked.jobs) as pool:
        block = 64 * asked.jobs
        while some := list(islice(seeds, block)):
            yield from zip(some, pool.imap(work, some), strict=True)


def _play(seed: int, rounds: int, *, calm: bool, wild: bool) -> Figures | Found:
    try:
        return play(seed, rounds, calm=calm, wild=wild)
    except Found as found:
        return found


def tell_failure(found: Found, asked: argparse.Namespace) -> int:
    print(f"VIOLATION: {found}")
    print(f"To see it again: tools/storm {say(found.plan)}", flush=True)
    small = shrunk(found, asked.shrink_s, lambda text: print(f"  {text}", file=sys.stderr, flush=True))
    print("\n".join(small.story))
    print(f"VIOLATION: {small}")
    print(f"The smallest evening known to fail: tools/storm {say(small.plan)}")
    return 1


def report(total: Figures) -> str:
    by_game = Counter(reached.partition(" ")[0] for reached in total.paragraphs)
    lines = [
        f"seeds {total.seeds}, tables {total.tables}, rounds {total.rounds} (settled {total.settled}, void "
        f"{total.voided}), boxes a round {total.boxes / max(1, total.rounds):.1f}, facts {total.facts}, letters "
        f"{total.letters}",
        f"starts of tables {total.boots}, of controllers {total.controllers}; jackpots paid {total.jackpots}; claims "
        f"of two tables ordered by clocks {total.ordered}, undetermined and ordered by the house {total.undetermined}",
        "weather: " + ", ".join(f"{fault} {count}" for fault, count in sorted(total.fired.items())),
        "faults: " + ", ".join(f"{code} {count}" for code, count in sorted(total.faults.items())),
        f"chart cells reached: {len(total.cells)} of {CELLS}",
        "paragraphs reached: " + ", ".join(f"{game} {count}" for game, count in sorted(by_game.items())),
    ]
    return "\n".join(lines)
