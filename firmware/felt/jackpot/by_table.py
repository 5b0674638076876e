"""Rows found by the table they are of, however many tables there are. A change gives another value and leaves the one
it came from as it was, at the price of what has changed since the last commit; nothing here knows what a row means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

Row = TypeVar("Row")


class ByTable(Generic[Row]):
    """All drafts share what is committed; each has its own changes beside it."""

    __slots__ = ("_changed", "_committed")

    def __init__(
        self,
        committed: dict[str, tuple[Row, ...]] | None = None,
        changed: dict[str, tuple[Row, ...]] | None = None,
    ) -> None:
        self._committed = {} if committed is None else committed
        self._changed = {} if changed is None else changed

    def of(self, table: str) -> tuple[Row, ...]:
        found = self._changed.get(table)
        return self._committed.get(table, ()) if found is None else found

    def put(self, table: str, rows: tuple[Row, ...]) -> ByTable[Row]:
        # At the price of the object alone: most of what a letter changes are two of these.
        put: ByTable[Row] = object.__new__(ByTable)
        put._committed = self._committed
        changed = put._changed = self._changed.copy()
        changed[table] = rows
        return put

    def changes(self) -> list[tuple[tuple[Row, ...], tuple[Row, ...]]]:
        """Of each table that changed: the rows as they were committed, and as they are."""
        return [(self._committed.get(table, ()), rows) for table, rows in self._changed.items()]

    def taken_back(self) -> ByTable[Row]:
        """What is to be settled after this was, if it must not have been."""
        return ByTable(self._committed, {table: self._committed.get(table, ()) for table in self._changed})

    def settled(self) -> ByTable[Row]:
        """After a commit. The committed rows are brought up to date where they lie, for copying them would cost what
        the whole house weighs: no draft made before may be read after this."""
        if not self._changed:
            return self
        for table, rows in self._changed.items():
            if rows:
                self._committed[table] = rows
            else:
                self._committed.pop(table, None)
        return ByTable(self._committed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByTable) and self._by_table() == other._by_table()

    __hash__ = None  # type: ignore[assignment]  # as of anything that is compared by what it holds

    def __iter__(self) -> Iterator[Row]:
        return iter([row for rows in self._by_table().values() for row in rows])

    def __len__(self) -> int:
        return sum(map(len, self._by_table().values()))

    def _by_table(self) -> dict[str, tuple[Row, ...]]:
        if not self._changed:
            return self._committed
        return {table: rows for table, rows in {**self._committed, **self._changed}.items() if rows}
