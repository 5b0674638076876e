"""`step(table, fact) -> table`. The state machines of `transitions` are used as calculators: a scratch cursor
is loaded from a frozen table, the fact is fired, and a new frozen table is read off it. If a move raises, the
old table is untouched. This is the only importer of transitions."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

from transitions import Machine
from transitions.core import Event

from felt.table import facts
from felt.table.charts import REGIONS, FactKind, Region, Row, cell
from felt.table.guards import Guard
from felt.table.state import Table
from felt.table.upkeep import Move


class _Cursor:
    """What `transitions` moves about: the state of one region, and the table in the making."""

    __slots__ = ("state", "table")
    state: StrEnum
    table: Table


class _Seat(NamedTuple):
    """Where a region keeps its state in the table."""

    load: Callable[[Table], StrEnum]
    store: Callable[[Table, Any], Table]


class _Route(NamedTuple):
    """The way of one kind of fact through one region."""

    event: Event
    seat: _Seat
    # Cells that end in a plain stay, with the guards before it: while none of them is true, nothing happens there
    # and the chart need not be fired. Most facts of an evening pass by most regions in this way.
    calm: dict[StrEnum, tuple[Guard, ...]]


_SEATS = {
    "irregularity": _Seat(
        lambda table: table.irregularity.state,
        lambda table, state: table._replace(irregularity=table.irregularity._replace(state=state)),
    ),
    "link": _Seat(lambda table: table.link, lambda table, state: table._replace(link=state)),
    "service": _Seat(
        lambda table: table.service.state,
        lambda table, state: table._replace(service=table.service._replace(state=state)),
    ),
    "round": _Seat(lambda table: table.phase, lambda table, state: table._replace(phase=state)),
}


def _condition(guard: Guard) -> Callable[[_Cursor, facts.Fact], bool]:
    def is_true(cursor: _Cursor, fact: facts.Fact) -> bool:
        return guard(cursor.table, fact)

    return is_true


def _effect(move: Move) -> Callable[[_Cursor, facts.Fact], None]:
    def apply(cursor: _Cursor, fact: facts.Fact) -> None:
        cursor.table = move(cursor.table, fact)

    return apply


def _transition(row: Row) -> dict[str, Any]:
    return {
        "trigger": row.fact.__name__,
        "source": row.source,
        "dest": row.dest,
        "conditions": [] if row.when is None else [_condition(row.when)],
        "before": [] if row.do is None else [_effect(row.do)],
    }


def _machine(region: Region) -> Machine:
    cells = (cell(region, state, kind) for kind in region.alphabet for state in region.states)
    return Machine(
        model=None,
        states=region.states,
        initial=None,
        transitions=[_transition(row) for rows in cells for row in rows],
        auto_transitions=False,
        queued=False,
        send_event=False,
        ignore_invalid_triggers=False,
    )


def _calm_cells(region: Region, kind: FactKind) -> dict[StrEnum, tuple[Guard, ...]]:
    cells = {state: cell(region, state, kind) for state in region.states}
    return {
        state: tuple(row.when for row in rows if row.when is not None)
        for state, rows in cells.items()
        if rows[-1].dest is None and rows[-1].do is None
    }


def _is_calm(guards: tuple[Guard, ...] | None, table: Table, fact: facts.Fact) -> bool:
    if guards is None:
        return False
    for guard in guards:  # noqa: SIM110 # a generator would cost more than it says
        if guard(table, fact):
            return False
    return True


class Stepper:
    """The core. One thread owns it; the tables it is given and the tables it returns are values."""

    def __init__(self) -> None:
        self._cursor = _Cursor()
        self._routes: dict[FactKind, list[_Route]] = {}
        for region in REGIONS:
            machine = _machine(region)
            for kind in region.alphabet:
                route = _Route(machine.events[kind.__name__], _SEATS[region.name], _calm_cells(region, kind))
                self._routes.setdefault(kind, []).append(route)

    def step(self, table: Table, fact: facts.Fact) -> Table:
        cursor = self._cursor
        cursor.table = table
        for event, seat, calm in self._routes[type(fact)]:
            cursor.state = before = seat.load(cursor.table)
            if _is_calm(calm.get(before), cursor.table, fact):
                continue
            event.trigger(cursor, cursor, fact)
            if cursor.state is not before:
                cursor.table = seat.store(cursor.table, cursor.state)
        return cursor.table
