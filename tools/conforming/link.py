"""A client of the broker at either end of a link. It seals and opens as the page says, and reports what it hears."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker
from felt.nouns.keyring import Keyring
from felt.wire import bulletin
from tools.conforming.judge import Unheard


class Place(NamedTuple):
    host: str
    port: int
    link: str
    table: str
    own: Keyring
    sign: Keyring


class Client:
    def __init__(
        self,
        place: Place,
        will: LastWill,
        topics: Sequence[str],
        hear: Callable[[str, bytes], None],
        patience_s: float,
    ) -> None:
        connected = threading.Event()
        address = BrokerAddress(place.host, place.port)
        self._broker = MqttBroker(address, f"conform-{secrets.token_hex(4)}", will)
        self._broker.start(topics, hear, lambda stands: connected.set() if stands else None)
        self.publish = self._broker.publish
        self.close = self._broker.close
        if not connected.wait(patience_s):
            self.close()
            raise Unheard(f"a broker at {place.host}:{place.port}")


def will_of_controller(link: str) -> LastWill:
    return LastWill(bulletin.controller_topic(link), bulletin.write_presence(False))
