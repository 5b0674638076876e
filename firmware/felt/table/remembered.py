"""One answer remembered. The guard that chooses a row and the move that follows it often ask the same of the same
table, and a settlement is worth asking for only once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from felt.table.state import Table

Answer = TypeVar("Answer")
First = TypeVar("First")
Second = TypeVar("Second")


def once_a_table(answer: Callable[[Table], Answer]) -> Callable[[Table], Answer]:
    """A table is a value and the answer a function of it alone, so the last answer holds for the same table. Question
    and answer are kept as one value: those who only look at a table ask from threads of their own."""
    last: tuple[Table, Answer] | None = None

    def asked(table: Table) -> Answer:
        nonlocal last
        known = last
        if known is None or known[0] is not table:
            last = known = (table, answer(table))
        return known[1]

    return asked


def once_a_pair(answer: Callable[[First, Second], Answer]) -> Callable[[First, Second], Answer]:
    """The same for a function of two values: a table and its fact, a book and its bets."""
    last: tuple[First, Second, Answer] | None = None

    def asked(first: First, second: Second) -> Answer:
        nonlocal last
        known = last
        if known is None or known[0] is not first or known[1] is not second:
            last = known = (first, second, answer(first, second))
        return known[2]

    return asked
