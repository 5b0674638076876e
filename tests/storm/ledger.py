"""A ledger in memory that outlives its controller. One controller opens it at a time and can die before or after a
commit. Listeners hear every commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from felt.jackpot.books.accounts import Account, Code, Entry
from felt.jackpot.ledger.port import ClosedDay, Closing, Commit, LedgerError, StoredLetter, SumKey
from felt.jackpot.ledger.rows import Rows
from felt.jackpot.ledger.sqlite import MemoryLedger

BEFORE, AFTER = "before the commit", "after the commit"
TAKEN = "Another controller has opened the jackpot ledger: this one ends."


class Books:
    """The data that outlives controllers."""

    def __init__(self) -> None:
        self.memory = MemoryLedger()
        self.epoch = 0
        self.on_commit: Callable[[Sequence[Entry], Sequence[StoredLetter]], None] = lambda *_: None

    def open(self, trouble: Callable[[str], None] = lambda _: None) -> BookKeeper:
        self.epoch += 1
        return BookKeeper(self, trouble)


class BookKeeper:
    """Implements `Ledger`."""

    def __init__(self, books: Books, trouble: Callable[[str], None]) -> None:
        self._books = books
        self._memory = books.memory
        self._epoch = books.epoch
        self._trouble = trouble
        self.clock = books.memory.clock

    @property
    def leads(self) -> bool:
        return self._epoch == self._books.epoch

    def keep_lead(self) -> None:
        if not self.leads:
            raise LedgerError(TAKEN)

    def check_place(self) -> None:
        self._memory.check_place()

    def rows(self) -> Rows:
        return self._memory.rows()

    def letter(self, table: str, nonce: str, sequence: int) -> StoredLetter | None:
        return self._memory.letter(table, nonce, sequence)

    def commit(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        self.keep_lead()
        self._trouble(BEFORE)
        self._memory.commit(entries, rows, letters)
        self._books.on_commit(entries, letters)
        self._trouble(AFTER)

    def close_period(self, day: str) -> Closing:
        self.keep_lead()
        return self._memory.close_period(day)

    def closed_days(self) -> list[ClosedDay]:
        return self._memory.closed_days()

    def last_closing(self) -> Closing | None:
        return self._memory.last_closing()

    def last_commit(self) -> Commit:
        return self._memory.last_commit()

    def entries(self, *codes: Code, after: int = 0) -> Iterator[Entry]:
        return self._memory.entries(*codes, after=after)

    def letters(self, *, after: int = 0) -> Iterator[StoredLetter]:
        return self._memory.letters(after=after)

    def sums(self, *, after: int = 0) -> dict[SumKey, int]:
        return self._memory.sums(after=after)

    def balances(self) -> dict[str, dict[Account, int]]:
        return self._memory.balances()

    def broken_chain(self, *, whole: bool = False) -> str:
        return self._memory.broken_chain(whole=whole)

    def close(self) -> None:
        pass
