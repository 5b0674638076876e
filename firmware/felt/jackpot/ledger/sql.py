"""The ledger in plain SQL that two databases understand. What differs between them (opening, placeholders, the words
for failing) is in their own modules; every query and every rule of writing is here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any

from felt.jackpot.books.accounts import Account, Code, Entry
from felt.jackpot.ledger import chain
from felt.jackpot.ledger.dating import BooksClock
from felt.jackpot.ledger.port import ClosedDay, Closing, Commit, Key, LedgerError, StoredLetter, SumKey, said_twice
from felt.jackpot.ledger.rows import Rows, standing_of
from felt.jackpot.ledger.schema import VERSION, statements
from felt.nouns.money import MICRO_PER_MINOR
from felt.nouns.values import fields_of, read, replace, to_text

KEEP = "keep it as evidence and restore the ledger from its backup."
CHANGED = f"somebody has changed it behind the controller's back: do not open betting; {KEEP}"
COMMITS_AT_ONCE = 250
FIRST = Commit(0, 0, 0, 0, chain.hexed(0), chain.NO_HEAD)
_OF_WHOM = "table_id, nonce, round, claim, meter"
_ENTRY = f"code, {_OF_WHOM}, debit, credit, amount, stake_minor, wagers, at_wall_ns, detail, persons"
_LETTER = "table_id, nonce, sequence, kind, body, head_sequence, head_hash, differs"
_COMMIT = "number, written_ns, last_entry, last_letter, rows_sum, head"
_PUT_ENTRY = f"INSERT INTO entries (id, {_ENTRY}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_PUT_LETTER = f"INSERT INTO letters (id, {_LETTER}) VALUES (?,?,?,?,?,?,?,?,?)"
_PUT_COMMIT = f"INSERT INTO commits ({_COMMIT}) VALUES (?,?,?,?,?,?)"
_CLOSING = "SELECT content, digest, archived FROM periods"
_PUT_ROW = "INSERT INTO standing (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_OPEN_BALANCE = "INSERT INTO balances VALUES (?,?,0) ON CONFLICT (meter, account) DO NOTHING"
_MOVE_BALANCE = "UPDATE balances SET micro = micro + ? WHERE meter = ? AND account = ?"


class SqlLedger(ABC):
    """One connection, one thread at a time."""

    words: tuple[str, str, str]  # as `schema.statements` asks for them
    _duplicate: type[Exception]  # what the database raises for a number that is taken

    def __init__(self, where: str, key: Key | None = None) -> None:
        self._where = where
        self._key = key
        self._failed = ""
        self.clock = BooksClock()
        self._epoch = 0
        self._last = FIRST
        self._sum = chain.RowsSum({})
        self._meters: set[str] = set()  # with balances

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
    def _guard(self) -> None:
        """From here on the database refuses to change or remove what is only ever added to."""

    @abstractmethod
    def _unguard(self) -> None:
        """For an archive, within a transaction."""

    @abstractmethod
    def _witness_commit(self) -> None:
        """For a database that must be told from outside how many commits it had."""

    @abstractmethod
    def check_place(self) -> None: ...

    @abstractmethod
    def close(self) -> None: ...

    # --- opening -------------------------------------------------------------------------------------

    def _take_over(self) -> None:
        """Makes the tables of a new ledger, refuses one of another version, and shuts out whoever had it open."""
        with self._transaction():
            if self._version() == 0:
                for statement in statements(*self.words):
                    self._execute(statement)
                self._guard()
                self._set_version(VERSION)
            self._refuse_another_version()
            self._execute("UPDATE generation SET epoch = epoch + 1")
            self._find_end()
        self._check_signature()

    def _refuse_another_version(self) -> None:
        version = self._version()
        if version != VERSION:
            raise LedgerError(
                f"The jackpot ledger {self._where} is of version {version}, and this firmware knows only version "
                f"{VERSION}: use the firmware that wrote it; if none did, it is damaged; {KEEP}"
            )

    def _find_end(self) -> None:
        """Where the ledger ends. Entries and letters are numbered without a gap, and the last commit names the last."""
        self._epoch, number = self._execute("SELECT epoch, number FROM generation").fetchone()
        row = self._execute(f"SELECT {_COMMIT} FROM commits ORDER BY number DESC LIMIT 1").fetchone()
        closing = self._last_closing()
        if row is not None:
            self._last = Commit(*row)
        elif closing is not None:
            self._last = closing.closed
        ends = [
            self._execute(f"SELECT COALESCE(MAX(id), {known}) FROM {table}").fetchone()[0]
            for table, known in (("entries", self._last.last_entry), ("letters", self._last.last_letter))
        ]
        if (number, *ends) != (self._last.number, self._last.last_entry, self._last.last_letter):
            raise LedgerError(f"The jackpot ledger {self._where} does not end where its last commit says: {CHANGED}")
        self._sum = chain.RowsSum(dict(self._execute("SELECT key, value FROM standing").fetchall()))
        self._meters = {meter for (meter,) in self._execute("SELECT DISTINCT meter FROM balances").fetchall()}

    def _check_signature(self) -> None:
        if self._key is None or self._last.number == 0:
            return
        (signature,) = self._execute("SELECT signature FROM generation").fetchone()
        if signature != self._signed(self._last):
            raise LedgerError(
                f"The end of the jackpot ledger {self._where} is not what this controller's key has signed: put its "
                f"own key back; if that is there, {CHANGED}"
            )

    def _signed(self, last: Commit) -> str:
        return "" if self._key is None else self._key.sign(chain.attested(last.head, last.number)).hex()

    # --- writing -------------------------------------------------------------------------------------

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        with self._said("written"):
            self._commit(entries, rows, letters, None)

    def close_period(self, day: str) -> Closing:
        """A commit like any other, which tells how everything stood before it."""
        with self._said("written"):
            former = self._last_closing()
            closing = Closing(
                1 if former is None else former.number + 1, day, self._last, self.rows(),
                "" if former is None else chain.digest_of_closing(former),
            )  # fmt: skip
            note = Entry(Code.PERIOD_CLOSED, at_wall_ns=self.clock.now_ns(), detail=f"The period {day} is closed.")
            self._commit((note,), {}, (), closing)
        return closing

    def _commit(
        self,
        entries: Sequence[Entry],
        rows: Mapping[str, str | None],
        letters: Sequence[StoredLetter],
        closing: Closing | None,
    ) -> None:
        # An entry tells when its table acted; when it came into the books is the ledger's own to say.
        last, written_ns = self._last, self.clock.now_ns()
        rows_sum = chain.hexed(self._sum.changed(rows))
        digest = "" if closing is None else chain.digest_of_closing(closing)
        head = chain.next_head(last.head, last.number + 1, written_ns, entries, letters, rows_sum, digest)
        made = Commit(
            last.number + 1, written_ns, last.last_entry + len(entries), last.last_letter + len(letters), rows_sum, head
        )
        try:
            with self._transaction():
                self._claim_epoch(made)
                self._write_entries(last.last_entry + 1, entries)
                self._move_balances(entries)
                self._write_letters(last.last_letter + 1, letters)
                self._write_rows(rows)
                self._execute(_PUT_COMMIT, _values(made))
                if closing is not None:
                    self._put_closing(closing)
        except self._duplicate as error:
            raise LedgerError(self._twice(letters, error)) from None
        self._last = made
        self._sum.take(rows)
        self._witness_commit()

    def _claim_epoch(self, made: Commit) -> None:
        """The row is locked from here to the end of the transaction, so that two writers cannot both pass."""
        claim = "UPDATE generation SET number = ?, signature = ? WHERE epoch = ? AND number = ?"
        values = (made.number, self._signed(made), self._epoch, made.number - 1)
        if self._execute(claim, values).rowcount != 1:
            raise LedgerError(
                f"Another process has taken over the jackpot ledger {self._where}: stop one of the two controllers."
            )

    def _twice(self, letters: Sequence[StoredLetter], error: Exception) -> str:
        known = [letter for letter in letters if self._stored(letter.table, letter.nonce, letter.sequence) is not None]
        repeated = known or [letter for place, letter in enumerate(letters) if letter in letters[:place]]
        return (
            said_twice(repeated[0]) if repeated else f"The ledger refuses what is written ({error}): call the supplier."
        )

    def _write_entries(self, first: int, entries: Sequence[Entry]) -> None:
        if entries:
            self._execute_many(_PUT_ENTRY, [(number, *_values(entry)) for number, entry in enumerate(entries, first)])

    def _write_letters(self, first: int, letters: Sequence[StoredLetter]) -> None:
        if letters:
            self._execute_many(
                _PUT_LETTER, [(number, *_values(letter)) for number, letter in enumerate(letters, first)]
            )

    def _write_rows(self, rows: Mapping[str, str | None]) -> None:
        gone = [(key,) for key, text in rows.items() if text is None]
        if gone:
            self._execute_many("DELETE FROM standing WHERE key = ?", gone)
        put = [row for row in rows.items() if row[1] is not None]
        if put:
            self._execute_many(_PUT_ROW, put)

    def _move_balances(self, entries: Sequence[Entry]) -> None:
        moved: Counter[tuple[str, Account]] = Counter()
        for entry in entries:
            if entry.debit is not None and entry.credit is not None:
                moved[entry.meter, entry.debit] -= entry.amount
                moved[entry.meter, entry.credit] += entry.amount
        new = {meter for meter, _ in moved} - self._meters
        if new:
            self._execute_many(_OPEN_BALANCE, [(meter, account.value) for meter in new for account in Account])
            self._meters |= new
        if moved:
            changed = [(micro, meter, account.value) for (meter, account), micro in moved.items() if micro]
            self._execute_many(_MOVE_BALANCE, changed)

    def _put_closing(self, closing: Closing) -> None:
        content = to_text(replace(closing, archived=""))
        digest, closed = chain.digest_of_closing(closing), closing.closed
        values = (closing.number, closing.day, closed.number, closed.written_ns, content, digest, closing.archived)
        self._execute("INSERT INTO periods VALUES (?,?,?,?,?,?,?)", values)

    # --- reading -------------------------------------------------------------------------------------

    def rows(self) -> Rows:
        with self._said("read"):
            return dict(self._execute("SELECT key, value FROM standing").fetchall())

    def last_commit(self) -> Commit:
        return self._last

    def letter(self, table: str, nonce: str, sequence: int) -> StoredLetter | None:
        with self._said("read"):
            return self._stored(table, nonce, sequence)

    def _stored(self, table: str, nonce: str, sequence: int) -> StoredLetter | None:
        query = f"SELECT {_LETTER} FROM letters WHERE table_id = ? AND nonce = ? AND sequence = ?"
        row = self._execute(query, (table, nonce, sequence)).fetchone()
        return None if row is None else StoredLetter(*row)

    def entries(self, *codes: Code, after: int = 0, until: int | None = None) -> Iterator[Entry]:
        query = f"SELECT {_ENTRY} FROM entries WHERE id > ? AND id <= ?"
        if codes:
            query = f"{query} AND code IN ({','.join('?' * len(codes))})"
        with self._said("read"):
            values = (after, _upto(until), *(code.value for code in codes))
            for row in self._stream(f"{query} ORDER BY id", values):
                yield _entry_of(row)

    def letters(self, *, after: int = 0, until: int | None = None) -> Iterator[StoredLetter]:
        query = f"SELECT {_LETTER} FROM letters WHERE id > ? AND id <= ? ORDER BY id"
        with self._said("read"):
            for row in self._stream(query, (after, _upto(until))):
                yield StoredLetter(*row)

    def commit_before(self, ns: int, *, after: Commit) -> Commit:
        """The last before the first that was written at that time or later, by the clock on the wall."""
        query = "SELECT number FROM commits WHERE number > ? AND written_ns >= ? ORDER BY number LIMIT 1"
        with self._said("read"):
            row = self._execute(query, (after.number, ns)).fetchone()
            if row is None:
                return self._last
            before = self._execute(f"SELECT {_COMMIT} FROM commits WHERE number = ?", (row[0] - 1,)).fetchone()
        return after if before is None else Commit(*before)

    def signature(self) -> str:
        with self._said("read"):
            return str(self._execute("SELECT signature FROM generation").fetchone()[0])

    def closed_days(self) -> list[ClosedDay]:
        query = "SELECT number, day, last_commit, written_ns, digest, archived FROM periods ORDER BY number"
        with self._said("read"):
            return [ClosedDay(*row) for row in self._execute(query).fetchall()]

    def closings(self) -> Iterator[Closing]:
        """One after another: all of them are as much as a life of the ledger."""
        for known in self.closed_days():
            yield self.closing(known.number)

    def closing(self, number: int) -> Closing:
        with self._said("read"):
            return self._closing_of(*self._execute(f"{_CLOSING} WHERE number = ?", (number,)).fetchone())

    def last_closing(self) -> Closing | None:
        with self._said("read"):
            return self._last_closing()

    def _last_closing(self) -> Closing | None:
        row = self._execute(f"{_CLOSING} ORDER BY number DESC LIMIT 1").fetchone()
        return None if row is None else self._closing_of(*row)

    def _closing_of(self, content: str, digest: str, archived: str) -> Closing:
        closing = replace(read(Closing, content), archived=archived)
        if chain.digest_of_closing(closing) != digest:
            raise LedgerError(f"The closing of the period {closing.day} is not what was written: {CHANGED}")
        return closing

    def sums(self, *, after: int = 0) -> dict[SumKey, int]:
        # In two parts: what went in and out again may add up to more than a database's number holds.
        parts = f"SUM(amount / {MICRO_PER_MINOR}), SUM(amount - amount / {MICRO_PER_MINOR} * {MICRO_PER_MINOR})"
        query = (
            f"SELECT meter, code, debit, credit, {parts} FROM entries WHERE id > ? AND debit IS NOT NULL "
            "GROUP BY 1, 2, 3, 4"
        )
        with self._said("read"):
            return {
                SumKey(meter, Code(code), Account(debit), Account(credit)): int(whole) * MICRO_PER_MINOR + int(rest)
                for meter, code, debit, credit, whole, rest in self._execute(query, (after,)).fetchall()
            }

    def balances(self) -> dict[str, dict[Account, int]]:
        found: dict[str, dict[Account, int]] = {}
        with self._said("read"):
            for meter, account, micro in self._execute("SELECT meter, account, micro FROM balances").fetchall():
                found.setdefault(meter, {})[Account(account)] = micro
        return found

    def brought(self, after: Commit, *, until: int | None = None, letters: bool = True) -> Iterator[Brought]:
        """Commit after commit with what came in it, a few hundred at a time. `until`: the number of the last one."""
        chosen = f"SELECT {_COMMIT} FROM commits WHERE number > ? AND number <= ?"
        last = after
        while True:
            with self._said("read"):
                found = self._execute(f"{chosen} ORDER BY number LIMIT {COMMITS_AT_ONCE}", (last.number, _upto(until)))
                page = [Commit(*row) for row in found.fetchall()]
            if not page:
                return
            entries = iter(list(self.entries(after=last.last_entry, until=page[-1].last_entry)))
            last_letter = page[-1].last_letter if letters else 0
            posted = iter(list(self.letters(after=last.last_letter, until=last_letter)))
            for made in page:
                some = list(islice(entries, made.last_entry - last.last_entry))
                yield made, some, list(islice(posted, made.last_letter - last.last_letter))
                last = made

    def broken_chain(self, *, whole: bool = False) -> str:
        days = self.closed_days()
        kept = [known for known in days if known.archived] if whole else days
        last = self.closing(kept[-1].number).closed if kept else FIRST
        digests = {known.last_commit + 1: known.digest for known in days}
        for made, entries, letters in self.brought(last):
            digest = digests.get(made.number, "")
            head = chain.next_head(last.head, last.number + 1, made.written_ns, entries, letters, made.rows_sum, digest)
            if head != made.head:
                return f"commit {made.number} is not what was written"
            last = made
        if last != self._last:
            return f"commit {last.number} is the last one, and commit {self._last.number} was"
        if chain.sum_of_rows(self.rows()) != last.rows_sum:
            return "the standing is not what was written"
        return chain.broken_closings(self.closings()) if whole else ""

    # --- archives and backups ------------------------------------------------------------------------

    def detach(self, closing: Closing, where: str) -> None:
        """Everything up to the end of a period goes from here; `where` it is now stays."""
        closed = closing.closed
        with self._said("written"), self._transaction():
            self._unguard()
            self._execute(
                "UPDATE periods SET archived = ? WHERE number <= ? AND archived = ''", (where, closing.number)
            )
            self._execute("DELETE FROM entries WHERE id <= ?", (closed.last_entry,))
            self._execute("DELETE FROM letters WHERE id <= ?", (closed.last_letter,))
            self._execute("DELETE FROM commits WHERE number <= ?", (closed.number,))
            self._guard()

    def fill(
        self, closings: Iterable[Closing], brought: Iterable[Brought], ends_with: Callable[[], tuple[Rows, str]]
    ) -> None:
        """A whole history into a ledger that has none, all or nothing; whoever brings it has checked its chain, and
        knows its rows and its signature when it was read to the end."""
        assert self._last.number == 0, "only an empty ledger is filled"
        with self._said("written"), self._transaction():
            last = FIRST
            for closing in closings:
                self._put_closing(closing)
                last = closing.closed if closing.archived else last
            for made, entries, letters in brought:
                self._write_entries(last.last_entry + 1, entries)
                self._write_letters(last.last_letter + 1, letters)
                self._execute(_PUT_COMMIT, _values(made))
                last = made
            rows, signature = ends_with()
            self._write_rows(rows)
            for meter in standing_of(rows).meters:
                for account in Account:
                    values = (meter.name, account.value, getattr(meter, account.value))
                    self._execute("INSERT INTO balances VALUES (?,?,?)", values)
            self._execute("UPDATE generation SET number = ?, signature = ?", (last.number, signature))
            self._find_end()
        self._witness_commit()


Brought = tuple[Commit, list[Entry], list[StoredLetter]]


def _values(row: Commit | Entry | StoredLetter) -> tuple[object, ...]:
    return tuple(_plain(getattr(row, name)) for name in fields_of(type(row)))


def _plain(value: object) -> object:
    """A driver asks of every value that is not quite a text what to make of it."""
    return value.value if isinstance(value, Code | Account) else value


def _upto(until: int | None) -> int:
    return 2**63 - 1 if until is None else until


def _entry_of(row: Sequence[Any]) -> Entry:
    code, table, nonce, number, claim, meter, debit, credit, *others = row
    return Entry(
        Code(code), table, nonce, number, claim, meter, None if debit is None else Account(debit),
        None if credit is None else Account(credit), *others,
    )  # fmt: skip
