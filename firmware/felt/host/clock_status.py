"""When the box's clock was last synchronised. The time daemon touches a file at each synchronisation; this module
reads the file and sets no clock. A box without such a file is not judged."""

from __future__ import annotations

from pathlib import Path

from felt.nouns.stamps import NS_PER_S

TRACE = "run/systemd/timesync/synchronized"  # touched at each synchronisation
HOUR_NS = 3600 * NS_PER_S
HOURS_MAX = 24


def clock_trouble(now_ns: int, root: Path = Path("/")) -> str:
    """The problem in one sentence; empty if there is none, or if no daemon reports."""
    trace = root / TRACE
    if not trace.parent.is_dir():
        return ""
    try:
        hours = (now_ns - trace.stat().st_mtime_ns) // HOUR_NS
    except OSError:
        return "the clock was not synchronised since the box started"
    return f"the clock was last synchronised {hours} hours ago" if hours >= HOURS_MAX else ""
