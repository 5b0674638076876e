"""`step(table, fact)` returns the next table and, if the fact was refused, why. The machines of `transitions` work as
calculators: a scratch model is loaded from a frozen table, the fact is fired, and a new frozen table is read from it.
If a move raises, the old table is untouched. This is the only importer of transitions."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from transitions import Machine

from felt.nouns.values import Value
from felt.table import charts, facts
from felt.table.chart import FactKind, Refusal, Region, Row
from felt.table.charts import REGIONS, cell
from felt.table.state import Table


class Stepped(Value):
    table: Table
    refused: Refusal | None = None


class _Scratch:
    """The model of one region's machine. It holds the region's state, and the table that the taken row makes. Each
    machine has its own model: of two machines on one model the second silently loses its triggers."""

    state: StrEnum
    trigger: Callable[[str, Table, facts.Fact], bool]

    def __init__(self, region: Region) -> None:
        self.region = region
        self.made = Stepped(Table())
        self.machine = Machine(
            self, states=region.states, initial=region.state_of(Table()),
            auto_transitions=False, queued=False, ignore_invalid_triggers=False,
        )  # fmt: skip
        rows = (row for kind in region.alphabet for state in region.states for row in cell(region, state, kind))
        for row in rows:
            self.machine.add_transition(
                row.fact.__name__, row.source, row.dest, conditions=row.when, before=self._taking(row)
            )

    def _taking(self, row: Row) -> Callable[[Table, facts.Fact], None]:
        def take(table: Table, fact: facts.Fact) -> None:
            self.made = Stepped(*row.taken(table, fact))

        return take

    def fire(self, table: Table, fact: facts.Fact) -> Stepped:
        before = self.region.state_of(table)
        self.machine.set_state(before, self)
        self.trigger(type(fact).__name__, table, fact)
        if self.state is before:
            return self.made
        return Stepped(self.region.with_state(self.made.table, self.state), self.made.refused)


class Stepper:
    """The core. One thread owns it. The tables that it takes and returns are values."""

    def __init__(self) -> None:
        regions = [_Scratch(region) for region in REGIONS]
        self._knowing: dict[FactKind, list[_Scratch]] = {
            kind: [scratch for scratch in regions if kind in scratch.region.alphabet] for kind in facts.FACTS.values()
        }

    def step(self, table: Table, fact: facts.Fact) -> Stepped:
        """Opens the questions of the fact before any region moves."""
        table, refused = charts.ask(table, fact), None
        for region in self._knowing[type(fact)]:
            made = region.fire(table, fact)
            table, refused = made.table, made.refused or refused
        return Stepped(table, refused)

    def after(self, table: Table, fact: facts.Fact) -> Table:
        """For code that only follows a table: a replay, a check."""
        return self.step(table, fact).table
