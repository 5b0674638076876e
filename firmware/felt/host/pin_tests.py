"""A technician's tests of a board that no table is using: lamps one after another, and inputs as they move. Coin spots
are covered and uncovered to check that they follow and how long their contacts bounce. Knows no game."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterable, Sequence

from felt.nouns.stamps import NS_PER_MS
from felt.nouns.values import Value
from felt.ports import Board, BoardLine
from felt.wire.feedback import GOOD, OPEN, SHORT

QUIET_MS = 150  # no chip's contact bounces this long, so a movement is over after it
PATIENCE_S = 20
MOVEMENTS = 2  # how often each spot is covered and uncovered
SETTLE_MS_MIN = 5

_CURRENT = {
    GOOD: "current follows",
    OPEN: "lit and no current flows; check its plug, wire and lamp",
    SHORT: "dark and current flows; check its wire and transistor",
}

Say = Callable[[str], None]


class Movement(Value):
    """One movement of a contact: its final level, and the time between its first and last edge."""

    line: str
    level: bool
    edges: int
    bounced_ms: int


class Calibrated(Value):
    line: str
    follows: bool
    bounced_ms: int  # the longest
    settle_ms: int  # the profile's present value
    advised_ms: int

    def say(self) -> str:
        if not self.follows:
            return f"{self.line}: does not follow; check its sensor, cable and connector"
        short = self.settle_ms < self.advised_ms
        verdict = f"is too short: write settle_ms = {self.advised_ms}" if short else "is enough"
        return f"{self.line}: follows, bounces up to {self.bounced_ms} ms; settle_ms = {self.settle_ms} {verdict}"


class Contacts:
    """Collects the edges of a board into movements."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._edges: queue.SimpleQueue[tuple[str, bool, int]] = queue.SimpleQueue()
        board.start(lambda line, level, ns: self._edges.put((line, level, ns)))

    def next_movement(self, wanted: Iterable[str] | None, patience_s: float) -> Movement | None:
        """The next complete movement of one of these lines; None on timeout."""
        lines = None if wanted is None else frozenset(wanted)
        until = time.monotonic() + patience_s
        open_edges: dict[str, list[tuple[bool, int]]] = {}
        while time.monotonic() < until:
            try:
                line, level, ns = self._edges.get(timeout=QUIET_MS / 1000)
            except queue.Empty:
                if open_edges:
                    return _movement(*open_edges.popitem())
                continue
            if lines is None or line in lines:
                open_edges.setdefault(line, []).append((level, ns))
        return None


def _movement(line: str, edges: list[tuple[bool, int]]) -> Movement:
    bounced_ns = edges[-1][1] - edges[0][1]
    return Movement(line, edges[-1][0], len(edges), -(-bounced_ns // NS_PER_MS))


def walk(board: Board, lamps: Sequence[str], say: Say, each_s: float = 1.0) -> list[str]:
    """Lights every lamp alone, in order, so that a crossed pair shows. Returns the lamps whose current is wrong."""
    board.show(dict.fromkeys(lamps, "off"))
    for lamp in lamps:
        say(lamp)
        board.show({lamp: "on"})
        time.sleep(each_s)  # for a person to look
        board.show({lamp: "off"})
    time.sleep(each_s)  # the last one is checked dark as well
    found = board.lamps_found()
    for lamp in lamps:
        if lamp in found:
            say(f"{lamp}: {_CURRENT[found[lamp]]}")
    return [lamp for lamp in lamps if found.get(lamp, GOOD) != GOOD]


def watch(board: Board, say: Say, patience_s: float) -> int:
    """Reports every movement as it comes to rest. Returns their number."""
    contacts = Contacts(board)
    levels = board.levels()
    say("active now: " + (", ".join(line for line, level in levels.items() if level) or "nothing"))
    seen = 0
    while (movement := contacts.next_movement(None, patience_s)) is not None:
        seen += 1
        state = "active" if movement.level else "at rest"
        say(f"{movement.line}: {state} after {movement.edges} edges in {movement.bounced_ms} ms")
    return seen


def calibrate(board: Board, lines: Iterable[BoardLine], say: Say, patience_s: float = PATIENCE_S) -> list[Calibrated]:
    """Each line is covered and uncovered twice; its level must follow every time."""
    contacts = Contacts(board)
    return [_calibrate_one(board, contacts, line, say, patience_s) for line in lines]


def _calibrate_one(board: Board, contacts: Contacts, line: BoardLine, say: Say, patience_s: float) -> Calibrated:
    longest_ms = 0
    for _ in range(MOVEMENTS):
        for wanted, verb in ((True, "cover"), (False, "uncover")):
            say(f"{verb} {line.name}")
            movement = contacts.next_movement((line.name,), patience_s)
            if movement is None or movement.level is not wanted or board.levels()[line.name] is not wanted:
                return Calibrated(line.name, False, longest_ms, line.settle_ms, 0)
            longest_ms = max(longest_ms, movement.bounced_ms)
    advised_ms = max(SETTLE_MS_MIN, longest_ms * 2)
    return Calibrated(line.name, True, longest_ms, line.settle_ms, advised_ms)
