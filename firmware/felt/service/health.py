"""What the loop itself notices: a silent jackpot controller, dead driver threads, a full inbox, lamps found broken, a
stepped clock. The watchdog is patted while turns complete and driver threads live; an unplugged device is a fault, not
a restart."""

from __future__ import annotations

from felt.nouns.ids import Spot
from felt.nouns.stamps import NS_PER_S, Stamp
from felt.ports import Board, Link, Post
from felt.service.inbox import Inbox
from felt.table import facts
from felt.table.diagnosis import LAMP_FAULTS
from felt.table.facts import Fact
from felt.table.state import LinkState, Table
from felt.wire.feedback import GOOD

STEP_NS = 2 * NS_PER_S  # a wall clock that moves by more between two turns was set, and did not drift


class Health:
    def __init__(self, board: Board, link: Link, post: Post, inbox: Inbox, lost_s: int) -> None:
        self._board = board
        self._link = link
        self._post = post
        self._inbox = inbox
        self._lost_ns = lost_s * NS_PER_S
        self._heard_ns: int | None = None
        self._began_ns: int | None = None
        self._refused = 0
        self._intruder = ""
        self._offset_ns: int | None = None  # of the wall clock against the monotonic one

    def heard(self, now: Stamp) -> None:
        self._heard_ns = now.mono_ns

    def noticed(self, table: Table, now: Stamp) -> list[Fact]:
        return [
            *self._of_the_link(table, now),
            *self._of_the_house(table, now),
            *self._of_the_lamps(table, now),
            *self._of_the_clock(now),
        ]

    def _of_the_link(self, table: Table, now: Stamp) -> list[Fact]:
        if self._began_ns is None:
            self._began_ns = now.mono_ns
        since_ns = self._began_ns if self._heard_ns is None else self._heard_ns
        silent = now.mono_ns - since_ns >= self._lost_ns
        if silent and table.link is LinkState.UP:
            return [facts.LinkLost(now)]
        if not silent and self._heard_ns is not None and table.link is LinkState.LOST:
            return [facts.LinkFound(now)]
        return []

    def _of_the_house(self, table: Table, now: Stamp) -> list[Fact]:
        noticed: list[Fact] = []
        standing = {fault.code for fault in table.service.faults}
        if not self._board.alive() and "F-103" not in standing:
            noticed.append(facts.FaultRaised(now, "F-103", "board"))
        if self._inbox.refused > self._refused and "F-703" not in standing:
            noticed.append(facts.FaultRaised(now, "F-703", f"{self._inbox.refused} items refused"))
        self._refused = self._inbox.refused
        problem = self._post.problem()
        if problem and "F-305" not in standing:
            noticed.append(facts.FaultRaised(now, "F-305", problem))
        intruder = self._post.intruder()
        # While the fault stands, more of the same adds nothing; once a technician has cleared it, the next one counts.
        if intruder != self._intruder and "F-307" not in standing:
            noticed.append(facts.FaultRaised(now, "F-307", intruder))
        self._intruder = intruder
        return noticed

    def _of_the_lamps(self, table: Table, now: Stamp) -> list[Fact]:
        """A judgement is a level, not an event: it is held against what the table believes, and none is ever lost."""
        believed = {
            fault.where: state
            for state, code in LAMP_FAULTS.items()
            for fault in table.service.faults
            if fault.code == code
        }
        return [
            facts.LampFound(now, Spot(lamp), state)
            for lamp, state in self._board.lamps_found().items()
            if state != believed.get(lamp, GOOD)
        ]

    def _of_the_clock(self, now: Stamp) -> list[Fact]:
        offset_ns = now.wall_ns - now.mono_ns
        before_ns, self._offset_ns = self._offset_ns, offset_ns
        if before_ns is None or abs(offset_ns - before_ns) <= STEP_NS:
            return []
        return [facts.ClockStepped(now, offset_ns - before_ns)]

    def well(self) -> bool:
        return self._board.alive() and self._link.alive()
