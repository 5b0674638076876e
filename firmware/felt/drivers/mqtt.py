"""An MQTT 5 client on paho's own thread, which only forwards bytes. The client never keeps its session at the
broker: senders resend what matters, and a broker's receipt does not prove that anything was stored. Does not know
what a message means."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from typing import Any

from felt.nouns.values import Value
from felt.ports import LinkUnavailable

try:
    import paho.mqtt.client as paho
    from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
    from paho.mqtt.properties import Properties
    from paho.mqtt.reasoncodes import ReasonCode
    from paho.mqtt.subscribeoptions import SubscribeOptions
except ModuleNotFoundError:
    raise LinkUnavailable(
        "A link over MQTT needs the package paho-mqtt, which is not installed here: pip install 'paho-mqtt>=2.1,<3'."
    ) from None

AT_LEAST_ONCE = 1
KEEPALIVE_S = 5  # a silent broker is noticed after one and a half of these
RECONNECT_S = (1, 2)
UNSENT_MAX = 1024  # accepted by the client but not yet by the broker; more are dropped
UNRECEIPTED_MAX = 1024
FAREWELL_S = 2.0


class TlsFiles(Value):
    authority: str  # the CA that signed the broker's certificate
    certificate: str
    key: str


class BrokerAddress(Value):
    host: str
    port: int
    tls: TlsFiles | None = None


class LastWill(Value):
    """Stored by the broker for its topic, and published when the connection breaks or closes."""

    topic: str
    content: bytes


class MqttBroker:
    """Implements `ports.Broker`."""

    def __init__(self, address: BrokerAddress, client_id: str, will: LastWill) -> None:
        self._address = address
        self._will = will
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2, client_id=client_id, protocol=MQTTProtocolVersion.MQTTv5
        )
        self._client.max_inflight_messages_set(UNRECEIPTED_MAX)
        self._client.max_queued_messages_set(UNSENT_MAX)
        self._client.reconnect_delay_set(*RECONNECT_S)
        self._client.will_set(will.topic, will.content, AT_LEAST_ONCE, retain=True)
        self._client.on_socket_open = _send_at_once
        self._client.on_connect = self._connected
        self._client.on_disconnect = self._disconnected
        self._client.on_message = self._received
        self._client.suppress_exceptions = True  # an error of a listener must not end the only receiving thread
        if address.tls is not None:
            self._use_tls(address.tls)
        self._topics: tuple[str, ...] = ()
        self._on_message: Callable[[str, bytes], None] = lambda _topic, _content: None
        self._on_state: Callable[[bool], None] = lambda _: None
        self._is_connected = threading.Event()
        self._running = False

    def start(
        self, topics: Sequence[str], on_message: Callable[[str, bytes], None], on_state: Callable[[bool], None]
    ) -> None:
        self._topics, self._on_message, self._on_state = tuple(topics), on_message, on_state
        self._client.connect_async(self._address.host, self._address.port, keepalive=KEEPALIVE_S, clean_start=True)
        self._client.loop_start()
        self._running = True

    def publish(self, topic: str, content: bytes, *, retain: bool = False) -> None:
        # Without a connection, the client's queue would only hold messages that are stale when it reconnects.
        if self._is_connected.is_set():
            with contextlib.suppress(ValueError):
                self._client.publish(topic, content, AT_LEAST_ONCE, retain)

    def alive(self) -> bool:
        thread = self._client._thread
        return self._running and thread is not None and thread.is_alive()

    def close(self) -> None:
        if not self._running:
            return
        self._running = False
        if self._is_connected.is_set():
            said = self._client.publish(self._will.topic, self._will.content, AT_LEAST_ONCE, retain=True)
            with contextlib.suppress(RuntimeError, ValueError):
                said.wait_for_publish(FAREWELL_S)
        self._client.disconnect()
        self._client.loop_stop()

    def _use_tls(self, files: TlsFiles) -> None:
        try:
            context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=files.authority)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            context.load_cert_chain(files.certificate, files.key)
        except (OSError, ssl.SSLError) as error:
            named = f"{files.authority}, {files.certificate} or {files.key}"
            raise LinkUnavailable(
                f"The certificates of the link cannot be used ({error.strerror or error}): check {named}."
            ) from None
        self._client.tls_set_context(context)

    # --- in paho's thread: forward only ---------------------------------------------------------------

    def _connected(
        self, client: paho.Client, _userdata: Any, _flags: Any, reason: ReasonCode, _properties: Properties | None
    ) -> None:
        if reason.is_failure:
            return
        if self._topics:
            client.subscribe([(topic, SubscribeOptions(qos=AT_LEAST_ONCE)) for topic in self._topics])
        self._is_connected.set()
        self._on_state(True)

    def _disconnected(
        self, _client: paho.Client, _userdata: Any, _flags: Any, _reason: ReasonCode, _properties: Properties | None
    ) -> None:
        if self._is_connected.is_set():
            self._is_connected.clear()
            self._on_state(False)

    def _received(self, _client: paho.Client, _userdata: Any, message: paho.MQTTMessage) -> None:
        self._on_message(message.topic, bytes(message.payload))


def _send_at_once(_client: paho.Client, _userdata: Any, connection: Any) -> None:
    """Sets TCP_NODELAY. Otherwise the kernel delays small messages until the previous one is acknowledged: 40 ms a
    letter."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


