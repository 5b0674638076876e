"""The page of metrics under bad clients: the silent, too many of them, and those who go without a word."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator

import pytest

from felt.jackpot.controller import metrics
from felt.jackpot.controller.metrics import CLIENTS_MAX, LOOPBACK, MetricsPage

PATIENCE_S = 10.0


@pytest.fixture
def page() -> Iterator[MetricsPage]:
    with contextlib.closing(MetricsPage(0)) as made:
        made.start()
        made.stand_by()
        yield made


@pytest.fixture
def hasty_page(monkeypatch: pytest.MonkeyPatch) -> Iterator[MetricsPage]:
    """It lets the silent go sooner."""
    monkeypatch.setattr(metrics, "SILENCE_S", 0.3)
    with contextlib.closing(MetricsPage(0)) as made:
        made.start()
        made.stand_by()
        yield made


def silent(page: MetricsPage) -> socket.socket:
    return socket.create_connection((LOOPBACK, page.port), PATIENCE_S)


def health(page: MetricsPage) -> str:
    with urllib.request.urlopen(f"http://{LOOPBACK}:{page.port}/health", timeout=PATIENCE_S) as answer:
        return str(answer.read().decode())


def served() -> int:
    return sum("process_request_thread" in thread.name for thread in threading.enumerate())


def until(truth: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not truth():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_of_many_silent_clients_only_some_hold_a_place_and_the_others_are_let_go_at_once(page: MetricsPage) -> None:
    with contextlib.ExitStack() as clients:
        for _ in range(CLIENTS_MAX):
            clients.enter_context(silent(page))
        until(lambda: served() == CLIENTS_MAX)
        for _ in range(3 * CLIENTS_MAX):
            assert clients.enter_context(silent(page)).recv(1) == b""
        assert served() == CLIENTS_MAX
    until(lambda: served() == 0)
    assert health(page) == "standing by\n"


def test_a_client_that_says_nothing_is_let_go_and_its_place_is_anothers(hasty_page: MetricsPage) -> None:
    with contextlib.ExitStack() as clients:
        seated = [clients.enter_context(silent(hasty_page)) for _ in range(CLIENTS_MAX)]
        assert [client.recv(1) for client in seated] == [b""] * CLIENTS_MAX
        until(lambda: served() == 0)
        assert health(hasty_page) == "standing by\n"


def test_a_client_that_resets_its_connection_leaves_no_line_in_the_log(
    page: MetricsPage, capfd: pytest.CaptureFixture[str]
) -> None:
    for said in (b"", b"GET /metr", b"GET /metrics HTTP/1.0\r\n"):
        client = silent(page)
        client.sendall(said)
        until(lambda: served() == 1)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        until(lambda: served() == 0)
    assert health(page) == "standing by\n"
    assert capfd.readouterr() == ("", "")
