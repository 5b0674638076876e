"""What the board costs: an edge from its pin to the inbox beside bare gpiozero; a whole table chattering at once; and a
table that stands idle with every lamp blinking. On mock pins, so the silicon and the kernel are not in it.

    python tools/benches/board.py [--quick]
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from felt.config.boards import BoardProfile, load_profile
from felt.config.settings import BoardKind
from felt.drivers.board import GpioBoard
from felt.drivers.lamps import PATTERNS
from felt.loop.guarded_adapter import GuardedAdapter
from felt.loop.inbox import Edge, Inbox
from felt.loop.intake import Intake
from felt.loop.shuffler_intake import ShufflerConversation, ShufflerIntake
from felt.nouns.stamps import NS_PER_MS, NS_PER_S, Stamp
from felt.table.facts import Fact
from felt.table.state import Table
from felt.virtual.link import VirtualLink
from felt.virtual.shuffler import ShufflerDevice
from felt.wire.adapters.felt_1 import Felt1
from felt.wiring.devices import gpio_board

PROFILE = Path(__file__).resolve().parents[2] / "hw" / "boards" / "seven-seat-ante.toml"
EDGES = 20_000
BAR_TO_BARE = 3.0
BAR_IDLE_PERCENT = 1.0
HANDS = 4  # threads that drive pins
KEYS_CHATTERING = 14


class Chattering(NamedTuple):
    """The result of a table on which everything chatters."""

    driven: int  # edges made at the pins
    taken: int  # edges that came out of the inbox
    refused: int  # edges for which the inbox had no room
    per_line_hz: float
    queue_max: int
    facts: Counter[tuple[str, str]]  # what the loop made of the spots, by spot and kind of fact
    expected: Counter[tuple[str, str]]  # what it should make of them by the edges' own stamps
    busy: float  # the part of the time in which the loop was not waiting

    def invented(self) -> int:
        return (self.facts - self.expected).total()

    def missing(self) -> int:
        return (self.expected - self.facts).total()


# --- edge to inbox ------------------------------------------------------------------------------------


class Bare:
    def changed(self, ticks: float, state: Any) -> None:
        """As little as gpiozero allows."""


def edge_to_inbox(count: int = EDGES) -> tuple[float, float]:
    """Microseconds of processor time for an edge: bare gpiozero, and through our board into the inbox. They take turns,
    so that a busy machine slows both alike, and the best of each counts."""
    from gpiozero.pins.mock import MockFactory

    bare_pin, bare = MockFactory().pin(5), Bare()
    bare_pin.input_with_pull("up")
    bare_pin.when_changed = bare.changed
    profile = load_profile(PROFILE)
    board = gpio_board(BoardKind.MOCK, profile)
    inbox = Inbox()
    board.start(lambda line, level, ns: inbox.put(Edge(line, level, ns)))
    ours = _pins(board, profile)["1.progressive"]
    bare_us, ours_us = [], []
    for _ in range(20):
        bare_us.append(_drive_us(bare_pin, count // 20))
        ours_us.append(_drive_us(ours, count // 20))
        inbox.take(0)
    board.close()
    return min(bare_us), min(ours_us)


def _drive_us(pin: Any, count: int) -> float:
    begun = time.process_time()
    for _ in range(count // 2):
        pin.drive_low()
        pin.drive_high()
    took_s = time.process_time() - begun
    pin.clear_states()  # a mock pin remembers every level
    return took_s / count * 1e6


def _pins(board: GpioBoard, profile: BoardProfile) -> dict[str, Any]:
    return {line.name: board.chips[line.chip].pin(line.line) for line in profile.input}


# --- everything chatters -------------------------------------------------------------------------------


def chatter(seconds: float, hertz: int = 1000) -> Chattering:
    """All coin spots and antes and 14 keys change `hertz` times a second. Several threads drive them, and one takes the
    edges as the table's own loop does."""
    profile = load_profile(PROFILE)
    board = gpio_board(BoardKind.MOCK, profile)
    spots = [line.name for line in profile.input if not line.name.startswith("key.")]
    keys = [line.name for line in profile.input if line.name.startswith("key.") and line.name != "key.door"]
    names = [*spots, *keys[:KEYS_CHATTERING]]
    inbox = Inbox()
    cards = ShufflerIntake(GuardedAdapter(Felt1), ShufflerConversation(), VirtualLink(ShufflerDevice(random.Random(1))))
    intake = Intake(board.lines(), board.levels(), cards)
    board.start(lambda line, level, ns: inbox.put(Edge(line, level, ns)))
    pins = _pins(board, profile)
    rounds = int(seconds * hertz) // 2 * 2  # even: every line ends where it began
    hands = [
        threading.Thread(target=_chatter, args=([pins[name] for name in names[place::HANDS]], rounds, hertz))
        for place in range(HANDS)
    ]
    begun_ns = time.monotonic_ns()
    for hand in hands:
        hand.start()
    loop = _Loop(inbox, intake)
    while any(hand.is_alive() for hand in hands):
        loop.turn()
    took_s = (time.monotonic_ns() - begun_ns) / NS_PER_S
    settled_ns = time.monotonic_ns() + 300 * NS_PER_MS
    while time.monotonic_ns() < settled_ns:
        loop.turn()
    board.close()
    return Chattering(
        driven=rounds * len(names),
        taken=loop.taken,
        refused=inbox.refused.total() + board.refused_edges(),
        per_line_hz=rounds / took_s,
        queue_max=loop.queue_max,
        facts=Counter((fact.spot, type(fact).__name__) for fact in loop.facts if hasattr(fact, "spot")),
        expected=expected_facts(profile, loop.edges),
        busy=1 - loop.waited_s / took_s,
    )


def _chatter(pins: list[Any], rounds: int, hertz: int) -> None:
    """Changes each pin once a period. A late thread catches up at once, so that the rate holds on average."""
    begun_ns, period_ns = time.monotonic_ns(), NS_PER_S // hertz
    for number in range(rounds):
        ahead_ns = begun_ns + number * period_ns - time.monotonic_ns()
        if ahead_ns > 0:
            time.sleep(ahead_ns / NS_PER_S)
        for pin in pins:
            if number % 2:
                pin.drive_high()
            else:
                pin.drive_low()


def expected_facts(profile: BoardProfile, edges: dict[str, list[Edge]]) -> Counter[tuple[str, str]]:
    """The facts of each spot, worked out from whole bursts. A machine that stalls lets a contact truly rest for a
    moment, and then there is more than one burst."""
    facts: Counter[tuple[str, str]] = Counter()
    for line in profile.input:
        if not line.name.startswith("key."):
            facts.update((line.name, kind) for kind in _told(edges.get(line.name, []), line.settle_ms * NS_PER_MS))
    return facts


def _told(edges: list[Edge], settle_ns: int) -> list[str]:
    told: list[str] = []
    begin = 0
    for place, edge in enumerate(edges):
        if place + 1 < len(edges) and edges[place + 1].ns - edge.ns < settle_ns:
            continue
        if edge.ns - edges[begin].ns > 4 * settle_ns:
            told += ["ChipChattered", "LevelFound"]
        elif (place - begin) % 2:
            told.append("ChipFlickered")
        else:
            told.append("ChipSeen" if edge.level else "ChipLifted")
        begin = place + 1
    return told


class _Loop:
    """The reading half of the table's loop, without its disk."""

    def __init__(self, inbox: Inbox, intake: Intake) -> None:
        self._inbox, self._intake = inbox, intake
        self.facts: list[Fact] = []
        self.taken = self.queue_max = 0
        self.waited_s = 0.0
        self.edges: dict[str, list[Edge]] = {}

    def turn(self) -> None:
        if self._inbox.empty():
            begun = time.monotonic()
            arrivals = self._inbox.take(0.005)
            self.waited_s += time.monotonic() - begun
        else:
            arrivals = self._inbox.take(0)
        self.queue_max = max(self.queue_max, len(arrivals))
        self.taken += len(arrivals)
        for arrival in arrivals:
            assert isinstance(arrival.item, Edge)
            self.edges.setdefault(arrival.item.line, []).append(arrival.item)
        now = Stamp("bench", time.monotonic_ns(), 0)
        told = self._intake.take(arrivals, Table(), now, shuffler_waits=False)
        self.facts += told.facts


# --- an idle table -------------------------------------------------------------------------------------


def idle_percent(seconds: float) -> float:
    """Processor time of a board on which every lamp blinks and nothing happens, in percent of one core."""
    profile = load_profile(PROFILE)
    board = gpio_board(BoardKind.MOCK, profile)
    board.start(lambda line, level, ns: None)
    blinking = [name for name, pattern in sorted(PATTERNS.items()) if len(pattern) > 1 and name != "alarm"]
    board.show({line.name: blinking[place % len(blinking)] for place, line in enumerate(profile.output)})
    begun, begun_cpu = time.monotonic(), time.process_time()
    threading.Event().wait(seconds)
    used_s, took_s = time.process_time() - begun_cpu, time.monotonic() - begun
    board.close()
    return 100 * used_s / took_s


def figures(quick: bool = False) -> dict[str, float]:
    bare_us, ours_us = edge_to_inbox()
    seen = chatter(2.0 if quick else 10.0)
    return {
        "edge_bare_us": bare_us,
        "edge_to_inbox_us": ours_us,
        "edge_to_bare": ours_us / bare_us,
        "bar_edge_to_bare": BAR_TO_BARE,
        "chatter_edges_driven": seen.driven,
        "chatter_edges_lost": seen.driven - seen.taken,
        "chatter_edges_refused": seen.refused,
        "chatter_line_hz": seen.per_line_hz,
        "chatter_queue_max": seen.queue_max,
        "chatter_facts": seen.facts.total(),
        "chatter_facts_invented": seen.invented(),
        "chatter_facts_missing": seen.missing(),
        "chatter_loop_busy": seen.busy,
        "idle_percent": idle_percent(2.0 if quick else 10.0),
        "bar_idle_percent": BAR_IDLE_PERCENT,
    }


if __name__ == "__main__":
    for name, value in figures(quick="--quick" in sys.argv).items():
        print(f"{name:24} {value:12,.2f}")
