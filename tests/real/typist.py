"""Somebody at a console: a real `felt console` on a pseudo-terminal, typed at and read at a serial line's speed."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

from tests.real.killable import FIRMWARE

PATIENCE_S = 20.0
BITS_PER_CHARACTER = 10
PROMPT = re.compile(r"> $")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x07")


class Typist:
    def __init__(self, table_file: Path, *, terminal: str = "dumb", baud: int = 115200) -> None:
        self._master, slave = pty.openpty()
        os.set_blocking(self._master, False)
        self._rate = baud / BITS_PER_CHARACTER
        self._free_at = time.monotonic()  # when the line has carried what it was given
        path = os.pathsep.join(part for part in (str(FIRMWARE), os.environ.get("PYTHONPATH")) if part)

        # setsid makes it the console's own terminal, so that Ctrl-C and a pulled cable reach it as they do on a port.
        console = ("felt.cli", "console", "--config", str(table_file), "--baud", str(baud))
        self._process = subprocess.Popen(
            ["setsid", "-c", sys.executable, "-m", *console],
            stdin=slave, stdout=slave, stderr=slave,
            env={**os.environ, "PYTHONPATH": path, "TERM": terminal},
        )
        os.close(slave)
        self.seen = ""

    # --- the line ----------------------------------------------------------------------------------------

    def read(self, wait_s: float) -> str:
        """What came within the time, no faster than the line carries it."""
        ready, _, _ = select.select([self._master], [], [], wait_s)
        if not ready:
            return ""
        with contextlib.suppress(BlockingIOError, OSError):
            text = _ESCAPES.sub("", os.read(self._master, 512).decode("utf-8", "replace")).replace("\r\n", "\n")
            self._carry(len(text))
            self.seen += text
            return text
        return ""

    def pour(self, content: bytes) -> None:
        """As fast as the console takes it."""
        usual, self._rate = self._rate, 1e9
        self.send(content)
        self._rate = usual

    def send(self, content: bytes) -> None:
        """Type a line, or pour it in. The console's output is read meanwhile, as a terminal does."""
        until = time.monotonic() + PATIENCE_S
        while content and time.monotonic() < until:
            _, ready, _ = select.select([], [self._master], [], 0.05)
            with contextlib.suppress(BlockingIOError):
                sent = os.write(self._master, content[:256]) if ready else 0
                self._carry(sent)
                content = content[sent:]
            self.read(0)

    def _carry(self, characters: int) -> None:
        self._free_at = max(self._free_at, time.monotonic()) + characters / self._rate
        time.sleep(max(0.0, self._free_at - time.monotonic()))

    # --- a person ----------------------------------------------------------------------------------------

    def wait_for(self, wanted: str) -> str:
        """Read until the text is there. Returns everything since the last call."""
        until = time.monotonic() + PATIENCE_S
        while not re.search(wanted, self.seen):
            if time.monotonic() > until or (self._process.poll() is not None and not self.read(0.1)):
                raise AssertionError(f"{wanted!r} was not shown; the screen says:\n{self.seen[-3000:]}")
            self.read(0.1)
        shown, self.seen = self.seen, ""
        return shown

    def sign_in(self, name: str, pin: str) -> str:
        self.wait_for("name: $")
        self.send(f"{name}\n".encode())
        self.wait_for("PIN: $")
        self.send(f"{pin}\n".encode())
        return self.wait_for(rf"{name}[^\n]*> $")

    def do(self, command: str) -> str:
        self.send(f"{command}\n".encode())
        return self.wait_for("[A-Za-z*R]> $")

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def hang_up(self) -> None:
        """Pull the cable."""
        with contextlib.suppress(OSError):
            os.close(self._master)
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(PATIENCE_S)
            raise AssertionError("the console outlived its line") from None
