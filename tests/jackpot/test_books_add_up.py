"""The money against the letters, after what persons did at the controller and by every reading of when bets count."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.jackpot.books.accounts import Account, Code
from felt.jackpot.books.acts import (
    Act,
    Adjustment,
    AdjustMeter,
    ChangeTerms,
    ClaimName,
    ClearMeter,
    CorrectClaim,
    Person,
    Purse,
    SettleAbandonedClaim,
)
from felt.jackpot.books.draft import RefusedError
from felt.jackpot.books.standing import HITS_KEPT
from felt.jackpot.books.terms import AMOUNT_MINOR_MAX, TOTAL_MICRO_MAX, IncrementTiming, MeterTerms, Procedure
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.audit import broken_conservation
from felt.jackpot.ledger.backup import write_backup
from felt.jackpot.ledger.port import LedgerError
from felt.jackpot.ledger.sqlite import MemoryLedger, SqliteLedger
from felt.letters.from_table import BetsReturnedLetter
from felt.nouns.values import replace
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR, Sender, claim, stamp

TWO = (Person("Ada", "supervisor"), Person("Bob", "shift_manager"))
ONLY_IF_NOT_WON = replace(MAJOR, increment_timing=IncrementTiming.ONLY_IF_NOT_WON)
ABANDONED = ClaimName("T1", "1.2", "n1")


class Books:
    def __init__(self, terms: MeterTerms) -> None:
        self.ledger = MemoryLedger()
        self.office = Office(self.ledger, [terms])
        self.table = Sender(self.office)

    def do(self, act: Act) -> None:
        self.office.act(act, TWO, "as agreed", stamp(10**6))

    def begin_another_journal(self) -> Sender:
        again = Sender(self.office, nonce="n2", second=100)
        again.lock(1, 1)
        again.deal(1, 1)
        again.decide(1)
        return again

    def hit(self, table: Sender, number: int) -> None:
        (valued,) = table.play(number, 1, 2, claims=(claim(number, 1),))
        table.confirm(number, valued.claim, valued.award_minor)

    def problem(self) -> str:
        return self.office.report().problem


@pytest.fixture
def books() -> Iterator[Books]:
    made = Books(MAJOR)
    yield made
    assert made.problem() == ""


def test_persons_pay_a_claim_beside_one_that_its_table_confirmed(books: Books) -> None:
    (first,) = books.table.play(1, 1, 2, claims=(claim(1, 1), claim(1, 2)))
    books.table.confirm(1, "1.1", first.award_minor)
    books.begin_another_journal()
    books.do(SettleAbandonedClaim(ABANDONED, pay=True))
    assert books.office.standing.meters[0].hits == 2


def test_a_stated_award_whose_turn_comes_by_an_act_is_its_letters(books: Books) -> None:
    books.table.play(1, 1, 2, claims=(claim(1, 1), claim(1, 2)))
    books.table.confirm(1, "1.2", RESET_MINOR, registered=True)
    books.begin_another_journal()
    books.do(SettleAbandonedClaim(replace(ABANDONED, claim="1.1"), pay=False))
    assert books.office.standing.meters[0].hits == 1


def test_what_persons_paid_is_known_when_the_hit_is_none_of_the_latest(books: Books) -> None:
    books.table.play(1, 1, 2, claims=(claim(1, 2),))
    table = books.begin_another_journal()
    books.do(SettleAbandonedClaim(ABANDONED, pay=True))
    for number in range(2, HITS_KEPT + 2):
        books.hit(table, number)
    assert all(hit.claim != "1.2" for hit in books.office.standing.hits)


@pytest.mark.parametrize("first", IncrementTiming)
@pytest.mark.parametrize("then", IncrementTiming)
def test_old_rounds_are_judged_by_the_reading_that_was_in_force(first: IncrementTiming, then: IncrementTiming) -> None:
    books = Books(replace(MAJOR, increment_timing=first))
    books.hit(books.table, 1)
    books.do(ChangeTerms(replace(MAJOR, increment_timing=then, rate_bp=200)))
    for number in (2, 3, 4):
        books.hit(books.table, number)
        assert books.problem() == ""
    assert books.office.standing.meters[0].terms.increment_timing is then


def test_a_round_that_won_has_added_nothing_at_a_rate_of_nought_too() -> None:
    books = Books(replace(ONLY_IF_NOT_WON, rate_bp=0))
    books.hit(books.table, 1)
    books.do(ChangeTerms(MAJOR))
    books.hit(books.table, 2)
    books.hit(books.table, 3)
    assert books.problem() == ""


def test_persons_pay_an_award_of_nought() -> None:
    books = Books(replace(ONLY_IF_NOT_WON, reset_minor=0))
    books.table.play(1, 1, 2, claims=(claim(1, 2),))
    books.begin_another_journal()
    books.do(SettleAbandonedClaim(ABANDONED, pay=True))
    assert books.problem() == ""


def test_bets_that_wait_for_a_second_claim_are_left_out_once(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger")
    office = Office(ledger, [ONLY_IF_NOT_WON])
    table = Sender(office)
    (first,) = table.play(1, 1, 2, claims=(claim(1, 1), claim(1, 2)))
    (second,) = table.confirm(1, "1.1", first.award_minor)
    assert office.report().problem == ""
    assert write_backup(ledger, tmp_path / "backup").letters == 4
    table.confirm(1, "1.2", second.award_minor)
    assert office.report().problem == ""
    ledger.close()


def test_bets_are_left_out_of_a_meter_for_a_win_and_for_nothing_else() -> None:
    books = Books(ONLY_IF_NOT_WON)
    books.hit(books.table, 1)
    books.table.play(2, 1)
    (counted,) = [entry for entry in books.ledger.entries(Code.COMMITTED) if entry.round == 2 and entry.stake_minor]
    stray = replace(counted, code=Code.CORRECTED, debit=Account.RESERVE, credit=Account.PLAYERS, amount=0)
    books.ledger.commit((replace(stray, stake_minor=-counted.stake_minor),), {})
    assert "has counted 0 of round 2" in broken_conservation(books.ledger, books.office.standing, Procedure())


def test_an_award_that_neither_a_letter_nor_a_person_made_is_seen(books: Books) -> None:
    books.hit(books.table, 1)
    forged = MemoryLedger()
    letters = [letter for letter in books.ledger.letters() if letter.kind != "ClaimConfirmed"]
    forged.commit(tuple(books.ledger.entries()), {}, letters)
    assert "the letters confirmed 0" in broken_conservation(forged, books.office.standing, Procedure())


# --- numbers that a database can hold ---------------------------------------------------------------------


def adjusting(micro: int, purse: Purse = Purse.RESERVE) -> AdjustMeter:
    return AdjustMeter("major", purse, micro, Adjustment.DOCUMENTED)


def test_adjustments_never_add_up_to_more_than_a_ledger_holds(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger")
    office = Office(ledger, [MAJOR])
    room = TOTAL_MICRO_MAX - RESET_MINOR * MICRO
    for _ in range(12):  # the sum of what was put in alone is more than 64 bits
        office.act(AdjustMeter("major", Purse.RESERVE, room, Adjustment.MALFUNCTION), TWO, "in", stamp(5))
        for much in (1, 2**62, 2**70):
            with pytest.raises(RefusedError, match="are the most"):
                office.act(adjusting(much), TWO, "more", stamp(5))
        office.act(AdjustMeter("major", Purse.RESERVE, -room, Adjustment.SEED_RECOVERY), TWO, "out", stamp(5))
    assert office.report().problem == ""
    ledger.close()
    again = SqliteLedger(tmp_path / "ledger")
    assert Office(again, [MAJOR]).meters() == {"major": RESET_MINOR * MICRO}
    again.close()


def test_a_meter_that_is_full_is_not_cleared_for_another_and_takes_no_bets(books: Books) -> None:
    books.do(adjusting(TOTAL_MICRO_MAX - RESET_MINOR * MICRO, Purse.DISPLAY))
    with pytest.raises(RefusedError, match="are the most"):
        books.do(ClearMeter("major"))
    books.table.play(1, 1)
    assert "nothing is added" in books.table.try_to_post(books.table.locking(2, 1))


@pytest.mark.parametrize(
    "terms",
    [
        replace(MAJOR, reset_minor=AMOUNT_MINOR_MAX + 1),
        replace(MAJOR, limit_minor=AMOUNT_MINOR_MAX + 1),
        replace(MAJOR, base_minor=AMOUNT_MINOR_MAX + 1),
        replace(MAJOR, threshold_minor=AMOUNT_MINOR_MAX + 1),
    ],
)
def test_terms_beyond_every_meter_are_refused(books: Books, terms: MeterTerms) -> None:
    with pytest.raises(RefusedError, match="at most"):
        books.do(ChangeTerms(terms))


def test_another_rate_changes_nothing_of_what_was_committed() -> None:
    books = Books(replace(MAJOR, rate_bp=1))
    for number in range(1, 112):
        books.table.play(number, *range(1, 10), stake=10**9)
    books.do(ChangeTerms(replace(MAJOR, rate_bp=10_000)))
    books.hit(books.table, 112)
    books.hit(books.table, 113)
    assert books.office.standing.meters[0].terms.rate_bp == 10_000
    assert books.problem() == ""


def test_a_sum_that_was_due_is_one_that_can_be_written_down() -> None:
    office = Office(MemoryLedger(), [MAJOR, replace(MAJOR, name="minor")])
    table = Sender(office)
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    table.confirm(1, "1.1", valued.award_minor)
    with pytest.raises(RefusedError, match="from 1 to"):
        office.act(CorrectClaim(ClaimName("T1", "1.1"), "minor", 1, 1, 2**62), TWO, "misread", stamp(5))


# --- terms of several meters --------------------------------------------------------------------------------


def test_meters_never_grow_by_more_than_the_whole_stake_together() -> None:
    slow, fast = replace(MAJOR, name="slow", rate_bp=3000), replace(MAJOR, name="fast", rate_bp=6000)
    ledger = MemoryLedger()
    office = Office(ledger, [slow, fast])

    def change(terms: MeterTerms) -> None:
        office.act(ChangeTerms(terms), TWO, "as agreed", stamp(5))

    with pytest.raises(RefusedError, match="12000 bp of a stake"):
        change(replace(slow, rate_bp=6000))
    change(replace(fast, rate_bp=3000))
    with pytest.raises(RefusedError, match="terms in force count until"):
        change(replace(slow, rate_bp=6000))
    office.act(ClearMeter("fast"), TWO, "as agreed", stamp(5))
    change(replace(slow, rate_bp=6000))
    with pytest.raises(RefusedError, match="12000 bp of a stake"):
        change(fast)
    Office(ledger, [replace(slow, rate_bp=6000), replace(fast, rate_bp=3000)])


# --- tables of several links --------------------------------------------------------------------------------

LINKED = (replace(MAJOR, name="x/major"), replace(MAJOR, name="y/major"))


@pytest.mark.parametrize("configured", [(("T1", "y"), ("T2", "y")), (("T2", "y"),)])
@pytest.mark.parametrize("left", ["pending", "committed", "claimed", "finished"])
def test_a_table_keeps_its_link(left: str, configured: tuple[tuple[str, str], ...]) -> None:
    ledger, links = MemoryLedger(), Procedure(links=(("T1", "x"), ("T2", "y")))
    office = Office(ledger, LINKED, links)
    table = Sender(office)
    if left == "pending":
        table.lock(1, 1)
    else:
        table.play(1, 1, 2, claims=(claim(1, 1),) if left == "claimed" else ())
    if left == "finished":
        table.end(1, 1000, 0, 2)
    with pytest.raises(LedgerError, match=r"bets of table T1 are on the link 'x'.*put it back"):
        Office(ledger, LINKED, Procedure(links=configured))
    assert Office(ledger, LINKED, Procedure(links=(*links.links, ("T3", "x")))).report().problem == ""


def test_a_box_that_claims_keeps_its_bets_until_the_claim_is_denied(books: Books) -> None:
    first, second = claim(1, 1), claim(1, 2)
    (valued,) = books.table.play(1, 1, 2, 3, claims=(first, second))
    back = BetsReturnedLetter(1, (2,), "5.15", "Ada", books.table.now())
    assert "1.2 is open or paid" in books.table.try_to_post(back)
    books.table.confirm(1, "1.1", valued.award_minor)
    assert "1.1 is open or paid" in books.table.try_to_post(replace(back, seats=(3, 1)))
    books.table.deny(1, "1.2")
    books.table.post(back)
    books.table.end(1, 1000, valued.award_minor, 2)
    assert list(books.ledger.entries(Code.ALARM))[2:] == [], "both totals are the same"
