"""Connections to running processes: the desk of a table, and the control socket of a jackpot controller."""

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
    """Sends one request to a running jackpot controller and returns its answer."""
    try:
        with closing(LineClient(path, REPLY_S + 1)) as line:
            return line.ask(words)
    except LinkUnavailable as error:
        raise LinkUnavailable(
            f"{error} Is the jackpot controller running, and may you open its socket?"
        ) from None


def controller_answers(path: Path) -> bool:
    """Whether a controller is listening there."""
    try:
        LineClient(path, 1).close()
    except LinkUnavailable:
        return False
    return True


def desk_line(config: Config, patience_s: float) -> LineClient:
    """A client's connection to the desk of a running table. Raises `LinkUnavailable` if nobody answers."""
    return LineClient(config.path(config.desk.socket), patience_s)


def line_socket(path: Path) -> socket:
    """A raw connection to a socket of a running table, for a process with its own way of waiting."""
    connection = connected(path, CONNECT_S)
    connection.setblocking(False)
    return connection
