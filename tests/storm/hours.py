"""True time, which no machine in the house knows, the clocks of the machines, and the schedule of events. Whole
nanoseconds; nothing here waits."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from felt.nouns.stamps import NS_PER_MS, Stamp

MILLION = 1_000_000
AN_EVENING_NS = 1_800_000_000_000_000_000
NEVER_NS = 1 << 62

Happening = Callable[[], None]


class Hours:
    def __init__(self) -> None:
        self.now_ns = 1_000 * NS_PER_MS
        self._agenda: list[tuple[int, int, Happening]] = []
        self._written = 0
        self.turn_ns = 0  # nobody in the house needs a turn before this time

    def at_ns(self, world_ns: int, happen: Happening) -> None:
        self._written += 1
        heapq.heappush(self._agenda, (world_ns, self._written, happen))

    def after(self, ms: float, happen: Happening) -> None:
        self.at_ns(self.now_ns + int(ms * NS_PER_MS), happen)

    def pass_on(self, until_ns: int) -> None:
        """Advances to the next event or turn, at most to `until_ns`, and runs it."""
        agenda, take = self._agenda, heapq.heappop
        due_ns = min(self.turn_ns, until_ns)
        if agenda and agenda[0][0] < due_ns:
            due_ns = agenda[0][0]
        self.now_ns = max(self.now_ns, due_ns)  # a slow disk may have taken longer
        while agenda and agenda[0][0] <= self.now_ns:
            take(agenda)[2]()

    def turn_wanted(self, world_ns: int) -> None:
        self.turn_ns = min(self.turn_ns, world_ns)


class LocalClock:
    """Implements `ports.Clock`. It starts at 0 with each boot, runs slightly fast or slow, and its wall time can
    step."""

    def __init__(self, hours: Hours, fast_ppm: int, boot: str) -> None:
        self._hours = hours
        self._fast_ppm = fast_ppm
        self._boot = boot
        self._began_ns = hours.now_ns
        self._wall_off_ns = AN_EVENING_NS

    @property
    def boot(self) -> str:
        return self._boot

    def now_ns(self) -> int:
        passed_ns = self._hours.now_ns - self._began_ns
        return passed_ns + passed_ns * self._fast_ppm // MILLION

    def now_s(self) -> float:
        return self.now_ns() / 1e9

    def stamp(self) -> Stamp:
        passed_ns = self._hours.now_ns - self._began_ns
        now_ns = passed_ns + passed_ns * self._fast_ppm // MILLION
        return Stamp(self._boot, now_ns, self._began_ns + now_ns + self._wall_off_ns)

    def world_ns(self, mono_ns: int) -> int:
        """The true time at which this clock shows that time or has just passed it."""
        return self._began_ns - (-mono_ns * MILLION // (MILLION + self._fast_ppm))

    def mono_ns_at(self, world_ns: int) -> int:
        passed_ns = world_ns - self._began_ns
        return passed_ns + passed_ns * self._fast_ppm // MILLION

    def reboot(self, boot: str) -> None:
        self._boot = boot
        self._began_ns = self._hours.now_ns

    def step_wall(self, ns: int) -> None:
        self._wall_off_ns += ns
