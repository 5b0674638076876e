"""The table after a turn, for readers: made by the thinking thread, read by everybody else."""

from __future__ import annotations

from collections.abc import Mapping

from felt.journal.store import Head
from felt.nouns.stamps import Stamp
from felt.nouns.values import Value
from felt.table.redacted import PublicTable


class Picture(Value):
    """The table after a turn without its hidden cards, and what the turn knew beside it. Never changed."""

    table: PublicTable
    down: tuple[str, ...]  # keys that are down
    meters: Mapping[str, int]  # micro-units, as last received
    head: Head
    at: Stamp
    inbox_refused: int = 0
    number: int = 0
