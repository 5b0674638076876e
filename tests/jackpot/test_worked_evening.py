"""The evening that firmware/JACKPOT.md works through, played: each transfer and the sign, line by line."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path

from felt.jackpot.books.accounts import Entry
from felt.jackpot.books.acts import Act, Adjustment, AdjustMeter, ChangeTerms, ClearMeter, Person, Purse
from felt.jackpot.books.terms import MeterTerms, OnHit
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_table import BetsReturnedLetter
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from tests.jackpot.evening import MICRO, Sender, claim

PAGE = Path(__file__).parents[2] / "firmware" / "JACKPOT.md"
PERSONS = (Person("Ann", "supervisor"), Person("Bob", "shift_manager"))
TERMS = MeterTerms("major", 100_000, 1_000, 200, reserve_on_hit=OnHit.ADDED)


def lines_of_the_page() -> list[tuple[str, str]]:
    """Transfers and the sign, of each row."""
    _, _, table = PAGE.read_text(encoding="utf-8").partition("| what happens | transfers | the sign |\n")
    rows = [line.strip("|").split("|") for line in table.partition("\n\n")[0].splitlines()[1:]]
    return [(transfers.strip(), sign.strip()) for _, transfers, sign in rows]


def money(micro: int) -> str:
    assert micro % (MICRO // 100) == 0
    return f"{micro / MICRO / 100:.2f}"


def in_words(entries: list[Entry]) -> str:
    moved = [entry for entry in entries if entry.debit is not None and entry.amount]
    return "; ".join(
        f"{code} " + ", ".join(f"{money(entry.amount)} {entry.debit} → {entry.credit}" for entry in same)
        for code, same in groupby(moved, lambda entry: entry.code.value)
    )


class Evening:
    def __init__(self) -> None:
        self.ledger = MemoryLedger()
        self.office = Office(self.ledger, [TERMS])
        self.first, self.second, self.third = (
            Sender(self.office, f"T{number}", at=Stamp("boot", 0, 0), second=100 * number) for number in (1, 2, 3)
        )
        self.number = 0  # of the latest entry that was told

    def happens(self, what: Callable[[], object]) -> tuple[str, str]:
        what()
        entries = list(self.ledger.entries(after=self.number))
        self.number += len(entries)
        return in_words(entries), money(self.office.meters()["major"])


def test_the_worked_evening_is_what_the_books_make_of_it() -> None:
    evening = Evening()
    first, second, third = evening.first, evening.second, evening.third

    def locks_and_deals() -> None:
        second.second = 200
        second.lock(1, 1, stake=1_000)
        second.deal(1, 1)

    def hits_the_whole() -> None:
        first.second = 300
        first.play(2, 1, stake=1_000, claims=(claim(2, 1, second=302),))

    def plays_later() -> None:
        third.second = 400
        third.play(1, 1, stake=1_000)

    def hits_a_quarter() -> None:
        second.second = 350
        second.play(2, 1, stake=1_000, claims=(claim(2, 1, 1, 4, second=352),))

    def is_void_before_its_result() -> None:
        first.lock(3, 1, stake=2_000)
        first.void(3)

    def plays_two_boxes() -> None:
        first.second = 500
        first.play(4, 1, 2, stake=1_000)

    def gives_the_bet_of_a_box_back() -> None:
        first.post(BetsReturnedLetter(4, (2,), "5.15", "Ada", first.now()))

    def hits_while_another_plays() -> None:
        second.second, third.second = 600, 700
        second.play(3, 1, stake=1_000, claims=(claim(3, 1, second=602),))
        third.play(2, 1, stake=1_000)

    def wins_half_of_it() -> None:
        second.second = 900
        (valued,) = second.play(4, 1, stake=1_000, claims=(claim(4, 1, 1, 2, second=902),))
        second.confirm(4, "4.1", valued.award_minor)

    def does(act: Act) -> Callable[[], object]:
        return lambda: evening.office.act(act, PERSONS, "as agreed", Stamp("boot", 0, 0))

    told = [
        evening.happens(lambda: None),
        evening.happens(lambda: first.play(1, 1, stake=2_000)),
        evening.happens(locks_and_deals),
        evening.happens(hits_the_whole),
        evening.happens(plays_later),
        evening.happens(lambda: second.decide(1)),
        evening.happens(hits_a_quarter),
        evening.happens(lambda: first.confirm(2, "2.1", 100_320)),
        evening.happens(lambda: second.confirm(2, "2.1", 20_000, registered=True)),
        evening.happens(lambda: third.void(1, after_result=True)),
        evening.happens(is_void_before_its_result),
        evening.happens(plays_two_boxes),
        evening.happens(gives_the_bet_of_a_box_back),
        evening.happens(hits_while_another_plays),
        evening.happens(lambda: second.deny(3, "3.1")),
        evening.happens(does(AdjustMeter("major", Purse.DISPLAY, 100 * MICRO, Adjustment.DOCUMENTED))),
        evening.happens(does(ChangeTerms(replace(TERMS, reset_minor=50_000, limit_minor=60_000)))),
        evening.happens(does(ClearMeter("major"))),
        evening.happens(lambda: first.play(5, 1, stake=200_000)),
        evening.happens(wins_half_of_it),
    ]
    assert told == lines_of_the_page()
    assert evening.office.report().conserved
