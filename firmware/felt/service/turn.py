"""Think, then write. Facts are stepped purely, the invariants are checked, and all of them are appended with
the digest of the resulting table and synced once. Only then may anything be said."""

from __future__ import annotations

from felt.journal.store import Store
from felt.nouns.named import NamedTuple
from felt.table import facts, invariants, redacted
from felt.table.facts import Fact
from felt.table.machine import Stepper
from felt.table.state import Digester, Table

_FAILED = "F-701: the controller could not work it through, and the table is out of service."


class Thought(NamedTuple):
    table: Table
    written: list[Fact]
    refusals: list[str]  # for each fact, the sentence with which it was refused, or nothing


class Turn:
    """One thread owns it."""

    def __init__(self, stepper: Stepper, digester: Digester, store: Store, table: Table) -> None:
        self._stepper = stepper
        self._digester = digester
        self.store = store
        self.table = table

    def take(self, given: list[Fact]) -> list[str]:
        """Returns, for each fact, why it was refused (or nothing) once everything is durable."""
        thought = self._think(given)
        self.store.append_turn([facts.encode(fact) for fact in thought.written], self._digester.of(thought.table))
        self.table = thought.table
        return thought.refusals

    def _think(self, given: list[Fact]) -> Thought:
        table, written, refusals = self.table, [], []
        for fact in given:
            before = table
            table, kept = self._step(before, fact)
            written.append(kept)
            refusals.append(_FAILED if isinstance(kept, facts.StepFailed) else _refusal(before, table))
        return Thought(table, written, refusals)

    def _step(self, before: Table, fact: Fact) -> tuple[Table, Fact]:
        try:
            table = self._stepper.step(before, fact)
            invariants.check(table, before)
        except Exception as problem:  # noqa: BLE001 # whatever it is, it is journaled and the table stops
            # The text of an error may name the card it failed on, and people read it.
            told = redacted.scrubbed(f"{type(problem).__name__}: {problem}")
            failed = facts.StepFailed(fact.at, facts.encode(fact), told)
            return self._stepper.step(before, failed), failed
        return table, fact


def _refusal(before: Table, after: Table) -> str:
    if after.panel is before.panel or after.panel.noticed == before.panel.noticed or not after.panel.notices:
        return ""
    last = after.panel.notices[-1]
    return last.sentence if last.kind == "refused" else ""
