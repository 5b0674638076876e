"""The fleet's own tally of awards, on a shuffled evening: it holds, and it notices what is wrong."""

from __future__ import annotations

from functools import cache

import pytest

from felt.jackpot.books.accounts import AWARDS, Account, Code, Entry
from felt.nouns.values import replace
from tests.real.fleet_awards import check_awards
from tests.real.fleet_outbox import TableBook
from tests.real.fleet_plan import Paid
from tests.real.fleet_shuffle import ShuffledEvening

SEED, TABLES, ROUNDS = 5, 5, 30


@cache
def _played() -> tuple[tuple[Entry, ...], dict[str, TableBook]]:
    evening = ShuffledEvening(SEED, TABLES, ROUNDS)
    evening.play()
    return tuple(evening.ledger.entries()), evening.books


def test_every_award_is_what_the_plans_make_of_the_meter() -> None:
    entries, books = _played()
    paid = check_awards(entries, SEED, ROUNDS, books)
    assert paid == sum(award.award_minor for book in books.values() for award in book.awards.values()) > 0
    assert any(entry.code is Code.ALARM for entry in entries), "some of the hits only persons saw"


def test_a_table_that_played_on_for_long_has_each_of_its_rounds_behind_a_claim() -> None:
    evening = ShuffledEvening(seed := 1, TABLES, ROUNDS, slow=3)
    evening.play()
    entries = list(evening.ledger.entries())
    assert check_awards(entries, seed, ROUNDS, evening.books) > 0
    assert any(entry.code is Code.MOVED_UP for entry in entries)


@pytest.mark.parametrize("wrong", [(Code.VALUED, None), (Code.COMMITTED, Account.DISPLAY)])
def test_a_value_or_a_contribution_that_is_a_millionth_too_much_is_named(wrong: tuple[Code, Account | None]) -> None:
    entries, books = _played()
    place = next(place for place, entry in enumerate(entries) if (entry.code, entry.credit) == wrong)
    other = replace(entries[place], amount=entries[place].amount + 1)
    with pytest.raises(AssertionError, match="the ledger says"):
        check_awards([*entries[:place], other, *entries[place + 1 :]], SEED, ROUNDS, books)


def test_an_award_that_is_a_cent_too_much_or_paid_twice_is_named() -> None:
    entries, books = _played()
    table, claim, paid = next((table, claim, award) for table in books for claim, award in books[table].awards.items())
    books[table].awards[claim] = Paid(paid.level, paid.award_minor + 1)
    with pytest.raises(AssertionError, match="paid Paid"):
        check_awards(entries, SEED, ROUNDS, books)
    books[table].awards[claim] = paid
    hit = next(entry for entry in entries if entry.code in AWARDS)
    with pytest.raises(AssertionError, match="paid twice"):
        check_awards([*entries, hit], SEED, ROUNDS, books)
