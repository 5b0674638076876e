"""Reports of shifts and days: values that add up, whoever counts, from a ledger that is in use."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from felt.cli import main
from felt.commands.paper import money
from felt.jackpot.books import acts
from felt.jackpot.books.accounts import Code
from felt.jackpot.books.meter import total_micro
from felt.jackpot.books.terms import MeterTerms, Procedure
from felt.jackpot.controller.office import Office
from felt.jackpot.controller.reports import Period, ShiftReport, report_of
from felt.jackpot.ledger.audit import standing_in
from felt.jackpot.ledger.dating import BooksClock
from felt.jackpot.ledger.port import LedgerError
from felt.jackpot.ledger.reading import open_for_reading
from felt.jackpot.ledger.schema import KEPT
from felt.jackpot.ledger.sqlite import SqliteLedger
from felt.nouns.stamps import NS_PER_S
from tests.jackpot.evening import DEALER, MICRO, RESET_MINOR, SHOE, STAKE, Sender, claim, stamp

TERMS = MeterTerms("major", RESET_MINOR, 333, 111, limit_minor=RESET_MINOR + 30)
HOUR_NS = 3600 * NS_PER_S
FILE = """
[tables.T1]
[tables.T2]
[meters.major]
reset_minor = {reset}
rate_bp = 333
reserve_bp = 111
limit_minor = {limit}
"""
PERSONS = (acts.Person("Ann", "supervisor"), acts.Person("Bob", "shift_manager"))


class House:
    """Two tables, a ledger in a file, and a clock on the wall that says what the test wants."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = folder / "jackpot.ledger"
        self.file = folder / "jackpot.toml"
        self.file.write_text(FILE.format(reset=RESET_MINOR, limit=RESET_MINOR + 30))
        self.true_ns = 0
        self.now_ns = int(datetime(2026, 3, 4, 6, 30).astimezone().timestamp()) * NS_PER_S
        self.set_forward_ns = 0
        monkeypatch.setattr(BooksClock, "read", lambda _: (self.now_ns + self.set_forward_ns, self.true_ns))
        self.office = Office(SqliteLedger(self.path), [TERMS])
        self.tables = [Sender(self.office, "T1"), Sender(self.office, "T2", boot="other")]

    def passes(self, hours: int) -> None:
        self.now_ns += hours * HOUR_NS
        self.true_ns += abs(hours) * HOUR_NS

    def report(self, since_hour: int = -100, until_hour: int = 100) -> ShiftReport:
        """By hours from now."""
        period = Period(self.now_ns + since_hour * HOUR_NS, self.now_ns + until_hour * HOUR_NS)
        with contextlib.closing(open_for_reading(str(self.path))) as ledger:
            standing = standing_in(ledger, Procedure())
            return report_of(ledger, standing, period)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    one = House(tmp_path, monkeypatch)
    yield one
    one.office.close()


def play_an_evening(house: House) -> None:
    """Three hours: bets, a void, a jackpot, an adjustment, a hit and an alarm."""
    first, second = house.tables
    first.play(1, 1, 2)
    first.end(1, 2 * STAKE, accepted=2)
    house.passes(1)
    second.lock(1, 3)
    second.void(1)
    first.play(2, 1, 2, 3)
    first.end(2, 3 * STAKE, accepted=3)
    (valued,) = first.play(3, 4, claims=(claim(3, 4),))
    first.confirm(3, "3.4", valued.award_minor)
    first.end(3, STAKE, valued.award_minor, 1)
    house.passes(1)
    adjusted = acts.AdjustMeter("major", acts.Purse.RESERVE, 5 * MICRO + 1, acts.Adjustment(Code.ADJUSTED))
    house.office.act(adjusted, PERSONS, "a count by hand", stamp(50))
    house.office.alarm("T2", "A forged envelope.", stamp(51))
    second.lock(2, 1)


def test_opening_and_what_moved_make_the_closing_of_each_meter(house: House) -> None:
    play_an_evening(house)
    made = house.report()
    assert made.problems == ()
    (page,) = made.meters
    assert page.opening.held() == 0
    assert page.closing.held() == page.flow.change_of_held() == total_micro(house.office.standing.meters[0])
    assert page.flow.wagers == 6
    assert page.flow.stakes_minor == 6 * STAKE
    assert page.flow.committed == 6 * STAKE * 333 * 100
    assert page.flow.dropped == STAKE * 333 * 100
    assert page.flow.adjustments == 5 * MICRO + 1
    assert page.closing.pending == STAKE * 333 * 100
    assert page.closing.overflow > 0 or page.flow.hits == 1


def test_a_clock_that_is_set_forward_and_back_hides_nothing_from_the_report_of_the_day(house: House) -> None:
    first, _ = house.tables
    first.play(1, 1)
    house.set_forward_ns = 48 * HOUR_NS
    first.play(2, 1)
    (told,) = house.office.alerts(stamp(60))
    assert "was set forward by 172800 s" in told
    house.office.look_again(stamp(60))
    house.set_forward_ns = 0
    first.play(3, 1)
    assert house.office.alerts(stamp(61)) == []
    made = house.report(-1, 1)
    assert made.problems == ()
    assert made.meters[0].flow.wagers == 3
    assert [line.detail for line in made.alarms] == [told]


def test_a_restart_accepts_the_time_that_the_host_has(house: House) -> None:
    house.set_forward_ns = 48 * HOUR_NS
    house.office.close()
    house.office = Office(SqliteLedger(house.path), [TERMS])
    Sender(house.office, "T1").play(1, 1)
    assert house.office.alerts(stamp(60)) == []
    assert house.report(47, 49).meters[0].flow.wagers == 1


def test_each_table_has_its_own_line_and_together_they_are_the_meter(house: House) -> None:
    play_an_evening(house)
    (page,) = house.report().meters
    assert set(page.tables) == {"T1", "T2"}
    assert (page.tables["T1"].wagers, page.tables["T2"].wagers) == (6, 0)
    assert page.tables["T2"].pended == 2 * STAKE * 333 * 100
    for place in ("wagers", "pended", "committed", "dropped", "awards", "hits"):
        assert sum(getattr(flow, place) for flow in page.tables.values()) == getattr(page.flow, place)


def test_one_shift_closes_where_the_next_one_opens(house: House) -> None:
    play_an_evening(house)
    hours = [house.report(hour, hour + 1) for hour in (-2, -1, 0)]
    assert all(not one.problems for one in hours)
    pages = [one.meters[0] for one in hours]
    assert [page.flow.wagers for page in pages] == [2, 4, 0]
    for former, latter in itertools.pairwise(pages):
        assert former.closing == latter.opening
    assert [line.code for line in hours[1].claims] == ["claimed", "valued", "awarded"]
    assert hours[1].claims[-1].detail == "Confirmed by Ada."
    assert [line.persons for line in hours[2].acts] == [house.report().acts[0].persons]
    assert "Ann" in hours[2].acts[0].persons
    assert [line.detail for line in hours[2].alarms] == ["A forged envelope."]


def test_what_a_table_posts_late_changes_no_closed_report(house: House) -> None:
    house.tables[0].play(1, 1)
    house.passes(1)
    former = house.report(-1, 0)
    house.tables[1].second = -500  # stamped long before
    house.tables[1].play(1, 2)
    assert house.report(-1, 0).meters == former.meters
    assert house.report(0, 1).meters[0].flow.wagers == 1


def test_a_clock_that_is_set_back_moves_nothing_into_an_earlier_shift(house: House) -> None:
    house.tables[0].play(1, 1)
    house.passes(-5)
    house.tables[0].end(1, STAKE, accepted=1)
    house.tables[0].play(2, 1)
    assert house.report(-10, 5).meters[0].flow.wagers == 0
    assert [house.report(hour, hour + 1).meters[0].flow.wagers for hour in (5, 10)] == [1, 1]
    assert "was set back by 36000 s" in house.office.alerts(stamp(60))[0]


def test_at_least_the_last_twenty_five_hits_are_shown(house: House) -> None:
    for number in range(1, 31):
        (valued,) = house.tables[0].play(number, 1, claims=(claim(number, 1),))
        house.tables[0].confirm(number, f"{number}.1", valued.award_minor)
        house.tables[0].end(number, STAKE, valued.award_minor, 1)
    made = house.report()
    assert made.problems == ()
    assert [hit.number for hit in made.last_hits] == list(range(6, 31))
    assert len([line for line in made.claims if line.code == "awarded"]) == 30


def test_a_hit_is_one_record_with_its_hand_its_values_and_who_confirmed_it(house: House) -> None:
    play_an_evening(house)
    (record,) = house.report().last_hits
    assert (record.table, record.round, record.seat, record.rank) == ("T1", 3, 4, "royal_flush")
    assert record.cards == ("As", "Ks", "Qs", "Js", "Ts")
    assert (record.dealer, record.shoe) == (DEALER, SHOE)
    assert record.confirmed_by == "Ada"
    assert record.bets_minor == STAKE
    assert record.award_minor == record.value_micro // MICRO


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET amount = amount + 1 WHERE code = 'seed'",
        "UPDATE entries SET persons = '' WHERE code = 'adjusted'",
        "UPDATE standing SET value = replace(value, '\"display\":5', '\"display\":6') WHERE key = 'meter/major'",
        "UPDATE letters SET body = replace(body, '500', '600')",
        "DELETE FROM entries WHERE code = 'alarm'",
    ],
)
def test_a_ledger_that_was_changed_behind_the_controllers_back_is_named(house: House, change: str) -> None:
    play_an_evening(house)
    with contextlib.closing(sqlite3.connect(house.path)) as editor, editor:
        for table in KEPT:
            for guarded in ("UPDATE", "DELETE"):
                editor.execute(f"DROP TRIGGER {table}_refuse_{guarded}")
        assert editor.execute(change).rowcount
    with pytest.raises(LedgerError, match="behind the controller's back"):
        house.report()


def test_a_clock_that_jumps_ahead_hides_nothing_of_today(house: House) -> None:
    house.tables[0].play(1, 1)
    house.passes(24 * 365)
    house.tables[0].end(1, STAKE, accepted=1)
    house.passes(-24 * 365)
    house.tables[0].play(2, 1, 2)
    with contextlib.closing(open_for_reading(str(house.path))) as ledger:
        standing = standing_in(ledger, Procedure())
        today = Period(house.now_ns - HOUR_NS, house.now_ns + HOUR_NS, is_open=True)
        (page,) = report_of(ledger, standing, today).meters
    assert page.flow.wagers == 3


def test_a_day_that_was_closed_is_reported_by_its_closing_whatever_the_clock_said(house: House) -> None:
    house.tables[0].play(1, 1)
    house.office.close_period("2026-03-04")
    house.passes(-48)
    house.tables[0].play(2, 1, 2)
    house.office.close_period("2026-03-05")
    house.tables[0].play(3, 1)
    with contextlib.closing(open_for_reading(str(house.path))) as ledger:
        standing = standing_in(ledger, Procedure())
        pages = [
            report_of(ledger, standing, Period(0, 1, day=day, is_open=True)).meters[0]
            for day in ("2026-03-04", "2026-03-05", "2026-03-06")
        ]
    assert [page.flow.wagers for page in pages] == [1, 2, 1]
    for former, latter in itertools.pairwise(pages):
        assert former.closing == latter.opening


def test_a_reader_writes_nothing_and_leaves_the_controller_its_ledger(house: House) -> None:
    with contextlib.closing(open_for_reading(str(house.path))) as ledger:
        with pytest.raises(LedgerError, match="reading alone"):
            ledger.commit((), {})
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            ledger._execute("DELETE FROM standing")
        house.tables[0].play(1, 1)  # while the reader is at it
        assert not list(ledger.letters()), "a reader sees one instant"


def test_a_ledger_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="There is no jackpot ledger"):
        open_for_reading(str(tmp_path / "nothing"))
    assert not list(tmp_path.iterdir())


# --- on paper ------------------------------------------------------------------------------------------

Told = Callable[..., str]


@pytest.fixture
def told(house: House, capsys: pytest.CaptureFixture[str]) -> Told:
    play_an_evening(house)

    def ask(*words: str, status: int = 0) -> str:
        try:
            found = main(["jackpot", "report", *words, "--config", str(house.file)])
        except SystemExit as left:
            found = int(left.code or 0)
        assert found == status
        said = capsys.readouterr()
        return said.out if status == 0 else said.err

    return ask


def test_a_day_begins_with_its_first_shift_and_a_shift_is_named_by_its_number(told: Told) -> None:
    day: dict[str, Any] = json.loads(told("--day", "2026-03-04", "--json"))
    shift = json.loads(told("--shift", "2026-03-04/1", "--json"))
    after = json.loads(told("--shift", "2026-03-04/2", "--json"))
    assert day["adds_up"]
    assert day["meters"]["major"]["flow"]["wagers"] == shift["meters"]["major"]["flow"]["wagers"] == 6
    assert after["meters"]["major"]["flow"]["wagers"] == 0
    assert after["meters"]["major"]["opening"] == shift["meters"]["major"]["closing"]
    assert (shift["until_ns"] - shift["from_ns"], day["until_ns"] - day["from_ns"]) == (8 * HOUR_NS, 24 * HOUR_NS)
    assert json.loads(told("--from", "2026-03-04T06:00", "--to", "2026-03-04T14:00", "--json")) == shift


def test_the_same_figures_are_on_paper_in_rows_and_on_the_page(told: Told) -> None:
    text = told("--day", "2026-03-04")
    rows = list(csv.reader(io.StringIO(told("--day", "2026-03-04", "--csv"))))
    page = told("--day", "2026-03-04", "--html")
    for expected in ("Everything adds up.", "Confirmed by Ada.", "A forged envelope.", "a count by hand", "50000.00"):
        assert expected in text
        assert any(expected in cell for row in rows for cell in row)
        assert expected in page
    assert ["Meter major", "reserve"] in [row[:2] for row in rows]


def test_a_currency_without_minor_units_is_written_without_them(house: House, told: Told) -> None:
    house.file.write_text(f"[controller]\nminor_digits = 0\n{house.file.read_text()}")
    text = told("--day", "2026-03-04")
    assert str(RESET_MINOR) in text
    assert f"{RESET_MINOR // 100}.00" not in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "name one period: "),
        (("--day", "2026-03-04", "--shift"), "name one period: "),
        (("--day", "yesterday"), "'yesterday' is not a day"),
        (("--shift", "2026-03-04/9"), "is not a shift"),
        (("--from", "2026-03-05T00:00", "--to", "2026-03-04T00:00"), "not before --to"),
        (("--from", "soon"), "'soon' is not a time"),
    ],
)
def test_a_stretch_that_is_none_is_refused_in_one_sentence(told: Told, words: tuple[str, ...], sentence: str) -> None:
    said = told(*words, status=2)
    assert sentence in said
    assert said.count("\n") == 1


def test_amounts_are_exact_to_the_last_millionth_of_a_cent() -> None:
    assert money(123_45_000_001, 2) == "123.45000001"
    assert money(-1, 2) == "-0.00000001"
    assert money(5_000_000 * MICRO, 2) == "50000.00"
    assert money(5_000_000 * MICRO, 0) == "5000000"
    assert money(5_000_000 * MICRO + 1, 0) == "5000000.000001"
    assert money(1_234_567 * MICRO, 3) == "1234.567"
