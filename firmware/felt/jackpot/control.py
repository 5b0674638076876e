"""The control socket: who may open it may ask how the controller is and act on the meters, one JSON object a line. It
reads, hands on to the one thread that thinks, and writes what comes back; it decides nothing."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from felt.jackpot.daemon import Request
from felt.ports import LinkUnavailable

LINE_BYTES_MAX = 16 * 1024
CLIENTS_MAX = 8
SILENCE_S = 30.0  # a client that says nothing for so long is let go
REPLY_S = 30.0
SENT_AWAY_S = 0.2
MODE = 0o660  # the service's own user and group


class ControlSocket:
    def __init__(self, path: Path, put: Callable[[Request], bool]) -> None:
        self._path = path
        self._put = put
        self._places = threading.BoundedSemaphore(CLIENTS_MAX)
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if path.is_socket():
                _refuse_a_living_one(path)
                path.unlink()
            self._bind()
        except OSError as error:
            self._server.close()
            problem = error.strerror or str(error)
            raise LinkUnavailable(
                f"{path} cannot be made a control socket ({problem}): correct controller.control, or its folder."
            ) from None
        self._thread = threading.Thread(target=self._run, name="felt-control", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        if self._thread.is_alive():
            self._thread.join(timeout=2)
        self._path.unlink(missing_ok=True)

    def _bind(self) -> None:
        before = os.umask(0o777 & ~MODE)
        try:
            self._server.bind(str(self._path))
        finally:
            os.umask(before)
        self._server.listen(CLIENTS_MAX)

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            if self._places.acquire(blocking=False):
                threading.Thread(target=self._serve, args=(client,), name="felt-control-client", daemon=True).start()
            else:
                _send_away(client)

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            client.settimeout(SILENCE_S)
            waiting = b""
            while content := client.recv(4096):
                *lines, waiting = (waiting + content).split(b"\n")
                for line in lines:
                    client.sendall(_line(self._answer(line)))
                if len(waiting) > LINE_BYTES_MAX:
                    client.sendall(_line({"refused": f"A line is longer than {LINE_BYTES_MAX} bytes."}))
                    break
        self._places.release()

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            words = json.loads(line) if len(line) <= LINE_BYTES_MAX else None
        except (ValueError, RecursionError):
            words = None
        if not isinstance(words, dict):
            return {"refused": f"A request is one JSON object of at most {LINE_BYTES_MAX} bytes."}
        replied = threading.Event()
        answers: list[dict[str, Any]] = []

        def reply(answer: dict[str, Any]) -> None:
            answers.append(answer)
            replied.set()

        if not self._put(Request(words, reply)):
            return {"refused": "The controller has more to do than it can hold: try again later."}
        if not replied.wait(REPLY_S):
            return {"refused": "The controller did not answer; it is not known whether anything was done."}
        return answers[0]


def ask(path: Path, words: dict[str, Any]) -> dict[str, Any]:
    """One question to a running controller, and its answer."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(REPLY_S + 1)
        try:
            connection.connect(str(path))
            connection.sendall(_line(words))
            waiting = b""
            while not waiting.endswith(b"\n") and (content := connection.recv(65536)):
                waiting += content
            answer = json.loads(waiting)
        except (OSError, ValueError) as error:
            problem = getattr(error, "strerror", None) or str(error)
            raise LinkUnavailable(
                f"No jackpot controller answers at {path} ({problem}): is it running, and may you open its socket?"
            ) from None
    assert isinstance(answer, dict)
    return answer


def is_answered(path: Path) -> bool:
    """Whether somebody listens there."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(str(path)) == 0


def _send_away(client: socket.socket) -> None:
    """Its question is taken from it first, or the answer would be lost with a broken connection."""
    with contextlib.suppress(OSError), client:
        client.settimeout(SENT_AWAY_S)
        client.sendall(_line({"refused": f"{CLIENTS_MAX} others are at the socket: try again later."}))
        client.shutdown(socket.SHUT_WR)
        client.recv(LINE_BYTES_MAX)


def _refuse_a_living_one(path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return  # left behind by one that died
    raise OSError(0, "another controller listens there")


def _line(words: dict[str, Any]) -> bytes:
    return json.dumps(words, separators=(",", ":")).encode("ascii") + b"\n"
