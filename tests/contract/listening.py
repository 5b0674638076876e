"""An inbox that a test can wait on, whatever thread answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from felt.wire.jackpot import Message, decode

ANSWER_WITHIN_S = 5


class Listener:
    """An inbox that can be waited on, because a link may answer from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.heard: list[Message] = []

    def __call__(self, answer: bytes) -> None:
        with self._changed:
            self.heard.append(decode(answer))
            self._changed.notify_all()

    def wait_for(self, count: int) -> list[Message]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.heard) >= count, ANSWER_WITHIN_S), self.heard
            return list(self.heard)


def until(truth: Callable[[], bool]) -> None:
    deadline = time.monotonic() + ANSWER_WITHIN_S
    while not truth():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.002)
