"""The storm's broker. It delays, loses, repeats and reorders messages, and cuts off whole parts of the house. It never
reads a message."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from felt.virtual.broker import OnMessage, OnState, VirtualBroker, VirtualClient
from tests.storm.hours import Hours

USUAL_MS = (0.2, 3.0)
Effect = Callable[[], None]


def _nothing() -> None:
    """The default when nobody listens."""


class Air(VirtualBroker):
    def __init__(self, hours: Hours, chance: random.Random) -> None:
        super().__init__()
        self._hours = hours
        self._chance = chance
        self.lost = self.doubled = self.reordered = 0.0
        self.slow_ms = 0
        self.cut_off: set[str] = set()  # names of the partitioned ends

    def guest(self, name: str, will: tuple[str, bytes], effect: Effect, heard: Effect = _nothing) -> Guest:
        """`effect` is called before it sends a message, `heard` after it receives one."""
        return Guest(self, name, will, effect, heard)

    def accept(self, topic: str, content: bytes, retain: bool) -> None:
        if not self.running:
            return
        if retain:
            self._retained[topic] = content
        self.carry(topic, content)

    def carry(self, topic: str, content: bytes) -> None:
        for client in list(self._clients):
            if client.wants(topic):
                self._send(client, topic, content)

    def _send(self, client: VirtualClient, topic: str, content: bytes) -> None:
        chance = self._chance
        times = 1
        if self.lost and chance.random() < self.lost:
            return
        if self.doubled and chance.random() < self.doubled:
            times = 2
        for _ in range(times):
            wait_ms = chance.uniform(*USUAL_MS)
            if self.slow_ms:
                wait_ms += chance.uniform(0, self.slow_ms)
            due_ns = self._hours.now_ns + int(wait_ms * 1_000_000)
            assert isinstance(client, Guest)
            if not (self.reordered and chance.random() < self.reordered):
                due_ns = client.line_free_ns = max(due_ns, client.line_free_ns)
            self._hours.at_ns(due_ns, lambda: client.hear(topic, content))


class Guest(VirtualClient):
    """One end. It can be partitioned away, and its power can fail between two of its words."""

    def __init__(self, air: Air, name: str, will: tuple[str, bytes], effect: Effect, heard: Effect) -> None:
        super().__init__(air, will)
        self._air = air
        self._name = name
        self._effect = effect
        self._heard = heard
        self._last_words = will
        self.line_free_ns = 0

    def start(self, topics: Sequence[str], on_message: OnMessage, on_state: OnState) -> None:
        self._known: dict[str, bool] = {}
        super().start(topics, on_message, on_state)

    def wants(self, topic: str) -> bool:
        known = self._known.get(topic)
        if known is None:
            known = self._known[topic] = super().wants(topic)
        return known

    def publish(self, topic: str, content: bytes, *, retain: bool = False) -> None:
        if self._name not in self._air.cut_off:
            self._effect()
            super().publish(topic, content, retain=retain)

    def hear(self, topic: str, content: bytes) -> None:
        if self._name not in self._air.cut_off:
            super().hear(topic, content)
            self._heard()

    def stands(self, connected: bool) -> None:
        super().stands(connected)
        self._heard()

    def vanish(self) -> None:
        """Its power fails. The broker notices after a while and publishes its last will."""
        self._broker.leave(self)
        self._on_message = self._on_state = None
        self._air._hours.after(1_500, lambda: self._air.accept(*self._last_words, retain=True))
