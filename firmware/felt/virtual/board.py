"""A board without pins: the caller drives the levels, and lamps are words in a dictionary. Any thread may drive it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping

from felt.ports import BoardLine
from felt.wire.feedback import BELIEVED_AFTER, OPEN, SHORT, LampJudge

STEADY = ("on", "accepted")
OnEdge = Callable[[str, bool, int], None]
OnLamp = Callable[[str, str], None]


class VirtualBoard:
    """Implements `ports.Board`."""

    def __init__(
        self,
        lines: Iterable[BoardLine],
        lamp_names: Iterable[str],
        on_lamp: OnLamp | None = None,
        now_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """`on_lamp(lamp, pattern)` receives every lamp change; `now_ns` stamps edges that come without a time."""
        self._lines = tuple(lines)
        self._levels = {line.name: False for line in self._lines}
        self._shown = dict.fromkeys(lamp_names, "off")
        # Each coin spot's lamp has current feedback. It is evaluated once a lamp was broken for the first time.
        self._fed_back = tuple(lamp for lamp in self._shown if lamp[:1].isdigit())
        self._judge = LampJudge(self._fed_back)
        self._current: dict[str, str] = {}  # lamp -> open or short; missing: nothing is wrong
        self._on_lamp = on_lamp
        self._now_ns = now_ns
        self._on_edge: OnEdge | None = None
        self._closed = False
        self._refused = 0
        # Re-entrant: a lamp callback may drive a line at once.
        self._lock = threading.RLock()

    # -- the port ----------------------------------------------------------------------------------------------

    def lines(self) -> tuple[BoardLine, ...]:
        return self._lines

    def start(self, on_edge: OnEdge) -> None:
        with self._lock:
            self._on_edge = on_edge

    def levels(self) -> Mapping[str, bool]:
        with self._lock:
            return dict(self._levels)

    def show(self, lamps: Mapping[str, str]) -> None:
        with self._lock:
            changes = {
                lamp: pattern
                for lamp, pattern in lamps.items()
                if lamp in self._shown and self._shown[lamp] != pattern
            }
            self._shown.update(changes)
            self._look()
            if self._on_lamp is not None:
                for lamp, pattern in changes.items():
                    self._on_lamp(lamp, pattern)

    def lamps_found(self) -> Mapping[str, str]:
        with self._lock:
            return self._judge.found()

    def alive(self) -> bool:
        return not self._closed

    def problem(self) -> str:
        return ""

    def refused_edges(self) -> int:
        return self._refused

    def close(self) -> None:
        with self._lock:
            self.show(dict.fromkeys(self._shown, "off"))
            self._closed = True
            self._on_edge = None

    # -- the people at the table -------------------------------------------------------------------------------

    @property
    def lamps(self) -> dict[str, str]:
        with self._lock:
            return dict(self._shown)

    def drive(self, line: str, level: bool, ns: int | None = None) -> None:
        """Sets the level of a line. As with a real pin, an unchanged level makes no edge."""
        with self._lock:
            if self._levels[line] == level:
                return
            self._levels[line] = level
            if self._on_edge is None:
                return
            try:
                self._on_edge(line, level, self._now_ns() if ns is None else ns)
            except Exception:  # noqa: BLE001 # an error of the receiver does not stop a real board either
                self._refused += 1

    def drive_unnoticed(self, line: str, level: bool) -> None:
        """Changes the level, but the edge is lost."""
        with self._lock:
            self._levels[line] = level

    def break_lamp(self, lamp: str, how: str) -> None:
        """`open`: no current ever flows; `short`: current always flows."""
        if lamp not in self._fed_back or how not in (OPEN, SHORT):
            raise ValueError(f"{lamp} cannot be {how}: name the lamp of a coin spot, and open or short")
        with self._lock:
            self._current[lamp] = how
            self._look()

    def repair_lamp(self, lamp: str) -> None:
        with self._lock:
            self._current[lamp] = ""
            self._look()

    def _look(self) -> None:
        """Judges as if some seconds had passed: a blinking lamp is seen lit and dark, a steady lamp only in its
        present state."""
        for lamp, how in self._current.items():
            shows = self._shown[lamp]
            states = [lit for lit in (True, False) if (shows != "off" if lit else shows not in STEADY)]
            for lit in states * BELIEVED_AFTER:
                self._judge.compare(lamp, lit=lit, flows=how == SHORT or (lit and how != OPEN))
