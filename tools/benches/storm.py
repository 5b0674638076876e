"""How fast storms are played, beside the bare replay of a journal in the same run: facts a second with everything that
a storm does besides (people, contacts, letters, a controller, every checker), calm and in weather."""

from __future__ import annotations

import time
from typing import NamedTuple

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

    replay_s, calm, weather = 0.0, Played(NOTHING, 0.0), Played(NOTHING, 0.0)
    for seed in range(seeds):
        begun = time.process_time()
        replayed()
        replay_s += time.process_time() - begun
        calm, weather = calm.plus(seed, calm=True), weather.plus(seed, calm=False)
    bare_us = 1e6 * replay_s / (seeds * len(recorded.facts))
    return [
        rate("a fact in a storm without weather", calm.fact_us(), "µs", REPLAY, bare_us, Bar(0.3, at_most=False)),
        rate("a fact in a storm", weather.fact_us(), "µs", REPLAY, bare_us, Bar(0.1, at_most=False)),
    ]


class Played(NamedTuple):
    figures: Figures
    seconds: float

    def plus(self, seed: int, *, calm: bool) -> Played:
        begun = time.process_time()
        figures = self.figures.plus(play(seed, ROUNDS, calm=calm))
        return Played(figures, self.seconds + time.process_time() - begun)

    def fact_us(self) -> float:
        return 1e6 * self.seconds / self.figures.facts
