"""The shuffler's serial line through pyserial, opened by URL so that configuration alone can select `spy://`,
`socket://` or `loop://`. One thread reads and forwards bytes; the codec cuts frames. Another thread writes, so
nobody waits for a device that does not read. An unplugged cable is not an error here: the thread reopens the line
until it is back."""

from __future__ import annotations

import contextlib
import queue
import termios
import threading
import time
from collections.abc import Callable

import serial

# If a device is pulled during setup, pyserial raises termios.error, which is not an OSError.
LINE_FAILED = (OSError, termios.error)

OnBytes = Callable[[bytes, int], None]
OnState = Callable[[bool], None]

READ_TIMEOUT_S = 0.5  # longest sleep before the thread checks whether it should stop
WRITE_TIMEOUT_S = 0.25
RETRY_FIRST_S = 0.05
RETRY_MAX_S = 2.0
READ_BYTES_MAX = 4096
# The thread rests after each read, and longer while a flood comes in, so that a flood does not starve the table. Unread
# bytes wait in the line or are lost there.
REST_S, FLOODED_REST_S = 0.002, 0.1
FLOOD_BYTES, FLOOD_READS = 8192, 300  # within a second
UNSENT_MAX = 64  # queued messages; more are dropped
UNREAD_S = 2.0  # a device that has read nothing for this long counts as not reading
CLOSE_WAIT_S = 5.0
SILENT_S = 10.0  # a thread silent for this long counts as hung; opening a socket may take five seconds


class SerialLink:
    """Implements `ports.Link`. It starts disconnected and reports every change to `on_state`."""

    def __init__(self, url: str, baud: int = 115_200) -> None:
        self._url = url
        self._baud = baud
        self._port: serial.Serial | None = None
        self._unsent: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._refusing_s: float | None = None  # since when the device reads nothing
        self._stopping = threading.Event()
        self._problem: str | None = None
        self._reader: threading.Thread | None = None
        self._writer = threading.Thread(target=self._write_all, name="felt-serial-out", daemon=True)
        self._beat_s = time.monotonic()

    def start(self, on_bytes: OnBytes, on_state: OnState) -> None:
        self._reader = threading.Thread(
            target=self._run, args=(on_bytes, on_state), name="felt-serial", daemon=True
        )
        self._reader.start()
        self._writer.start()

    def send(self, data: bytes) -> None:
        if self._port is not None and self._unsent.qsize() < UNSENT_MAX:
            self._unsent.put(data)

    def unread(self) -> bool:
        return self._refusing_s is not None and time.monotonic() - self._refusing_s > UNREAD_S

    def alive(self) -> bool:
        """Whether both threads exist and the reader makes progress. A missing shuffler does not count as dead."""
        if self._reader is None or not self._reader.is_alive() or not self._writer.is_alive():
            return False
        return time.monotonic() - self._beat_s < SILENT_S

    def problem(self) -> str | None:
        """Why there is no connection, in one sentence; None while connected."""
        return self._problem

    def close(self) -> None:
        self._stopping.set()
        self._unsent.put(None)
        port = self._port
        if port is not None:
            # Not every port can be cancelled; the others notice within the read timeout.
            with contextlib.suppress(AttributeError, *LINE_FAILED):
                port.cancel_read()
        if self._reader is not None:
            self._reader.join(CLOSE_WAIT_S)
            self._writer.join(CLOSE_WAIT_S)

    # --- writing -------------------------------------------------------------------------------------

    def _write_all(self) -> None:
        while (data := self._unsent.get()) is not None and not self._stopping.is_set():
            port = self._port
            if port is None:
                self._refusing_s = None
                continue
            try:
                port.write(data)
                self._refusing_s = None
            except serial.SerialTimeoutException:
                # The owner of the codec repeats what the line refuses.
                self._refusing_s = self._refusing_s or time.monotonic()
            except Exception:  # noqa: BLE001 # pyserial raises many kinds of errors on a closing port
                self._refusing_s = None  # the reader notices a dead line

    # --- reading -------------------------------------------------------------------------------------

    def _run(self, on_bytes: OnBytes, on_state: OnState) -> None:
        retry_s = RETRY_FIRST_S
        while not self._stopping.is_set():
            self._beat_s = time.monotonic()
            port = self._open()
            if port is None:
                self._stopping.wait(retry_s)
                retry_s = min(2 * retry_s, RETRY_MAX_S)
                continue
            retry_s = RETRY_FIRST_S
            self._hold(port)
            on_state(True)
            try:
                self._read_until_lost(port, on_bytes)
            finally:
                self._let_go(port)
            if self._stopping.is_set():
                return  # we are closing, so there is nothing to report
            on_state(False)
            # A port that opens but fails at once must not be reopened in a tight loop.
            self._stopping.wait(retry_s)

    def _open(self) -> serial.Serial | None:
        try:
            return serial.serial_for_url(
                self._url, self._baud, timeout=READ_TIMEOUT_S, write_timeout=WRITE_TIMEOUT_S, exclusive=True
            )
        except (*LINE_FAILED, ValueError) as error:
            self._problem = f"the shuffler's line {self._url} cannot be opened: {error}"
            return None

    def _hold(self, port: serial.Serial) -> None:
        self._port = port
        self._refusing_s = None
        self._problem = None

    def _let_go(self, port: serial.Serial) -> None:
        self._port = None
        with contextlib.suppress(*LINE_FAILED):
            port.close()

    def _read_until_lost(self, port: serial.Serial, on_bytes: OnBytes) -> None:
        second_s, read_bytes, reads = time.monotonic(), 0, 0
        while not self._stopping.is_set():
            self._beat_s = time.monotonic()
            try:
                # `read(1)` sleeps until a byte arrives; asking for the waiting bytes never sleeps.
                data = port.read(min(port.in_waiting or 1, READ_BYTES_MAX))
            except LINE_FAILED as error:
                self._problem = f"the shuffler's line {self._url} was lost: {error}"
                return
            if not data:
                continue
            on_bytes(data, time.monotonic_ns())
            if self._beat_s - second_s >= 1:
                second_s, read_bytes, reads = self._beat_s, 0, 0
            read_bytes, reads = read_bytes + len(data), reads + 1
            flooded = read_bytes > FLOOD_BYTES or reads > FLOOD_READS
            self._stopping.wait(FLOODED_REST_S if flooded else REST_S)
