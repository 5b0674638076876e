"""How the controller is, for programs that watch it: Prometheus text and a health answer on a loopback port. Pages are
made from a finished picture; whoever reads them touches neither ledger nor meters."""

from __future__ import annotations

import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from felt.jackpot.controller.daemon import Picture
from felt.nouns.stamps import NS_PER_S
from felt.ports import LinkUnavailable

LOOPBACK = "127.0.0.1"
_LEADS = ("felt_jackpot_leads", "gauge", "Whether this controller leads, or stands by for another.")
STANDING_BY = f"# HELP {_LEADS[0]} {_LEADS[2]}\n# TYPE {_LEADS[0]} {_LEADS[1]}\n{_LEADS[0]} 0\n"
UNWELL_AFTER_S = 10.0  # without a new picture the thread that thinks is stuck
CLIENTS_MAX = 16  # at once; each holds a thread and a file, which the controller needs for itself
TRY_AGAIN_S = 0.2
SILENCE_S = 5.0  # a client that says nothing for so long, or reads nothing, is let go


class MetricsPage:
    def __init__(self, port: int) -> None:
        self._page = ""
        self._connected = False
        self._shown_at: float | None = None
        page = self

        class Answering(BaseHTTPRequestHandler):
            timeout = SILENCE_S

            def do_GET(self) -> None:
                status, text = page.answer(self.path)
                content = text.encode("ascii", "backslashreplace")
                self.send_response(status)
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                """Who looks is not worth a line."""

        try:
            self._server = _BoundedServer((LOOPBACK, port), Answering)
        except OSError as error:
            raise LinkUnavailable(
                f"Port {port} cannot be had for metrics ({error.strerror}): change controller.metrics_port."
            ) from None
        self._thread = threading.Thread(target=self._server.serve_forever, name="felt-metrics", daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def start(self) -> None:
        self._thread.start()

    def show(self, picture: Picture) -> None:
        self._page = page_of(picture)
        self._connected = picture.connected
        self._shown_at = time.monotonic()

    def stand_by(self) -> None:
        """Another controller leads. That is well, and worth a figure."""
        self._page = STANDING_BY
        self._connected = True
        self._shown_at = time.monotonic()

    def answer(self, path: str) -> tuple[int, str]:
        if path == "/metrics":
            return 200, self._page
        if path != "/health":
            return 404, "metrics are at /metrics, health is at /health\n"
        if self._shown_at is None or time.monotonic() - self._shown_at > UNWELL_AFTER_S:
            return 503, "the controller is stuck\n"
        if self._page == STANDING_BY:
            return 200, "standing by\n"
        return (200, "well\n") if self._connected else (503, "no broker\n")

    def close(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join(timeout=2)
        self._server.server_close()


class _BoundedServer(ThreadingHTTPServer):
    """One client too many is let go at once."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], answering: type[BaseHTTPRequestHandler]) -> None:
        self._places = threading.BoundedSemaphore(CLIENTS_MAX)
        super().__init__(address, answering)

    def get_request(self) -> Any:
        try:
            return super().get_request()
        except OSError:  # as when the process has no file to spare: who waits is still there
            time.sleep(TRY_AGAIN_S)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # there are too many threads on this host
            self._places.release()
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """That a client has gone is not worth a line; a mistake of ours is."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def page_of(picture: Picture) -> str:
    lines: list[str] = []

    def tell(name: str, kind: str, about: str, values: list[tuple[str, int]]) -> None:
        lines.extend((f"# HELP {name} {about}", f"# TYPE {name} {kind}"))
        lines.extend(f"{name}{labels} {value}" for labels, value in values)

    counts = [(_labels(event=event.name, table=event.table), times) for event, times in sorted(picture.counts.items())]
    present = [(_labels(table=table), int(here)) for table, here in picture.present.items()]
    meters = [(_labels(meter=name), micro) for name, micro in picture.meters.items()]
    tell(*_LEADS, [("", 1)])
    tell("felt_jackpot_broker_connected", "gauge", "Whether the broker is connected.", [("", int(picture.connected))])
    tell("felt_jackpot_meter_micro", "gauge", "Shown meters in millionths of the smallest coin.", meters)
    tell("felt_jackpot_table_present", "gauge", "Whether a table is there, by its word or last will.", present)
    tell("felt_jackpot_messages_total", "counter", "Messages by what became of them.", counts)
    tell("felt_jackpot_dropped_total", "counter", "Messages left too long, or too many.", [("", picture.dropped)])
    tell("felt_jackpot_ledger_busy_total", "counter", "Turns in which another held the ledger.", [("", picture.busy)])
    tell("felt_jackpot_alerts", "gauge", "What waits for a person.", [("", len(picture.alerts))])
    tell("felt_jackpot_alarms_total", "counter", "Alarms since the start.", [("", picture.alarms)])
    tell("felt_jackpot_seconds", "gauge", "The controller's monotonic clock.", [("", picture.at_ns // NS_PER_S)])
    return "\n".join(lines) + "\n"


def _labels(**labels: str) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels.items()) + "}"
