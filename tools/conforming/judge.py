"""What was checked, and whether it was right."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Unheard(Exception):
    """Something that must come did not."""


class Judge:
    def __init__(self) -> None:
        self._right = self._wrong = 0

    def say(self, sentence: str, right: bool) -> None:
        self._right += right
        self._wrong += not right
        print(f"{'right' if right else 'WRONG'}  {sentence}", flush=True)

    def note(self, sentence: str) -> None:
        print(f"       {sentence}", flush=True)

    def verdict(self) -> int:
        print(f"{self._right} right, {self._wrong} wrong", flush=True)
        return 1 if self._wrong or not self._right else 0


class Ear(Generic[T]):
    """What another thread heard, in its order."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._came: queue.SimpleQueue[T] = queue.SimpleQueue()
        self.put = self._came.put

    def wait(self, what: str, fits: Callable[[T], bool], within_s: float | None = None) -> T:
        """The next one that fits; others are dropped."""
        patience_s = self._patience_s if within_s is None else within_s
        deadline = time.monotonic() + patience_s
        while True:
            try:
                found = self._came.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise Unheard(f"{what} did not come within {patience_s:g} s") from None
            if fits(found):
                return found

    def hears(self, fits: Callable[[T], bool], within_s: float) -> bool:
        try:
            self.wait("", fits, within_s)
        except Unheard:
            return False
        return True
