"""The composition root of a link: the table's post at one end, the jackpot controller's process at the other, and the
broker between them. Loaded only by what is linked."""

from __future__ import annotations

import contextlib
import sys

from felt.config import Config
from felt.config.jackpot_file import JackpotConfig
from felt.config.link_folder import (
    AUTHORITY,
    CERTIFICATE,
    CERTIFICATE_KEY,
    OWN_KEYS,
    SIGN_KEYS,
    TABLE_KEYS,
    LinkFolder,
)
from felt.config.settings import BrokerSettings
from felt.drivers.clock import SystemClock
from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker, TlsFiles
from felt.drivers.mqtt_post import LinkKeys, LinkNames, MqttPost, last_will
from felt.drivers.watchdog import SystemdWatchdog
from felt.jackpot.control import ControlSocket
from felt.jackpot.daemon import Daemon
from felt.jackpot.exchange import Exchange
from felt.jackpot.ledger import open_ledger
from felt.jackpot.metrics import MetricsPage
from felt.jackpot.office import Office
from felt.jackpot.requests import serve
from felt.ports import Post
from felt.wire import bulletin

# The thread that listens must not wait five milliseconds, as is usual, until the one that thinks lets it.
SWITCH_S = 0.0002


def table_post(config: Config) -> Post:
    link = config.link
    folder = LinkFolder(config.path(link.folder))
    names = LinkNames(link.name, config.table.id, link.group)
    keys = LinkKeys(folder.keyring(OWN_KEYS), folder.keyring(SIGN_KEYS))
    will = LastWill(bulletin.here_topic(link.name, config.table.id), last_will(names, keys))
    broker = MqttBroker(_address(link, folder), f"felt-{link.name}-{config.table.id}", will)
    return MqttPost(broker, names, keys, lambda sentence: _tell("felt run", sentence))


class JackpotProcess:
    """A whole controller: it thinks in `run`, until `stop` is called from a signal handler."""

    def __init__(self, config: JackpotConfig) -> None:
        broker_settings = config.broker
        folder = LinkFolder(config.path(broker_settings.folder))
        keyrings = {table: folder.keyring(TABLE_KEYS.format(table)) for table in config.tables}
        sign_keys = folder.keyring(SIGN_KEYS)
        name = broker_settings.name
        will = LastWill(bulletin.controller_topic(name), bulletin.write_presence(False))
        broker = MqttBroker(_address(broker_settings, folder), f"felt-{name}-controller", will)
        with contextlib.ExitStack() as opening:
            office = opening.enter_context(contextlib.closing(open_office(config)))
            exchange = Exchange(
                office, name, keyrings, sign_keys, lambda sentence: _tell("felt jackpot", sentence)
            )
            self._daemon = Daemon(office, exchange, broker, name, SystemClock(), SystemdWatchdog(), serve)
            self._control = ControlSocket(config.path(config.controller.control), self._daemon.tray.put)
            opening.callback(self._control.close)
            self._metrics = MetricsPage(config.controller.metrics_port)
            opening.callback(self._metrics.close)
            self._daemon.watchers.append(self._metrics)
            self._closing = opening.pop_all()

    @property
    def metrics_port(self) -> int:
        return self._metrics.port

    def run(self) -> None:
        sys.setswitchinterval(SWITCH_S)
        with self._closing:
            self._control.start()
            self._metrics.start()
            self._daemon.run()

    def stop(self) -> None:
        self._daemon.stop()


def check_link(config: JackpotConfig) -> None:
    """Whatever can be known before the controller runs: every key and certificate is there and can be read."""
    folder = LinkFolder(config.path(config.broker.folder))
    for name in (SIGN_KEYS, *(TABLE_KEYS.format(table) for table in config.tables)):
        folder.keyring(name)
    _address(config.broker, folder)


def open_office(config: JackpotConfig) -> Office:
    return Office(open_ledger(config.ledger_place()), config.meter_terms(), config.procedure_terms())


def _address(settings: BrokerSettings, folder: LinkFolder) -> BrokerAddress:
    files: TlsFiles | None = None
    if settings.tls:
        files = TlsFiles(folder.readable(AUTHORITY), folder.readable(CERTIFICATE), folder.readable(CERTIFICATE_KEY))
    return BrokerAddress(settings.host, settings.port, files)


def _tell(command: str, sentence: str) -> None:
    print(f"{command}: {sentence}", file=sys.stderr, flush=True)
