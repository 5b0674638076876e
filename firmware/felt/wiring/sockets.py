"""Lines to a process that runs: to the desk of a table, and to the control socket of a jackpot controller."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from socket import socket
from typing import Any

from felt.config import Config
from felt.drivers.line_socket import LineClient, connected
from felt.jackpot.controller.control import REPLY_S
from felt.ports import LinkUnavailable

CONNECT_S = 2.0


def ask_controller(path: Path, words: dict[str, Any]) -> dict[str, Any]:
    """One question to a running jackpot controller, and its answer."""
    try:
        with closing(LineClient(path, REPLY_S + 1)) as line:
            return line.ask(words)
    except LinkUnavailable as error:
        raise LinkUnavailable(
            f"{error} Is the jackpot controller running, and may you open its socket?"
        ) from None


def controller_answers(path: Path) -> bool:
    """Whether somebody listens there."""
    try:
        LineClient(path, 1).close()
    except LinkUnavailable:
        return False
    return True


def desk_line(config: Config, patience_s: float) -> LineClient:
    """A client's line to the desk of a running table; a `LinkUnavailable` when nobody answers."""
    return LineClient(config.path(config.desk.socket), patience_s)


def line_socket(path: Path) -> socket:
    """A connection to a socket of a running table, for a process that waits for its answers in its own way."""
    connection = connected(path, CONNECT_S)
    connection.setblocking(False)
    return connection
