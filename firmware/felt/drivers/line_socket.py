"""A Unix socket server for JSON lines, and its client. Everything is bounded: clients, line length, requests a
second, idle time, unread answers. Does not know what the requests mean."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from felt.nouns.lines import ANSWER_BYTES_MAX, LINE_BYTES_MAX, LineError, read_answer, read_request, write_line
from felt.ports import LinkUnavailable

CLIENTS_MAX = 8
RATE_PER_S = 40  # per client; a faster client is slowed down
SILENCE_S = 900.0  # an idle client is disconnected after this long
SENT_AWAY_S = 0.2
TRY_AGAIN_S = 0.2  # pause after a client could not be accepted because the process had no file or thread left
UNREAD_S = 5.0  # a client that leaves its answers unread is disconnected after this long
MODE = 0o660  # for the service's own user and group
_PATH_BYTES_MAX = 100  # the address of a socket has at most 107 bytes


class Conversation(Protocol):
    """One client, from connect to disconnect. `answer` may block: no other client waits for it."""

    def answer(self, words: dict[str, Any]) -> dict[str, Any]: ...

    def leave(self) -> None: ...


class LineSocket:
    def __init__(self, path: Path, welcome: Callable[[], Conversation], silence_s: float = SILENCE_S) -> None:
        self._path = path
        self._welcome = welcome
        self._silence_s = silence_s
        self._places = threading.BoundedSemaphore(CLIENTS_MAX)
        self._clients: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _folder_to_itself(path.parent):
                if path.is_socket():
                    _refuse_a_living_one(path)
                    path.unlink()
                self._bind()
        except OSError as error:
            self._server.close()
            problem = error.strerror or str(error)
            raise LinkUnavailable(
                f"{path} cannot be made a socket ({problem}): name a file in an existing folder that you own."
            ) from None
        self._thread = threading.Thread(target=self._run, name="felt-lines", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        with self._lock:
            clients = tuple(self._clients)
        for client in clients:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        if self._thread.is_alive():
            self._thread.join(timeout=2)
        self._path.unlink(missing_ok=True)

    def _bind(self) -> None:
        before = os.umask(0o777 & ~MODE)
        try:
            with _short_name(self._path) as name:
                self._server.bind(name)
        finally:
            os.umask(before)
        self._server.listen(CLIENTS_MAX)

    def _run(self) -> None:
        """Accepts clients until it is closed. A temporary failure must not end it."""
        while not self._closing.is_set():
            try:
                client, _ = self._server.accept()
            except OSError:
                self._closing.wait(TRY_AGAIN_S)
                continue
            if self._places.acquire(blocking=False):
                self._seat(client)
            else:
                _send_away(client)

    def _seat(self, client: socket.socket) -> None:
        try:
            threading.Thread(target=self._serve, args=(client,), name="felt-lines-client", daemon=True).start()
        except RuntimeError:  # this host has too many threads
            client.close()
            self._places.release()
            self._closing.wait(TRY_AGAIN_S)

    def _serve(self, client: socket.socket) -> None:
        conversation = self._welcome()
        with self._lock:
            self._clients.add(client)
        try:
            with client, contextlib.suppress(OSError):
                for line in _lines(client, self._silence_s):
                    answer = _answer_to(line, conversation)
                    client.settimeout(UNREAD_S)
                    client.sendall(write_line(answer))
        finally:
            with self._lock:
                self._clients.discard(client)
            self._places.release()  # first, because a listener may rely on the free place
            conversation.leave()


@contextlib.contextmanager
def _folder_to_itself(folder: Path) -> Iterator[None]:
    """Serialises starts: if two processes start at once, the second finds the first one's socket alive and does not
    remove it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _answer_to(line: bytes | None, conversation: Conversation) -> dict[str, Any]:
    try:
        if line is None:
            raise LineError(f"The line is too long: it may have at most {LINE_BYTES_MAX} bytes.")
        return conversation.answer(read_request(line))
    except LineError as error:
        return {"refused": str(error)}


def _send_away(client: socket.socket) -> None:
    """Reads the request before refusing, because closing a connection with unread input would discard the answer."""
    with contextlib.suppress(OSError), client:
        client.settimeout(SENT_AWAY_S)
        client.sendall(write_line({"refused": f"{CLIENTS_MAX} other clients are connected: try again later."}))
        client.shutdown(socket.SHUT_WR)
        client.recv(LINE_BYTES_MAX)


def _lines(client: socket.socket, silence_s: float) -> Iterator[bytes | None]:
    """Yields each line, no faster than the rate. Yields None for a line that is too long, and ends."""
    waiting, allowed_at = b"", time.monotonic()
    while True:
        client.settimeout(silence_s)
        content = client.recv(4096)
        if not content:
            return
        *lines, waiting = (waiting + content).split(b"\n")
        for line in lines:
            allowed_at = max(allowed_at + 1 / RATE_PER_S, time.monotonic() - 1)
            time.sleep(max(0.0, allowed_at - time.monotonic()))
            yield line
        if len(waiting) > LINE_BYTES_MAX:
            yield None
            return


def connected(path: Path, patience_s: float) -> socket.socket:
    """Connects to the listener at that path; raises OSError if there is none."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(patience_s)
    try:
        with _short_name(path) as name:
            connection.connect(name)
    except OSError:
        connection.close()
        raise
    return connection


class LineClient:
    """The client: one request, one answer. It never reconnects by itself, because the person is no longer
    signed in."""

    def __init__(self, path: Path, patience_s: float) -> None:
        self._waiting = b""
        try:
            self._connection = connected(path, patience_s)
        except OSError as error:
            raise LinkUnavailable(f"Nobody answers at {path.absolute()} ({error.strerror or error}).") from None

    def ask(self, words: dict[str, Any]) -> dict[str, Any]:
        try:
            self._connection.sendall(write_line(words))
            while b"\n" not in self._waiting:
                content = self._connection.recv(65536)
                if not content or len(self._waiting) > ANSWER_BYTES_MAX:
                    raise LinkUnavailable("The controller closed the connection.")
                self._waiting += content
            line, _, self._waiting = self._waiting.partition(b"\n")
            return read_answer(line)
        except (OSError, LineError) as error:
            raise LinkUnavailable(f"The controller does not answer ({error}).") from None

    def close(self) -> None:
        self._connection.close()


@contextlib.contextmanager
def _short_name(path: Path) -> Iterator[str]:
    """A name that fits into a socket address, however long the folder's path is."""
    if len(os.fsencode(path)) <= _PATH_BYTES_MAX:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def _refuse_a_living_one(path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe, _short_name(path) as name:
        try:
            probe.connect(name)
        except ConnectionRefusedError:
            return  # left behind by a dead process
    raise OSError(0, "another controller listens there")
