"""Clients and consoles that misbehave: they guess PINs, send noise and endless lines, and vanish in the middle of a
command."""


from __future__ import annotations

import contextlib
import json
import random
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tests.real.console_house import PINS
from tests.real.typist import Typist


@contextlib.contextmanager
def madness(folder: Path) -> Iterator[list[str]]:
    """All of them at once, at the desk's socket and at two consoles, until the context ends. Yields the list of what
    must not happen."""
    stop, troubles = threading.Event(), list[str]()
    noisy = [Typist(folder / "table.toml", terminal=terminal) for terminal in ("dumb", "vt100")]
    mad = [threading.Thread(target=act, args=(folder / "desk", stop, troubles)) for act in (_guess, _pour, _vanish)]
    mad.append(threading.Thread(target=_pour_into, args=(noisy, stop)))
    for client in mad:
        client.start()
    try:
        yield troubles
    finally:
        stop.set()
        for client in mad:
            client.join(30)
        for typist in noisy:
            typist.hang_up()


def _connected(path: Path) -> socket.socket | None:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.settimeout(5)
    try:
        line.connect(str(path))
    except OSError:
        line.close()
        time.sleep(0.01)  # the table is restarting
        return None
    return line


def _guess(path: Path, stop: threading.Event, troubles: list[str]) -> None:
    pin = 0
    while not stop.is_set():
        line = _connected(path)
        if line is None:
            continue
        with line, contextlib.suppress(OSError):
            for _ in range(5):
                pin += 1
                line.sendall(json.dumps({"felt": 1, "id": pin, "login": "Sam", "pin": f"{pin:04}"}).encode() + b"\n")
                if b'"answer"' in line.recv(65536) and f"{pin:04}" != PINS["Sam"]:
                    troubles.append(f"{pin:04} let somebody in")


def _pour(path: Path, stop: threading.Event, _: list[str]) -> None:
    chance = random.Random(3)
    while not stop.is_set():
        line = _connected(path)
        if line is not None:
            with line, contextlib.suppress(OSError):
                line.sendall(chance.choice((b"x" * 1_000_000, chance.randbytes(5000) + b"\n", b"\x00\x1b[2J\n" * 500)))


def _vanish(path: Path, stop: threading.Event, _: list[str]) -> None:
    while not stop.is_set():
        line = _connected(path)
        if line is not None:
            with line, contextlib.suppress(OSError):
                line.sendall(b'{"felt":1,"id":1,"ask":"status"}\n{"felt":1,"id":2,"or')


def _pour_into(noisy: list[Typist], stop: threading.Event) -> None:
    chance = random.Random(4)
    while not stop.is_set():
        for typist in noisy:
            noise = (chance.randbytes(300), b"y" * 3000 + b"\n", b"Sam\n9999\n", b"\x03\x04\x1c\x1a\n")
            with contextlib.suppress(OSError):
                typist.send(chance.choice(noise))
