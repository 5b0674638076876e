"""A table in a temporary Debian, seen from outside: its service, its workbench and its journal."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

from felt.drivers.disk import FolderDisk
from felt.journal.reading import audit, read_records
from tests.real.debian_root import PATIENCE_S, DebianRoot

SUPERVISOR = "Ann"
BENCH = '\n[bench]\nsocket = "/run/felt/bench"\n'


class BoxedTable:
    def __init__(self, root: DebianRoot) -> None:
        self._root = root

    @property
    def is_active(self) -> bool:
        return self._root.run("systemctl", "is-active", "felt").stdout.strip() == "active"

    def version(self) -> str:
        return self._root.run("dpkg-query", "-W", "-f", "${Version} ${db:Status-Status}", "felt").stdout

    def open_round(self) -> int:
        with _Bench(self._root) as bench:
            if bench.where["phase"] == "CLOSED":
                bench.order("TableOpened", person=SUPERVISOR)
                bench.wait_for("IDLE")
            bench.wait_for_link()
            bench.press("open")
            bench.wait_for("BETTING")
            return int(bench.where["round"])

    def void_round(self) -> None:
        with _Bench(self._root) as bench:
            bench.order("VoidOrdered", person=SUPERVISOR, reason="the upgrade waits")
            bench.wait_for("VOIDING")
            bench.press("settle")
            bench.wait_for("IDLE")

    def phase(self) -> str:
        with _Bench(self._root) as bench:
            return str(bench.where["phase"])

    def eras(self) -> list[str]:
        """The firmware versions that kept this journal, in order. The whole chain is verified first."""
        disk = FolderDisk(self._root.path("/var/lib/felt/journal"), read_only=True)
        assert audit(disk).records > 0
        plain = [json.loads(record.payload) for record in read_records(disk)]
        return [fact["firmware"] for fact in plain if fact["is"] == "EraOpened"]

    def rounds_voided(self) -> int:
        disk = FolderDisk(self._root.path("/var/lib/felt/journal"), read_only=True)
        return sum(json.loads(record.payload)["is"] == "VoidOrdered" for record in read_records(disk))


class _Bench:
    def __init__(self, root: DebianRoot) -> None:
        self.where: dict[str, Any] = {}
        self._waiting = b""
        self._orders = 0
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._connection.settimeout(PATIENCE_S)
        self._connection.connect(str(root.path("/run/felt/bench")))

    def __enter__(self) -> _Bench:
        self._hear_until(lambda: bool(self.where))
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def order(self, kind: str, **fields: Any) -> None:
        self._orders += 1
        self._send(order=kind, fields=fields, id=self._orders)

    def press(self, key: str) -> None:
        self._send(drive=f"key.{key}", level=True)
        time.sleep(0.15)  # a hand stays on a key for longer than its contact takes to settle
        self._send(drive=f"key.{key}", level=False)

    def wait_for(self, phase: str) -> None:
        self._hear_until(lambda: self.where["phase"] == phase)

    def wait_for_link(self) -> None:
        self._hear_until(lambda: self.where["link"] == "UP")

    def _send(self, **words: Any) -> None:
        self._connection.sendall(json.dumps(words).encode() + b"\n")

    def _hear_until(self, truth: Any) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not truth():
            assert time.monotonic() < deadline, f"it did not happen: {self.where}"
            content = self._connection.recv(1 << 16)
            assert content, "the table has gone"
            *lines, self._waiting = (self._waiting + content).split(b"\n")
            for said in map(json.loads, lines):
                assert not said.get("refused"), said
                if "phase" in said:
                    self.where = said
