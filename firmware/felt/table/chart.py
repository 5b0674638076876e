"""How a chart is written: rows of fact, state, guard and moves. Each topic writes its own rows; `charts` joins them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from felt.nouns.values import Value
from felt.table import facts
from felt.table.notices import notice
from felt.table.prompts import tell
from felt.table.state import Table

Move = Callable[[Table, facts.Fact], Table]
Guard = Callable[[Table, facts.Fact], bool]
FactKind = type[facts.Fact]
# The key of a sentence, or a function that makes it in the table's language.
Why = str | Callable[[Table, facts.Fact], str]


class Refusal(Value):
    """Why a fact was refused: a code for programs, a sentence for people."""

    code: str
    sentence: str


class Row(Value):
    fact: FactKind
    source: StrEnum
    dest: StrEnum | None  # None: stay
    when: Guard | None
    do: tuple[Move, ...]  # run in this order
    why: Why | None = None  # set: the row refuses the fact

    def taken(self, table: Table, fact: facts.Fact) -> tuple[Table, Refusal | None]:
        """Each move receives the table that the previous move returned. The reason is made from the original table."""
        after = table
        for make in self.do:
            after = make(after, fact)
        if self.why is None:
            return after, None
        refused = _refusal(self.why, table, fact)
        return notice(after, "refused", refused.sentence), refused


def _refusal(why: Why, table: Table, fact: facts.Fact) -> Refusal:
    """The code is the key of the sentence, or the name of the function that makes it."""
    if isinstance(why, str):
        return Refusal(why.removeprefix("refused."), tell(table, why))
    return Refusal(why.__name__, why(table, fact))


class Region(Value):
    name: str
    states: type[StrEnum]
    state_of: Callable[[Table], StrEnum]
    with_state: Callable[[Table, Any], Table]
    rows: tuple[Row, ...]

    @property
    def alphabet(self) -> tuple[FactKind, ...]:
        return tuple(dict.fromkeys(row.fact for row in self.rows))


Kinds = FactKind | tuple[FactKind, ...]
Sources = StrEnum | Iterable[StrEnum]
Moves = Move | tuple[Move, ...]


def _rows(
    kinds: Kinds, sources: Sources, dest: StrEnum | None, when: Guard | None, do: Moves, why: Why | None = None
) -> list[Row]:
    each_kind = kinds if isinstance(kinds, tuple) else (kinds,)
    each_source = (sources,) if isinstance(sources, StrEnum) else tuple(sources)
    moves = do if isinstance(do, tuple) else (do,)
    return [Row(kind, source, dest, when, moves, why) for kind in each_kind for source in each_source]


def move(kinds: Kinds, sources: Sources, dest: StrEnum, *, when: Guard | None = None, do: Moves = ()) -> list[Row]:
    return _rows(kinds, sources, dest, when, do)


def stay(kinds: Kinds, sources: Sources, *, when: Guard | None = None, do: Moves = ()) -> list[Row]:
    return _rows(kinds, sources, None, when, do)


def refuse(kinds: Kinds, sources: Sources, why: Why, *, when: Guard | None = None, do: Moves = ()) -> list[Row]:
    """`do`: what the row records although it refuses the fact."""
    return _rows(kinds, sources, None, when, do, why)


def after(taken: Move, guard: Guard) -> Guard:
    """The guard, evaluated on the table that this move leaves. For a row that moves and must know the result first."""

    def guard_after(table: Table, fact: facts.Fact) -> bool:
        return guard(taken(table, fact), fact)

    guard_after.__name__ = guard.__name__
    return guard_after
