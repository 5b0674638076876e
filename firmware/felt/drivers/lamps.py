"""All lamps of a board, blinked by one thread. A pattern is data: phases of light and dark, repeated for ever
and counted from one epoch, so lamps that show the same pattern blink together. Patterns differ in rhythm and
never in colour alone. This room must not know why a lamp shows what it shows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from felt.nouns.stamps import NS_PER_MS, NS_PER_S


class Phase(NamedTuple):
    lit: bool
    ms: int


Pattern = tuple[Phase, ...]


def _flashes(count: int, lit_ms: int, dark_ms: int, pause_ms: int) -> Pattern:
    """`count` equal flashes, then a pause."""
    flash = (Phase(True, lit_ms), Phase(False, dark_ms))
    return (*(flash * count)[:-1], Phase(False, pause_ms))


# Every phase is a multiple of 100 ms, so that all patterns change at the same instants and the thread wakes rarely.
STEADY: Pattern = (Phase(True, 1000),)
PATTERNS: dict[str, Pattern] = {
    "off": (Phase(False, 1000),),
    "on": STEADY,  # keys and signs; a coin spot says `accepted`
    "accepted": STEADY,
    "invite": (Phase(True, 800), Phase(False, 800)),
    "seen": (Phase(True, 900), Phase(False, 100)),
    "removed": (Phase(True, 100), Phase(False, 100)),
    "late": _flashes(2, 100, 100, 300),
    "winner": (Phase(True, 500), Phase(False, 100), *_flashes(2, 100, 100, 100)),
    "out_of_service": (Phase(True, 100), Phase(False, 1900)),
    "fault": _flashes(3, 100, 100, 700),
    "test": (Phase(True, 200), Phase(False, 200), Phase(True, 600), Phase(False, 600)),
}
# A pattern this firmware does not know must be seen, and must not stop the other lamps.
UNKNOWN_PATTERN = "fault"


def is_lit(pattern: Pattern, elapsed_ms: int) -> bool:
    return _place(pattern, elapsed_ms)[0].lit


def next_change_ms(pattern: Pattern, elapsed_ms: int) -> int | None:
    """How long the present phase still lasts; None for a pattern that never changes."""
    if len(pattern) == 1:
        return None
    return _place(pattern, elapsed_ms)[1]


def _place(pattern: Pattern, elapsed_ms: int) -> tuple[Phase, int]:
    """The phase at an instant and how long it still lasts."""
    within_ms = elapsed_ms % sum(phase.ms for phase in pattern)
    for phase in pattern:
        if within_ms < phase.ms:
            return phase, phase.ms - within_ms
        within_ms -= phase.ms
    raise AssertionError("an instant within the cycle lies in one of its phases")


class LampScheduler:
    """Owns the thread that writes the lamps, so a slow turn of the table never freezes them. `write(lamp, lit)`
    is called from that thread alone, and only when a lamp changes."""

    def __init__(self, lamps: tuple[str, ...], write: Callable[[str, bool], None]) -> None:
        self._write = write
        self._shown = dict.fromkeys(lamps, "off")
        self._lit = dict.fromkeys(lamps, False)
        self._changed = threading.Condition()
        self._stopping = False
        self._failing = False
        self._epoch_ns = time.monotonic_ns()
        self._thread = threading.Thread(target=self._run, name="felt-lamps", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def show(self, lamps: Mapping[str, str]) -> None:
        """Lamps this board does not have are passed over: a small panel is no error."""
        with self._changed:
            wanted = {lamp: pattern for lamp, pattern in lamps.items() if lamp in self._shown}
            if any(self._shown[lamp] != pattern for lamp, pattern in wanted.items()):
                self._shown.update(wanted)
                self._changed.notify()

    def alive(self) -> bool:
        return self._thread.is_alive() and not self._failing

    def stop(self) -> None:
        """Returns when the thread will not write again. Every lamp keeps its last state."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._stopping:
                    return
                elapsed_ms = (time.monotonic_ns() - self._epoch_ns) // NS_PER_MS
                states, wait_ms = _states(self._shown, elapsed_ms)
                changes = {lamp: lit for lamp, lit in states.items() if lit != self._lit[lamp]}
                if not changes:
                    self._changed.wait(None if wait_ms is None else self._seconds_until(elapsed_ms + wait_ms))
                    continue
            # Written without the lock: a slow expander must not hold up the table that calls `show`.
            self._write_all(changes)

    def _seconds_until(self, elapsed_ms: int) -> float:
        return max(0, self._epoch_ns + elapsed_ms * NS_PER_MS - time.monotonic_ns()) / NS_PER_S

    def _write_all(self, changes: Mapping[str, bool]) -> None:
        self._failing = False
        for lamp, lit in changes.items():
            try:
                self._write(lamp, lit)
            except OSError:
                self._failing = True  # told by `alive`; the lamp is tried again at its next change
        self._lit.update(changes)


def _states(shown: Mapping[str, str], elapsed_ms: int) -> tuple[dict[str, bool], int | None]:
    """What is lit now and how soon any of it changes. Worked out once a pattern, not once a lamp."""
    unknown = PATTERNS[UNKNOWN_PATTERN]
    in_use = {name: PATTERNS.get(name, unknown) for name in shown.values()}
    lit = {name: is_lit(pattern, elapsed_ms) for name, pattern in in_use.items()}
    waits = [ms for pattern in in_use.values() if (ms := next_change_ms(pattern, elapsed_ms)) is not None]
    return {lamp: lit[name] for lamp, name in shown.items()}, min(waits, default=None)
