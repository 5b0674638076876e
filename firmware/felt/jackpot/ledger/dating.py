"""When something comes into the books. The clock on the wall says it, unless somebody has set it while the controller
ran: then the books go on by the clock that nobody sets, until the wall is right again or a person confirms it."""

from __future__ import annotations

import time

from felt.nouns.stamps import NS_PER_S

JUMP_NS = 300 * NS_PER_S  # a wall clock that gains or loses more between two looks was set
STANDSTILL_NS = 3 * 24 * 3600 * NS_PER_S  # nobody knows what the clock did in a longer pause


class BooksClock:
    def __init__(self) -> None:
        self._wall_ns, self._mono_ns = self.read()
        self._ahead_ns = 0
        self._doubt = ""

    def read(self) -> tuple[int, int]:
        """The clock on the wall, and the one that nobody sets."""
        return time.time_ns(), time.monotonic_ns()

    def now_ns(self) -> int:
        wall_ns, mono_ns = self.read()
        goes_on_ns = self._wall_ns + mono_ns - self._mono_ns
        self._ahead_ns = wall_ns - goes_on_ns if abs(wall_ns - goes_on_ns) > JUMP_NS else 0
        self._wall_ns, self._mono_ns = goes_on_ns if self._ahead_ns else wall_ns, mono_ns
        return self._wall_ns

    @property
    def doubt(self) -> str:
        """Why no day is closed; or nothing."""
        self.now_ns()
        if not self._ahead_ns:
            return self._doubt
        way = "forward" if self._ahead_ns > 0 else "back"
        return (
            f"The clock of the host was set {way} by {abs(self._ahead_ns) // NS_PER_S} s while the controller ran; the "
            "books are dated as if it were not, and no day is closed. Set it right; if it is right now, confirm it "
            "(ConfirmClock)."
        )

    def compare(self, last_ns: int) -> None:
        """At the start: with the date of the latest commit."""
        passed_ns = self.now_ns() - last_ns
        if last_ns and not -JUMP_NS < passed_ns < STANDSTILL_NS:
            way = "after" if passed_ns > 0 else "before"
            self._doubt = (
                f"The clock of the host stands {abs(passed_ns) // NS_PER_S} s {way} the latest entry of the books, and "
                "no day is closed. Set it right; if it is right, confirm it (ConfirmClock)."
            )

    def stay_in(self, doubt: str) -> None:
        """Nobody has confirmed the clock since the books have said this."""
        self._doubt = doubt

    def confirm(self) -> None:
        self._wall_ns, self._mono_ns = self.read()
        self._ahead_ns, self._doubt = 0, ""
