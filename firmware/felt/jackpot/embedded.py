"""The jackpot controller inside the table's own process: the Post port without a network. Answers are given
before `send` returns; whoever listens only puts them into an inbox."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from felt.jackpot.ledger import LedgerError
from felt.jackpot.office import Office


class EmbeddedPost:
    def __init__(self, office: Office) -> None:
        self._office = office
        self._one_at_a_time = threading.Lock()  # the ledger has one connection
        self._on_answer: Callable[[bytes], None] | None = None
        self._closed = False
        self.problem = ""  # why the ledger stopped; no answer is given from then on, so the table sees a lost link

    def start(self, on_answer: Callable[[bytes], None]) -> None:
        self._on_answer = on_answer

    def send(self, letter: bytes) -> None:
        answers: list[bytes] = []
        with self._one_at_a_time:
            if self.alive():
                try:
                    answers = self._office.receive(letter)
                except LedgerError as error:
                    self.problem = str(error)
        if self._on_answer is not None:
            for answer in answers:
                self._on_answer(answer)

    def meters(self) -> Mapping[str, int]:
        return self._office.meters()

    def alive(self) -> bool:
        return not self._closed and not self.problem

    def close(self) -> None:
        with self._one_at_a_time:
            if not self._closed:
                self._closed = True
                self._office.close()
