"""`step(table, fact) -> table`. The state machines of `transitions` are used as calculators: a scratch cursor
is loaded from a frozen table, the fact is fired, and a new frozen table is read off it. If a move raises, the
old table is untouched. This is the only importer of transitions."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from operator import attrgetter
from typing import Any

from transitions import EventData, Machine, Transition

from felt.nouns.named import NamedTuple
from felt.table import facts
from felt.table.charts import REGIONS, FactKind, Region, Row, cell
from felt.table.guards import Guard
from felt.table.state import Table, with_parts


class _Cursor:
    """What `transitions` moves about: the name of one region's state, and the table in the making."""

    __slots__ = ("state", "table")
    state: str
    table: Table


class _Seat(NamedTuple):
    """Where a region keeps its state in the table."""

    load: Callable[[Table], StrEnum]
    store: Callable[[Table, Any], Table]


class _Cell(NamedTuple):
    """Where a fact meets a state."""

    # The machines know their states by name: of an enumeration's member `transitions` asks the name each time anew.
    name: str
    # The guards of a cell that ends in a plain stay: while none of them is true, nothing happens there and the chart
    # need not be fired. Most facts of an evening pass by most regions in this way. None: the cell is always fired.
    calm: tuple[Guard, ...] | None


class _Route(NamedTuple):
    """The way of one kind of fact through one region."""

    trigger: Callable[[_Cursor, Table, facts.Fact], bool]
    load: Callable[[Table], StrEnum]
    store: Callable[[Table, Any], Table]
    states: type[StrEnum]
    cells: dict[StrEnum, _Cell]


_SEATS = {
    "irregularity": _Seat(
        attrgetter("irregularity.state"),
        lambda table, state: with_parts(table, irregularity=table.irregularity._replace(state=state)),
    ),
    "link": _Seat(attrgetter("link"), lambda table, state: with_parts(table, link=state)),
    "service": _Seat(
        attrgetter("service.state"),
        lambda table, state: with_parts(table, service=table.service._replace(state=state)),
    ),
    "round": _Seat(attrgetter("phase"), lambda table, state: with_parts(table, phase=state)),
}


class _Row(Transition):
    """A row of a chart. It has one guard and one move at most, and its machine no callbacks of its own: to ask for all
    that there could be, and to tell a log of each, would cost more than most moves do."""

    def execute(self, event_data: EventData) -> bool:
        cursor: Any = event_data.model
        guards: list[Any] = self.conditions
        moves: list[Any] = self.before
        table, fact = event_data.args
        for guard in guards:
            if not guard.func(table, fact):
                return False
        for move in moves:
            cursor.table = move(table, fact)
        if self.dest is not None:
            self._change_state(event_data)
        return True


class _Chart(Machine):
    transition_cls = _Row


def _transition(row: Row) -> dict[str, Any]:
    """A row has one move at most, so guards and move are given the same table: the one that the fact came to."""
    return {
        "trigger": row.fact.__name__,
        "source": row.source.value,
        "dest": None if row.dest is None else row.dest.value,
        "conditions": [] if row.when is None else [row.when],
        "before": [] if row.do is None else [row.do],
    }


def _machine(region: Region) -> Machine:
    return _Chart(
        model=None,
        states=[state.value for state in region.states],
        initial=None,
        auto_transitions=False,
        queued=False,
        send_event=False,
        ignore_invalid_triggers=False,
    )


def _cells(region: Region, kind: FactKind) -> dict[StrEnum, _Cell]:
    cells: dict[StrEnum, _Cell] = {}
    for state in region.states:
        rows = cell(region, state, kind)
        ends_in_stay = rows[-1].dest is None and rows[-1].do is None
        guards = tuple(row.when for row in rows if row.when is not None)
        cells[state] = _Cell(state.value, guards if ends_in_stay else None)
    return cells


class _Routes(dict[FactKind, list[_Route]]):
    """The way of each kind of fact, made when the first of them comes: many kinds do not come in a year, and a start
    does not wait for them."""

    def __init__(self) -> None:
        self._charts: dict[FactKind, list[tuple[Region, Machine]]] = {}
        for region in REGIONS:
            machine = _machine(region)
            for kind in region.alphabet:
                self._charts.setdefault(kind, []).append((region, machine))

    def __missing__(self, kind: FactKind) -> list[_Route]:
        routes = self[kind] = [_route(region, machine, kind) for region, machine in self._charts[kind]]
        return routes


def _route(region: Region, machine: Machine, kind: FactKind) -> _Route:
    machine.add_transitions([_transition(row) for state in region.states for row in cell(region, state, kind)])
    trigger = machine.events[kind.__name__].trigger
    return _Route(trigger, *_SEATS[region.name], region.states, _cells(region, kind))


class Stepper:
    """The core. One thread owns it; the tables it is given and the tables it returns are values."""

    def __init__(self) -> None:
        self._cursor = _Cursor()
        self._routes = _Routes()

    def step(self, table: Table, fact: facts.Fact) -> Table:
        cursor = self._cursor
        cursor.table = table
        for trigger, load, store, states, cells in self._routes[type(fact)]:
            table = cursor.table
            name, calm = cells[load(table)]
            if calm is not None:
                for guard in calm:
                    if guard(table, fact):
                        break
                else:
                    continue
            cursor.state = name
            trigger(cursor, table, fact)
            if cursor.state != name:
                cursor.table = store(cursor.table, states(cursor.state))
        return cursor.table
