"""An emulated device on a real pseudo-terminal that any serial program can open."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
import tty
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from felt.nouns.cards import Card
from felt.nouns.stamps import NS_PER_S
from felt.virtual.shuffler.deck import Misbehaviour, SimulatedDevice

T = TypeVar("T")


class PtyShuffler:
    """Open `path` with any serial program. `plug` and `unplug` act like a cable for the program at the other end.
    `link` is an optional name that stays the same."""

    def __init__(self, device: SimulatedDevice, link: Path | None = None) -> None:
        self._device = device
        self._link = link
        self._lock = threading.Lock()
        self._wake_read, self._wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._path = ""

    @property
    def path(self) -> str:
        return str(self._link) if self._link is not None else self._path

    def plug(self) -> None:
        assert self._thread is None, "the cable is already plugged in"
        master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self._path = os.ttyname(slave)
        if self._link is not None:
            self._link.unlink(missing_ok=True)
            self._link.symlink_to(self._path)
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, args=(master, slave), name="felt-shuffler", daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        if self._thread is None:
            return
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        self._stopping.set()
        self._wake()
        self._thread.join()
        self._thread = None

    def close(self) -> None:
        self.unplug()
        os.close(self._wake_read)
        os.close(self._wake_write)

    @property
    def plugged(self) -> bool:
        return self._thread is not None

    def dispense(self, sets: int, cards_each: int, *, goes_on: bool = False) -> tuple[tuple[Card, ...], ...]:
        return self.ask(lambda device: device.dispense(sets, cards_each, goes_on=goes_on))

    def misbehave(self, misdeed: Misbehaviour) -> None:
        self.ask(lambda device: device.misbehave(misdeed))

    def quiet(self) -> bool:
        with self._lock:
            return self._device.quiet()

    def ask(self, what: Callable[[SimulatedDevice], T]) -> T:
        """Calls `what` with the device in the device's own thread, between two of its actions."""
        with self._lock:
            answer = what(self._device)
        self._wake()
        return answer

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._wake_write, b"!")

    def _run(self, master: int, slave: int) -> None:
        # Keep the slave end open here too, so that a program may come and go without an end of file.
        try:
            while not self._stopping.is_set():
                with self._lock:
                    data = self._device.tick(time.monotonic_ns())
                    wait_s = max(0, self._device.next_due_ns() - time.monotonic_ns()) / NS_PER_S
                # With nobody reading, the line fills up; excess bytes are lost, as on a real line.
                with contextlib.suppress(BlockingIOError):
                    os.write(master, data)
                ready, _, _ = select.select([master, self._wake_read], [], [], wait_s)
                self._take_in(master, ready)
        finally:
            os.close(master)
            os.close(slave)

    def _take_in(self, master: int, ready: Sequence[int]) -> None:
        if self._wake_read in ready:
            os.read(self._wake_read, 4096)
        if master in ready:
            data = os.read(master, 4096)
            with self._lock:
                self._device.receive(data)
