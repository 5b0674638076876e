"""A PostgreSQL server that dies by SIGKILL or by an immediate shutdown, and starts again from its log."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.real import postgres

PATIENCE_S = 30.0
MISSING = "PostgreSQL is not installed: ask postgres.is_installed() first"
QUIET = subprocess.DEVNULL


def _program(name: str) -> str:
    found = postgres.program(name)
    assert found is not None, MISSING
    return found


class MortalPostgres:
    """A server in its own folder, with its socket in it: with an empty database, or as the replica of another
    server."""

    def __init__(self, folder: Path, replica_of: Path | None = None) -> None:
        self.folder = folder
        self._as_whom = postgres._unprivileged(folder)
        cluster = str(folder / "cluster")
        if replica_of is None:
            make = [_program("initdb"), "-D", cluster, "-A", "trust", "-U", postgres.USER, "-k", "--no-sync"]
        else:
            # It also writes down that this is a standby, and which server it follows.
            copy = ["-h", str(replica_of), "-U", postgres.USER, "-D", cluster]
            make = [_program("pg_basebackup"), *copy, "-R", "-c", "fast", "-X", "stream", "--no-sync"]
        assert self._run(make).wait(PATIENCE_S) == 0, (folder / "log").read_text()[-2000:]
        options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", "-c", "shared_buffers=32MB"]
        self._serve = [_program("postgres"), "-D", cluster, *options]
        self._process: subprocess.Popen[bytes] | None = None
        self.start()
        self.address = "" if replica_of else postgres.Server(folder).new_database()

    def start(self) -> None:
        """What a killed server left behind disappears soon by itself. Until then a new server refuses to start."""
        assert self._process is None
        deadline = time.monotonic() + PATIENCE_S
        while True:
            self._process = self._run(self._serve)
            try:
                postgres._wait_until_ready(self._process, self.folder)
                return
            except RuntimeError:
                self._end(signal.SIGQUIT)
                assert time.monotonic() < deadline, (self.folder / "log").read_text()[-2000:]

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def shut_down_immediately(self) -> None:
        """Like `pg_ctl stop -m immediate`: no checkpoint, no farewell."""
        self._end(signal.SIGQUIT)

    def close(self) -> None:
        if self._process is not None:
            self._end(signal.SIGINT)

    def _end(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(PATIENCE_S)
        self._process = None

    def _run(self, command: list[str]) -> subprocess.Popen[bytes]:
        others: list[int] | None = None if self._as_whom is None else []
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                command, stdin=QUIET, stdout=QUIET, stderr=log, cwd=self.folder,
                user=self._as_whom, group=self._as_whom, extra_groups=others,
            )  # fmt: skip


@contextmanager
def mortal_postgres(replica_of: Path | None = None) -> Iterator[MortalPostgres]:
    with tempfile.TemporaryDirectory(prefix="felt-postgres-") as name:
        server = MortalPostgres(Path(name), replica_of)
        try:
            yield server
        finally:
            server.close()
