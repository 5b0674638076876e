"""How fast storms are played, beside the bare replay of a journal in the same run: facts a second with everything that
a storm does besides (people, contacts, letters, a controller, every checker), calm and in weather."""

from __future__ import annotations

import time

from felt.journal.reading import read_records
from felt.journal.replay import replay
from felt.table import facts
from felt.table.machine import Stepper
from felt.table.state import Digester, Table
from tests.storm.storm import NOTHING, Figures, play
from tools.benches.evening import Recorded
from tools.benches.figure import Bar, Figure, rate

ROUNDS = 12
REPLAY = "bare replay of one record"


def figures(recorded: Recorded, seeds: int) -> list[Figure]:
    stepper = Stepper()

    def replayed() -> None:
        replay(read_records(recorded.disk), Table(), stepper.step, Digester().of, facts.decode)

    spent = {"replay": 0.0, "calm": 0.0, "weather": 0.0}
    played = {"calm": NOTHING, "weather": NOTHING}
    for seed in range(seeds):
        spent["replay"] += _seconds(replayed)
        for name in played:
            begun = time.process_time()
            played[name] = played[name].plus(play(seed, ROUNDS, calm=name == "calm"))
            spent[name] += time.process_time() - begun
    bare_us = 1e6 * spent["replay"] / (seeds * len(recorded.facts))
    return [
        rate("a fact in a storm without weather", _us(spent["calm"], played["calm"]), "µs", REPLAY, bare_us, _bar(0.3)),
        rate("a fact in a storm", _us(spent["weather"], played["weather"]), "µs", REPLAY, bare_us, _bar(0.1)),
    ]


def _bar(limit: float) -> Bar:
    return Bar(limit, at_most=False)


def _us(seconds: float, played: Figures) -> float:
    return 1e6 * seconds / played.facts


def _seconds(work: object) -> float:
    assert callable(work)
    begun = time.process_time()
    work()
    return time.process_time() - begun
