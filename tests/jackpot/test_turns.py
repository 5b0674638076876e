"""Whose turn it is and whose bets count for it: a claim always has those of its own round on the meter."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from felt.jackpot.books.acts import (
    ChangeTerms,
    ClaimName,
    CorrectClaim,
    OrderClaims,
    Person,
    ReinstateJournal,
    SettleAbandonedClaim,
)
from felt.jackpot.books.terms import MeterTerms, SameLevelHits
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Refused
from felt.letters.from_table import (
    NAME_OF,
    Claim,
    ClaimConfirmedLetter,
    ClaimDeniedLetter,
    Contribution,
    DealtHand,
    HitReportedLetter,
    Letter,
    Posted,
    RoundDealtLetter,
    RoundLockedLetter,
    RoundResultLetter,
    RoundVoidedLetter,
    write,
)
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import replace
from felt.wire.jackpot import encode
from tests.jackpot.evening import MAJOR, ROYAL, STAKE
from tests.jackpot.house import House, Table
from tests.jackpot.test_linked_claims import GROWTH, RESET, confirm, tables

TWO = [Person("Ada", "supervisor"), Person("Bob", "shift_manager")]
MINOR = MeterTerms("minor", 1_000, 100)
SPLIT = replace(MAJOR, same_level_hits=SameLevelHits.SPLIT_EQUALLY)
Leaving = Callable[[Table], None]


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture(params=[MAJOR, SPLIT], ids=["in_deal_order", "split_equally"])
def terms(request: pytest.FixtureRequest) -> list[MeterTerms]:
    return [request.param, MINOR]


@pytest.fixture
def house(ledger: MemoryLedger, terms: list[MeterTerms]) -> Iterator[House]:
    house = House(Office(ledger, terms))
    yield house
    report = house.office.report()
    assert report.conserved, report.problem


def is_denied(one: Table) -> None:
    for claim in [claim for claim in one.house.office.standing.claims if claim.table == one.name]:
        one.post(ClaimDeniedLetter(1, claim.claim, "Ada", "misread", one.stamp()))


def is_corrected(one: Table) -> None:
    """Onto another meter."""
    act = CorrectClaim(ClaimName(one.name, "1.1"), "minor", 1, 1)
    one.house.office.act(act, TWO, "misread", one.house.now())


def is_abandoned(one: Table) -> None:
    born = write(RoundLockedLetter(1, one.stamp(), ()))
    one.house.take(encode(Posted(one.name, "n2", 1, "RoundLocked", born, 1, "ab")))
    act = SettleAbandonedClaim(ClaimName(one.name, "1.1", "n"), pay=False)
    one.house.office.act(act, TWO, "its journal is lost", one.house.now())


def first_waits(house: House, seats: tuple[int, ...] = (1,)) -> tuple[Table, Table, Table]:
    """The claims of the second table wait for the first one's result; a third table's claim was dealt later still."""
    missing, one, two = tables(house, 3)
    missing.lock(1, 1)
    one.lock(1, *seats)
    two.lock(1, 1)
    missing.deal(1, 1)
    house.passes(2_000)
    first = one.deal(1, *seats)
    house.passes(2_000)
    later = two.deal(1, 1)
    one.decide(1, first)
    two.decide(1, later)
    assert house.valued() == []
    return missing, one, two


@pytest.mark.parametrize("leaves", [is_denied, is_corrected, is_abandoned])
def test_whoever_is_next_has_his_own_round_on_the_meter(house: House, leaves: Leaving) -> None:
    missing, one, two = first_waits(house)
    leaves(one)
    missing.decide(1, {})
    valued = next(valued for valued in house.valued() if valued.table == two.name)
    assert valued.value_micro == RESET + 3 * GROWTH


def test_the_bets_of_a_round_that_became_void_are_gone_and_the_others_are_there(house: House) -> None:
    missing, one, two = first_waits(house)
    one.post(RoundVoidedLetter(1, "a foreign card", "5.8.1", "Ada", one.stamp(), after_result=True))
    missing.decide(1, {})
    (valued,) = house.valued()
    assert (valued.table, valued.value_micro) == (two.name, RESET + 2 * GROWTH)


def test_a_claim_that_was_not_first_leaves_everything_as_it_is(house: House) -> None:
    missing, one, two = first_waits(house)
    two.post(ClaimDeniedLetter(1, "1.1", "Ada", "misread", two.stamp()))
    missing.decide(1, {})
    (valued,) = house.valued()
    assert (valued.table, valued.value_micro) == (one.name, RESET + 2 * GROWTH)


def test_what_is_later_than_a_round_stays_so_while_the_round_has_another_claim(house: House) -> None:
    missing, one, two = first_waits(house, (1, 2))
    one.post(ClaimDeniedLetter(1, "1.1", "Ada", "misread", one.stamp()))
    missing.decide(1, {})
    (valued,) = house.valued()
    assert (valued.claim, valued.value_micro) == ("1.2", RESET + 3 * GROWTH)
    confirm(one, 1, valued)
    assert house.valued()[-1].table == two.name
    assert house.valued()[-1].value_micro == RESET + GROWTH, "the next cycle began with its own bet"


def test_when_all_claims_of_a_round_leave_the_next_table_has_everything(house: House) -> None:
    missing, one, two = first_waits(house, (1, 2))
    is_denied(one)
    missing.decide(1, {})
    (valued,) = house.valued()
    assert (valued.table, valued.value_micro) == (two.name, RESET + 4 * GROWTH)


def test_a_hand_that_was_first_in_a_deal_that_ended_last_has_its_own_bets(house: House) -> None:
    one, two = tables(house, 2)
    one.lock(1, 1)
    two.lock(1, 1, 2)
    now_ns = house.true_ns
    one.dealt(1, {1: now_ns + 2 * NS_PER_S})
    two.dealt(1, {1: now_ns + NS_PER_S, 2: now_ns + 4 * NS_PER_S})
    one.decide(1, {1: now_ns + 2 * NS_PER_S})
    assert house.valued() == [], "the other table had a hand before"
    two.decide(1, {1: now_ns + NS_PER_S})
    (valued,) = house.valued()
    assert (valued.table, valued.value_micro) == (two.name, RESET + 3 * GROWTH)


def test_a_claim_that_the_house_puts_first_has_its_own_bets(house: House) -> None:
    missing, one, two = first_waits(house)
    order = OrderClaims("major", (ClaimName(two.name, "1.1"), ClaimName(one.name, "1.1")))
    house.office.act(order, TWO, "as the cameras show", house.now())
    missing.decide(1, {})
    (valued,) = house.valued()
    assert (valued.table, valued.value_micro) == (two.name, RESET + 3 * GROWTH)
    confirm(two, 1, valued)
    assert house.valued()[-1].table == one.name


def test_a_claim_has_its_own_bets_though_nobody_knows_any_more_after_whose_they_came(
    house: House, ledger: MemoryLedger, terms: list[MeterTerms]
) -> None:
    """A controller that has just started cannot place two hands, and the first of them is denied."""
    missing, one, two = first_waits(house)
    house.office, house.boot = Office(ledger, terms), "another"
    one.post(ClaimDeniedLetter(1, "1.1", "Ada", "misread", one.stamp()))
    missing.decide(1, {})
    (valued,) = house.valued()
    assert (valued.table, valued.value_micro) == (two.name, RESET + 3 * GROWTH)


def journal_writes(house: House, table: Table, nonce: str, first: int, *letters: Letter) -> None:
    """Another journal than the one that the table has at first."""
    for number, letter in enumerate(letters, first):
        posted = Posted(table.name, nonce, number, NAME_OF[type(letter)], write(letter), 1, "ab")
        answers = house.take(encode(posted))
        assert not any(isinstance(answer, Refused) for answer in answers), answers


def claiming(house: House, table: Table, number: int) -> tuple[Letter, ...]:
    house.passes(5_000)
    claim = Claim(f"{number}.1", 1, "major", 1, 1, "royal_flush", ROYAL, table.mono_ns())
    return (
        RoundLockedLetter(number, table.stamp(), (Contribution(1, STAKE),)),
        RoundDealtLetter(number, table.stamp(), (DealtHand(1, table.mono_ns(), 0),)),
        RoundResultLetter(number, table.stamp(), (claim,)),
    )


def test_what_a_table_plays_with_a_new_journal_comes_after_a_claim_of_its_old_one(house: House) -> None:
    missing, one = tables(house, 2)
    missing.lock(1, 1)
    one.lock(5, 1)
    missing.deal(1, 1)
    house.passes(2_000)
    one.decide(5, one.deal(5, 1))
    house.passes(60_000)
    locked = RoundLockedLetter(1, one.stamp(), (Contribution(1, STAKE),))
    dealt = RoundDealtLetter(1, one.stamp(), (DealtHand(1, one.mono_ns(), 0),))
    journal_writes(house, one, "n2", 1, locked, dealt, RoundResultLetter(1, one.stamp(), ()))
    missing.decide(1, {})
    (valued,) = house.valued()
    assert valued.value_micro == RESET + 2 * GROWTH


def ordered(house: House, *claimants: Table) -> None:
    order = OrderClaims("major", tuple(ClaimName(table.name, "1.1") for table in claimants))
    house.seen += house.office.act(order, TWO, "as the cameras show", house.now())


def test_two_orders_of_the_house_do_not_mix(house: House) -> None:
    """Of two pairs that no clock tells apart, the second was dealt ten seconds after the first."""
    one, two, three, four = tables(house, 4)
    dealt_ns = {"T1": 0, "T2": 500_000, "T3": 10 * NS_PER_S, "T4": 10 * NS_PER_S + 500_000}
    began_ns = house.true_ns
    for table in (one, two, three, four):
        table.delay_ms = 40
        table.lock(1, 1)
    for table in (one, two, three, four):
        table.dealt(1, {1: began_ns + dealt_ns[table.name]})
    house.passes(20_000)
    for table in (one, two, three, four):
        table.decide(1, {1: began_ns + dealt_ns[table.name]})
    ordered(house, one, two)
    ordered(house, three, four)
    confirm(one, 1, house.valued()[0])
    assert [valued.table for valued in house.valued()] == ["T1", "T2"]


def dealt_at(house: House, seconds: dict[str, dict[int, int]]) -> tuple[dict[str, Table], int]:
    """Tables by name, each with a round whose hands were dealt at these seconds from an instant, which is told too."""
    group = dict(zip(seconds, tables(house, len(seconds)), strict=True))
    began_ns = house.true_ns
    for name, hands in seconds.items():
        group[name].lock(1, *hands)
    for name, hands in seconds.items():
        group[name].dealt(1, {seat: began_ns + second * NS_PER_S for seat, second in hands.items()})
    house.passes(60_000)
    return group, began_ns


def test_in_a_circle_those_go_first_that_the_house_has_named(house: House) -> None:
    group, began_ns = dealt_at(house, {"missing": {1: -1}, "first": {1: 0}, "between": {1: 10}, "last": {1: 20}})
    missing, first, between, last = group.values()
    first.decide(1, {1: began_ns})
    last.decide(1, {1: began_ns + 20 * NS_PER_S})
    ordered(house, last, first)
    between.decide(1, {1: began_ns + 10 * NS_PER_S})
    missing.decide(1, {})
    assert house.valued()[0].table == last.name


def all_dealt(house: House, *, fourth: dict[int, int]) -> list[Table]:
    """Four tables: the first has one hand early, the second one at ten seconds, the third one early and one at twenty;
    the seconds of the fourth one's hands are given."""
    group, _ = dealt_at(house, {"first": {1: 1}, "second": {1: 10}, "third": {1: 4, 2: 20}, "fourth": fourth})
    return list(group.values())


def reports(table: Table, true_ns: int) -> None:
    claim = Claim("1.1", 1, "major", 1, 1, "royal_flush", ROYAL, table.mono_ns(true_ns))
    table.post(HitReportedLetter(1, claim, "Kim", "Ada", "it lies there", table.stamp()))


def test_a_hit_that_is_reported_after_its_bets_were_put_behind_another_claim_has_them(house: House) -> None:
    began_ns = house.true_ns
    missing, one, reporting, two = all_dealt(house, fourth={1: 5, 2: 30})
    one.decide(1, {1: began_ns + 10 * NS_PER_S})
    reporting.decide(1, {})
    two.decide(1, {1: began_ns + 5 * NS_PER_S})
    reports(reporting, began_ns + 4 * NS_PER_S)
    missing.decide(1, {})
    (valued,) = house.valued()
    assert (valued.table, valued.value_micro) == (reporting.name, RESET + 4 * GROWTH), "the fourth deal ended later"


def test_a_reported_hit_whose_bets_are_on_the_meter_brings_in_nobody_elses(house: House) -> None:
    began_ns = house.true_ns
    missing, one, reporting, later = all_dealt(house, fourth={1: 40})
    reporting.decide(1, {})
    one.decide(1, {1: began_ns + 10 * NS_PER_S})
    later.decide(1, {})
    reports(reporting, began_ns + 4 * NS_PER_S)
    missing.decide(1, {})
    (valued,) = house.valued()
    assert (valued.table, valued.value_micro) == (reporting.name, RESET + 4 * GROWTH)


@pytest.mark.parametrize("is_void", ["earlier", "later"])
def test_what_a_void_takes_back_is_taken_from_where_its_bets_were_counted(house: House, is_void: str) -> None:
    """Of a round before a claim and one after it, as long as the claim waits for a third."""
    group, began_ns = dealt_at(house, {"missing": {1: 1}, "earlier": {1: 2}, "claiming": {1: 10}, "later": {1: 20}})
    missing, earlier, claiming, later = group.values()
    earlier.decide(1, {})
    claiming.decide(1, {1: began_ns + 10 * NS_PER_S})
    later.decide(1, {})
    void = earlier if is_void == "earlier" else later
    void.post(RoundVoidedLetter(1, "misdeal", "5.8.7", "Ada", void.stamp(), after_result=True))
    missing.decide(1, {})
    (valued,) = house.valued()
    assert valued.value_micro == RESET + (2 if is_void == "earlier" else 3) * GROWTH
    confirm(claiming, 1, valued)
    assert house.office.meters()["major"] == RESET + (1 if is_void == "earlier" else 0) * GROWTH


def test_a_void_whose_bets_were_paid_away_takes_none_that_waited_for_its_claim(house: House) -> None:
    group, began_ns = dealt_at(house, {"paid": {1: 1}, "void": {1: 10}, "later": {1: 20}, "last": {1: 30}})
    paid, void, later, last = group.values()
    void.decide(1, {1: began_ns + 10 * NS_PER_S})
    paid.decide(1, {1: began_ns + NS_PER_S})
    (first,) = house.valued()
    assert (first.table, first.value_micro) == (paid.name, RESET + 2 * GROWTH), "with the bets of the one that is void"
    confirm(paid, 1, first)
    later.decide(1, {})
    last.decide(1, {1: began_ns + 30 * NS_PER_S})
    void.post(RoundVoidedLetter(1, "misdeal", "5.8.7", "Ada", void.stamp(), after_result=True))
    assert [(one.table, one.value_micro) for one in house.valued()][-1] == (last.name, RESET + 2 * GROWTH)


def test_a_journal_that_is_begun_after_another_was_reinstated_comes_after_it(house: House) -> None:
    missing, one = tables(house, 2)
    missing.lock(1, 1)
    missing.deal(1, 1)
    journal_writes(house, one, "a", 1, RoundLockedLetter(1, one.stamp(), ()), RoundResultLetter(1, one.stamp(), ()))
    journal_writes(house, one, "b", 1, RoundLockedLetter(1, one.stamp(), ()), RoundResultLetter(1, one.stamp(), ()))
    house.office.act(ReinstateJournal(one.name, "a"), TWO, "the wrong disk", house.now())

    journal_writes(house, one, "a", 3, *claiming(house, one, 5))
    journal_writes(house, one, "c", 1, *claiming(house, one, 2))
    missing.decide(1, {})
    assert [valued.claim for valued in house.valued()] == ["5.1"], "it was dealt first"


def test_at_a_rate_of_nought_nothing_waits_that_could_be_brought_in_at_another(ledger: MemoryLedger) -> None:
    house = House(Office(ledger, [replace(MAJOR, rate_bp=0)]))
    missing, one, two, also_missing, later = tables(house, 5)
    for table in (missing, one, two, also_missing):
        table.lock(1, 1)
    missing.deal(1, 1)
    house.passes(2_000)
    first = one.deal(1, 1)
    house.passes(2_000)
    also_missing.deal(1, 1)
    house.passes(2_000)
    second = two.deal(1, 1)
    one.decide(1, first)
    two.decide(1, second)
    house.office.act(ChangeTerms(MAJOR), TWO, "agreed", house.now())
    missing.decide(1, {})
    confirm(one, 1, house.valued()[0])
    house.passes(60_000)
    later.lock(1, 1)
    later.deal(1, 1)
    later.decide(1, {})
    also_missing.post(RoundVoidedLetter(1, "misdeal", "5.8.7", "Ada", also_missing.stamp(), after_result=False))
    assert house.valued()[-1].table == two.name
    assert house.valued()[-1].value_micro == RESET, "the last bet was dealt a minute after its hand"


# --- several claims, and what comes after which ------------------------------------------------------


@pytest.mark.parametrize("claims", [False, True])
def test_a_claim_that_comes_and_is_denied_leaves_the_others_the_bets_that_they_had(house: House, claims: bool) -> None:
    """The second table's hand was dealt before the first one's, in a deal that ended later."""
    seconds = {"missing": {1: 1}, "first": {1: 5}, "second": {1: 3, 2: 30}, "later": {1: 40}}
    group, began_ns = dealt_at(house, seconds)
    group["first"].decide(1, {1: began_ns + 5 * NS_PER_S})
    group["later"].decide(1, {})
    if claims:
        group["second"].decide(1, {1: began_ns + 3 * NS_PER_S})
        group["second"].post(ClaimDeniedLetter(1, "1.1", "Ada", "misread", group["second"].stamp()))
    else:
        group["second"].decide(1, {})
    group["missing"].decide(1, {})
    (valued,) = house.valued()
    assert (valued.table, valued.value_micro) == (group["first"].name, RESET + 2 * GROWTH)
    confirm(group["first"], 1, valued)
    assert house.office.meters()["major"] == RESET + 3 * GROWTH, "two bets of the second table and one of the last"


def test_an_order_of_the_house_gives_nobody_what_comes_after_him(house: House) -> None:
    missing, one, two = first_waits(house)
    ordered(house, two, one)
    two.post(ClaimDeniedLetter(1, "1.1", "Ada", "misread", two.stamp()))
    missing.decide(1, {})
    (valued,) = house.valued()
    assert (valued.table, valued.value_micro) == (one.name, RESET + 2 * GROWTH)


def test_an_award_without_a_link_leaves_waiting_what_comes_after_another_claim(house: House) -> None:
    missing, one, two = first_waits(house)
    two.post(ClaimConfirmedLetter(1, "1.1", 1, True, "Ada", two.stamp()))
    waiting = house.office.standing.meters[0].waiting
    missing.decide(1, {})
    assert waiting == GROWTH
    assert house.valued()[0].table == one.name
    assert house.office.standing.meters[0].waiting == GROWTH


def test_what_waits_is_the_same_after_a_start(house: House, ledger: MemoryLedger, terms: list[MeterTerms]) -> None:
    first_waits(house)
    before = house.office.standing
    again = Office(ledger, terms).standing
    assert again == before
    assert [(bets.table, bets.micro) for bets in again.bets.values()] == [("T3", GROWTH)]


def test_a_table_that_plays_on_keeps_its_money_behind_the_hits(house: House) -> None:
    missing, one, two = first_waits(house)
    busy = Table(house, "T9", 9 * 10**12)
    for _ in range(3):
        busy.ping()
    for number in range(1, 31):
        house.passes(60_000)
        busy.lock(number, 1)
        busy.deal(number, 1)
        busy.decide(number, {})
    behind = [bets for bets in house.office.standing.bets.values() if bets.table == "T9"]
    assert sum(bets.micro for bets in behind) == 30 * GROWTH
    busy.post(RoundVoidedLetter(30, "misdeal", "5.8.7", "Ada", busy.stamp(), after_result=True))
    missing.decide(1, {})
    confirm(one, 1, house.valued()[0])
    confirm(two, 1, house.valued()[1])
    assert house.valued()[1].value_micro == RESET + GROWTH
    assert house.office.meters()["major"] == RESET + 29 * GROWTH
    assert not house.office.standing.bets


def test_rounds_of_a_journal_that_was_reinstated_keep_their_place(house: House) -> None:
    """A claim of before comes before those of the journal that was there meanwhile."""
    missing, one = tables(house, 2)
    missing.lock(1, 1)
    missing.deal(1, 1)

    journal_writes(house, one, "a", 1, *claiming(house, one, 5))
    journal_writes(house, one, "b", 1, *claiming(house, one, 1))
    house.office.act(ReinstateJournal(one.name, "a"), TWO, "the wrong disk", house.now())
    missing.decide(1, {})
    assert [(valued.nonce, valued.claim) for valued in house.valued()] == [("a", "5.1")]
