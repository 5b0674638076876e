"""Random histories against the second reading of the rules: to the micro-unit, after every letter and every act."""

from __future__ import annotations

import random
from typing import Any

from felt.jackpot.books import acts
from felt.jackpot.books.meter import shown_micro
from felt.jackpot.books.terms import (
    FractionalCent,
    IncrementTiming,
    MeterTerms,
    OnHit,
    PartialWin,
    SameLevelHits,
    VoidAfterAward,
)
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_table import (
    BetsReturnedLetter,
    Claim,
    Contribution,
    DealtHand,
    HitReportedLetter,
    RoundDealtLetter,
    RoundLockedLetter,
    RoundResultLetter,
)
from felt.nouns.stamps import NS_PER_S, Stamp
from tests.jackpot.evening import Sender, claim
from tests.jackpot.outside import MICRO, Claimed, Outside, Round, Rules, portion

TABLES, STEPS = 4, 80
SHARES = ((1, 1), (1, 1), (1, 4), (1, 10), (1, 3))
PERSONS = (acts.Person("Ada", "supervisor"), acts.Person("Bob", "shift_manager"))
ACCEPTED_MINOR = 7_777_777


def any_terms(chance: random.Random, name: str) -> MeterTerms:
    reset, rate = chance.choice((1_000, 1_333, 5_000)), chance.choice((0, 101, 700, 1_500))
    base = chance.choice((0, 0, 777, reset + 20))
    return MeterTerms(
        name, reset, rate, chance.randrange(rate + 1), chance.choice((0, 0, max(reset, base) + chance.randrange(120))),
        chance.choice(list(PartialWin)), chance.choice(list(OnHit)), chance.choice(list(OnHit)), base,
        fractional_cent=chance.choice(list(FractionalCent)), same_level_hits=chance.choice(list(SameLevelHits)),
        increment_timing=chance.choice(list(IncrementTiming)), void_after_award=chance.choice(list(VoidAfterAward)),
    )  # fmt: skip


def in_words(terms: MeterTerms) -> Rules:
    return Rules(
        terms.reset_minor, terms.rate_bp, terms.reserve_bp, terms.limit_minor, terms.base_minor,
        terms.partial_win_meter.value, terms.reserve_on_hit.value == "added_to_reset",
        terms.overflow_on_hit.value == "added_to_reset", terms.fractional_cent.value == "nearest",
        terms.same_level_hits.value == "split_equally", terms.increment_timing.value,
        terms.void_after_award.value == "take_back_what_is_left",
    )  # fmt: skip


class Table:
    """One table, with the journal that it keeps and the rounds that it can still speak of."""

    def __init__(self, place: int, office: Office) -> None:
        self.place, self.journals, self.number = place, 1, 0
        self.sender = Sender(office, f"T{place}", "n1", at=Stamp("boot", 0, 0))
        self.round: Round | None = None  # the latest, until it is void

    def begin_journal(self, office: Office) -> None:
        self.journals, self.number = self.journals + 1, 0
        self.sender = Sender(office, f"T{self.place}", f"n{self.journals}", at=Stamp("boot", 0, 0))


class History:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.ledger = MemoryLedger()
        self.terms = [any_terms(self.chance, name) for name in ("major", "minor")]
        self.office = Office(self.ledger, self.terms)
        self.outside = Outside({terms.name: in_words(terms) for terms in self.terms})
        self.tables = [Table(place, self.office) for place in range(TABLES)]
        self.named: dict[int, tuple[str, str, int]] = {}  # by deal: table, journal and number of a round
        self.now = 0

    @property
    def at(self) -> Stamp:
        return Stamp("boot", self.now * NS_PER_S, 0)

    def step(self) -> None:
        self.now += 1
        table, lot = self.chance.choice(self.tables), self.chance.random()
        if lot < 0.14:
            self.act()
        elif lot < 0.17:
            self.restart()
        elif table.round is None or (not table.round.pending and not self.open_of(table) and lot < 0.6):
            self.lock(table)
        elif not table.round.dealt and lot < 0.9:
            self.deal(table, table.round)
        elif table.round.pending and lot < 0.9:
            self.decide(table, table.round)
        elif self.open_of(table) and lot < 0.85:
            self.resolve(table, self.chance.choice(self.open_of(table)))
        else:
            self.put_right(table, table.round)

    def open_of(self, table: Table) -> list[Claimed]:
        mine = [one for one in self.outside.claims if one.round is table.round]
        return [one for one in mine if one.stated is None]

    # --- letters -------------------------------------------------------------------------------------

    def lock(self, table: Table) -> None:
        begins = table.journals < 4 and table.number > 0 and self.chance.random() < 0.1
        if begins:
            table.begin_journal(self.office)
        table.number += 1
        seats = tuple(self.chance.sample(range(1, 8), self.chance.randrange(4)))
        played = table.round = Round(table.place, 0, {seat: self.chance.randrange(1, 999) for seat in seats}, seats)
        bets = tuple(Contribution(*bet) for bet in played.bets.items())
        table.sender.post(RoundLockedLetter(table.number, self.at, bets))
        if begins:
            for other in self.outside.rounds:
                other.left = other.left or other.table == table.place
        self.outside.lock(played)
        if begins:
            self.outside.look()

    def deal(self, table: Table, played: Round) -> None:
        played.deal, played.dealt = self.now, True
        self.named[self.now] = (table.sender.table, table.sender.nonce, table.number)
        hands = tuple(DealtHand(seat, self.at.mono_ns) for seat in played.seats)
        table.sender.post(RoundDealtLetter(table.number, self.at, hands))

    def decide(self, table: Table, played: Round) -> None:
        if self.chance.random() < 0.1:
            self.outside.void(played)
            table.sender.void(table.number)
            table.round = None
            return
        returned = tuple(seat for seat in played.bets if self.chance.random() < 0.1)
        winners = [seat for seat in played.bets if seat not in returned and self.chance.random() < 0.35]
        claims = [self.any_claim(played, seat) for seat in winners]
        made = tuple(self.as_letter(table, one) for one in claims)
        table.sender.post(RoundResultLetter(table.number, self.at, made, returned))
        self.outside.decide(played, returned, claims)

    def any_claim(self, played: Round, seat: int) -> Claimed:
        return Claimed(played, seat, self.chance.choice(("major", "major", "minor")), *self.chance.choice(SHARES))

    def as_letter(self, table: Table, one: Claimed) -> Claim:
        return claim(table.number, one.seat, one.num, one.den, level=one.meter, second=one.round.deal)

    def resolve(self, table: Table, one: Claimed) -> None:
        name, lot = f"{table.number}.{one.seat}", self.chance.random()
        if lot < 0.25:
            table.sender.deny(table.number, name)
            self.outside.deny(one)
        elif lot < 0.45:
            self.state(table, one, name)
        elif one.award is not None:
            table.sender.confirm(table.number, name, one.award)
            self.outside.confirm(one)

    def state(self, table: Table, one: Claimed, name: str) -> None:
        rules = self.outside.meters[one.meter].rules
        award = self.chance.randrange(portion(rules.reset * MICRO, one.num, one.den, nearest=False) + 1)
        if self.chance.random() < 0.1:
            award = ACCEPTED_MINOR
            self.do(acts.AcceptStatedAward(acts.ClaimName(table.sender.table, name, table.sender.nonce), award))
        table.sender.confirm(table.number, name, award, registered=True)
        self.outside.state(one, award)

    def put_right(self, table: Table, played: Round) -> None:
        """A void or bets that go back after the result, or a hit that only persons saw."""
        if played.pending or table.round is None:
            return
        claimed = [one.seat for one in self.outside.claims if one.round is played]
        free = [seat for seat in played.bets if seat not in claimed and seat not in played.paid]
        lot = self.chance.random()
        if lot < 0.4 and not played.paid:
            table.sender.void(table.number, after_result=True)
            self.outside.void(played)
            table.round = None
        elif lot < 0.7 and free:
            seats = tuple(self.chance.sample(free, self.chance.randrange(1, len(free) + 1)))
            table.sender.post(BetsReturnedLetter(table.number, seats, "5.15", "Ada", self.at))
            self.outside.give_back(played, seats)
        elif free:
            one = self.any_claim(played, self.chance.choice(free))
            letter = HitReportedLetter(table.number, self.as_letter(table, one), "Kim", "Ada", "seen by all", self.at)
            table.sender.post(letter)
            self.outside.report(one)

    # --- persons -------------------------------------------------------------------------------------

    def do(self, act: acts.Act) -> None:
        self.office.act(act, PERSONS, "as the plan has it", self.at)

    def act(self) -> None:
        name = self.chance.choice(("major", "minor"))
        meter = self.outside.meters[name]
        is_claimed = any(one.meter == name for one in self.outside.claims)
        match self.chance.randrange(5):
            case 0 if not is_claimed:
                self.adjust(name)
            case 1:
                terms = any_terms(self.chance, name)
                if terms != self.office.standing.meters[name == "minor"].terms:
                    self.do(acts.ChangeTerms(terms))
                    meter.agreed = in_words(terms)
            case 2 if not is_claimed and not meter.stake:
                self.do(acts.ClearMeter(name))
                self.outside.clear(name)
            case 3:
                self.correct()
            case 4:
                self.settle_what_was_left()

    def adjust(self, name: str) -> None:
        meter, purse = self.outside.meters[name], self.chance.choice(list(acts.Purse))
        held: int = getattr(meter, purse.value)
        most = meter.rules.limit * MICRO - held if meter.rules.limit and purse is acts.Purse.DISPLAY else 40 * MICRO
        least = -min(held, 300 * MICRO)
        if most <= least:
            return
        micro = self.chance.randrange(least, most + 1)
        if micro:
            self.do(acts.AdjustMeter(name, purse, micro, acts.Adjustment.DOCUMENTED))
            self.outside.adjust(name, purse.value, micro)

    def correct(self) -> None:
        found = [one for one in self.outside.claims if one.boxes <= 1 and one.stated is None]
        if not found:
            return
        one, share = self.chance.choice(found), self.chance.choice(SHARES)
        name = one.meter if one.value is not None else self.chance.choice(("major", "minor"))
        if (name, *share) != (one.meter, one.num, one.den):
            self.do(acts.CorrectClaim(self.name_of(one), name, *share))
            self.outside.correct(one, name, *share)

    def name_of(self, one: Claimed) -> acts.ClaimName:
        table, nonce, number = self.named[one.round.deal]
        return acts.ClaimName(table, f"{number}.{one.seat}", nonce)

    def settle_what_was_left(self) -> None:
        claims = [one for one in self.outside.claims if one.round.left and one.stated is None]
        rounds = [played for played in self.outside.rounds if played.left and played.pending and played.dealt]
        if claims:
            one = self.chance.choice(claims)
            pays = one.value is not None and self.chance.random() < 0.5
            self.do(acts.SettleAbandonedClaim(self.name_of(one), pays))
            (self.outside.confirm if pays else self.outside.deny)(one)
        elif rounds:
            played = self.chance.choice(rounds)
            table, nonce, number = self.named[played.deal]
            self.do(acts.DropPending(table, nonce, number))
            self.outside.void(played)

    def restart(self) -> None:
        """A controller whose file still says the first terms. Sometimes a day is over."""
        if self.chance.random() < 0.3:
            self.office.close_period(f"day {self.now}")
        self.office = Office(self.ledger, self.terms)
        for table in self.tables:
            table.sender.office = self.office

    # --- comparing -----------------------------------------------------------------------------------

    def check(self) -> None:
        for known in self.office.standing.meters:
            account = self.outside.meters[known.name]
            wanted: dict[str, Any] = {name: getattr(account, name) for name in ACCOUNTS}
            assert {name: getattr(known, name) for name in ACCOUNTS} == wanted, known.name
            assert shown_micro(known) == account.shown
            assert known.pending_stake == account.stake
        told = {
            (claim.table, claim.nonce, claim.claim): (claim.valuation.value_micro, claim.valuation.award_minor)
            for claim in self.office.standing.claims
            if claim.valuation is not None
        }
        names = [(one, self.name_of(one)) for one in self.outside.claims if one.value is not None]
        assert told == {(name.table, name.nonce, name.claim): (one.value, one.award) for one, name in names}


ACCOUNTS = ("players", "pending", "waiting", "display", "reserve", "overflow", "winners", "house")


def play(seed: int) -> History:
    history = History(seed)
    for _ in range(STEPS):
        history.step()
        history.check()
    return history


def test_the_books_count_as_the_second_reading_does(full: bool) -> None:
    """At full size twenty thousand histories."""
    for seed in range(20_000 if full else 250):
        history = play(seed)
        report = history.office.report()
        assert report.conserved, f"seed {seed}: {report.problem}"
        assert history.ledger.broken_chain(whole=True) == "", f"seed {seed}"
