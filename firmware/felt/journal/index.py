"""A SQLite file derived from the journal, for questions: which rounds, which facts, when. Never needed for
correctness: it is rebuilt when it is missing, unreadable or of another journal. Payloads hold live cards, so
readers hand in how to redact them."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain as joined
from typing import TYPE_CHECKING, NamedTuple

from felt.journal.record import JournalError, Record, write_line

if TYPE_CHECKING:
    import sqlite3

_SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE facts (
    seq INTEGER PRIMARY KEY, fact TEXT NOT NULL, wall_ns INTEGER NOT NULL, round INTEGER,
    payload TEXT NOT NULL, chain TEXT NOT NULL
) STRICT;
CREATE INDEX facts_by_name ON facts (fact, seq);
CREATE INDEX facts_by_time ON facts (wall_ns);
CREATE INDEX facts_by_round ON facts (round, seq) WHERE round IS NOT NULL;
"""
_ROUNDS = """
SELECT round, min(seq), max(seq), min(wall_ns), max(wall_ns), count(*) FROM facts
WHERE round IS NOT NULL GROUP BY round ORDER BY round DESC LIMIT ?
"""


class IndexUnlinked(JournalError):
    """The records offered do not continue what is indexed."""


class IndexedRound(NamedTuple):
    round: int
    first_seq: int
    last_seq: int
    first_wall_ns: int
    last_wall_ns: int
    facts: int


class IndexedFact(NamedTuple):
    seq: int
    fact: str
    wall_ns: int
    round: int | None
    payload: str


class Index:
    """One connection in one thread. The file has the journal's mode, because it has the journal's cards."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._connection = _open_or_rebuild(self._path)

    @property
    def head_seq(self) -> int:
        """The last record indexed; 0 when there is none."""
        return self._head()[0]

    def refresh(self, read_from: Callable[[int], Iterable[Record]]) -> int:
        """Catch up from wherever the index stands, or from the first record when it is not of this journal.
        `read_from(seq)` gives the journal's records from that sequence on."""
        head_seq = self.head_seq
        offered = iter(read_from(max(1, head_seq)))
        first = next(offered, None)
        if first is None and head_seq == 0:
            return 0
        try:
            if first is None:
                raise IndexUnlinked(f"the journal has no record {head_seq}, at which the index ends")
            return self.catch_up(joined([first], offered))
        except IndexUnlinked:
            self.forget()
            return self.catch_up(read_from(1))

    def catch_up(self, records: Iterable[Record]) -> int:
        """Add the records after the last one indexed and say how many. They must begin with a record that
        is indexed already, or with the one right after it; else `IndexUnlinked`, and nothing changes."""
        head_seq, head_chain = self._head()
        offered = iter(records)
        first = next(offered, None)
        if first is None:
            return 0
        if head_seq and not self._continues(first, head_seq, head_chain):
            raise IndexUnlinked(f"record {first.seq} does not continue the index, which ends at record {head_seq}")
        with _transaction(self._connection):
            return self._insert_new(joined([first], offered), head_seq, head_chain)

    def rounds(self, last: int = 20) -> list[IndexedRound]:
        """The last rounds, oldest first."""
        rows = self._connection.execute(_ROUNDS, (last,)).fetchall()
        return [IndexedRound(*row) for row in reversed(rows)]

    def facts(
        self,
        name: str | None = None,
        since: int | None = None,
        limit: int = 100,
        *,
        round_number: int | None = None,
        redact: Callable[[str], str] | None = None,
    ) -> list[IndexedFact]:
        """The last facts, oldest first: by name (`Letter*` for a family), from a wall time in ns, of a round."""
        asked = {"fact GLOB ?": name, "wall_ns >= ?": since, "round = ?": round_number}
        conditions = {text: value for text, value in asked.items() if value is not None}
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = self._connection.execute(
            f"SELECT seq, fact, wall_ns, round, payload FROM facts {where} ORDER BY seq DESC LIMIT ?",
            (*conditions.values(), limit),
        ).fetchall()
        found = [IndexedFact(*row) for row in reversed(rows)]
        return [fact._replace(payload=redact(fact.payload)) for fact in found] if redact else found

    def forget(self) -> None:
        """Empty the index."""
        with _transaction(self._connection):
            self._connection.execute("DELETE FROM facts")

    def close(self) -> None:
        self._connection.close()

    def _head(self) -> tuple[int, str]:
        row = self._connection.execute("SELECT seq, chain FROM facts ORDER BY seq DESC LIMIT 1").fetchone()
        return (row[0], row[1]) if row else (0, "")

    def _continues(self, first: Record, head_seq: int, head_chain: str) -> bool:
        if first.seq == head_seq + 1:
            return write_line(first.seq, first.payload, first.digest, head_chain)[1] == first.chain
        row = self._connection.execute("SELECT chain FROM facts WHERE seq = ?", (first.seq,)).fetchone()
        return row is not None and row[0] == first.chain

    def _insert_new(self, records: Iterable[Record], head_seq: int, head_chain: str) -> int:
        before, last_seq = self._connection.total_changes, 0

        def rows() -> Iterator[tuple[int, str, int, int | None, str, str]]:
            nonlocal last_seq
            for record in records:
                last_seq = record.seq
                if record.seq > head_seq:
                    yield _row(record)
                elif record.seq == head_seq and record.chain != head_chain:
                    raise IndexUnlinked(f"record {head_seq} is not the one that is indexed")

        self._connection.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?)", rows())
        if last_seq < head_seq:
            raise IndexUnlinked(f"the journal ends at record {last_seq}, before the index at record {head_seq}")
        return self._connection.total_changes - before


def _row(record: Record) -> tuple[int, str, int, int | None, str, str]:
    payload = json.loads(record.payload)
    round_number = payload.get("round")
    return (
        record.seq,
        payload["fact"],
        payload["at"][2],
        round_number if isinstance(round_number, int) else None,
        record.payload,
        record.chain,
    )


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _open_or_rebuild(path: str) -> sqlite3.Connection:
    import sqlite3  # 6 ms that a table without questions need not pay

    try:
        return _connect(path)
    except (sqlite3.DatabaseError, IndexUnlinked):
        for leftover in (path, f"{path}-wal", f"{path}-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(leftover)
        return _connect(path)


def _connect(path: str) -> sqlite3.Connection:
    import sqlite3

    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_SCHEMA_VERSION}; COMMIT;")
        elif version != _SCHEMA_VERSION:
            raise IndexUnlinked(f"the index has the shape of version {version}")
        connection.execute("SELECT count(*) FROM (SELECT 1 FROM facts LIMIT 1)")
    except BaseException:
        connection.close()
        raise
    return connection
