"""What the claims of one round have from each other, while one of them still comes or goes."""

from __future__ import annotations

import pytest

from felt.jackpot.books.acts import Adjustment, AdjustMeter, ChangeTerms, ClaimName, CorrectClaim, Person, Purse
from felt.jackpot.books.terms import MajorsAcrossTables, MeterTerms, Procedure, SameLevelHits
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Valued
from felt.letters.from_table import Claim, DealtHand, HitReportedLetter, RoundDealtLetter
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import replace
from tests.jackpot.evening import MAJOR, MICRO, Sender, claim, stamp

TWO = (Person("Ada", "supervisor"), Person("Bob", "shift_manager"))
MINOR = MeterTerms("minor", 1_000, 100)
SHARED = replace(MAJOR, same_level_hits=SameLevelHits.SPLIT_EQUALLY)


def report(table: Sender, made: Claim) -> None:
    table.post(HitReportedLetter(1, made, "Kim", "Ada", "box 2 shows it", table.now()))


@pytest.mark.parametrize("hits", [2, 3])
def test_a_hit_that_is_denied_before_it_has_a_value_has_no_part_of_it(hits: int) -> None:
    office = Office(MemoryLedger(), [SHARED])
    other = Sender(office, "T2")
    (frozen,) = other.play(1, 1, claims=(claim(1, 1, second=1),))
    table = Sender(office, "T1", second=100)
    seats = range(1, hits + 1)
    assert table.play(1, *seats, claims=tuple(claim(1, seat, second=102) for seat in seats)) == []
    table.deny(1, f"1.{hits}")
    other.confirm(1, "1.1", frozen.award_minor)
    _, valued = table.ping()
    assert [one.award_minor for one in valued if isinstance(one, Valued)] == [
        one.value_micro // (hits - 1) // 10**6 for one in valued if isinstance(one, Valued)
    ]
    assert len(valued) == hits - 1
    for one in valued:
        assert isinstance(one, Valued)
        table.confirm(1, one.claim, one.award_minor)
    assert office.report().problem == ""


def test_agreed_terms_come_into_force_when_the_last_part_of_a_hit_is_denied() -> None:
    office = Office(MemoryLedger(), [SHARED])
    table = Sender(office)
    first, _ = table.play(1, 1, 2, claims=(claim(1, 1), claim(1, 2)))
    office.act(ChangeTerms(replace(SHARED, rate_bp=500)), TWO, "as agreed", stamp(9))
    table.confirm(1, "1.1", first.award_minor)
    assert office.standing.meters[0].terms == SHARED, "the other part stands on the former ones"
    table.deny(1, "1.2")
    assert office.standing.meters[0].terms.rate_bp == 500
    assert office.report().problem == ""


def test_a_claim_that_was_no_part_does_not_stand_for_one_that_is_denied() -> None:
    """Corrected onto the level after its parts were told, and paid without a link by what its table had found."""
    office = Office(MemoryLedger(), [SHARED, MINOR])
    Sender(office, "T2").play(1, 1, claims=(claim(1, 1, level="minor"),))  # the minor is frozen: T1's claim to it waits
    table = Sender(office)
    first, _ = table.play(1, 1, 2, 3, claims=(claim(1, 1), claim(1, 2, level="minor"), claim(1, 3)))
    office.act(CorrectClaim(ClaimName("T1", "1.2"), "major", 1, 1), TWO, "misread", table.now())
    table.confirm(1, "1.1", first.award_minor)
    table.confirm(1, "1.2", 1_000, registered=True)
    table.deny(1, "1.3")
    reset = MAJOR.reset_minor * MICRO
    assert office.meters()["major"] == 2 * reset - 1_000 * MICRO, "it stood outside, and had the reset to be paid from"
    assert office.report().problem == ""


def test_only_whole_hits_share_and_partial_ones_go_in_deal_order() -> None:
    """Two quarters must not empty a meter."""
    office = Office(MemoryLedger(), [SHARED])
    table = Sender(office)
    (first,) = table.play(1, 1, 2, claims=(claim(1, 1, 1, 4), claim(1, 2, 1, 4)))
    (second,) = table.confirm(1, "1.1", first.award_minor)
    left = first.value_micro - first.award_minor * MICRO
    assert (second.value_micro, second.award_minor) == (left, left // (4 * MICRO))
    table.confirm(1, "1.2", second.award_minor)
    assert office.meters()["major"] == left - second.award_minor * MICRO
    assert office.report().conserved


def test_a_part_is_one_of_the_whole_value_also_where_the_registered_value_pays() -> None:
    office = Office(MemoryLedger(), [SHARED])
    table = Sender(office)
    table.play(1, 1, 2, claims=(claim(1, 1), claim(1, 2)))
    table.confirm(1, "1.1", MAJOR.reset_minor // 2, registered=True)
    table.confirm(1, "1.2", MAJOR.reset_minor // 2, registered=True)
    assert office.standing.claims == ()
    assert office.report().problem == ""


class Between:
    """Boxes 1 and 2 of T1 are dealt at 11 and 15, box 1 of T2 at 13, and claims of tables go together. Earlier
    claims keep all of them waiting."""

    def __init__(self) -> None:
        together = Procedure(majors_across_tables=MajorsAcrossTables.TABLES_TOGETHER, card_late_ms=1)
        self.office = Office(MemoryLedger(), [MAJOR, replace(MAJOR, name="minor")], together)
        self._before = Sender(self.office, "T0")
        before = (claim(1, 1, second=1), claim(1, 2, level="minor", second=1))
        self._frozen, _ = self._before.play(1, 1, 2, claims=before)
        self.one, self.two = Sender(self.office, "T1", second=10), Sender(self.office, "T2", second=10)
        for table, hands in ((self.one, {1: 11, 2: 15}), (self.two, {1: 13})):
            table.lock(1, *hands)
            table.second = 20
            dealt = tuple(DealtHand(seat, second * NS_PER_S) for seat, second in hands.items())
            table.post(RoundDealtLetter(1, table.now(), dealt))
        self.first, self.last = claim(1, 1, second=11), claim(1, 2, second=15)

    def order(self) -> list[str]:
        self.two.decide(1, claim(1, 1, second=13))
        valued = self._before.confirm(1, "1.1", self._frozen.award_minor)
        order = []
        while valued:
            order.append(f"{valued[0].table} {valued[0].claim}")
            table = self.one if valued[0].table == "T1" else self.two
            valued = table.confirm(1, valued[0].claim, valued[0].award_minor)
        assert self.office.report().problem == ""
        return order


def test_a_reported_hit_takes_those_that_share_a_value_no_further_forward() -> None:
    """It was dealt before the other table's and they after it; they share, and it comes after them."""
    office = Office(MemoryLedger(), [SHARED], Procedure(card_late_ms=1))
    before, one, two = (Sender(office, table, second=10) for table in ("T0", "T1", "T2"))
    (frozen,) = before.play(1, 1, claims=(claim(1, 1, second=1),))
    for table, hands in ((one, {1: 21, 2: 25}), (two, {1: 23})):
        table.lock(1, *hands)
        table.second = 30
        dealt = tuple(DealtHand(seat, second * NS_PER_S) for seat, second in hands.items())
        table.post(RoundDealtLetter(1, table.now(), dealt))
    one.decide(1, claim(1, 2, second=25))
    report(one, claim(1, 1, second=21))
    two.decide(1, claim(1, 1, second=23))
    assert [(each.table, each.claim) for each in before.confirm(1, "1.1", frozen.award_minor)] == [("T2", "1.1")]


@pytest.mark.parametrize("reported", ["first", "last"])
def test_a_reported_hit_goes_together_with_its_tables_others(reported: str) -> None:
    tables = Between()
    found, seen = (tables.last, tables.first) if reported == "first" else (tables.first, tables.last)
    tables.one.decide(1, found)
    report(tables.one, seen)
    assert tables.order() == ["T1 1.1", "T1 1.2", "T2 1.1"]


def test_a_claim_that_is_corrected_onto_a_meter_goes_together_with_its_tables_others() -> None:
    tables = Between()
    tables.one.decide(1, replace(tables.first, level="minor"), tables.last)
    tables.office.act(CorrectClaim(ClaimName("T1", "1.1"), "major", 1, 1), TWO, "misread", stamp(60))
    assert tables.order() == ["T1 1.1", "T1 1.2", "T2 1.1"]


def test_a_hit_that_is_denied_takes_its_tables_others_no_further_forward() -> None:
    tables = Between()
    tables.one.decide(1, tables.first, tables.last)
    tables.one.deny(1, "1.1")
    assert tables.order() == ["T2 1.1", "T1 1.2"]


def test_terms_that_come_into_force_do_not_part_those_that_share() -> None:
    """Two hits wait behind another table's; when one of them is denied, the other has the whole."""
    office = Office(MemoryLedger(), [SHARED])
    other, missing, table = Sender(office, "T1"), Sender(office, "T2"), Sender(office, "T3", second=10)
    (valued,) = other.play(1, 1, claims=(claim(1, 1, second=2),))
    missing.lock(1, 1)
    missing.deal(1, 1)
    table.play(1, 1, 2, claims=(claim(1, 1, second=12), claim(1, 2, second=12)))
    office.act(ChangeTerms(MAJOR), TWO, "agreed", stamp(20))
    other.confirm(1, "1.1", valued.award_minor)
    table.deny(1, "1.1")
    missing.decide(1)
    (left,) = office.standing.claims
    assert left.valuation is not None
    assert left.valuation.award_minor == left.valuation.value_micro // MICRO, "the whole"


def test_a_reported_hit_that_is_corrected_onto_a_meter_in_deal_order_has_its_place_there() -> None:
    minor = MeterTerms("minor", 1_000, 100, same_level_hits=SameLevelHits.SPLIT_EQUALLY)
    office = Office(MemoryLedger(), [MAJOR, minor])
    missing, table = Sender(office, "T1"), Sender(office, "T2", second=10)
    missing.lock(1, 1)
    missing.deal(1, 1)
    table.play(1, 1, 2, claims=(claim(1, 2, second=12),))
    report(table, claim(1, 1, level="minor", second=12))
    office.act(CorrectClaim(ClaimName("T2", "1.1"), "major", 1, 1), TWO, "misread", stamp(20))
    missing.decide(1)
    assert [one.claim for one in office.standing.claims if one.valuation is not None] == ["1.1"], "box 1 is dealt first"


@pytest.mark.parametrize("stranger", [False, True])
def test_a_hit_that_was_no_part_does_not_bring_the_reset_value_beside_a_part_that_nobody_was_paid(
    stranger: bool,
) -> None:
    office = Office(MemoryLedger(), [replace(SHARED, reset_minor=1_000)])
    office.act(AdjustMeter("major", Purse.DISPLAY, 9_000 * MICRO, Adjustment.DOCUMENTED), TWO, "papers", stamp(1))
    table = Sender(office)
    _, second = table.play(1, 1, 2, 3, claims=(claim(1, 1, second=4), claim(1, 2, second=5)))
    if stranger:
        report(table, claim(1, 3, second=6))
        table.confirm(1, "1.3", 1_000, registered=True)
    table.deny(1, "1.1")
    before = office.standing.meters[0].display
    table.confirm(1, "1.2", second.award_minor)
    assert office.meters()["major"] == before - second.award_minor * MICRO
    assert office.report().conserved


def test_a_part_that_was_paid_beside_another_claim_is_paid_by_the_meter_in_its_turn() -> None:
    office = Office(MemoryLedger(), [replace(SHARED, reset_minor=1_000)])
    office.act(AdjustMeter("major", Purse.DISPLAY, 9_000 * MICRO, Adjustment.DOCUMENTED), TWO, "papers", stamp(1))
    frozen, table = Sender(office, "T1"), Sender(office, "T2", second=10)
    frozen.play(1, 1, claims=(claim(1, 1, second=2),))
    table.play(1, 1, 2, claims=(claim(1, 1, second=12), claim(1, 2, second=12)))
    table.confirm(1, "1.1", 5_000, registered=True)
    frozen.deny(1, "1.1")
    (left,) = office.standing.claims
    assert left.valuation is not None
    before = office.standing.meters[0].display
    table.confirm(1, "1.2", left.valuation.award_minor)
    assert office.meters()["major"] == before - left.valuation.award_minor * MICRO + 1_000 * MICRO, "all parts are paid"
    assert office.report().conserved
