from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from felt.jackpot.books.accounts import Code
from felt.jackpot.books.acts import Person, read_act
from felt.jackpot.books.draft import RefusedError
from felt.jackpot.books.terms import MeterTerms
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.rows import rows_of
from felt.jackpot.ledger.sqlite import MemoryLedger, SqliteLedger
from felt.letters.from_controller import Valued
from felt.letters.from_table import AWARD_MINOR_MAX, RoundDealtLetter, RoundLockedLetter, RoundResultLetter
from felt.nouns.stamps import NS_PER_S
from felt.wire.jackpot import decode
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR, STAKE, Sender, claim, stamp

GROWTH = STAKE * 30_000  # 3 % of a stake, in micro-units
RESET = RESET_MINOR * MICRO


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
def office(ledger: MemoryLedger) -> Office:
    return Office(ledger, [MAJOR])


@pytest.fixture
def table(office: Office) -> Sender:
    return Sender(office)


@pytest.fixture(autouse=True)
def money_is_conserved(office: Office) -> Iterator[None]:
    yield
    report = office.report()
    assert report.conserved, report.problem


def shown(office: Office) -> int:
    return office.meters()["major"]


def kinds(ledger: MemoryLedger) -> list[Code]:
    return [entry.code for entry in ledger.entries()]


def test_contributions_pend_at_the_lock_and_count_with_the_result(table: Sender, office: Office) -> None:
    table.lock(1, 1, 3)
    table.deal(1, 1, 3)
    assert shown(office) == RESET
    table.decide(1)
    assert shown(office) == RESET + 2 * GROWTH
    table.end(1, 2 * STAKE, accepted=2)
    assert office.alarms == 0


def test_a_round_without_progressive_bets_changes_nothing(table: Sender, office: Office, ledger: MemoryLedger) -> None:
    table.play(1)
    table.end(1, 0)
    assert shown(office) == RESET
    assert kinds(ledger) == [Code.SEED]


def test_a_void_before_the_result_drops_what_pends(table: Sender, office: Office, ledger: MemoryLedger) -> None:
    table.lock(1, 1)
    table.void(1)
    assert (shown(office), office.standing.meters[0].pending) == (RESET, 0)
    assert Code.DROPPED in kinds(ledger)
    table.play(2, 1)
    assert shown(office) == RESET + GROWTH


def test_a_void_after_the_result_is_a_typed_correction(table: Sender, office: Office, ledger: MemoryLedger) -> None:
    table.play(1, 1, 2)
    table.end(1, 2 * STAKE, accepted=2)
    table.void(1, after_result=True)
    assert shown(office) == RESET
    assert Code.CORRECTED in kinds(ledger)
    assert office.standing.meters[0].wagers == 0


def test_a_void_once_the_next_round_is_locked_is_refused(table: Sender, office: Office) -> None:
    table.play(1, 1)
    table.lock(2, 1)
    assert "a later one" in table.try_to_post(table.voiding(1, True))
    assert shown(office) == RESET + GROWTH


def test_a_void_of_a_round_that_never_locked_is_noted(table: Sender, ledger: MemoryLedger) -> None:
    table.void(1)
    assert kinds(ledger) == [Code.SEED, Code.NOTED]


def test_a_void_that_disagrees_about_the_result_follows_the_ledger_and_alarms(table: Sender, office: Office) -> None:
    table.lock(1, 1)
    table.void(1, after_result=True)
    assert office.standing.meters[0].pending == 0
    assert office.alarms == 1


def test_a_claim_is_valued_with_its_own_round_on_the_meter(table: Sender, office: Office) -> None:
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    assert valued == Valued("T1", "n1", "1.1", RESET + GROWTH, (RESET + GROWTH) // MICRO, "major", 1, 1)


def test_a_confirmed_claim_pays_and_only_then_steps_hits_and_wins(table: Sender, office: Office) -> None:
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    assert (office.standing.meters[0].hits, office.standing.meters[0].wins) == (0, 0)
    assert shown(office) == valued.value_micro
    table.confirm(1, "1.1", valued.award_minor)
    assert (office.standing.meters[0].hits, office.standing.meters[0].wins) == (1, valued.award_minor)
    assert shown(office) == RESET
    table.end(1, STAKE, valued.award_minor, 1)
    assert office.alarms == 0


def test_two_jackpots_in_successive_rounds_each_take_what_is_there(table: Sender, office: Office) -> None:
    (first,) = table.play(1, 1, 2, claims=(claim(1, 1),))
    table.confirm(1, "1.1", first.award_minor)
    (second,) = table.play(2, 1, 2, claims=(claim(2, 2),))
    assert first.value_micro == second.value_micro == RESET + 2 * GROWTH
    table.confirm(2, "2.2", second.award_minor)
    assert office.report().awards_minor == first.award_minor + second.award_minor


def test_a_denied_claim_gives_the_value_back_and_lets_the_bets_behind_it_move_up(table: Sender, office: Office) -> None:
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    other = Sender(office, "T2")
    other.play(1, 1)
    assert shown(office) == valued.value_micro  # frozen
    assert office.standing.meters[0].waiting == GROWTH
    table.deny(1, "1.1")
    assert shown(office) == valued.value_micro + GROWTH
    assert (office.standing.meters[0].waiting, office.standing.meters[0].hits) == (0, 0)


def test_what_comes_while_a_claim_is_open_starts_the_next_cycle(table: Sender, office: Office) -> None:
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    Sender(office, "T2").play(1, 1)
    table.confirm(1, "1.1", valued.award_minor)
    assert shown(office) == RESET + GROWTH


def test_a_quarter_then_the_whole(table: Sender, office: Office) -> None:
    quarter, whole = claim(1, 1, 1, 4, second=2), claim(1, 2, second=3)
    (first,) = table.play(1, 1, 2, claims=(quarter, whole))
    value = RESET + 2 * GROWTH
    assert (first.claim, first.award_minor) == ("1.1", value // MICRO // 4)
    (second,) = table.confirm(1, "1.1", first.award_minor)
    assert (second.claim, second.value_micro) == ("1.2", value - first.award_minor * MICRO)
    table.confirm(1, "1.2", second.award_minor)
    assert MICRO > shown(office) - RESET >= 0  # the fraction of a cent is carried


def test_the_hand_dealt_first_is_valued_first_whatever_the_order_of_the_letter(table: Sender) -> None:
    (first,) = table.play(1, 4, 2, claims=(claim(1, 2, second=2), claim(1, 4, 1, 10, second=2)))
    assert first.claim == "1.4"  # the deal began at seat 4


def test_a_second_claim_is_not_valued_before_the_first_is_resolved(table: Sender, office: Office) -> None:
    (first,) = table.play(1, 1, 2, claims=(claim(1, 1), claim(1, 2)))
    assert "not valued" in table.try_to_post(table.confirming(1, "1.2", first.award_minor))
    (second,) = table.deny(1, "1.1")
    assert (second.claim, second.value_micro) == ("1.2", first.value_micro)


def test_a_void_withdraws_a_claim_that_nobody_confirmed(table: Sender, office: Office, ledger: MemoryLedger) -> None:
    table.play(1, 1, claims=(claim(1, 1),))
    table.void(1, after_result=True)
    assert (shown(office), office.standing.claims) == (RESET, ())
    assert Code.WITHDRAWN in kinds(ledger)
    assert "no open claim" in table.try_to_post(table.confirming(1, "1.1", 1))


def test_a_void_after_a_payment_is_refused(table: Sender, office: Office) -> None:
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    table.confirm(1, "1.1", valued.award_minor)
    assert table.try_to_post(table.voiding(1, True)) == "Round 1 cannot be void: its claim 1.1 is paid."
    assert office.standing.meters[0].wins == valued.award_minor


def test_a_void_beside_a_frozen_meter_leaves_the_promised_value(table: Sender, office: Office) -> None:
    other = Sender(office, "T2")
    other.play(1, 1)
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    other.void(1, after_result=True)
    assert shown(office) == valued.value_micro
    table.confirm(1, "1.1", valued.award_minor)
    assert shown(office) == RESET  # the house made good what the void took back


def test_a_claim_waits_for_a_round_dealt_before_it_and_takes_its_contribution(table: Sender, office: Office) -> None:
    other = Sender(office, "T2")
    other.lock(1, 1)
    other.deal(1, 1)
    table.second = 10
    assert table.play(1, 1, claims=(claim(1, 1, second=11),)) == []
    answers = other.post(RoundResultLetter(1, stamp(20), ()))
    assert answers == [Valued("T1", "n1", "1.1", RESET + 2 * GROWTH, (RESET + 2 * GROWTH) // MICRO, "major", 1, 1)]


def test_a_claim_does_not_wait_for_a_round_dealt_after_it_nor_take_its_contribution(
    table: Sender, office: Office
) -> None:
    early, late = Sender(office, "T2"), Sender(office, "T3", second=50)
    early.lock(1, 1)
    early.deal(1, 1)
    table.second = 10
    assert table.play(1, 1, claims=(claim(1, 1, second=11),)) == []
    late.play(1, 1)  # its result comes while the claim still waits
    assert office.standing.meters[0].waiting == GROWTH
    (valued,) = early.void(1)
    assert valued == Valued("T1", "n1", "1.1", RESET + GROWTH, (RESET + GROWTH) // MICRO, "major", 1, 1)


def test_a_claim_does_not_wait_for_a_round_that_was_not_dealt(table: Sender, office: Office) -> None:
    Sender(office, "T2").lock(1, 1)
    assert table.play(1, 1, claims=(claim(1, 1),)) != []


def test_a_claim_does_not_wait_for_a_journal_that_its_table_has_left(
    table: Sender, office: Office, ledger: MemoryLedger
) -> None:
    table.lock(1, 1)
    table.deal(1, 1)
    reborn = Sender(office, nonce="n2", second=100)
    (valued,) = reborn.play(1, 1, claims=(claim(1, 1, second=101),))
    assert valued.value_micro == RESET + GROWTH
    (alarm,) = ledger.entries(Code.ALARM)
    assert "without a result: 1, with 500 staked" in alarm.detail


def test_an_award_by_registered_value_is_paid_as_stated(table: Sender, office: Office, ledger: MemoryLedger) -> None:
    table.play(1, 1, claims=(claim(1, 1),))
    table.confirm(1, "1.1", RESET_MINOR, registered=True)
    assert shown(office) == RESET + GROWTH  # what the stated award did not take stays
    assert Code.AWARDED_AS_REGISTERED in kinds(ledger)


def test_an_award_by_registered_value_needs_no_valuation(table: Sender, office: Office) -> None:
    (first,) = table.play(1, 1, 2, claims=(claim(1, 1), claim(1, 2)))
    table.confirm(1, "1.2", RESET_MINOR, registered=True)
    assert shown(office) == first.value_micro  # still frozen for the first
    table.confirm(1, "1.1", first.award_minor)
    assert office.standing.meters[0].wins == RESET_MINOR + first.award_minor


def test_levels_are_won_apart(office: Office) -> None:
    terms = [MeterTerms(name, 1_000 * place, 100 * place) for place, name in enumerate(("star", "spade"), 1)]
    two = Office(MemoryLedger(), terms)
    table = Sender(two)
    valued = table.play(1, 1, 2, claims=(claim(1, 1, level="star"), claim(1, 2, level="spade")))
    assert sorted(one.award_minor for one in valued) == [1_010, 2_020]
    table.confirm(1, "1.1", 1_010)
    assert two.meters() == {"spade": 2_020 * MICRO, "star": 1_000 * MICRO}
    assert two.report().conserved


def test_the_shown_meter_falls_only_with_an_award_or_a_typed_record(table: Sender, office: Office) -> None:
    (first,) = table.play(1, 1, claims=(claim(1, 1, 1, 4),))
    before = shown(office)
    other = Sender(office, "T2")
    acts: list[Callable[[], object]] = [
        lambda: other.play(1, 1, 2),
        lambda: table.deny(1, "1.1"),
        lambda: table.play(2, 1),
        lambda: other.play(2, 3),
    ]
    for act in acts:
        act()
        assert shown(office) >= before
        before = shown(office)
    assert first.value_micro < before


@pytest.mark.parametrize(
    ("letter", "said"),
    [
        (RoundDealtLetter(3, stamp(9), ()), "never locked"),
        (RoundResultLetter(3, stamp(9), ()), "never locked"),
        (RoundLockedLetter(1, stamp(9), ()), "only count up"),
        (RoundLockedLetter(2, stamp(9), ()), "neither a result nor a void"),
        (RoundResultLetter(1, stamp(9), (claim(1, 1, level="minor"),)), "not kept here"),
        (RoundResultLetter(1, stamp(9), (claim(1, 2),)), "no accepted progressive bet"),
    ],
)
def test_a_letter_out_of_turn_is_refused_with_a_sentence(
    table: Sender, office: Office, letter: RoundLockedLetter, said: str
) -> None:
    table.lock(1, 1)
    before = office.standing
    assert said in table.try_to_post(letter)
    assert office.standing == before
    table.deal(1, 1)  # and the journal goes on where it was
    table.decide(1)


def test_totals_that_differ_are_named_and_change_nothing(table: Sender, office: Office) -> None:
    table.play(1, 1)
    before = office.standing.meters
    table.end(1, 2 * STAKE, accepted=2)
    assert office.alarms == 1
    assert office.standing.meters == before


def test_the_hand_time_survives_a_reboot_between_deal_and_result(table: Sender, office: Office) -> None:
    """The result's stamp is of another boot; the hand's time counts in the boot of the deal."""
    table.lock(1, 1)
    table.deal(1, 1)
    table.post(RoundResultLetter(1, stamp(0, "next boot"), (claim(1, 1, second=2),)))
    (queued,) = office.standing.claims
    assert (queued.moment.boot, queued.moment.mono_ns) == ("boot", 2 * NS_PER_S)


def test_answers_are_what_the_wire_says(table: Sender) -> None:
    table.play(1, 1, claims=(claim(1, 1),))
    answers = [decode(answer) for answer in table.office.receive(table.posted[-1])]
    assert [type(answer).__name__ for answer in answers] == ["Acked", "Valued"]


def _returning(table: Sender, number: int, *seats: int) -> RoundResultLetter:
    return RoundResultLetter(number, table.now(), (), seats)


def test_what_a_returned_box_had_pending_is_dropped_and_the_rest_counts(
    table: Sender, office: Office, ledger: MemoryLedger
) -> None:
    table.lock(1, 1, 3, 5)
    table.post(_returning(table, 1, 3, 5))
    assert shown(office) == RESET + GROWTH
    (meter,) = office.report().meters
    assert (meter.pending_micro, meter.wagers) == (0, 1)
    assert Code.DROPPED in kinds(ledger)
    table.end(1, STAKE, accepted=1)
    assert office.alarms == 0


def test_a_void_after_the_result_takes_back_only_what_was_committed(table: Sender, office: Office) -> None:
    table.lock(1, 1, 3)
    table.post(_returning(table, 1, 3))
    table.void(1, after_result=True)
    assert shown(office) == RESET
    assert office.report().contributions_minor == 0


def test_bets_of_a_seat_that_had_none_cannot_go_back(table: Sender) -> None:
    table.lock(1, 1)
    assert "seat 2 went back" in table.try_to_post(_returning(table, 1, 2))


def test_a_returned_box_claims_nothing(table: Sender) -> None:
    table.lock(1, 1, 2)
    letter = RoundResultLetter(1, table.now(), (claim(1, 1),), (1,))
    assert "no accepted progressive bet" in table.try_to_post(letter)


def test_an_award_by_registered_value_is_never_more_than_the_share_of_what_the_meter_had_shown_its_table(
    table: Sender, office: Office, ledger: MemoryLedger
) -> None:
    table.play(1, 1, 2, claims=(claim(1, 1), claim(1, 2, 1, 10)))
    before = rows_of(office.standing)
    most = (RESET + 2 * GROWTH) // MICRO + 1  # by one reading with the round's own bets
    assert f"can be {most // 10 + 1} at most" in table.try_to_post(
        table.confirming(1, "1.2", most // 10 + 2, registered=True)
    )
    refusal = table.try_to_post(table.confirming(1, "1.1", 2 * RESET_MINOR, registered=True))
    assert "two persons accept it (AcceptStatedAward)" in refusal
    assert rows_of(office.standing) == before
    assert len([entry for entry in ledger.entries(Code.ALARM) if "by registered value" in entry.detail]) == 2


def test_two_persons_may_accept_an_award_above_the_bound_and_no_more_than_they_said(
    table: Sender, office: Office, ledger: MemoryLedger
) -> None:
    table.play(1, 1, claims=(claim(1, 1),))
    persons = [Person("Ada", "supervisor"), Person("Bo", "shift_manager")]
    accepted, named = 2 * RESET_MINOR, {"table": "T1", "claim": "1.1"}
    act = read_act("AcceptStatedAward", {"claim": named, "award_minor": accepted})
    with pytest.raises(RefusedError, match="two different persons"):
        office.act(act, persons[:1], "as the journal says", stamp(500))
    needless = read_act("AcceptStatedAward", {"claim": named, "award_minor": RESET_MINOR})
    with pytest.raises(RefusedError, match="needs no acceptance"):
        office.act(needless, persons, "as the journal says", stamp(500))
    office.act(act, persons, "as the journal says", stamp(500))
    (entry,) = ledger.entries(Code.AWARD_ACCEPTED)
    assert (entry.claim, entry.amount) == ("1.1", accepted * MICRO)
    assert entry.persons == "Ada (supervisor), Bo (shift_manager)"
    table.try_to_post(table.confirming(1, "1.1", accepted + 1, registered=True))
    table.confirm(1, "1.1", accepted, registered=True)
    assert office.report().conserved
    assert office.report().awards_minor == accepted
    assert office.standing.meters[0].house == -(2 * RESET + accepted * MICRO - RESET - GROWTH)


def test_a_later_award_does_not_lower_what_another_table_had_registered_before_it(office: Office) -> None:
    """It heard the value, its link was lost, it locked, and the meter was paid before its letters came."""
    early, other = Sender(office, "T1"), Sender(office, "T2", "n2", second=100)
    early.play(1, 1)
    (valued,) = other.play(1, 1, 2, 3, claims=(claim(1, 1, second=101),))
    early.ping()
    other.confirm(1, "1.1", valued.award_minor)
    assert office.meters()["major"] < valued.value_micro
    early.play(2, 1, claims=(claim(2, 1, second=200),))
    most = (valued.value_micro + GROWTH) // MICRO + 1
    early.try_to_post(early.confirming(2, "2.1", most + 1, registered=True))
    early.confirm(2, "2.1", valued.award_minor, registered=True)


def test_what_was_registered_is_what_the_controller_told_last_however_many_letters_ago(office: Office) -> None:
    """Rounds may be shorter than the time between two answers to pings, and letters wait while there is no link."""
    table = Sender(office)
    table.play(1, 1, 2, 3)
    table.end(1, 3 * STAKE, accepted=3)
    told, _ = table.ping()
    (valued,) = table.play(2, 1, claims=(claim(2, 1),))
    table.confirm(2, "2.1", valued.award_minor)
    table.end(2, STAKE, valued.award_minor, 1)
    table.play(3, 1, claims=(claim(3, 1),))
    table.confirm(3, "3.1", told.meters["major"] // MICRO, registered=True)


def test_what_a_table_had_registered_is_forgotten_when_it_was_told_another_value(office: Office) -> None:
    early, other = Sender(office, "T1"), Sender(office, "T2", "n2", second=100)
    early.play(1, 1)
    (valued,) = other.play(1, 1, 2, 3, claims=(claim(1, 1, second=101),))
    other.confirm(1, "1.1", valued.award_minor)
    early.ping()
    early.play(2, 1)
    early.told = 0  # it names an older answer than with the lock before
    early.play(3, 1, claims=(claim(3, 1, second=200),))
    early.try_to_post(early.confirming(3, "3.1", valued.award_minor, registered=True))


def test_what_was_registered_may_be_the_value_of_a_hit_that_was_paid_since_with_the_own_bets_added(
    table: Sender, office: Office
) -> None:
    """The table had not heard yet that the meter was paid out, and then lost the link."""
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    table.confirm(1, "1.1", valued.award_minor)
    table.play(2, 1, 2, 3, claims=(claim(2, 1),))
    table.confirm(2, "2.1", valued.award_minor + 3 * GROWTH // MICRO, registered=True)
    assert office.report().conserved


def test_what_was_registered_may_be_from_before_a_result_became_void(table: Sender, office: Office) -> None:
    other = Sender(office, "T2", "n2", second=100)
    other.play(1, 1, 2, 3)
    shown = office.meters()["major"]
    other.void(1, after_result=True)
    table.play(1, 1, claims=(claim(1, 1),))
    table.confirm(1, "1.1", (shown + GROWTH) // MICRO, registered=True)
    assert office.report().conserved


def test_an_award_that_no_ledger_can_hold_is_refused(tmp_path: Path) -> None:
    with closing(SqliteLedger(tmp_path / "ledger")) as ledger:
        office = Office(ledger, [MAJOR])
        table = Sender(office)
        table.play(1, 1, claims=(claim(1, 1),))
        assert "can be" in table.try_to_post(table.confirming(1, "1.1", AWARD_MINOR_MAX, registered=True))
        for award in (AWARD_MINOR_MAX + 1, 9 * 10**18):
            said = table.try_to_post(table.confirming(1, "1.1", award, registered=True))
            assert f"an award is 0 to {AWARD_MINOR_MAX}" in said
        table.confirm(1, "1.1", RESET_MINOR, registered=True)
        assert office.report().conserved
