"""What persons put right after a round has its result: a hit that its table had not found, an invalid hand."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import ANY

import pytest

from felt.jackpot.books import acts
from felt.jackpot.books import hits as claims
from felt.jackpot.books import meter as meters
from felt.jackpot.books.accounts import Account, Code
from felt.jackpot.books.draft import RefusedError
from felt.jackpot.books.hits import ONE_SIDE_ONLY
from felt.jackpot.books.terms import IncrementTiming, MeterTerms, Procedure, SameLevelHits
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.audit import broken_conservation
from felt.jackpot.ledger.rows import rows_of
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Acked, Refused, Valued
from felt.letters.from_table import BetsReturnedLetter, Claim, HitReportedLetter, RoundResultLetter
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from felt.wire.jackpot import decode
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR, STAKE, Sender, claim

NOW = Stamp("controller", 0, 10**18)
GROWTH = STAKE * 30_000  # of one bet
RESET = RESET_MINOR * MICRO


class Books:
    def __init__(self, terms: MeterTerms) -> None:
        self.terms = terms
        self.ledger = MemoryLedger()
        self.office = Office(self.ledger, [terms])
        self.table = Sender(self.office, at=NOW)

    def report(self, made: Claim, number: int = 1) -> list[Valued]:
        return [answer for answer in self.table.post(self.reporting(made, number)) if isinstance(answer, Valued)]

    def reporting(self, made: Claim, number: int = 1) -> HitReportedLetter:
        return HitReportedLetter(number, made, "Kim", "Ada", "box 1 shows it", self.table.now())

    def returning(self, *seats: int, number: int = 1) -> BetsReturnedLetter:
        return BetsReturnedLetter(number, seats, "5.15", "Ada", self.table.now())

    @property
    def display(self) -> int:
        return self.office.standing.meters[0].display

    def close(self) -> None:
        report = self.office.report()
        assert report.conserved, report.problem
        assert rows_of(Office(self.ledger, [self.terms]).standing) == rows_of(self.office.standing)


@pytest.fixture
def books() -> Iterator[Books]:
    made = Books(MAJOR)
    yield made
    made.close()


# --- a hit that one side alone knows -----------------------------------------------------------------


def test_a_reported_hit_is_an_alarm_and_a_claim_like_any_other(books: Books) -> None:
    books.table.play(1, 1, 2)
    (valued,) = books.report(claim(1, 1, 1, 4))
    assert (valued.value_micro, valued.award_minor) == (RESET + 2 * GROWTH, (RESET + 2 * GROWTH) // (4 * MICRO))
    (alarm,) = books.ledger.entries(Code.ALARM)
    assert alarm.detail.startswith(ONE_SIDE_ONLY)
    assert "reported by Kim, claimed by Ada" in alarm.detail
    books.table.confirm(1, "1.1", valued.award_minor)
    books.table.end(1, 2 * STAKE, valued.award_minor, 2)
    assert len(list(books.ledger.entries(Code.ALARM))) == 1, "the totals of both sides agree"
    assert books.office.standing.meters[0].hits == 1


def test_a_reported_hit_is_paid_after_one_that_was_valued_before_it(books: Books) -> None:
    (first,) = books.table.play(1, 1, 2, claims=(claim(1, 2),))
    assert books.report(claim(1, 1)) == [], "it waits for its turn"
    (second,) = books.table.confirm(1, "1.2", first.award_minor)
    assert (second.claim, second.value_micro) == ("1.1", RESET)
    books.table.deny(1, "1.1")
    assert books.display == RESET


@pytest.mark.parametrize("timing", [IncrementTiming.ONLY_IF_NOT_WON, IncrementTiming.AFTER_SETTLEMENT])
@pytest.mark.parametrize("paid", [True, False])
def test_bets_wait_for_a_reported_hit_as_for_one_that_was_found(timing: IncrementTiming, paid: bool) -> None:
    displays = []
    for reported in (True, False):
        books = Books(replace(MAJOR, increment_timing=timing))
        made = claim(1, 1)
        found = books.table.play(1, 1, 2, claims=() if reported else (made,))
        (valued,) = books.report(made) if reported else found
        assert valued.value_micro == RESET, "its own round's bets are not in it"
        books.table.confirm(1, "1.1", valued.award_minor) if paid else books.table.deny(1, "1.1")
        displays.append(books.display)
        books.close()
    assert displays[0] == displays[1]


def test_a_reported_hit_must_belong_to_a_settled_round_and_an_accepted_bet(books: Books) -> None:
    books.table.lock(1, 1)
    said = books.table.try_to_post(HitReportedLetter(1, claim(1, 1), "Kim", "Ada", "", books.table.now()))
    assert "once the round has its result" in said
    books.table.decide(1)
    said = books.table.try_to_post(HitReportedLetter(1, claim(1, 3), "Kim", "Ada", "", books.table.now()))
    assert "seat 3, which has no accepted progressive bet" in said


@pytest.mark.parametrize("reported", [True, False])
def test_a_box_is_paid_once_and_may_be_reported_again_only_when_it_was_denied(reported: bool) -> None:
    books = Books(MAJOR)
    made = claim(1, 1, 1, 4)
    found = books.table.play(1, 1, 2, claims=() if reported else (made,))
    (valued,) = books.report(made) if reported else found
    books.table.deny(1, "1.1")
    (again,) = books.report(made)
    assert again == valued
    assert "is open already" in books.table.try_to_post(books.reporting(made))
    books.table.confirm(1, "1.1", again.award_minor)
    assert "is paid already" in books.table.try_to_post(books.reporting(made))
    other_name = replace(made, claim="1.1b")
    assert "not named so" in books.table.try_to_post(books.reporting(other_name))
    assert books.office.standing.meters[0].hits == 1
    books.close()


# --- a hand that was invalid -------------------------------------------------------------------------


def test_an_invalid_hand_takes_its_contribution_back_by_a_typed_correction(books: Books) -> None:
    books.table.play(1, 1, 2)
    books.table.post(books.returning(1))
    assert books.display == RESET + GROWTH
    corrected = [one for one in books.ledger.entries(Code.CORRECTED) if one.debit is Account.DISPLAY]
    assert [one.amount for one in corrected] == [GROWTH]
    assert "by Ada (5.15): seats 1" in corrected[0].detail
    books.table.end(1, STAKE, 0, 1)
    assert list(books.ledger.entries(Code.ALARM)) == []
    books.table.post(books.returning(2))
    assert books.display == RESET


def test_a_value_that_is_frozen_stands_though_a_bet_of_it_goes_back(books: Books) -> None:
    (valued,) = books.table.play(1, 1, 2, claims=(claim(1, 1),))
    books.table.post(books.returning(2))
    books.table.confirm(1, "1.1", valued.award_minor)
    books.table.end(1, STAKE, valued.award_minor, 1)
    assert list(books.ledger.entries(Code.ALARM)) == []
    # What was paid away already the house makes good.
    assert books.display == RESET + (RESET + 2 * GROWTH) % MICRO


def test_a_box_is_corrected_once_and_only_after_its_result(books: Books) -> None:
    books.table.lock(1, 1, 2)
    assert "once it has its result" in books.table.try_to_post(books.returning(1))
    books.table.decide(1)
    books.table.post(books.returning(1))
    assert "seat 1 went back, which has no committed" in books.table.try_to_post(books.returning(1))
    books.table.void(1, after_result=True)
    assert books.display == RESET


# --- hits that share one value -----------------------------------------------------------------------


SHARED = replace(MAJOR, same_level_hits=SameLevelHits.SPLIT_EQUALLY)


@pytest.mark.parametrize("found", [1, 2])
def test_a_reported_hit_comes_after_those_found_though_dealt_first_and_none_had_its_value(found: int) -> None:
    books = Books(SHARED)
    other = Sender(books.office, "T2", "n2", boot="other", at=NOW)
    other.lock(1, 1)
    other.deal(1, 1)
    assert books.table.play(1, 1, 2, 3, claims=(claim(1, 2), claim(1, 3))[:found]) == []
    assert books.report(claim(1, 1)) == []
    valued = [one for one in other.post(RoundResultLetter(1, other.now(), ())) if isinstance(one, Valued)]
    assert [one.claim for one in valued] == ["1.2", "1.3"][:found]
    (value_micro,) = {one.value_micro for one in valued}
    assert {one.award_minor for one in valued} == {value_micro // found // MICRO}
    for one in valued:
        last = books.table.confirm(1, one.claim, one.award_minor)
        assert books.office.report().problem == ""
    (reported,) = last
    assert (reported.claim, reported.value_micro) == ("1.1", books.display)
    assert RESET <= books.display < RESET + found * MICRO
    books.table.confirm(1, "1.1", reported.award_minor)
    assert RESET <= books.display < RESET + found * MICRO
    books.close()


@pytest.mark.parametrize("denied", [(), ("1.1",), ("1.2",), ("1.1", "1.2")])
def test_a_hit_reported_after_others_have_their_value_has_its_turn_after_them(denied: tuple[str, ...]) -> None:
    books = Books(SHARED)
    parts = books.table.play(1, 1, 2, 3, claims=(claim(1, 1), claim(1, 2)))
    assert books.report(claim(1, 3)) == []
    for one in parts:
        if one.claim in denied:
            last = books.table.deny(1, one.claim)
        else:
            last = books.table.confirm(1, one.claim, one.award_minor)
    (third,) = last
    left = RESET + 3 * GROWTH - sum(one.award_minor * MICRO for one in parts if one.claim not in denied)
    assert third.value_micro == books.display == (left + RESET if not denied else max(RESET, left))
    assert third.award_minor == third.value_micro // MICRO, "the whole of it"
    books.table.confirm(1, "1.3", third.award_minor)
    assert RESET <= books.display < RESET + MICRO
    books.close()


def test_awards_that_share_out_more_than_the_value_are_seen() -> None:
    books = Books(SHARED)
    first, _ = books.table.play(1, 1, 2, claims=(claim(1, 1), claim(1, 2)))
    books.table.confirm(1, "1.1", first.award_minor)
    standing = books.office.standing
    assert broken_conservation(books.ledger, standing, Procedure()) == ""
    more = tuple(replace(one, place=place) for one in standing.claims for place in (8, 9, 10))
    problem = broken_conservation(books.ledger, replace(standing, claims=more), Procedure())
    assert "is shared out to" in problem


# --- what was never on the meter ---------------------------------------------------------------------


@pytest.mark.parametrize("earlier", [0, 3])
@pytest.mark.parametrize("after", ["returned", "reported and denied", "reported and paid"])
def test_a_round_that_won_and_added_nothing_has_nothing_taken_back(earlier: int, after: str) -> None:
    books = Books(replace(MAJOR, increment_timing=IncrementTiming.ONLY_IF_NOT_WON))
    books.table.play(1, *range(1, earlier + 1))
    (valued,) = books.table.play(2, 1, 2, claims=(claim(2, 1),))
    books.table.confirm(2, "2.1", valued.award_minor)
    before = books.office.standing.meters[0]
    if after == "returned":
        books.table.post(books.returning(2, number=2))
        assert books.office.standing.meters[0] == before
    else:
        (second,) = books.report(claim(2, 2), 2)
        assert second.value_micro == before.display
        if after == "reported and paid":
            books.table.confirm(2, "2.2", second.award_minor)
        else:
            books.table.deny(2, "2.2")
        assert books.display == RESET + before.display % MICRO
    books.close()


def test_a_letter_that_breaks_the_books_is_refused_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """No letter is known that does; a controller that ended with it would end again at each resend."""
    books = Books(MAJOR)
    books.table.play(1, 1, 2)
    other = Sender(books.office, "T2", "n2", at=NOW)
    before = rows_of(books.office.standing)
    with monkeypatch.context() as broken:
        broken.setattr(meters, "take_back", lambda meter, *_, **__: meters.drop(meter, STAKE))
        letters = [books.table.envelope(books.returning(2)), other.envelope(other.locking(1, 1))]
        refused, acked = [decode(one) for one in books.office.receive_batch(letters, NOW)]
    assert isinstance(refused, Refused)
    assert "went below nought): nothing was changed" in refused.reason
    assert isinstance(acked, Acked)
    assert rows_of(books.office.standing).items() >= {**before, "meter/major": ANY}.items()
    (alarm,) = books.ledger.entries(Code.ALARM)
    assert "cannot account for this letter" in alarm.detail
    books.close()
    books.table.post(books.returning(2))
    assert books.display == RESET + GROWTH


def test_an_act_or_a_second_look_that_breaks_the_books_changes_nothing_and_is_an_alarm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    books = Books(MAJOR)
    books.table.play(1, 1, 2)
    before = rows_of(books.office.standing)

    def break_the_books(*_: object) -> None:
        raise AssertionError("a purse went below nought")

    monkeypatch.setattr(claims, "value_next", break_the_books)
    monkeypatch.setattr(acts, "perform", break_the_books)
    for _ in range(2):  # it is written down once
        assert books.office.look_again(NOW) == []
    with pytest.raises(RefusedError, match=r"cannot account for this act .* nothing was changed"):
        books.office.act(acts.ClearMeter("major"), (), "a reason", NOW)
    with pytest.raises(RefusedError, match="cannot account for this act"):
        books.office.preview(acts.ClearMeter("major"), (), "a reason", NOW)
    assert rows_of(books.office.standing) == before == books.ledger.rows()
    assert ["a purse went below nought" in alarm.detail for alarm in books.ledger.entries(Code.ALARM)] == [True, True]


def test_whatever_stops_a_batch_the_office_stands_where_its_ledger_does(monkeypatch: pytest.MonkeyPatch) -> None:
    books = Books(MAJOR)
    letter = books.table.envelope(books.table.locking(1, 1))
    with monkeypatch.context() as broken:
        broken.setattr(books.ledger, "commit", lambda *_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            books.office.receive(letter, NOW)
    books.close()
    assert isinstance(books.table.deliver(letter)[0], Acked)
    books.close()


def test_a_bet_that_goes_back_after_its_cycle_was_paid_leaves_the_next_one_at_its_reset(books: Books) -> None:
    books.table.play(1, 1, 2)
    other = Sender(books.office, "T2", "n2", boot="other", at=NOW)
    (valued,) = other.play(1, 1, claims=(claim(1, 1),))
    other.confirm(1, "1.1", valued.award_minor)
    books.table.post(books.returning(1))
    assert books.office.meters() == {"major": RESET + valued.value_micro % MICRO}
    put_in = [one.amount for one in books.ledger.entries(Code.MADE_GOOD) if one.table == "T1"]
    assert put_in == [GROWTH], "the house makes good what was paid away"
    books.table.post(books.returning(2))
    assert books.office.meters() == {"major": RESET + valued.value_micro % MICRO}


def test_a_meter_below_its_reset_by_a_partial_win_gives_back_what_it_took(books: Books) -> None:
    (valued,) = books.table.play(1, 1, claims=(claim(1, 1, 1, 2),))
    books.table.confirm(1, "1.1", valued.award_minor)
    before = books.display
    assert before < RESET
    books.table.play(2, 1, 2)
    books.table.post(books.returning(1, 2, number=2))
    assert books.display == before
