"""The fleet without processes: the same tables and dealers, an office on a ledger in memory, and letters, answers,
restarts and reboots in an order that a seed has shuffled. It plays hundreds of evenings in the time of one real one."""

from __future__ import annotations

import itertools
import random

from felt.jackpot.books import acts
from felt.jackpot.books.terms import MeterTerms, Procedure
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Pong
from felt.letters.from_table import Ping, Posted
from felt.nouns.stamps import Stamp
from felt.wire.jackpot import Message
from tests.real.fleet_house import CLAIM_NAMED, ORDER_WANTED
from tests.real.fleet_outbox import TableBook
from tests.real.fleet_plan import LEVELS, Expected, Link, expected, link_of, meter_name

TERMS = tuple(
    MeterTerms(meter_name(link, level), level.reset_minor, level.rate_bp, level.reserve_bp)
    for link, level in itertools.product(Link, LEVELS)
)
LOST = 0.2  # of all answers
SLOW = 0.01  # the pace of a slow table, as a part of another's
STEPS_MAX = 200_000
STEP_NS_MAX = 3_000_000
APART_NS = 10**12  # how far the tables' clocks differ


class ShuffledEvening:
    def __init__(self, seed: int, tables: int, rounds: int, slow: int = 0) -> None:
        """The first tables may be slow: the others play many rounds while their claims are open."""
        self._chance = random.Random(seed)
        self._seed, self._rounds = seed, rounds
        self._names = [f"T{number:02d}" for number in range(1, tables + 1)]
        self._slow = self._names[:slow]
        self.books = {name: TableBook(name, seed, rounds) for name in self._names}
        self.ledger = MemoryLedger()
        self._time_ns = APART_NS
        self._boots = itertools.count()
        self._boot_of = {name: f"b{next(self._boots)}" for name in ("", *self._names)}
        self._pongs: dict[str, tuple[str, int, int]] = dict.fromkeys(self._names, ("", 0, 0))
        self.office = self._opened()

    def play(self) -> None:
        for _ in range(STEPS_MAX):
            if all(book.finished and book.answered for book in self.books.values()):
                return
            self._step()
        raise AssertionError(f"the evening of seed {self._seed} does not end: {self.office.alerts(self._now())}")

    def expected(self) -> dict[str, Expected]:
        paid = [award for book in self.books.values() for award in book.awards.values()]
        return dict(expected(self._seed, self._names, self._rounds, paid))

    def troubles(self) -> list[str]:
        return [trouble for book in self.books.values() for trouble in book.troubles]

    def _step(self) -> None:
        book = self.books[self._chance.choice(self._names)]
        if book.table in self._slow and self._chance.random() > SLOW:
            return
        what = self._chance.random()
        if what < 0.45:
            line = book.next_line(self._now(book.table))
            if line is not None:
                book.take(line)
        elif what < 0.85:
            self._post(book)
        elif what < 0.95:
            self._ping(book)
        elif what < 0.98:
            self._look_around()
        elif what < 0.99:
            self._boot_of[book.table] = f"b{next(self._boots)}"
            self._pongs[book.table] = ("", 0, 0)
        else:
            self._boot_of[""] = f"b{next(self._boots)}"
            self.office = self._opened()

    def _post(self, book: TableBook) -> None:
        waiting = list(book.unanswered())[: self._chance.choice((1, 1, 2, 6))]
        letters = [Posted(book.table, book.nonce, *letter, letter[0], "ab" * 32) for letter in waiting]
        self._hear(self.office.take_batch(letters, self._now()))

    def _ping(self, book: TableBook) -> None:
        now = self._now(book.table)
        sample = (now.boot, now.mono_ns, 0, *self._pongs[book.table])
        self._hear(self.office.take_batch([Ping(book.table, book.nonce, len(book.letters), *sample)], self._now()))

    def _look_around(self) -> None:
        self._hear(self.office.look_again(self._now()))
        for alert in self.office.alerts(self._now()):
            found = ORDER_WANTED.fullmatch(alert)
            if found is not None:
                named = tuple(acts.ClaimName(table, claim) for claim, table in CLAIM_NAMED.findall(found[2]))
                persons = [acts.Person("Ada", acts.SUPERVISOR)]
                order = acts.OrderClaims(found[1], named)
                self._hear(self.office.act(order, persons, "by the cameras", self._now()))

    def _hear(self, answers: list[Message]) -> None:
        for message in answers:
            if self._chance.random() < LOST:
                continue
            if isinstance(message, Pong):
                heard_ns = self._now(message.table).mono_ns
                self._pongs[message.table] = (message.controller_boot, message.controller_ns, heard_ns)
            book = self.books[message.table]
            line = book.heard(message)
            if line is not None:
                book.take(line)

    def _now(self, table: str = "") -> Stamp:
        """The time by the controller's clock, or by a table's."""
        self._time_ns += self._chance.randrange(1000, STEP_NS_MAX)
        ahead_ns = APART_NS * (1 + self._names.index(table)) if table else 0
        return Stamp(self._boot_of[table], self._time_ns + ahead_ns, self._time_ns)

    def _opened(self) -> Office:
        links = tuple((name, str(link_of(name))) for name in self._names)
        return Office(self.ledger, TERMS, Procedure(links=links))
