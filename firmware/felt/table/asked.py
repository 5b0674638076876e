"""One answer remembered. The guard that chooses a row and the move that follows it often ask the same of the same
table, and a settlement is worth asking for only once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from felt.table.state import Table

Answer = TypeVar("Answer")


def once_a_table(answer: Callable[[Table], Answer]) -> Callable[[Table], Answer]:
    """A table is a value and the answer a function of it alone, so the last answer holds for the same table."""
    last: list[tuple[Table, Answer]] = []

    def asked(table: Table) -> Answer:
        if last and last[0][0] is table:
            return last[0][1]
        last[:] = [(table, answer(table))]
        return last[0][1]

    return asked
