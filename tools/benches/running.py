"""`felt run` as its own process, on mock pins and a serial line: how long until it is ready, and how much memory it
holds when idle, beside an interpreter that has only imported the libraries below it."""

from __future__ import annotations

import compileall
import contextlib
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from felt.evidence.signing import write_new_key
from felt.virtual.shuffler import PtyShuffler, ShufflerDevice
from tools.benches.figure import Bar, Figure, cost

ROOT = Path(__file__).resolve().parents[2]
IDLE_S = 2.0
PATIENCE_S = 30.0
MIB = 1024
IMPORTS = "gpiozero, serial, transitions"
BARE = f"import os, {IMPORTS}; os.write(1, b'.'); os.read(0, 1)"
FELT = "import sys; from felt.cli import main; sys.exit(main())"  # as the installed command does
TABLE = """
[table]
seats = 3
[board]
kind = "mock"
profile = "{profile}"
sensed = ["ante", "progressive"]
[shuffler]
url = "{url}"
"""


def figures(folder: Path, starts: int) -> list[Figure]:
    with contextlib.ExitStack() as closing:
        shuffler = PtyShuffler(ShufflerDevice(random.Random(1)), folder / "shuffler")
        closing.callback(shuffler.close)
        shuffler.plug()
        table_file = folder / "table.toml"
        profile = ROOT / "hw" / "boards" / "three-seat-header.toml"
        table_file.write_text(TABLE.format(profile=profile, url=shuffler.path))
        # An installed package brings its compiled modules; compile here what a first import would.
        compileall.compile_dir(ROOT / "firmware" / "felt", quiet=2)
        _start_table(folder, table_file)
        pairs = [(_start_table(folder, table_file), _start_bare()) for _ in range(starts)]
        ready_ms = statistics.median(table for table, _ in pairs)
        bare_ms = statistics.median(bare for _, bare in pairs)
        idle, bare_rss = _table_memory(folder, table_file), _bare_memory()
        signed = _table_memory(folder, _signed(folder / "signed", table_file))
    return [
        cost("start to ready", ready_ms, "ms", f"import {IMPORTS}", bare_ms, Bar(4, at_most=True)),
        cost("idle memory", idle, "MiB", f"import {IMPORTS}", bare_rss, Bar(45, at_most=True, of_value=True)),
        cost("idle memory with a signing key", signed, "MiB", "idle memory without", idle),
    ]


@contextlib.contextmanager
def _table(folder: Path, table_file: Path) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """A running table, and the milliseconds until it told systemd, or its stand-in, that it is ready."""
    address = folder / "notify"
    address.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(address))
        listener.settimeout(PATIENCE_S)
        command = [sys.executable, "-c", FELT, "run", "--config", str(table_file)]
        environment = {**os.environ, "NOTIFY_SOCKET": str(address), "PYTHONPATH": str(ROOT / "firmware")}
        begun = time.perf_counter()
        process = subprocess.Popen(command, env=environment)
        try:
            while listener.recv(4096) != b"READY=1":
                pass
            yield process, 1000 * (time.perf_counter() - begun)
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def _signed(folder: Path, table_file: Path) -> Path:
    """The same table with a journal and a key of its own, which needs the package cryptography."""
    folder.mkdir()
    write_new_key(folder / "journal.key")
    signed = folder / "table.toml"
    signed.write_text(f'{table_file.read_text()}[journal]\nkey = "journal.key"\n')
    return signed


def _start_table(folder: Path, table_file: Path) -> float:
    with _table(folder, table_file) as (_, ready_ms):
        return ready_ms


def _table_memory(folder: Path, table_file: Path) -> float:
    with _table(folder, table_file) as (process, _):
        time.sleep(IDLE_S)
        return _resident_mib(process.pid)


@contextlib.contextmanager
def _bare() -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", BARE], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.read(1)
    yield process, 1000 * (time.perf_counter() - begun)
    process.stdin.close()
    process.stdout.close()
    process.wait(PATIENCE_S)


def _start_bare() -> float:
    with _bare() as (_, ready_ms):
        return ready_ms


def _bare_memory() -> float:
    with _bare() as (process, _):
        return _resident_mib(process.pid)


def _resident_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / MIB
