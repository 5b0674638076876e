"""A temporary PostgreSQL server with its folder and its socket in it: started, used, stopped."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

USER = "felt"
STOP_S = 20
_FOLDERS = ("/usr/lib/postgresql", "/usr/local/pgsql/bin", "/usr/local/bin", "/opt/homebrew/bin")


def program(name: str) -> str | None:
    """The newest of PostgreSQL's programs of that name, or None where it is not installed."""
    found = shutil.which(name)
    if found:
        return found
    for folder in _FOLDERS:
        versions = sorted(Path(folder).glob(f"*/bin/{name}")) or sorted(Path(folder).glob(name))
        if versions:
            return str(versions[-1])
    return None


def is_installed() -> bool:
    return program("initdb") is not None and program("postgres") is not None


@dataclass
class Server:
    folder: Path
    _made: int = field(default=0)

    def address(self, database: str) -> str:
        return f"postgresql://{USER}@/{database}?host={self.folder}"

    def new_database(self, encoding: str = "") -> str:
        """The address of an empty database, in the server's own encoding or another."""
        import psycopg

        self._made += 1
        name = f"ledger_{self._made}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            of_its_own = f" ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'" if encoding else ""
            connection.execute(f"CREATE DATABASE {name}{of_its_own}".encode())
        return self.address(name)


@contextmanager
def running(durable: bool = False) -> Iterator[Server]:
    """A server for as long as the context lasts. `durable`: it waits for the disk, as a bench must."""
    initdb, postgres = program("initdb"), program("postgres")
    if initdb is None or postgres is None:
        raise RuntimeError("PostgreSQL is not installed: ask is_installed() first")
    with tempfile.TemporaryDirectory(prefix="felt-postgres-") as name:
        folder = Path(name)
        as_whom = _unprivileged(folder)
        others: list[int] | None = None if as_whom is None else []
        cluster = str(folder / "cluster")
        make = [initdb, "-D", cluster, "-A", "trust", "-U", USER, "-k", "--no-sync"]
        quiet = subprocess.DEVNULL
        subprocess.run(make, check=True, stdout=quiet, cwd=name, user=as_whom, group=as_whom, extra_groups=others)
        options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={name}", "-c", "shared_buffers=16MB"]
        if not durable:
            options += ["-c", "fsync=off"]
        log = (folder / "log").open("wb")
        serve = [postgres, "-D", cluster, *options]
        server = subprocess.Popen(serve, stderr=log, cwd=name, user=as_whom, group=as_whom, extra_groups=others)
        try:
            _wait_until_ready(server, folder)
            yield Server(folder)
        finally:
            server.send_signal(signal.SIGINT)  # a fast shutdown: it does not wait for clients
            server.wait(STOP_S)
            log.close()


def _unprivileged(folder: Path) -> int | None:
    """PostgreSQL refuses to run as the superuser, so it runs as nobody, who receives the folder."""
    if os.geteuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return nobody.pw_uid


def _wait_until_ready(server: subprocess.Popen[bytes], folder: Path) -> None:
    import psycopg

    address = Server(folder).address("postgres")
    for _ in range(2_000):
        if server.poll() is not None:
            raise RuntimeError(f"PostgreSQL ended with {server.returncode}: {(folder / 'log').read_text()}")
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            # Waits for a process to come up; nothing else tells when it has.
            try:
                server.wait(0.01)
            except subprocess.TimeoutExpired:
                continue
        else:
            return
    raise RuntimeError("PostgreSQL did not come up")
