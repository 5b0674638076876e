"""Where driver threads put what they saw. Each source has its own bounded box, and each turn takes its share from
each box, so a flooding source fills only its own box and delays nobody else. Refusals of a full box are counted, and
the giver of an order hears at once that it was not taken. Shares decide what is taken; stamps decide the order
within a turn."""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import Value

FULL = "The table cannot keep up with its inputs and did not take the order: give it again."
# A turn takes every waiting edge, so that a key is never behind anything.
EDGES_MAX = 16_384
LINE_EDGES_MAX = 1_024  # of one line
LINE_EDGES_SURE = 64  # guaranteed to each line, even if others have filled the box


class Source(StrEnum):
    BOARD = "board"
    DESK = "desk"
    LINK = "link"
    SHUFFLER = "shuffler"


class Limits(Value):
    items: int  # waiting items
    content_bytes: int
    share_items: int  # items that one turn takes
    share_bytes: int
    age_ns: int  # items older than this are dropped; 0: never


LIMITS = {
    Source.DESK: Limits(256, 1 << 20, 16, 1 << 20, 0),
    Source.LINK: Limits(1_024, 1 << 20, 64, 64 * 1024, 10 * NS_PER_S),
    Source.SHUFFLER: Limits(16_384, 64 * 1024, 4_096, 8 * 1024, 2 * NS_PER_S),
}


class Edge(Value):
    line: str
    level: bool
    ns: int


class ShufflerBytes(Value):
    content: bytes
    ns: int


class ShufflerState(Value):
    connected: bool


class Answer(Value):
    content: bytes


class Order(Value):
    """A person's act: the fact that it becomes, without its stamp. `reply` receives the result once the act is
    durable: an empty text, or the reason of a refusal."""

    kind: str
    fields: dict[str, Any]
    reply: Callable[[str], None]


Item = Edge | ShufflerBytes | ShufflerState | Answer | Order


class Arrival(Value):
    """An item and when it happened: its own stamp, or when it was put here."""

    ns: int
    item: Item


class Inbox:
    def __init__(self, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._now_ns = now_ns
        self._lock = threading.Lock()
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._edges: deque[Arrival] = deque()
        self._edges_of: Counter[str] = Counter()
        self._boxes = {source: _Box(limits) for source, limits in LIMITS.items()}
        self.refused: Counter[Source] = Counter()
        self.refused_edges: Counter[str] = Counter()  # by line

    def put(self, item: Item) -> None:
        with self._lock:
            taken = self._put_edge(item) if isinstance(item, Edge) else self._put(item)
        if taken:
            if self._bell.empty():
                self._bell.put(None)
        elif isinstance(item, Order):
            item.reply(FULL)

    def wake(self) -> None:
        """Ends a wait without an item. A signal handler must call it: in Python 3.11 a wait that a signal interrupts
        at its very end starts again without a timeout."""
        self._bell.put(None)

    def take(self, wait_s: float) -> list[Arrival]:
        """One turn's items in order of their stamps. Waits only if nothing is there."""
        self._quiet_the_bell()
        arrivals = self._collect()
        if not arrivals and wait_s > 0:
            try:
                self._bell.get(timeout=wait_s)
            except queue.Empty:
                return []
            arrivals = self._collect()
        return arrivals

    def empty(self) -> bool:
        return not self._edges and not any(box.waiting for box in self._boxes.values())

    def waits(self, source: Source) -> bool:
        return bool(self._edges) if source is Source.BOARD else bool(self._boxes[source].waiting)

    def _put_edge(self, edge: Edge) -> bool:
        of_line = self._edges_of[edge.line]
        if of_line >= LINE_EDGES_MAX or (len(self._edges) >= EDGES_MAX and of_line >= LINE_EDGES_SURE):
            self.refused[Source.BOARD] += 1
            self.refused_edges[edge.line] += 1
            return False
        self._edges_of[edge.line] = of_line + 1
        self._edges.append(Arrival(edge.ns, edge))
        return True

    def _put(self, item: Order | Answer | ShufflerBytes | ShufflerState) -> bool:
        source = _source_of(item)
        ns = item.ns if isinstance(item, ShufflerBytes) else self._now_ns()
        if self._boxes[source].put(Arrival(ns, item)):
            return True
        self.refused[source] += 1
        return False

    def _collect(self) -> list[Arrival]:
        with self._lock:
            now_ns = self._now_ns()
            edges, self._edges = self._edges, deque()
            self._edges_of.clear()
            taken = [list(edges)]
            for source, box in self._boxes.items():
                taken.append(box.take_share())
                self.refused[source] += box.drop_old(now_ns)
        # Within one source the order of arrival is right, even if a stamp steps back.
        return sorted((arrival for of_source in taken for arrival in _in_order(of_source)), key=_ns)

    def _quiet_the_bell(self) -> None:
        while not self._bell.empty():
            self._bell.get()


class _Box:
    """The waiting items of one source."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._content_bytes = 0
        self.waiting: deque[Arrival] = deque()

    def put(self, arrival: Arrival) -> bool:
        size = _size(arrival.item)
        if len(self.waiting) >= self._limits.items or self._content_bytes + size > self._limits.content_bytes:
            return False
        self.waiting.append(arrival)
        self._content_bytes += size
        return True

    def take_share(self) -> list[Arrival]:
        """At least one item, whatever its size."""
        share: list[Arrival] = []
        left_bytes = self._limits.share_bytes
        while self.waiting and len(share) < self._limits.share_items and left_bytes > 0:
            arrival = self._popped()
            left_bytes -= _size(arrival.item)
            share.append(arrival)
        return share

    def drop_old(self, now_ns: int) -> int:
        """Returns how many were dropped."""
        dropped = 0
        while self._limits.age_ns and self.waiting and now_ns - self.waiting[0].ns > self._limits.age_ns:
            self._popped()
            dropped += 1
        return dropped

    def _popped(self) -> Arrival:
        arrival = self.waiting.popleft()
        self._content_bytes -= _size(arrival.item)
        return arrival


def _source_of(item: Order | Answer | ShufflerBytes | ShufflerState) -> Source:
    match item:
        case Order():
            return Source.DESK
        case Answer():
            return Source.LINK
    return Source.SHUFFLER


def _size(item: Item) -> int:
    return len(item.content) if isinstance(item, ShufflerBytes | Answer) else 0


def _in_order(arrivals: list[Arrival]) -> list[Arrival]:
    latest_ns = 0
    ordered = []
    for arrival in arrivals:
        latest_ns = max(latest_ns, arrival.ns)
        ordered.append(Arrival(latest_ns, arrival.item))
    return ordered


def _ns(arrival: Arrival) -> int:
    return arrival.ns
