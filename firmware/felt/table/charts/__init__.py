"""The three charts: phases and transition rows as data, and the only place that knows them. Every state and
every fact of a region's alphabet has its row: move, stay, or refuse with a reason. Rows are tried from the
top; the last one of a cell has no condition."""

from __future__ import annotations

from enum import StrEnum

from felt.table.charts.link import LINK as LINK
from felt.table.charts.round import ROUND as ROUND
from felt.table.charts.rows import FactKind as FactKind
from felt.table.charts.rows import Refusal as Refusal
from felt.table.charts.rows import Region as Region
from felt.table.charts.rows import Row as Row
from felt.table.charts.service import SERVICE as SERVICE

# A fact goes through the regions in this order: the round moves on last.
REGIONS = (LINK, SERVICE, ROUND)


def cell(region: Region, state: StrEnum, kind: FactKind) -> tuple[Row, ...]:
    """The rows of one cell, in the order in which they are tried, up to the one without a condition."""
    return _CELLS[region.name].get((kind, state), ())


def _cells(region: Region) -> dict[tuple[FactKind, StrEnum], tuple[Row, ...]]:
    cells: dict[tuple[FactKind, StrEnum], tuple[Row, ...]] = {}
    for row in region.rows:
        before = cells.get((row.fact, row.source), ())
        if not before or before[-1].when is not None:
            cells[row.fact, row.source] = (*before, row)
    return cells


_CELLS = {region.name: _cells(region) for region in REGIONS}
