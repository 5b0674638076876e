"""A Unix socket on which one JSON object a line is asked and answered, and the client's end of it. Everything is
bounded: clients, the length of a line, how many a second, how long a client may be silent or leave its answers unread.
Knows nothing of what is asked."""

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

from felt.nouns.lines import ANSWER_BYTES_MAX, LINE_BYTES_MAX, LineError, read_line, write_line
from felt.ports import LinkUnavailable

CLIENTS_MAX = 8
RATE_PER_S = 40  # of one client; a faster one is made to wait
SILENCE_S = 900.0  # a client that says nothing for so long is let go
SENT_AWAY_S = 0.2
TRY_AGAIN_S = 0.2  # after nobody could be let in: the process has no file or thread to spare for the moment
UNREAD_S = 5.0  # a client that leaves its answers unread for so long is let go
MODE = 0o660  # the service's own user and group
_PATH_BYTES_MAX = 100  # a socket's name is at most 107 bytes long


class Conversation(Protocol):
    """One client, from its coming to its going. `answer` may take its time: nobody else waits for it."""

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
                f"{path} cannot be made a socket ({problem}): name a file in a folder that exists and is yours."
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
        """Until it is closed: whatever else keeps clients out for a while must not keep them out for good."""
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
        except RuntimeError:  # there are too many threads on this host
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
            self._places.release()  # first: who is told of the leaving may count on the place
            conversation.leave()


@contextlib.contextmanager
def _folder_to_itself(folder: Path) -> Iterator[None]:
    """Of two that start at once, the second finds the socket of the first alive, and takes it for no dead one."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _answer_to(line: bytes | None, conversation: Conversation) -> dict[str, Any]:
    try:
        if line is None:
            raise LineError(f"This is longer than a line, which has at most {LINE_BYTES_MAX} bytes.")
        return conversation.answer(read_line(line))
    except LineError as error:
        return {"refused": str(error)}


def _send_away(client: socket.socket) -> None:
    """Its question is taken from it first, or the answer would be lost with a broken connection."""
    with contextlib.suppress(OSError), client:
        client.settimeout(SENT_AWAY_S)
        client.sendall(write_line({"refused": f"{CLIENTS_MAX} others are here: try again later."}))
        client.shutdown(socket.SHUT_WR)
        client.recv(LINE_BYTES_MAX)


def _lines(client: socket.socket, silence_s: float) -> Iterator[bytes | None]:
    """Each line as it comes, no faster than the rate; None for one that is too long, which is the last."""
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
    """A connection to whoever listens there; an OSError where nobody does."""
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
    """The other end: one question, one answer. A connection that was lost is not made again by itself: whoever was
    signed in on it is not any more."""

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
                    raise LinkUnavailable("The controller has gone.")
                self._waiting += content
            line, _, self._waiting = self._waiting.partition(b"\n")
            return read_line(line, ANSWER_BYTES_MAX)
        except (OSError, LineError) as error:
            raise LinkUnavailable(f"The controller does not answer ({error}).") from None

    def close(self) -> None:
        self._connection.close()


@contextlib.contextmanager
def _short_name(path: Path) -> Iterator[str]:
    """A name that fits into a socket's address, whatever the folder is called."""
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
            return  # left behind by one that died
    raise OSError(0, "another controller listens there")
