"""A real Mosquitto for one test, on a free loopback port. It can be killed and started again. On a host without the
program the tests that need it fail with a sentence."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path

PATIENCE_S = 10.0
MISSING = "mosquitto is not installed: run tools/test where it may install packages, or 'sudo apt install mosquitto'"
PLAIN = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
max_inflight_messages 0
persistence false
log_type error
log_type warning
"""


def program() -> str:
    """Debian keeps it outside an ordinary user's path."""
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    assert found, MISSING
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """`configuration` may name {port}. By default anybody on this host may publish anything."""

    def __init__(self, folder: Path, configuration: str = PLAIN) -> None:
        self._program = program()
        self._file = folder / "mosquitto.conf"
        self._log = folder / "mosquitto.log"
        self.port = free_port()
        self._file.write_text(configuration.format(port=self.port))
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        assert self._process is None
        with self._log.open("ab") as log:
            # As root it would become another user, who may not read a test's own folder.
            command = [self._program, "-c", str(self._file)]
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE_S
        while not self._listens():
            assert self._process.poll() is None, f"mosquitto ended: {self._log.read_text()}"
            assert time.monotonic() < deadline, f"mosquitto does not listen: {self._log.read_text()}"
            time.sleep(0.01)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait(PATIENCE_S)
        self._process = None

    def close(self) -> None:
        if self._process is not None:
            self.kill()

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
