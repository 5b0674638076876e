"""Runs in the machine, with the table stopped: are edges lost, and whose are the stamps? The product's own board and
profile listen; another process moves the contacts. edges_inside.py PROFILE EDGES EVERY_MS LINES"""

from __future__ import annotations

import json
import os
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

from felt.config.boards import find_profile, load_profile
from felt.config.settings import BoardKind
from felt.drivers import line_requests
from felt.drivers.chips import find_chip
from felt.wiring.devices import gpio_board

MOVE = """
import json, os, sys, time
spec = json.load(sys.stdin)
files = [os.open(path, os.O_WRONLY) for path in spec["files"]]
moved, due = [], time.monotonic()
for number in range(spec["edges"]):
    place, level = number % len(files), number // len(files) % 2
    before = time.monotonic_ns()
    os.pwrite(files[place], b"pull-down" if level == 0 else b"pull-up", 0)
    moved.append((place, level == 0, before, time.monotonic_ns()))
    due += spec["every_s"]
    time.sleep(max(0, due - time.monotonic()))
json.dump(moved, sys.stdout)
"""
ARRIVED_S = 3.0


def main() -> None:
    name, edges, every_ms, lines = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    profile = load_profile(find_profile(name, Path()))
    chosen = [line for line in profile.input if line.active.value == "low"][:lines]
    devices = Path("/sys/bus/gpio/devices")
    files = [devices / f"gpiochip{find_chip(line.chip).number}" / f"sim_gpio{line.line}/pull" for line in chosen]
    for file in files:
        file.write_text("pull-up")
    board = gpio_board(BoardKind.GPIOCHIP, profile)
    heard: list[tuple[str, bool, int, int]] = []
    told = _count_what_the_kernel_tells()
    board.start(lambda line, level, ns: heard.append((line, level, ns, time.monotonic_ns())))
    spec = json.dumps({"files": [str(file) for file in files], "edges": edges, "every_s": every_ms / 1000})
    done = subprocess.run([sys.executable, "-I", "-c", MOVE], input=spec, capture_output=True, text=True, check=True)
    moved = json.loads(done.stdout)
    time.sleep(ARRIVED_S)
    cpu_s = time.process_time()
    board.close()
    late_ms, callback_ms = [], []
    lost = out_of_order = early = 0
    for place, line in enumerate(chosen):
        driven = [(down, before, after) for where, down, before, after in moved if where == place]
        mine = [(level, ns, arrived) for at, level, ns, arrived in heard if at == line.name]
        lost += len(driven) - len(mine)
        for (down, before, after), (level, ns, arrived) in zip(driven, mine, strict=False):
            out_of_order += level is not down
            early += ns < before
            late_ms.append((ns - after) / 1e6)
            callback_ms.append((arrived - ns) / 1e6)
    print(
        json.dumps({
            "driven": len(moved),
            "told_by_the_kernel": sum(told.values()),
            "heard": len(heard),
            "lost": lost,
            "out_of_order": out_of_order,
            "stamped_before_the_write": early,
            "stamped_long_after_ms_max": round(max(late_ms), 3),
            "callback_ms_median": round(statistics.median(callback_ms), 3),
            "callback_ms_worst": round(max(callback_ms), 3),
            "cpu_s": round(cpu_s, 2),
            "seconds": round((moved[-1][3] - moved[0][2]) / 1e9, 1),
        })
    )


def _count_what_the_kernel_tells() -> dict[int, int]:
    """By line: the kernel numbers the edges that it stamps. Where it stamped fewer than were driven, its simulated
    interrupts ran together, because the emulated processor had no time for them."""
    numbers: dict[int, int] = {}
    read = os.read

    def reading(request: int, size: int) -> bytes:
        content = read(request, size)
        if size == line_requests.EVENT_BYTES * line_requests.EVENTS_AT_ONCE:
            for place in range(0, len(content), line_requests.EVENT_BYTES):
                _, _, line, _, number = struct.unpack_from("=QIIII", content, place)
                numbers[line] = number
        return content

    os.read = reading
    return numbers


main()
