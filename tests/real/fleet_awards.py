"""Every award of a fleet, cent by cent. Of the ledger only the order is taken, and into which cycle it counted a round;
every amount is the plan's own. From that follows what a meter stood at when a claim was valued, what the claim is
worth, and whether its table paid exactly so much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from felt.jackpot.books.accounts import AWARDS, Account, Code, Entry
from tests.real.fleet_outbox import TableBook
from tests.real.fleet_plan import LEVELS, MICRO, MICRO_PER_BASIS_POINT, Level, Link, PlannedClaim, meter_name, plan_of


class Purse:
    """One meter of a link on which jackpots are claimed."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.display = level.reset_minor * MICRO
        self.waiting: dict[tuple[str, int], int] = {}  # by table and round: what stands behind a claim
        self.counted: set[tuple[str, int]] = set()  # table and round

    def growth_of(self, stakes: Iterable[int]) -> int:
        return sum(stakes) * (self.level.rate_bp - self.level.reserve_bp) * MICRO_PER_BASIS_POINT


class _Awards:
    def __init__(self, seed: int, books: Mapping[str, TableBook]) -> None:
        self._seed, self._books = seed, books
        self.purses = {meter_name(Link.HOT, level): Purse(level) for level in LEVELS}
        self.values: dict[tuple[str, str], int] = {}  # by table and claim
        self.paid: dict[tuple[str, str], int] = {}

    def take(self, entry: Entry) -> None:
        purse = self.purses.get(entry.meter)
        if purse is None:
            return
        if entry.code is Code.COMMITTED and entry.credit in (Account.DISPLAY, Account.WAITING):
            self._count(purse, entry)
        elif entry.code is Code.MOVED_UP:
            self._move_up(purse, entry)
        elif entry.code is Code.VALUED:
            assert entry.amount == purse.display, f"the meter stood at {purse.display}, the ledger says {entry}"
            self.values[entry.table, entry.claim] = purse.display
        elif entry.code in AWARDS:
            self._pay(purse, entry)

    def _count(self, purse: Purse, entry: Entry) -> None:
        key = (entry.table, entry.round)
        assert key not in purse.counted, f"round {entry.round} of {entry.table} is counted twice"
        purse.counted.add(key)
        grown = purse.growth_of(plan_of(self._seed, *key).accepted())
        assert entry.amount == grown, f"{grown} was staked for the meter, the ledger says {entry}"
        if entry.credit is Account.WAITING:
            purse.waiting[key] = grown
        else:
            purse.display += grown

    def _move_up(self, purse: Purse, entry: Entry) -> None:
        """What one round has bet, in whose name it is."""
        grown = purse.waiting.pop((entry.table, entry.round), 0)
        assert entry.amount == grown, f"{grown} of the round waited, the ledger says {entry}"
        purse.display += grown

    def _pay(self, purse: Purse, entry: Entry) -> None:
        key = (entry.table, entry.claim)
        assert key not in self.paid, f"claim {key} is paid twice"
        share, parts = purse.level.share
        award = self.values[key] * share // (parts * MICRO)
        dealt = self._books[entry.table].awards[entry.claim]
        assert (dealt.level, dealt.award_minor) == (purse.level.name, award), f"claim {key} is {award}, paid {dealt}"
        self.paid[key] = award
        purse.display -= award * MICRO
        if share == parts:
            purse.display += purse.level.reset_minor * MICRO


def check_awards(entries: Iterable[Entry], seed: int, rounds: int, books: Mapping[str, TableBook]) -> int:
    """What was paid in all. An assertion names the first award or round that differs."""
    awards = _Awards(seed, books)
    for entry in entries:
        awards.take(entry)
    granted = {(table, planned.claim) for table in books for planned in _claims(seed, table, rounds) if planned.granted}
    assert set(awards.paid) == granted, "every claim that was granted is paid, and no other"
    return sum(awards.paid.values())


def _claims(seed: int, table: str, rounds: int) -> Iterable[PlannedClaim]:
    for number in range(1, rounds + 1):
        yield from plan_of(seed, table, number).claims
