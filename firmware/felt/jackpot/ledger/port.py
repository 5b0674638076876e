"""Where the jackpot's money is written down: append-only entries, the letters they came from, and the standing they
lead to, any number of letters in one transaction. This is the port; `sqlite` and `postgresql` fill it, and `opening`
chooses between them. A ledger stores, sums and chains; it decides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from felt.jackpot.books.accounts import Account, Code, Entry
from felt.jackpot.ledger.dating import BooksClock
from felt.jackpot.ledger.rows import Rows
from felt.nouns.values import Value


class LedgerError(Exception):
    """A ledger that cannot be opened, read or written, in one sentence with its remedy."""


class LedgerBusyError(LedgerError):
    """Somebody else holds the ledger for the moment. Nothing was written, and the same may be tried again."""


class StoredLetter(Value):
    table: str
    nonce: str
    sequence: int
    kind: str
    body: str
    head_sequence: int = 0
    head_hash: str = ""
    differs: str = ""  # what the ledger counts otherwise: its table is told it again with each answer


class Commit(Value):
    """What came into the books together: everything after the commit before, up to these."""

    number: int
    written_ns: int  # by the wall clock of the controller
    last_entry: int
    last_letter: int
    rows_sum: str  # of the standing that it leads to
    head: str  # of the chain


class Closing(Value):
    """The end of a period: a gaming day. Whoever starts reads the latest one and what follows."""

    number: int
    day: str
    closed: Commit
    rows: Rows  # the standing as it stood: balances, queue, open rounds, journals, the last hits
    former: str  # the digest of the closing before
    archived: str = ""  # where the entries of the period are, when they are not here any more


class ClosedDay(Value):
    """A closing without what stood then: there is one for each day of a ledger's life."""

    number: int
    day: str
    last_commit: int
    written_ns: int
    digest: str
    archived: str


class SumKey(Value):
    meter: str
    code: Code
    debit: Account
    credit: Account


class Key(Protocol):
    """The controller's own: what it has signed, nobody else can have written."""

    def sign(self, message: bytes) -> bytes: ...


class Ledger(Protocol):
    """Whoever opens a ledger has it alone: the next commit of whoever had it before fails in one sentence."""

    clock: BooksClock

    def rows(self) -> Rows:
        """The standing as it was last committed."""

    def letter(self, table: str, nonce: str, sequence: int) -> StoredLetter | None: ...

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        """All or nothing, and durable when it returns. A row of None is removed. After a `LedgerError` that is not
        a `LedgerBusyError` nothing more is accepted: what a failed write left is known only after opening again."""

    def close_period(self, day: str) -> Closing: ...

    def closed_days(self) -> list[ClosedDay]:
        """From the first to the latest."""

    def last_closing(self) -> Closing | None: ...

    def last_commit(self) -> Commit: ...

    def entries(self, *codes: Code, after: int = 0) -> Iterator[Entry]:
        """Those with one of the codes, or all, in the order in which they were committed; of those that are archived,
        none."""

    def letters(self, *, after: int = 0) -> Iterator[StoredLetter]: ...

    def sums(self, *, after: int = 0) -> dict[SumKey, int]:
        """The transfers after an entry, added up."""

    def balances(self) -> dict[str, dict[Account, int]]:
        """Of each meter, as the database itself has added them up."""

    def broken_chain(self, *, whole: bool = False) -> str:
        """What was changed behind the controller's back since the latest closing, or ever; or nothing."""

    def check_place(self) -> None:
        """A `LedgerError` if what is written would be lost, because its place was taken away or exchanged."""

    def close(self) -> None: ...


def said_twice(letter: StoredLetter) -> str:
    return f"Letter {letter.sequence} of table {letter.table} is in the ledger already: restart the controller."


def is_database(where: str) -> bool:
    """Whether a ledger is on PostgreSQL, named as in postgresql:///felt?host=/run/postgresql. Else it is a file."""
    return where.startswith(("postgresql://", "postgres://"))
