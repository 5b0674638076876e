"""Who may ask a listener: by which host name, from which page, and what a browser may do with the answer. This stops
foreign pages (CSRF), frames around our pages, and foreign names that resolve to this host."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), usb=()",
}
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


class Unwelcome(Exception):
    """An answer without a page: its status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def refusal(problem: Unwelcome) -> web.Response:
    return web.Response(status=problem.status, text=f"{problem}\n", headers=SECURITY_HEADERS)


class Guard:
    """Knows the names of one listener."""

    def __init__(self, address: str, port: int, names: tuple[str, ...], *, secure: bool) -> None:
        bracketed = f"[{address}]" if ":" in address else address
        known = _LOOPBACK_NAMES if bracketed in _LOOPBACK_NAMES else (bracketed,)
        self._scheme = "https" if secure else "http"
        usual = port == (443 if secure else 80)
        self._hosts = {name for host in (*known, *names) for name in (f"{host}:{port}", *([host] if usual else []))}

    def check_host(self, headers: Mapping[str, str]) -> None:
        """Refuses a request under another host name: it belongs to a foreign site that resolves to this host."""
        if headers.get("Host", "").lower() not in self._hosts:
            raise Unwelcome(421, "These pages are asked for by another name: use an address that felt screens printed.")

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Only our own page opens a live connection. Browsers always send the origin of the page."""
        if headers.get("Origin", "") != f"{self._scheme}://{headers.get('Host', '').lower()}":
            raise Unwelcome(403, "A live connection is opened by a page of this table only.")
