"""The storm's jackpot controller: the production daemon, exchange and office, run turn by turn in virtual time on a
ledger that outlives them. It is killed, it stalls, and a standby takes over."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from felt.jackpot.books.terms import MeterTerms, Procedure
from felt.jackpot.controller.daemon import REFRESH_NS, Daemon, Request
from felt.jackpot.controller.exchange import Exchange, Keys
from felt.jackpot.controller.office import Office
from felt.jackpot.controller.requests import serve
from felt.jackpot.ledger.port import LedgerError
from felt.nouns.stamps import NS_PER_MS
from felt.stories.evening import NoWatchdog
from felt.wire import bulletin
from tests.storm.air import Air, Guest
from tests.storm.hours import NEVER_NS, Hours, LocalClock
from tests.storm.ledger import BookKeeper, Books
from tests.storm.purse import Violation

if TYPE_CHECKING:
    from tests.storm.house import House

LINK = "main"
TAKEOVER_MS = 3_000


class Crash(BaseException):
    """The controller's process died in the middle of its work."""


class Terms(NamedTuple):
    meters: tuple[MeterTerms, ...]
    procedure: Procedure
    keys: Keys


class Node:
    """One life of a controller."""

    def __init__(self, controller: Controller, boot: str) -> None:
        self._controller = controller
        self.dies_at = 0  # how many troubles are still planned; 0: none
        house, terms = controller.house, controller.terms
        self.clock = LocalClock(house.hours, controller.chance.choice((-60, -10, 0, 10, 60)), boot)
        self.keeper: BookKeeper = controller.books.open(self._trouble)
        self.office = Office(self.keeper, terms.meters, terms.procedure)
        self.exchange = Exchange(self.office, LINK, terms.keys.tables, terms.keys.sign)
        will = (bulletin.controller_topic(LINK), bulletin.write_presence(False))
        self.guest: Guest = controller.air.guest("controller", will, self._effect, self.wants_turn)
        self.daemon = Daemon(
            self.office, self.exchange, self.guest, LINK, self.clock, NoWatchdog(), serve, self.keeper.keep_lead
        )
        self._pace_ns = controller.chance.choice((0, 4, 15)) * NS_PER_MS  # how long a commit takes
        self.due_ns = self._ready_ns = house.hours.now_ns
        self.daemon.begin()

    def wants_turn(self) -> None:
        """An act waits in its tray."""
        hours = self._controller.house.hours
        self.due_ns = min(self.due_ns, max(self._ready_ns, hours.now_ns))
        hours.turn_wanted(self.due_ns)

    def turn(self) -> None:
        self.daemon.turn(0)
        self._ready_ns = self._controller.house.hours.now_ns + self._pace_ns
        self.due_ns = self.clock.world_ns(self.clock.now_ns() + REFRESH_NS)

    def _trouble(self, _: str) -> None:
        if self.dies_at:
            self.dies_at -= 1
            if not self.dies_at:
                raise Crash

    def _effect(self) -> None:
        if not self.keeper.leads:
            raise Violation("a controller that was taken over still speaks")
        self._trouble("between two answers")


class Controller:
    def __init__(self, house: House, air: Air, terms: Terms, chance: random.Random) -> None:
        self.house = house
        self.air = air
        self.terms = terms
        self.chance = chance
        self.books = Books()
        self.boots = 0
        self.node: Node | None = None
        self._stalled: Node | None = None
        self.start()

    @property
    def hours(self) -> Hours:
        return self.house.hours

    def due_ns(self) -> int:
        return NEVER_NS if self.node is None else self.node.due_ns

    def start(self) -> None:
        if self.node is None:
            self.boots += 1
            self.node = Node(self, f"c{self.boots:07x}")
            self.node.wants_turn()
            self.house.tell(f"a jackpot controller runs (the {self.boots}th)")

    def run(self) -> None:
        """Runs one turn if there is something to do."""
        node = self.node
        if node is None or self.hours.now_ns < node.due_ns:
            return
        try:
            node.turn()
        except Crash:
            self.house.fire("controller killed", "the jackpot controller dies")
            self._gone(node)
        except LedgerError as error:
            raise Violation(f"the jackpot controller ends: {error}") from error
        else:
            self.house.counted(node.office)

    def kill_soon(self, troubles: int) -> None:
        if self.node is not None:
            self.node.dies_at = troubles

    def stall(self, ms: float) -> None:
        """It stalls for this long, and a standby takes over."""
        if self.node is None or self._stalled is not None:
            return
        self._stalled, self.node = self.node, None
        self.hours.after(ms, self._wake)
        self.hours.after(TAKEOVER_MS, self.start)

    def _wake(self) -> None:
        """The stalled controller resumes. It must notice that it lost the lead before it sends anything."""
        node, self._stalled = self._stalled, None
        assert node is not None
        if node.keeper.leads:
            self.node = node
            node.wants_turn()
            return
        try:
            node.turn()
        except LedgerError:
            node.guest.vanish()
            return
        raise Violation("a controller that was taken over goes on as if nothing had happened")

    def _gone(self, node: Node) -> None:
        node.guest.vanish()
        self.node = None
        self.hours.after(self.chance.choice((200, 1_500, 5_000)), self.start)

    def calm(self) -> None:
        if self.node is not None:
            self.node.dies_at = 0

    def ask(self, words: Mapping[str, object], reply: Callable[[dict[str, object]], None] = lambda _: None) -> None:
        if self.node is not None:
            self.node.daemon.tray.put(Request(dict(words), reply))
            self.node.wants_turn()
