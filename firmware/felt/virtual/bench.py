"""The workbench: remote control of a virtual table over a Unix socket, one JSON object a line. A driver outside
moves chips and keys, presses the shuffler's key and gives a supervisor's orders; it hears every lamp that changes,
every letter that leaves and where the table stands. Only a table without pins has one."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from felt.ports import Post

LINE_BYTES_MAX = 64 * 1024

# What the bench does with a request; it raises a ValueError, whose text is the answer, when it cannot.
Serve = Callable[[dict[str, Any], Callable[[dict[str, Any]], None]], None]


class Bench:
    """One client at a time. `say` may be called from any thread and never waits for a client that is gone."""

    def __init__(self, path: Path, serve: Serve, greet: Callable[[], list[dict[str, Any]]]) -> None:
        self._path = path
        self._serve = serve
        self._greet = greet  # what a new client is told first
        self._client: socket.socket | None = None
        self._lock = threading.Lock()
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(str(path))
        os.chmod(path, 0o600)
        self._server.listen(1)
        self._thread = threading.Thread(target=self._run, name="felt-bench", daemon=True)
        self._thread.start()

    def say(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            if self._client is not None:
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
        self._thread.join(timeout=2)
        self._path.unlink(missing_ok=True)

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            with self._lock:
                self._client = client
            for message in self._greet():
                self.say(message)
            self._listen(client)
            with self._lock:
                self._client = None
            client.close()

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
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ValueError("a request is one JSON object a line")
            self._serve(request, self.say)
        except (ValueError, RecursionError) as error:
            self.say({"error": str(error)})


class OverheardPost:
    """A Post that tells the bench of each letter as it leaves."""

    def __init__(self, post: Post, tell: Callable[[bytes], None]) -> None:
        self._post = post
        self._tell = tell
        self.start = post.start
        self.meters = post.meters
        self.alive = post.alive
        self.close = post.close

    def send(self, letter: bytes) -> None:
        self._tell(letter)
        self._post.send(letter)
