"""Raw edges into settled levels. One debouncer serves every line of a board.

Only stamps decide. Edges wait in their line's queue until the caller says that everything up to some instant
has arrived; then they are played in stamp order, so the events are the same whenever and however often
`advance` is called. This room must not know what a line stands for, and it reads no clock.

The words, for a line with settle time S:

* A *burst* is a run of changes less than S apart. It ends when the line has kept one level for S.
* A burst of at most 4 S that ends on the other level is one `Settled`, dated by its first edge.
* A burst of at most 4 S that ends on the old level is one `Flickered`: neither lost nor believed.
* The edge that makes a burst longer than 4 S reports `Chattered`, once. When such a line comes to rest its
  level is told as `Settled(after_chatter=True)`, whichever it is: a fact about the level, never a bet.
* A level that was read while the line was at rest and contradicts its edges is `Disagreed`: an edge was lost.
  The line believes the reading from then on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from felt.nouns.stamps import NS_PER_MS

CHATTER_SETTLE_TIMES = 4
# A caller that stalls may leave this many edges of one line waiting. What is beyond is dropped and counted;
# the next reading of the level shows what it hid.
WAITING_EDGES_MAX = 8_192
WAITING_READINGS_MAX = 64
# How long an edge may be on its way, at the worst, before it counts as lost.
DELIVERY_WORST_MS = 100


class Settled(NamedTuple):
    line: str
    level: bool
    first_edge_ns: int
    settled_ns: int
    after_chatter: bool = False


class Flickered(NamedTuple):
    line: str
    first_edge_ns: int
    last_edge_ns: int


class Chattered(NamedTuple):
    line: str
    first_edge_ns: int
    last_edge_ns: int


class Disagreed(NamedTuple):
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


class _Dated(NamedTuple):
    """An event and the instant at which it became true, by which events of different lines are ordered."""

    due_ns: int
    event: Event


class _Reading(NamedTuple):
    ns: int
    level: bool


class Debouncer:
    def __init__(self, lines: Iterable[TimedLine], levels: Mapping[str, bool] | None = None) -> None:
        """Lines that `levels` does not name begin at rest, not active."""
        known = levels or {}
        self._lines = {
            line.name: _LineState(place, line, known.get(line.name, False)) for place, line in enumerate(lines)
        }
        self._awake: dict[int, _LineState] = {}  # lines with anything to come, by their places on the board
        # Most turns of a table bring nothing to any line: then the last answer still holds.
        self._due_ns: int | None = None
        self._due_is_known = True

    def edge(self, line: str, level: bool, ns: int) -> None:
        self._wake(line).add_edge(level, ns)

    def resync(self, line: str, level: bool, ns: int) -> None:
        """A level read at `ns`. It counts only if the line was at rest around that instant, so an edge that
        is still on its way never looks like a lost one."""
        self._wake(line).add_reading(level, ns)

    def _wake(self, name: str) -> _LineState:
        self._due_is_known = False
        line = self._lines[name]
        self._awake[line.place] = line
        return line

    def advance(self, now_ns: int) -> list[Event]:
        """What is certain by `now_ns`, which must be an instant up to which every edge has been fed."""
        due_ns = self.next_due_ns()
        if due_ns is None or due_ns > now_ns:
            return []
        dated: list[_Dated] = []
        due_ns = None
        for place in sorted(self._awake):
            step_ns = self._awake[place].play_until(now_ns, dated)
            if step_ns is None:
                del self._awake[place]
            elif due_ns is None or step_ns < due_ns:
                due_ns = step_ns
        self._due_ns = due_ns
        dated.sort(key=_due)  # stable: of one instant, in the order of the board's lines
        return [event for _, event in dated]

    def next_due_ns(self) -> int | None:
        """When there may be something new to say; None while every line is at rest."""
        if not self._due_is_known:
            instants = [ns for line in self._awake.values() if (ns := line.next_step_ns()) is not None]
            self._due_ns = min(instants, default=None)
            self._due_is_known = True
        return self._due_ns

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
        self._name = line.name
        self._settle_ns = line.settle_ms * NS_PER_MS
        # A stamp can be late, and an edge long on its way: only after that is a reading known to stand alone.
        self._reading_wait_ns = (line.settle_ms + line.late_ms_max + DELIVERY_WORST_MS) * NS_PER_MS
        self._seen = level
        self._first_edge_ns: int | None = None  # None: no burst is open
        self._last_edge_ns: int | None = None
        self._last_heard_ns: int | None = None  # of any edge, also one that tells the level already believed
        self._chattering = False
        self._edges: deque[_Reading] = deque()
        self._newest_ns: int | None = None
        self._readings: deque[_Reading] = deque(maxlen=WAITING_READINGS_MAX)

    def add_edge(self, level: bool, ns: int) -> None:
        if len(self._edges) >= WAITING_EDGES_MAX:
            self.dropped += 1
            return
        # Edges of one line come in order; where a stamp steps back, the order is right and the stamp is not.
        if self._newest_ns is not None:
            ns = max(ns, self._newest_ns)
        self._newest_ns = ns
        self._edges.append(_Reading(ns, level))

    def add_reading(self, level: bool, ns: int) -> None:
        self._readings.append(_Reading(ns, level))

    def next_step_ns(self) -> int | None:
        if self._first_edge_ns is None and not self._edges:
            # At rest, as nearly every line nearly always is.
            return self._readings[0].ns + self._reading_wait_ns if self._readings else None
        instants = [ns for ns in (self._rest_ns(), self._reading_ns(), self._edge_ns()) if ns is not None]
        return min(instants, default=None)

    def play_until(self, now_ns: int, dated: list[_Dated]) -> int | None:
        """Returns when the line has something to say next, if it has."""
        while (step_ns := self.next_step_ns()) is not None and step_ns <= now_ns:
            # At one instant: rest is reached, then a reading is judged, then the next edge begins something new.
            if step_ns == self._rest_ns():
                dated.append(_Dated(step_ns, self._come_to_rest(step_ns)))
            elif step_ns == self._reading_ns():
                dated.extend(_Dated(step_ns, event) for event in self._judge_reading())
            else:
                dated.extend(_Dated(step_ns, event) for event in self._take_edge())
        return step_ns

    def _rest_ns(self) -> int | None:
        if self._first_edge_ns is None or self._last_edge_ns is None:
            return None
        return self._last_edge_ns + self._settle_ns

    def _reading_ns(self) -> int | None:
        return self._readings[0].ns + self._reading_wait_ns if self._readings else None

    def _edge_ns(self) -> int | None:
        return self._edges[0].ns if self._edges else None

    def _take_edge(self) -> tuple[Event, ...]:
        ns, level = self._edges.popleft()
        self._last_heard_ns = ns
        if level == self._seen:
            return ()
        self._seen = level
        self._last_edge_ns = ns
        if self._first_edge_ns is None:
            self._first_edge_ns = ns
            return ()
        if self._chattering or ns - self._first_edge_ns <= CHATTER_SETTLE_TIMES * self._settle_ns:
            return ()
        self._chattering = True
        return (Chattered(self._name, self._first_edge_ns, ns),)

    def _come_to_rest(self, ns: int) -> Event:
        assert self._first_edge_ns is not None
        assert self._last_edge_ns is not None
        first_ns, last_ns, chattered = self._first_edge_ns, self._last_edge_ns, self._chattering
        changed = self._seen != self.level
        self.level = self._seen
        self._first_edge_ns = None
        self._chattering = False
        if changed or chattered:
            return Settled(self._name, self.level, first_ns, ns, chattered)
        return Flickered(self._name, first_ns, last_ns)

    def _judge_reading(self) -> tuple[Event, ...]:
        ns, level = self._readings.popleft()
        # An edge to the level already believed shows that another was lost before it: the reading is older news.
        in_motion = self._last_heard_ns is not None and self._last_heard_ns > ns - self._settle_ns
        if in_motion or level == self._seen:
            return ()
        self._seen = self.level = level
        return (Disagreed(self._name, level, ns),)
