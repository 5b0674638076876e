"""Plays stormy evenings on the real firmware, on virtual ports and in virtual time, and looks for any way to lose a
cent, accept a late bet or get stuck.

    tools/storm --seeds 100 --first 0 --rounds 20   many evenings; the first violation ends the run with its seed
    tools/storm --seed 17 --rounds 20               one evening again, told line by line

Exit status: 0 when nothing was found, 1 with the seed when something was."""

from __future__ import annotations

import argparse
import sys
import time

from tests.storm.checkers import CELLS
from tests.storm.storm import NOTHING, Figures, Found, play

TOLD_EVERY_S = 2.0


def arguments() -> argparse.Namespace:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="tools/storm", description=__doc__, formatter_class=plain)
    parser.add_argument("--seeds", type=int, default=100, help="how many evenings (default: 100)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of an evening (default: 20)")
    parser.add_argument("--seed", type=int, help="play this one evening and tell its story")
    parser.add_argument("--digest", action="store_true", help="with --seed: print the evening's digest alone")
    return parser.parse_args()


def tell_one(seed: int, rounds: int, digest_only: bool) -> int:
    try:
        figures = play(seed, rounds, telling=not digest_only)
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


def play_many(first: int, seeds: int, rounds: int) -> int:
    total, begun_s = NOTHING, time.monotonic()
    told_s = begun_s
    for seed in range(first, first + seeds):
        try:
            total = total.plus(play(seed, rounds))
        except Found as found:
            print(report(total))
            print(f"VIOLATION: {found}\nTo see it again: tools/storm --seed {seed} --rounds {rounds}")
            return 1
        now_s = time.monotonic()
        if now_s - told_s >= TOLD_EVERY_S:
            told_s = now_s
            speed = total.facts / (now_s - begun_s)
            print(f"  seed {seed}: {total.rounds} rounds, {speed:,.0f} facts a second", file=sys.stderr, flush=True)
    print(report(total))
    print(f"no violation in {time.monotonic() - begun_s:.1f} s")
    return 0


def report(total: Figures) -> str:
    lines = [
        f"seeds {total.seeds}, rounds {total.rounds} (settled {total.settled}, void {total.voided}), "
        f"boxes a round {total.boxes / max(1, total.rounds):.1f}, jackpots {total.jackpots}, facts {total.facts}, "
        f"starts of the firmware {total.boots}",
        f"chart cells reached: {len(total.cells)} of {CELLS}",
        "faults: " + ", ".join(f"{fault} {count}" for fault, count in sorted(total.fired.items())),
    ]
    return "\n".join(lines)


def main() -> int:
    asked = arguments()
    if asked.seed is not None:
        return tell_one(asked.seed, asked.rounds, asked.digest)
    return play_many(asked.first, asked.seeds, asked.rounds)
