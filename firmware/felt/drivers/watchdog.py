"""Tells systemd that the service is ready, alive or stopping. Without systemd it does nothing. The caller decides
when to pat."""

from __future__ import annotations

import contextlib
import os
import socket


class SystemdWatchdog:
    """Implements `ports.Watchdog` over the socket that systemd names in NOTIFY_SOCKET."""

    def __init__(self, address: str | None = None) -> None:
        given = os.environ.get("NOTIFY_SOCKET", "") if address is None else address
        self._socket: socket.socket | None = None
        if given:
            # A leading @ stands for the NUL byte of an abstract address.
            self._address = "\0" + given[1:] if given.startswith("@") else given
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.setblocking(False)

    def ready(self) -> None:
        self._say(b"READY=1")

    def pat(self) -> None:
        self._say(b"WATCHDOG=1")

    def stopping(self) -> None:
        self._say(b"STOPPING=1")

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _say(self, words: bytes) -> None:
        if self._socket is None:
            return
        # A missing listener is systemd's business: it acts on a missed pat by itself.
        with contextlib.suppress(OSError):
            self._socket.sendto(words, self._address)
