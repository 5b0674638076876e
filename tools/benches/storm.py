"""How fast storms are played, beside the bare replay of a journal in the same run: facts a second with everything that
a storm does besides (people, contacts, letters, a controller, every checker), calm and in weather.

A fact of a storm is stepped twice, live and by the copyist, and its live turn also digests, writes and shows. By
samples of calm evenings the two steps are 17 parts in a hundred, the jackpot controller's turns 9, the two digests 7,
asking for cards that must not leave 6, lamps 4, and the rest is spread so thinly that no other part of it is above 4:
appending is 3, the judge of every fact 3, people are 2. So the bar for calm evenings is out of reach while replay is as
quick as it is. Longer turns and fewer boxes would make rounds cheaper, not facts, and claims of two tables would then
meet too seldom to show mistakes in their order. In weather, starts after power cuts are about a tenth. A busy
machine makes the ratio worse than it is: counted in instructions it was 0.19 where the clock said 0.11, for replay
stays in the caches and a storm does not. The interpreter counts too: one built with profiled and link-time optimisation
plays storms in about a sixth less time."""

from __future__ import annotations

import time
from typing import NamedTuple

from felt.journal.reading import read_records
from felt.journal.replay import replay
from felt.table import facts
from felt.table.machine import Stepper
from felt.table.state import Table, digest_of
from tests.storm.storm import NOTHING, Figures, play
from tools.benches.evening import Recorded
from tools.benches.figure import Bar, Figure, rate

ROUNDS = 12
REPLAY = "bare replay of one record"


def figures(recorded: Recorded, seeds: int) -> list[Figure]:
    stepper = Stepper()

    def replayed() -> None:
        replay(read_records(recorded.disk), Table(), stepper.after, digest_of, facts.decode)

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
