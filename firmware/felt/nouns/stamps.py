"""Time as the house knows it: which boot, the monotonic clock of that boot, and the wall clock beside it."""

from __future__ import annotations

from felt.nouns.values import Value

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
DELIVERY_MS = 10  # the usual way of an edge from the kernel to the inbox, on top of a line's own lateness
BURST_SETTLE_TIMES = 4  # edges of a contact over a longer time than this are chatter


class Stamp(Value, array_like=True):
    boot: str  # monotonic times of two boots cannot be compared
    mono_ns: int
    wall_ns: int
