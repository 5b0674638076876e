"""Reads the charts a second time, without `transitions`: which row a fact takes in each region. This slow and plain
interpreter checks the machine, and counts which rows were ever taken."""

from __future__ import annotations

from typing import NamedTuple

from felt.table import charts
from felt.table.chart import Refusal, Row
from felt.table.facts import Fact
from felt.table.state import Table


class Taken(NamedTuple):
    region: str
    row: Row


class Read(NamedTuple):
    """The table after the fact, why the fact was refused, and the row that was taken in each region that knows it."""

    table: Table
    refused: Refusal | None
    taken: list[Taken]


_CELLS = {
    (region.name, state, kind): charts.cell(region, state, kind)
    for region in charts.REGIONS
    for state in region.states
    for kind in region.alphabet
}


def read(table: Table, fact: Fact) -> Read:
    table, refused, taken = charts.ask(table, fact), None, []
    for region in charts.REGIONS:
        rows = _CELLS.get((region.name, region.state_of(table), type(fact)))
        if rows is None:
            continue
        row = next(row for row in rows if row.when is None or row.when(table, fact))
        taken.append(Taken(region.name, row))
        table, why = row.taken(table, fact)
        refused = why or refused
        if row.dest is not None:
            table = region.with_state(table, row.dest)
    return Read(table, refused, taken)
