"""Stamps and stated margins alone decide which chips lay there at the lock, however long edges travel and however slow
the disk is. The production loop runs on virtual ports against two independent oracles: one knows movements but no
edges, the other knows edges and the rule of bursts."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from felt.loop.inbox import Edge
from felt.nouns.stamps import NS_PER_MS
from felt.ports import BoardLine
from felt.stories.evening import Evening
from felt.table.keys import LOCK_KEY
from felt.table.state import Phase
from felt.virtual.board import VirtualBoard
from felt.virtual.disk import ForgetfulDisk
from felt.wiring import table_settings

INTERLEAVINGS, FULL_INTERLEAVINGS = 2_000, 10_000
BLOCKS = 4
SETTLE_MS, DRAIN_MS = 20, 120
KEY = LOCK_KEY.line
KEY_LATE_MS = 1
LATE_MS = {"progressive": 5, "ante": 2, "pair_plus": 0}
APART_MS = 48  # between two movements of one spot: longer than settling, bouncing and lateness together
WINDOW_MS = 90  # movements happen this near to the lock, on both sides
DELAYS_MS = ((0.0, 2.0), (0.0, 9.0), (5.0, 85.0))
LEEWAY_MS = 1


class Movement(NamedTuple):
    """A chip put down, lifted, or only touched. `stamp_ns` is the stamp of its first edge."""

    stamp_ns: int
    true_ns: int
    present: bool
    is_touch: bool


class Sent(NamedTuple):
    """An edge on its way."""

    arrives_ns: int
    line: str
    level: bool
    stamp_ns: int


class SlowDisk(ForgetfulDisk):
    """Every sync takes its time, and the world does not wait for it."""

    wait: Callable[[], None] = staticmethod(lambda: None)

    def sync(self, name: str) -> None:
        self.wait()
        super().sync(name)


class DelayedEvening(Evening):
    """Contacts change and edges reach the inbox at their own times."""

    def __init__(self, seed: int) -> None:
        self.rough = random.Random(seed)
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._planned = 0
        disk = SlowDisk()
        super().__init__(seed, (f"lock.drain_ms={DRAIN_MS}", "journal.segment_bytes=65536"), disk=disk)
        disk.wait = self._wait_for_the_disk

    def new_board(self) -> VirtualBoard:
        lines = [BoardLine(name, SETTLE_MS, False, late_ms_of(name)) for name in table_settings.line_names(self.config)]
        return VirtualBoard(lines, table_settings.lamp_names(self.config), self._lamp, self.clock.now_ns)

    def at(self, ns: int, happen: Callable[[], None]) -> None:
        self._planned += 1
        heapq.heappush(self._agenda, (ns, self._planned, happen))

    def pass_to(self, ns: int) -> None:
        """Time passes for everybody but the loop: what happens meanwhile waits in the inbox."""
        while self._agenda and self._agenda[0][0] <= ns:
            due_ns, _, happen = heapq.heappop(self._agenda)
            self.clock.advance_to(due_ns)
            happen()
        self.clock.advance_to(ns)

    def run_to(self, ns: int) -> None:
        while self.clock.now_ns() < ns:
            self.tick()
            assert self.running is not None
            soonest_ns = max(self.running.loop.next_due_ns(), self.clock.now_ns() + NS_PER_MS // 4)
            if self._agenda:
                soonest_ns = min(soonest_ns, max(self._agenda[0][0], self.clock.now_ns() + 1))
            self.pass_to(min(ns, soonest_ns))
        self.tick()

    def send(self, sent: Sent, true_ns: int) -> None:
        assert self.running is not None
        put = self.running.loop.inbox.put
        self.at(true_ns, lambda: self.board.drive_unnoticed(sent.line, sent.level))
        self.at(sent.arrives_ns, lambda: put(Edge(sent.line, sent.level, sent.stamp_ns)))

    def _wait_for_the_disk(self) -> None:
        lot = self.rough.random()
        longest_ms = 0.3 if lot < 0.5 else 8 if lot < 0.9 else 60
        self.pass_to(self.clock.now_ns() + int(self.rough.uniform(0, longest_ms) * NS_PER_MS))


def late_ms_of(line: str) -> int:
    return KEY_LATE_MS if line.startswith("key.") else LATE_MS[line.partition(".")[2]]


# --- one lock ------------------------------------------------------------------------------------------


class Contact:
    """One line around the lock: its edges as they happen, are stamped and arrive, each in order."""

    def __init__(
        self, evening: DelayedEvening, line: str, latest_ns: int, delay_ms: tuple[float, float] | None = None
    ) -> None:
        self._evening = evening
        self._chance = evening.rough
        self._line = line
        self._latest_ns = latest_ns  # by now everything that decides the lock has arrived
        self._stamp_ns = self._arrives_ns = 0
        self._delay_ms = delay_ms or self._chance.choice(DELAYS_MS)

    def change(self, true_ns: int, level: bool) -> int:
        """Returns the stamp."""
        late_ns = int(self._chance.uniform(0, late_ms_of(self._line)) * NS_PER_MS)
        self._stamp_ns = max(true_ns + late_ns, self._stamp_ns + 1)
        arrives_ns = self._stamp_ns + int(self._chance.uniform(*self._delay_ms) * NS_PER_MS)
        arrives_ns = min(arrives_ns, max(self._latest_ns, self._stamp_ns))
        self._arrives_ns = max(arrives_ns, self._arrives_ns)
        self._evening.send(Sent(self._arrives_ns, self._line, level, self._stamp_ns), true_ns)
        return self._stamp_ns

    def move(self, true_ns: int, level: bool, *, bounces: bool = False, is_touch: bool = False) -> int:
        """The contact closes or opens, perhaps bouncing. A touch ends where it began."""
        first_ns = self.change(true_ns, level)
        if is_touch:
            self.change(true_ns + self._some_ns(1, 8), not level)
        elif bounces:
            opened_ns = true_ns + self._some_ns(0.2, 4)
            self.change(opened_ns, not level)
            self.change(opened_ns + self._some_ns(0.2, 4), level)
        return first_ns

    def _some_ns(self, low_ms: float, high_ms: float) -> int:
        return int(self._chance.uniform(low_ms, high_ms) * NS_PER_MS)


def _movements(chance: random.Random, lock_ns: int) -> Iterator[tuple[int, bool]]:
    """True times, far enough apart, many of them within a few milliseconds of the lock, and which of them are
    touches."""
    centre_ns = lock_ns + int(chance.choice((chance.uniform(-8, 8), chance.uniform(-1, 1), 0.0)) * NS_PER_MS)
    places = sorted(chance.sample((-1, 0, 1), chance.randrange(1, 4)))
    touch = chance.choice((*places, None, None))
    for place in places:
        yield centre_ns + place * int(chance.uniform(APART_MS, WINDOW_MS)) * NS_PER_MS, place == touch


def _play_around_the_lock(evening: DelayedEvening, spot: str, lock_ns: int, latest_ns: int) -> list[Movement]:
    chance = evening.rough
    contact, present = Contact(evening, spot, latest_ns), False
    made = []
    for true_ns, is_touch in _movements(chance, lock_ns):
        bounces = chance.random() < 0.5
        stamp_ns = contact.move(true_ns, not present, bounces=bounces, is_touch=is_touch)
        present = present if is_touch else not present
        made.append(Movement(stamp_ns, true_ns, present, is_touch))
    return made


def _judged(made: list[Movement], lock_ns: int, margin_ns: int) -> str:
    """The oracle: a movement certainly before the lock counts; one within the margin leaves it open."""
    there = "absent"
    for movement in made:
        if movement.is_touch or movement.stamp_ns > lock_ns + margin_ns:
            continue
        if movement.stamp_ns >= lock_ns - margin_ns:
            return "undetermined"
        there = "there" if movement.present else "absent"
    return there


def _truth(made: list[Movement], true_lock_ns: int) -> str:
    before = [movement for movement in made if movement.true_ns < true_lock_ns and not movement.is_touch]
    return "there" if before and before[-1].present else "absent"


def _one_lock(evening: DelayedEvening) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """What the oracle says about each spot, what the table said, and what was true."""
    chance = evening.rough
    assert evening.order("OpenPressed") == ""
    true_lock_ns = evening.clock.now_ns() + 2 * WINDOW_MS * NS_PER_MS + chance.randrange(NS_PER_MS)
    latest_ns = true_lock_ns + (DRAIN_MS - LEEWAY_MS) * NS_PER_MS
    key = Contact(evening, KEY, latest_ns)
    lock_ns = key.move(true_lock_ns, True, bounces=chance.random() < 0.5)
    key.move(true_lock_ns + 2 * DRAIN_MS * NS_PER_MS, False)
    spots = [f"{seat}.{kind}" for seat in range(1, 8) for kind in LATE_MS]
    moved = {
        spot: _play_around_the_lock(evening, spot, true_lock_ns, latest_ns)
        for spot in chance.sample(spots, chance.randrange(1, 7))
    }
    evening.run_to(true_lock_ns + 4 * DRAIN_MS * NS_PER_MS)
    wanted = {
        spot: _judged(made, lock_ns, (late_ms_of(spot) + KEY_LATE_MS) * NS_PER_MS) for spot, made in moved.items()
    }
    playing = evening.table.round
    assert playing is not None
    assert playing.lock_ns == lock_ns
    asked = [question for question in evening.table.irregularity.questions if question.kind == "undetermined_chip"]
    for question in asked:
        ruling = {"question": question.id, "choice": "return", "person": "supervisor", "reason": ""}
        assert evening.order("RulingMade", **ruling) == ""
    playing = evening.table.round
    assert playing is not None
    recorded = {f"{bet.seat}.{bet.wager}" for bet in playing.bets}
    assert recorded <= moved.keys()
    said = {spot: "there" if spot in recorded else "absent" for spot in moved}
    said.update((question.where, "undetermined") for question in asked)
    return wanted, said, {spot: _truth(made, true_lock_ns) for spot, made in moved.items()}


def _clear(evening: DelayedEvening) -> None:
    """End the round and empty the layout."""
    evening.run_to(evening.clock.now_ns() + 2 * DRAIN_MS * NS_PER_MS)
    for question in evening.table.irregularity.questions:  # evidence of late chips, of no interest here
        ruling = {"question": question.id, "choice": "return", "person": "supervisor", "reason": ""}
        evening.order("RulingMade", **ruling)
    if evening.phase is not Phase.VOIDING:
        assert evening.order("VoidOrdered", person="supervisor", reason="the next one") == ""
    for line, level in evening.board.levels().items():
        if level:
            evening.board.drive(line, False)
    evening.run_to(evening.clock.now_ns() + 100 * NS_PER_MS)
    assert evening.order("SettlePressed") == ""


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_lock_is_decided_by_stamps_and_margins_whatever_threads_and_disk_do(block: int, full: bool) -> None:
    evening = DelayedEvening(block)
    evening.order("TableOpened", person="supervisor")
    seen = dict.fromkeys(("there", "absent", "undetermined"), 0)
    for number in range((FULL_INTERLEAVINGS if full else INTERLEAVINGS) // BLOCKS):
        wanted, said, truth = _one_lock(evening)
        assert said == wanted, f"block {block}, lock {number}"
        for spot, decided in said.items():
            seen[decided] += 1
            assert decided in ("undetermined", truth[spot]), f"block {block}, lock {number}: {spot}"
        _clear(evening)
    assert evening.table.service.faults == (), "no delay looks like a lost edge"
    assert min(seen.values()) > 50, f"every answer was needed: {seen}"


# --- bursts --------------------------------------------------------------------------------------------


BURST_INTERLEAVINGS, FULL_BURST_INTERLEAVINGS = 1_000, 10_000
SETTLE_NS = SETTLE_MS * NS_PER_MS
SETTLE_TIMES_LONG = 4
KNOWN_MS = DRAIN_MS + KEY_LATE_MS - 10  # after the lock: what is at rest by then is known when the drain ends
BURSTS_FROM_MS, BURSTS_TO_MS = -260, 240
LENGTHS_MS = (0.0, 0.0, 3.0, 12.0, 19.0, 21.0, 45.0, 79.0, 80.0, 81.0, 100.0, 140.0)
Stamped = tuple[int, bool]  # an edge: its stamp and its level


def _bursts_of_edges(edges: list[Stamped]) -> list[list[Stamped]]:
    """Neighbouring edges of a burst are less than one settle time apart."""
    bursts: list[list[Stamped]] = []
    for edge in edges:
        if bursts and edge[0] - bursts[-1][-1][0] < SETTLE_NS:
            bursts[-1].append(edge)
        else:
            bursts.append([edge])
    return bursts


def _ruled(lies_there: bool, edges: list[Stamped], lock_ns: int, margin_ns: int) -> str:
    """The second oracle: the rule of the lock, applied to the edges of one contact."""
    level = lies_there
    for burst in _bursts_of_edges(edges):
        (first_ns, _), (last_ns, after) = burst[0], burst[-1]
        begins_after = first_ns > lock_ns + margin_ns
        if begins_after:
            break
        ends_before = last_ns < lock_ns - margin_ns
        if not ends_before and last_ns + SETTLE_NS > lock_ns + KNOWN_MS * NS_PER_MS:
            return "undetermined"  # it was still going when the drain ended
        if after == level:
            continue  # it ended where it began: nothing has changed
        if not ends_before and last_ns - first_ns > SETTLE_TIMES_LONG * SETTLE_NS:
            return "undetermined"  # too long to be dated by its first edge
        if not ends_before and first_ns >= lock_ns - margin_ns:
            return "undetermined"  # its first edge is too near the lock
        level = after
    return "there" if level else "absent"


def _planned_bursts(chance: random.Random, lies_there: bool) -> list[tuple[float, bool]]:
    """When a contact moves, in milliseconds from the lock: bursts of any length before, after and across the lock. They
    end changed or not, and some are exactly a settle time apart."""
    level, edges = lies_there, []
    now_ms = chance.choice((chance.uniform(BURSTS_FROM_MS, 0), chance.uniform(-100, 10), -20.0, -80.0, 0.0))
    for _ in range(chance.randrange(1, 5)):
        ends_ms = now_ms + chance.choice(LENGTHS_MS)
        while True:
            level = not level
            edges.append((now_ms, level))
            if now_ms >= ends_ms:
                break
            now_ms = min(now_ms + chance.choice((chance.uniform(0.3, 13), 14.0)), ends_ms)
        now_ms += chance.choice((SETTLE_MS, SETTLE_MS + 0.001, chance.uniform(SETTLE_MS, 3 * SETTLE_MS), 100.0))
        if now_ms > BURSTS_TO_MS:
            break
    return edges


def _fails_before_the_lock(planned: list[tuple[float, bool]]) -> bool:
    """Whether the contact may be found chattering before the lock key goes down. A coin spot that is found so has
    failed while bets are open, and a supervisor must rule before the lock."""
    edges = [(int(ms * NS_PER_MS), level) for ms, level in planned]
    longest_ns = (SETTLE_TIMES_LONG * SETTLE_MS - max(LATE_MS.values())) * NS_PER_MS
    apart_ns = SETTLE_NS + max(LATE_MS.values()) * NS_PER_MS
    begins_ns = last_ns = None
    for ns, _ in edges:
        if begins_ns is None or last_ns is None or ns - last_ns > apart_ns:
            begins_ns = ns
        if ns - begins_ns > longest_ns and ns <= (KEY_LATE_MS + 1) * NS_PER_MS:
            return True
        last_ns = ns
    return False


def _play_bursts(evening: DelayedEvening, spot: str, lies_there: bool, times: tuple[int, int]) -> list[Stamped]:
    true_lock_ns, latest_ns = times
    planned = _planned_bursts(evening.rough, lies_there)
    while spot.endswith("progressive") and _fails_before_the_lock(planned):
        planned = _planned_bursts(evening.rough, lies_there)
    contact = Contact(evening, spot, latest_ns)
    return [(contact.change(true_lock_ns + int(ms * NS_PER_MS), level), level) for ms, level in planned]


def _one_lock_with_bursts(evening: DelayedEvening) -> tuple[dict[str, str], dict[str, str]]:
    """What the rule says about each spot, and what the table said."""
    chance = evening.rough
    assert evening.order("OpenPressed") == ""
    spots = chance.sample([f"{seat}.{kind}" for seat in range(1, 8) for kind in LATE_MS], chance.randrange(1, 7))
    lying = {spot: chance.random() < 0.5 for spot in spots}
    for spot, lies_there in lying.items():
        evening.board.drive(spot, lies_there)
    evening.run_to(evening.clock.now_ns() + 100 * NS_PER_MS)
    true_lock_ns = evening.clock.now_ns() + 400 * NS_PER_MS + chance.randrange(NS_PER_MS)
    latest_ns = true_lock_ns + (DRAIN_MS - LEEWAY_MS) * NS_PER_MS
    key = Contact(evening, KEY, latest_ns, (0.0, 9.0))
    lock_ns = key.move(true_lock_ns, True, bounces=chance.random() < 0.5)
    key.move(true_lock_ns + 2 * DRAIN_MS * NS_PER_MS, False)
    moved = {spot: _play_bursts(evening, spot, lying[spot], (true_lock_ns, latest_ns)) for spot in spots}
    evening.run_to(true_lock_ns + 4 * DRAIN_MS * NS_PER_MS)
    wanted = {
        spot: _ruled(lying[spot], edges, lock_ns, (late_ms_of(spot) + KEY_LATE_MS) * NS_PER_MS)
        for spot, edges in moved.items()
    }
    playing = evening.table.round
    assert playing is not None
    assert playing.lock_ns == lock_ns
    return wanted, _said(evening, spots)


def _said(evening: DelayedEvening, spots: list[str]) -> dict[str, str]:
    """A coin spot that chatters only after the lock has failed, but no bet depends on it: the supervisor plays on."""
    asked = [question for question in evening.table.irregularity.questions if question.kind == "undetermined_chip"]
    for question in evening.table.irregularity.questions:
        choice = "return" if question in asked else "continue"
        ruling = {"question": question.id, "choice": choice, "person": "supervisor", "reason": "it is no bet's matter"}
        assert evening.order("RulingMade", **ruling) == ""
    playing = evening.table.round
    assert playing is not None
    recorded = {f"{bet.seat}.{bet.wager}" for bet in playing.bets}
    said = {spot: "there" if spot in recorded else "absent" for spot in spots}
    said.update((question.where, "undetermined") for question in asked)
    return said


def _mend(evening: DelayedEvening) -> None:
    """Cover and uncover every contact that chattered, and clear its fault."""
    for present in (True, False):
        for fault in evening.table.service.faults:
            evening.board.drive(fault.where, present)
        evening.run_to(evening.clock.now_ns() + 100 * NS_PER_MS)
    for fault in evening.table.service.faults:
        if fault.code == "F-101":
            assert evening.order("FaultCleared", code="F-101", where=fault.where, person="technician") == ""


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_bursts_around_the_lock_are_decided_by_the_rule_whatever_threads_and_disk_do(block: int, full: bool) -> None:
    evening = DelayedEvening(100 + block)
    evening.order("TableOpened", person="supervisor")
    seen = dict.fromkeys(("there", "absent", "undetermined"), 0)
    for number in range((FULL_BURST_INTERLEAVINGS if full else BURST_INTERLEAVINGS) // BLOCKS):
        wanted, said = _one_lock_with_bursts(evening)
        assert said == wanted, f"block {block}, lock {number}"
        for decided in said.values():
            seen[decided] += 1
        _clear(evening)
        _mend(evening)
        assert evening.table.service.faults == (), "chatter is named, and no delay looks like a lost edge"
    assert min(seen.values()) > 50, f"every answer was needed: {seen}"
