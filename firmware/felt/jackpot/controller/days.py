"""When a gaming day is over: the clock of the books says so, while nobody doubts it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta

from felt.jackpot.books.accounts import Code
from felt.jackpot.ledger.port import Ledger
from felt.nouns.stamps import NS_PER_S

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
        self._clock = ledger.clock
        closing, last = ledger.last_closing(), ledger.last_commit()
        is_closed = closing is not None and last.number == closing.closed.number + 1
        self._day = "" if is_closed or not last.number else day_of(last.written_ns)  # of the period that is open
        after = 0 if closing is None else closing.closed.last_entry
        for entry in ledger.entries(Code.CLOCK_DOUBTED, Code.CLOCK_CONFIRMED, after=after):
            self._clock.stay_in(entry.detail if entry.code is Code.CLOCK_DOUBTED else "")
        self._clock.compare(last.written_ns)

    def over(self) -> str:
        """The day that is to be closed now; or nothing."""
        today = self._day_of(self._clock.now_ns())
        self._day = self._day or today
        return self._day if today > self._day and not self._clock.doubt else ""

    def closed(self) -> None:
        self._day = ""
