"""A clock that is a number: it moves when it is told to, and its wall clock can step away."""

from __future__ import annotations

from felt.nouns.stamps import Stamp

FIRST_BOOT = "00000001"
AN_EVENING_NS = 1_800_000_000_000_000_000


class VirtualClock:
    """Fills `ports.Clock`."""

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
        """Up to an instant of this boot; an instant that has passed changes nothing."""
        self.advance(max(0, mono_ns - self._mono_ns))

    def step_wall(self, ns: int) -> None:
        """As a time server or a person does it, forwards or back."""
        self._wall_ns += ns

    def reboot(self, boot: str, off_ns: int = 0) -> None:
        """A new boot after `off_ns` without power: monotonic time begins again, the wall clock went on."""
        self._boot = boot
        self._mono_ns = 0
        self._wall_ns += off_ns
