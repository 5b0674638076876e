"""When a gaming day is over. It is, when the clock on the wall says so and can be believed: one that has jumped closes
no day until a person confirms it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta

from felt.jackpot.ledger.port import Ledger
from felt.nouns.stamps import NS_PER_S, Stamp

JUMP_NS = 120 * NS_PER_S  # more than a clock is set by that is kept by the network
STANDSTILL_NS = 3 * 24 * 3600 * NS_PER_S  # a controller that did not run for longer asks too

DayOf = Callable[[int], str]


def days_from(begins: str) -> DayOf:
    """A day begins with its first shift, by this host's wall."""
    first = time.fromisoformat(begins)

    def day_of(wall_ns: int) -> str:
        now = datetime.fromtimestamp(wall_ns // NS_PER_S).astimezone()
        return (now.date() - timedelta(days=int(now.time() < first))).isoformat()

    return day_of


class GamingDays:
    def __init__(self, day_of: DayOf, ledger: Ledger) -> None:
        self._day_of = day_of
        closing, last = ledger.last_closing(), ledger.last_commit()
        self._last_ns = last.written_ns
        is_closed = closing is not None and last.number == closing.closed.number + 1
        self._day = "" if is_closed or not last.number else day_of(last.written_ns)  # of the period that is open
        self._clock: tuple[str, int] | None = None  # the boot, and how far the wall is ahead of what nobody sets
        self._ahead_ns = 0

    @property
    def doubt(self) -> str:
        """Why no day is closed; or nothing."""
        if not self._ahead_ns:
            return ""
        way = "ahead" if self._ahead_ns > 0 else "back"
        return (
            f"The clock on the wall went {way} by {abs(self._ahead_ns) // NS_PER_S} s: no day is closed until somebody "
            "who has looked at it confirms it (ConfirmClock)."
        )

    def over(self, now: Stamp) -> str:
        """The day that is to be closed now; or nothing."""
        self._watch(now)
        today = self._day_of(now.wall_ns)
        self._day = self._day or today
        return self._day if today > self._day and not self._ahead_ns else ""

    def closed(self) -> None:
        self._day = ""

    def confirm(self, now: Stamp) -> None:
        self._ahead_ns = 0
        self._clock = (now.boot, now.wall_ns - now.mono_ns)

    def _watch(self, now: Stamp) -> None:
        offset_ns = now.wall_ns - now.mono_ns
        if self._clock is None or self._clock[0] != now.boot:
            behind = self._last_ns and not -JUMP_NS < now.wall_ns - self._last_ns < STANDSTILL_NS
            if behind:
                self._ahead_ns = now.wall_ns - self._last_ns
        elif abs(offset_ns - self._clock[1]) > JUMP_NS:
            self._ahead_ns += offset_ns - self._clock[1]
        self._clock = (now.boot, offset_ns)
