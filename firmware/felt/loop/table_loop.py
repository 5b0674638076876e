"""The table controller's loop: one thread that takes from the inbox, thinks, writes and speaks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from felt.evidence.audit_result import LastAudit
from felt.evidence.checkpoints import CheckpointWriter
from felt.loop.boot import close_era, take_snapshot
from felt.loop.guarded_adapter import GuardedAdapter
from felt.loop.health import Health, Watched
from felt.loop.inbox import Answer, Edge, Inbox, ShufflerBytes, ShufflerState, Source
from felt.loop.intake import Intake, Taken
from felt.loop.outward import Outward
from felt.loop.picture import Picture
from felt.loop.shuffler_intake import ShufflerConversation, ShufflerIntake
from felt.loop.shuffler_talk import ShufflerTalk
from felt.loop.turn import Turn
from felt.nouns.cards import Card
from felt.nouns.stamps import NS_PER_S, Stamp
from felt.nouns.values import Value
from felt.ports import Board, Clock, Disk, DiskError, Link, Post, Watchdog
from felt.table import facts, redacted, views
from felt.table.chart import Refusal
from felt.table.facts import Fact
from felt.table.handover import era_may_close
from felt.table.redacted import PublicTable
from felt.table.state import Phase, Table

IDLE_WAIT_S = 0.5
REREAD_NS = NS_PER_S  # how often every level is read again
_ENDS = (Phase.PAYING, Phase.VOIDING)


class World(Value):
    """The ports of a table."""

    clock: Clock
    board: Board
    link: Link
    post: Post
    watchdog: Watchdog
    disk: Disk
    last_audit: LastAudit
    software: str = ""  # what differs from the delivered software


class ConfiguredShuffler(Value):
    """The device at the other end of the link, as configured."""

    adapter: GuardedAdapter
    orders_the_deal: bool  # the table orders the deal; otherwise the dealer presses the device's own key


class TableLoop:
    def __init__(
        self,
        world: World,
        turn: Turn,
        lost_s: int,
        levels_at_boot: dict[str, bool],
        shuffler: ConfiguredShuffler,
        checkpoints: CheckpointWriter,
    ) -> None:
        self._world = world
        self._turn = turn
        self._checkpoints = checkpoints
        self._round_ended = False
        self.inbox = Inbox(lambda: world.clock.stamp().mono_ns)
        adapter, talk = shuffler.adapter, ShufflerConversation()
        cards = ShufflerIntake(adapter, talk, world.link)
        self._intake = Intake(world.board.lines(), levels_at_boot, cards)
        speaker = ShufflerTalk(adapter, world.link, talk, orders_the_deal=shuffler.orders_the_deal)
        self._outward = Outward(world.board, speaker, world.post, self._intake.controller_clock)
        kept = (world.disk, world.last_audit, self.inbox, world.software)
        self._health = Health(Watched(world.board, world.post, *kept), lost_s)
        self._reread_ns: int | None = None
        self.on_turn: Callable[[], None] = _nobody
        self._shown_of, self._shown = self.table, redacted.table_of(self.table)
        self.refusals: list[Refusal] = []  # of the last turn

    @property
    def table(self) -> Table:
        """The whole table, with its hidden cards. Nobody outside this room reads it."""
        return self._turn.table

    def shown(self) -> PublicTable:
        """The table for everybody else. Called by the thinking thread."""
        if self._shown_of is not self.table:
            self._shown_of, self._shown = self.table, redacted.table_of(self.table)
        return self._shown

    def own_hand(self, seat: int) -> tuple[Card, ...]:
        """What a player sees who picks up his cards. For virtual tables, where players hold no paper."""
        return () if self.table.round is None else redacted.own_hand(self.table.round, seat)

    def start(self) -> None:
        """Speaks for the first time: the journal is replayed, and the boot and the box's own faults are durable."""
        put = self.inbox.put
        self._world.board.start(lambda line, level, ns: put(Edge(line, level, ns)))
        self._world.link.start(
            lambda content, ns: put(ShufflerBytes(content, ns)), lambda connected: put(ShufflerState(connected))
        )
        self._world.post.start(lambda content: put(Answer(content)))
        now = self._world.clock.stamp()
        found = self._health.noticed(self.table, now)
        if found:
            self._write(found, now)
        self._checkpoints.note(self._turn.store.last_fact)
        self._outward.speak(self.table, self._turn.store.head, now, [])
        self._world.watchdog.ready()

    def tick(self, wait_s: float = 0) -> None:
        """Runs one turn, possibly an idle one."""
        arrivals = self.inbox.take(wait_s)
        now = self._world.clock.stamp()
        table = self._turn.table
        taken = self._intake.take(arrivals, table, now, shuffler_waits=self.inbox.waits(Source.SHUFFLER))
        if taken.heard:
            self._health.heard(now)
        # People and devices come first, because the positions of orders count from the turn's beginning.
        happened = [*taken.facts, *self._health.noticed(table, now)]
        refusals = self._write(happened, now) if happened else []
        self.refusals = [refusal for refusal in refusals if refusal is not None]
        table = self._turn.table
        self._outward.speak(table, self._turn.store.head, now, taken.answers)
        _reply(taken, refusals)
        self._reread(now)
        if self._health.well():
            self._world.watchdog.pat()
        self.on_turn()
        if self._round_ended and self.inbox.empty():
            self._attest(now)

    def picture(self) -> Picture:
        """The table and what stands beside it, for readers. Called by the thinking thread between turns."""
        clock, turn = self._world.clock, self._turn
        meters = dict(self._world.post.meters())
        return Picture(
            self.shown(), self._intake.keys_down(), meters, turn.store.head, clock.stamp(), self.inbox.refused.total()
        )

    def wait_s(self) -> float:
        """How long nothing will be due without input."""
        now_ns = self._world.clock.stamp().mono_ns
        return min(IDLE_WAIT_S, max(0.0, (self.next_due_ns() - now_ns) / NS_PER_S))

    def next_due_ns(self) -> int:
        """When the loop must run again even without input."""
        due_ns, deadline = self._intake.next_due_ns(), views.next_deadline(self._turn.table)
        if deadline is None:
            return self._outward.next_due_ns() if due_ns is None else due_ns
        return deadline.due_ns if due_ns is None else min(due_ns, deadline.due_ns)

    def stop(self) -> None:
        """Stops in good order: a table without an open round or question closes its era, and outputs are made safe."""
        self._world.watchdog.stopping()
        self.close_books()
        self.close()

    def close_books(self) -> None:
        if era_may_close(self.table):
            close_era(self._turn, self._world.clock.stamp())
        self._checkpoints.attest(self._turn.store.last_fact, self._world.clock.stamp().wall_ns)

    def close(self) -> None:
        self._world.board.close()
        self._world.link.close()
        self._world.post.close()

    def _write(self, happened: list[Fact], now: Stamp) -> list[Refusal | None]:
        before = self.table.phase
        refusals = self._turn.take(happened)
        if before in _ENDS and self.table.phase is Phase.IDLE:
            self._between_rounds(now)
        return refusals

    def _between_rounds(self, now: Stamp) -> None:
        # A missing snapshot only slows the next boot.
        with contextlib.suppress(DiskError):
            take_snapshot(self._turn, now)
        if self._turn.store.wants_rotation:
            self._turn.store.rotate()
        self._round_ended = True

    def _attest(self, now: Stamp) -> None:
        """After everything else has been said, so that a signature delays nobody."""
        self._round_ended = False
        self._checkpoints.round_ended(self._turn.store.last_fact, now.wall_ns)
        self._say_trouble(now)

    def _say_trouble(self, now: Stamp) -> None:
        witness = self._checkpoints.witness
        if witness is not None and witness.trouble and not self._stands("F-413"):
            self._write([facts.FaultRaised(now, "F-413", witness.place)], now)

    def _stands(self, code: str) -> bool:
        return any(fault.code == code for fault in self.table.service.faults)

    def _reread(self, now: Stamp) -> None:
        if self._reread_ns is None or now.mono_ns - self._reread_ns >= REREAD_NS:
            self._reread_ns = now.mono_ns
            try:
                levels = self._world.board.levels()
            except OSError as error:
                self._health.levels_unread(str(error))
                return
            self._health.levels_unread("")
            # Stamped after the reading, not at the turn's beginning: a sync may lie between, and a chip that came
            # during it would look like a lost edge.
            self._intake.reread(levels, self._world.clock.stamp())


def _reply(taken: Taken, refusals: list[Refusal | None]) -> None:
    for asked in taken.asked:
        refusal = refusals[asked.place]
        asked.reply(refusal.sentence if refusal else "")
    for reply, reason in taken.refused:
        reply(reason)


def _nobody() -> None:
    pass
