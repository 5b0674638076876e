"""The fleet's own tally of awards, on a shuffled evening: it holds, and it notices what is wrong."""

from __future__ import annotations

from functools import cache

import pytest

from felt.jackpot.meters import AWARDS, Account, Kind
from felt.jackpot.next_cycle import BEFORE_A_CLAIM
from felt.jackpot.standing import Entry
from tests.real.fleet_awards import Purse, check_awards
from tests.real.fleet_outbox import TableBook
from tests.real.fleet_plan import LEVELS, Link, Paid, meter_name, plan_of
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
    assert paid == sum(one.award_minor for book in books.values() for one in book.awards.values()) > 0
    assert any(entry.kind is Kind.ALARM for entry in entries), "some of the hits only persons saw"


def test_rounds_of_a_table_that_played_on_for_long_come_in_as_one() -> None:
    evening = ShuffledEvening(seed := 1, TABLES, ROUNDS, slow=3)
    evening.play()
    entries = list(evening.ledger.entries())
    assert check_awards(entries, seed, ROUNDS, evening.books) > 0
    assert any(_is_joined(entry, seed) for entry in entries), "no table played on for so long"


def _is_joined(entry: Entry, seed: int) -> bool:
    """What comes in in the name of one round is more than that round has raised the meter by."""
    if (entry.kind, entry.account, entry.detail) != (Kind.FOLDED, Account.BUCKET, BEFORE_A_CLAIM):
        return False
    level = next(level for level in LEVELS if entry.meter == meter_name(Link.HOT, level))
    return -entry.amount > Purse(level).growth_of(plan_of(seed, entry.table, entry.round).accepted())


@pytest.mark.parametrize("wrong", [(Kind.VALUED, None), (Kind.COMMITTED, Account.DISPLAY)])
def test_a_value_or_a_contribution_that_is_a_millionth_too_much_is_named(wrong: tuple[Kind, Account | None]) -> None:
    entries, books = _played()
    place = next(place for place, entry in enumerate(entries) if (entry.kind, entry.account) == wrong)
    other = entries[place]._replace(amount=entries[place].amount + 1)
    with pytest.raises(AssertionError, match="the ledger says"):
        check_awards([*entries[:place], other, *entries[place + 1 :]], SEED, ROUNDS, books)


def test_an_award_that_is_a_cent_too_much_or_paid_twice_is_named() -> None:
    entries, books = _played()
    table, claim, paid = next((table, claim, one) for table in books for claim, one in books[table].awards.items())
    books[table].awards[claim] = Paid(paid.level, paid.award_minor + 1)
    with pytest.raises(AssertionError, match="paid Paid"):
        check_awards(entries, SEED, ROUNDS, books)
    books[table].awards[claim] = paid
    hit = next(entry for entry in entries if entry.kind in AWARDS and entry.account is Account.HITS)
    with pytest.raises(AssertionError, match="paid twice"):
        check_awards([*entries, hit], SEED, ROUNDS, books)
