from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.jackpot.books.accounts import Account, Code
from felt.jackpot.books.standing import OpenClaim, RoundKey, round_of
from felt.jackpot.books.terms import IncrementTiming, MeterTerms, PartialWin, SameLevelHits
from felt.jackpot.controller.office import ALARM_ENTRIES_MAX, GAP_TOLD, Office
from felt.jackpot.ledger.port import LedgerError
from felt.jackpot.ledger.rows import rows_of
from felt.jackpot.ledger.sqlite import MemoryLedger, SqliteLedger
from felt.letters.from_controller import GAP, Acked, Pong, Refused, Valued
from felt.letters.from_table import BetsReturnedLetter, HitReportedLetter, Ping, Posted, RoundLockedLetter
from felt.wire.jackpot import decode, encode
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR, STAKE, Sender, claim, stamp


def an_evening(table: Sender) -> None:
    """Every kind of letter: plain rounds, voids, a denied claim, a quarter and the whole."""
    table.play(1, 1, 2, 3)
    table.end(1, 3 * STAKE, accepted=3)
    table.lock(2, 1)
    table.void(2)
    table.play(3, 1, 5, claims=(claim(3, 5),))
    table.deny(3, "3.5")
    table.end(3, 2 * STAKE, accepted=2)
    (quarter,) = table.play(4, 1, 2, claims=(claim(4, 1, 1, 4), claim(4, 2)))
    (whole,) = table.confirm(4, "4.1", quarter.award_minor)
    table.confirm(4, "4.2", whole.award_minor)
    table.end(4, 2 * STAKE, quarter.award_minor + whole.award_minor, 2)
    table.play(5, 1)
    table.void(5, after_result=True)
    table.play(6, 4, claims=(claim(6, 4),))


def evening_of(office: Office) -> Sender:
    table = Sender(office)
    an_evening(table)
    return table


ONCE = MemoryLedger()
STREAM = evening_of(Office(ONCE, [MAJOR])).posted


@given(st.lists(st.integers(0, len(STREAM) * 2), max_size=60))
def test_any_interleaving_of_resends_gives_the_same_ledger(resends: list[int]) -> None:
    """At each place of the stream, letters already posted come again."""
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    for place, data in enumerate(STREAM):
        first = decode(office.receive(data)[0])
        assert isinstance(first, Acked)
        for again in [STREAM[number % (place + 1)] for number in resends if number % len(STREAM) == place]:
            answer = decode(office.receive(again)[0])
            assert isinstance(answer, Acked)
            assert answer.highest_seen == place + 1
    assert list(ledger.entries()) == list(ONCE.entries())
    assert list(ledger.letters()) == list(ONCE.letters())
    assert ledger.rows() == ONCE.rows()
    assert office.alarms == 0


def test_letters_lost_and_out_of_order_end_in_the_same_money() -> None:
    """A sender that posts all it has, over a link that loses and shuffles, until each letter is acknowledged."""
    rng = random.Random(7)
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    unanswered = dict(enumerate(STREAM, 1))
    for _ in range(1_000):
        if not unanswered:
            break
        burst = [data for data in unanswered.values() if rng.random() < 0.5]
        rng.shuffle(burst)
        for data in burst:
            for answer in map(decode, office.receive(data)):
                if isinstance(answer, Acked) and rng.random() < 0.5:
                    unanswered.pop(answer.sequence, None)
    assert not unanswered
    assert ledger.rows() == ONCE.rows()
    assert [entry for entry in ledger.entries() if entry.code is not Code.ALARM] == list(ONCE.entries())


def test_a_resent_result_tells_the_value_again_until_the_claim_is_resolved() -> None:
    table = Sender(Office(MemoryLedger(), [MAJOR]))
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    assert table.deliver(table.posted[-1]) == [Acked("T1", "n1", 3, 3), valued]
    result = table.posted[-1]
    table.confirm(1, "1.1", valued.award_minor)
    assert table.deliver(result) == [Acked("T1", "n1", 3, 4)]


def test_a_ping_brings_meters_outstanding_values_and_the_highest_letter() -> None:
    table = Sender(Office(MemoryLedger(), [MAJOR]))
    assert table.ping() == (Pong("T1", "n1", 0, {"major": RESET_MINOR * MICRO}), [])
    (valued,) = table.play(1, 1, claims=(claim(1, 1),))
    assert table.ping() == (Pong("T1", "n1", 3, {"major": valued.value_micro}), [valued])
    stranger = [decode(answer) for answer in table.office.receive(encode(Ping("T2", "n1", 0)))]
    assert stranger == [Pong("T2", "n1", 0, {"major": valued.value_micro})]


def test_the_same_id_with_another_text_is_refused_alarmed_and_changes_nothing() -> None:
    ledger = MemoryLedger()
    table = Sender(Office(ledger, [MAJOR]))
    table.lock(1, 1)
    rows = ledger.rows()
    forged = table.envelope(RoundLockedLetter(1, stamp(1), ()), sequence=1)
    for _ in range(3):
        (answer,) = table.deliver(forged)
        assert isinstance(answer, Refused)
        assert "another text" in answer.reason
    assert ledger.rows() == rows
    assert table.office.alarms == 3
    (alarm,) = ledger.entries(Code.ALARM)  # written once, counted each time
    assert alarm.table == "T1"
    assert isinstance(table.deliver(table.posted[0])[0], Acked)


def test_a_gap_is_refused_alarmed_and_cured_by_the_missing_letter() -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    assert decode(office.receive(STREAM[1])[0]) == Refused("T1", "n1", 2, GAP)
    assert (ledger.letter("T1", "n1", 2), len(list(ledger.entries(Code.ALARM)))) == (None, 1)
    for place, data in enumerate(STREAM[:2], 1):
        assert decode(office.receive(data)[0]) == Acked("T1", "n1", place, place)


def test_alarms_are_remembered_across_a_restart_and_are_limited() -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    letter = RoundLockedLetter(1, stamp(1), ())
    for number in range(ALARM_ENTRIES_MAX + 48):
        table = Sender(office, nonce=f"n{number}")
        table.deliver(table.envelope(letter, 2))
    again = Sender(Office(ledger, [MAJOR]), nonce="n0")
    again.deliver(again.envelope(letter, 2))
    assert len(list(ledger.entries(Code.ALARM))) == ALARM_ENTRIES_MAX
    assert office.alarms == ALARM_ENTRIES_MAX + 48


def test_a_new_journal_of_a_table_is_taken_and_noted_and_the_old_one_is_still_known() -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    old = Sender(office)
    old.play(1, 1)
    new = Sender(office, nonce="n2")
    new.play(1, 1)
    (note,) = ledger.entries(Code.NOTED)
    assert (note.table, note.nonce) == ("T1", "n2")
    assert isinstance(old.deliver(old.posted[0])[0], Acked)
    assert office.report().contributions_minor == 2 * STAKE


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff\x00", encode(Acked("T1", "n1", 1, 1)), b"[" * 70_000])
def test_garbage_is_counted_and_not_answered(data: bytes) -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    rows = ledger.rows()
    assert office.receive(data) == []
    assert (office.garbage, ledger.rows()) == (1, rows)


@given(st.integers(0, len(STREAM) - 1), st.integers(0, 10_000), st.integers(0, 255))
def test_a_damaged_letter_never_breaks_the_office(place: int, at: int, byte: int) -> None:
    office = Office(MemoryLedger(), [MAJOR])
    for data in STREAM[:place]:
        office.receive(data)
    damaged = bytearray(STREAM[place])
    damaged[at % len(damaged)] = byte
    office.receive(bytes(damaged))
    assert office.report().conserved


def test_a_closed_and_reopened_file_stands_where_it_stood(tmp_path: Path) -> None:
    office = Office(SqliteLedger(tmp_path / "ledger"), [MAJOR])
    an_evening(Sender(office))
    before, meters = rows_of(office.standing), office.meters()
    office.close()
    again = Office(SqliteLedger(tmp_path / "ledger"), [MAJOR])
    assert rows_of(again.standing) == before == ONCE.rows()
    assert again.meters() == meters
    assert again.report().conserved
    again.close()


def test_nothing_is_lost_when_the_answer_never_left(tmp_path: Path) -> None:
    """Each letter is taken by an office that dies before its answer is heard; the next one answers the resend."""
    path = tmp_path / "ledger"
    valued: list[Valued] = []
    for data in STREAM:
        dying = SqliteLedger(path)
        Office(dying, [MAJOR]).receive(data)
        dying.close()
        reopened = SqliteLedger(path)
        answers = [decode(answer) for answer in Office(reopened, [MAJOR]).receive(data)]
        assert isinstance(answers[0], Acked)
        valued += [answer for answer in answers if isinstance(answer, Valued)]
        reopened.close()
    final = SqliteLedger(path)
    assert list(final.entries()) == list(ONCE.entries())
    assert final.rows() == ONCE.rows()
    assert {one.claim for one in valued} == {"3.5", "4.1", "4.2", "6.4"}
    final.close()


def test_the_report_counts_since_the_office_opened_and_checks_the_whole_ledger(tmp_path: Path) -> None:
    first = Office(SqliteLedger(tmp_path / "ledger"), [MAJOR])
    table = Sender(first)
    table.play(1, 1, 2)
    table.end(1, 2 * STAKE, accepted=2)
    assert first.report().contributions_minor == 2 * STAKE
    first.close()
    second = Office(SqliteLedger(tmp_path / "ledger"), [MAJOR])
    table.office = second
    (valued,) = table.play(2, 1, claims=(claim(2, 1),))
    table.confirm(2, "2.1", valued.award_minor)
    report = second.report()
    assert (report.contributions_minor, report.awards_minor) == (STAKE, valued.award_minor)
    (meter,) = report.meters
    assert (meter.before_micro, meter.after_micro) == ((RESET_MINOR + 30) * MICRO, RESET_MINOR * MICRO)
    assert (meter.wagers, meter.hits, meter.wins_minor) == (3, 1, valued.award_minor)
    assert report.conserved, report.problem
    second.close()


def test_the_report_finds_money_that_no_letter_explains() -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    Sender(office).play(1, 1)
    (counted,) = [entry for entry in ledger.entries(Code.COMMITTED) if entry.stake_minor]
    ledger.commit([counted], {})
    report = office.report()
    assert not report.conserved


def test_the_database_itself_refuses_money_that_is_not_there() -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    Sender(office).play(1, 1)
    (growth,) = [entry for entry in ledger.entries(Code.COMMITTED) if entry.credit is Account.DISPLAY]
    with pytest.raises(LedgerError, match="CHECK"):
        ledger.commit([growth], {})  # nothing pends


def play_at_random(rng: random.Random, table: Sender, number: int) -> None:
    """One round, with a void before or after the result, claims confirmed, denied or paid as registered, hits that only
    persons saw and bets that go back."""
    seats = rng.sample(range(1, 8), rng.randrange(4))
    fate = rng.random()
    table.lock(number, *seats, stake=rng.randrange(1, 5_000))
    if fate < 0.15:
        table.void(number)
        return
    table.deal(number, *seats)
    shares = [rng.choice([(1, 1), (1, 4), (1, 10)]) for _ in seats]
    claims = [claim(number, seat, *share) for seat, share in zip(seats, shares, strict=True) if rng.random() < 0.3]
    table.decide(number, *claims)
    put_right_at_random(rng, table, number)
    if fate < 0.3:
        table.void(number, after_result=True)
        return
    key = RoundKey(table.table, table.nonce, number)
    while own := still_open(table.office, key):
        resolve_at_random(rng, table, rng.choice(own))
        put_right_at_random(rng, table, number)


def still_open(office: Office, key: RoundKey) -> list[OpenClaim]:
    return [one for one in office.standing.claims if one.round_key == key and one.stated_minor is None]


def resolve_at_random(rng: random.Random, table: Sender, one: OpenClaim) -> None:
    if one.valuation is None or rng.random() < 0.3:
        award = rng.randrange(1_000 * one.share_num // one.share_den)
        table.confirm(one.round, one.claim, award, registered=True)
    elif rng.random() < 0.5:
        table.confirm(one.round, one.claim, one.valuation.award_minor)
    else:
        table.deny(one.round, one.claim)


def put_right_at_random(rng: random.Random, table: Sender, number: int) -> None:
    standing = table.office.standing
    one = round_of(standing, RoundKey(table.table, table.nonce, number))
    assert one is not None
    seats = [bet.seat for bet in one.contributions]
    if not seats or rng.random() < 0.6:
        return
    seat = rng.choice(seats)
    made = claim(number, seat, *rng.choice([(1, 1), (1, 4)]))
    if made.claim in (*one.paid_claims, *(other.claim for other in standing.claims if other.round_key == one.key)):
        return
    if rng.random() < 0.4:
        table.post(BetsReturnedLetter(number, (seat,), "5.15", "Ada", table.now()))
    else:
        table.post(HitReportedLetter(number, made, "Kim", "Ada", "it lies there", table.now()))


@pytest.mark.parametrize("timing", IncrementTiming)
@pytest.mark.parametrize("together", SameLevelHits)
@pytest.mark.parametrize("reading", PartialWin)
def test_random_evenings_conserve_money_and_read_back_the_same(
    reading: PartialWin, together: SameLevelHits, timing: IncrementTiming, full: bool
) -> None:
    terms = [
        MeterTerms("major", 1_000, 733, 211, 2_000, reading, same_level_hits=together, increment_timing=timing),
        MeterTerms("star", 500, 100, increment_timing=timing),
    ]
    for seed in range(40 if full else 4):
        rng = random.Random(seed)
        ledger = MemoryLedger()
        office = Office(ledger, terms)
        tables = [Sender(office, "T1"), Sender(office, "T2")]
        for number in range(1, 25):
            play_at_random(rng, rng.choice(tables), number)
        report = office.report()
        assert report.conserved, report.problem
        assert rows_of(Office(ledger, terms).standing) == rows_of(office.standing)


def test_gaps_of_a_journal_are_one_alarm_so_that_restarts_of_a_broker_never_drown_the_others() -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    for data in STREAM[1:]:
        posted = decode(data)
        assert isinstance(posted, Posted)
        assert decode(office.receive(data)[0]) == Refused("T1", "n1", posted.sequence, GAP)
    assert [entry.detail for entry in ledger.entries(Code.ALARM)] == [GAP_TOLD]
    assert office.alarms == len(STREAM) - 1


def test_a_thousand_old_alarms_do_not_silence_a_new_one() -> None:
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    for number in range(ALARM_ENTRIES_MAX + 5):
        office.alarm("T1", f"Forged, {number}.", stamp(1))
    assert len(list(ledger.entries(Code.ALARM))) == ALARM_ENTRIES_MAX
    Office(ledger, [MAJOR]).alarm("T1", "Forged, once more.", stamp(2))
    assert [entry.detail for entry in ledger.entries(Code.ALARM)][-1] == "Forged, once more."
