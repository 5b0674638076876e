"""What the loop itself detects: a silent jackpot controller, dead driver threads, hardware that does not answer, a
full inbox, a filling disk, audit findings, broken lamps, a stepped clock. The watchdog is patted while
turns complete and the threads of the board and the jackpot link respond. A shuffler that is unplugged or whose line
hangs is a fault, never a restart."""

from __future__ import annotations

from felt.evidence.audit_result import OLD_NS, Audit, LastAudit, Verdict
from felt.loop.inbox import Inbox, Source
from felt.nouns.ids import Spot
from felt.nouns.stamps import NS_PER_S, Stamp
from felt.nouns.values import Value
from felt.ports import Board, Disk, DiskError, Post
from felt.table import facts, opening
from felt.table.facts import Fact
from felt.table.maintenance import BY_ITSELF, LAMP_FAULTS
from felt.table.state import LinkState, StandingFault, Table
from felt.wire.feedback import GOOD

STEP_NS = 2 * NS_PER_S  # a larger change of the wall clock between two turns is a step, not drift
MEGABYTE = 1_000_000
# Free space on the journal's disk. Below the first limit a technician is warned. Below the second no round is opened,
# and the round in play still has plenty of room.
ROOM_LOW_BYTES = 300 * MEGABYTE
ROOM_LEAST_BYTES = 60 * MEGABYTE
LOOK_NS = 10 * NS_PER_S  # interval of checking the disk and the last audit


class Watched(Value):
    """What can fail around a table."""

    board: Board
    post: Post
    disk: Disk
    last_audit: LastAudit
    inbox: Inbox
    software: str  # what differed from the delivered software when the table started


class Health:
    def __init__(self, watched: Watched, lost_s: int) -> None:
        self._board, self._post, self._disk = watched.board, watched.post, watched.disk
        self._last_audit, self._inbox, self._software = watched.last_audit, watched.inbox, watched.software
        self._lost_ns = lost_s * NS_PER_S
        self._heard_ns: int | None = None
        self._began_ns: int | None = None
        self._refused: dict[str, int] = {}
        self._intruder = ""
        self._offset_ns: int | None = None  # of the wall clock against the monotonic clock
        self._unread = ""  # why the levels could not be read
        self._looked_ns: int | None = None

    def heard(self, now: Stamp) -> None:
        self._heard_ns = now.mono_ns

    def levels_unread(self, why: str) -> None:
        """Empty if they were read."""
        self._unread = why

    def noticed(self, table: Table, now: Stamp) -> list[Fact]:
        return [
            *self._of_the_link(table, now),
            *self._of_the_house(table, now),
            *self._of_what_is_kept(table, now),
            *self._of_the_lamps(table, now),
            *self._of_the_clock(now),
            *_of_the_rulebook(table, now),
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
        found: list[StandingFault] = []
        if not self._board.alive():
            found.append(StandingFault("F-103", "board"))
        unanswered = self._unread or self._board.problem()
        if unanswered:
            found.append(StandingFault("F-111", unanswered))
        found.extend(self._of_the_inbox())
        problem = self._post.problem()
        if problem:
            found.append(StandingFault("F-305", problem))
        false_sign = self._post.sign_problem()
        if false_sign:
            found.append(StandingFault("F-309", false_sign))
        intruder = self._post.intruder()
        # While the fault stands, further messages change nothing. After a technician cleared it, the next message
        # counts.
        if intruder != self._intruder:
            found.append(StandingFault("F-307", intruder))
        self._intruder = intruder
        return _news(found, table, now) if found else []

    def _of_the_inbox(self) -> list[StandingFault]:
        """Sources that send more than their box holds. A shuffler's flood is reported where its messages are read."""
        refused = {
            **{f"F-112 {line}": count for line, count in self._inbox.refused_edges.items()},
            "F-308 link": self._inbox.refused[Source.LINK],
            "F-703 desk": self._inbox.refused[Source.DESK],
        }
        before, self._refused = self._refused, refused
        grown = [name for name, count in refused.items() if count > before.get(name, 0)]
        return [StandingFault(*name.split(" ", 1)) for name in grown]

    def _of_what_is_kept(self, table: Table, now: Stamp) -> list[Fact]:
        if self._looked_ns is not None and now.mono_ns - self._looked_ns < LOOK_NS:
            return []
        self._looked_ns = now.mono_ns
        audit = self._last_audit()
        software = self._software or (audit.software if audit else "")
        found = (
            self._of_the_room(table),
            _of_the_software(table, software),
            _of_the_audit(table, audit, now),
            StandingFault("F-411", audit.clock) if audit and audit.clock else None,
        )
        return [*_room_again(table, found[0], now), *_news([fault for fault in found if fault is not None], table, now)]

    def _of_the_room(self, table: Table) -> StandingFault | None:
        """What stops the table is reported between rounds, so the round in play is finished."""
        try:
            free = self._disk.free_bytes()
        except DiskError as error:
            return StandingFault("F-406", str(error))
        if free < ROOM_LEAST_BYTES and table.round is None:
            return StandingFault("F-407", _short_of(ROOM_LEAST_BYTES))
        return StandingFault("F-406", _short_of(ROOM_LOW_BYTES)) if free < ROOM_LOW_BYTES else None

    def _of_the_lamps(self, table: Table, now: Stamp) -> list[Fact]:
        """A verdict is a level, not an event: it is compared with what the table believes, so none is lost."""
        found = self._board.lamps_found()
        if not found:
            return []
        believed = {
            fault.where: state
            for state, code in LAMP_FAULTS.items()
            for fault in table.service.faults
            if fault.code == code
        }
        return [
            facts.LampFound(now, Spot(lamp), state)
            for lamp, state in found.items()
            if state != believed.get(lamp, GOOD)
        ]

    def _of_the_clock(self, now: Stamp) -> list[Fact]:
        offset_ns = now.wall_ns - now.mono_ns
        before_ns, self._offset_ns = self._offset_ns, offset_ns
        if before_ns is None or abs(offset_ns - before_ns) <= STEP_NS:
            return []
        return [facts.ClockStepped(now, offset_ns - before_ns)]

    def well(self) -> bool:
        """Whether every thread that carries something responds. A post that names its problem still works; a post
        that died silently does not."""
        return self._board.alive() and (self._post.alive() or bool(self._post.problem()))


def _short_of(limit: int) -> str:
    """True as long as the fault stands, however much is free meanwhile."""
    needed = ROOM_LEAST_BYTES // MEGABYTE
    return f"less than {limit // MEGABYTE} MB are free, {needed} MB are needed to open a round"


def _room_again(table: Table, found: StandingFault | None, now: Stamp) -> list[Fact]:
    """A shortage that ended clears by itself, but a person still puts a stopped table back into service."""
    gone = {None: ("F-406", "F-407"), "F-406": ("F-407",)}.get(found.code if found else None, ())
    standing = [fault for fault in table.service.faults if fault.code in gone]
    return [facts.FaultCleared(now, fault.code, fault.where, BY_ITSELF) for fault in standing]


def _news(found: list[StandingFault], table: Table, now: Stamp) -> list[Fact]:
    """Leaves out what already stands."""
    standing = [fault.code for fault in table.service.faults]
    return [facts.FaultRaised(now, fault.code, fault.where) for fault in found if fault.code not in standing]


def _of_the_rulebook(table: Table, now: Stamp) -> list[Fact]:
    """A level too: the clock is compared with what the table believes about it."""
    early = table.settings is not None and not opening.rulebook_is_in_force(table, now.wall_ns)
    return [] if early == table.service.clock_early else [facts.ClockJudged(now, early)]


def _of_the_software(table: Table, changed: str) -> StandingFault | None:
    """As of the start and the last audit. Software that changes under a running table runs only after its next
    start."""
    return StandingFault("F-410", changed) if changed and table.round is None else None


def _of_the_audit(table: Table, audit: Audit | None, now: Stamp) -> StandingFault | None:
    if audit is None:
        return None
    if audit.verdict is Verdict.BAD:
        return StandingFault("F-408", audit.sentence) if table.round is None else None
    age_ns = now.wall_ns - audit.at_ns
    if age_ns > OLD_NS:
        return StandingFault("F-409", f"the last audit was {age_ns // (24 * 3600 * NS_PER_S)} days ago")
    return StandingFault("F-409", audit.sentence) if audit.verdict is Verdict.UNDONE else None
