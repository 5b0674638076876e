"""A ledger that is only read, beside the controller that writes it: everything as of one instant, and nothing taken
from whoever has it open. For reports and backups; what is read here is never written back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from felt.jackpot.aside import Aside
from felt.jackpot.ledger import LedgerError, StoredLetter, is_database
from felt.jackpot.migrations import VERSION
from felt.jackpot.postgresql import PostgresqlLedger
from felt.jackpot.sql import SqlLedger, refuse_a_version_of_nobody
from felt.jackpot.sqlite import BUSY_MS, SqliteLedger
from felt.jackpot.standing import Entry


def open_for_reading(where: str, path_of: Callable[[str], Path] = Path) -> SqlLedger:
    """As `opening.open_ledger` names places. A ledger that is not there is not made."""
    return _ReadPostgresql(where) if is_database(where) else _ReadSqlite(path_of(where))


class _ReadSqlite(SqliteLedger):
    def __init__(self, path: Path) -> None:
        SqlLedger.__init__(self, str(path))
        self._path = path
        self._witness = None
        self._found = ()
        self._aside = Aside()
        self._under_way = None
        if not path.is_file():
            raise LedgerError(f"There is no jackpot ledger {path}: name the right one in the configuration.")
        try:
            self._connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None)
        except sqlite3.Error as error:
            raise LedgerError(f"The jackpot ledger {path} cannot be read ({error}): check its rights.") from None
        with _closed_on_failure(self), self._said("read"):
            self._execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            self._execute("BEGIN")
            _refuse_another_version(str(path), self._version())

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
            _refuse_another_version(self._where, self._version())

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


def _refuse_another_version(where: str, version: int) -> None:
    refuse_a_version_of_nobody(where, version)
    if version != VERSION:
        raise LedgerError(
            f"The jackpot ledger {where} is of version {version}, and this firmware reads version {VERSION}: use the "
            "firmware of the controller that writes it, or start that one once, so that the ledger is brought up to it."
        )
