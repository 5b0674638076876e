"""Time as the house knows it: which boot, the monotonic clock of that boot, and the wall clock beside it."""

from __future__ import annotations

from felt.nouns.named import NamedTuple

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


class Stamp(NamedTuple):
    boot: str  # monotonic times of two boots cannot be compared
    mono_ns: int
    wall_ns: int
