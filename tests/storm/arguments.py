"""Plays stormy evenings on the real firmware with virtual ports and virtual time. It looks for a lost cent, an accepted
late bet, or a table that gets stuck. tools/storm --seeds 100 --rounds 12 many evenings; the first violation ends the
run with its seed, the smallest evening that still fails, and its story tools/storm --seed 17 --rounds 12 one evening
again, told line by line tools/storm --smoke a minute's worth, as tools/test plays it tools/storm --planted every
planted mistake must be found tools/storm --rounds-in-all 1000000 --rounds 24 --jobs 2 --log tests/storm/sums.json until
so many rounds are played, over several runs if need be; that file has the sums of the firmware of this commit Exit
status: 0 when nothing was found, 1 with the seed when something was."""

from __future__ import annotations

import argparse

from tools._environment import new_file, seconds

COUNT_MAX = 1_000_000_000
LONG_ROUNDS = 12
PATIENCE_S = 45.0


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    """Needs nothing but Python: tools/storm shows its help before anything is set up."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="tools/storm", description=__doc__, formatter_class=plain)
    parser.add_argument("--seeds", type=_count, default=100, help="how many evenings (default: 100)")
    parser.add_argument("--first", type=int, default=0, help="the first evening's seed (default: 0)")
    parser.add_argument("--rounds", type=_count, default=LONG_ROUNDS, help=f"at each table (default: {LONG_ROUNDS})")
    parser.add_argument("--seed", type=int, help="play this one evening and tell its story")
    parser.add_argument("--digest", action="store_true", help="with --seed: print the evening's digest alone")
    parser.add_argument("--tables", type=_numbers, help="with --seed: only these tables, as in 1,3")
    parser.add_argument("--weather", type=_kinds, help="with --seed: only these kinds, or none")
    parser.add_argument("--no-mistakes", action="store_true", help="with --seed: people do everything right")
    parser.add_argument("--gusts", type=int, help="with --seed: so many gusts and no more")
    parser.add_argument("--without", type=_numbers, default=(), help="with --seed: without these gusts")
    parser.add_argument("--calm", action="store_true", help="nothing goes wrong")
    parser.add_argument("--wild", action="store_true", help="everything goes wrong")
    parser.add_argument("--smoke", action="store_true", help="less than a minute's worth")
    parser.add_argument("--planted", action="store_true", help="every planted mistake must be found")
    parser.add_argument("--rounds-in-all", type=_count, help="play on until so many rounds are summed")
    parser.add_argument("--jobs", type=_count, default=1, help="so many processes (default: 1)")
    parser.add_argument("--log", type=new_file, help="a file of sums, to go on with where a run ended")
    parser.add_argument("--shrink-s", type=seconds, default=PATIENCE_S, help="how long a failure is made smaller")
    return parser.parse_args(given)


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:12]) <= COUNT_MAX:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is no number from 1 to {COUNT_MAX}")
    return int(text)


def _numbers(text: str) -> tuple[int, ...]:
    parts = [part for part in text.split(",") if part]
    if not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers, as in 1,3")
    return tuple(int(part) for part in parts)


def _kinds(text: str) -> tuple[str, ...]:
    return tuple(part.replace("_", " ") for part in text.split(",") if part != "none")
