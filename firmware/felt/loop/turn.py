"""Think, then write. Facts are stepped purely, the invariants are checked, and all of them are appended with
the digest of the resulting table and synced once. Only then may anything be said."""

from __future__ import annotations

from felt.journal.store import Store
from felt.nouns.values import Value, fit
from felt.table import facts, invariants, redacted
from felt.table.chart import Refusal
from felt.table.facts import Fact
from felt.table.machine import Stepped, Stepper
from felt.table.state import Table, digest_of

_FAILED = Refusal("step_failed", "F-701: the controller could not work it through, and the table is out of service.")


class Thought(Value):
    table: Table
    written: list[Fact]
    refusals: list[Refusal | None]  # for each fact, why it was refused, if it was


class Turn:
    """One thread owns it."""

    def __init__(self, stepper: Stepper, store: Store, table: Table) -> None:
        self._stepper = stepper
        self.store = store
        self.table = table

    def take(self, given: list[Fact]) -> list[Refusal | None]:
        """Returns, for each fact, why it was refused (or nothing) once everything is durable."""
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
            # What is appended must be read back at the next start, so it is read back before it is stepped.
            stepped = self._stepper.step(before, facts.decode(facts.encode(fact)))
            invariants.check(stepped.table, before)
        except Exception as problem:  # noqa: BLE001 # whatever it is, it is journaled and the table stops
            # The text of an error may name the card it failed on, and people read it.
            told = redacted.scrubbed(f"{type(problem).__name__}: {problem}")
            failed = facts.StepFailed(fact.at, facts.encode(fact), told)
            return Stepped(self._stepper.after(before, failed), _FAILED), failed
        return stepped, fact
