"""What the sign of each meter has shown, by the second tally, and until when: a value that a table registers with its
lock must be one of these. A table that is told nothing keeps the last it has heard."""

from __future__ import annotations

from collections.abc import Iterable

from tests.storm.hours import NEVER_NS
from tests.storm.purse import Purse


class Signs:
    def __init__(self, purses: Iterable[Purse]) -> None:
        self._purses = tuple(purses)
        self._until_ns: dict[str, dict[int, int]] = {purse.name: {} for purse in self._purses}
        self._now: dict[str, int] = {}

    def look(self, now_ns: int) -> None:
        """After each commit: what comes of it may be said at once, and be another thing at the end of the turn."""
        for purse in self._purses:
            shown = _on_sign(purse)
            before = self._now.get(purse.name)
            if shown != before:
                values = self._until_ns[purse.name]
                if before is not None:
                    values[before] = now_ns
                values[shown] = NEVER_NS
                self._now[purse.name] = shown

    def shown_until_ns(self, meter: str, micro: int) -> int | None:
        """None: never."""
        return self._until_ns[meter].get(micro)


def _on_sign(purse: Purse) -> int:
    """A claim that has its value keeps it there until it is paid or denied."""
    claim = purse.valued()
    return purse.display if claim is None or claim.value is None else claim.value
