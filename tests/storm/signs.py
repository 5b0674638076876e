"""What each meter's sign showed by the second tally, and until when. The value that a table registers with its lock
must be one of these. A table without news keeps the last value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.storm.hours import NEVER_NS, Hours
from tests.storm.purse import Purse
from tests.storm.tally import Link
from tests.storm.true_order import Truth


class Sign:
    def __init__(self, purse: Purse) -> None:
        self._purse = purse
        self._now = self._shown()
        self._until_ns = {self._now: NEVER_NS}

    def _shown(self) -> int:
        """A valued claim freezes the sign until it is paid or denied."""
        claim = self._purse.valued()
        return self._purse.display if claim is None or claim.value is None else claim.value

    def look(self, now_ns: int) -> None:
        shown = self._shown()
        if shown != self._now:
            self._until_ns[self._now] = now_ns
            self._until_ns[shown] = NEVER_NS
            self._now = shown

    def shown_until_ns(self, micro: int) -> int | None:
        """None: the sign never showed this value."""
        return self._until_ns.get(micro)


class LinkWithSigns(Link):
    """Called after each letter, whose answer tells the value at that moment, before later letters of the same
    commit."""

    def __init__(self, purses: Mapping[str, Purse], hours: Hours, truth: Truth) -> None:
        super().__init__(purses, truth)
        self.signs = {level: Sign(purse) for level, purse in self.purses.items()}
        self._hours = hours

    def receives(self, *letter: Any, **more: Any) -> None:
        super().receives(*letter, **more)
        self._look()

    def brings_in(self, *lot: Any, **more: Any) -> None:
        super().brings_in(*lot, **more)
        self._look()

    def values(self, *claim: Any, **more: Any) -> None:
        super().values(*claim, **more)
        self._look()

    def _look(self) -> None:
        for sign in self.signs.values():
            sign.look(self._hours.now_ns)
