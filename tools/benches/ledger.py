"""What the jackpot controller makes of a database: batches of letters read, judged and committed together, beside the
same rows committed by hand in the same groups, on a database of the same kind, in the same run, turn by turn.

The reference is given every row as the database takes it, numbered and in plain texts and whole numbers, and is timed
from the begin of its transaction to the end of its commit. It writes the same rows with the same columns by the same
statements into the same tables, with their indexes and triggers, in as many commits, and each of them is synced to the
disk as the controller's are. What it leaves out is the controller's own: to read letters, to judge them, to make rows
of them and to answer."""

from __future__ import annotations

import sqlite3
import statistics
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from enum import Enum
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple, cast

from felt.jackpot.books.accounts import Entry
from felt.jackpot.books.terms import MeterTerms
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.opening import open_ledger
from felt.jackpot.ledger.port import Ledger, StoredLetter
from felt.jackpot.ledger.postgresql import PostgresqlLedger
from felt.jackpot.ledger.schema import statements
from felt.jackpot.ledger.sqlite import SqliteLedger
from felt.letters.from_table import (
    NAME_OF,
    Contribution,
    DealtHand,
    Letter,
    Posted,
    RoundDealtLetter,
    RoundEndedLetter,
    RoundLockedLetter,
    RoundResultLetter,
    write,
)
from felt.nouns.stamps import NS_PER_S, Stamp
from felt.nouns.values import fields_of, parts_of
from felt.wire.jackpot import encode
from tests.real import postgres
from tools.benches.figure import Bar, Figure, rate

TABLES = 16
PLACES = 4  # letters of one round
BURST_ROUNDS = 10  # of every table, between one look at the clock and the next
BATCHES = (TABLES, PLACES * TABLES)  # letters of one commit: each table has one on its way, or a round of them
SEATS = (1, 3, 4, 6, 7)
METERS = (MeterTerms("major", 5_000_000, 1_000, 200), MeterTerms("minor", 100_000, 500))
BAR = Bar(0.5, at_most=False)
PUT_ENTRY = f"INSERT INTO entries VALUES ({', '.join('?' * (1 + len(fields_of(Entry))))})"
PUT_LETTER = f"INSERT INTO letters VALUES ({', '.join('?' * (1 + len(fields_of(StoredLetter))))})"
PUT_ROW = "INSERT INTO standing (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
STATEMENTS = (PUT_ENTRY, PUT_LETTER, "DELETE FROM standing WHERE key = ?", PUT_ROW)  # of a group's rows, in their order


def figures(folder: Path, rounds: int) -> list[Figure]:
    """So many rounds of every table, in each size of batch, on each database."""
    return _figures(folder, rounds)


def _figures(folder: Path, rounds: int) -> list[Figure]:
    found = []
    for batch in BATCHES:
        with closing(_BareSqlite(folder / f"bare-{batch}.sqlite")) as bare:
            found.append(_figure("SQLite", str(folder / f"felt-{batch}.sqlite"), bare, batch, rounds))
    if postgres.is_installed():
        with postgres.running(durable=True) as server:
            for batch in BATCHES:
                with closing(_BarePostgresql(server.new_database())) as bare_server:
                    found.append(_figure("PostgreSQL", server.new_database(), bare_server, batch, rounds))
    return found


class Group(NamedTuple):
    """The rows of one commit as a database takes them."""

    entries: list[tuple[object, ...]]
    letters: list[tuple[object, ...]]
    gone: list[tuple[str]]
    put: list[tuple[str, str]]


class _Overheard:
    """A ledger that remembers what it was given."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._given: list[tuple[Sequence[Entry], Mapping[str, str | None], Sequence[StoredLetter]]] = []
        self._entries = self._letters = 0

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        self._given.append((entries, rows, letters))
        self._ledger.commit(entries, rows, letters)

    def groups(self) -> list[Group]:
        """Of each commit since this was asked last."""
        given, self._given = self._given, []
        return [self._group(*commit) for commit in given]

    def _group(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter]
    ) -> Group:
        numbered = enumerate(entries, self._entries + 1)
        group = Group(
            [(number, *map(_bare_value, parts_of(entry).values())) for number, entry in numbered],
            [(number, *parts_of(letter).values()) for number, letter in enumerate(letters, self._letters + 1)],
            [(key,) for key, text in rows.items() if text is None],
            [(key, text) for key, text in rows.items() if text is not None],
        )
        self._entries += len(entries)
        self._letters += len(letters)
        return group

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


def _bare_value(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


def _figure(database: str, address: str, bare: _Bare, batch: int, rounds: int) -> Figure:
    """Letters differ: a lock has other rows than a result. So the time of bursts of whole rounds is compared. Within a
    burst there is always another batch waiting, as under load in the tray of the controller."""
    ledger = _Overheard(open_ledger(address))
    office = Office(cast(Ledger, ledger), METERS)  # the rest of a ledger is handed on
    _write_all(bare, ledger.groups())  # the meters' own opening, of which neither is timed
    office_us: list[float] = []
    bare_us: list[float] = []
    batches = _evening(batch)
    letters = BURST_ROUNDS * PLACES * TABLES
    for _ in range(-(-rounds // BURST_ROUNDS)):
        burst = list(islice(batches, letters // batch))
        begun = time.perf_counter_ns()
        _take_all(office, burst)
        office_us.append((time.perf_counter_ns() - begun) / 1000 / letters)
        groups = ledger.groups()
        begun = time.perf_counter_ns()
        _write_all(bare, groups)
        bare_us.append((time.perf_counter_ns() - begun) / 1000 / letters)
    report = office.report()
    assert report.conserved, report.problem
    office.close()
    measured, reference = statistics.median(office_us), statistics.median(bare_us)
    name, bare_name = f"letter on {database}, {batch} a commit", f"the same rows, {database} alone"
    return rate(name, measured, "µs", bare_name, reference, BAR)


def _take_all(office: Office, burst: list[tuple[list[bytes], Stamp]]) -> None:
    """As the controller's daemon and exchange do, without the seals."""
    for letters, now in burst:
        office.receive_batch(letters, now)


def _write_all(bare: _Bare, groups: list[Group]) -> None:
    for group in groups:
        bare.write(group)


def _evening(batch: int) -> Iterator[tuple[list[bytes], Stamp]]:
    """Without end: tables side by side, a round each in turn."""
    waiting: list[bytes] = []
    second = 0
    for number in count(1):
        for place in range(PLACES):
            for table in range(TABLES):
                second += 1
                letter = _letter(place, number, Stamp(f"boot{table}", second * NS_PER_S, second * NS_PER_S))
                waiting.append(_posted(f"T{table}", PLACES * (number - 1) + place + 1, letter))
                if len(waiting) == batch:
                    yield waiting, Stamp("controller", second * NS_PER_S, second * NS_PER_S)
                    waiting = []


def _letter(place: int, number: int, at: Stamp) -> Letter:
    if place == 0:
        return RoundLockedLetter(number, at, tuple(Contribution(seat, 500) for seat in SEATS))
    if place == 1:
        return RoundDealtLetter(number, at, tuple(DealtHand(seat, at.mono_ns) for seat in SEATS))
    if place == 2:
        return RoundResultLetter(number, at, ())
    return RoundEndedLetter(number, at, 500 * len(SEATS), 0, len(SEATS))


def _posted(table: str, sequence: int, letter: Letter) -> bytes:
    body = write(letter)
    return encode(Posted(table, "0123456789abcdef", sequence, NAME_OF[type(letter)], body, 9 * sequence, "ab" * 32))


# --- by hand -----------------------------------------------------------------------------------------


class _Bare(ABC):
    """Plain statements in one transaction: what anybody would write who had the rows already."""

    def write(self, group: Group) -> None:
        with self.transaction() as put_all:
            put_all("UPDATE generation SET number = number + ?", [(1,)])
            for statement, rows in zip(STATEMENTS, cast(tuple[Sequence[Any], ...], group), strict=True):
                if rows:
                    put_all(statement, rows)

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Callable[[str, Sequence[Any]], object]]: ...


class _BareSqlite(_Bare):
    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", *statements(*SqliteLedger.words)):
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
        import psycopg

        self._connection = psycopg.connect(address, autocommit=True)
        for statement in statements(*PostgresqlLedger.words):
            self._connection.execute(statement.encode())

    @contextmanager
    def transaction(self) -> Iterator[Callable[[str, Sequence[Any]], object]]:
        with self._connection.transaction(), self._connection.cursor() as cursor:
            yield lambda statement, rows: cursor.executemany(statement.replace("?", "%s").encode(), rows)

    def close(self) -> None:
        self._connection.close()
