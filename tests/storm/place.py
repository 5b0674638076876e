"""One table as the storm sees it: what truly happened at each contact and when, what left the table, and its power. The
table is the production loop on virtual ports. This module does not know what the table should do."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from felt.config import Config
from felt.journal.record import JournalBroken
from felt.loop.boot import BootRefused
from felt.loop.inbox import Answer, Edge, Order
from felt.nouns.stamps import NS_PER_MS
from felt.ports import BoardLine, DiskError, Post
from felt.stories.evening import NoWatchdog
from felt.table.keys import LOCK_KEY
from felt.table.state import Phase, Table, digest_of
from felt.virtual.disk import PowerCut
from felt.wiring import table_builder, table_settings
from tests.storm.hours import NEVER_NS, LocalClock
from tests.storm.ports import Cable, RiggedShuffler, StormBoard, StormDisk
from tests.storm.purse import Violation

if TYPE_CHECKING:
    from tests.storm.checkers import Checkers
    from tests.storm.house import House

SETTLE_MS = 20
HONEST_DELIVERY_MS = 9  # within the delay that the intake allows an edge
BLUR_NS = 40 * NS_PER_MS  # two acts at one spot this close together can look like one
STARTS_TRIED_MAX = 12
IDLE_NS = 500 * NS_PER_MS  # the longest sleep of the real loop
STEP_NS = NS_PER_MS // 10
# How long an edge waits in the inbox of a table that is not quick: about as long as it would have to settle anyway.
EDGE_NS, KEY_UP_NS = 35 * NS_PER_MS, 80 * NS_PER_MS
REFUSED_VERSION, FLOODED = "F-404", "F-206"
UNHEARD_NS = 5_000 * NS_PER_MS  # three seconds without an answer lose the link; a slow table notices it later
_PONG = b'{"is":"Pong"'
ACTS_KEPT = 512  # for each spot: a restless hand moves a chip a hundred times during one lock


class Act(NamedTuple):
    """A chip that was truly put down or taken away."""

    world_ns: int
    present: bool
    lost: bool  # its edge never reached the table, or reached it much later
    blurred: bool  # so long, or so near to another movement of the spot, that the two may be confused


class Press(NamedTuple):
    """A true press of the lock key."""

    boot: str
    stamp_ns: int
    world_ns: int
    told_ns: int  # when this boot last received the meters; 0: never


class Silence(NamedTuple):
    """A time span without a message from the jackpot controller."""

    begun_ns: int
    ended_ns: int


class Place:
    def __init__(self, house: House, index: int, config: Config, seed: int, *, lies: bool = False) -> None:
        self.house = house
        self.hours = house.hours
        self.name = config.table.id
        self.config = config
        self.seats = config.table.seats
        self.chance = random.Random(seed * 7 + 1)
        self.late_ms_max = self.chance.choice((0, 0, 4, 8))
        self.edges_lost = self.edges_delayed = 0  # in a hundred
        self.acts: dict[str, list[Act]] = {}
        self.presses: list[Press] = []
        self._told_ns = self._heard_ns = 0
        self._silences: list[Silence] = []
        self.replied: dict[str, int] = {}  # answered orders, by kind
        self.seated: set[tuple[int, str]] = set()  # boxes that a supervisor was asked to seat
        self.handed_back: set[tuple[int, str]] = set()  # chips that a supervisor returned after a question
        self.dirty_until_ns: dict[str, int] = {}
        self.stuck_until_ns: dict[str, int] = {}
        self._shaken_ns: dict[str, int] = {}  # the last edge of the noise on a spot
        self.letters: list[bytes] = []
        self.checkers: Checkers = house.checkers_of(self)
        self.clock = LocalClock(self.hours, self.chance.choice((-90, -20, 0, 0, 20, 90)), f"{index}{1:07x}")
        self.disk = StormDisk(random.Random(seed * 7 + 2).randrange, self._disk_is_slow, lie_about_sync=lies)
        self.device = RiggedShuffler(self.hours, random.Random(seed * 7 + 3), packets=self.chance.random() < 0.75)
        self.index = index
        self.boots = 1
        self.versions = 0
        self.sync_ms = 0  # how long the next syncs take
        self.board: StormBoard = self._new_board({})
        self.cable: Cable
        self.post: Post
        self.running: table_builder.BuiltTable | None = None
        self._pace_ns = self.chance.choice((0, 10, 25, 25, 40, 40)) * NS_PER_MS  # how long a turn takes
        self.due_ns = NEVER_NS
        self._floods_over = False
        self._starts_failed = 0
        self._life = 0  # counts starts of the firmware: messages to an earlier start are lost
        self._line_free_ns: dict[str, int] = {}
        self._line_stamp_ns: dict[str, int] = {}
        self._arrives_ns = 0  # the last edge that was sent
        self._effects_left = 0
        self._start()

    @property
    def table(self) -> Table:
        assert self.running is not None, f"{self.name} is dark"
        return self.running.loop.table

    def live_digest(self) -> str:
        return digest_of(self.table)

    @property
    def phase(self) -> Phase | None:
        return None if self.running is None else self.running.loop.table.phase

    def tell(self, text: str) -> None:
        self.house.tell(text, self)

    def fire(self, fault: str, text: str) -> None:
        self.house.fire(fault, text, self)

    # --- what leaves the table -----------------------------------------------------------------------

    def _new_board(self, levels: dict[str, bool]) -> StormBoard:
        lines = tuple(
            BoardLine(name, SETTLE_MS, True, self.late_ms_max) for name in table_settings.line_names(self.config)
        )
        board = StormBoard(lines, table_settings.lamp_names(self.config), self._lamp, self.clock.now_ns)
        board.begin(levels)
        return board

    def _lamp(self, lamp: str, pattern: str) -> None:
        self.house.note(f"{self.name}{lamp}={pattern}")
        self.effect()

    def effect(self) -> None:
        """Called when something leaves the table. The power may fail at that moment."""
        if self._effects_left:
            self._effects_left -= 1
            if not self._effects_left:
                self.fire("cut between effects", "the power fails between two effects of one turn")
                self.disk.power_cut()
                raise PowerCut

    def cut_after_effects(self, count: int) -> None:
        self._effects_left = count

    def put(self, item: Answer | Edge | Order) -> None:
        """Input is taken a little later, because the previous turn may still be syncing."""
        if self.running is not None:
            if isinstance(item, Answer):
                self._hears(item.content)
            self.running.loop.inbox.put(item)
            wait_ns = self._pace_ns
            if wait_ns and isinstance(item, Edge):
                wait_ns = EDGE_NS if item.level else KEY_UP_NS
            self._due_in(wait_ns)

    def _hears(self, answer: bytes) -> None:
        now_ns = self.hours.now_ns
        if now_ns - self._heard_ns > UNHEARD_NS:
            self._silences.append(Silence(self._heard_ns, now_ns))
        self._heard_ns = now_ns
        if answer.startswith(_PONG):
            self._told_ns = now_ns

    def silences(self) -> list[Silence]:
        """The long silences of this boot, and one that may have begun."""
        return [*self._silences, Silence(self._heard_ns, NEVER_NS)]

    def _due_in(self, wait_ns: int) -> None:
        due_ns = self.hours.now_ns + wait_ns
        if due_ns < self.due_ns:
            self.due_ns = due_ns
            self.hours.turn_wanted(due_ns)

    def _disk_is_slow(self) -> None:
        if self.sync_ms:
            self.hours.now_ns += int(self.chance.uniform(0, self.sync_ms) * NS_PER_MS)

    # --- turns ---------------------------------------------------------------------------------------

    def run(self) -> None:
        """Runs turns while there is something to do. After a power cut or a crash the table is restarted later."""
        try:
            self._turns()
        except PowerCut:
            self._went_dark(cut=True)
        except JournalBroken as broken:
            self.tell(f"the journal is broken: {broken}")
            self._went_dark(cut=self.chance.random() < 0.5)

    def _turns(self) -> None:
        assert self.running is not None
        loop = self.running.loop
        if self.hours.now_ns >= self.cable.next_due_ns():
            self.cable.deliver(self.clock.now_ns())
        loop.tick()
        while not loop.inbox.empty():
            loop.tick()
        self.checkers.looked(self)
        due_ns = min(self.clock.world_ns(loop.next_due_ns()), self.cable.next_due_ns())
        now_ns = self.hours.now_ns
        self.due_ns = min(max(due_ns, now_ns + max(STEP_NS, self._pace_ns)), now_ns + IDLE_NS)

    def flood(self, piece: bytes, times: int, every_ms: float) -> None:
        """The shuffler repeats this message."""
        for number in range(times):
            self.hours.after(number * every_ms, partial(self._pour, piece))

    def end_floods(self) -> None:
        """Repairs the shuffler and has a technician clear the fault; otherwise the table waits until it trusts the
        device again."""
        self._floods_over = True
        standing = [] if self.running is None else self.table.service.faults
        for fault in standing:
            if fault.code == FLOODED:
                fields = {"code": fault.code, "where": fault.where, "person": "technician"}
                self.order("FaultCleared", fields, lambda _: None)

    def _pour(self, piece: bytes) -> None:
        if self.running is not None and not self._floods_over:
            self.cable.pour(piece, self.clock.now_ns())
            self.hurry()

    def hurry(self) -> None:
        """The device has a message to send."""
        if self.running is not None:
            self._due_in(STEP_NS)

    # --- power ---------------------------------------------------------------------------------------

    def lights_out(self) -> None:
        if self.running is not None:
            self.fire("cut between ticks", "the power fails")
            self._went_dark(cut=True)

    def stop_and_start(self, *, upgrade: bool = False) -> None:
        if self.running is None:
            return
        cut = False
        try:
            self.running.loop.stop()
            self.versions += upgrade
        except (PowerCut, JournalBroken) as problem:
            cut = isinstance(problem, PowerCut)
        self._went_dark(cut=cut)

    def _went_dark(self, *, cut: bool) -> None:
        self.checkers.heard(self)  # messages sent before the stop still count
        self.running = None
        self.due_ns = NEVER_NS
        self._effects_left = 0
        if cut:
            self.disk.power_cut()
        self.house.left(self)
        off_ms = self.chance.randrange(200, 9_000) if cut else self.chance.randrange(1, 400)
        self.hours.after(off_ms, partial(self._start, cut=cut))

    def _start(self, *, cut: bool = False) -> None:
        """Starts the firmware on the current content of the disk."""
        self._life += 1
        self._line_stamp_ns.clear()
        self._line_free_ns.clear()
        self.disk.capacity_bytes = None
        if self._life > 1:
            self.boots += 1
            self.clock.reboot(f"{self.index}{self.boots:07x}")
            self._told_ns, self._heard_ns = 0, self.hours.now_ns
            self._silences.clear()
        try:
            self._boot()
        except PowerCut:
            self.fire("cut at boot", "the power fails again while it starts")
            self._not_started(cut=True)
        except (JournalBroken, DiskError) as problem:
            self.tell(f"no start: {problem}")
            self._not_started(cut=False)
        except BootRefused as refused:
            self._refused(refused)
        else:
            self._starts_failed = 0
            self.tell("the firmware runs" + (" after a power cut" if cut else ""))
            self.checkers.booted(self)

    def _boot(self) -> None:
        self.disk.power_on()
        stuck, levels = self.board.stuck, dict(self.board.levels())
        self.board = self._new_board(levels)
        self.board.stuck = stuck
        self.cable = Cable(self.device, self.hours)
        post = self.house.post_for(self)
        self.post = post
        running = table_builder.build(
            self.config, self.board, self.cable, clock=self.clock, disk=self.disk, post=post, watchdog=NoWatchdog(),
            nonce=lambda: f"{self.index:08x}", firmware=f"1.{self.versions}",
        )  # fmt: skip
        self.running = running
        running.loop.start()
        self._due_in(0)

    def _refused(self, refused: BootRefused) -> None:
        if refused.code == REFUSED_VERSION and self.versions:
            self.tell(f"the former version is put back: {refused}")
            self.versions -= 1
            self._not_started(cut=False)
        elif self.disk.rotten and refused.code == "F-401":
            self.tell(f"damage is found, and the copy is put back: {refused}")
            self.disk.restore()
            self._not_started(cut=False)
        else:
            raise Violation(f"{self.name} does not start: {refused}") from refused

    def _not_started(self, *, cut: bool) -> None:
        self._starts_failed += 1
        if self._starts_failed > STARTS_TRIED_MAX:
            raise Violation(f"{self.name} did not start in {STARTS_TRIED_MAX} tries")
        self._went_dark(cut=cut)

    # --- contacts ------------------------------------------------------------------------------------

    def contact(self, line: str, level: bool, *, lost: bool, delay_ms: float) -> int:
        """Changes the contact now; the edge reaches the table later or never. Returns the edge's stamp."""
        self.board.drive_unnoticed(line, level)
        self._arrives_ns = self.hours.now_ns
        now_ns = self.clock.now_ns()
        late_ns = self.chance.randrange(self.late_ms_max * NS_PER_MS + 1) if self.chance.random() < 0.7 else 0
        stamp_ns = max(now_ns + late_ns, self._line_stamp_ns.get(line, 0))
        if lost or self.running is None:
            return stamp_ns
        arrives_ns = self.clock.world_ns(stamp_ns) + int(delay_ms * NS_PER_MS)
        arrives_ns = max(arrives_ns, self._line_free_ns.get(line, 0))
        self._line_free_ns[line] = self._arrives_ns = arrives_ns
        self._line_stamp_ns[line] = stamp_ns
        life = self._life
        self.hours.at_ns(arrives_ns, lambda: self.put(Edge(line, level, stamp_ns)) if life == self._life else None)
        return stamp_ns

    def fate(self) -> tuple[bool, float]:
        """Whether the next edge is lost, and its delay."""
        if self.running is None:
            return True, 0
        lot = -1 if self.board.dead else self.chance.randrange(100)
        if lot < self.edges_lost:
            self.house.fired["lost edge"] += 1
            return True, 0
        if lot < self.edges_lost + self.edges_delayed:
            self.house.fired["delayed edge"] += 1
            return False, self.chance.uniform(15, 400)
        return False, self.chance.uniform(0, HONEST_DELIVERY_MS)

    def intended(self, spot: str) -> bool:
        acts = self.acts.get(spot, ())
        return acts[-1].present if acts else False

    def move_chip(self, spot: str, present: bool, after_ms: float = 0, bounces: int = 0) -> None:
        self.hours.after(after_ms, lambda: self._chip_moved(spot, present, bounces))

    def _chip_moved(self, spot: str, present: bool, bounces: int) -> None:
        if self.intended(spot) == present:
            return
        lost, delay_ms = self.fate()
        now_ns = self.hours.now_ns
        acts = self.acts.setdefault(spot, [])
        blurred = now_ns < self.dirty_until_ns.get(spot, 0)
        if acts and now_ns - acts[-1].world_ns < BLUR_NS:
            blurred = True
            acts[-1] = acts[-1]._replace(blurred=True)
        self.tell(f"chip {'on' if present else 'off'} {spot}{' (edge lost)' if lost else ''} {delay_ms:.1f} ms")
        if spot in self.board.stuck:
            acts.append(Act(now_ns, present, lost=True, blurred=True))
            return
        self.contact(spot, present, lost=lost, delay_ms=delay_ms)
        # A quick edge may still wait behind a slow one of the same line.
        late = self._arrives_ns - now_ns > (HONEST_DELIVERY_MS + self.late_ms_max) * NS_PER_MS
        acts.append(Act(now_ns, present, lost or late, blurred))
        if len(acts) > ACTS_KEPT:
            del acts[: ACTS_KEPT // 2]
        self._wobble(spot, bounces, lost, delay_ms)

    def _wobble(self, line: str, bounces: int, lost: bool, delay_ms: float) -> None:
        after_ms = 0.0
        for _ in range(bounces):
            for away in (True, False):
                after_ms += self.chance.uniform(0.3, 2)
                due_ns = self.hours.now_ns + int(after_ms * NS_PER_MS)
                self.hours.at_ns(due_ns, partial(self._bounce, line, away, lost, delay_ms, due_ns))

    def _bounce(self, line: str, away: bool, lost: bool, delay_ms: float, due_ns: int) -> None:
        """While a slow disk held up the loop, this movement became longer than any contact's."""
        acts = self.acts.get(line)
        if acts and self.hours.now_ns > due_ns:
            acts[-1] = acts[-1]._replace(blurred=True)
        self._to(line, away, lost, delay_ms)

    def _to(self, line: str, away: bool, lost: bool, delay_ms: float) -> None:
        level = self.intended(line) != away
        if line not in self.board.stuck and self.board.level_of(line) != level:
            self.contact(line, level, lost=lost, delay_ms=delay_ms)

    def shake(self, spot: str, for_ms: float, step_ms: float) -> None:
        """Contact noise that means nothing: a touch, or chatter."""
        self.dirty_until_ns[spot] = self.hours.now_ns + int(for_ms * NS_PER_MS) + BLUR_NS
        acts = self.acts.get(spot)
        if acts and self.hours.now_ns - acts[-1].world_ns < BLUR_NS:
            acts[-1] = acts[-1]._replace(blurred=True)
        self._shaken_ns.pop(spot, None)
        after_ms, away = 0.0, True
        began_ns = self.hours.now_ns
        while after_ms < for_ms:
            due_ns = began_ns + int(after_ms * NS_PER_MS)
            self.hours.at_ns(due_ns, partial(self._shaken, spot, away, due_ns))
            after_ms, away = after_ms + self.chance.uniform(step_ms / 2, step_ms), not away
        end_ns = began_ns + int(for_ms * NS_PER_MS)
        self.hours.at_ns(end_ns, partial(self._shaken, spot, False, end_ns))

    def _shaken(self, spot: str, away: bool, due_ns: int) -> None:
        """Noise is one burst that ends where it began, so it changes nothing. If a slow disk stretches it until its
        edges are a settle time apart, it looks like a movement that nobody made, as from a stuck sensor."""
        apart_ns = self.hours.now_ns - self._shaken_ns.get(spot, self.hours.now_ns)
        if self.hours.now_ns > due_ns and apart_ns >= (SETTLE_MS - self.late_ms_max) * NS_PER_MS:
            self.stuck_until_ns[spot] = max(self.stuck_until_ns.get(spot, 0), self.hours.now_ns)
        self._shaken_ns[spot] = self.hours.now_ns
        self._to(spot, away, False, 1)

    def stick(self, spot: str, for_ms: float) -> None:
        """The sensor is stuck at its level until somebody repairs it."""
        self.board.stuck.add(spot)
        self.stuck_until_ns[spot] = NEVER_NS
        self.hours.after(for_ms, lambda: self.unstick(spot))

    def unstick(self, spot: str) -> None:
        if spot in self.board.stuck:
            self.board.stuck.discard(spot)
            self._to(spot, False, False, 1)
            self.stuck_until_ns[spot] = self.hours.now_ns + 1_000 * NS_PER_MS

    def press_key(self, key: str, after_ms: float = 0, hold_ms: float = 50) -> None:
        """Schedules the key to go down and up soon. Nobody waits for it."""
        line = f"key.{key}"
        self.hours.after(after_ms, lambda: self._key_moved(line, True))
        self.hours.after(after_ms + hold_ms, lambda: self._key_moved(line, False))

    def _key_moved(self, line: str, down: bool) -> None:
        if self.board.level_of(line) == down:
            return
        lost, delay_ms = self.fate()
        if down:
            self.tell(f"key {line}{' (edge lost)' if lost else ''} {delay_ms:.1f} ms")
        stamp_ns = self.contact(line, down, lost=lost, delay_ms=delay_ms)
        if down and line == LOCK_KEY.line:
            self.presses.append(Press(self.clock.boot, stamp_ns, self.hours.now_ns, self._told_ns))
            del self.presses[:-40]

    def turn_switch(self, name: str) -> None:
        """Turns the switch to its other position and leaves it there."""
        line = f"key.{name}"
        self._key_moved(line, not self.board.level_of(line))

    # --- orders --------------------------------------------------------------------------------------

    def order(self, kind: str, fields: dict[str, Any], heard: Callable[[str], None]) -> None:
        """`heard` receives the reply, unless the power fails before it comes."""
        if self.running is None:
            return

        def reply(reason: str) -> None:
            if not reason:
                self.replied[kind] = self.replied.get(kind, 0) + 1
            self.tell(f"order {kind} {fields}: {reason or 'done'}")
            heard(reason)

        self.put(Order(kind, fields, reply))
