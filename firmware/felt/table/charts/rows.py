"""How a chart is written: rows of fact, state, guard and move."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from felt.nouns.named import NamedTuple
from felt.table import facts, upkeep
from felt.table.guards import Guard
from felt.table.upkeep import Move, Reason

FactKind = type[facts.Fact]


class Row(NamedTuple):
    fact: FactKind
    source: StrEnum
    dest: StrEnum | None  # None: stay
    when: Guard | None
    do: Move | None
    refuses: bool


class Region(NamedTuple):
    name: str
    states: type[StrEnum]
    rows: tuple[Row, ...]

    @property
    def alphabet(self) -> tuple[FactKind, ...]:
        return tuple(dict.fromkeys(row.fact for row in self.rows))


Kinds = FactKind | tuple[FactKind, ...]
Sources = StrEnum | Iterable[StrEnum]


def _rows(kinds: Kinds, sources: Sources, dest: StrEnum | None, when: Guard | None, do: Move | None) -> list[Row]:
    each_kind = kinds if isinstance(kinds, tuple) else (kinds,)
    each_source = (sources,) if isinstance(sources, StrEnum) else tuple(sources)
    return [Row(kind, source, dest, when, do, False) for kind in each_kind for source in each_source]


def move(
    kinds: Kinds, sources: Sources, dest: StrEnum, *, when: Guard | None = None, do: Move | None = None
) -> list[Row]:
    return _rows(kinds, sources, dest, when, do)


def stay(kinds: Kinds, sources: Sources, *, when: Guard | None = None, do: Move | None = None) -> list[Row]:
    return _rows(kinds, sources, None, when, do)


def refuse(kinds: Kinds, sources: Sources, reason: Reason, *, when: Guard | None = None) -> list[Row]:
    return [row._replace(refuses=True) for row in _rows(kinds, sources, None, when, upkeep.refuse(reason))]
