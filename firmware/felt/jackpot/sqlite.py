"""The ledger in one SQLite file, the default. Beside it lies a witness that counts commits: SQLite opens a damaged
write-ahead log without a word and with fewer transactions, and the witness remembers how many there were."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from felt.jackpot.aside import Aside
from felt.jackpot.ledger import Finish, LedgerBusyError, LedgerError, StoredLetter
from felt.jackpot.migrations import SQLITE
from felt.jackpot.sql import KEEP, SqlLedger
from felt.jackpot.standing import Entry

BUSY_MS = 250  # a backup or a reader holds the file for no longer; a table waits meanwhile
WITNESS_DIGITS = 20
ROWS_AT_ONCE = 16


class SqliteLedger(SqlLedger):
    dialect = SQLITE
    _duplicate = sqlite3.IntegrityError

    def __init__(self, path: Path, busy_ms: int = BUSY_MS, *, alone: bool = False) -> None:
        """`alone`: it is refused while another that wants to be alone has it open, and nothing is taken from that
        one. Without it whoever opened last may write."""
        super().__init__(str(path))
        self._path = path
        self._witness: int | None = None
        self._aside = Aside()
        self._under_way: _UnderWay | None = None
        self._found: tuple[tuple[int, int], ...] = ()  # the files, as the operating system knows them
        self._connection = _connect(path)
        try:
            with self._said("opened"):
                self._prepare(busy_ms)
                self._witness = self._opened_witness()
                if alone:
                    self._shut_the_door(self._witness)
                self._take_over()
                self._ask_witness(self._witness)
                self._found = self._places()
        except LedgerError:
            self.close()
            raise

    def look(self) -> str:
        """SQLite goes on writing into a file that was deleted or replaced, and nobody would ever read it."""
        if self._found and self._places() != self._found:
            self._failed = (
                f"The jackpot ledger {self._path} was deleted, moved or replaced while the controller ran: nothing "
                "more is written or answered. Put back what was taken away, with its -wal file, then restart the "
                "controller."
            )
            raise LedgerError(self._failed)
        return super().look()

    def _places(self) -> tuple[tuple[int, int], ...]:
        """Of what is committed a part lies in the write-ahead log until it is taken over."""
        with contextlib.suppress(OSError):
            return tuple(_identity(f"{self._path}{suffix}") for suffix in ("", "-wal"))
        return ((0, 0),)

    def close(self) -> None:
        self._wait()
        self._aside.close()
        self._connection.close()
        if self._witness is not None:
            os.close(self._witness)
            self._witness = None

    def _prepare(self, busy_ms: int) -> None:
        self._execute(f"PRAGMA busy_timeout = {busy_ms}")
        self._execute("PRAGMA journal_mode = WAL")
        self._execute("PRAGMA synchronous = FULL")
        # A ledger that cannot be written is found out now, not by the first letter of the evening.
        if not os.access(self._path, os.W_OK):
            raise _NotWritable("attempt to write a readonly database")
        found = self._execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise _NotSound(found)

    # --- a commit aside ------------------------------------------------------------------------------

    def begin(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> Finish:
        """Only the sync goes aside: it is most of a commit, and needs nothing of the interpreter. To write rows there
        would take the interpreter from whoever thinks, and be kept from it, row by row."""
        with self._said("written"):
            self._write_in(self._begun(), entries, rows, letters)
        self._aside.begin(self._commit_aside)
        under_way = self._under_way = _UnderWay(len(entries), len(letters))
        return lambda: self._finish(under_way)

    def _commit_aside(self) -> Exception | None:
        try:
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            return error
        return None

    def _wait(self) -> None:
        """Nobody may touch the connection before."""
        under_way, self._under_way = self._under_way, None
        if under_way is None:
            return
        error = self._aside.wait()
        if error is None:
            try:
                self._count_commit(under_way.entries, under_way.letters)
            except LedgerError as gone:
                under_way.problem = gone
            return
        if self._connection.in_transaction:
            self._connection.rollback()
        under_way.problem = self._told(error, "written")

    def _finish(self, under_way: _UnderWay) -> None:
        self._wait()
        if under_way.problem is not None:
            raise under_way.problem

    # --- the witness ---------------------------------------------------------------------------------

    @property
    def _witness_name(self) -> str:
        return f"{self._path}-witness"

    def _opened_witness(self) -> int:
        try:
            return os.open(self._witness_name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self._unopened_witness(error) from None

    def _unopened_witness(self, error: OSError) -> LedgerError:
        return LedgerError(f"The file {self._witness_name} cannot be opened ({error.strerror}): see to its disk.")

    def _shut_the_door(self, witness: int) -> None:
        """Until the witness is closed, or the process dies. Not on the ledger's own file, whose locks are SQLite's."""
        try:
            fcntl.flock(witness, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LedgerError(f"Another controller has the jackpot ledger {self._path} open: stop it first.") from None
        except OSError as error:
            raise self._unopened_witness(error) from None

    def _ask_witness(self, witness: int) -> None:
        name = self._witness_name
        try:
            seen = os.pread(witness, WITNESS_DIGITS, 0).strip()
        except OSError as error:
            raise self._unopened_witness(error) from None
        if seen and not seen.isdigit():
            raise LedgerError(f"The file {name} is not what the controller wrote: {KEEP}")
        if seen and int(seen) > self._commits:
            raise LedgerError(
                f"The jackpot ledger {self._path} has lost {int(seen) - self._commits} of its {int(seen)} commits: "
                f"its write-ahead log is damaged or was taken away; {KEEP} Whoever has restored it removes {name}."
            )
        self._witness_commit()

    def _witness_commit(self) -> None:
        """Not synced: a power cut may leave it behind, never ahead, so that it raises no false alarm."""
        if self._witness is not None:
            with contextlib.suppress(OSError):  # a full disk is the ledger's own trouble, and told there
                os.pwrite(self._witness, b"%0*d\n" % (WITNESS_DIGITS - 1, self._commits), 0)

    # --- the database --------------------------------------------------------------------------------

    def _execute(self, statement: str, values: Sequence[object] = ()) -> Any:
        return self._connection.execute(statement, values)

    def _execute_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Sixteen new rows to a statement, as far as they go: it is begun, and the interpreter let go, but once."""
        together = 0
        if statement.startswith(_INSERT):
            together = len(rows) - len(rows) % ROWS_AT_ONCE
            for first in range(0, together, ROWS_AT_ONCE):
                values = [*chain.from_iterable(rows[first : first + ROWS_AT_ONCE])]
                self._connection.execute(_of_many_rows(statement), values)
        self._connection.executemany(statement, rows[together:])

    def _stream(self, statement: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        return iter(self._execute(statement, values))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._begun():
            yield
            self._connection.execute("COMMIT")

    def _count_commit(self, entries: int, letters: int) -> None:
        super()._count_commit(entries, letters)
        self.look()  # after the commit, so that nothing is answered that went into a file which was gone by then

    @contextmanager
    def _begun(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._connection.rollback()
            raise

    def _version(self) -> int:
        return int(self._execute("PRAGMA user_version").fetchone()[0])

    def _set_version(self, version: int) -> None:
        self._execute(f"PRAGMA user_version = {version}")

    @contextmanager
    def _said(self, done: str) -> Iterator[None]:
        self._wait()
        if self._failed and done == "written":
            raise LedgerError(self._failed)
        try:
            yield
        except (sqlite3.Error, OverflowError, ValueError, LedgerError) as error:
            raise self._told(error, done) from None

    def _told(self, error: Exception, done: str) -> LedgerError:
        """A failed write is never tried again; one that never began because the file was held may be."""
        sentence = str(error) if isinstance(error, LedgerError) else _sentence(self._path, done, error)
        if _is_busy(error):
            return LedgerBusyError(sentence)
        if done == "written":
            self._failed = sentence
        return LedgerError(sentence)


class _UnderWay:
    """A commit that is not known to be durable yet."""

    def __init__(self, entries: int, letters: int) -> None:
        self.entries = entries
        self.letters = letters
        self.problem: LedgerError | None = None


_INSERT = "INSERT INTO"


@cache
def _of_many_rows(statement: str) -> str:
    """SQLite need not remember how to undo a part of it: whatever goes wrong, the whole transaction is rolled back."""
    begin, row, end = re.split(r"(?<= VALUES )(\([?,']+\))", statement)
    return begin.replace(_INSERT, "INSERT OR FAIL INTO") + ",".join([row] * ROWS_AT_ONCE) + end


class _NotWritable(sqlite3.OperationalError):
    """Found by us before SQLite tried to write."""


class _NotSound(sqlite3.DatabaseError):
    """SQLite's own check of the file found damage."""


def _identity(name: str) -> tuple[int, int]:
    found = os.stat(name)
    return found.st_dev, found.st_ino


def _is_busy(error: Exception) -> bool:
    return _code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code_of(error: Exception) -> int:
    """SQLite's primary result code; 0 for an error of Python's own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


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
    code = _code_of(error)
    if code == sqlite3.SQLITE_NOTADB:
        remedy = "it is some other file; name the right one in the configuration."
    elif code == sqlite3.SQLITE_CORRUPT or isinstance(error, _NotSound | ValueError):
        remedy = f"it is damaged; {KEEP}"
    elif code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or isinstance(error, _NotWritable):
        remedy = "the folder must exist and belong to the user that runs the controller."
    elif _is_busy(error):
        remedy = "another process holds it; stop that one first."
    return f"The jackpot ledger {path} cannot be {done} ({problem}): {remedy}"
