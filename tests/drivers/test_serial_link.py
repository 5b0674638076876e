"""What is particular to pyserial. The contract tests cover what every link does."""

from __future__ import annotations

import os
import random
import termios
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import pytest
import serial

from felt.drivers.serial_link import SerialLink
from felt.virtual.shuffler import PtyShuffler, ShufflerDevice

PATIENCE_S = 10.0


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


def test_a_line_that_is_not_there_yet_is_waited_for_and_named(tmp_path: Path) -> None:
    shuffler = PtyShuffler(ShufflerDevice(random.Random(1)), tmp_path / "shuffler")
    link = SerialLink(str(tmp_path / "shuffler"))
    connected = threading.Event()
    states: list[bool] = []

    def on_state(state: bool) -> None:
        states.append(state)
        connected.set()

    link.start(lambda data, ns: None, on_state)
    until(lambda: link.problem() is not None)
    assert f"the shuffler's line {tmp_path / 'shuffler'} cannot be opened" in str(link.problem())
    assert states == []
    shuffler.plug()
    assert connected.wait(PATIENCE_S)
    assert states == [True]
    assert link.problem() is None
    link.close()
    shuffler.close()


def test_a_url_of_an_unknown_kind_is_a_sentence_and_not_a_crash() -> None:
    link = SerialLink("carrier-pigeon://roof")
    link.start(lambda data, ns: None, lambda state: None)
    until(lambda: link.problem() is not None)
    assert link.alive()
    link.close()


@pytest.mark.parametrize("url", ["loop://", "loop://?logging=info"])
def test_what_is_sent_into_a_loop_comes_back(url: str) -> None:
    link = SerialLink(url)
    connected = threading.Event()
    heard: SimpleQueue[bytes] = SimpleQueue()
    link.start(lambda data, ns: heard.put(data), lambda state: connected.set())
    assert connected.wait(PATIENCE_S)
    link.send(b"\x7e\x00\xff\r\n\x7e")
    echo = b""
    try:
        while len(echo) < 6:
            echo += heard.get(timeout=PATIENCE_S)
    except Empty:
        pytest.fail(f"only {echo!r} came back")
    assert echo == b"\x7e\x00\xff\r\n\x7e"
    link.close()


def test_a_cable_that_is_pulled_while_it_is_set_up_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The terminal then fails in its own way, which pyserial passes on."""
    shuffler = PtyShuffler(ShufflerDevice(random.Random(1)), tmp_path / "shuffler")
    shuffler.plug()
    honest, failures = serial.serial_for_url, [termios.error(5, "Input/output error")]

    def pulled(*arguments: Any, **more: Any) -> Any:
        if failures:
            raise failures.pop()
        return honest(*arguments, **more)

    monkeypatch.setattr(serial, "serial_for_url", pulled)
    link = SerialLink(str(tmp_path / "shuffler"))
    connected = threading.Event()
    link.start(lambda data, ns: None, lambda state: connected.set())
    assert connected.wait(PATIENCE_S)
    link.close()
    shuffler.close()


def test_a_cable_with_a_loose_contact_never_ends_the_reading_thread(tmp_path: Path) -> None:
    shuffler = PtyShuffler(ShufflerDevice(random.Random(1)), tmp_path / "shuffler")
    link = SerialLink(str(tmp_path / "shuffler"))
    states: list[bool] = []
    link.start(lambda data, ns: None, states.append)
    for _ in range(50):
        shuffler.plug()
        link.send(b"x" * 1000)
        shuffler.unplug()
    shuffler.plug()
    until(lambda: states[-1:] == [True])
    assert link.alive()
    link.close()
    shuffler.close()


def test_the_port_is_held_exclusively() -> None:
    shuffler = PtyShuffler(ShufflerDevice(random.Random(1)))
    shuffler.plug()
    link = SerialLink(shuffler.path)
    connected = threading.Event()
    link.start(lambda data, ns: None, lambda state: connected.set())
    assert connected.wait(PATIENCE_S)
    with pytest.raises(serial.SerialException, match="exclusively lock"):
        serial.serial_for_url(shuffler.path, exclusive=True)
    link.close()
    shuffler.close()


def test_sending_into_a_line_that_nobody_drains_does_not_block() -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    link = SerialLink(os.ttyname(slave))
    connected = threading.Event()
    link.start(lambda data, ns: None, lambda state: connected.set())
    assert connected.wait(PATIENCE_S)
    begun = time.monotonic()
    for _ in range(10):
        link.send(b"x" * 100_000)
    assert time.monotonic() - begun < PATIENCE_S / 2
    assert link.alive()
    link.close()
    os.close(master)
    os.close(slave)
