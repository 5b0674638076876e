"""A stamp: the boot, the monotonic time within that boot, and the wall clock at that moment."""

from __future__ import annotations

from felt.nouns.values import Value

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
DELIVERY_MS = 10  # usual delay of an edge from the kernel to the inbox, added to a line's own lateness
KEY_MARGIN_MS = 12  # a finger stays this much longer on a key than its contact needs to settle
BURST_SETTLE_TIMES = 4  # a burst longer than this many settle times is chatter


class Stamp(Value, array_like=True):
    boot: str  # monotonic times of two boots cannot be compared
    mono_ns: int
    wall_ns: int
