"""Whatever becomes of the screens' process, the table plays its rounds as fast as without it: while the process is
stopped, while 10,000 connections come, while pages leave unread what they are told, and after it was killed."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.real.console_house import PINS, House, list_people
from tests.screens.browsers import Screens

HELD_MAX = 400  # connections that one flood keeps open at a time
MORE_S = 1.0  # a round takes less than that longer; other work of the machine is in it
ASK = "GET {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{more}\r\n"
UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
KEY = "dGhlIHNhbXBsZSBub25jZQ=="  # the example of RFC 6455


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    list_people(tmp_path, PINS)
    house = House(tmp_path, more="[screens]\nport = 18780\nsign_port = 18790\n")
    house.open()
    yield house
    house.close()


class Flood:
    """Connects to the sign again and again until it is closed, and reads nothing of what it asks for."""

    def __init__(self, sign: str, wanted: int) -> None:
        self._host = urlsplit(sign).netloc
        self._wanted = wanted
        self._ends = threading.Event()
        self.made = 0
        self._thread = threading.Thread(target=self._run, name="flood", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        held: list[socket.socket] = []
        address = (self._host.partition(":")[0], int(self._host.partition(":")[2]))
        request = ASK.format(path="/live/sign", host=self._host, more=UPGRADE.format(key=KEY)).encode()
        with contextlib.ExitStack() as closing:
            while self.made < self._wanted and not self._ends.is_set():
                connection = socket.socket()
                closing.callback(connection.close)
                connection.settimeout(0.5)
                with contextlib.suppress(OSError):
                    connection.connect(address)
                    connection.sendall(request)
                    held.append(connection)
                self.made += 1
                if len(held) > HELD_MAX:
                    held.pop(0).close()

    def close(self) -> None:
        self._ends.set()
        self._thread.join(30)


def timed(work: Callable[[], None]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def test_no_round_is_delayed_by_screens_that_hang_are_flooded_or_die(house: House, full: bool) -> None:
    def play() -> float:
        return min(timed(lambda: house.play_a_round(1, 2)) for _ in range(3 if full else 2))

    play()  # the shuffler's first deck is ready at once, each later one after a moment
    alone_s = play()
    screens = Screens(house.file)
    watched_s = play()
    screens.process.send_signal(signal.SIGSTOP)
    stopped_s = play()
    stopped_flood = Flood(screens.sign, 200)
    stopped_and_flooded_s = play()
    stopped_flood.close()
    screens.process.send_signal(signal.SIGCONT)
    flood = Flood(screens.sign, 10_000 if full else 600)
    flooded_s = play()
    while full and flood.made < 10_000:
        flooded_s = max(flooded_s, play())
    flood.close()
    assert flood.made > 100
    screens.process.kill()
    dead_s = play()
    screens.stop()
    times = [watched_s, stopped_s, stopped_and_flooded_s, flooded_s, dead_s]
    assert max(times) < alone_s + MORE_S, (alone_s, times)
