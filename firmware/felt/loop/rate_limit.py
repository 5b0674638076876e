"""A rate limit: a burst, and a rate per second."""

from __future__ import annotations

from felt.nouns.stamps import NS_PER_S


class RateLimit:
    def __init__(self, at_once: int, a_second: int) -> None:
        self._most = at_once * NS_PER_S
        self._a_second = a_second
        self._left = self._most
        self._seen_ns: int | None = None

    def take(self, count: int, now_ns: int) -> bool:
        """Whether the limit allowed this much. If not, the rest of the allowance is used up, but nothing is owed."""
        if self._seen_ns is not None:
            self._left = min(self._most, self._left + max(0, now_ns - self._seen_ns) * self._a_second)
        self._seen_ns = now_ns
        self._left -= count * NS_PER_S
        if self._left >= 0:
            return True
        self._left = 0
        return False
