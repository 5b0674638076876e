"""The machine's clocks. A boot is one run of this program. Monotonic times of two runs are never compared, even if
the machine stayed up."""

from __future__ import annotations

import secrets
import time

from felt.nouns.stamps import Stamp

BOOT_ID_BYTES = 4


class SystemClock:
    """Implements `ports.Clock`."""

    def __init__(self) -> None:
        self._boot = secrets.token_hex(BOOT_ID_BYTES)

    def stamp(self) -> Stamp:
        return Stamp(self._boot, time.monotonic_ns(), time.time_ns())
