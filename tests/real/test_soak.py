"""A storm of real parts: tables, controller, broker and database are processes, and all of them are killed. The
checkers of the storm and the laws of the model judge what is really on the disks, at each death and at the end."""

from __future__ import annotations

import sys

import pytest

from felt.journal.record import JournalDamaged
from felt.nouns.values import replace
from tests.real import postgres
from tests.real.fleet_house import Say
from tests.real.soak import Size, soak
from tests.real.soak_books import SoakBooks
from tests.real.soak_table import SoakTable
from tests.storm.purse import Violation

SAMPLE = Size(tables=2, seconds=3, kills=4)
FULL = Size(tables=4, seconds=600, kills=120)
SEED = 1


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], full: bool) -> Say:
    def speak(sentence: str) -> None:
        if full:
            with capsys.disabled():
                print(f"\nsoak: {sentence}", end="", file=sys.stderr, flush=True)

    return speak


@pytest.mark.timeout(1200)
def test_real_parts_that_are_killed_obey_the_laws_of_a_storm(say: Say, full: bool) -> None:
    if not postgres.is_installed():
        pytest.fail("PostgreSQL is not installed: apt install postgresql", pytrace=False)
    with soak(SEED, FULL if full else SAMPLE, on_postgresql=True, say=say) as made:
        outcome = made.play()
        say(str(outcome))
        assert {kind.partition(",")[0] for kind in outcome.kills} == {"tables", "controller", "broker", "database"}
        assert outcome.rounds >= len(made.tables)
        assert outcome.facts > outcome.letters > 0
        _a_forgotten_turn_is_found(made.tables[0])
        _a_letter_counted_twice_is_found(made.books)
        _a_micro_unit_too_much_is_found(made.books)
        _a_result_that_was_not_counted_is_found(made.books)


def _a_forgotten_turn_is_found(table: SoakTable) -> None:
    """The turn is cut off the end of the journal that the table was heard to write."""
    path = max(table.disk.folder.glob("journal-*.felt"))
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    with pytest.raises((Violation, JournalDamaged)):
        table.look()
    path.write_bytes(whole)
    table.look()


def _a_letter_counted_twice_is_found(books: SoakBooks) -> None:
    last = books.letters.pop()
    with pytest.raises(Violation, match="was counted as its"):
        books.look()
    assert books.letters[-1] == last


def _a_micro_unit_too_much_is_found(books: SoakBooks) -> None:
    books.link.purses["major"].display += 1
    with pytest.raises(Violation, match="the tally is"):
        books.look()
    books.link.purses["major"].display -= 1


def _a_result_that_was_not_counted_is_found(books: SoakBooks) -> None:
    books.look()
    known = books.letters[0]
    books.letters.append(replace(known, kind="RoundLocked", body='{"round": 1000000, "contributions": [[1, 500]]}'))
    books.letters.append(replace(known, kind="RoundResult", body='{"round": 1000000, "claims": [], "returned": []}'))
    with pytest.raises(Violation, match="committed exactly once"):
        books.look()
