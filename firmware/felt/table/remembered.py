"""Remembers one answer. The guard that chooses a row and the move after it often ask the same about the same table, and
a settlement is expensive."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from felt.table.state import Table

Answer = TypeVar("Answer")
First = TypeVar("First")
Second = TypeVar("Second")


def once_a_table(answer: Callable[[Table], Answer]) -> Callable[[Table], Answer]:
    """A table is a value and the answer depends on it alone, so the last answer holds for the same table. Question and
    answer are stored together, because other threads ask too."""
    last: tuple[Table, Answer] | None = None

    def asked(table: Table) -> Answer:
        nonlocal last
        known = last
        if known is None or known[0] is not table:
            last = known = (table, answer(table))
        return known[1]

    return asked


def once_a_pair(answer: Callable[[First, Second], Answer]) -> Callable[[First, Second], Answer]:
    """The same for a function of two values: a table and its fact, a rulebook and its bets."""
    last: tuple[First, Second, Answer] | None = None

    def asked(first: First, second: Second) -> Answer:
        nonlocal last
        known = last
        if known is None or known[0] is not first or known[1] is not second:
            last = known = (first, second, answer(first, second))
        return known[2]

    return asked
