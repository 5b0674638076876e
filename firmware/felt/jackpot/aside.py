"""One piece of work at a time in a thread of its own, for what only waits: the sync of a disk. It knows nothing of what
the work is. One thread begins and waits; the other has no choice."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Aside:
    def __init__(self) -> None:
        self._work: Callable[[], Exception | None] | None = None
        self._outcome: Exception | None = None
        self._thread: threading.Thread | None = None
        self._given, self._taken, self._done = threading.Lock(), threading.Lock(), threading.Lock()
        for signal in (self._given, self._taken, self._done):
            signal.acquire()

    def begin(self, work: Callable[[], Exception | None]) -> None:
        """Returns when the other thread has it. Else that one would wait for a turn of the interpreter, which whoever
        thinks without a pause gives up after five milliseconds, and the work would not have begun before."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="aside", daemon=True)
            self._thread.start()
        self._work = work
        self._given.release()
        self._taken.acquire()

    def wait(self) -> Exception | None:
        """Until the work is done; what went wrong with it."""
        self._done.acquire()
        return self._outcome

    def close(self) -> None:
        """Whoever has begun something has waited for it before."""
        if self._thread is not None:
            self._work = None
            self._given.release()
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while True:
            self._given.acquire()
            work = self._work
            if work is None:
                return
            self._taken.release()
            self._outcome = RuntimeError("The work ended and did not say how.")
            try:
                self._outcome = work()
            finally:
                self._done.release()
