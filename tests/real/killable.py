"""A table controller as a process of its own, seen from outside: its workbench socket, its exit, and SIGKILL."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
PATIENCE_S = 30.0

Said = dict[str, Any]


class KillableTable:
    def __init__(self, table_file: Path, socket_path: Path) -> None:
        self._socket_path = socket_path
        self._stderr = table_file.with_suffix(".stderr")
        self._connection: socket.socket | None = None
        self._waiting = b""
        path = os.pathsep.join(part for part in (str(FIRMWARE), os.environ.get("PYTHONPATH")) if part)
        with self._stderr.open("ab") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "felt.cli", "run", "--config", str(table_file)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                env={**os.environ, "PYTHONPATH": path},
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def connected(self) -> bool:
        return self._connection is not None

    def connect(self) -> None:
        """Try once. A socket that a killed table left behind refuses; the new table replaces it."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(self._socket_path))
        except OSError:
            connection.close()
        else:
            self._connection = connection

    def send(self, **request: Any) -> None:
        assert self._connection is not None
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._connection.sendall(json.dumps(request).encode() + b"\n")

    def hear(self, wait_s: float) -> list[Said]:
        """What the table has said by now. Waits at most that long for something."""
        self._refuse_unasked_end()
        if self._connection is None:
            time.sleep(min(wait_s, 0.002))
            self.connect()
            return []
        ready, _, _ = select.select([self._connection], [], [], wait_s)
        return self._read() if ready else []

    def kill(self) -> list[Said]:
        """Cut the power of the process. What it said before is still heard to the last byte."""
        self._process.send_signal(signal.SIGKILL)
        assert self._process.wait(PATIENCE_S) == -signal.SIGKILL
        return self._to_the_end()

    def stop(self) -> tuple[int, list[Said]]:
        """Stop it in good order."""
        self._process.terminate()
        said = self._to_the_end()
        return self._process.wait(PATIENCE_S), said

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(PATIENCE_S)
        if self._connection is not None:
            self._connection.close()

    def _to_the_end(self) -> list[Said]:
        said: list[Said] = []
        if self._connection is not None:
            self._connection.settimeout(PATIENCE_S)
            while (heard := self._read()) or self._connection is not None:
                said += heard
        return said

    def _read(self) -> list[Said]:
        assert self._connection is not None
        try:
            content = self._connection.recv(1 << 20)
        except ConnectionResetError:
            content = b""
        if not content:
            self._connection.close()
            self._connection = None
            return []
        # A line that a kill cut short was not said.
        *lines, self._waiting = (self._waiting + content).split(b"\n")
        return [json.loads(line) for line in lines]

    def _refuse_unasked_end(self) -> None:
        if self._process.poll() is not None:
            text = self._stderr.read_text()[-2000:]
            raise AssertionError(f"the table ended by itself with {self._process.returncode}: {text}")
