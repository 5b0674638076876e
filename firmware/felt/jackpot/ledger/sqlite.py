"""The ledger in one SQLite file, the default. Beside it lies a witness that counts commits: SQLite opens a damaged
write-ahead log without a word and with fewer transactions, and the witness remembers how many there were."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from felt.jackpot.ledger.port import Key, LedgerBusyError, LedgerError
from felt.jackpot.ledger.schema import KEPT
from felt.jackpot.ledger.sql import KEEP, SqlLedger

BUSY_MS = 250  # a backup or a reader holds the file for no longer; a table waits meanwhile
WITNESS_DIGITS = 20
IN_MEMORY = Path(":memory:")


class SqliteLedger(SqlLedger):
    words = ("INTEGER", "INTEGER PRIMARY KEY", " STRICT")
    _duplicate = sqlite3.IntegrityError

    def __init__(self, path: Path, busy_ms: int = BUSY_MS, *, alone: bool = False, key: Key | None = None) -> None:
        """`alone`: it is refused while another that wants to be alone has it open, and nothing is taken from that
        one. Without it whoever opened last may write."""
        super().__init__(str(path), key)
        self._path = path
        self._witness: int | None = None
        self._put_down: tuple[_Place, ...] = ()  # where what is committed lies, as the operating system knows it
        self._connection = _connect(path)
        try:
            with self._said("opened"):
                self._prepare(busy_ms)
                if path != IN_MEMORY:
                    self._witness = self._opened_witness()
                if alone and self._witness is not None:
                    self._shut_the_door(self._witness)
                self._take_over()
                if self._witness is not None:
                    self._ask_witness(self._witness)
                    self._put_down = self._found_places()
        except LedgerError:
            self.close()
            raise

    def close(self) -> None:
        self._connection.close()
        if self._witness is not None:
            os.close(self._witness)
            self._witness = None

    def _prepare(self, busy_ms: int) -> None:
        self._execute(f"PRAGMA busy_timeout = {busy_ms}")
        self._execute("PRAGMA journal_mode = WAL")
        self._execute("PRAGMA synchronous = FULL")
        # A ledger that cannot be written is found out now, not by the first letter of the evening.
        if self._path != IN_MEMORY and not os.access(self._path, os.W_OK):
            raise _NotWritable("attempt to write a readonly database")

    def damage(self) -> str:
        """What the database finds when it reads itself from end to end: for the nightly audit, because a start must not
        cost what a life of the ledger weighs."""
        with self._said("read"):
            found = str(self._execute("PRAGMA quick_check(1)").fetchone()[0])
        return "" if found == "ok" else found

    def check_place(self) -> None:
        """SQLite goes on writing into a file that was deleted or replaced, and nobody would ever read it."""
        if self._found_places() != self._put_down:
            self._failed = (
                f"The jackpot ledger {self._path} was deleted, moved or replaced while the controller ran: nothing "
                "more is written or answered. Put back what was taken away, with its -wal file, then restart the "
                "controller."
            )
            raise LedgerError(self._failed)

    def _found_places(self) -> tuple[_Place, ...]:
        """A part of what is committed lies in the write-ahead log."""
        if self._witness is None:
            return ()
        return tuple(_place_of(Path(f"{self._path}{suffix}")) for suffix in ("", "-wal"))

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
        if seen and int(seen) > self._last.number:
            raise LedgerError(
                f"The jackpot ledger {self._path} has lost {int(seen) - self._last.number} of its {int(seen)} commits: "
                f"its write-ahead log is damaged or was taken away; {KEEP} Whoever has restored it removes {name}."
            )
        self._witness_commit()

    def _witness_commit(self) -> None:
        """Not synced: a power cut may leave it behind, never ahead, so that it raises no false alarm."""
        if self._witness is not None:
            with contextlib.suppress(OSError):  # a full disk is the ledger's own trouble, and told there
                os.pwrite(self._witness, b"%0*d\n" % (WITNESS_DIGITS - 1, self._last.number), 0)

    # --- the database --------------------------------------------------------------------------------

    def _execute(self, statement: str, values: Sequence[object] = ()) -> Any:
        return self._connection.execute(statement, values)

    def _execute_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        self._connection.executemany(statement, rows)

    def _stream(self, statement: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        return iter(self._execute(statement, values))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.rollback()
            raise

    def _guard(self) -> None:
        for table in KEPT:
            for change in ("UPDATE", "DELETE"):
                refuse = f"BEGIN SELECT RAISE(ABORT, '{table} are only ever added'); END"
                self._execute(f"CREATE TRIGGER {table}_refuse_{change} BEFORE {change} ON {table} {refuse}")

    def _unguard(self) -> None:
        for table in KEPT:
            for change in ("UPDATE", "DELETE"):
                self._execute(f"DROP TRIGGER {table}_refuse_{change}")

    def _version(self) -> int:
        return int(self._execute("PRAGMA user_version").fetchone()[0])

    def _set_version(self, version: int) -> None:
        self._execute(f"PRAGMA user_version = {version}")

    @contextmanager
    def _said(self, done: str) -> Iterator[None]:
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


class MemoryLedger(SqliteLedger):
    """The same without a disk."""

    def __init__(self) -> None:
        super().__init__(IN_MEMORY)

    def close(self) -> None:
        """Whoever has it may open it again."""


class _NotWritable(sqlite3.OperationalError):
    """We found it before SQLite tried to write."""


_Place = tuple[int, int] | None  # device and inode


def _place_of(path: Path) -> _Place:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_busy(error: Exception) -> bool:
    return _code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code_of(error: Exception) -> int:
    """SQLite's primary result code; 0 for an error of Python's own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _connect(path: Path) -> sqlite3.Connection:
    # The ledger is nobody else's to read; its side files take its mode. What is wrong is said by the opening itself.
    with contextlib.suppress(OSError):
        if path != IN_MEMORY:
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
    elif code == sqlite3.SQLITE_CORRUPT or isinstance(error, ValueError):
        remedy = f"it is damaged; {KEEP}"
    elif code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or isinstance(error, _NotWritable):
        remedy = "the folder must exist and belong to the user that runs the controller."
    elif _is_busy(error):
        remedy = "another process holds it; stop that one first."
    return f"The jackpot ledger {path} cannot be {done} ({problem}): {remedy}"
