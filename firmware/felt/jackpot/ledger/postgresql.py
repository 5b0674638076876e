"""The ledger in a PostgreSQL database, where a house wants replication and backups by its own means. The driver is
imported when a configuration names such a database and not before."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from felt.jackpot.ledger.port import Key, LedgerBusyError, LedgerError
from felt.jackpot.ledger.schema import KEPT
from felt.jackpot.ledger.sql import KEEP, SqlLedger

CONNECT_S = 5
LOCK_MS = 2_000  # longer than any honest transaction of another controller
STUCK_MS = 1_000  # one that says nothing for so long in the middle of a transaction is cut off, and its locks with it
# Keys of advisory locks. The first half is "felt", so that no other program's lock on the same database is met.
MIGRATION_LOCK = (0x66656C74, 1)
LEAD_LOCK = (0x66656C74, 2)
_BUSY = ("55P03", "40001", "40P01")  # lock not available, serialization failure, deadlock: nothing was written


class PostgresqlLedger(SqlLedger):
    words = ("BIGINT", "BIGINT PRIMARY KEY", "")

    def __init__(self, address: str, key: Key | None = None) -> None:
        self._name(address, key)
        self._connection = self._connect(address)
        try:
            with self._said("opened"):
                self._execute(f"SET lock_timeout = {LOCK_MS}")
                self._execute(f"SET idle_in_transaction_session_timeout = {STUCK_MS}")
                # Whatever the server's default is: an answer is only given for what is on the disk.
                self._execute("SET synchronous_commit = on")
                self._take_over()
        except LedgerError:
            self.close()
            raise

    def _name(self, address: str, key: Key | None = None) -> None:
        self._psycopg = driver()
        self._duplicate = self._psycopg.errors.UniqueViolation
        SqlLedger.__init__(self, _without_password(self._psycopg, address), key)

    def _connect(self, address: str) -> Any:
        try:
            return connect(self._psycopg, address)
        except self._psycopg.Error as error:
            problem = " ".join(str(error).split())
            raise LedgerError(
                f"The jackpot ledger {self._where} cannot be opened ({problem}): see that the server runs and that "
                "its user and database exist."
            ) from None

    def close(self) -> None:
        self._connection.close()

    def _execute(self, statement: str, values: Sequence[object] = ()) -> Any:
        if not values:
            return self._connection.execute(statement)
        return self._connection.execute(_placed(statement), values)

    def _execute_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_placed(statement), rows)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._connection.transaction():
            yield

    def _stream(self, statement: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            yield from cursor.stream(_placed(statement), values or None)

    def _witness_commit(self) -> None:
        """The server checks its own pages and its own log."""

    def damage(self) -> str:
        """The server checks its own pages."""
        return ""

    def check_place(self) -> None:
        """The connection would have ended."""

    def _guard(self) -> None:
        self._execute(
            "CREATE OR REPLACE FUNCTION felt_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION '% are only ever added', TG_TABLE_NAME; END $$"
        )
        for table in KEPT:
            self._execute(
                f"CREATE TRIGGER {table}_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION felt_refuse()"
            )

    def _unguard(self) -> None:
        for table in KEPT:
            self._execute(f"DROP TRIGGER {table}_refuse ON {table}")

    def _version(self) -> int:
        # Two controllers that meet an empty database at once must not both fill it.
        self._execute("SELECT pg_advisory_xact_lock(?, ?)", MIGRATION_LOCK)
        self._execute("CREATE TABLE IF NOT EXISTS ledger_version (number BIGINT NOT NULL)")
        row = self._execute("SELECT MAX(number) FROM ledger_version").fetchone()
        return int(row[0] or 0)

    def _set_version(self, version: int) -> None:
        self._execute("DELETE FROM ledger_version")
        self._execute("INSERT INTO ledger_version VALUES (?)", (version,))

    @contextmanager
    def _said(self, done: str) -> Iterator[None]:
        if self._failed and done == "written":
            raise LedgerError(self._failed)
        try:
            yield
        except (self._psycopg.Error, OverflowError, ValueError, LedgerError) as error:
            sentence = str(error) if isinstance(error, LedgerError) else self._sentence(done, error)
            if getattr(error, "sqlstate", None) in _BUSY:
                raise LedgerBusyError(sentence) from None
            if done == "written":
                self._failed = sentence
            raise LedgerError(sentence) from None

    def _sentence(self, done: str, error: Exception) -> str:
        problem = " ".join(str(error).split())
        remedy = "see to the database server, then restart the controller."
        if isinstance(error, ValueError):
            remedy = f"it is damaged; {KEEP}"
        return f"The jackpot ledger {self._where} cannot be {done} ({problem}): {remedy}"


def driver() -> Any:
    try:
        return importlib.import_module("psycopg")
    except ImportError:
        raise LedgerError(
            "A ledger on PostgreSQL needs the package psycopg: install felt with its extra, as in "
            "pip install -e '.[postgresql]'."
        ) from None


def connect(psycopg: Any, address: str) -> Any:
    """Texts are UTF-8 whatever the database was made with: of one that names no encoding (SQL_ASCII) the driver would
    give bytes."""
    return psycopg.connect(address, autocommit=True, connect_timeout=CONNECT_S, client_encoding="utf8")


def _placed(statement: str) -> str:
    return statement.replace("?", "%s")


def _without_password(psycopg: Any, address: str) -> str:
    """What may be said aloud of an address."""
    try:
        parts = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error as error:
        problem = " ".join(str(error).split())
        raise LedgerError(f"The address of the jackpot ledger cannot be read ({problem}): correct it.") from None
    return " ".join(f"{name}={parts[name]}" for name in ("dbname", "host", "port") if name in parts) or "on PostgreSQL"
