"""A table is killed with SIGKILL at random moments, again and again, while people go on playing at it. It takes back
nothing that it has said, and loses or doubles no contribution, payout, card or round."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from felt.drivers.disk import FolderDisk
from felt.jackpot.books.terms import MeterTerms
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import SqliteLedger
from felt.journal.reading import audit, read_records
from tests.real.driver import Driver
from tests.real.tally import STAKE_MINOR, Tally

SEED = 20
KILLS, KILLS_FULL = 15, 200
RESET_MINOR, RATE_BP = 5_000_000, 2_000
MICRO_PER_MINOR = 1_000_000
MONEY = "('display', 'reserve', 'overflow', 'waiting')"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path: the name of a socket has a limit."""
    with tempfile.TemporaryDirectory(prefix="felt-kill-") as name:
        yield Path(name)


@pytest.mark.timeout(1200)
def test_a_table_killed_at_random_moments_takes_nothing_back_and_loses_no_money(folder: Path, full: bool) -> None:
    with contextlib.closing(Driver(folder, SEED)) as driver:
        for _ in range(KILLS_FULL if full else KILLS):
            driver.live_and_die()
        tally = driver.tally
        settled = tally.count("RoundEnded")
        driver.live_until(lambda: tally.count("RoundEnded") >= settled + 2 and tally.count("ClaimConfirmed") >= 1, 90)
    tally.check()
    _the_table_counts_the_same(tally)
    _the_ledger_counts_the_same(folder / "jackpot.ledger", tally)
    _the_office_finds_its_books_in_order(folder / "jackpot.ledger", tally)
    _every_card_was_taken_once(folder / "journal", driver)


def _the_table_counts_the_same(tally: Tally) -> None:
    counted = tally.where["tally"]
    assert counted["contributions_minor"] == tally.contributions_minor()
    assert counted["awards_minor"] == tally.awards_minor()
    assert counted["settled"] == tally.count("RoundEnded")
    assert counted["rounds"] == counted["settled"] + counted["voided"]


def _the_ledger_counts_the_same(path: Path, tally: Tally) -> None:
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as ledger:

        def total(account: str) -> int:
            query = f"SELECT IFNULL(SUM(micro), 0) FROM balances WHERE account IN {account}"
            return int(ledger.execute(query).fetchone()[0])

        kept = ledger.execute("SELECT sequence, kind, body FROM letters ORDER BY sequence").fetchall()
        assert kept == [(sequence, *letter) for sequence, letter in sorted(tally.letters.items())]
        assert ledger.execute("SELECT COUNT(*) FROM entries WHERE code = 'alarm'").fetchone() == (0,)
        counts = ledger.execute("SELECT SUM(stake_minor), SUM(wagers) FROM entries").fetchone()
        assert counts == (tally.contributions_minor(), tally.contributions_minor() // STAKE_MINOR)
        assert total("('winners')") == tally.awards_minor() * MICRO_PER_MINOR
        hits = ledger.execute("SELECT COUNT(*) FROM entries WHERE credit = 'winners'").fetchone()
        assert hits == (tally.count("ClaimConfirmed"),)
        assert total("('pending')") == 0
        seeds = ledger.execute("SELECT SUM(amount) FROM entries WHERE debit = 'house'")
        growth = tally.contributions_minor() * RATE_BP * MICRO_PER_MINOR // 10_000
        assert total(MONEY) == seeds.fetchone()[0] + growth - tally.awards_minor() * MICRO_PER_MINOR


def _the_office_finds_its_books_in_order(path: Path, tally: Tally) -> None:
    office = Office(SqliteLedger(path), (MeterTerms("major", RESET_MINOR, RATE_BP),))
    report = office.report()
    office.close()
    assert (report.conserved, report.problem) == (True, "")
    assert [meter.wins_minor for meter in report.meters] == [tally.awards_minor()]


def _every_card_was_taken_once(path: Path, driver: Driver) -> None:
    disk = FolderDisk(path)
    audit(disk)
    written: list[dict[str, Any]] = [json.loads(record.payload) for record in read_records(disk)]
    disk.close()
    assert [fact["card"] for fact in written if fact["is"] == "CardDealt"] == driver.cards
    assert not [fact for fact in written if fact["is"] == "StepFailed"]
