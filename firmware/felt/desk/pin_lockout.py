"""Counts wrong PINs by person, whatever connection they come from, and across restarts, so pulling the plug does not
shorten a wait. It stores names and counts, never what was typed."""

from __future__ import annotations

from collections.abc import Callable

from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import read_message, to_bytes
from felt.ports import Disk, DiskError

TRIES_FREE = 3  # wrong PINs before the first wait
WAIT_S = (30, 60, 120, 300, 900)
KEPT_IN = "lockout"


class Lockout:
    def __init__(
        self, now_ns: Callable[[], int], disk: Disk | None = None, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        """`tell` reports when the count cannot be stored; the desk then continues, and forgets it at the next
        restart."""
        self._now_ns = now_ns
        self._disk = disk
        self._tell = tell
        self._wrong = self._kept()
        # Monotonic time ends with its boot, so a wait starts again: a restart may lengthen it but never shortens it.
        self._until_ns = {name: now_ns() + _wait_s(count) * NS_PER_S for name, count in self._wrong.items()}

    def wait_s(self, name: str) -> int:
        """How long this person still has to wait."""
        left_ns = self._until_ns.get(name, 0) - self._now_ns()
        return max(0, -(-left_ns // NS_PER_S))

    def note_wrong(self, name: str) -> int:
        """Returns the wait that begins now, in seconds."""
        self._wrong[name] = count = self._wrong.get(name, 0) + 1
        self._until_ns[name] = self._now_ns() + _wait_s(count) * NS_PER_S
        self._keep()
        return _wait_s(count)

    def note_right(self, name: str) -> None:
        if self._wrong.pop(name, None) is not None:
            self._until_ns.pop(name, None)
            self._keep()

    def _kept(self) -> dict[str, int]:
        try:
            if self._disk is None or KEPT_IN not in self._disk.names():
                return {}
            return read_message(dict[str, int], self._disk.read(KEPT_IN))
        except (DiskError, ValueError) as error:
            self._tell(f"the counts of wrong PINs cannot be read and begin anew ({error})")
            return {}

    def _keep(self) -> None:
        if self._disk is not None:
            try:
                self._disk.replace(KEPT_IN, to_bytes(self._wrong))
            except DiskError as error:
                self._tell(f"the counts of wrong PINs cannot be kept ({error})")


def _wait_s(count: int) -> int:
    return WAIT_S[min(count - TRIES_FREE, len(WAIT_S) - 1)] if count >= TRIES_FREE else 0
