"""A ledger that is only read, beside the controller that writes it: everything as of one instant, and nothing taken
from whoever has it open. For reports and backups; what is read here is never written back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from felt.jackpot.books.accounts import Entry
from felt.jackpot.ledger.port import LedgerError, StoredLetter, is_database
from felt.jackpot.ledger.postgresql import PostgresqlLedger
from felt.jackpot.ledger.sql import SqlLedger
from felt.jackpot.ledger.sqlite import BUSY_MS, SqliteLedger


def open_for_reading(where: str, path_of: Callable[[str], Path] = Path) -> SqlLedger:
    """As `opening.open_ledger` names places. A ledger that is not there is not made."""
    return _ReadPostgresql(where) if is_database(where) else _ReadSqlite(path_of(where))


class _ReadSqlite(SqliteLedger):
    def __init__(self, path: Path) -> None:
        SqlLedger.__init__(self, str(path))
        self._path = path
        self._witness = None
        self._put_down = ()
        if not path.is_file():
            raise LedgerError(f"There is no jackpot ledger {path}: name the right one in the configuration.")
        try:
            self._connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None)
        except sqlite3.Error as error:
            raise LedgerError(f"The jackpot ledger {path} cannot be read ({error}): check its rights.") from None
        with _closed_on_failure(self), self._said("read"):
            self._execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            self._execute("BEGIN")
            self._refuse_another_version()
            self._find_end()

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> NoReturn:
        raise LedgerError("This ledger is open for reading alone.")


class _ReadPostgresql(PostgresqlLedger):
    def __init__(self, address: str) -> None:
        self._name(address)
        self._connection = self._connect(address)
        with _closed_on_failure(self), self._said("read"):
            self._execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            self._refuse_another_version()
            self._find_end()

    def _version(self) -> int:
        there = self._execute("SELECT to_regclass('ledger_version')").fetchone()[0]
        if there is None:
            raise LedgerError(f"There is no jackpot ledger {self._where}: name the right one in the configuration.")
        return int(self._execute("SELECT MAX(number) FROM ledger_version").fetchone()[0] or 0)

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> NoReturn:
        raise LedgerError("This ledger is open for reading alone.")


@contextmanager
def _closed_on_failure(ledger: SqlLedger) -> Iterator[None]:
    try:
        yield
    except LedgerError:
        ledger.close()
        raise
