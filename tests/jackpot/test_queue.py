"""Bets behind a hit, round by round: together they are what waits on the meter, whatever is paid, taken or moved up."""

from __future__ import annotations

from collections import Counter

import pytest

from felt.jackpot.books.accounts import Code
from felt.jackpot.books.acts import ClaimName, Person, ReinstateJournal, SettleAbandonedClaim
from felt.jackpot.books.terms import MeterTerms
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.port import LedgerError
from felt.jackpot.ledger.rows import rows_of
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_table import HitReportedLetter
from felt.nouns.values import replace
from tests.jackpot.evening import MICRO, STAKE, Sender, claim, stamp

TWO = (Person("Ada", "supervisor"), Person("Bob", "shift_manager"))
LEVELS = ("grand", "major", "minor", "mini")
TERMS = [MeterTerms(level, 1_000, 100) for level in LEVELS]
GROWTH = STAKE * 10_000
RESET = 1_000 * MICRO
MANY = 12


class Books:
    """An office whose queues are looked at after whatever happens."""

    def __init__(self, meters: int, limit_minor: int = 0) -> None:
        self.ledger = MemoryLedger()
        self.terms = [replace(terms, limit_minor=limit_minor) for terms in TERMS[:meters]]
        self.office = Office(self.ledger, self.terms)

    def table(self, name: str, nonce: str = "n1", second: int = 0) -> Sender:
        return Sender(self.office, name, nonce, second)

    def plays(self, table: Sender, *numbers: int) -> None:
        for number in numbers:
            table.play(number, 1)

    def check(self) -> None:
        standing = self.office.standing
        waiting: Counter[str] = Counter()
        for bets in standing.bets.values():
            waiting[bets.meter] += bets.micro
        assert {meter.name: meter.waiting for meter in standing.meters} == {
            terms.name: waiting[terms.name] for terms in self.terms
        }
        assert rows_of(standing) == self.ledger.rows()
        assert self.office.report().conserved, self.office.report().problem


def claimed(books: Books) -> Sender:
    """A table with a claim on each meter that has its value."""
    first = books.table("T1")
    seats = range(1, len(books.terms) + 1)
    claims = tuple(claim(1, seat, level=terms.name, second=2) for seat, terms in zip(seats, books.terms, strict=True))
    first.play(1, *seats, claims=claims)
    return first


@pytest.mark.parametrize("rounds", [6, 7, 8, 30])
def test_an_award_without_a_link_waits_for_its_turn_and_takes_no_bets_of_others(rounds: int) -> None:
    books = Books(2)
    other = books.table("T2")
    other.lock(1, 1)
    first = claimed(books)
    other.second = 10
    other.deal(1, 1)
    other.decide(1, claim(1, 1, level="grand", second=11))
    books.plays(books.table("T3", second=20), *range(1, rounds + 1))
    before = books.office.standing.meters[0]
    other.confirm(1, "1.1", 1, registered=True)
    books.check()
    assert books.office.standing.meters[0] == before, "the meter pays when the hit has its turn"
    other.end(1, STAKE, 1, 1)
    assert books.office.alarms == 0, "for its round it is resolved at once"
    first.deny(1, "1.1")
    after = books.office.standing.meters[0]
    assert (after.hits, after.winners, after.display) == (1, MICRO, before.display + before.waiting - MICRO + RESET)
    first.deny(1, "1.2")
    books.check()
    assert not books.office.standing.bets


def test_a_table_that_plays_on_has_each_of_its_rounds_behind_the_hit() -> None:
    books = Books(2)
    first = claimed(books)
    books.plays(books.table("T3", second=20), *range(1, 61))
    books.check()
    assert Counter(bets.meter for bets in books.office.standing.bets.values()) == {"grand": 60, "major": 60}
    first.deny(1, "1.1")
    first.deny(1, "1.2")
    assert books.office.meters() == dict.fromkeys(("grand", "major"), 1000 * MICRO + 62 * GROWTH)


def test_the_round_in_play_keeps_its_own_bets_also_beside_many_that_claim() -> None:
    books = Books(4)
    first = claimed(books)
    busy = books.table("T3", second=20)
    for number in range(1, MANY + 1):
        busy.play(number, 1, claims=(claim(number, 1, level="grand", second=busy.second + 2),))
    books.plays(busy, MANY + 1, MANY + 2)
    busy.void(MANY + 2, after_result=True)
    books.check()
    busy.lock(MANY + 3)
    for number in range(1, MANY + 1):
        books.office.act(SettleAbandonedClaim(ClaimName("T3", f"{number}.1"), pay=False), TWO, "left", stamp(999))
    for seat in range(1, 5):
        first.deny(1, f"1.{seat}")
    books.check()
    assert [meter.waiting for meter in books.office.standing.meters] == [0, 0, 0, 0]


@pytest.mark.parametrize("speaks", ["void", "hit"])
def test_a_round_of_a_journal_that_comes_back_still_has_its_bets(speaks: str) -> None:
    books = Books(1)
    missing, first = books.table("T0"), books.table("T1")
    missing.lock(1, 1)
    missing.deal(1, 1)
    first.play(1, 1, claims=(claim(1, 1, level="grand", second=2),))
    old, new = books.table("T3", "old", second=10), books.table("T3", "new", second=20)
    books.plays(old, 1)
    books.plays(new, *range(1, MANY + 8))
    books.office.act(ReinstateJournal("T3", "old"), TWO, "the wrong disk", stamp(999))
    if speaks == "void":
        old.void(1, after_result=True)
    else:
        old.post(HitReportedLetter(1, claim(1, 1, level="grand", second=12), "Kim", "Ada", "it lies there", old.now()))
    books.check()
    missing.decide(1)
    valued = next(one for one in books.office.standing.claims if one.valuation is not None)
    assert valued.valuation is not None
    assert (valued.table, valued.valuation.value_micro) == ("T1", 1_000 * MICRO + 2 * GROWTH)
    (*_, next_one) = [None, *first.confirm(1, "1.1", valued.valuation.award_minor)]
    books.check()
    if speaks == "hit":
        assert next_one is not None
        assert next_one.value_micro == 1_000 * MICRO + GROWTH, "its own bet"


def test_what_moves_up_is_written_in_the_same_order_after_a_start() -> None:
    def told(opened_again: bool) -> list[tuple[str, str, int]]:
        books = Books(1, limit_minor=1_012)
        missing, first = books.table("T0"), books.table("T1")
        missing.lock(1, 1)
        missing.deal(1, 1)
        first.play(1, 1, claims=(claim(1, 1, level="grand", second=2),))
        for name in ("Z", "B", "C"):
            books.plays(books.table(name, second=10), 1)
        last = books.table("Y", second=30)
        last.play(1, 1, claims=(claim(1, 1, level="grand", second=32),))
        if opened_again:
            first.office = missing.office = Office(books.ledger, books.terms)
        first.deny(1, "1.1")
        return [(one.table, str(one.credit), one.amount) for one in books.ledger.entries(Code.MOVED_UP)]

    assert told(opened_again=True) == told(opened_again=False) != []


def test_the_books_notice_bets_that_wait_and_are_of_no_known_round() -> None:
    books = Books(1)
    claimed(books)
    books.plays(books.table("T3", second=20), 1)
    gone = [key for key in books.ledger.rows() if key.startswith("bets/")]
    books.ledger.commit((), dict.fromkeys(gone))
    with pytest.raises(LedgerError, match=r"the bets behind the hits of the meter 'grand' are 0"):
        Office(books.ledger, books.terms)
