"""A program that a test starts, kills, stops and starts again. Its standard error is kept in a file."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE_S = 60.0
QUIET = subprocess.DEVNULL


class Child:
    def __init__(self, command: Sequence[str], stderr: Path, environment: Mapping[str, str]) -> None:
        self._command, self._stderr, self._environment = list(command), stderr, dict(environment)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, f"it does not run: {self.said()[-2000:]}"
        return self._process

    @property
    def runs(self) -> bool:
        """True after it was started and until somebody has seen it end."""
        return self._process is not None

    @property
    def has_ended(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    def start(self, *, forget_what_was_said: bool = False) -> None:
        assert self._process is None
        with self._stderr.open("wb" if forget_what_was_said else "ab") as stderr:
            self._process = subprocess.Popen(
                self._command, stdin=QUIET, stdout=QUIET, stderr=stderr, env=self._environment
            )

    def forget(self) -> None:
        """Forget a process that ended by itself."""
        assert self.has_ended
        self._process = None

    def kill(self) -> None:
        self.process.kill()
        status = self.process.wait(PATIENCE_S)
        assert status == -signal.SIGKILL, f"it had ended with {status}: {self.said()[-2000:]}"
        self._process = None

    def stop(self) -> int:
        self.process.terminate()
        status = self.process.wait(PATIENCE_S)
        self._process = None
        return status

    def close(self) -> None:
        """End it, whatever its state."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE_S)
            self._process = None

    def said(self) -> str:
        return self._stderr.read_text()
