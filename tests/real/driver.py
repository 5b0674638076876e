"""Plays everybody around the table from outside its process: players, dealer, supervisor and the shuffler. They keep
playing whatever happens to the table. Each act follows from what the table last said. An act that a kill swallowed is
noticed and repeated."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from felt.nouns.cards import DECK, Card
from felt.virtual.shuffler import PtyShuffler
from tests.real.killable import KillableTable, Said
from tests.real.tally import Order, Tally
from tests.storm.ports import RiggedShuffler

SEATS = (1, 2, 3)
HANDS = 3  # two boxes and the dealer
LOOK_S = 0.02
HOLD_S = 0.08  # how long a key is held when nothing happens
REST_S = 0.015  # a contact rests longer than its settle time before it moves again
LIFE_S = 3.0  # a kill whose moment does not come happens after this time
SUPERVISOR = "outside"
DECKS = 600

TABLE = """
[table]
id = "{name}"
seats = 3
[board]
settle_ms = 3
sensed = ["ante", "progressive"]
[lock]
drain_ms = 25
[shuffler]
url = "{url}"
[journal]
segment_bytes = 65536
[bench]
socket = "bench"
levels = "levels.json"
"""


class HostTime:
    """True time: everybody has the host's clock."""

    @property
    def now_ns(self) -> int:
        return time.monotonic_ns()


class Kill(NamedTuple):
    """When the table dies: `delay_s` after the `nth` act or word of a kind."""

    kind: str  # start, word, press, order, deal
    nth: int
    delay_s: float


def some_kill(chance: random.Random) -> Kill:
    kind = chance.choices(("start", "word", "press", "order", "deal"), (15, 30, 30, 15, 10))[0]
    match kind:
        case "start":
            return Kill(kind, 1, chance.uniform(0, 0.8))
        case "word":
            return Kill(kind, chance.randint(1, 120), chance.choice((0.0, chance.uniform(0, 0.005))))
        case "press":
            return Kill(kind, chance.randint(1, 14), chance.uniform(0, 0.03))
        case "order":
            return Kill(kind, 1, chance.uniform(0, 0.006))
    return Kill(kind, 1, chance.uniform(0, 0.06))


def scripted_decks(chance: random.Random) -> list[list[Card]]:
    """One deal in three gives the first box a royal flush with the dealer's cards, most of them in spades."""
    decks = []
    for _ in range(DECKS):
        deck = chance.sample(DECK, len(DECK))
        if chance.randrange(3) == 0:
            suit = "s" if chance.randrange(3) else "h"
            royal = [Card(f"{rank}{suit}") for rank in "AKQJT"]
            rest = [card for card in deck if card not in royal]
            deck = [*royal[:3], *rest[:3], *royal[3:], *rest[3:]]
        decks.append(deck)
    return decks


class Driver:
    def __init__(self, folder: Path, seed: int, name: str = "T1") -> None:
        self._folder = folder
        self._chance = random.Random(seed)
        self.tally = Tally()
        self.device = RiggedShuffler(HostTime(), random.Random(seed), packets=False, decks=self._decks())
        self.shuffler = PtyShuffler(self.device, folder / "tty")
        self.shuffler.plug()
        self._table_file = folder / "table.toml"
        self._table_file.write_text(TABLE.format(name=name, url=self.shuffler.path))
        self._chips: dict[str, bool] = {}
        self.cards: list[Card] = []  # every card that the device ever dealt
        self._dealt_for: set[int] = set()
        self._boxes: dict[int, list[int]] = {}  # round: the seats with an ante
        self._orders = 0
        self._process: KillableTable | None = None
        self._held: tuple[str, float, Said] | None = None  # key, until when, what was said before
        self._rest_until = 0.0
        self._kill: Kill | None = None
        self._kill_at = 0.0

    def _decks(self) -> list[list[Card]]:
        return scripted_decks(self._chance)

    # --- lives of the table --------------------------------------------------------------------------

    def live_and_die(self) -> None:
        """Start the table, play, and kill it at a random moment."""
        self._start(some_kill(self._chance))
        while time.monotonic() < self._kill_at:
            self._play_on()
        assert self._process is not None
        self._hear(self._process.kill())
        self._forget_the_life()

    def live_until(self, truth: Callable[[], bool], within_s: float) -> None:
        """Start the table, play until `truth` holds, and stop it in good order between two rounds."""
        self._start(None)
        deadline = time.monotonic() + within_s
        while not (truth() and self.tally.where["phase"] == "IDLE" and not self.tally.where["unanswered"]):
            assert time.monotonic() < deadline, f"it did not happen; {self.tally.where}, {self.tally.refusals[-3:]}"
            self._play_on()
        assert self._process is not None
        status, said = self._process.stop()
        self._hear(said)
        assert status == 0
        self._forget_the_life()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
        self.shuffler.close()

    def _start(self, kill: Kill | None) -> None:
        self._write_levels()
        self._kill = kill
        self._kill_at = math.inf if kill is None else time.monotonic() + LIFE_S
        self._process = KillableTable(self._table_file, self._folder / "bench")
        self._count("start")

    def _forget_the_life(self) -> None:
        assert self._process is not None
        self._process.close()
        self._process = None
        self._held = None
        self.tally.pending.clear()  # never answered: it may have been done or not

    def _write_levels(self) -> None:
        (self._folder / "levels.json").write_text(json.dumps(self._chips))

    def _count(self, kind: str) -> None:
        """Count one act or word of this kind. The kill may be due."""
        if self._kill is not None and self._kill.kind == kind:
            self._kill = self._kill._replace(nth=self._kill.nth - 1)
            if self._kill.nth == 0:
                self._kill_at = min(self._kill_at, time.monotonic() + self._kill.delay_s)

    # --- one look at the table -----------------------------------------------------------------------

    def _play_on(self) -> None:
        assert self._process is not None
        was_connected = self._process.connected
        said = self._process.hear(self._wait_s())
        self._hear(said)
        if was_connected and self._process.connected and time.monotonic() < self._kill_at:
            self._act()

    def _wait_s(self) -> float:
        now = time.monotonic()
        due = [self._kill_at, now + LOOK_S]
        if self._held is not None:
            due.append(self._held[1])
        elif self._rest_until > now:
            due.append(self._rest_until)
        return max(0.0, min(due) - now)

    def _hear(self, said: list[Said]) -> None:
        for word in said:
            self.tally.hear(word)
            self._count("word")

    def _act(self) -> None:
        where = self.tally.where
        if self._held is not None:
            key, until, then = self._held
            if where is then and time.monotonic() < until:
                return
            self._drive(key, False)
            self._held = None
            self._rest_until = time.monotonic() + REST_S
        if time.monotonic() < self._rest_until or self.tally.pending or not where:
            return
        if where["questions"]:
            self._rule(where["questions"][0])
        elif (act := _ACTS.get(where["phase"])) is not None:
            act(self, where)

    # --- means ---------------------------------------------------------------------------------------

    def _drive(self, line: str, level: bool) -> None:
        assert self._process is not None
        self._process.send(drive=line, level=level)

    def _press(self, key: str) -> None:
        self._drive(f"key.{key}", True)
        self._held = (f"key.{key}", time.monotonic() + HOLD_S, self.tally.where)
        self._count("press")

    def _chip(self, spot: str, present: bool) -> None:
        self._chips[spot] = present
        self._write_levels()
        self._drive(spot, present)

    def _order(self, kind: str, **fields: Any) -> None:
        assert self._process is not None
        self._orders += 1
        self.tally.pending[self._orders] = Order(kind, fields, int(self.tally.where["round"]))
        self._process.send(order=kind, fields=fields, id=self._orders)
        self._count("order")

    # --- acts ----------------------------------------------------------------------------------------

    def _rule(self, question: Said) -> None:
        choice = self._chance.choice((question["proposal"] or question["options"][0], *question["options"]))
        self._order("RulingMade", question=question["id"], choice=choice, person=SUPERVISOR, reason="so ruled")

    def _open_table(self, _: Said) -> None:
        self._order("TableOpened", person=SUPERVISOR)

    def _open_round(self, where: Said) -> None:
        # Cards of a void round still come out of the device; they must not become cards of the next round. A key that
        # was pressed again while the table's disk was slow has ended the round with its chips still on the layout.
        if self._cleared() and where["link"] == "UP" and self.shuffler.quiet():
            self._press("open")

    def _bet_and_lock(self, where: Said) -> None:
        number = int(where["round"])
        if number not in self._boxes:
            boxes = sorted(self._chance.sample(SEATS, HANDS - 1))
            coins = [seat for seat in boxes if self._chance.randrange(4)]
            for spot in (*(f"{seat}.ante" for seat in boxes), *(f"{seat}.progressive" for seat in coins)):
                self._chip(spot, True)
            self._boxes[number] = boxes
            self.tally.locked_with[number] = coins
            return
        self._press("no_more_bets")

    def _deal(self, where: Said) -> None:
        number = int(where["round"])
        if self._void_by_whim(where):
            return
        if number not in self._dealt_for:
            # A table that has just started has asked for the state of the deck: the answer may still be on its way.
            unheard = self.shuffler.ask(lambda _: self.device.unheard())
            assert not unheard, f"the device still holds {unheard} cards of another round"
            self._dealt_for.add(number)
            for cards in self.shuffler.dispense(int(where["sets"]), 3):
                self.cards.extend(cards)
            self._count("deal")
        elif not where["collected"]:
            self._collect()

    def _collect(self) -> None:
        self._press("collect")

    def _decide(self, where: Said) -> None:
        if self._void_by_whim(where):
            return
        if not where["seen"]:
            self._press("cards_seen")
            return
        open_boxes = [seat for seat in self._boxes[int(where["round"])] if str(seat) not in where["decisions"]]
        if not open_boxes:
            self._press("reveal")
            return
        choice = "play" if (int(where["round"]) + open_boxes[0]) % 5 else "fold"
        self._press(choice if where["mode"] != choice else f"seat_{open_boxes[0]}")

    def _reveal(self, where: Said) -> None:
        self._press("settle" if where["revealed"] else "reveal")

    def _verify(self, where: Said) -> None:
        claim = next(claim for claim in where["claims"] if not claim["verdict"])
        if self._chance.randrange(5):
            self._order("ClaimConfirmed", claim=claim["claim"], person=SUPERVISOR)
        else:
            self._order("ClaimDenied", claim=claim["claim"], person=SUPERVISOR, reason="a card was exposed")

    def _settle_without_link(self, where: Said) -> None:
        """No controller values a claim: it is paid by the value that was registered with the lock."""
        if where["link"] == "LOST" and where["claims"]:
            self._verify(where)

    def _pay(self, where: Said) -> None:
        if not self._void_by_whim(where):
            self._end(where)

    def _end(self, _: Said) -> None:
        if self._cleared() and self.shuffler.quiet():
            self._press("settle")

    def _cleared(self) -> bool:
        """Take away every chip that lies there. True if none did."""
        lying = [spot for spot, present in self._chips.items() if present]
        for spot in lying:
            self._chip(spot, False)
        return not lying

    def _void_by_whim(self, where: Said) -> bool:
        if where["claims"] or self._chance.randrange(60):
            return False
        self._order("VoidOrdered", person=SUPERVISOR, reason="a whim")
        return True


_ACTS: dict[str, Callable[[Driver, Said], None]] = {
    "CLOSED": Driver._open_table,
    "IDLE": Driver._open_round,
    "BETTING": Driver._bet_and_lock,
    "DEALING": Driver._deal,
    "DECIDING": Driver._decide,
    "REVEALING": Driver._reveal,
    "SETTLING": Driver._settle_without_link,
    "VERIFYING": Driver._verify,
    "PAYING": Driver._pay,
    "VOIDING": Driver._end,
}
