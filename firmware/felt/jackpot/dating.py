"""When an entry comes into the books. The clock on the wall says it, unless somebody has set it forward while the
controller ran: then the books go on by the clock that nobody sets, until a person has looked and restarts."""

from __future__ import annotations

import time

from felt.nouns.stamps import NS_PER_S

JUMP_NS = 300 * NS_PER_S  # a wall clock that gains more on the other between two entries was set


class BooksClock:
    def __init__(self) -> None:
        self._wall_ns, self._mono_ns = self.read()
        self._jumped_ns = 0

    def read(self) -> tuple[int, int]:
        """The clock on the wall, and the one that nobody sets."""
        return time.time_ns(), time.monotonic_ns()

    def now_ns(self) -> int:
        wall_ns, mono_ns = self.read()
        goes_on_ns = self._wall_ns + mono_ns - self._mono_ns
        self._jumped_ns = wall_ns - goes_on_ns if wall_ns - goes_on_ns > JUMP_NS else 0
        self._wall_ns, self._mono_ns = goes_on_ns if self._jumped_ns else wall_ns, mono_ns
        return self._wall_ns

    def remark(self) -> str:
        self.now_ns()
        if not self._jumped_ns:
            return ""
        return (
            f"The clock of the host was set forward by {self._jumped_ns // NS_PER_S} s while the controller ran; the "
            "books are dated as if it were not. Set it right; if it is right now, restart the controller."
        )
