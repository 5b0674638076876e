"""Replays facts into a table. Generic: the caller says how to decode a fact, step a table and compute its digest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from felt.journal.record import JournalError, Record, kind_of

Table = TypeVar("Table")
Fact = TypeVar("Fact")


class ReplayDiverged(JournalError):
    """The replay of the same facts gave a different table."""

    def __init__(self, seq: int, problem: str) -> None:
        super().__init__(
            f"replay diverged at record {seq}: {problem}; the journal was written by other software, or this "
            "software has a fault: keep betting closed and call service"
        )
        self.seq = seq
        self.problem = problem


def since_era(records: tuple[Record, ...]) -> tuple[Record, ...] | None:
    """The records from the last one on that opens an era; None: no era opens in them."""
    for place in range(len(records) - 1, -1, -1):
        if kind_of(records[place]) == "EraOpened":
            return records[place:]
    return None


def replay(
    records: Iterable[Record],
    start_table: Table,
    step: Callable[[Table, Fact], Table],
    digest_of: Callable[[Table], str],
    decode: Callable[[str], Fact],
) -> Table:
    """Steps through every record. At the end of each turn the table must have the recorded digest."""
    table, seq = start_table, 0
    try:
        for record in records:
            seq = record.seq
            table = step(table, decode(record.payload))
            if record.digest is not None and digest_of(table) != record.digest:
                raise ReplayDiverged(seq, "the table's digest is not the one that was written")
    except JournalError:
        raise
    except Exception as error:
        # The error may name a card that nobody may see yet, so it appears only in the chain of causes.
        raise ReplayDiverged(seq, f"the fact cannot be stepped ({type(error).__name__})") from error
    return table
