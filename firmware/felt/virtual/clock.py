"""A clock that is a number. It moves only on command, and its wall clock can step."""

from __future__ import annotations

from felt.nouns.stamps import Stamp

FIRST_BOOT = "00000001"
AN_EVENING_NS = 1_800_000_000_000_000_000


class VirtualClock:
    """Implements `ports.Clock`."""

    def __init__(self, mono_ns: int = 0, wall_ns: int = AN_EVENING_NS, boot: str = FIRST_BOOT) -> None:
        self._boot = boot
        self._mono_ns = mono_ns
        self._wall_ns = wall_ns

    def stamp(self) -> Stamp:
        return Stamp(self._boot, self._mono_ns, self._wall_ns)

    def now_ns(self) -> int:
        return self._mono_ns

    def advance(self, ns: int) -> None:
        assert ns >= 0, "monotonic time does not run backwards"
        self._mono_ns += ns
        self._wall_ns += ns

    def advance_to(self, mono_ns: int) -> None:
        """Advances to an instant of this boot. An earlier instant changes nothing."""
        self.advance(max(0, mono_ns - self._mono_ns))

    def step_wall(self, ns: int) -> None:
        """Steps the wall clock forwards or back, as a time server or a person would."""
        self._wall_ns += ns

    def reboot(self, boot: str, off_ns: int = 0) -> None:
        """A new boot after `off_ns` without power: monotonic time starts again, the wall clock has moved on."""
        self._boot = boot
        self._mono_ns = 0
        self._wall_ns += off_ns
