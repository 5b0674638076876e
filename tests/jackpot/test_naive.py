"""Random histories against pencil and paper: to the micro-unit, whatever the order of deals, results, payments,
denials, stated awards and voids."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from felt.jackpot.books.terms import MeterTerms, OnHit, PartialWin
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_table import Contribution, DealtHand, RoundDealtLetter, RoundLockedLetter, RoundResultLetter
from felt.nouns.stamps import NS_PER_S, Stamp
from tests.jackpot.evening import MICRO, STAKE, Sender, claim
from tests.jackpot.naive import Bet, Paper, Win

TABLES, STEPS = 4, 60
SHARES = ((1, 1), (1, 4), (1, 10))


class History:
    """Tables whose one clock is the controller's, so that the order of deals is known to everybody."""

    def __init__(self, seed: int, terms: MeterTerms) -> None:
        self.chance = random.Random(seed)
        self.office = Office(MemoryLedger(), [terms])
        rate, reserve = terms.rate_bp - terms.reserve_bp, terms.reserve_bp
        self.paper = Paper(
            terms.reset_minor, Fraction(rate, 10_000), Fraction(reserve, 10_000), terms.partial_win_meter.value,
            terms.reserve_on_hit is OnHit.ADDED,
        )  # fmt: skip
        self.tables = [Sender(self.office, f"T{number}", at=Stamp("boot", 0, 0)) for number in range(TABLES)]
        self.number = [0] * TABLES
        self.bet_of: list[Bet | None] = [None] * TABLES  # of the latest round, if it is not void
        self.open: dict[tuple[str, str], Win] = {}
        self.now = 0

    def step(self) -> None:
        self.now += 1
        place = self.chance.randrange(TABLES)
        table, number = self.tables[place], self.number[place]
        bet = self.bet_of[place]
        mine = [(name, win) for (owner, name), win in self.open.items() if owner == table.table]
        if mine and self.chance.random() < 0.6:
            self.resolve(place, *self.chance.choice(mine))
        elif bet is not None and bet.heard is None:
            self.decide(place, bet)
        elif bet is not None and not mine and self.chance.random() < 0.2:
            played = next(one for one in self.office.standing.rounds[table.table] if one.number == number)
            if not played.paid_claims:
                table.void(number, after_result=True)
                bet.void, self.bet_of[place] = self.now, None
        elif not mine:
            self.number[place] += 1
            bet = self.bet_of[place] = Bet(self.now, STAKE)
            self.paper.bets.append(bet)
            at = Stamp("boot", self.now * NS_PER_S, 0)
            table.post(RoundLockedLetter(number + 1, at, (Contribution(1, STAKE),)))
            table.post(RoundDealtLetter(number + 1, at, (DealtHand(1, at.mono_ns),)))

    def decide(self, place: int, bet: Bet) -> None:
        table, number, deal = self.tables[place], self.number[place], bet.deal
        bet.heard = self.now
        share = self.chance.choice(SHARES) if self.chance.random() < 0.4 else None
        made = () if share is None else (claim(number, 1, *share, second=deal),)
        table.post(RoundResultLetter(number, Stamp("boot", self.now * NS_PER_S, 0), made))
        if share is not None:
            win = self.open[table.table, f"{number}.1"] = Win(deal, Fraction(*share), self.now)
            self.paper.wins.append(win)

    def resolve(self, place: int, name: str, win: Win) -> None:
        table, number = self.tables[place], self.number[place]
        (known,) = [one for one in self.office.standing.claims if (one.table, one.claim) == (table.table, name)]
        what = self.chance.random()
        if what < 0.3:
            table.deny(number, name)
        elif known.valuation is not None:
            win.award = known.valuation.award_minor
            table.confirm(number, name, win.award)
        elif what < 0.6:
            win.award, win.stated = self.chance.randrange(1, 900 * win.share.numerator // win.share.denominator), True
            table.confirm(number, name, win.award, registered=True)
        else:
            return
        win.end = self.now
        del self.open[table.table, name]

    def check(self) -> None:
        display, reserve, paid = self.paper.count()
        (meter,) = self.office.standing.meters
        assert Fraction(self.office.meters()["major"], MICRO) == display
        assert Fraction(meter.reserve, MICRO) == reserve
        assert [hit.award_minor for hit in self.office.standing.hits] == paid[-25:]


@pytest.mark.parametrize("partial", list(PartialWin))
@pytest.mark.parametrize("joins", list(OnHit))
def test_the_books_count_as_pencil_and_paper_do(partial: PartialWin, joins: OnHit, full: bool) -> None:
    terms = MeterTerms("major", 1_000, 700, 200, partial_win_meter=partial, reserve_on_hit=joins)
    for seed in range(500 if full else 8):
        history = History(seed, terms)
        for _ in range(STEPS):
            history.step()
            history.check()
        assert history.office.report().conserved, history.office.report().problem
