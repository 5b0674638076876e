"""Builds the jackpot controller's process: ledger, broker, sockets and keys. On PostgreSQL further controllers stand
by."""

from __future__ import annotations

import contextlib
import secrets
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from felt.config import ConfigError
from felt.config.jackpot_file import JackpotConfig
from felt.config.link_folder import LEDGER_KEY, SIGN_KEYS, TABLE_KEYS, LinkFolder
from felt.drivers.clock import SystemClock
from felt.drivers.line_socket import LineSocket
from felt.drivers.mqtt import LastWill, MqttBroker
from felt.drivers.watchdog import SystemdWatchdog
from felt.evidence.signing import KeyUnusable, SigningKey, read_key
from felt.jackpot.controller.control import SILENCE_S, Visit
from felt.jackpot.controller.daemon import Daemon, KeysChanged, Request
from felt.jackpot.controller.days import days_from
from felt.jackpot.controller.exchange import Exchange, Keys
from felt.jackpot.controller.metrics import MetricsPage
from felt.jackpot.controller.office import Office
from felt.jackpot.controller.requests import serve
from felt.jackpot.ledger.opening import open_ledger
from felt.jackpot.ledger.port import is_database
from felt.ports import LinkUnavailable
from felt.wire import bulletin
from felt.wiring.link import broker_address, tell_log

# The listening thread must not wait the usual five milliseconds for the thinking thread.
SWITCH_S = 0.0002


def control_socket(path: Path, put: Callable[[Request], bool]) -> LineSocket:
    try:
        return LineSocket(path, lambda: Visit(put), SILENCE_S)
    except LinkUnavailable as error:
        raise LinkUnavailable(f"The control socket, controller.control: {error}") from None


class JackpotController:
    """A whole controller. It works in `run` until a signal handler calls `stop`. On PostgreSQL it first stands by
    while another controller leads."""

    def __init__(self, config: JackpotConfig) -> None:
        self._config = config
        self._keys = read_keys(config)
        self._watchdog = SystemdWatchdog()
        self._broker = _controllers_broker(config)
        self._stopping = threading.Event()
        self._daemon: Daemon | None = None
        with contextlib.ExitStack() as opening:
            self._control = control_socket(config.path(config.controller.control), self._take)
            opening.callback(self._control.close)
            self._metrics = MetricsPage(config.controller.metrics_port)
            opening.callback(self._metrics.close)
            # Last, because opening the ledger shuts out its previous user, and a refused controller must change
            # nothing.
            if not is_database(config.controller.ledger):
                self._daemon = self._lead()
                opening.callback(self._daemon.close)
            self._closing = opening.pop_all()

    @property
    def metrics_port(self) -> int:
        return self._metrics.port

    def run(self) -> None:
        sys.setswitchinterval(SWITCH_S)
        with self._closing:
            self._control.start()
            self._metrics.start()
            if self._daemon is not None:
                self._daemon.watchers.append(self._metrics)
                self._daemon.run()
            else:
                self._run_when_it_leads()

    def stop(self) -> None:
        self._stopping.set()
        if self._daemon is not None:
            self._daemon.stop()

    def renew_keys(self) -> None:
        """Called from a signal handler; the log shows the result."""
        daemon = self._daemon
        renew = KeysChanged(lambda told: tell_log("felt jackpot", _said_of_keys(told)))
        if daemon is None or not daemon.tray.put(renew):
            tell_log("felt jackpot", "The keys are read when this controller leads.")

    # --- one of several on a database ---------------------------------------------------------------------

    def _run_when_it_leads(self) -> None:
        from felt.jackpot.controller.standby import Lease

        controller = self._config.controller
        with contextlib.closing(Lease(controller.ledger, controller.takeover_s)) as lease:
            self._watchdog.ready()
            tell_log("felt jackpot", "Standing by until no other controller leads.")
            if lease.wait(self._stands_by):
                tell_log("felt jackpot", "This controller leads.")
                self._keys = read_keys(self._config)
                self._daemon = self._lead(lease.stir)
                self._daemon.watchers.append(self._metrics)
                if not self._stopping.is_set():
                    self._daemon.run()
                self._daemon.close()

    def _stands_by(self) -> bool:
        self._watchdog.pat()
        self._metrics.stand_by()
        return not self._stopping.is_set()

    def _lead(self, keep_lead: Callable[[], None] = lambda: None) -> Daemon:
        office, name = open_office(self._config, alone=True), self._config.broker.name
        exchange = Exchange(
            office, name, self._keys.tables, self._keys.sign, lambda sentence: tell_log("felt jackpot", sentence)
        )
        return Daemon(
            office, exchange, self._broker, name, SystemClock(), self._watchdog, serve, keep_lead,
            lambda: _keys_or_sentence(self._config),
        )  # fmt: skip

    def _take(self, request: Request) -> bool:
        if self._daemon is not None:
            return self._daemon.tray.put(request)
        request.reply(_ANSWER_OF_A_STANDBY if request.words == {"ask": "status"} else _REFUSAL_OF_A_STANDBY)
        return True


_ANSWER_OF_A_STANDBY: dict[str, Any] = {"standby": True}
_REFUSAL_OF_A_STANDBY: dict[str, Any] = {"refused": "This controller stands by: ask the one that leads."}


def _said_of_keys(told: dict[str, Any]) -> str:
    return str(told["refused"]) if "refused" in told else "The keys were read again and are in use."


def _keys_or_sentence(config: JackpotConfig) -> Keys:
    try:
        return read_keys(config)
    except ConfigError as error:
        raise ValueError(str(error)) from None


def _controllers_broker(config: JackpotConfig) -> MqttBroker:
    """Two controllers are two clients, so the broker does not disconnect one for the other."""
    settings = config.broker
    will = LastWill(bulletin.controller_topic(settings.name), bulletin.write_presence(False))
    address = broker_address(settings, LinkFolder(config.path(settings.folder)))
    return MqttBroker(address, f"felt-{settings.name}-controller-{secrets.token_hex(4)}", will)


def read_keys(config: JackpotConfig) -> Keys:
    folder = LinkFolder(config.path(config.broker.folder))
    return Keys({table: folder.keyring(TABLE_KEYS.format(table)) for table in config.tables}, folder.keyring(SIGN_KEYS))


def check_link(config: JackpotConfig) -> None:
    """Checks everything that can be known before the controller runs: every key and certificate is readable, and the
    ledger's driver is installed."""
    read_keys(config)
    ledger_key(config)
    if is_database(config.controller.ledger):
        from felt.jackpot.ledger.postgresql import driver

        driver()
    broker_address(config.broker, LinkFolder(config.path(config.broker.folder)))


def open_office(config: JackpotConfig, *, alone: bool = False) -> Office:
    with contextlib.ExitStack() as opening:
        key = ledger_key(config)
        ledger = opening.enter_context(contextlib.closing(open_ledger(config.ledger_place(), alone=alone, key=key)))
        day_of = days_from(config.reports.shifts[0])
        office = Office(ledger, config.meter_terms(), config.procedure_terms(), day_of)
        for sentence in office.differing_terms:
            tell_log("felt jackpot", sentence)
        opening.pop_all()
    return office


def ledger_key(config: JackpotConfig) -> SigningKey:
    """The controller's own key. Every controller that may lead needs the same one, so none makes it at a start."""
    folder = LinkFolder(config.path(config.broker.folder))
    try:
        return read_key(folder.secret(LEDGER_KEY).encode("ascii", "replace"))
    except KeyUnusable as error:
        remedy = "put back the key that signed this ledger; for a new ledger provision one with felt jackpot provision"
        raise ConfigError(str(folder.file(LEDGER_KEY)), "", str(error), remedy) from None
