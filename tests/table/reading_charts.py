"""The charts read a second time, without `transitions`: which row a fact takes in each region. A slow and plain
interpreter to hold the machine against, and to count which rows were ever taken."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from felt.table import charts
from felt.table.charts import Region, Row
from felt.table.facts import Fact
from felt.table.state import Table


class Taken(NamedTuple):
    region: str
    row: Row


def state_of(region: Region, table: Table) -> StrEnum:
    states: dict[str, StrEnum] = {
        "irregularity": table.irregularity.state,
        "link": table.link,
        "service": table.service.state,
        "round": table.phase,
    }
    return states[region.name]


def with_state(region: Region, table: Table, state: StrEnum) -> Table:
    if region.name == "irregularity":
        return table._replace(irregularity=table.irregularity._replace(state=state))  # type: ignore[arg-type]
    if region.name == "link":
        return table._replace(link=state)  # type: ignore[arg-type]
    if region.name == "service":
        return table._replace(service=table.service._replace(state=state))  # type: ignore[arg-type]
    return table._replace(phase=state)  # type: ignore[arg-type]


_CELLS = {
    (region.name, state, kind): charts.cell(region, state, kind)
    for region in charts.REGIONS
    for state in region.states
    for kind in region.alphabet
}


def read(table: Table, fact: Fact) -> tuple[Table, list[Taken]]:
    """The table after the fact, and the row that was taken in each region that knows it."""
    taken = []
    for region in charts.REGIONS:
        rows = _CELLS.get((region.name, state_of(region, table), type(fact)))
        if rows is None:
            continue
        row = next(row for row in rows if row.when is None or row.when(table, fact))
        taken.append(Taken(region.name, row))
        if row.do is not None:
            table = row.do(table, fact)
        if row.dest is not None:
            table = with_state(region, table, row.dest)
    return table, taken
