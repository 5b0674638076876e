"""Listening sockets with limits: the next free port, a bounded number of connections, and none that stays silent."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from pathlib import Path

from aiohttp import web

PORTS_TRIED = 20
CONNECTIONS_MAX = 192  # for one listener; further ones are closed at once
SILENT_S = 10.0  # a connection without a complete request for so long is closed
HEADER_BYTES_MAX = 8190


class CannotServe(Exception):
    """One sentence."""


def bound(address: str, port: int) -> socket.socket:
    """A socket on the first free port from this one on."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for tried in range(port, min(port + PORTS_TRIED, 65536)):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, tried))
            listener.listen(CONNECTIONS_MAX)
        except OSError as error:
            listener.close()
            if error.errno == errno.EADDRINUSE:
                continue
            raise CannotServe(f"{address} port {tried} cannot be served ({error.strerror or error}).") from None
        listener.setblocking(False)
        return listener
    raise CannotServe(f"{address} has no free port from {port} to {port + PORTS_TRIED - 1}: name another one.")


def tls(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        problem = error.strerror or error
        raise CannotServe(f"{certificate} and {key} are no certificate with its key ({problem}).") from None
    return context


class _SentAway(asyncio.Protocol):
    """The connection that is refused for lack of room."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


class Doorkeeper:
    """Admits connections to a web server, counts them, and closes silent ones."""

    def __init__(self, server: web.Server, silent_s: float = SILENT_S) -> None:
        self._server = server
        self._silent_s = silent_s
        self._silent: set[web.RequestHandler] = set()

    def heard(self, request: web.BaseRequest) -> None:
        self._silent.discard(request.protocol)

    def __call__(self) -> asyncio.Protocol:
        if len(self._server.connections) >= CONNECTIONS_MAX:
            return _SentAway()
        handler = self._server()
        self._silent.add(handler)
        asyncio.get_running_loop().call_later(self._silent_s, self._show_out_the_silent, handler)
        return handler

    def _show_out_the_silent(self, handler: web.RequestHandler) -> None:
        if handler in self._silent:
            self._silent.discard(handler)
            handler.force_close()
