"""A ledger in memory that outlives its controller. One controller opens it at a time and can die before or after a
commit. Listeners hear every commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from felt.jackpot.ledger import LedgerError, MemoryLedger, StoredLetter, Sums
from felt.jackpot.meters import Kind
from felt.jackpot.rows import Rows
from felt.jackpot.standing import Entry

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

    @property
    def leads(self) -> bool:
        return self._epoch == self._books.epoch

    def keep_lead(self) -> None:
        if not self.leads:
            raise LedgerError(TAKEN)

    def look(self) -> str:
        return ""

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

    def begin(
        self, entries: Sequence[Entry], rows: Mapping[str, str | None], letters: Sequence[StoredLetter] = ()
    ) -> None:
        """Returns at once: in virtual time nothing runs concurrently."""
        self.commit(entries, rows, letters)

    def entries(self, kind: Kind | None = None) -> Iterator[Entry]:
        return self._memory.entries(kind)

    def letters(self) -> Iterator[StoredLetter]:
        return self._memory.letters()

    def sums(self) -> Sums:
        return self._memory.sums()

    def close(self) -> None:
        pass
