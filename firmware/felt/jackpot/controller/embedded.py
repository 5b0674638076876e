"""The jackpot controller inside the table's own process: the Post port without a network. Answers are given
before `send` returns; whoever listens only puts them into an inbox. A ledger that fails is told, and tried again
with every letter that comes after: the table posts until it is answered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from felt.jackpot.books.acts import Act, Person
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.port import LedgerBusyError, LedgerError
from felt.nouns.stamps import Stamp


class EmbeddedPost:
    def __init__(
        self,
        office: Office,
        stamp: Callable[[], Stamp] | None = None,
        reopen: Callable[[], Office] | None = None,
    ) -> None:
        """`reopen` opens the same ledger anew, when what a failed write left behind must be found out."""
        self._office = office
        self._stamp = stamp
        self._reopen = reopen
        self._must_reopen = False
        self._one_at_a_time = threading.Lock()  # the ledger has one connection
        self._on_answer: Callable[[bytes], None] | None = None
        self._closed = False
        self._problem = ""

    def start(self, on_answer: Callable[[bytes], None]) -> None:
        self._on_answer = on_answer

    def send(self, letter: bytes) -> None:
        with self._one_at_a_time:
            answers = [] if self._closed else self._answers_to(letter)
        if self._on_answer is not None:
            for answer in answers:
                self._on_answer(answer)

    def _answers_to(self, letter: bytes) -> list[bytes]:
        try:
            if self._must_reopen:
                self._open_again()
            answers = self._office.receive(letter, None if self._stamp is None else self._stamp())
        except LedgerBusyError as error:  # nothing was written; the resend finds the ledger free, or not
            self._problem = str(error)
            return []
        except LedgerError as error:
            self._problem = str(error)
            self._must_reopen = True
            return []
        self._problem = ""
        return answers

    def act(self, act: Act, persons: Sequence[Person], reason: str) -> None:
        """What persons decide about the table's own meters; a `RefusedError` or a `LedgerError` says why not. What
        follows from it for a claim is told with the next heartbeat."""
        if self._stamp is None:
            raise LedgerError("An act needs a clock.")
        with self._one_at_a_time:
            if self._closed:
                raise LedgerError("The ledger is closed.")
            if self._must_reopen:
                self._open_again()
            try:
                self._office.act(act, persons, reason, self._stamp())
            except LedgerBusyError:  # nothing was written
                raise
            except LedgerError as error:
                self._problem = str(error)
                self._must_reopen = True
                raise
            self._problem = ""

    def _open_again(self) -> None:
        if self._reopen is None:
            raise LedgerError(self._problem)
        self._office.close()
        self._office = self._reopen()
        self._must_reopen = False

    def meters(self) -> Mapping[str, int]:
        return self._office.meters()

    def sign_problem(self) -> str:
        return ""  # it shows the ledger's own meters

    def problem(self) -> str:
        """Why no answer is given, in one sentence; empty while all is well."""
        return self._problem

    def intruder(self) -> str:
        return ""  # nobody is between

    def alive(self) -> bool:
        return not self._closed and not self._problem

    def close(self) -> None:
        with self._one_at_a_time:
            if not self._closed:
                self._closed = True
                self._office.close()
