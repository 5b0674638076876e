"""Thinks, then writes: steps facts purely, checks the invariants, appends them with the resulting table's digest,
and syncs once. Only then may anything be said."""

from __future__ import annotations

from felt.journal.store import Store
from felt.nouns.values import Value, fit
from felt.table import facts, invariants, redacted
from felt.table.chart import Refusal
from felt.table.facts import Fact
from felt.table.machine import Stepped, Stepper
from felt.table.state import Table, digest_of

_FAILED = Refusal("step_failed", "F-701: the controller could not process it, and the table is out of service.")


class Thought(Value):
    table: Table
    written: list[Fact]
    refusals: list[Refusal | None]  # for each fact: why it was refused, or None


class Turn:
    """Owned by one thread."""

    def __init__(self, stepper: Stepper, store: Store, table: Table) -> None:
        self._stepper = stepper
        self.store = store
        self.table = table

    def take(self, given: list[Fact]) -> list[Refusal | None]:
        """Returns for each fact why it was refused, or None, once everything is durable."""
        thought = self._think(given)
        self.store.append_turn([facts.encode(fact) for fact in thought.written], digest_of(thought.table))
        self.table = thought.table
        return thought.refusals

    def _think(self, given: list[Fact]) -> Thought:
        table, written, refusals = self.table, [], []
        for fact in map(fit, given):
            stepped, kept = self._step(table, fact)
            table = stepped.table
            written.append(kept)
            refusals.append(stepped.refused)
        return Thought(table, written, refusals)

    def _step(self, before: Table, fact: Fact) -> tuple[Stepped, Fact]:
        try:
            # An appended fact must be readable at the next start, so decode it before stepping it.
            stepped = self._stepper.step(before, facts.decode(facts.encode(fact)))
            invariants.check(stepped.table, before)
        except Exception as problem:  # noqa: BLE001 # whatever it is, it is journaled and the table stops
            # The error's text may name a card, and people read it.
            told = redacted.scrubbed(f"{type(problem).__name__}: {problem}")
            failed = facts.StepFailed(fact.at, facts.encode(fact), told)
            return Stepped(self._stepper.after(before, failed), _FAILED), failed
        return stepped, fact
