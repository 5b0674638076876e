"""The ledger in plain SQL that two databases understand. What differs between them (opening, placeholders, the words
for failing) is in their own modules; every query and every rule of writing is here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import itemgetter
from typing import Any

from felt.jackpot.dating import BooksClock
from felt.jackpot.ledger import Finish, LedgerError, StoredLetter, SumKey, Sums, said_twice
from felt.jackpot.meters import Account, Kind
from felt.jackpot.migrations import VERSION, Dialect, steps
from felt.jackpot.rows import Rows
from felt.jackpot.standing import Entry
from felt.nouns.money import MICRO_PER_MINOR

KEEP = "keep it as evidence and restore the ledger from its backup."
_ENTRY = "kind, table_id, nonce, round, claim, meter, account, amount, at_wall_ns, detail, persons"
_LETTER = "table_id, nonce, sequence, kind, body, head_sequence, head_hash"
_PUT_ENTRY = f"INSERT INTO entries (id, {_ENTRY}, written_ns) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"
# Of no claim, without words and by nobody, as nearly all are: what a statement says already need not be handed over.
_PUT_PLAIN_ENTRY = f"INSERT INTO entries (id, {_ENTRY}, written_ns) VALUES (?,?,?,?,?,'',?,?,?,?,'','',?)"
_PUT_LETTER = f"INSERT INTO letters (id, {_LETTER}) VALUES (?,?,?,?,?,?,?,?)"
_PUT_ROW = "INSERT INTO standing (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


class SqlLedger(ABC):
    """One connection, one thread at a time."""

    dialect: Dialect
    _duplicate: type[Exception]  # what the database raises for a number that is taken

    def __init__(self, where: str) -> None:
        self._where = where
        self._failed = ""
        self._epoch = self._commits = 0
        self._last_entry = self._last_letter = 0
        self._clock = BooksClock()

    # --- what a database must be able to do ----------------------------------------------------------

    @abstractmethod
    def _execute(self, statement: str, values: Sequence[object] = ()) -> Any:
        """A cursor. A question mark stands for a value."""

    @abstractmethod
    def _execute_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None: ...

    @abstractmethod
    def _stream(self, statement: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Row by row, without holding them all."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[None]:
        """All or nothing; durable when it is left."""

    @abstractmethod
    def _said(self, done: str) -> AbstractContextManager[None]:
        """The database's own failures as one sentence each, and a write that failed remembered."""

    @abstractmethod
    def _version(self) -> int:
        """Nought for a database without a ledger."""

    @abstractmethod
    def _set_version(self, version: int) -> None: ...

    @abstractmethod
    def close(self) -> None: ...

    # --- opening -------------------------------------------------------------------------------------

    def _take_over(self) -> None:
        """Migrates an older ledger, refuses a newer one, and shuts out whoever had it open before."""
        with self._transaction():
            version = self._version()
            refuse_a_version_of_nobody(self._where, version)
            if version > VERSION:
                raise LedgerError(
                    f"The jackpot ledger {self._where} is of version {version}, and this firmware knows only version "
                    f"{VERSION}: start the version of the firmware that wrote it."
                )
            if version < VERSION:
                self._migrate(version)
            self._execute("UPDATE generation SET epoch = epoch + 1")
            self._epoch, self._commits = self._execute("SELECT epoch, number FROM generation").fetchone()
        self._last_entry = self._counted("entries")
        self._last_letter = self._counted("letters")

    def _migrate(self, version: int) -> None:
        for step in steps(self.dialect)[version:]:
            for statement in step.statements:
                self._execute(statement)
            before = dict(self._execute("SELECT key, value FROM standing").fetchall())
            after = step.rewrite(before)
            self._execute_many(_PUT_ROW, [row for row in after.items() if before.get(row[0]) != row[1]])
        self._set_version(VERSION)

    def _counted(self, table: str) -> int:
        """Rows are numbered without a gap, so that one that is gone is missed."""
        count, last = self._execute(f"SELECT COUNT(*), COALESCE(MAX(id), 0) FROM {table}").fetchone()
        if count != last:
            raise LedgerError(f"The jackpot ledger {self._where} lacks {last - count} of its {table}: {KEEP}")
        return int(last)

    # --- writing -------------------------------------------------------------------------------------

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        with self._said("written"):
            self._write_in(self._transaction(), entries, rows, letters)
            self._count_commit(len(entries), len(letters))

    def begin(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> Finish | None:
        self.commit(entries, rows, letters)
        return None

    def _write_in(
        self,
        transaction: AbstractContextManager[None],
        entries: Sequence[Entry],
        rows: Mapping[str, str | None],
        letters: Sequence[StoredLetter],
    ) -> None:
        try:
            with transaction:
                self._claim_epoch()
                self._write(entries, rows, letters)
        except self._duplicate:
            raise LedgerError(self._twice(letters)) from None

    def _count_commit(self, entries: int, letters: int) -> None:
        self._commits += 1
        self._last_entry += entries
        self._last_letter += letters
        self._witness_commit()

    def fill(
        self, dated: Sequence[tuple[int, Entry]], rows: Mapping[str, str], letters: Sequence[StoredLetter]
    ) -> None:
        """A whole history into a ledger that has none, with the times at which it came into the books."""
        with self._said("written"):
            assert self._last_entry == self._last_letter == 0, "only an empty ledger is filled"
            with self._transaction():
                self._claim_epoch()
                first = 1
                for written_ns, together in groupby(dated, itemgetter(0)):
                    entries = [entry for _, entry in together]
                    self._write_entries(first, entries, written_ns)
                    first += len(entries)
                self._write((), rows, letters)
            self._count_commit(len(dated), len(letters))

    def look(self) -> str:
        return self._clock.remark()

    @abstractmethod
    def _witness_commit(self) -> None:
        """For a database that must be told from outside how many commits it had."""

    def _claim_epoch(self) -> None:
        """The row is locked from here to the end of the transaction, so that two writers cannot both pass."""
        claim = "UPDATE generation SET number = number + 1 WHERE epoch = ? AND number = ?"
        if self._execute(claim, (self._epoch, self._commits)).rowcount != 1:
            raise LedgerError(
                f"Another process has taken over the jackpot ledger {self._where}: stop one of the two controllers."
            )

    def _twice(self, letters: Sequence[StoredLetter]) -> str:
        known = [letter for letter in letters if self._stored(*letter[:3]) is not None]
        return said_twice(known[0] if known else letters[-1])

    def _write(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter]
    ) -> None:
        # An entry tells when its table acted; when it came into the books is the ledger's own to say.
        written_ns = self._clock.now_ns()
        if entries:
            self._write_entries(self._last_entry + 1, entries, written_ns)
        if letters:
            stored = [(number, *letter) for number, letter in enumerate(letters, self._last_letter + 1)]
            self._execute_many(_PUT_LETTER, stored)
        gone = [(key,) for key, text in rows.items() if text is None]
        if gone:
            self._execute_many("DELETE FROM standing WHERE key = ?", gone)
        put = [row for row in rows.items() if row[1] is not None]
        if put:
            self._execute_many(_PUT_ROW, put)

    def _write_entries(self, first: int, entries: Iterable[Entry], written_ns: int) -> None:
        """Each has its number, so that nothing hangs on the order in which they are written."""
        plain: list[tuple[object, ...]] = []
        others: list[tuple[object, ...]] = []
        for number, entry in enumerate(entries, first):
            kind, table, nonce, one_round, claim, meter, account, amount, at_ns, detail, persons = entry
            why, purse = _TEXT[kind], _TEXT[account]
            if claim or detail or persons:
                words = (detail, persons, written_ns)
                others.append((number, why, table, nonce, one_round, claim, meter, purse, amount, at_ns, *words))
            else:
                plain.append((number, why, table, nonce, one_round, meter, purse, amount, at_ns, written_ns))
        if plain:
            self._execute_many(_PUT_PLAIN_ENTRY, plain)
        if others:
            self._execute_many(_PUT_ENTRY, others)

    # --- reading -------------------------------------------------------------------------------------

    def rows(self) -> Rows:
        with self._said("read"):
            return dict(self._execute("SELECT key, value FROM standing").fetchall())

    def letter(self, table: str, nonce: str, sequence: int) -> StoredLetter | None:
        with self._said("read"):
            return self._stored(table, nonce, sequence)

    def _stored(self, table: str, nonce: str, sequence: int) -> StoredLetter | None:
        query = f"SELECT {_LETTER} FROM letters WHERE table_id = ? AND nonce = ? AND sequence = ?"
        row = self._execute(query, (table, nonce, sequence)).fetchone()
        return None if row is None else StoredLetter(*row)

    def entries(self, kind: Kind | None = None) -> Iterator[Entry]:
        query = f"SELECT {_ENTRY} FROM entries"
        chosen = query if kind is None else f"{query} WHERE kind = ?"
        with self._said("read"):
            for row in self._stream(f"{chosen} ORDER BY id", () if kind is None else (kind.value,)):
                yield _entry_of(row)

    def dated_entries(self) -> Iterator[tuple[int, Entry]]:
        """Each with the wall time at which it came into the books: nought before version 3, and never falling,
        whatever was done to the clock, so that a day's entries are one stretch of the books."""
        latest_ns = 0
        with self._said("read"):
            for *row, written_ns in self._stream(f"SELECT {_ENTRY}, written_ns FROM entries ORDER BY id"):
                latest_ns = max(latest_ns, written_ns)
                yield latest_ns, _entry_of(tuple(row))

    def letters(self) -> Iterator[StoredLetter]:
        with self._said("read"):
            for row in self._stream(f"SELECT {_LETTER} FROM letters ORDER BY id"):
                yield StoredLetter(*row)

    def sums(self) -> Sums:
        # In two parts: what went in and out again may add up to more than a database's number holds.
        parts = f"SUM(amount / {MICRO_PER_MINOR}), SUM(amount - amount / {MICRO_PER_MINOR} * {MICRO_PER_MINOR})"
        query = f"SELECT meter, kind, account, {parts} FROM entries WHERE account IS NOT NULL GROUP BY 1, 2, 3"
        with self._said("read"):
            return {
                SumKey(meter, Kind(kind), Account(account)): int(whole) * MICRO_PER_MINOR + int(rest)
                for meter, kind, account, whole, rest in self._execute(query).fetchall()
            }


def refuse_a_version_of_nobody(where: str, version: int) -> None:
    if version < 0:
        raise LedgerError(
            f"The jackpot ledger {where} is of version {version}, which no firmware ever wrote: it is damaged; {KEEP}"
        )


# A driver asks of every value that is not quite a text what to make of it, which takes longer than to write it.
_TEXT: dict[object, str | None] = {None: None, **{member: member.value for each in (Kind, Account) for member in each}}


def _entry_of(row: tuple[Any, ...]) -> Entry:
    kind, table, nonce, number, claim, meter, account, amount, at_wall_ns, detail, persons = row
    named = None if account is None else Account(account)
    return Entry(Kind(kind), table, nonce, number, claim, meter, named, amount, at_wall_ns, detail, persons)
