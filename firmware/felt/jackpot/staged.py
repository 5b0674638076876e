"""What an office has decided on its way to the ledger: first staged, then written, then durable. It decides nothing."""

from __future__ import annotations

from felt.jackpot.ledger import Finish, StoredLetter
from felt.jackpot.standing import Entry, Standing
from felt.wire.jackpot import Message


class Begun:
    """Answers that nobody may hear before what they answer is durable."""

    def __init__(self, answers: list[Message], wait: Finish) -> None:
        self._answers = answers
        self._wait = wait

    @property
    def waits(self) -> bool:
        return self._wait is not no_wait

    def answers(self) -> list[Message]:
        """A `LedgerError` means that there are none."""
        self._wait()
        return self._answers


def no_wait() -> None:
    """All of it is durable already."""


NOTHING_BEGUN = Begun([], no_wait)


class Staged:
    """What is decided and not yet written."""

    def __init__(self, committed: Standing, counted: tuple[int, int]) -> None:
        self.committed = committed
        self.counted = counted  # alarms and garbage
        self.entries: list[Entry] = []
        self.letters: list[StoredLetter] = []
        self.told: list[tuple[str, str, str]] = []


class Flight:
    """What is written and not known to be durable yet."""

    def __init__(self, finish: Finish, staged: Staged, undo: Standing) -> None:
        self.finish = finish
        self.staged = staged
        self.taken_back = undo
        self.failed: BaseException | None = None
