"""The line socket and bad clients: long lines, noise, silence, answers that nobody reads, and too many clients at
once."""

from __future__ import annotations

import contextlib
import json
import resource
import socket
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from felt.drivers import line_socket
from felt.drivers.line_socket import CLIENTS_MAX, LineClient, LineSocket
from felt.nouns.lines import LINE_BYTES_MAX
from felt.ports import LinkUnavailable


class Echo:
    left = threading.Semaphore(0)

    def answer(self, words: dict[str, Any]) -> dict[str, Any]:
        return {"heard": words}

    def leave(self) -> None:
        Echo.left.release()


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    Echo.left = threading.Semaphore(0)
    served = LineSocket(tmp_path / "desk", Echo)
    served.start()
    yield tmp_path / "desk"
    served.close()
    assert not (tmp_path / "desk").exists()


def raw(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(10)
    connection.connect(str(path))
    return connection


def answer_of(connection: socket.socket) -> dict[str, Any]:
    with connection.makefile("rb") as lines:
        return dict(json.loads(lines.readline()))


def test_a_question_is_answered(path: Path) -> None:
    client = LineClient(path, 10)
    assert client.ask({"ask": "status"}) == {"heard": {"ask": "status"}}
    client.close()


def test_only_the_services_user_and_group_may_open_it(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_a_long_folder_name_does_not_matter(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    served = LineSocket(folder / "desk", Echo)
    served.start()
    client = LineClient(folder / "desk", 10)
    assert client.ask({"a": 1}) == {"heard": {"a": 1}}
    client.close()
    served.close()


def test_an_endless_line_is_refused_and_its_client_disconnected(path: Path) -> None:
    with raw(path) as client:
        client.sendall(b"x" * (LINE_BYTES_MAX + 5000))
        assert "at most" in answer_of(client)["refused"]
        assert Echo.left.acquire(timeout=10)


@pytest.mark.parametrize("noise", [b"\x00\xff\x1b[2J\n", b"[1]\n", b'{"a":\n', b"[" * 9000 + b"\n", b'"\\ud800"\n'])
def test_noise_is_refused_and_the_next_line_is_heard(path: Path, noise: bytes) -> None:
    with raw(path) as client:
        client.sendall(noise + b'{"a":1}\n')
        with client.makefile("rb") as lines:
            assert "refused" in json.loads(lines.readline())
            assert json.loads(lines.readline()) == {"heard": {"a": 1}}


def eventually_heard(path: Path) -> bool:
    """A client's place becomes free only some time after the client has left."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with contextlib.closing(LineClient(path, 10)) as again:
            if "heard" in again.ask({"a": 1}):
                return True
    return False


def test_one_client_too_many_is_refused_in_a_sentence(path: Path) -> None:
    clients = [raw(path) for _ in range(CLIENTS_MAX)]
    for client in clients:
        client.sendall(b'{"a":1}\n')
        assert "heard" in answer_of(client)
    with raw(path) as another:
        assert "other clients are connected" in answer_of(another)["refused"]
    clients[0].close()
    assert Echo.left.acquire(timeout=10)
    assert eventually_heard(path), "the place of one who went is another's"
    for client in clients[1:]:
        client.close()


def test_a_client_that_stops_reading_is_disconnected(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_socket, "UNREAD_S", 0.2)
    monkeypatch.setattr(line_socket, "RATE_PER_S", 1_000_000)
    with raw(path) as client:
        client.settimeout(0.5)
        request = b'{"a":"' + b"x" * 8000 + b'"}\n'
        flood = request * 10_000
        with pytest.raises(OSError):
            client.sendall(flood)
        assert Echo.left.acquire(timeout=10)


def test_a_fast_client_is_made_to_wait(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_socket, "RATE_PER_S", 100)
    client = LineClient(path, 10)
    began = time.monotonic()
    for _ in range(150):
        client.ask({"a": 1})
    assert time.monotonic() - began > 0.4  # a second's worth at once, the rest at the rate
    client.close()


def test_the_socket_of_a_dead_controller_is_taken_over_and_that_of_a_living_one_is_not(tmp_path: Path) -> None:
    dead = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    dead.bind(str(tmp_path / "desk"))
    dead.close()
    living = LineSocket(tmp_path / "desk", Echo)
    living.start()
    with pytest.raises(LinkUnavailable, match="another controller"):
        LineSocket(tmp_path / "desk", Echo)
    living.close()


def test_one_of_many_that_find_a_dead_controllers_socket_at_once_gets_it_and_keeps_it(tmp_path: Path) -> None:
    for _ in range(20):
        dead = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        dead.bind(str(tmp_path / "desk"))
        dead.close()
        living: list[LineSocket] = []

        def begin(made: list[LineSocket] = living) -> None:
            with contextlib.suppress(LinkUnavailable):
                made.append(LineSocket(tmp_path / "desk", Echo))

        starting = [threading.Thread(target=begin) for _ in range(4)]
        for thread in starting:
            thread.start()
        for thread in starting:
            thread.join()
        (bound,) = living
        bound.start()
        assert LineClient(tmp_path / "desk", 10).ask({"a": 1}) == {"heard": {"a": 1}}
        bound.close()


def test_a_socket_in_a_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(LinkUnavailable, match="cannot be made a socket"):
        LineSocket(tmp_path / "nowhere" / "desk", Echo)
    with pytest.raises(LinkUnavailable, match="Nobody answers"):
        LineClient(tmp_path / "nowhere", 1)


@contextlib.contextmanager
def no_more_files() -> Iterator[None]:
    """Open files stay open. A thread may still wait for a few of them."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_when_the_process_has_no_file_to_spare_clients_wait_and_are_heard_later(path: Path) -> None:
    first, second = (socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(2))
    with first, second:
        for client in (first, second):
            client.settimeout(10)
        with no_more_files():
            first.connect(str(path))  # a thread that already waits for it may have reserved its file before
            first.sendall(b'{"a":1}\n')
            second.connect(str(path))
            second.sendall(b'{"a":2}\n')
            second.settimeout(0.3)
            with pytest.raises(TimeoutError):
                second.recv(100)
        second.settimeout(10)
        assert json.loads(first.recv(100)) == {"heard": {"a": 1}}
        assert json.loads(second.recv(100)) == {"heard": {"a": 2}}


def test_when_no_thread_can_start_a_client_is_disconnected_and_the_next_is_heard(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        for _ in range(2):
            with raw(path) as client:
                assert client.recv(1) == b""
    assert eventually_heard(path)


def test_it_closes_at_once_while_it_waits_for_a_free_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_socket, "TRY_AGAIN_S", 60.0)
    served = LineSocket(tmp_path / "desk", Echo)
    with no_more_files():
        served.start()
        time.sleep(0.1)
        began = time.monotonic()
        served.close()
    assert time.monotonic() - began < 1
    assert not served._thread.is_alive()
