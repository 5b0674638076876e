"""A whole durable turn, stepped, checked, digested, encoded, appended and synced, beside the same bytes appended and
synced directly in the same folder."""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

from felt.drivers.disk import FolderDisk
from felt.journal import open_journal
from felt.loop.turn import Turn
from felt.table.machine import Stepper
from felt.table.state import Table
from tools.benches.evening import Recorded
from tools.benches.figure import Bar, Figure, rate

BLOCK = 10  # turns of one kind before the other kind: a slow disk slows both alike


def figures(recorded: Recorded, folder: Path, turns: int) -> list[Figure]:
    disk = FolderDisk(folder / "journal")
    turn = Turn(Stepper(), open_journal(disk, '{"firmware":"bench"}').store, Table())
    segment = folder / "journal" / disk.names()[0]
    raw = os.open(folder / "raw", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    turn_us: list[float] = []
    raw_us: list[float] = []
    given = recorded.facts[:turns]
    for first in range(0, len(given), BLOCK):
        written = []
        for fact in given[first : first + BLOCK]:
            before = segment.stat().st_size
            begun = time.perf_counter_ns()
            turn.take([fact])
            turn_us.append((time.perf_counter_ns() - begun) / 1000)
            written.append((before, segment.stat().st_size))
        content = segment.read_bytes()
        for begin, end in written:
            begun = time.perf_counter_ns()
            os.write(raw, content[begin:end])
            os.fdatasync(raw)
            raw_us.append((time.perf_counter_ns() - begun) / 1000)
    os.close(raw)
    disk.close()
    measured, reference = statistics.median(turn_us), statistics.median(raw_us)
    return [rate("durable turn", measured, "µs", "append + fdatasync", reference, Bar(0.6, at_most=False))]
