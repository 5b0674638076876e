"""Where the jackpot's money is written down: append-only entries, the letters they came from, and the standing
they lead to, any number of letters in one transaction. This is the port; `MemoryLedger` keeps it without a disk,
`sqlite` and `postgresql` with one, and `opening` chooses between them. A ledger stores and sums; it decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from felt.jackpot.meters import Account, Kind
from felt.jackpot.rows import Rows
from felt.jackpot.standing import Entry


class LedgerError(Exception):
    """A ledger that cannot be opened, read or written, in one sentence with its remedy."""


class LedgerBusyError(LedgerError):
    """Somebody else holds the ledger for the moment. Nothing was written, and the same may be tried again."""


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
Finish = Callable[[], None]


class Ledger(Protocol):
    """Whoever opens a ledger has it alone: the next commit of whoever had it before fails in one sentence."""

    def rows(self) -> Rows:
        """The standing as it was last committed."""

    def letter(self, table: str, nonce: str, sequence: int) -> StoredLetter | None: ...

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        """All or nothing, and durable when it returns. A row of None is removed. After a `LedgerError` that is not
        a `LedgerBusyError` nothing more is accepted: what a failed write left is known only after opening again."""

    def begin(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> Finish | None:
        """The same for whoever has something to do meanwhile: it is durable when what is given has returned, which
        raises what `commit` would have raised. None: it is durable already. Whatever else is asked of the ledger waits
        until it is."""

    def entries(self, kind: Kind | None = None) -> Iterator[Entry]:
        """In the order in which they were committed."""

    def letters(self) -> Iterator[StoredLetter]:
        """In the order in which they were committed."""

    def sums(self) -> Sums:
        """The entries added up by meter, kind and account. Entries that move nothing are left out."""

    def look(self) -> str:
        """Now and then, also where nothing is written: a `LedgerError` if what is written would be lost, because the
        place was taken away or exchanged; a sentence for a person; or nothing."""

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
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        new = {letter[:3]: letter for letter in letters}
        twice = [letter for letter in letters if letter[:3] in self._letters or new[letter[:3]] is not letter]
        if twice:
            self._failed = self._failed or said_twice(twice[0])
        if self._failed:
            raise LedgerError(self._failed)
        self._letters.update(new)
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

    def begin(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        self.commit(entries, rows, letters)

    def entries(self, kind: Kind | None = None) -> Iterator[Entry]:
        return iter([entry for entry in self._entries if kind is None or entry.kind is kind])

    def letters(self) -> Iterator[StoredLetter]:
        return iter(list(self._letters.values()))

    def sums(self) -> Sums:
        return dict(self._sums)

    def look(self) -> str:
        return ""

    def close(self) -> None:
        pass


def said_twice(letter: StoredLetter) -> str:
    return f"Letter {letter.sequence} of table {letter.table} is in the ledger already: restart the controller."


def is_database(where: str) -> bool:
    """Whether a ledger is on PostgreSQL, named as in postgresql:///felt?host=/run/postgresql. Else it is a file."""
    return where.startswith(("postgresql://", "postgres://"))
