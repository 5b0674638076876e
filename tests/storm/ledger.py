"""A ledger in memory that outlives its controller: who opens it has it alone, a controller can die on either side of a
commit, and whoever wants to know is told of every commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from felt.jackpot.books.accounts import Account, Code, Entry
from felt.jackpot.ledger.port import Closing, Commit, LedgerError, StoredLetter, SumKey
from felt.jackpot.ledger.rows import Rows
from felt.jackpot.ledger.sqlite import MemoryLedger

BEFORE, AFTER = "before the commit", "after the commit"
TAKEN = "Another controller has opened the jackpot ledger: this one ends."


class Books:
    """What stays when controllers come and go."""

    def __init__(self) -> None:
        self.memory = MemoryLedger()
        self.epoch = 0
        self.on_commit: Callable[[Sequence[Entry], Sequence[StoredLetter]], None] = lambda *_: None

    def open(self, trouble: Callable[[str], None] = lambda _: None) -> BookKeeper:
        self.epoch += 1
        return BookKeeper(self, trouble)


class BookKeeper:
    """Fills `Ledger`."""

    def __init__(self, books: Books, trouble: Callable[[str], None]) -> None:
        self._books = books
        self._memory = books.memory
        self._epoch = books.epoch
        self._trouble = trouble

    @property
    def leads(self) -> bool:
        return self._epoch == self._books.epoch

    def keep_lead(self) -> None:
        if not self.leads:
            raise LedgerError(TAKEN)

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

    def closings(self) -> Iterator[Closing]:
        return self._memory.closings()

    def last_closing(self) -> Closing | None:
        return self._memory.last_closing()

    def last_commit(self) -> Commit:
        return self._memory.last_commit()

    def entries(self, code: Code | None = None, *, after: int = 0) -> Iterator[Entry]:
        return self._memory.entries(code, after=after)

    def letters(self, *, after: int = 0) -> Iterator[StoredLetter]:
        return self._memory.letters(after=after)

    def sums(self, *, after: int = 0) -> dict[SumKey, int]:
        return self._memory.sums(after=after)

    def balances(self) -> dict[str, dict[Account, int]]:
        return self._memory.balances()

    def broken_chain(self, *, whole: bool = False) -> str:
        return self._memory.broken_chain(whole=whole)

    def problem(self) -> str:
        return self._memory.problem()

    def close(self) -> None:
        pass
