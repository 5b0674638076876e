"""A rank was misread: what two persons at the controller do about a claim that is open, and about one that is paid."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from felt.jackpot.books.accounts import Code
from felt.jackpot.books.acts import ClaimName, CorrectClaim, Person, read_act
from felt.jackpot.books.draft import RefusedError
from felt.jackpot.books.terms import MeterTerms, SameLevelHits
from felt.jackpot.controller.office import Office
from felt.jackpot.controller.requests import serve
from felt.jackpot.ledger.rows import rows_of
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Refused, Valued
from felt.letters.from_table import Claim, HitReportedLetter
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR, STAKE, Sender, claim

ADA, BOB = Person("Ada", "supervisor"), Person("Bob", "shift_manager")
NOW = Stamp("controller", 0, 10**18)
MINOR = MeterTerms("minor", 100_000, 200)
MAJOR_AFTER_ONE = RESET_MINOR * MICRO + STAKE * 30_000
MINOR_AFTER_ONE = 100_000 * MICRO + STAKE * 20_000
ROYAL = CorrectClaim(ClaimName("T1", "1.1"), "major", 1, 1)


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
def office(ledger: MemoryLedger) -> Iterator[Office]:
    office = Office(ledger, [MAJOR, MINOR])
    yield office
    report = office.report()
    assert report.conserved, report.problem
    again = Office(ledger, [MAJOR, MINOR])
    assert rows_of(again.standing) == rows_of(office.standing)


@pytest.fixture
def table(office: Office) -> Sender:
    return Sender(office, at=NOW)


def correct(office: Office, act: CorrectClaim) -> list[Valued]:
    answers = office.act(act, (ADA, BOB), "a straight flush was a royal", NOW)
    return [answer for answer in answers if isinstance(answer, Valued)]


def refusal(office: Office, act: CorrectClaim, persons: tuple[Person, ...] = (ADA, BOB)) -> str:
    before = office.standing
    with pytest.raises(RefusedError) as caught:
        office.act(act, persons, "a straight flush was a royal", NOW)
    assert office.standing is before
    assert str(caught.value).endswith(".")
    return str(caught.value)


# --- open ---


def waiting_on_the_minor(office: Office, table: Sender, *claims: Claim) -> Sender:
    """The minor belongs to another table's claim: this table's waits for its turn there."""
    other = Sender(office, "T2", at=NOW)
    other.play(1, 1, claims=(claim(1, 1, level="minor"),))
    table.play(1, 1, 2, claims=(claim(1, 1, level="minor", second=99), *claims))
    return other


def test_an_open_claim_of_the_wrong_level_is_valued_by_the_right_meter(
    office: Office, table: Sender, ledger: MemoryLedger
) -> None:
    waiting_on_the_minor(office, table)
    (valued,) = correct(office, ROYAL)
    assert (valued.table, valued.claim, valued.value_micro) == ("T1", "1.1", office.meters()["major"])
    assert (valued.level, valued.share_num, valued.share_den) == ("major", 1, 1)
    (entry,) = ledger.entries(Code.CLAIM_CORRECTED)
    assert (entry.table, entry.round, entry.claim, entry.meter) == ("T1", 1, "1.1", "major")
    assert entry.persons == "Ada (supervisor), Bob (shift_manager)"
    assert "1/1 of the meter 'minor'" in entry.detail
    assert "1/1 of the meter 'major'" in entry.detail
    assert "a straight flush was a royal" in entry.detail
    table.confirm(1, "1.1", valued.award_minor)
    assert {meter.terms.name: meter.hits for meter in office.standing.meters} == {"major": 1, "minor": 0}


def test_a_claim_that_has_its_value_stays_on_its_meter(office: Office, table: Sender) -> None:
    """Its table may be paying it in this moment, and no claim waits for another of its own round."""
    (misread,) = table.play(1, 1, claims=(claim(1, 1, level="minor"),))
    assert "deny it at its table, and report the hit" in refusal(office, ROYAL)
    table.confirm(1, "1.1", misread.award_minor)


def test_the_former_share_is_not_paid_any_more_until_it_is_corrected_back(office: Office, table: Sender) -> None:
    (misread,) = table.play(1, 1, claims=(claim(1, 1, 1, 10),))
    correct(office, ROYAL)
    paid = table.confirming(1, "1.1", misread.award_minor)
    assert "valued at" in table.try_to_post(paid)
    correct(office, CorrectClaim(ROYAL.claim, "major", 1, 10))
    table.confirm(1, "1.1", misread.award_minor)


def test_a_denied_claim_is_reported_again_with_its_right_rank(office: Office, table: Sender) -> None:
    table.play(1, 1, claims=(claim(1, 1, level="minor"),))
    table.deny(1, "1.1")
    (valued,) = table.post(HitReportedLetter(1, claim(1, 1), "Kim", "Ada", "a royal lies there", table.now()))
    assert isinstance(valued, Valued)
    assert (valued.claim, valued.value_micro) == ("1.1", MAJOR_AFTER_ONE)
    table.confirm(1, "1.1", valued.award_minor)


def test_a_wrong_share_is_valued_anew_by_the_same_frozen_value(office: Office, table: Sender) -> None:
    (misread,) = table.play(1, 1, claims=(claim(1, 1, 1, 10),))
    other = Sender(office, "T2", at=NOW)
    other.play(1, 1)
    (valued,) = correct(office, ROYAL)
    assert valued.value_micro == misread.value_micro == MAJOR_AFTER_ONE
    assert valued.award_minor == MAJOR_AFTER_ONE // MICRO
    assert (valued.level, valued.share_num, valued.share_den) == ("major", 1, 1)
    table.confirm(1, "1.1", valued.award_minor)


def test_a_claim_that_waits_its_turn_is_corrected_without_a_value(office: Office, table: Sender) -> None:
    other = Sender(office, "T2", at=NOW)
    other.play(1, 1, claims=(claim(1, 1),))
    table.play(1, 1, claims=(claim(1, 1, 1, 10, second=99),))
    assert correct(office, ROYAL) == []
    (waiting,) = [one for one in office.standing.claims if one.table == "T1"]
    assert (waiting.share_num, waiting.share_den, waiting.valuation) == (1, 1, None)


def test_a_claim_that_comes_late_to_its_meter_is_marked(office: Office, table: Sender, ledger: MemoryLedger) -> None:
    waiting_on_the_minor(office, table, claim(1, 2))
    correct(office, ROYAL)
    assert [one.meter for one in office.standing.claims] == ["minor", "major", "major"]
    assert any("Late" in entry.detail for entry in ledger.entries(Code.NOTED))


# --- paid ---


def test_a_paid_claim_gets_a_record_that_names_it_and_no_meter_moves(
    office: Office, table: Sender, ledger: MemoryLedger
) -> None:
    (valued,) = table.play(1, 1, claims=(claim(1, 1, 1, 10),))
    table.confirm(1, "1.1", valued.award_minor)
    table.play(2, 1)  # the next cycle has begun
    before = office.standing.meters
    assert correct(office, ROYAL) == []
    assert office.standing.meters == before
    (entry,) = ledger.entries(Code.AWARD_CORRECTED)
    due = MAJOR_AFTER_ONE // MICRO
    assert (entry.table, entry.round, entry.claim, entry.meter) == ("T1", 1, "1.1", "major")
    assert (entry.debit, entry.credit, entry.amount) == (None, None, (due - valued.award_minor) * MICRO)
    assert f"was paid {valued.award_minor}" in entry.detail
    assert f"{due} was due" in entry.detail
    assert entry.persons == "Ada (supervisor), Bob (shift_manager)"


def test_what_was_due_on_another_meter_is_stated_by_the_persons(
    office: Office, table: Sender, ledger: MemoryLedger
) -> None:
    (valued,) = table.play(1, 1, claims=(claim(1, 1, level="minor"),))
    table.confirm(1, "1.1", valued.award_minor)
    assert "state award_minor" in refusal(office, ROYAL)
    correct(office, CorrectClaim(ROYAL.claim, "major", 1, 1, 5_000_015))
    (entry,) = ledger.entries(Code.AWARD_CORRECTED)
    assert "5000015 was due" in entry.detail


# --- refused ---


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (CorrectClaim(ROYAL.claim, "minor", 1, 1), "already"),
        (CorrectClaim(ROYAL.claim, "mega", 1, 1), "no meter 'mega'"),
        (CorrectClaim(ROYAL.claim, "major", 2, 1), "no share"),
        (CorrectClaim(ROYAL.claim, "major", 0, 1), "no share"),
        (CorrectClaim(ROYAL.claim, "major", 1, 1, 7), "not paid yet"),
        (CorrectClaim(ClaimName("T1", "9.9"), "major", 1, 1), "no claim 9.9"),
        (CorrectClaim(ClaimName("T9", "1.1"), "major", 1, 1), "no claim 1.1"),
    ],
)
def test_a_correction_that_cannot_be_is_refused(office: Office, table: Sender, act: CorrectClaim, said: str) -> None:
    table.play(1, 1, claims=(claim(1, 1, level="minor"),))
    assert said in refusal(office, act)


def test_a_correction_takes_two_persons(office: Office, table: Sender) -> None:
    table.play(1, 1, claims=(claim(1, 1, level="minor"),))
    assert "two different persons" in refusal(office, ROYAL, (ADA,))


def test_a_paid_claim_that_was_right_has_nothing_to_correct(office: Office, table: Sender) -> None:
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    table.confirm(1, "1.1", valued.award_minor)
    assert "which is what was due" in refusal(office, ROYAL)
    assert "not 12" in refusal(office, CorrectClaim(ROYAL.claim, "major", 1, 2, 12))


def test_one_of_several_equal_parts_is_not_corrected_alone() -> None:
    terms = replace(MAJOR, same_level_hits=SameLevelHits.SPLIT_EQUALLY)
    office = Office(MemoryLedger(), [terms, MINOR])
    Sender(office, at=NOW).play(1, 1, 2, claims=(claim(1, 1), claim(1, 2)))
    assert "one of 2" in refusal(office, CorrectClaim(ROYAL.claim, "minor", 1, 1))


def test_the_act_is_asked_for_in_plain_words(office: Office, table: Sender) -> None:
    table.play(1, 1, claims=(claim(1, 1, 1, 10),))
    fields = {"claim": {"table": "T1", "claim": "1.1"}, "level": "major", "share_num": 1, "share_den": 1}
    assert read_act("CorrectClaim", fields) == ROYAL
    persons = [[one.name, one.role] for one in (ADA, BOB)]
    words = {"act": "CorrectClaim", "fields": fields, "persons": persons, "reason": "a royal"}
    served = serve(office, words, NOW)
    assert served.reply == {"done": "CorrectClaim"}
    assert [type(answer) for answer in served.answers] == [Valued]
    assert not any(isinstance(answer, Refused) for answer in served.answers)
