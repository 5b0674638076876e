"""A disk that forgets unsynced data. It models the worst that an honest disk may do when power fails or the disk
refuses or fills up. It can also lie, to prove that a test would notice."""

from __future__ import annotations

from collections.abc import Callable

from felt.ports import DiskError, refuse_path

SECTOR_BYTES = 512
_PLENTY_BYTES = 1 << 40


class PowerCut(BaseException):
    """The power failed inside this call. Not an `Exception`, so no handler catches it."""


class _File:
    def __init__(self, content: bytes | bytearray = b"", durable: bytes | bytearray = b"") -> None:
        self.content = bytearray(content)  # what a reader sees while the power is on
        self.durable = bytearray(durable)  # what survives a power cut
        self.dropped: list[tuple[int, int]] = []  # ranges that a failed sync dropped: never written

    def settle(self) -> None:
        if not self.dropped:  # then the durable content is a prefix, unless the file was cut
            del self.durable[len(self.content) :]
            self.durable += self.content[len(self.durable) :]
            return
        self.durable = bytearray(self.content)
        for first, last in self.dropped:
            self.durable[first:last] = bytes(len(self.durable[first:last]))

    def drop_unsynced(self) -> None:
        """Drops unsynced bytes as Linux does: after a failed sync they count as clean, and the next sync succeeds
        without them."""
        self.dropped.append((len(self.durable), len(self.content)))


class ForgetfulDisk:
    """`choose(n)` picks one of 0..n-1 wherever the outcome is free; `random.Random(seed).randrange` makes runs
    repeatable. By default everything that may be lost is lost."""

    def __init__(
        self,
        choose: Callable[[int], int] = lambda choices: 0,
        *,
        capacity_bytes: int | None = None,
        lie_about_sync: bool = False,
    ) -> None:
        self._choose = choose
        self._lie_about_sync = lie_about_sync
        self._files: dict[str, _File] = {}
        self._durable_names: dict[str, _File] = {}
        self._is_on = True
        self._cut_at: int | None = None
        self._failing_syncs = 0
        self.capacity_bytes = capacity_bytes
        self.calls = 0  # writing calls so far

    # --- faults

    def cut_at(self, call: int) -> None:
        """Cuts the power inside the n-th writing call from now; 1 is the next call."""
        self._cut_at = self.calls + call

    def fail_syncs(self, times: int = 1) -> None:
        self._failing_syncs = times

    def power_cut(self) -> None:
        """Loses unsynced data. Every call raises `PowerCut` until `power_on`."""
        self._is_on, self._cut_at = False, None
        kept = dict(self._durable_names)
        for name, file in self._files.items():
            if name not in kept and self._choose(2):
                kept[name] = file
        self._files = {name: self._after_cut(kept[name]) for name in sorted(kept)}
        self._durable_names = dict(self._files)

    def power_on(self) -> None:
        self._is_on = True

    def _after_cut(self, file: _File) -> _File:
        """Any prefix of the unsynced bytes may have arrived, its last sector possibly as zeros or junk."""
        unsynced = bytes(file.content[len(file.durable) :])
        if file.dropped or not unsynced:
            return _File(file.durable, file.durable)
        content = file.durable + unsynced[: self._choose(len(unsynced) + 1)]
        spoilt = max(len(file.durable), (len(content) - 1) // SECTOR_BYTES * SECTOR_BYTES)
        match self._choose(3):
            case 1:
                content[spoilt:] = bytes(len(content) - spoilt)
            case 2:
                content[spoilt:] = bytes(self._choose(256) for _ in content[spoilt:])
        return _File(content, content)

    # --- the Disk port

    def names(self) -> tuple[str, ...]:
        self._refuse_in_the_dark()
        return tuple(sorted(self._files))

    def read(self, name: str) -> bytes:
        self._refuse_in_the_dark()
        return bytes(self._existing(name).content)

    def beginning(self, name: str, size: int) -> bytes:
        self._refuse_in_the_dark()
        return bytes(self._existing(name).content[:size])

    def append(self, name: str, data: bytes) -> None:
        refuse_path(name)
        cut = self._begin_call()
        file = self._files.setdefault(name, _File())
        room = max(0, self.free_bytes())
        file.content += data[:room]
        if cut:
            self._go_dark()
        if room < len(data):
            raise DiskError(f"the disk is full: {name} could not be written; free space or replace the disk")

    def sync(self, name: str) -> None:
        cut = self._begin_call()
        file = self._existing(name)
        if cut:
            self._go_dark()
        if self._failing_syncs:
            self._failing_syncs -= 1
            file.drop_unsynced()
            raise DiskError(f"the disk failed while {name} was being synced; replace the disk")
        if not self._lie_about_sync:
            file.settle()
            self._durable_names[name] = file

    def truncate(self, name: str, size: int) -> None:
        cut = self._begin_call()
        file = self._existing(name)
        if not 0 <= size <= len(file.content):
            raise ValueError(f"{name} has {len(file.content)} bytes and cannot be cut to {size}")
        if cut and self._choose(2):
            self._go_dark()
        del file.content[size:]
        file.settle()
        self._durable_names[name] = file
        if cut:
            self._go_dark()

    def replace(self, name: str, data: bytes) -> None:
        refuse_path(name)
        cut = self._begin_call()
        if len(data) > self.free_bytes():
            raise DiskError(f"the disk is full: {name} could not be written; free space or replace the disk")
        if cut and self._choose(2):
            self._go_dark()
        self._files[name] = self._durable_names[name] = _File(data, data)
        if cut:
            self._go_dark()

    def remove(self, name: str) -> None:
        cut = self._begin_call()
        self._existing(name)
        if cut and self._choose(2):
            self._go_dark()
        del self._files[name]
        self._durable_names.pop(name, None)
        if cut:
            self._go_dark()

    def free_bytes(self) -> int:
        self._refuse_in_the_dark()
        if self.capacity_bytes is None:
            return _PLENTY_BYTES
        return max(0, self.capacity_bytes - sum(len(file.content) for file in self._files.values()))

    def close(self) -> None:
        """Closing makes nothing durable."""

    def _existing(self, name: str) -> _File:
        if name not in self._files:
            raise DiskError(f"there is no file {name} on the disk")
        return self._files[name]

    def _begin_call(self) -> bool:
        """Counts a writing call. Returns True if the power fails inside it."""
        self._refuse_in_the_dark()
        self.calls += 1
        return self.calls == self._cut_at

    def _go_dark(self) -> None:
        self.power_cut()
        raise PowerCut

    def _refuse_in_the_dark(self) -> None:
        if not self._is_on:
            raise PowerCut
