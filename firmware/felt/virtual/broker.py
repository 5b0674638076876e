"""A broker without a network: topics, retained messages and last wills in memory, in the caller's own thread. On
demand it misbehaves: it can be away, lose, repeat or hold back messages, and impersonate anybody."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence

OnMessage = Callable[[str, bytes], None]
OnState = Callable[[bool], None]


class VirtualBroker:
    """The broker itself. Its clients implement `ports.Broker`."""

    def __init__(self) -> None:
        self._clients: list[VirtualClient] = []
        self._retained: dict[str, bytes] = {}
        self._held: deque[tuple[str, bytes]] = deque()
        self._changing = threading.RLock()
        self.running = True
        self.loses = 0  # how many of the next messages to lose
        self.repeats = False
        self.holds = False
        self.carried: list[tuple[str, bytes]] = []  # every message that was ever published

    def client(self, will: tuple[str, bytes] | None = None) -> VirtualClient:
        return VirtualClient(self, will)

    def stop(self) -> None:
        """Stops as if killed: it forgets everything and publishes no wills."""
        with self._changing:
            self.running = False
            self._retained.clear()
            self._held.clear()
            clients = list(self._clients)
        for client in clients:
            client.stands(False)

    def restart(self) -> None:
        with self._changing:
            self.running = True
            clients = list(self._clients)
        for client in clients:
            client.stands(True)

    def release(self) -> None:
        """Delivers held-back messages, in order."""
        self.holds = False
        while self._held:
            self.carry(*self._held.popleft())

    def accept(self, topic: str, content: bytes, retain: bool) -> None:
        with self._changing:
            if not self.running:
                return
            self.carried.append((topic, content))
            if self.loses:
                self.loses -= 1
                return
            if retain:
                self._retained[topic] = content
            if self.holds:
                self._held.append((topic, content))
                return
        for _ in range(2 if self.repeats else 1):
            self.carry(topic, content)

    def carry(self, topic: str, content: bytes) -> None:
        """Delivers a message. Also used to inject one that nobody published."""
        with self._changing:
            clients = list(self._clients)
        for client in clients:
            client.hear(topic, content)

    def join(self, client: VirtualClient) -> None:
        with self._changing:
            self._clients.append(client)
            running, retained = self.running, dict(self._retained)
        if running:
            client.stands(True)
            for topic, content in retained.items():
                client.hear(topic, content)

    def leave(self, client: VirtualClient) -> None:
        with self._changing:
            if client in self._clients:
                self._clients.remove(client)


class VirtualClient:
    """Implements `ports.Broker`."""

    def __init__(self, broker: VirtualBroker, will: tuple[str, bytes] | None) -> None:
        self._broker = broker
        self._will = will
        self._topics: tuple[str, ...] = ()
        self._on_message: OnMessage | None = None
        self._on_state: OnState | None = None

    def start(self, topics: Sequence[str], on_message: OnMessage, on_state: OnState) -> None:
        self._topics, self._on_message, self._on_state = tuple(topics), on_message, on_state
        self._broker.join(self)

    def publish(self, topic: str, content: bytes, *, retain: bool = False) -> None:
        if self._on_message is not None:
            self._broker.accept(topic, content, retain)

    def alive(self) -> bool:
        return self._on_message is not None

    def close(self) -> None:
        if self._on_message is None:
            return
        if self._will is not None:
            self._broker.accept(*self._will, retain=True)
        self._broker.leave(self)
        self._on_message = self._on_state = None

    def wants(self, topic: str) -> bool:
        return any(_matches(wanted, topic) for wanted in self._topics)

    def hear(self, topic: str, content: bytes) -> None:
        if self._on_message is not None and self.wants(topic):
            self._on_message(topic, content)

    def stands(self, connected: bool) -> None:
        if self._on_state is not None:
            self._on_state(connected)


def _matches(wanted: str, topic: str) -> bool:
    wanted_parts, parts = wanted.split("/"), topic.split("/")
    return len(wanted_parts) == len(parts) and all(
        wanted_part in ("+", other) for wanted_part, other in zip(wanted_parts, parts, strict=True)
    )
