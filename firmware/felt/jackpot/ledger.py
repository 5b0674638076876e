"""Where the jackpot's money is written down: append-only entries, the letters they came from, and the standing
they lead to, all in one transaction a letter. `SqliteLedger` is a file, `MemoryLedger` is not; both keep the same
contract. A ledger stores and sums; it decides nothing."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from felt.jackpot.meters import Account, Kind
from felt.jackpot.standing import Entry, Rows

VERSION = 1


class LedgerError(Exception):
    """A ledger that cannot be opened, read or written, in one sentence with its remedy."""


class StoredLetter(NamedTuple):
    table: str
    nonce: str
    sequence: int
    kind: str
    body: str
    head_sequence: int = 0
    head_hash: str = ""


class SumKey(NamedTuple):
    meter: str
    kind: Kind
    account: Account


Sums = dict[SumKey, int]


class Ledger(Protocol):
    def rows(self) -> Rows:
        """The standing as it was last committed."""

    def letter(self, table: str, nonce: str, sequence: int) -> StoredLetter | None: ...

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letter: StoredLetter | None = None
    ) -> None:
        """All or nothing, and durable when it returns. A row of None is removed. After a `LedgerError` nothing
        more is accepted: what a failed write left behind is known only after opening again."""

    def entries(self, kind: Kind | None = None) -> Iterator[Entry]:
        """In the order in which they were committed."""

    def letters(self) -> Iterator[StoredLetter]:
        """In the order in which they were committed."""

    def sums(self) -> Sums:
        """The entries added up by meter, kind and account. Entries that move nothing are left out."""

    def close(self) -> None: ...


class MemoryLedger:
    def __init__(self) -> None:
        self._rows: Rows = {}
        self._letters: dict[tuple[str, str, int], StoredLetter] = {}
        self._entries: list[Entry] = []
        self._sums: Sums = {}
        self._failed = ""

    def rows(self) -> Rows:
        return dict(self._rows)

    def letter(self, table: str, nonce: str, sequence: int) -> StoredLetter | None:
        return self._letters.get((table, nonce, sequence))

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letter: StoredLetter | None = None
    ) -> None:
        if letter is not None and letter[:3] in self._letters:
            self._failed = self._failed or _twice(letter)
        if self._failed:
            raise LedgerError(self._failed)
        if letter is not None:
            self._letters[letter[:3]] = letter
        self._entries += entries
        for entry in entries:
            if entry.account is not None:
                key = SumKey(entry.meter, entry.kind, entry.account)
                self._sums[key] = self._sums.get(key, 0) + entry.amount
        for key_text, text in rows.items():
            if text is None:
                self._rows.pop(key_text, None)
            else:
                self._rows[key_text] = text

    def entries(self, kind: Kind | None = None) -> Iterator[Entry]:
        return iter([entry for entry in self._entries if kind is None or entry.kind is kind])

    def letters(self) -> Iterator[StoredLetter]:
        return iter(list(self._letters.values()))

    def sums(self) -> Sums:
        return dict(self._sums)

    def close(self) -> None:
        pass


_MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE entries (
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, table_id TEXT NOT NULL, nonce TEXT NOT NULL,
            round INTEGER NOT NULL, claim TEXT NOT NULL, meter TEXT NOT NULL, account TEXT,
            amount INTEGER NOT NULL, at_wall_ns INTEGER NOT NULL, detail TEXT NOT NULL) STRICT""",
        """CREATE TABLE letters (
            id INTEGER PRIMARY KEY, table_id TEXT NOT NULL, nonce TEXT NOT NULL, sequence INTEGER NOT NULL,
            kind TEXT NOT NULL, body TEXT NOT NULL, head_sequence INTEGER NOT NULL, head_hash TEXT NOT NULL,
            UNIQUE (table_id, nonce, sequence)) STRICT""",
        "CREATE TABLE standing (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        # Counts commits: two controllers on one file cannot both believe that they wrote last.
        "CREATE TABLE generation (number INTEGER NOT NULL) STRICT",
        "INSERT INTO generation VALUES (0)",
        *(
            f"""CREATE TRIGGER {table}_refuse_{act} BEFORE {act} ON {table}
                BEGIN SELECT RAISE(ABORT, '{table} are only ever added'); END"""
            for table in ("entries", "letters")
            for act in ("UPDATE", "DELETE")
        ),
    ),
)
_ENTRY_COLUMNS = "kind, table_id, nonce, round, claim, meter, account, amount, at_wall_ns, detail"
_LETTER_COLUMNS = "table_id, nonce, sequence, kind, body, head_sequence, head_hash"


class SqliteLedger:
    """One file, one connection. The caller sees to it that one thread at a time uses it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._failed = ""
        self._connection = _connect(path)
        try:
            with self._said("opened"):
                self._prepare()
                self._generation = int(self._connection.execute("SELECT number FROM generation").fetchone()[0])
        except LedgerError:
            self._connection.close()
            raise

    def rows(self) -> Rows:
        with self._said("read"):
            return dict(self._connection.execute("SELECT key, value FROM standing").fetchall())

    def letter(self, table: str, nonce: str, sequence: int) -> StoredLetter | None:
        query = f"SELECT {_LETTER_COLUMNS} FROM letters WHERE table_id = ? AND nonce = ? AND sequence = ?"
        with self._said("read"):
            row = self._connection.execute(query, (table, nonce, sequence)).fetchone()
        return None if row is None else StoredLetter(*row)

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letter: StoredLetter | None = None
    ) -> None:
        with self._said("written"):
            if letter is not None and self.letter(*letter[:3]) is not None:
                raise LedgerError(_twice(letter))
            self._connection.execute("BEGIN IMMEDIATE")
            self._claim_generation()
            self._write(entries, rows, letter)
            self._connection.execute("COMMIT")
            self._generation += 1

    def entries(self, kind: Kind | None = None) -> Iterator[Entry]:
        query = f"SELECT {_ENTRY_COLUMNS} FROM entries"
        chosen = query if kind is None else f"{query} WHERE kind = ?"
        with self._said("read"):
            for row in self._connection.execute(f"{chosen} ORDER BY id", () if kind is None else (kind.value,)):
                yield _entry_of(row)

    def letters(self) -> Iterator[StoredLetter]:
        with self._said("read"):
            for row in self._connection.execute(f"SELECT {_LETTER_COLUMNS} FROM letters ORDER BY id"):
                yield StoredLetter(*row)

    def sums(self) -> Sums:
        query = "SELECT meter, kind, account, SUM(amount) FROM entries WHERE account IS NOT NULL GROUP BY 1, 2, 3"
        with self._said("read"):
            return {
                SumKey(meter, Kind(kind), Account(account)): amount
                for meter, kind, account, amount in self._connection.execute(query)
            }

    def close(self) -> None:
        self._connection.close()

    def _prepare(self) -> None:
        version = int(self._connection.execute("PRAGMA user_version").fetchone()[0])
        if version > VERSION:
            raise LedgerError(
                f"The jackpot ledger {self._path} is of version {version}, and this firmware knows only version "
                f"{VERSION}: start the version of the firmware that wrote it."
            )
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        # A ledger that cannot be written is found out now, not by the first letter of the evening.
        if not os.access(self._path, os.W_OK):
            raise sqlite3.OperationalError("attempt to write a readonly database")
        self._migrate(version)
        found = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(found)
        for table in ("entries", "letters"):
            count, last = self._connection.execute(f"SELECT COUNT(*), IFNULL(MAX(id), 0) FROM {table}").fetchone()
            if count != last:
                raise LedgerError(f"The jackpot ledger {self._path} lacks {last - count} of its {table}: {_KEEP}")

    def _migrate(self, version: int) -> None:
        if version == VERSION:
            return
        self._connection.execute("BEGIN IMMEDIATE")
        for number in range(version, VERSION):
            for statement in _MIGRATIONS[number]:
                self._connection.execute(statement)
        self._connection.execute(f"PRAGMA user_version = {VERSION}")
        self._connection.execute("COMMIT")

    def _claim_generation(self) -> None:
        claim = "UPDATE generation SET number = number + 1 WHERE number = ?"
        if self._connection.execute(claim, (self._generation,)).rowcount != 1:
            raise LedgerError(
                f"Another process has written to the jackpot ledger {self._path}: stop one of the two controllers."
            )

    def _write(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letter: StoredLetter | None
    ) -> None:
        put = self._connection.executemany
        put(f"INSERT INTO entries ({_ENTRY_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)", entries)
        put(f"INSERT INTO letters ({_LETTER_COLUMNS}) VALUES (?,?,?,?,?,?,?)", [] if letter is None else [letter])
        put("DELETE FROM standing WHERE key = ?", [(key,) for key, text in rows.items() if text is None])
        put("INSERT OR REPLACE INTO standing VALUES (?,?)", [row for row in rows.items() if row[1] is not None])

    @contextmanager
    def _said(self, done: str) -> Iterator[None]:
        """SQLite's failures as one sentence each. A failed write is never tried again."""
        if self._failed and done == "written":
            raise LedgerError(self._failed)
        try:
            yield
        except (sqlite3.Error, OverflowError, ValueError, LedgerError) as error:
            if self._connection_in_transaction():
                self._connection.rollback()
            sentence = str(error) if isinstance(error, LedgerError) else _sentence(self._path, done, error)
            if done == "written":
                self._failed = sentence
            raise LedgerError(sentence) from None

    def _connection_in_transaction(self) -> bool:
        try:
            return self._connection.in_transaction
        except sqlite3.ProgrammingError:  # closed
            return False


def _entry_of(row: tuple[Any, ...]) -> Entry:
    kind, table, nonce, number, claim, meter, account, amount, at_wall_ns, detail = row
    named = None if account is None else Account(account)
    return Entry(Kind(kind), table, nonce, number, claim, meter, named, amount, at_wall_ns, detail)


_KEEP = "keep the file as evidence and restore the ledger from its backup."


def _connect(path: Path) -> sqlite3.Connection:
    # The ledger is nobody else's to read; its side files take its mode. What is wrong is said by the opening itself.
    with contextlib.suppress(OSError):
        path.touch(mode=0o600, exist_ok=False)
    try:
        return sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise LedgerError(_sentence(path, "opened", error)) from None


def _sentence(path: Path, done: str, error: Exception) -> str:
    problem = " ".join(str(error).split())
    remedy = "see to its disk, then restart the controller."
    if "not a database" in problem:
        remedy = "it is some other file; name the right one in the configuration."
    elif "malformed" in problem or "***" in problem or isinstance(error, ValueError):
        remedy = f"it is damaged; {_KEEP}"
    elif "unable to open" in problem or "readonly" in problem:
        remedy = "the folder must exist and belong to the user that runs the controller."
    elif "locked" in problem:
        remedy = "another process holds it; stop that one first."
    return f"The jackpot ledger {path} cannot be {done} ({problem}): {remedy}"


def _twice(letter: StoredLetter) -> str:
    return f"Letter {letter.sequence} of table {letter.table} is in the ledger already: restart the controller."
