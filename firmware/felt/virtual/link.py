"""The shuffler's line in memory: the simulator decides when a device's bytes arrive. It has no thread and no clock."""

from __future__ import annotations

from collections.abc import Callable

from felt.virtual.shuffler import ShufflerDevice

OnBytes = Callable[[bytes, int], None]
OnState = Callable[[bool], None]


class VirtualLink:
    """Implements `ports.Link`."""

    def __init__(self, device: ShufflerDevice, *, plugged: bool = True) -> None:
        self.device = device
        self._on_bytes: OnBytes | None = None
        self._on_state: OnState | None = None
        self.plugged = plugged
        self._connected = False
        self.deaf = False  # the device reads nothing

    def start(self, on_bytes: OnBytes, on_state: OnState) -> None:
        self._on_bytes = on_bytes
        self._on_state = on_state
        self._tell_state()

    def send(self, data: bytes) -> None:
        if self._connected and not self.deaf:
            self.device.receive(data)

    def unread(self) -> bool:
        return self.deaf

    def alive(self) -> bool:
        return self._on_bytes is not None

    def close(self) -> None:
        self._on_bytes = self._on_state = None
        self._connected = False

    def deliver(self, now_ns: int) -> None:
        """Lets the device send what is due by now. If unplugged, its bytes are lost."""
        data = self.device.tick(now_ns)
        if data and self._connected and self._on_bytes is not None:
            self._on_bytes(data, now_ns)

    def next_due_ns(self) -> int:
        return self.device.next_due_ns()

    def unplug(self) -> None:
        self.plugged = False
        self._tell_state()

    def plug(self) -> None:
        self.plugged = True
        self._tell_state()

    def _tell_state(self) -> None:
        if self._on_state is not None and self._connected != self.plugged:
            self._connected = self.plugged
            self._on_state(self._connected)
