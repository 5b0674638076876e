"""What every ledger must do, whether it is a file or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.jackpot.ledger import Ledger, LedgerError, StoredLetter, SumKey
from felt.jackpot.meters import Account, Kind
from felt.jackpot.standing import Entry
from tests.jackpot.evening import open_ledger

LETTER = StoredLetter("T1", "n1", 1, "RoundLocked", "[]", 7, "ab")
GROWTH = Entry(Kind.COMMITTED, "T1", "n1", 4, "", "major", Account.DISPLAY, 15_000_000, 99, "")
AWARD = Entry(Kind.AWARDED, "T1", "n1", 4, "4.1", "major", Account.DISPLAY, -9_000_000, 100, "Confirmed by Ada.")
NOTE = Entry(Kind.NOTED, "T1", "n1", detail="naïve ☃")


@pytest.fixture(params=["memory", "sqlite"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    opened = open_ledger(request.param, tmp_path)
    yield opened
    opened.close()


def test_a_new_ledger_is_empty(ledger: Ledger) -> None:
    assert (ledger.rows(), list(ledger.entries()), list(ledger.letters()), ledger.sums()) == ({}, [], [], {})
    assert ledger.letter("T1", "n1", 1) is None


def test_what_was_committed_is_there_in_its_order(ledger: Ledger) -> None:
    ledger.commit([GROWTH, NOTE], {"meter/major": "1"}, LETTER)
    ledger.commit([AWARD], {})
    assert list(ledger.entries()) == [GROWTH, NOTE, AWARD]
    assert list(ledger.entries(Kind.NOTED)) == [NOTE]
    assert ledger.letter("T1", "n1", 1) == LETTER
    assert list(ledger.letters()) == [LETTER]


def test_rows_are_put_replaced_and_removed(ledger: Ledger) -> None:
    ledger.commit([], {"a": "1", "b": "1"})
    ledger.commit([], {"a": "2", "b": None, "never": None})
    assert ledger.rows() == {"a": "2"}


def test_sums_are_by_meter_kind_and_account_and_leave_notes_out(ledger: Ledger) -> None:
    ledger.commit([GROWTH, NOTE, AWARD], {})
    ledger.commit([GROWTH], {})
    assert ledger.sums() == {
        SumKey("major", Kind.COMMITTED, Account.DISPLAY): 30_000_000,
        SumKey("major", Kind.AWARDED, Account.DISPLAY): -9_000_000,
    }


def test_a_letter_is_stored_once_and_a_second_one_takes_nothing_with_it(ledger: Ledger) -> None:
    ledger.commit([], {}, LETTER)
    with pytest.raises(LedgerError, match="already"):
        ledger.commit([GROWTH], {"a": "1"}, LETTER._replace(body="[1]"))
    assert (list(ledger.entries()), ledger.rows()) == ([], {})
    assert ledger.letter("T1", "n1", 1) == LETTER


def test_after_a_commit_that_failed_nothing_more_is_accepted(ledger: Ledger) -> None:
    ledger.commit([], {}, LETTER)
    for letter in (LETTER, LETTER._replace(sequence=2)):
        with pytest.raises(LedgerError, match="Letter 1 of table T1"):
            ledger.commit([GROWTH], {}, letter)
    assert list(ledger.letters()) == [LETTER]


def test_letters_of_two_journals_do_not_meet(ledger: Ledger) -> None:
    other = LETTER._replace(nonce="n2")
    ledger.commit([], {}, LETTER)
    ledger.commit([], {}, other)
    assert ledger.letter("T1", "n2", 1) == other
    assert ledger.letter("T2", "n1", 1) is None
