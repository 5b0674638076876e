"""The cost of a turn of the core without the store, and the speed of replaying a journal, over a whole recorded
evening, beside a bare state machine of 14 states with one condition and one callback, written as its manual shows."""

from __future__ import annotations

from collections.abc import Callable

from transitions import Machine

from felt.journal.reading import read_records
from felt.journal.replay import replay
from felt.table import facts, invariants, views
from felt.table.machine import Stepper
from felt.table.state import Table, digest_of
from tools.benches.evening import Recorded
from tools.benches.figure import Bar, Figure, cost, interleaved, rate

STATES = [f"state_{number}" for number in range(14)]
BARE = "bare transitions step"


class Ring:
    """The model of the bare machine."""

    advance: Callable[[object], bool]

    def __init__(self) -> None:
        self.steps = 0

    def is_allowed(self, _: object) -> bool:
        return True

    def count_step(self, _: object) -> None:
        self.steps += 1


def bare_ring() -> Ring:
    ring = Ring()
    steps = [
        {"trigger": "advance", "source": here, "dest": there, "conditions": "is_allowed", "before": "count_step"}
        for here, there in zip(STATES, STATES[1:] + STATES[:1], strict=True)
    ]
    Machine(ring, states=STATES, initial=STATES[0], transitions=steps, auto_transitions=False)
    return ring


def figures(recorded: Recorded, repetitions: int) -> list[Figure]:
    ring, stepper, count = bare_ring(), Stepper(), len(recorded.facts)

    def bare() -> None:
        advance = ring.advance
        for fact in recorded.facts:
            advance(fact)

    def live() -> None:
        table = Table()
        for fact in recorded.facts:
            before, table = table, stepper.after(table, fact)
            _project(table, before)

    def live_with_digest() -> None:
        table = Table()
        for fact in recorded.facts:
            before, table = table, stepper.after(table, fact)
            _project(table, before)
            digest_of(table)

    def replayed() -> None:
        replay(read_records(recorded.disk), Table(), stepper.after, digest_of, facts.decode)

    works = {"bare": bare, "live": live, "digest": live_with_digest, "replay": replayed}
    us = {name: 1e6 * seconds / count for name, seconds in interleaved(works, repetitions).items()}
    return [
        cost("live turn of the core", us["live"], "µs", BARE, us["bare"], Bar(6, at_most=True)),
        cost("live turn with the digest", us["digest"], "µs", BARE, us["bare"]),
        rate("replay of one record", us["replay"], "µs", BARE, us["bare"], Bar(0.2, at_most=False)),
    ]


def _project(table: Table, before: Table) -> None:
    invariants.check(table, before)
    views.lamps(table)
    views.mail(table)
    views.next_deadline(table)
