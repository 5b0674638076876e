"""A jackpot controller's two ends on one broker, virtual or real. The controller thinks in a thread of its own, as its
process does; the post is the table's."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from felt.drivers.clock import SystemClock
from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker
from felt.drivers.mqtt_post import LinkKeys, LinkNames, MqttPost, last_will
from felt.jackpot.controller.daemon import Daemon, Served
from felt.jackpot.controller.exchange import Exchange
from felt.jackpot.controller.office import Office
from felt.nouns.keyring import Keyring, LinkKey
from felt.nouns.stamps import Stamp
from felt.ports import Broker
from felt.virtual.broker import VirtualBroker
from felt.wire import bulletin
from tests.real.mosquitto import Mosquitto

CONTROLLER = "main"
NAMES = LinkNames(CONTROLLER, "T1")
KEYS = LinkKeys(Keyring(LinkKey("k1", b"\x11" * 32)), Keyring(LinkKey("s1", b"\x22" * 32)))
OTHER_KEYS = Keyring(LinkKey("k1", b"\x33" * 32))
STOP_WITHIN_S = 10


class NoWatchdog:
    def ready(self) -> None: ...

    def pat(self) -> None: ...

    def stopping(self) -> None: ...


class Middle(Protocol):
    """What both kinds of broker can do for a test."""

    def client(self, name: str, will: LastWill) -> Broker: ...

    def stop(self) -> None: ...

    def restart(self) -> None: ...

    def close(self) -> None: ...


class VirtualMiddle:
    def __init__(self, _: Path) -> None:
        self.broker = VirtualBroker()

    def client(self, _: str, will: LastWill) -> Broker:
        return self.broker.client((will.topic, will.content))

    def stop(self) -> None:
        self.broker.stop()

    def restart(self) -> None:
        self.broker.restart()

    def close(self) -> None: ...


class MosquittoMiddle:
    def __init__(self, folder: Path) -> None:
        self.broker = Mosquitto(folder)

    def client(self, name: str, will: LastWill) -> Broker:
        return MqttBroker(BrokerAddress("127.0.0.1", self.broker.port), name, will)

    def stop(self) -> None:
        self.broker.kill()

    def restart(self) -> None:
        self.broker.start()

    def close(self) -> None:
        self.broker.close()


class Controller:
    """The controller at one end, until closed."""

    def __init__(self, middle: Middle, office: Office, keyrings: Mapping[str, Keyring]) -> None:
        self.reports: list[str] = []
        self.exchange = Exchange(office, CONTROLLER, keyrings, KEYS.sign, self.reports.append)
        will = LastWill(bulletin.controller_topic(CONTROLLER), bulletin.write_presence(False))
        broker = middle.client("controller", will)
        self.daemon = Daemon(office, self.exchange, broker, CONTROLLER, SystemClock(), NoWatchdog(), _no_service)
        self._thread = threading.Thread(target=self.daemon.run, name="controller")
        self._thread.start()

    def close(self) -> None:
        self.daemon.stop()
        self._thread.join(STOP_WITHIN_S)
        assert not self._thread.is_alive()


def table_end(middle: Middle, names: LinkNames = NAMES, keys: LinkKeys = KEYS) -> MqttPost:
    will = LastWill(bulletin.here_topic(names.controller, names.table), last_will(names, keys))
    return MqttPost(middle.client(f"table-{names.table}", will), names, keys)


def _no_service(_: Office, words: dict[str, Any], _now: Stamp) -> Served:
    return Served({"refused": f"{words} was not asked for in this test"})
