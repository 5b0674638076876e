"""Turns raw edges into settled levels. One debouncer serves every line of a board.

Only stamps decide. Edges wait in their line's queue until the caller says that everything up to some instant has
arrived. Then they are played in stamp order, so the events do not depend on when or how often `advance` is called.
This module does not know what a line stands for, and it reads no clock.

The terms, for a line with settle time S:

* A *burst* is a run of changes less than S apart. It ends when the line has kept one level for S.
* A burst of at most 4 S that ends on the other level is one `Settled`, dated by its first edge.
* A burst of at most 4 S that ends on the old level is one `Flickered`: nothing has changed.
* The edge that makes a burst longer than 4 S reports `Chattered`, once. When the line comes to rest, its level is
  reported as `Settled(after_chatter=True)`, whichever level it is.
* Every event of a burst carries its first and last edge, so a caller can tell whether the burst lay across an instant.
* Stamps decide what belongs to a burst, even if an edge arrives after its burst was reported as settled. The later
  report then has the same first edge.
* A level that was read at rest and contradicts the line's edges is `Disagreed`: an edge was lost. From then on the
  line believes the reading.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from felt.nouns.stamps import BURST_SETTLE_TIMES, NS_PER_MS
from felt.nouns.values import Value

# A caller that stalls may leave this many edges of one line waiting. Further edges are dropped; the next reading of the
# level shows what they hid.
WAITING_EDGES_MAX = 8_192
WAITING_READINGS_MAX = 64
# The longest delivery before an edge counts as lost.
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
    """The properties of a line that the debouncer needs; `ports.Line` has them."""

    @property
    def name(self) -> str: ...

    @property
    def settle_ms(self) -> int: ...

    @property
    def late_ms_max(self) -> int: ...


class _Dated(Value):
    """An event and the instant when it became true. Events of several lines are sorted by that instant."""

    due_ns: int
    event: Event


_Reading = tuple[int, bool]  # when, and which level
_NEVER = 1 << 64  # later than any stamp


class Debouncer:
    def __init__(self, lines: Iterable[TimedLine], levels: Mapping[str, bool] | None = None) -> None:
        """Lines missing from `levels` begin at rest and inactive."""
        known = levels or {}
        self._lines = {
            line.name: _LineState(place, line, known.get(line.name, False)) for place, line in enumerate(lines)
        }
        self._awake: dict[int, _LineState] = {}  # lines with something pending, by position on the board
        self._due_ns = _NEVER  # when the first of them is due
        self._advanced_ns = -1
        # Readings of the whole board, for lines that were at rest at the level that was read.
        self._readings: deque[tuple[int, Mapping[str, bool]]] = deque(maxlen=WAITING_READINGS_MAX)
        self._reading_wait_ns = max((line.reading_wait_ns for line in self._lines.values()), default=0)

    def edge(self, line: str, level: bool, ns: int) -> None:
        state = self._lines[line]
        self._wake(state)
        state.add_edge(level, ns)
        self._due_ns = min(self._due_ns, state.due_ns)

    def resync(self, line: str, level: bool, ns: int) -> None:
        """Adds a level read at `ns`. It counts only if the line was at rest around that instant, so an edge in
        transit never looks like a lost edge."""
        state = self._lines[line]
        self._wake(state)
        state.add_reading(level, ns)
        self._due_ns = min(self._due_ns, state.due_ns)

    def resync_all(self, levels: Mapping[str, bool], ns: int) -> None:
        """Adds readings of every line at `ns`; the caller must not change `levels` afterwards. A line at rest that
        agrees needs no work unless an edge comes late, so one shared note serves all of those."""
        while self._readings and self._readings[0][0] + self._reading_wait_ns <= self._advanced_ns:
            self._readings.popleft()
        for name, level in levels.items():
            state = self._lines[name]
            if state.level != level or state.place in self._awake:
                self.resync(name, level, ns)
        self._readings.append((ns, levels))

    def _wake(self, line: _LineState) -> None:
        """Wakes a line and hands it the pending readings that it slept through."""
        if line.place in self._awake:
            return
        self._awake[line.place] = line
        for ns, levels in self._readings:
            if line.name in levels and ns + line.reading_wait_ns > self._advanced_ns:
                line.add_reading(levels[line.name], ns)

    def advance(self, now_ns: int) -> list[Event]:
        """The events that are certain by `now_ns`. Every edge up to that instant must have been fed."""
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
        dated.sort(key=_due)  # stable sort: events of one instant keep the order of the board's lines
        return [event.event for event in dated]

    def next_due_ns(self) -> int | None:
        """When the next event may be due; None while every line is at rest."""
        return None if self._due_ns == _NEVER else self._due_ns

    def burst_began_ns(self, line: str) -> int | None:
        """The first edge of the line's open burst, or of the burst that a waiting edge will open; None at rest."""
        return self._lines[line].burst_began_ns()

    def moving_since_ns(self, is_meant: Callable[[str], bool]) -> int | None:
        """When the first of the selected lines that are still moving left its rest. A chattering line does not
        count."""
        lines = [line for line in self._awake.values() if is_meant(line.name) and not line.chattering]
        began = [line.burst_began_ns() for line in lines]
        return min((ns for ns in began if ns is not None), default=None)

    def levels(self) -> dict[str, bool]:
        """The level that each line is believed to have, as of the last `advance`."""
        return {name: line.level for name, line in self._lines.items()}


def _due(dated: _Dated) -> int:
    return dated.due_ns


class _LineState:
    """One line: the believed level, the last level seen, and the open burst between them, if any."""

    def __init__(self, place: int, line: TimedLine, level: bool) -> None:
        self.place = place
        self.level = level
        self.due_ns = _NEVER  # when it may have something to report
        self.name = line.name
        self._settle_ns = line.settle_ms * NS_PER_MS
        # Stamps may be late and edges may be delayed; only after this long does a reading stand alone.
        self.reading_wait_ns = (line.settle_ms + line.late_ms_max + DELIVERY_WORST_MS) * NS_PER_MS
        self._seen = level
        self._began_ns: int | None = None  # None: no burst is open
        self._last_began_ns = 0  # the first edge of the last burst
        self._last_edge_ns: int | None = None
        self._last_heard_ns: int | None = None  # of any edge, including one that repeats the believed level
        self.chattering = False
        self._edges: deque[_Reading] = deque()
        self._newest_ns: int | None = None  # of any edge at all
        self._readings: deque[_Reading] = deque(maxlen=WAITING_READINGS_MAX)

    def burst_began_ns(self) -> int | None:
        if self._began_ns is not None:
            return self._began_ns
        return next((ns for ns, level in self._edges if level != self._seen), None)

    def add_edge(self, level: bool, ns: int) -> None:
        if len(self._edges) >= WAITING_EDGES_MAX:
            return
        # Edges of one line arrive in order. If a stamp steps back, the order is right and the stamp is wrong.
        if self._newest_ns is not None:
            ns = max(ns, self._newest_ns)
        self._newest_ns = ns
        self._edges.append((ns, level))
        self.due_ns = min(self.due_ns, self._told_from_ns(ns))

    def _told_from_ns(self, edge_ns: int) -> int:
        """An edge that begins a burst has nothing to report until it had time to settle."""
        return edge_ns if self._began_ns is not None or self._continues(edge_ns) else edge_ns + self._settle_ns

    def _continues(self, edge_ns: int) -> bool:
        """A late edge still belongs to its burst, even if the burst seemed to be at rest."""
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
            # At one instant: first the line comes to rest, then a reading is judged, then the next edge starts
            # something new.
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
        # An edge to the believed level shows that an earlier edge was lost, so the reading is older than that edge.
        in_motion = self._last_heard_ns is not None and self._last_heard_ns > ns - self._settle_ns
        if in_motion or level == self._seen:
            return None
        self._seen = self.level = level
        return Disagreed(self.name, level, ns)
