"""Raw edges into settled levels. One debouncer serves every line of a board.

Only stamps decide. Edges wait in their line's queue until the caller says that everything up to some instant
has arrived; then they are played in stamp order, so the events are the same whenever and however often
`advance` is called. This room must not know what a line stands for, and it reads no clock.

The words, for a line with settle time S:

* A *burst* is a run of changes less than S apart. It ends when the line has kept one level for S.
* A burst of at most 4 S that ends on the other level is one `Settled`, dated by its first edge.
* A burst of at most 4 S that ends on the old level is one `Flickered`: it has changed nothing.
* The edge that makes a burst longer than 4 S reports `Chattered`, once. When such a line comes to rest its
  level is told as `Settled(after_chatter=True)`, whichever it is.
* Every event of a burst tells its first and last edge, so that whoever asks about an instant knows whether the burst
  lay across it.
* Stamps tell what is one burst, also where an edge came so late that its burst was told as settled before: what is told
  then has the same first edge.
* A level that was read while the line was at rest and contradicts its edges is `Disagreed`: an edge was lost.
  The line believes the reading from then on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from felt.nouns.stamps import BURST_SETTLE_TIMES, NS_PER_MS
from felt.nouns.values import Value

# A caller that stalls may leave this many edges of one line waiting. What is beyond is dropped and counted;
# the next reading of the level shows what it hid.
WAITING_EDGES_MAX = 8_192
WAITING_READINGS_MAX = 64
# How long an edge may be on its way, at the worst, before it counts as lost.
DELIVERY_WORST_MS = 100


class Settled(Value):
    line: str
    level: bool
    first_edge_ns: int
    last_edge_ns: int
    after_chatter: bool = False


class Flickered(Value):
    line: str
    first_edge_ns: int
    last_edge_ns: int


class Chattered(Value):
    line: str
    first_edge_ns: int
    last_edge_ns: int


class Disagreed(Value):
    line: str
    level: bool
    ns: int


Event = Settled | Flickered | Chattered | Disagreed


class TimedLine(Protocol):
    """What the debouncer needs of a line; `ports.Line` has it."""

    @property
    def name(self) -> str: ...

    @property
    def settle_ms(self) -> int: ...

    @property
    def late_ms_max(self) -> int: ...


class _Dated(Value):
    """An event and the instant at which it became true, by which events of different lines are ordered."""

    due_ns: int
    event: Event


_Reading = tuple[int, bool]  # when, and which level
_NEVER = 1 << 64  # after any stamp


class Debouncer:
    def __init__(self, lines: Iterable[TimedLine], levels: Mapping[str, bool] | None = None) -> None:
        """Lines that `levels` does not name begin at rest, not active."""
        known = levels or {}
        self._lines = {
            line.name: _LineState(place, line, known.get(line.name, False)) for place, line in enumerate(lines)
        }
        self._awake: dict[int, _LineState] = {}  # lines with anything to come, by their places on the board
        self._due_ns = _NEVER  # the first of what is to come
        self._advanced_ns = -1
        # Readings of the whole board, for the lines that were at rest on the level that was read.
        self._readings: deque[tuple[int, Mapping[str, bool]]] = deque(maxlen=WAITING_READINGS_MAX)
        self._reading_wait_ns = max((line.reading_wait_ns for line in self._lines.values()), default=0)

    def edge(self, line: str, level: bool, ns: int) -> None:
        state = self._lines[line]
        self._wake(state)
        state.add_edge(level, ns)
        self._due_ns = min(self._due_ns, state.due_ns)

    def resync(self, line: str, level: bool, ns: int) -> None:
        """A level read at `ns`. It counts only if the line was at rest around that instant, so an edge that
        is still on its way never looks like a lost one."""
        state = self._lines[line]
        self._wake(state)
        state.add_reading(level, ns)
        self._due_ns = min(self._due_ns, state.due_ns)

    def resync_all(self, levels: Mapping[str, bool], ns: int) -> None:
        """Every level, read at `ns`; `levels` is not changed any more. Of a line at rest that agrees nothing can come
        unless an edge comes late, so one note serves all of those, and nobody need be woken for it."""
        while self._readings and self._readings[0][0] + self._reading_wait_ns <= self._advanced_ns:
            self._readings.popleft()
        for name, level in levels.items():
            state = self._lines[name]
            if state.level != level or state.place in self._awake:
                self.resync(name, level, ns)
        self._readings.append((ns, levels))

    def _wake(self, line: _LineState) -> None:
        """With the readings that it slept through and that are not judged yet."""
        if line.place in self._awake:
            return
        self._awake[line.place] = line
        for ns, levels in self._readings:
            if line.name in levels and ns + line.reading_wait_ns > self._advanced_ns:
                line.add_reading(levels[line.name], ns)

    def advance(self, now_ns: int) -> list[Event]:
        """What is certain by `now_ns`, which must be an instant up to which every edge has been fed."""
        self._advanced_ns = now_ns
        if self._due_ns > now_ns:
            return []
        dated: list[_Dated] = []
        for place in sorted(self._awake):
            line = self._awake[place]
            if line.due_ns <= now_ns:
                line.play_until(now_ns, dated)
                if line.due_ns == _NEVER:
                    del self._awake[place]
        self._due_ns = min([line.due_ns for line in self._awake.values()], default=_NEVER)
        dated.sort(key=_due)  # stable: of one instant, in the order of the board's lines
        return [one.event for one in dated]

    def next_due_ns(self) -> int | None:
        """When there may be something new to say; None while every line is at rest."""
        return None if self._due_ns == _NEVER else self._due_ns

    def burst_began_ns(self, line: str) -> int | None:
        """The first edge of the burst that is open on the line, or that begins with an edge which waits; None at
        rest."""
        return self._lines[line].burst_began_ns()

    def moving_since_ns(self, is_meant: Callable[[str], bool]) -> int | None:
        """When the first of the lines that are meant left its rest, of those that have not come to rest again. One that
        chatters is not waited for."""
        lines = [line for line in self._awake.values() if is_meant(line.name) and not line.chattering]
        began = [line.burst_began_ns() for line in lines]
        return min((ns for ns in began if ns is not None), default=None)

    def levels(self) -> dict[str, bool]:
        """The level each line is believed to have, as of the last `advance`."""
        return {name: line.level for name, line in self._lines.items()}

    def dropped_edges(self) -> int:
        return sum(line.dropped for line in self._lines.values())


def _due(dated: _Dated) -> int:
    return dated.due_ns


class _LineState:
    """One line: the level believed, the level last seen, and the burst that may be open between them."""

    def __init__(self, place: int, line: TimedLine, level: bool) -> None:
        self.place = place
        self.level = level
        self.dropped = 0
        self.due_ns = _NEVER  # when it has something to say, or may have
        self.name = line.name
        self._settle_ns = line.settle_ms * NS_PER_MS
        # A stamp can be late, and an edge long on its way: only after that is a reading known to stand alone.
        self.reading_wait_ns = (line.settle_ms + line.late_ms_max + DELIVERY_WORST_MS) * NS_PER_MS
        self._seen = level
        self._began_ns: int | None = None  # None: no burst is open
        self._last_began_ns = 0  # the first edge of the last burst
        self._last_edge_ns: int | None = None
        self._last_heard_ns: int | None = None  # of any edge, also one that tells the level already believed
        self.chattering = False
        self._edges: deque[_Reading] = deque()
        self._newest_ns: int | None = None  # of any edge that came
        self._readings: deque[_Reading] = deque(maxlen=WAITING_READINGS_MAX)

    def burst_began_ns(self) -> int | None:
        if self._began_ns is not None:
            return self._began_ns
        return next((ns for ns, level in self._edges if level != self._seen), None)

    def add_edge(self, level: bool, ns: int) -> None:
        if len(self._edges) >= WAITING_EDGES_MAX:
            self.dropped += 1
            return
        # Edges of one line come in order; where a stamp steps back, the order is right and the stamp is not.
        if self._newest_ns is not None:
            ns = max(ns, self._newest_ns)
        self._newest_ns = ns
        self._edges.append((ns, level))
        self.due_ns = min(self.due_ns, self._told_from_ns(ns))

    def _told_from_ns(self, edge_ns: int) -> int:
        """Of an edge that begins a burst there is nothing to say before it had the time to settle."""
        return edge_ns if self._began_ns is not None or self._continues(edge_ns) else edge_ns + self._settle_ns

    def _continues(self, edge_ns: int) -> bool:
        """An edge that came so late that its burst seemed to be at rest belongs to it all the same."""
        return self._last_edge_ns is not None and edge_ns - self._last_edge_ns < self._settle_ns

    def add_reading(self, level: bool, ns: int) -> None:
        self._readings.append((ns, level))
        self.due_ns = min(self.due_ns, ns + self.reading_wait_ns)

    def play_until(self, now_ns: int, dated: list[_Dated]) -> None:
        while True:
            rest_ns = edge_ns = _NEVER
            if self._began_ns is not None and self._last_edge_ns is not None:
                rest_ns = self._last_edge_ns + self._settle_ns
            if self._edges:
                edge_ns = self._edges[0][0]
            reading_ns = self._readings[0][0] + self.reading_wait_ns if self._readings else _NEVER
            step_ns = min(rest_ns, reading_ns, edge_ns)
            if step_ns > now_ns:
                self.due_ns = min(rest_ns, reading_ns, self._told_from_ns(edge_ns) if self._edges else _NEVER)
                return
            # At one instant: rest is reached, then a reading is judged, then the next edge begins something new.
            if step_ns == rest_ns:
                event: Event | None = self._come_to_rest()
            elif step_ns == reading_ns:
                event = self._judge_reading()
            else:
                event = self._take_edge()
            if event is not None:
                dated.append(_Dated(step_ns, event))

    def _take_edge(self) -> Event | None:
        ns, level = self._edges.popleft()
        self._last_heard_ns = ns
        if level == self._seen:
            return None
        self._seen = level
        if self._began_ns is None:
            self._began_ns = self._last_began_ns = self._last_began_ns if self._continues(ns) else ns
        self._last_edge_ns = ns
        if self.chattering or ns - self._began_ns <= BURST_SETTLE_TIMES * self._settle_ns:
            return None
        self.chattering = True
        return Chattered(self.name, self._began_ns, ns)

    def _come_to_rest(self) -> Event:
        assert self._began_ns is not None
        assert self._last_edge_ns is not None
        first_ns, last_ns, chattered = self._began_ns, self._last_edge_ns, self.chattering
        changed = self._seen != self.level
        self.level = self._seen
        self._began_ns = None
        self.chattering = False
        if changed or chattered:
            return Settled(self.name, self.level, first_ns, last_ns, chattered)
        return Flickered(self.name, first_ns, last_ns)

    def _judge_reading(self) -> Event | None:
        ns, level = self._readings.popleft()
        # An edge to the level already believed shows that another was lost before it: the reading is older news.
        in_motion = self._last_heard_ns is not None and self._last_heard_ns > ns - self._settle_ns
        if in_motion or level == self._seen:
            return None
        self._seen = self.level = level
        return Disagreed(self.name, level, ns)
