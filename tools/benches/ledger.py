"""What the jackpot controller makes of a database: batches of letters received, judged and committed together, beside
the same rows committed by hand in the same groups, on the same kind of database, in the same run."""

from __future__ import annotations

import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

from felt.jackpot.ledger import Ledger, StoredLetter, open_ledger
from felt.jackpot.migrations import POSTGRESQL, SQLITE, Dialect, steps
from felt.jackpot.office import Office
from felt.jackpot.standing import Entry
from felt.jackpot.terms import MeterTerms
from felt.nouns.stamps import NS_PER_S, Stamp
from felt.table.letters import (
    NAME_OF,
    Contribution,
    DealtHand,
    Letter,
    RoundDealtLetter,
    RoundEndedLetter,
    RoundLockedLetter,
    RoundResultLetter,
)
from felt.wire.jackpot import Posted, encode, letter_text
from tests.real import postgres
from tools.benches.figure import Bar, Figure, rate

TABLES = 16
BATCH = TABLES  # letters of one commit: each table has one on its way
SEATS = (1, 3, 4, 6, 7)
METERS = (MeterTerms("major", 5_000_000, 1_000, 200), MeterTerms("minor", 100_000, 500))
BAR = Bar(0.5, at_most=False)
ENTRY = ("id", "kind", "table_id", *Entry._fields[2:])
LETTER = ("id", "table_id", *StoredLetter._fields[1:])
PUT_ENTRY = f"INSERT INTO entries ({', '.join(ENTRY)}) VALUES ({', '.join('?' * len(ENTRY))})"
PUT_LETTER = f"INSERT INTO letters ({', '.join(LETTER)}) VALUES ({', '.join('?' * len(LETTER))})"
PUT_ROW = "INSERT INTO standing (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


def figures(folder: Path, batches: int) -> list[Figure]:
    found = []
    with closing(_BareSqlite(folder / "bare.sqlite")) as bare:
        found.append(_figure("SQLite", str(folder / "felt.sqlite"), bare, batches))
    if postgres.is_installed():
        with postgres.running(durable=True) as server, closing(_BarePostgresql(server.new_database())) as bare_server:
            found.append(_figure("PostgreSQL", server.new_database(), bare_server, batches))
    return found


class Group(NamedTuple):
    entries: Sequence[Entry]
    rows: Mapping[str, str | None]
    letters: Sequence[StoredLetter]


class _Overheard:
    """A ledger that remembers what it was given last."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.last = Group((), {}, ())

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        self.last = Group(tuple(entries), dict(rows), tuple(letters))
        self._ledger.commit(entries, rows, letters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


def _figure(database: str, address: str, bare: _Bare, batches: int) -> Figure:
    ledger = _Overheard(open_ledger(address))
    office = Office(cast(Ledger, ledger), METERS)  # the rest of a ledger is handed on
    office_us: list[float] = []
    bare_us: list[float] = []
    for batch, now in _evening(batches):
        begun = time.perf_counter_ns()
        office.receive_batch(batch, now)
        office_us.append((time.perf_counter_ns() - begun) / 1000 / len(batch))
        begun = time.perf_counter_ns()
        bare.write(ledger.last)
        bare_us.append((time.perf_counter_ns() - begun) / 1000 / len(batch))
    report = office.report()
    assert report.conserved, report.problem
    office.close()
    measured, reference = statistics.median(office_us), statistics.median(bare_us)
    name, bare_name = f"letter on {database}, {BATCH} a commit", f"the same rows, {database} alone"
    return rate(name, measured, "µs", bare_name, reference, BAR)


def _evening(batches: int) -> Iterator[tuple[list[bytes], Stamp]]:
    """Tables side by side, a round each in turn; the letters of a batch are of as many tables as are busy."""
    written = dict.fromkeys(range(TABLES), 0)
    waiting: list[bytes] = []
    number = second = 0
    while batches:
        number += 1
        for place in range(4):
            for table in written:
                second += 1
                written[table] += 1
                letter = _letter(place, number, Stamp(f"boot{table}", second * NS_PER_S, second * NS_PER_S))
                waiting.append(_posted(f"T{table}", written[table], letter))
        while len(waiting) >= BATCH and batches:
            batch, waiting = waiting[:BATCH], waiting[BATCH:]
            batches -= 1
            yield batch, Stamp("controller", second * NS_PER_S, second * NS_PER_S)


def _letter(place: int, number: int, at: Stamp) -> Letter:
    if place == 0:
        return RoundLockedLetter(number, at, tuple(Contribution(seat, 500) for seat in SEATS))
    if place == 1:
        return RoundDealtLetter(number, at, tuple(DealtHand(seat, at.mono_ns) for seat in SEATS))
    if place == 2:
        return RoundResultLetter(number, at, ())
    return RoundEndedLetter(number, at, 500 * len(SEATS), 0, len(SEATS))


def _posted(table: str, sequence: int, letter: Letter) -> bytes:
    body = letter_text(letter)
    return encode(Posted(table, "0123456789abcdef", sequence, NAME_OF[type(letter)], body, 9 * sequence, "ab" * 32))


# --- by hand -----------------------------------------------------------------------------------------


class _Bare:
    """Plain statements in one transaction: what anybody would write who had the rows already."""

    def __init__(self) -> None:
        self._entries = self._letters = 0

    def write(self, group: Group) -> None:
        entries = [(number, *entry) for number, entry in enumerate(group.entries, self._entries + 1)]
        letters = [(number, *letter) for number, letter in enumerate(group.letters, self._letters + 1)]
        gone = [(key,) for key, text in group.rows.items() if text is None]
        rows = [row for row in group.rows.items() if row[1] is not None]
        with self.transaction() as put_all:
            put_all("UPDATE generation SET number = number + ?", [(1,)])
            put_all(PUT_ENTRY, entries)
            put_all(PUT_LETTER, letters)
            put_all("DELETE FROM standing WHERE key = ?", gone)
            put_all(PUT_ROW, rows)
        self._entries += len(entries)
        self._letters += len(letters)

    @contextmanager
    def transaction(self) -> Iterator[Callable[[str, Sequence[Any]], object]]:
        raise NotImplementedError
        yield

    def _statements(self, dialect: Dialect) -> list[str]:
        return [statement for step in steps(dialect) for statement in step.statements]


class _BareSqlite(_Bare):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self._connection = sqlite3.connect(path, isolation_level=None)
        for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", *self._statements(SQLITE)):
            self._connection.execute(statement)

    @contextmanager
    def transaction(self) -> Iterator[Callable[[str, Sequence[Any]], object]]:
        self._connection.execute("BEGIN IMMEDIATE")
        yield self._connection.executemany
        self._connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()


class _BarePostgresql(_Bare):
    def __init__(self, address: str) -> None:
        super().__init__()
        import psycopg

        self._connection = psycopg.connect(address, autocommit=True)
        for statement in self._statements(POSTGRESQL):
            self._connection.execute(statement.encode())

    @contextmanager
    def transaction(self) -> Iterator[Callable[[str, Sequence[Any]], object]]:
        with self._connection.transaction(), self._connection.cursor() as cursor:
            yield lambda statement, rows: cursor.executemany(statement.replace("?", "%s").encode(), rows)

    def close(self) -> None:
        self._connection.close()
