"""Several tables, one jackpot controller and its broker on one host, each a process of its own, and the pages of each
table. The sign of every table shows the jackpots of all of them."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from felt.demo.pages import LOG, POWER_BACK_S, Child, log_in, offered_people, open_page, panel_secret, running
from felt.nouns.values import Value


class DemoTable(Value):
    name: str
    file: Path
    desk: Path


class Linked(Value):
    """What `felt demo --tables` starts."""

    broker: tuple[str, ...]
    controller: Path
    tables: tuple[DemoTable, ...]


def play_linked(linked: Linked, folder: Path, say: Callable[[str], None]) -> int:
    """Until somebody presses Ctrl-C, or a part of it ends that nobody has cut off."""
    with contextlib.ExitStack() as opening:
        log = opening.enter_context(log_in(folder))
        opening.enter_context(running(["--", *linked.broker], log))
        controller = opening.enter_context(running(["jackpot", "--config", str(linked.controller)], log))
        tables = [
            opening.enter_context(running(["run", "--config", str(linked_table.file)], log))
            for linked_table in linked.tables
        ]
        pages = [
            opening.enter_context(running(_screens(linked_table, linked), subprocess.PIPE))
            for linked_table in linked.tables
        ]
        for table, child in zip(linked.tables, pages, strict=True):
            _say_addresses(table, child, panel_secret(folder), say)
        say("Ctrl-C ends the evening")
        return _watch(controller, tables, pages, folder / LOG)


def _screens(table: DemoTable, linked: Linked) -> list[str]:
    others = [word for other in linked.tables if other is not table for word in ("--beside", str(other.desk))]
    return ["screens", "--config", str(table.file), *others, *offered_people()]


def _say_addresses(table: DemoTable, pages: Child, secret: str, say: Callable[[str], None]) -> None:
    assert pages.process.stdout is not None
    for line in pages.process.stdout:  # two addresses, and then nothing until it ends
        sentence = line.decode().strip().removeprefix("felt screens: ")
        say(f"{table.name}: {sentence}")
        if sentence.startswith("pages"):
            address = sentence.rpartition(" ")[2]
            say(f"{table.name}: the dealer's screen is at {address.rpartition('/')[0]}/dealer#panel={secret}")
            open_page(address)
            return


def _watch(controller: Child, tables: list[Child], pages: list[Child], log: Path) -> int:
    while all(child.process.poll() is None for child in pages):
        for name, child in (("the jackpot controller", controller), *(("a table", table) for table in tables)):
            status = child.process.poll()
            if status is not None and status >= 0:
                print(f"felt demo: {name} ended: see {log}", file=sys.stderr)
                return 1
            if status is not None:  # its power was cut
                time.sleep(POWER_BACK_S)
                child.start()
        time.sleep(0.2)
    return 1
