"""What persons do at the controller: typed, signed, reasoned, or refused in one sentence."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from felt.jackpot.books.accounts import Account, Code
from felt.jackpot.books.acts import (
    Act,
    Adjustment,
    AdjustMeter,
    ChangeTerms,
    ClaimName,
    ClearMeter,
    DropPending,
    OrderClaims,
    Person,
    Purse,
    ReinstateJournal,
    ReleaseClaim,
    SettleAbandonedClaim,
    read_act,
)
from felt.jackpot.books.draft import RefusedError
from felt.jackpot.books.terms import MeterTerms, OnHit, Procedure, SameLevelHits, TermsTakeEffect
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.port import LedgerError
from felt.jackpot.ledger.rows import rows_of
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Acked
from felt.nouns.stamps import NS_PER_S, Stamp
from felt.nouns.values import replace
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR, STAKE, Sender, claim

ADA, BOB = Person("Ada", "supervisor"), Person("Bob", "shift_manager")
RESET = RESET_MINOR * MICRO
GROWTH = STAKE * 30_000
BEGIN = Stamp("controller", 0, 10**18)


def later(seconds: int) -> Stamp:
    return replace(BEGIN, mono_ns=seconds * NS_PER_S, wall_ns=BEGIN.wall_ns + seconds * NS_PER_S)


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
def office(ledger: MemoryLedger) -> Iterator[Office]:
    office = Office(ledger, [MAJOR])
    yield office
    report = office.report()
    assert report.conserved, report.problem
    again = Office(ledger, [meter.terms for meter in office.standing.meters])
    assert rows_of(again.standing) == rows_of(office.standing)


@pytest.fixture
def table(office: Office) -> Sender:
    return Sender(office, at=BEGIN)


def do(office: Office, act: Act, at: Stamp = BEGIN, persons: tuple[Person, ...] = (ADA, BOB)) -> None:
    office.act(act, persons, "as agreed on the phone", at)


def refusal(office: Office, act: Act, at: Stamp = BEGIN, persons: tuple[Person, ...] = (ADA, BOB)) -> str:
    before = office.standing
    with pytest.raises(RefusedError) as caught:
        do(office, act, at, persons)
    assert office.standing is before
    assert str(caught.value).endswith(".")
    return str(caught.value)


# --- signatures ---

CLEAR = ClearMeter("major")


def test_money_takes_two_different_persons_one_of_them_a_supervisor_and_a_reason(office: Office) -> None:
    assert "two different persons" in refusal(office, CLEAR, persons=(ADA,))
    for same in (" ada ", "A\u200dda", "\uff21da"):
        assert "two different persons" in refusal(office, CLEAR, persons=(ADA, Person(same, "shift_manager")))
    assert "takes a supervisor" in refusal(office, CLEAR, persons=(BOB, Person("Cem", "technician")))
    assert "has no role" in refusal(office, CLEAR, persons=(ADA, Person("Cem", "player")))
    assert "without a name" in refusal(office, CLEAR, persons=(ADA, Person(" ", "shift_manager")))
    with pytest.raises(RefusedError, match="needs a reason"):
        office.act(CLEAR, [ADA, BOB], "  ", BEGIN)


def test_an_act_is_read_from_plain_values_and_junk_is_named() -> None:
    plain = {"meter": "major", "purse": "reserve", "amount_micro": -5, "type": "adjusted"}
    assert read_act("AdjustMeter", plain) == AdjustMeter("major", Purse.RESERVE, -5, Adjustment.DOCUMENTED)
    claims = {"meter": "major", "claims": [{"table": t, "claim": "1.1", "nonce": "n"} for t in ("T1", "T2")]}
    ordered = read_act("OrderClaims", claims)
    assert isinstance(ordered, OrderClaims)
    assert ordered.claims[1] == ClaimName("T2", "1.1", "n")
    with pytest.raises(RefusedError, match="is no act"):
        read_act("Burn", {})
    with pytest.raises(RefusedError, match="amount_micro"):
        read_act("AdjustMeter", {**plain, "amount_micro": "5"})


# --- adjustments ---


def test_an_adjustment_is_typed_signed_and_reasoned(office: Office, table: Sender, ledger: MemoryLedger) -> None:
    table.play(1, 1)
    do(office, AdjustMeter("major", Purse.DISPLAY, -GROWTH, Adjustment.MALFUNCTION))
    assert office.meters()["major"] == RESET
    (entry,) = ledger.entries(Code.MALFUNCTION_CORRECTED)
    assert (entry.debit, entry.credit, entry.amount) == (Account.DISPLAY, Account.HOUSE, GROWTH)
    assert (entry.amount, entry.persons) == (GROWTH, "Ada (supervisor), Bob (shift_manager)")
    assert entry.detail == "as agreed on the phone"


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (AdjustMeter("minor", Purse.DISPLAY, 1, Adjustment.DOCUMENTED), "There is no meter 'minor'"),
        (AdjustMeter("major", Purse.DISPLAY, 0, Adjustment.DOCUMENTED), "adjustment of nothing"),
        (AdjustMeter("major", Purse.DISPLAY, -RESET - 1, Adjustment.DOCUMENTED), "less than that"),
        (AdjustMeter("major", Purse.RESERVE, -1, Adjustment.SEED_RECOVERY), "less than that"),
        (AdjustMeter("major", Purse.DISPLAY, 1, Adjustment.OVER_LIMIT), "takes out and never puts in"),
        (AdjustMeter("major", Purse.DISPLAY, 2**63, Adjustment.DOCUMENTED), "are the most"),
    ],
)
def test_an_adjustment_that_makes_no_sense_is_refused(office: Office, act: Act, said: str) -> None:
    assert said in refusal(office, act)


def test_a_display_is_not_raised_above_its_limit(ledger: MemoryLedger) -> None:
    office = Office(ledger, [replace(MAJOR, limit_minor=RESET_MINOR + 100)])
    act = AdjustMeter("major", Purse.DISPLAY, 101 * MICRO, Adjustment.DOCUMENTED)
    assert "above its limit" in refusal(office, act)


# --- what pends ---


def test_stale_contributions_alert_and_two_persons_drop_them(
    office: Office, table: Sender, ledger: MemoryLedger
) -> None:
    table.lock(1, 1, 2)
    drop = DropPending("T1", "n1", 1)
    assert office.alerts(later(1_799)) == []
    assert "its table decides" in refusal(office, drop, later(1_799))
    (alert,) = office.alerts(later(1_800))
    assert "Round 1 of table T1 has had stakes of 1000 pending for too long" in alert
    for _ in range(3):
        office.look_again(later(1_801))
    assert len(list(ledger.entries(Code.ALERT))) == 1  # written once
    do(office, DropPending("T1", "", 1), later(1_802))  # there is but one such round
    assert office.standing.meters[0].pending == 0
    assert office.alerts(later(9_999)) == []
    assert "nothing pending" in refusal(office, drop, later(1_803))


def test_a_result_after_the_drop_counts_in_the_present_cycle_and_is_marked(
    office: Office, table: Sender, ledger: MemoryLedger
) -> None:
    table.lock(1, 1)
    do(office, DropPending("T1", "n1", 1), later(2_000))
    table.deal(1, 1)  # refused, it would hold up every later letter of this table
    table.decide(1)
    assert office.meters()["major"] == RESET + GROWTH
    assert [entry.detail for entry in ledger.entries(Code.PENDED)][-1].startswith("Late: the round had been dropped")


def test_a_void_after_the_drop_drops_nothing_twice(office: Office, table: Sender) -> None:
    table.lock(1, 1)
    do(office, DropPending("T1", "n1", 1), later(2_000))
    table.void(1)
    table.play(2, 1)
    assert office.meters()["major"] == RESET + GROWTH


# --- a table that was born again ---


def test_an_abandoned_journal_blocks_no_meter_for_ever(office: Office, table: Sender, ledger: MemoryLedger) -> None:
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    lost = SettleAbandonedClaim(ClaimName("T1", "1.1", "n1"), pay=False)
    assert "still has that round" in refusal(office, lost)
    reborn = Sender(office, nonce="n2", at=BEGIN)
    reborn.play(1, 1)
    (alarm,) = ledger.entries(Code.ALARM)
    assert "born again" in alarm.detail
    assert "open claims: 1.1" in alarm.detail
    assert office.meters()["major"] == valued.value_micro  # still frozen
    do(office, lost)
    assert office.meters()["major"] == RESET + 2 * GROWTH
    assert office.standing.claims == ()


def test_an_abandoned_claim_can_be_paid(office: Office, table: Sender) -> None:
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    Sender(office, nonce="n2").play(1)
    do(office, SettleAbandonedClaim(ClaimName("T1", "1.1"), pay=True))
    assert office.standing.meters[0].wins == valued.award_minor
    assert office.meters()["major"] == RESET


def test_pending_rounds_of_an_abandoned_journal_are_dropped_at_once(office: Office, table: Sender) -> None:
    table.lock(1, 1)
    Sender(office, nonce="n2").play(1, 1)
    do(office, DropPending("T1", "n1", 1))
    assert office.standing.meters[0].pending == 0


def test_a_journal_that_was_left_is_heard_again_only_when_reinstated(office: Office, table: Sender) -> None:
    table.play(1, 1)
    wrong = Sender(office, nonce="n2")
    wrong.play(1)
    letter = table.envelope(table.voiding(2, False))
    assert "has left the journal n1" in str(table.deliver(letter)[0])
    assert "is not one that its table has left" in refusal(office, ReinstateJournal("T1", "n2"))
    do(office, ReinstateJournal("T1", "n1"))
    assert isinstance(table.deliver(letter)[0], Acked)
    assert "has left the journal n2" in str(wrong.deliver(wrong.envelope(wrong.voiding(2, False)))[0])


@pytest.mark.parametrize("pay", [True, False])
def test_a_journal_whose_claim_was_settled_as_abandoned_does_not_come_back(
    office: Office, table: Sender, pay: bool
) -> None:
    """Its table would have the claim settled once more, and no letter about it could be taken."""
    table.play(1, 1, claims=(claim(1, 1),))
    Sender(office, nonce="n2").play(1)
    do(office, SettleAbandonedClaim(ClaimName("T1", "1.1"), pay=pay))
    assert "A claim of round 1 in the journal n1 was settled here" in refusal(office, ReinstateJournal("T1", "n1"))
    assert office.standing.journals["T1"][0].superseded


# --- terms ---

FASTER = replace(MAJOR, rate_bp=600, reserve_bp=100, reset_minor=1_000)


def test_new_terms_wait_for_the_next_hit_and_pending_bets_go_by_them(
    office: Office, table: Sender, ledger: MemoryLedger
) -> None:
    other = Sender(office, "T2", at=BEGIN)
    do(office, ChangeTerms(FASTER))
    table.play(1, 1)
    assert office.meters()["major"] == RESET + GROWTH  # by the former terms
    (valued,) = table.play(2, 1, claims=(claim(2, 1),))
    other.lock(1, 1)
    table.confirm(2, "2.1", valued.award_minor)
    assert office.standing.meters[0].terms == FASTER
    new_reset = FASTER.reset_minor * MICRO
    assert office.meters()["major"] == new_reset + valued.value_micro % MICRO  # the seed is of the new terms
    other.decide(1)
    assert office.meters()["major"] == new_reset + valued.value_micro % MICRO + STAKE * 50_000
    assert office.standing.meters[0].reserve == STAKE * 10_000
    assert [entry.code for entry in ledger.entries(Code.TERMS_AGREED)] == [Code.TERMS_AGREED]
    assert Office(ledger, [FASTER]).meters() == office.meters()


def test_a_void_of_a_round_of_the_former_terms_takes_back_what_it_gave(office: Office, table: Sender) -> None:
    other = Sender(office, "T2", at=BEGIN)
    do(office, ChangeTerms(FASTER))
    other.play(1, 1)
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    table.confirm(1, "1.1", valued.award_minor)
    before = office.standing.meters[0]
    assert before.terms == FASTER
    other.void(1, after_result=True)
    after = office.standing.meters[0]
    assert (after.display, before.house - after.house) == (before.display, GROWTH), "its cycle was paid"
    assert after.stakes == STAKE


def test_by_the_other_reading_only_a_clear_brings_new_terms(ledger: MemoryLedger) -> None:
    office = Office(ledger, [MAJOR], Procedure(terms_take_effect=TermsTakeEffect.AT_CLEAR_ONLY))
    table = Sender(office, at=BEGIN)
    do(office, ChangeTerms(FASTER))
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    table.confirm(1, "1.1", valued.award_minor)
    assert office.standing.meters[0].terms == MAJOR
    assert office.meters()["major"] == RESET + valued.value_micro % MICRO
    do(office, CLEAR)
    assert office.standing.meters[0].terms == FASTER
    assert office.meters()["major"] == FASTER.reset_minor * MICRO


def test_a_limit_below_the_former_reset_value_comes_into_force_with_the_seed_and_what_is_above_overflows(
    office: Office, table: Sender
) -> None:
    table.play(1, 1)
    low = replace(MAJOR, reset_minor=1_000, limit_minor=1_001, overflow_on_hit=OnHit.KEPT_APART)
    do(office, ChangeTerms(low))
    (valued,) = table.play(2, 1, 2, claims=(claim(2, 1),))
    assert valued.value_micro == RESET + 3 * GROWTH, "the hit itself goes by the former terms"
    table.confirm(2, "2.1", valued.award_minor)
    table.play(3, 1)
    (meter,) = office.standing.meters
    assert meter.terms == low
    assert (meter.display, meter.overflow) == (1_001 * MICRO, valued.value_micro % MICRO + GROWTH - MICRO)
    assert office.report().conserved


def test_a_part_that_ends_no_cycle_brings_no_new_terms(office: Office, table: Sender) -> None:
    do(office, ChangeTerms(FASTER))
    (valued,) = table.play(1, 1, claims=(claim(1, 1, 1, 10),))
    table.confirm(1, "1.1", valued.award_minor)
    assert office.standing.meters[0].terms == MAJOR


def test_equal_parts_bring_the_new_terms_with_the_last_one(ledger: MemoryLedger) -> None:
    sharing = replace(MAJOR, same_level_hits=SameLevelHits.SPLIT_EQUALLY)
    office = Office(ledger, [sharing])
    table = Sender(office, at=BEGIN)
    do(office, ChangeTerms(replace(sharing, reset_minor=1_000)))
    first, second = table.play(1, 1, 2, claims=(claim(1, 1), claim(1, 2)))
    table.confirm(1, "1.1", first.award_minor)
    assert office.standing.meters[0].terms == sharing
    table.confirm(1, "1.2", second.award_minor)
    assert office.standing.meters[0].terms.reset_minor == 1_000
    assert office.meters()["major"] < 1_001 * MICRO
    assert office.report().conserved


def test_what_an_award_leaves_above_an_agreed_limit_goes_to_the_overflow(office: Office, table: Sender) -> None:
    do(office, ChangeTerms(replace(MAJOR, reset_minor=1_000, limit_minor=1_005, overflow_on_hit=OnHit.KEPT_APART)))
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    table.confirm(1, "1.1", valued.award_minor - 7, registered=True)
    meter = office.standing.meters[0]
    assert (meter.display, meter.terms.limit_minor) == (1_005 * MICRO, 1_005)
    assert meter.overflow == (7 - 5) * MICRO + valued.value_micro % MICRO


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (MAJOR, "has these terms already"),
        (replace(MAJOR, name="minor"), "There is no meter"),
        (replace(MAJOR, reserve_bp=301), "reserve_bp"),
        (replace(MAJOR, odds_to_one=10**8 + 1), "odds of 100000001 to 1"),
    ],
)
def test_terms_that_cannot_be_kept_are_not_agreed_on(office: Office, terms: MeterTerms, said: str) -> None:
    assert said in refusal(office, ChangeTerms(terms))


def test_a_configuration_may_name_the_terms_in_force_or_those_agreed_on(office: Office, ledger: MemoryLedger) -> None:
    do(office, ChangeTerms(FASTER))
    for configured in (MAJOR, FASTER):
        again = Office(ledger, [configured])
        assert again.standing.meters[0].terms == MAJOR
        assert again.differing_terms == ()


def test_after_changed_terms_a_controller_with_the_former_file_says_what_differs_and_goes_by_the_ledger(
    office: Office, table: Sender, ledger: MemoryLedger
) -> None:
    do(office, ChangeTerms(FASTER))
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    table.confirm(1, "1.1", valued.award_minor)
    again = Office(ledger, [MAJOR])
    assert again.standing.meters[0].terms == FASTER
    (sentence,) = again.differing_terms
    assert "reset_minor 1000 and not 5000000, rate_bp 600 and not 300" in sentence
    assert again.report().conserved


@pytest.mark.parametrize(
    ("configured", "said"),
    [([], "keeps a meter 'major' that is not configured"),
     ([MAJOR, replace(MAJOR, name="minor")], "The meter 'minor' is configured, and the ledger was opened without it")],
)  # fmt: skip
def test_meters_are_the_ledgers_own(
    office: Office, ledger: MemoryLedger, configured: list[MeterTerms], said: str
) -> None:
    with pytest.raises(LedgerError, match=said):
        Office(ledger, configured)


def test_a_meter_with_an_open_hit_is_not_adjusted_valued_or_not(office: Office, table: Sender) -> None:
    """Else persons would decide what the winner gets."""
    waiting = Sender(office, "T2", at=BEGIN)
    waiting.lock(1, 1)
    waiting.deal(1, 1)
    table.play(1, 1, claims=(claim(1, 1, second=50),))
    assert office.standing.claims[0].valuation is None, "it waits for the other table's round"
    for purse in ("display", "reserve", "overflow"):
        act = read_act("AdjustMeter", {"meter": "major", "purse": purse, "amount_micro": MICRO, "type": "adjusted"})
        assert "A hit is open on the meter 'major'" in refusal(office, act)
    table.deny(1, "1.1")
    do(office, AdjustMeter("major", Purse.DISPLAY, MICRO, Adjustment.DOCUMENTED))


def test_an_authorised_clear_begins_again_under_the_new_terms(
    office: Office, table: Sender, ledger: MemoryLedger
) -> None:
    table.play(1, 1)
    table.lock(2, 1)
    do(office, ChangeTerms(FASTER))
    assert "Bets pend" in refusal(office, CLEAR)
    table.decide(2, claim(2, 1))
    assert "A hit is open on the meter 'major': clear it" in refusal(office, CLEAR)
    table.deny(2, "2.1")
    do(office, CLEAR)
    cleared = (FASTER.reset_minor * MICRO, RESET + 2 * GROWTH)
    assert (office.meters()["major"], office.standing.meters[0].reserve) == cleared
    assert office.standing.meters[0].terms == FASTER
    assert all(entry.persons for entry in ledger.entries(Code.CLEARED))


# --- claims that do not wait ---


def test_what_does_not_wait_is_not_released_nor_ordered(office: Office, table: Sender) -> None:
    table.play(1, 1, 2, claims=(claim(1, 1), claim(1, 2)))
    first, second = ClaimName("T1", "1.1", "n1"), ClaimName("T1", "1.2", "n1")
    assert "does not wait" in refusal(office, ReleaseClaim(first), persons=(ADA,))
    assert "no open claim 9.9" in refusal(office, ReleaseClaim(replace(first, claim="9.9")), persons=(ADA,))
    assert "valued already" in refusal(office, OrderClaims("major", (second, first)), persons=(ADA,))
    assert "at least two different" in refusal(office, OrderClaims("major", (second, second)), persons=(ADA,))
    assert "not for the meter 'minor'" in refusal(office, OrderClaims("minor", (second, first)), persons=(ADA,))


# --- reason ---


def test_unreasonable_contributions_are_refused_and_alarmed(ledger: MemoryLedger) -> None:
    office = Office(ledger, [replace(MAJOR, threshold_minor=STAKE)], Procedure(bets_max=2))
    table = Sender(office)
    for letter, said in (
        (table.locking(1, 1, stake=STAKE + 1), "above the threshold of 500"),
        (table.locking(1, 1, 2, 3), "has 3 progressive bets where 2 are the most"),
    ):
        assert said in table.try_to_post(letter)
    assert len(list(ledger.entries(Code.ALARM))) == office.alarms == 2
    assert office.standing.meters[0].pending == 0
    table.play(1, 1, 2)


def test_links_of_one_controller_do_not_meet() -> None:
    links = (("T1", "north"), ("T2", "south"))
    terms = [replace(MAJOR, name="north/major"), replace(MAJOR, name="south/major", rate_bp=100)]
    office = Office(MemoryLedger(), terms, Procedure(links=links))
    north, south = Sender(office), Sender(office, "T2")
    (valued,) = north.play(1, 1, claims=(claim(1, 1),))
    south.play(1, 1)
    assert valued.value_micro == RESET + GROWTH
    assert office.meters() == {"north/major": RESET + GROWTH, "south/major": RESET + STAKE * 10_000}
    assert south.ping()[0].meters == {"major": RESET + STAKE * 10_000}
    assert "is on no link" in Sender(office, "T3").try_to_post(north.locking(1, 1))
    assert office.report().conserved, office.report().problem


def test_a_round_that_ends_with_an_open_claim_is_an_alarm(office: Office, table: Sender, ledger: MemoryLedger) -> None:
    table.play(1, 1, claims=(claim(1, 1),))
    table.end(1, STAKE, 0, 1)
    (alarm,) = ledger.entries(Code.ALARM)
    assert "claims 1.1 are open: keep the layout" in alarm.detail
