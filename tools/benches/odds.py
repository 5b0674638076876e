"""The exact odds: all sets of six cards beside eval7's own loop, and all wagers of all games. Each runs in its own
process, so that each has its own peak of memory."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, islice
from typing import Any

from felt.nouns.cards import DECK
from felt.odds.enumeration import DEALS, DEALS_A_SET
from felt.odds.kinds import Enumerated
from felt.rules import shelf
from tools.benches.figure import Bar, Figure, cost

SETS_OF_SIX = DEALS // DEALS_A_SET
EVAL7_SAMPLE, EVAL7_QUICK = 2_000_000, 20_000  # sets; the loop's pace stays the same throughout
BAR_TO_EVAL7 = 0.2  # at least five times as fast
BAR_SECONDS, BAR_MEGABYTES = 20.0, 1024.0
CORES = 2
_MEGABYTE = 1024  # in kibibytes, as the system reports it


def figures(*, quick: bool) -> list[Figure]:
    found = []
    six_s = _six_card_seconds()
    eval7_s = _eval7_seconds(EVAL7_QUICK if quick else EVAL7_SAMPLE)
    if eval7_s is not None:
        bar = Bar(BAR_TO_EVAL7, at_most=True)
        found.append(cost("all sets of six cards", six_s, "s", "eval7's own loop", eval7_s, bar))
    took_s, megabytes = _all_games(shelf.GAMES[:1] if quick else shelf.GAMES)
    bar = Bar(BAR_SECONDS, at_most=True, of_value=True)
    found.append(cost("all wagers of all games, on two cores", took_s, "s", "the bar", BAR_SECONDS, bar))
    bar = Bar(BAR_MEGABYTES, at_most=True, of_value=True)
    found.append(cost("memory of one felt odds", megabytes, "MB", "the bar", BAR_MEGABYTES, bar))
    return found


def _six_card_seconds() -> float:
    """Includes everything that it needs: tables, hands and classes are made anew."""
    begun = time.process_time()
    deals, kinds = Enumerated().by_sets_of_six
    took = time.process_time() - begun
    assert deals == sum(kind.count for kind in kinds) == SETS_OF_SIX
    return took


def _eval7_seconds(sample: int) -> float | None:
    """For every set of six, extrapolated from the pace over a part of them. eval7 has no build for ARM."""
    try:
        eval7: Any = importlib.import_module("eval7")
    except ImportError:
        return None
    cards: list[Any] = [eval7.Card(name) for name in DECK]
    evaluate = eval7.evaluate
    begun = time.process_time()
    for hand in islice(combinations(cards, 6), sample):
        evaluate(hand)
    return (time.process_time() - begun) * SETS_OF_SIX / sample


def _all_games(games: tuple[str, ...]) -> tuple[float, float]:
    """Processor time of one core out of two, because others may be busy on this machine; and the largest memory of
    any."""
    with ThreadPoolExecutor(CORES) as cores:
        spent = list(cores.map(_one_game, games))
    return sum(seconds for seconds, _ in spent) / CORES, max(kibibytes for _, kibibytes in spent) / _MEGABYTE


def _one_game(game: str) -> tuple[float, int]:
    command = [sys.executable, "-m", "felt.cli", "odds", game, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, f"felt odds {game} failed"
    return used.ru_utime + used.ru_stime, used.ru_maxrss
