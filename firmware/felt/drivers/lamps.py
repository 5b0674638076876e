"""Drives and blinks all lamps of a board from one thread. A pattern is data: phases of light and dark, repeated for
ever and counted from one epoch, so lamps with the same pattern blink together. Patterns differ in rhythm, never in
colour alone. This module does not know why a lamp shows a pattern."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from felt.nouns.stamps import NS_PER_MS, NS_PER_S
from felt.nouns.values import Value


class BlinkPhase(Value):
    lit: bool
    ms: int


Pattern = tuple[BlinkPhase, ...]


def _flashes(count: int, lit_ms: int, dark_ms: int, pause_ms: int) -> Pattern:
    """`count` equal flashes, then a pause."""
    flash = (BlinkPhase(True, lit_ms), BlinkPhase(False, dark_ms))
    return (*(flash * count)[:-1], BlinkPhase(False, pause_ms))


# Every phase is a multiple of 200 ms. So all patterns change at the same instants and the thread rarely wakes, a
# current check 60 ms late still falls into its phase, and nothing flashes three times a second, which can harm some
# people.
STEADY: Pattern = (BlinkPhase(True, 1000),)
PATTERNS: dict[str, Pattern] = {
    "off": (BlinkPhase(False, 1000),),
    "on": STEADY,  # for keys and signs; a coin spot uses `accepted`
    "accepted": STEADY,
    "invite": (BlinkPhase(True, 800), BlinkPhase(False, 800)),
    "seen": (BlinkPhase(True, 1000), BlinkPhase(False, 200)),
    "removed": (BlinkPhase(True, 200), BlinkPhase(False, 200)),
    "late": _flashes(2, 200, 200, 600),
    "winner": (BlinkPhase(True, 600), BlinkPhase(False, 200), *_flashes(2, 200, 200, 200)),
    "out_of_service": (BlinkPhase(True, 200), BlinkPhase(False, 2800)),
    "fault": _flashes(3, 200, 200, 1000),
    "test": (BlinkPhase(True, 200), BlinkPhase(False, 200), BlinkPhase(True, 600), BlinkPhase(False, 600)),
    "alarm": (BlinkPhase(True, 1600), BlinkPhase(False, 400)),
}
# These patterns start at their own beginning and last at least this long, so a person who hears the buzzer has time to
# see where it comes from.
LEAST_MS = {"alarm": 1600}
# An unknown pattern must be visible, and must not stop the other lamps.
UNKNOWN_PATTERN = "fault"
# From switching a lamp off until its sensor no longer sees the light.
DARK_MS = 2
# Currents are checked in the middle of a 200 ms phase, when the current has followed the last order.
LOOK_EVERY_MS, LOOK_AT_MS = 200, 100
# The thread shows a sign of life this often, and counts as hung after this long without one.
BEAT_S = 1.0
SILENT_S = 10.0
FOLLOWED_AFTER_MS = 2
REWRITE_MS = 1000  # a lamp that could not be written is written again after this time


def is_lit(pattern: Pattern, elapsed_ms: int) -> bool:
    return _place(pattern, elapsed_ms)[0].lit


def next_change_ms(pattern: Pattern, elapsed_ms: int) -> int | None:
    """How long the present phase still lasts; None for a constant pattern."""
    if len(pattern) == 1:
        return None
    return _place(pattern, elapsed_ms)[1]


def _place(pattern: Pattern, elapsed_ms: int) -> tuple[BlinkPhase, int]:
    """The phase at an instant, and how long it still lasts."""
    within_ms = elapsed_ms % sum(phase.ms for phase in pattern)
    for phase in pattern:
        if within_ms < phase.ms:
            return phase, phase.ms - within_ms
        within_ms -= phase.ms
    raise AssertionError("an instant within the cycle lies in one of its phases")


class DarkSampling(Value):
    """Sensors that are disturbed by their lamps: `take` reads them all with the lamps dark."""

    lamps: tuple[str, ...]
    every_ms: int
    take: Callable[[], None]


Compare = Callable[[Mapping[str, bool]], None]  # receives the lit and dark lamps once the current had time to follow


class Playing(Value):
    """A pattern and the instant from which it is counted."""

    pattern: str
    begun_ms: int = 0


class LampScheduler:
    """Owns the thread that writes the lamps, so a slow turn of the table never freezes them. Only that thread calls
    `write(lamp, lit)`, and only when a lamp changes."""

    def __init__(
        self,
        lamps: tuple[str, ...],
        write: Callable[[str, bool], None],
        sampling: DarkSampling | None = None,
        compare: Compare | None = None,
    ) -> None:
        self._write = write
        self._sampling = sampling
        self._next_sample_ms = 0
        self._compare = compare
        self._next_look_ms = LOOK_AT_MS
        self._written_ms = dict.fromkeys(lamps, 0)
        self._shown = dict.fromkeys(lamps, Playing("off"))
        self._held: dict[str, Playing] = {}  # patterns within their minimum time, whatever is shown meanwhile
        self._lit = dict.fromkeys(lamps, False)
        self._changed = threading.Condition()
        self._stopping = False
        self._unwritten: dict[str, str] = {}  # the lamps whose last write failed, with the reason
        self._rewrite_ms = 0
        self._unsampled = ""  # why the last sample failed
        self._blind = ""  # why the last current check failed
        self._beat_ns = time.monotonic_ns()
        self._epoch_ns = time.monotonic_ns()
        self._thread = threading.Thread(target=self._run, name="felt-lamps", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def show(self, lamps: Mapping[str, str]) -> None:
        """Sets the patterns. Lamps that this board lacks are ignored: a small panel is not an error."""
        with self._changed:
            changes = {
                lamp: pattern
                for lamp, pattern in lamps.items()
                if lamp in self._shown and self._shown[lamp].pattern != pattern
            }
            if changes:
                elapsed_ms = self._elapsed_ms()
                for lamp, pattern in changes.items():
                    self._begin(lamp, pattern, elapsed_ms)
                self._changed.notify()

    def alive(self) -> bool:
        """Whether the thread is running. A bus that never returns from a write blocks it for ever."""
        return self._thread.is_alive() and time.monotonic_ns() - self._beat_ns < SILENT_S * NS_PER_S

    def problem(self) -> str:
        return next(iter(self._unwritten.values()), "") or self._unsampled or self._blind

    def stop(self) -> None:
        """Returns once the thread will not write again. Every lamp keeps its last state."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def _begin(self, lamp: str, pattern: str, elapsed_ms: int) -> None:
        if pattern not in LEAST_MS:
            self._shown[lamp] = Playing(pattern)
            return
        held = self._held.get(lamp)
        going_on = held is not None and held.pattern == pattern and _is_held(held, elapsed_ms)
        playing = held if held is not None and going_on else Playing(pattern, elapsed_ms)
        self._shown[lamp] = self._held[lamp] = playing

    def _run(self) -> None:
        while True:
            self._beat_ns = time.monotonic_ns()
            with self._changed:
                if self._stopping:
                    return
                elapsed_ms = self._elapsed_ms()
                states, wait_ms = self._states(elapsed_ms)
                again = self._unwritten if elapsed_ms >= self._rewrite_ms else ()
                changes = {lamp: lit for lamp, lit in states.items() if lit != self._lit[lamp] or lamp in again}
                sampling = self._sampling if elapsed_ms >= self._next_sample_ms else None
                compare = self._compare if elapsed_ms >= self._next_look_ms else None
                if not changes and sampling is None and compare is None:
                    due_s = BEAT_S if wait_ms is None else self._seconds_until(elapsed_ms + wait_ms)
                    self._changed.wait(min(BEAT_S, due_s))
                    continue
            # Written without the lock: a slow expander must not delay the table in `show`.
            if changes:
                self._write_all(changes)
            if compare is not None:  # before the sampling, which switches lamps off
                self._look(compare, elapsed_ms)
            if sampling is not None:
                self._sample(sampling, elapsed_ms, just_written=bool(changes))

    def _states(self, elapsed_ms: int) -> tuple[dict[str, bool], int | None]:
        """What is lit now, and when to wake next. Computed once per pattern, not once per lamp."""
        self._held = {lamp: held for lamp, held in self._held.items() if _is_held(held, elapsed_ms)}
        playing = {**self._shown, **self._held}
        unknown = PATTERNS[UNKNOWN_PATTERN]
        in_use = {shown: PATTERNS.get(shown.pattern, unknown) for shown in playing.values()}
        lit = {shown: is_lit(pattern, elapsed_ms - shown.begun_ms) for shown, pattern in in_use.items()}
        waits = [next_change_ms(pattern, elapsed_ms - shown.begun_ms) for shown, pattern in in_use.items()]
        waits += [_held_until_ms(held) - elapsed_ms for held in self._held.values()]
        if self._sampling is not None:
            waits.append(self._next_sample_ms - elapsed_ms)
        if self._compare is not None:
            waits.append(self._next_look_ms - elapsed_ms)
        soonest_ms = min((ms for ms in waits if ms is not None), default=None)
        return {lamp: lit[shown] for lamp, shown in playing.items()}, soonest_ms

    def _sample(self, sampling: DarkSampling, elapsed_ms: int, *, just_written: bool) -> None:
        """Samples the sensors. The next evaluation of the patterns lights the lamps again at once."""
        self._next_sample_ms = (elapsed_ms // sampling.every_ms + 1) * sampling.every_ms
        lit = {lamp: False for lamp in sampling.lamps if self._lit.get(lamp)}
        if lit:
            self._write_all(lit)
        if lit or just_written:
            time.sleep(DARK_MS / 1000)
        try:
            sampling.take()
            self._unsampled = ""
        except OSError as error:
            self._unsampled = str(error)

    def _look(self, compare: Compare, elapsed_ms: int) -> None:
        self._next_look_ms = (elapsed_ms - LOOK_AT_MS) // LOOK_EVERY_MS * LOOK_EVERY_MS + LOOK_AT_MS + LOOK_EVERY_MS
        followed_ms = self._elapsed_ms() - FOLLOWED_AFTER_MS
        try:
            compare({lamp: lit for lamp, lit in self._lit.items() if self._written_ms[lamp] <= followed_ms})
            self._blind = ""
        except OSError as error:
            self._blind = str(error)

    def _elapsed_ms(self) -> int:
        return (time.monotonic_ns() - self._epoch_ns) // NS_PER_MS

    def _seconds_until(self, elapsed_ms: int) -> float:
        return max(0, self._epoch_ns + elapsed_ms * NS_PER_MS - time.monotonic_ns()) / NS_PER_S

    def _write_all(self, changes: Mapping[str, bool]) -> None:
        unwritten = {lamp: why for lamp, why in self._unwritten.items() if lamp not in changes}
        for lamp, lit in changes.items():
            try:
                self._write(lamp, lit)
            except OSError as error:
                unwritten[lamp] = str(error)  # `problem` reports it
        self._unwritten = unwritten
        self._rewrite_ms = self._elapsed_ms() + REWRITE_MS
        self._lit.update(changes)
        self._written_ms.update(dict.fromkeys(changes, self._elapsed_ms()))


def _held_until_ms(held: Playing) -> int:
    return held.begun_ms + LEAST_MS[held.pattern]


def _is_held(held: Playing, elapsed_ms: int) -> bool:
    return elapsed_ms < _held_until_ms(held)
