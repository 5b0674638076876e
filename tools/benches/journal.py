"""What the journal costs: a durable turn beside the same bytes written and synced by hand, in one folder; and
the reading, verifying and decoding of one record.

    python tools/benches/journal.py [FOLDER]
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from felt.drivers.disk import FolderDisk
from felt.journal import open_journal, replay
from felt.virtual.disk import ForgetfulDisk

HEADER = '{"firmware":"bench","nonce":"bench"}'
DIGEST = "0123456789abcdef" * 4
SEGMENT = "journal-00000001.felt"


class TurnCost(NamedTuple):
    raw_us: float  # median of one append and fdatasync
    turn_us: float  # median of one durable turn of the same size
    rate_ratio: float  # durable turns per second, as a part of raw ones


class ReplayCost(NamedTuple):
    records: int
    open_us: float  # read, verify and keep, per record
    decode_us: float  # decode and compare at turn ends, per record

    @property
    def total_us(self) -> float:
        return self.open_us + self.decode_us


def payload(number: int) -> str:
    fact = {
        "is": "ChipSeen",
        "at": ["5f1c7a52", 81_234_567_890 + number, 1_700_000_000_000_000_000 + number],
        "spot": "3.progressive",
        "edge": "first",
        "round": number // 40,
    }
    return json.dumps(fact, separators=(",", ":"))


def median_us(calls: Iterable[Callable[[], object]]) -> float:
    spent = []
    for call in calls:
        before = time.perf_counter_ns()
        call()
        spent.append(time.perf_counter_ns() - before)
    return statistics.median(spent) / 1000


def durable_turn(folder: Path, turns: int = 400, facts_per_turn: int = 1, blocks: int = 20) -> TurnCost:
    """An ordinary turn is one fact. Both ways alternate in short blocks, so that a slow disk slows both alike."""
    facts = [payload(number) for number in range(facts_per_turn)]
    disk = FolderDisk(folder / "journal")
    store = open_journal(disk, HEADER).store
    before = len(disk.read(SEGMENT))
    store.append_turn(facts, DIGEST)
    content = disk.read(SEGMENT)[before:]
    raw = os.open(folder / "raw", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write_raw() -> None:
        os.write(raw, content)
        os.fdatasync(raw)

    def write_turn() -> None:
        store.append_turn(facts, DIGEST)

    raw_us, turn_us = [], []
    for _ in range(blocks):
        raw_us.append(median_us([write_raw] * (turns // blocks)))
        turn_us.append(median_us([write_turn] * (turns // blocks)))
    os.close(raw)
    disk.close()
    raw_median, turn_median = statistics.median(raw_us), statistics.median(turn_us)
    return TurnCost(raw_median, turn_median, raw_median / turn_median)


def replay_cost(records: int = 20_000, facts_per_turn: int = 4) -> ReplayCost:
    """From bytes in memory to decoded facts; the table itself costs nothing here."""
    disk = ForgetfulDisk()
    store = open_journal(disk, HEADER).store
    for first in range(0, records, facts_per_turn):
        store.append_turn([payload(first + place) for place in range(facts_per_turn)], DIGEST)
        if store.wants_rotation:
            store.rotate(HEADER)
    open_us, decode_us = [], []
    for _ in range(3):
        before = time.perf_counter_ns()
        opened = open_journal(disk, HEADER)
        between = time.perf_counter_ns()
        replay(opened.records, 0, lambda table, fact: table, lambda table: DIGEST, json.loads)
        open_us.append((between - before) / 1000 / records)
        decode_us.append((time.perf_counter_ns() - between) / 1000 / records)
    return ReplayCost(records, min(open_us), min(decode_us))


def main() -> None:
    folder = Path(tempfile.mkdtemp(dir=sys.argv[1] if len(sys.argv) > 1 else "."))
    try:
        turn = durable_turn(folder)
    finally:
        shutil.rmtree(folder)
    cost = replay_cost()
    print(f"durable turn      {turn.turn_us:8.1f} us, raw append + fdatasync {turn.raw_us:.1f} us")
    print(f"of the raw rate   {turn.rate_ratio:8.2f}")
    print(f"record, opening   {cost.open_us:8.1f} us, decoding {cost.decode_us:.1f} us, both {cost.total_us:.1f} us")


if __name__ == "__main__":
    main()
