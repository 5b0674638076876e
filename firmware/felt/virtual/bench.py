"""The workbench: remote control of a virtual table over a Unix socket, as JSON lines. A client moves chips and keys,
presses the shuffler's key and gives a supervisor's orders. It hears every lamp change, every letter that leaves, and
the table's state. Only a table without pins has a workbench."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from felt.nouns.lines import read_request
from felt.ports import Post
from felt.virtual.passing import PassingPost

LINE_BYTES_MAX = 64 * 1024
UNHEARD_MAX = 4096  # messages kept for the first client

# Serves one request. Raises ValueError on failure; its text is the answer.
Serve = Callable[[dict[str, Any], Callable[[dict[str, Any]], None]], None]


class Bench:
    """Serves one client at a time. Any thread may call `say`, which never waits for a client."""

    def __init__(self, path: Path, serve: Serve, greet: Callable[[], list[dict[str, Any]]]) -> None:
        self._path = path
        self._serve = serve
        self._greet = greet  # the first messages for a new client
        self._client: socket.socket | None = None
        self._unheard: deque[bytes] | None = deque(maxlen=UNHEARD_MAX)  # None: a client has connected
        self._lock = threading.Lock()
        if path.is_socket():
            path.unlink()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(str(path))
        os.chmod(path, 0o600)
        self._server.listen(1)
        self._thread = threading.Thread(target=self._run, name="felt-bench", daemon=True)

    def start(self) -> None:
        """Begins to serve clients. Call it once the board listens, or early moves would be lost."""
        self._thread.start()

    def say(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            if self._unheard is not None:
                self._unheard.append(line)
            elif self._client is not None:
                with contextlib.suppress(OSError):
                    self._client.sendall(line)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        with self._lock:
            if self._client is not None:
                with contextlib.suppress(OSError):
                    self._client.shutdown(socket.SHUT_RDWR)
        if self._thread.is_alive():
            self._thread.join(timeout=2)
        self._path.unlink(missing_ok=True)

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            self._welcome(client)
            self._listen(client)
            with self._lock:
                self._client = None
            client.close()

    def _welcome(self, client: socket.socket) -> None:
        with self._lock:
            unheard, self._unheard, self._client = self._unheard or (), None, client
            with contextlib.suppress(OSError):
                client.sendall(b"".join(unheard))
        # The table may change while it is being described, so repeat the description until it is stable.
        told: list[dict[str, Any]] | None = None
        while (truth := self._greet()) != told:
            told = truth
            for message in told:
                self.say(message)

    def _listen(self, client: socket.socket) -> None:
        waiting = b""
        while True:
            try:
                content = client.recv(65536)
            except OSError:
                return
            if not content:
                return
            *lines, waiting = (waiting + content).split(b"\n")
            if len(waiting) > LINE_BYTES_MAX:
                self.say({"error": f"a line is longer than {LINE_BYTES_MAX} bytes"})
                return
            for line in lines:
                self._answer(line)

    def _answer(self, line: bytes) -> None:
        id_ = None
        try:
            request = read_request(line, LINE_BYTES_MAX)
            id_ = request.get("id")
            self._serve(request, self.say)
        except ValueError as error:
            self.say({"error": str(error)} if id_ is None else {"reply": id_, "refused": str(error)})


class OverheardPost(PassingPost):
    """A Post that reports each letter to the bench as it leaves."""

    def __init__(self, post: Post, tell: Callable[[bytes], None]) -> None:
        super().__init__(post)
        self._tell = tell

    def send(self, letter: bytes) -> None:
        self._tell(letter)
        self._post.send(letter)
