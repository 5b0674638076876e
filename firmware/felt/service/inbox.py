"""Where driver threads leave what they saw. Bounded: a full inbox counts what it refuses, it does not grow, and whoever
gave an order is told at once that it was not taken."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any

from felt.nouns.named import NamedTuple

INBOX_MAX = 16_384
TURN_MAX = 64
FULL = "The table cannot keep up with its inputs and did not take the order: give it again."


class Edge(NamedTuple):
    line: str
    level: bool
    ns: int


class ShufflerBytes(NamedTuple):
    content: bytes
    ns: int


class ShufflerState(NamedTuple):
    connected: bool


class Answer(NamedTuple):
    content: bytes


class Order(NamedTuple):
    """A person's act, as the fact it becomes without its stamp. `reply` is told what came of it, after the
    act is durable: an empty text, or the reason of a refusal."""

    kind: str
    fields: dict[str, Any]
    reply: Callable[[str], None]


Item = Edge | ShufflerBytes | ShufflerState | Answer | Order


class Inbox:
    def __init__(self, limit: int = INBOX_MAX) -> None:
        self._queue: queue.SimpleQueue[Item | None] = queue.SimpleQueue()
        self._limit = limit
        self.refused = 0

    def put(self, item: Item) -> None:
        if self._queue.qsize() >= self._limit:
            self.refused += 1
            if isinstance(item, Order):
                item.reply(FULL)
        else:
            self._queue.put(item)

    def wake(self) -> None:
        """End a wait without bringing anything. Whoever handles a signal does so: in Python 3.11 a wait that a signal
        interrupts at its very end begins again without an end."""
        self._queue.put(None)

    def take(self, wait_s: float) -> list[Item]:
        """Up to a turn's worth; waits only for the first."""
        items: list[Item] = []
        try:
            first = self._queue.get(timeout=wait_s) if wait_s > 0 else self._queue.get_nowait()
            while True:
                if first is not None:
                    items.append(first)
                if len(items) >= TURN_MAX:
                    break
                first = self._queue.get_nowait()
        except queue.Empty:
            pass
        return items

    def empty(self) -> bool:
        return self._queue.empty()
