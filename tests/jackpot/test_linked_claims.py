"""Claims of several tables on one meter: who is first, who waits, who is late, and when a person decides."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.jackpot.books.accounts import Code
from felt.jackpot.books.acts import ClaimName, OrderClaims, Person, ReleaseClaim
from felt.jackpot.books.draft import RefusedError
from felt.jackpot.books.terms import HouseOrder, MajorsAcrossTables, Procedure
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Valued
from felt.letters.from_table import ClaimConfirmedLetter, ClaimDeniedLetter, RoundResultLetter, RoundVoidedLetter
from felt.nouns.stamps import NS_PER_S, Stamp
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR, STAKE
from tests.jackpot.house import House, Table

ADA = Person("Ada", "supervisor")
RESET = RESET_MINOR * MICRO
GROWTH = STAKE * 30_000


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
def house(ledger: MemoryLedger) -> Iterator[House]:
    house = House(Office(ledger, [MAJOR]))
    yield house
    report = house.office.report()
    assert report.conserved, report.problem


def tables(house: House, count: int, pings: int = 3) -> list[Table]:
    made = [Table(house, f"T{place}", place * 10**12, 50 * (-1) ** place) for place in range(1, count + 1)]
    for _ in range(pings):
        for table in made:
            table.ping()
    return made


def confirm(table: Table, number: int, valued: Valued) -> None:
    table.post(ClaimConfirmedLetter(number, valued.claim, valued.award_minor, False, "Ada", table.stamp()))


def test_hands_that_the_clocks_tell_apart_are_paid_in_their_order(house: House) -> None:
    one, two = tables(house, 2)
    for table in (one, two):
        table.lock(1, 1)
    earlier, later = {1: house.true_ns}, {1: house.true_ns + NS_PER_S}
    two.dealt(1, later)
    one.dealt(1, earlier)
    two.decide(1, later)
    assert house.valued() == []  # the other table's hand was dealt before, and its result is missing
    one.decide(1, earlier)
    (first,) = house.valued()
    assert (first.table, first.value_micro) == ("T1", RESET + 2 * GROWTH)
    confirm(one, 1, first)
    second = house.valued()[1]
    assert (second.table, second.value_micro) == ("T2", RESET)


def overlapping(house: House) -> tuple[Table, Table]:
    """Two tables whose hands end within a millisecond of each other, over a network slower than that."""
    one, two = tables(house, 2)
    for table in (one, two):
        table.delay_ms = 40
        table.lock(1, 1)
    times, near = {1: house.true_ns}, {1: house.true_ns + 500_000}
    one.dealt(1, times)
    two.dealt(1, near)
    one.decide(1, times)
    two.decide(1, near)
    return one, two


def names(*claims: tuple[str, str]) -> tuple[ClaimName, ...]:
    return tuple(ClaimName(table, claim, "n") for table, claim in claims)


def test_hands_that_no_clock_tells_apart_wait_for_the_house(house: House, ledger: MemoryLedger) -> None:
    one, two = overlapping(house)
    assert house.valued() == []
    (alert,) = house.office.alerts(house.now())
    assert alert.endswith("is undetermined, order them: 1.1 of table T1, 1.1 of table T2.")
    order = OrderClaims("major", names(("T2", "1.1"), ("T1", "1.1")))
    house.seen += house.office.act(order, [ADA], "as the camera shows", house.now())
    (first,) = house.valued()
    assert first.table == "T2"
    (ordered,) = ledger.entries(Code.ORDERED)
    assert ordered.persons == "Ada (supervisor)"
    assert "Against" not in ordered.detail
    confirm(two, 1, first)
    assert [valued.table for valued in house.valued()] == ["T2", "T1"]
    confirm(one, 1, house.valued()[1])


@pytest.mark.parametrize("reading", HouseOrder)
def test_an_order_against_the_evidence_is_flagged_or_refused_by_reading(reading: HouseOrder) -> None:
    ledger = MemoryLedger()
    house = House(Office(ledger, [MAJOR], Procedure(house_order_against_evidence=reading)))
    one, two, three = tables(house, 3)
    for table in (one, two, three):
        table.lock(1, 1)
    three.deal(1, 1)  # its missing result keeps every claim waiting
    early = one.deal(1, 1)
    house.passes(5_000)
    late = two.deal(1, 1)
    one.decide(1, early)
    two.decide(1, late)
    order = OrderClaims("major", names(("T2", "1.1"), ("T1", "1.1")))
    if reading is HouseOrder.REFUSED:
        with pytest.raises(RefusedError, match=r"The evidence says otherwise: claim 1\.1 of table T1 was dealt before"):
            house.office.act(order, [ADA], "because", house.now())
        assert list(ledger.entries(Code.ORDERED)) == []
    else:
        house.office.act(order, [ADA], "because", house.now())
        (alarm,) = ledger.entries(Code.ALARM)
        assert "against the evidence" in alarm.detail
        three.decide(1, {})
        assert house.valued()[0].table == "T2"


@pytest.mark.parametrize(
    ("reading", "order"),
    [
        (MajorsAcrossTables.BY_TIME_OF_EACH_HAND, ["T1 1.1", "T2 1.5", "T1 1.2"]),
        (MajorsAcrossTables.TABLES_TOGETHER, ["T1 1.1", "T1 1.2", "T2 1.5"]),
    ],
)
def test_two_majors_on_one_table_and_one_between_them(reading: MajorsAcrossTables, order: list[str]) -> None:
    house = House(Office(MemoryLedger(), [MAJOR], Procedure(majors_across_tables=reading, card_late_ms=1)))
    one, two = tables(house, 2)
    one.lock(1, 1, 2)
    two.lock(1, 5)
    times, between = {1: house.true_ns, 2: house.true_ns + 2 * NS_PER_S}, {5: house.true_ns + NS_PER_S}
    two.dealt(1, between)
    one.dealt(1, times)
    two.decide(1, between, (1, 10))
    one.decide(1, times, (1, 10))
    for _ in order:
        valued = house.valued()[-1]
        confirm(one if valued.table == "T1" else two, 1, valued)
    assert [f"{valued.table} {valued.claim}" for valued in house.valued()] == order


def test_a_claim_waits_at_most_so_long_and_then_a_supervisor_releases_it(house: House, ledger: MemoryLedger) -> None:
    one, two = tables(house, 2)
    two.lock(1, 1, 2)
    two.deal(1, 1, 2)  # and then it is silent
    one.lock(1, 1)
    one.decide(1, one.deal(1, 1))
    release = ReleaseClaim(*names(("T1", "1.1")))
    house.passes(599_000)
    assert house.office.alerts(house.now()) == []
    with pytest.raises(RefusedError, match=r"has waited 59\d s of 600"):
        house.office.act(release, [ADA], "no answer from T2", house.now())
    house.passes(10_000)
    assert "1.1 of table T1 still waits for round 1 of table T2" in house.office.alerts(house.now())[0]
    house.seen += house.office.act(release, [ADA], "no answer from T2", house.now())
    (valued,) = house.valued()
    assert valued.value_micro == RESET + GROWTH
    (released,) = ledger.entries(Code.RELEASED)
    assert "Unaccounted: round 1 of table T2 (1000 staked)" in released.detail
    two.decide(1, {})  # its contributions come late and go to the next cycle
    assert house.office.meters()["major"] == valued.value_micro
    late = [entry for entry in ledger.entries(Code.COMMITTED) if entry.table == "T2"]
    assert all("Late: dealt before claim 1.1 of table T1" in entry.detail for entry in late)
    confirm(one, 1, valued)
    assert house.office.meters()["major"] == RESET + 2 * GROWTH


def test_a_claim_that_comes_after_a_later_hand_was_paid_is_marked_late(house: House, ledger: MemoryLedger) -> None:
    one, two = tables(house, 2)
    two.lock(1, 1)
    early = house.true_ns
    house.passes(2_000)
    one.lock(1, 1)
    one.decide(1, one.deal(1, 1))  # nothing is known of the other table's deal: its letters are late
    (first,) = house.valued()
    confirm(one, 1, first)
    two.dealt(1, {1: early})
    two.decide(1, {1: early})
    second = house.valued()[1]
    assert (second.table, second.value_micro) == ("T2", RESET + GROWTH)
    (queued,) = house.office.standing.claims
    assert queued.late
    claimed = [entry.detail for entry in ledger.entries(Code.CLAIMED) if entry.table == "T2"]
    assert "Late: dealt before claim 1.1 of table T1, which was valued first." in claimed[0]
    confirm(two, 1, second)
    (hits,) = [meter.last_hits for meter in house.office.report().meters]
    assert [(hit.table, hit.late) for hit in hits] == [("T1", False), ("T2", True)]


def test_clocks_that_become_known_later_determine_the_order_by_themselves(house: House) -> None:
    one, two = tables(house, 2, pings=0)
    for table in (one, two):
        table.lock(1, 1)
    early = one.deal(1, 1)
    house.passes(3_000)
    late = two.deal(1, 1)
    one.decide(1, early)
    two.decide(1, late)
    assert house.valued() == []
    for _ in range(2):
        one.ping()
        two.ping()
    assert [valued.table for valued in house.valued()] == ["T1"]


def test_a_restarted_controller_places_the_hands_anew(ledger: MemoryLedger) -> None:
    house = House(Office(ledger, [MAJOR]))
    one, two, three = tables(house, 3)
    for table in (one, two, three):
        table.lock(1, 1)
    three.deal(1, 1)
    early = one.deal(1, 1)
    house.passes(3_000)
    late = two.deal(1, 1)
    one.decide(1, early)
    two.decide(1, late)
    house.office, house.boot = Office(ledger, [MAJOR]), "another boot"
    for _ in range(2):
        for table in (one, two, three):
            table.ping()
    assert house.office.alerts(house.now()) == []  # nothing is undetermined
    three.decide(1, {})
    assert [valued.table for valued in house.valued()] == ["T1"]


@given(st.integers(0, 2**32), st.booleans())
def test_whatever_happens_nobody_passes_a_hand_that_was_certainly_dealt_before(seed: int, slow: bool) -> None:
    """Several tables, claims, denials and voids in any order; the ranking is told from true times alone."""
    rng = random.Random(seed)
    ledger = MemoryLedger()
    house = House(Office(ledger, [MAJOR]))
    group = tables(house, 3)
    for table in group:
        table.delay_ms = 300 if slow else 2
    hands: dict[tuple[str, str], int] = {}
    open_rounds: list[tuple[Table, int, dict[int, int]]] = []
    for number in range(1, 6):
        for table in rng.sample(group, len(group)):
            table.ping()
            table.lock(number, 1, 2)
            times = table.deal(number, 1, 2)
            open_rounds.append((table, number, {seat: at for seat, at in times.items() if rng.random() < 0.4}))
            house.passes(rng.randrange(0, 3_000))
        for table, number_, claims in rng.sample(open_rounds, len(open_rounds)):
            if rng.random() < 0.2:
                table.post(RoundVoidedLetter(number_, "misdeal", "5.8", "Ada", table.stamp(), False))
            else:
                table.decide(number_, claims, rng.choice([(1, 1), (1, 4)]))
                hands.update({(table.name, f"{number_}.{seat}"): at for seat, at in claims.items()})
        open_rounds = []
        resolve_all(rng, house, {table.name: table for table in group})
    told = [(valued.table, valued.claim) for valued in house.valued()]
    assert len(told) == len(set(told)) == len(hands)
    report = house.office.report()
    assert report.conserved, report.problem
    assert house.office.standing.claims == ()
    if not list(ledger.entries(Code.ORDERED)):
        check_order(hands, told)


def resolve_all(rng: random.Random, house: House, by_name: dict[str, Table]) -> None:
    """Confirms or denies whatever is valued; where nothing is, the house orders what is undetermined."""
    for _ in range(100):
        claims = house.office.standing.claims
        if not claims:
            return
        valued = next((claim for claim in claims if claim.valuation is not None), None)
        if valued is None:
            ordered = tuple(ClaimName(claim.table, claim.claim, claim.nonce) for claim in claims)
            answers = house.office.act(OrderClaims("major", ordered), [ADA], "by the cameras", house.now())
            house.seen += answers
            continue
        assert valued.valuation is not None
        table, award = by_name[valued.table], valued.valuation.award_minor
        if rng.random() < 0.7:
            table.post(ClaimConfirmedLetter(valued.round, valued.claim, award, False, "Ada", table.stamp()))
        else:
            table.post(ClaimDeniedLetter(valued.round, valued.claim, "Ada", "not on camera", table.stamp()))
    raise AssertionError("claims are still open")


def check_order(hands: dict[tuple[str, str], int], told: list[tuple[str, str]]) -> None:
    """A hand dealt more than two seconds earlier came first, among those of one number of rounds: two seconds are more
    than any interval is wide here."""
    for place, one in enumerate(told):
        for other in told[place + 1 :]:
            if one[1].partition(".")[0] == other[1].partition(".")[0]:
                assert hands[one] < hands[other] + 2 * NS_PER_S


def test_a_result_that_no_claim_follows_changes_no_order(house: House) -> None:
    (one,) = tables(house, 1)
    one.lock(1, 1)
    one.deal(1, 1)
    one.post(RoundResultLetter(1, Stamp("another boot", 1, 1), ()))
    assert house.office.standing.claims == ()
