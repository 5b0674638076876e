"""One table's evening as the simulator owns it: what truly happened at every contact and when, what left the table,
what reached the office. The table itself is the production service; nothing here knows what it should do."""

from __future__ import annotations

import hashlib
import heapq
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from felt.jackpot.office import Office
from felt.journal.record import JournalBroken
from felt.nouns.stamps import NS_PER_MS
from felt.ports import DiskError, Line, Post
from felt.service import wiring
from felt.service.boot import BootRefused
from felt.service.inbox import Answer, Edge, Order
from felt.virtual.disk import PowerCut
from tests.evening import Evening
from tests.storm.checkers import Checkers, Violation
from tests.storm.ports import RiggedShuffler, Road, StormBoard, StormDisk

SETTLE_MS = 20
LOCK_KEY = "key.no_more_bets"
HONEST_DELIVERY_MS = 9  # within what the intake allows an edge on its way
BLUR_NS = 40 * NS_PER_MS  # two acts at one spot this close can look like one
BOOTS_TRIED_MAX = 12
READINGS = (
    ("outcome_established_by", "cards_known_to_machine"),
    ("power_cut_in_betting", "void"),
    ("void_window", "until_end_round"),
    ("card_before_lock", "card_removed"),
    ("power_cut_after_cards_seen", "continue_5_17"),
    ("failure_while_betting", "spots_closed"),
    ("one_spot_dead_after_lock", "only_if_bet_there"),
    ("registered_value", "with_own_contribution"),
)


def _house(chance: random.Random) -> list[str]:
    """Houses differ: boxes, dealing method, and readings of what the rulebook leaves open."""
    readings = [f"game.readings.{name}={value}" for name, value in READINGS if chance.random() < 0.25]
    dealing = chance.choice(("packets", "packets", "one_by_one"))
    segment = chance.choice((4_096, 20_000, 4_194_304))
    sizes = [f"table.seats={chance.choice((5, 6, 7))}", f"journal.segment_bytes={segment}", "link.lost_s=3"]
    return [*sizes, f"game.dealing={dealing}", *readings]


class Act(NamedTuple):
    """A chip put down or taken away, as it truly happened."""

    world_ns: int
    present: bool
    lost: bool  # its edge never reached the table, or reached it long after
    blurred: bool  # so near to another movement of the spot that the two may look like one


class Press(NamedTuple):
    """The lock key, pressed."""

    boot: str
    stamp_ns: int
    world_ns: int


class World(Evening):
    def __init__(
        self, seed: int, checkers: Checkers, *, lie_about_sync: bool = False, story: list[str] | None = None
    ) -> None:
        """`story`: where the evening is told, if somebody listens."""
        self.rough = random.Random(seed * 7 + 3)
        self.late_ms_max = self.rough.choice((0, 0, 4, 8))
        self.letters_lost = self.letters_repeated = self.answers_lost = False
        self.answer_delay_ms = 0
        self.edges_lost = self.edges_delayed = 0  # in a hundred
        self.story = story
        self.fired: Counter[str] = Counter()
        self.digest = hashlib.sha256()
        self.acts: dict[str, list[Act]] = {}
        self.presses: list[Press] = []
        self.replied: Counter[str] = Counter()  # orders that were answered, by kind
        self.seated: set[tuple[int, str]] = set()  # boxes that a supervisor has been asked to seat
        self.dirty_until_ns: dict[str, int] = {}
        self.checkers = checkers
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._written = 0
        self._life = 0  # counts starts of the firmware: what was on its way to a former one is gone
        self._line_free_ns: dict[str, int] = {}
        self._line_stamp_ns: dict[str, int] = {}
        self._arrives_ns = 0  # the last edge that set out
        self._effects_left = 0
        disk = StormDisk(random.Random(seed * 7 + 1).randrange, lie_about_sync=lie_about_sync)
        device = RiggedShuffler(random.Random(seed * 7 + 2), packets=self.rough.random() < 0.3)
        super().__init__(seed, _house(self.rough), disk=disk, device=device)
        self.seats = self.config.table.seats
        self.disk: StormDisk = disk
        self.device: RiggedShuffler = device
        self.board: StormBoard
        self.checkers.booted(self)

    # --- telling -------------------------------------------------------------------------------------

    def tell(self, text: str) -> None:
        self.digest.update(text.encode())
        if self.story is not None:
            phase = self.running.service.table.phase if self.running else "dark"
            self.story.append(f"{self.world_ns() / 1e9:10.4f} s  {phase:<11}  {text}")

    def fire(self, fault: str, text: str) -> None:
        self.fired[fault] += 1
        self.tell(f"~ {text}")

    # --- ports ---------------------------------------------------------------------------------------

    def new_board(self) -> StormBoard:
        names = wiring.line_names(self.config)
        lines = tuple(Line(name, SETTLE_MS, True, self.late_ms_max) for name in names)
        return StormBoard(lines, wiring.lamp_names(self.config), self._lamp, self.clock.now_ns)

    def way_to_the_office(self, post: Post) -> Post:
        return Road(post, self)

    def _lamp(self, lamp: str, pattern: str) -> None:
        super()._lamp(lamp, pattern)
        self.digest.update(f"{lamp}={pattern}".encode())
        self.effect()

    def put(self, item: Answer | Edge) -> None:
        if self.running is not None:
            self.running.service.inbox.put(item)

    def effect(self) -> None:
        """Something left the table; the power may fail just then."""
        if self._effects_left:
            self._effects_left -= 1
            if not self._effects_left:
                self.fire("cut between effects", "the power fails between two effects of one turn")
                self.disk.power_cut()
                raise PowerCut

    def cut_after_effects(self, count: int) -> None:
        self._effects_left = count

    # --- time ----------------------------------------------------------------------------------------

    def at(self, after_ms: float, happen: Callable[[], None]) -> None:
        self._at_ns(self.world_ns() + int(after_ms * NS_PER_MS), happen)

    def _at_ns(self, world_ns: int, happen: Callable[[], None]) -> None:
        self._written += 1
        heapq.heappush(self._agenda, (world_ns, self._written, happen))

    def advance(self, ms: float) -> None:
        """As in any evening; whatever goes dark or breaks is started again before it returns."""
        until_ns = self.world_ns() + int(ms * NS_PER_MS)
        while self.world_ns() < until_ns:
            try:
                self._run_until(until_ns)
            except PowerCut:
                self._start_again(cut=True)
            except JournalBroken as broken:
                self.tell(f"the journal is broken: {broken}")
                self._start_again(cut=self.rough.random() < 0.5)

    def _run_until(self, until_ns: int) -> None:
        while self.world_ns() < until_ns:
            assert self.running is not None
            due_ns = self.booted_ns + min(self.running.service.next_due_ns(), self.link.next_due_ns())
            due_ns = max(due_ns, self.world_ns() + NS_PER_MS // 10)
            if self._agenda:
                due_ns = min(due_ns, self._agenda[0][0])
            self.clock.advance_to(min(due_ns, until_ns) - self.booted_ns)
            self.tick()

    def tick(self) -> None:
        self._happen()
        super().tick()
        self.checkers.looked(self)

    def _happen(self) -> None:
        while self._agenda and self._agenda[0][0] <= self.world_ns():
            heapq.heappop(self._agenda)[2]()

    # --- power ---------------------------------------------------------------------------------------

    def lights_out(self) -> None:
        self.fire("cut between ticks", "the power fails")
        self._start_again(cut=True)

    def stop_and_start(self) -> None:
        assert self.running is not None
        cut = False
        try:
            self.running.service.stop()
        except (PowerCut, JournalBroken) as problem:
            cut = isinstance(problem, PowerCut)
        self._start_again(cut=cut)

    def _start_again(self, *, cut: bool) -> None:
        self.checkers.heard(self)  # what had left the table before it stopped was said all the same
        for _ in range(BOOTS_TRIED_MAX):
            self._effects_left = 0
            self._life += 1
            self._line_stamp_ns.clear()
            if cut:
                self.power_cut(self.rough.randrange(200, 9_000))
            else:
                self._stop()
            self.disk.capacity_bytes = None
            self.office = Office(self.ledger, wiring.meter_terms_of(self.config))  # it lives in the same process
            self._happen()
            try:
                self.boot()
            except PowerCut:
                cut = True
                self.fired["cut at boot"] += 1
                continue
            except (JournalBroken, DiskError) as problem:
                self.tell(f"no start: {problem}")
                continue
            except BootRefused as refused:
                raise Violation(f"the table does not start: {refused}") from refused
            self.tell("the firmware runs again" + (" after a power cut" if cut else ""))
            self.checkers.booted(self)
            return
        raise Violation(f"the table did not start in {BOOTS_TRIED_MAX} tries")

    def _stop(self) -> None:
        """The firmware stops and its disk forgets nothing; the next start has a clock of its own all the same."""
        self.running = None
        self.boots += 1
        self.booted_ns += self.clock.now_ns()
        self.clock.reboot(f"{self.boots:08x}")

    # --- contacts ------------------------------------------------------------------------------------

    def contact(self, line: str, level: bool, *, lost: bool, delay_ms: float) -> int:
        """The contact changes now; the table hears of it later, or never. Returns the stamp that it bears."""
        self.board.drive_unnoticed(line, level)
        self._arrives_ns = self.world_ns()
        now_ns = self.clock.now_ns()
        late_ns = self.rough.randrange(self.late_ms_max * NS_PER_MS + 1) if self.rough.random() < 0.7 else 0
        stamp_ns = max(now_ns + late_ns, self._line_stamp_ns.get(line, 0))
        if lost:
            return stamp_ns
        arrives_ns = self.booted_ns + stamp_ns + int(delay_ms * NS_PER_MS)
        arrives_ns = max(arrives_ns, self._line_free_ns.get(line, 0))
        self._line_free_ns[line] = self._arrives_ns = arrives_ns
        self._line_stamp_ns[line] = stamp_ns
        life = self._life
        self._at_ns(arrives_ns, lambda: self.put(Edge(line, level, stamp_ns)) if life == self._life else None)
        return stamp_ns

    def fate(self) -> tuple[bool, float]:
        """Whether the next change is lost, and how long it is on its way."""
        lot = -1 if self.board.dead else self.rough.randrange(100)
        if lot < self.edges_lost:
            self.fired["lost edge"] += 1
            return True, 0
        if lot < self.edges_lost + self.edges_delayed:
            self.fired["delayed edge"] += 1
            return False, self.rough.uniform(15, 400)
        return False, self.rough.uniform(0, HONEST_DELIVERY_MS)

    def intended(self, spot: str) -> bool:
        acts = self.acts.get(spot, ())
        return acts[-1].present if acts else False

    def move_chip(self, spot: str, present: bool, after_ms: float = 0, bounces: int = 0) -> None:
        self.at(after_ms, lambda: self._chip_moved(spot, present, bounces))

    def _chip_moved(self, spot: str, present: bool, bounces: int) -> None:
        if self.intended(spot) == present:
            return
        lost, delay_ms = self.fate()
        now_ns = self.world_ns()
        acts = self.acts.setdefault(spot, [])
        blurred = now_ns < self.dirty_until_ns.get(spot, 0)
        if acts and now_ns - acts[-1].world_ns < BLUR_NS:
            blurred = True
            acts[-1] = acts[-1]._replace(blurred=True)
        self.tell(f"chip {'on' if present else 'off'} {spot}{' (edge lost)' if lost else ''} {delay_ms:.1f} ms")
        self.contact(spot, present, lost=lost, delay_ms=delay_ms)
        # An edge may be quick itself and still wait behind a slow one of its line.
        late = self._arrives_ns - now_ns > (HONEST_DELIVERY_MS + self.late_ms_max) * NS_PER_MS
        acts.append(Act(now_ns, present, lost or late, blurred))
        self._wobble(spot, bounces, lost, delay_ms)

    def _wobble(self, line: str, bounces: int, lost: bool, delay_ms: float) -> None:
        after_ms = 0.0
        for _ in range(bounces):
            for away in (True, False):
                after_ms += self.rough.uniform(0.3, 2)
                self.at(after_ms, partial(self._to, line, away, lost, delay_ms))

    def _to(self, line: str, away: bool, lost: bool, delay_ms: float) -> None:
        level = self.intended(line) != away
        if self.board.levels()[line] != level:
            self.contact(line, level, lost=lost, delay_ms=delay_ms)

    def shake(self, spot: str, for_ms: float, step_ms: float) -> None:
        """Contact noise that means nothing: a touch, or chatter."""
        self.dirty_until_ns[spot] = self.world_ns() + int(for_ms * NS_PER_MS) + BLUR_NS
        acts = self.acts.get(spot)
        if acts and self.world_ns() - acts[-1].world_ns < BLUR_NS:
            acts[-1] = acts[-1]._replace(blurred=True)
        after_ms, away = 0.0, True
        while after_ms < for_ms:
            self.at(after_ms, partial(self._to, spot, away, False, 1))
            after_ms, away = after_ms + self.rough.uniform(step_ms / 2, step_ms), not away
        self.at(for_ms, lambda: self._to(spot, False, False, 1))

    def press_key(self, key: str, after_ms: float = 0, hold_ms: float = 50) -> None:
        """Down and up again, some time soon. Nobody waits for it."""
        line = f"key.{key}"
        self.at(after_ms, lambda: self._key_moved(line, True))
        self.at(after_ms + hold_ms, lambda: self._key_moved(line, False))

    def _key_moved(self, line: str, down: bool) -> None:
        if self.board.levels()[line] == down:
            return
        lost, delay_ms = self.fate()
        if down:
            self.tell(f"key {line}{' (edge lost)' if lost else ''} {delay_ms:.1f} ms")
        stamp_ns = self.contact(line, down, lost=lost, delay_ms=delay_ms)
        if down and line == LOCK_KEY:
            self.presses.append(Press(self.clock.stamp().boot, stamp_ns, self.world_ns()))

    def turn_switch(self, name: str) -> None:
        """To its other side, and so it stays."""
        line = f"key.{name}"
        self._key_moved(line, not self.board.levels()[line])

    # --- orders --------------------------------------------------------------------------------------

    def order(self, kind: str, **fields: Any) -> str:
        """The reply, or `lost` when the power failed before there was one."""
        assert self.running is not None
        replies: list[str] = []
        self.running.service.inbox.put(Order(kind, fields, replies.append))
        self.advance(1)
        self.replied[kind] += len(replies)
        reply = replies[0] if replies else "lost"
        self.tell(f"order {kind} {fields}: {reply or 'done'}")
        return reply
