"""A year at one table without a disk or a clock: every fact goes through the production core, every letter to the
production jackpot office, every hand is settled by its rulebook. What each bet did is counted beside what the exact
odds expect of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import permutations
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from felt.config import load
from felt.config.loading import demo_table
from felt.config.terms import terms_of
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Acked, Valued
from felt.letters.from_table import Posted
from felt.nouns.cards import DECK, INDEX_OF, Card
from felt.nouns.ids import Spot, spot_of
from felt.nouns.money import MICRO_PER_MINOR
from felt.nouns.stamps import NS_PER_MS, NS_PER_S, Stamp
from felt.odds.exact import Wager
from felt.odds.kinds import Enumerated
from felt.odds.progressive import levels
from felt.odds.settled import OF_THE_ANTE
from felt.odds.wagers import OPEN_CARD_GAMES, OPTIMAL_OPEN_CARD, QUEEN_SIX_FOUR, Game
from felt.rules import shelf
from felt.rules.hands import three_card_rank
from felt.rules.rulebook import Line
from felt.table import deal, facts, invariants, settle, views
from felt.table.facts import Fact
from felt.table.machine import Stepper
from felt.table.state import Phase, Table
from felt.virtual.clock import VirtualClock
from felt.wire import jackpot
from felt.wiring import devices, table_settings

ROUNDS_A_YEAR = 365 * 16 * 40  # forty rounds an hour for sixteen hours a day
BOXES = 3
ROUND_NS = 90 * NS_PER_S
PERSON = "Sam"
LEAST_PLAYED = three_card_rank(*(INDEX_OF[Card(card)] for card in ("Qs", "6h", "4d")))
# Coin spots alone are sensed: every other bet is keyed with its amount. Nobody says which community card is discarded.
KEYED = ('board.sensed=["progressive"]', 'table.antes="keyed"')
OVERRIDES = {
    "progressive-3-card-poker": KEYED,
    "multi-link-3-card-poker": (*KEYED, 'game.readings={community_discard="last"}'),
    "california-three-card-poker": KEYED,
    "stax-three-card": KEYED[:1],
    "lucky-three-pictures": ("board.sensed=[]",),
}


class Counted(NamedTuple):
    """What bets of one kind did, and what was to be expected of them."""

    wager: str
    bets: int
    returned: float  # of the stakes, awards of meters included
    expected: float
    error: float  # standard, of the return
    hits: float
    expected_hits: float
    hits_error: float

    @property
    def off_by(self) -> float:
        return (self.returned - self.expected) / self.error

    @property
    def hits_off_by(self) -> float:
        return (self.hits - self.expected_hits) / self.hits_error

    def told(self) -> str:
        return (
            f"{self.wager:16} {self.bets:>9,} bets  returned {self.returned:9.4%} of {self.expected:9.4%} "
            f"({self.off_by:+.2f} errors)  hits {self.hits:8.4%} of {self.expected_hits:8.4%} "
            f"({self.hits_off_by:+.2f} errors)"
        )


class Tally:
    """The bets of one wager. Boxes of one round share a dealer, so the error is taken from round to round, and never
    smaller than that of bets which know nothing of each other."""

    def __init__(self, wager: Wager) -> None:
        self.wager = wager
        self.bets = 0
        self.expected = 0.0
        self.levels = {level.meter: float(level.coefficient) for level in levels(wager)}
        nothing = dict.fromkeys(self.levels, 0)
        self._fixed = float(1 + wager.net(nothing))
        self._nets: list[tuple[float, float]] = []  # of each round: what came beyond expectation, and hits beyond it
        self._hits = 0
        self._hit_rate = float(wager.hit_rate(nothing)) if not self.levels else None

    def expect(self, returned: float) -> None:
        """Something else than the exact odds say, for a test of the test."""
        self._fixed = returned

    def round_over(self, results: list[tuple[float, bool]], meters: Mapping[str, int]) -> None:
        """`results` are what each bet won in stakes (its own stake lost: -1), and whether that was a win."""
        if not results:
            return
        each = self._fixed
        for meter, share in self.levels.items():
            each += share * meters[meter] / MICRO_PER_MINOR / self.wager.stake_minor
        if self._hit_rate is None:
            minor = {meter: Fraction(meters[meter], MICRO_PER_MINOR) for meter in self.levels}
            self._hit_rate = float(self.wager.hit_rate(minor))
        count = len(results)
        won = sum(net + 1 for net, _ in results)
        hits = sum(hit for _, hit in results)
        self.bets += count
        self.expected += each * count
        self._hits += hits
        self._nets.append((won - each * count, hits - self._hit_rate * count))

    def counted(self, meters: Mapping[str, Fraction]) -> Counted:
        beyond = np.array(self._nets)
        alone = sqrt(float(self.wager.variance(meters)) * self.bets)
        assert self._hit_rate is not None
        hits_alone = sqrt(self._hit_rate * (1 - self._hit_rate) * self.bets)
        error, hits_error = (
            max(sqrt(float((column**2).sum())), least)
            for column, least in zip(beyond.T, (alone, hits_alone), strict=True)
        )
        expected, returned = self.expected / self.bets, (self.expected + float(beyond[:, 0].sum())) / self.bets
        return Counted(
            self.wager.name, self.bets, returned, expected, error / self.bets, self._hits / self.bets,
            self._hit_rate, hits_error / self.bets,
        )  # fmt: skip


class Year:
    def __init__(self, game: str, counted: Enumerated, seed: int) -> None:
        config = load(demo_table(game), OVERRIDES[game])
        self.book = shelf.rulebook(game)
        self.terms = terms_of(config)
        self.chance = random.Random(seed)
        self.table = Table()
        self.rounds = 0
        self.letters = 0
        self.awards: dict[str, int] = dict.fromkeys(self.book.meters, 0)  # minor units paid from each meter
        self.hits: dict[str, int] = dict.fromkeys(self.book.meters, 0)
        self.seeds = dict.fromkeys(self.book.meters, 0)  # whole hits, after each of which the house seeds anew
        self.stakes = 0  # on the progressive, minor units
        self.office = Office(MemoryLedger(), table_settings.meter_terms_of(config))
        self.begun = dict(self.office.meters())
        self._stepper = Stepper()
        self._now_ns = NS_PER_S
        self._told = 0
        self._coin = next((wager.name for wager in self.book.wagers if wager.coin_spot), "")
        self._keyed = {
            limit.bet: limit.minimum for limit in self.terms.limits if limit.bet not in ("play", self._coin)
        }
        for wager in self.book.wagers:
            if wager.name not in (self._coin, "play"):
                self._keyed.setdefault(wager.name, 500)
        self._game = Game(self.book, self.terms, counted)
        self.tallies = {wager.name: Tally(wager) for wager in self._wagers()}
        self._is_played = self._strategy(counted)
        board = devices.virtual_board(config, VirtualClock())
        self._do(facts.EraOpened, nonce="00c0ffee", firmware="0", handover={})
        self._do(facts.Configured, settings=table_settings.settings_of(config, board.lines()), digest="0" * 64)
        self._do(facts.Booted, firmware="0", levels=tuple((spot.spot, False) for spot in self.table.spots))
        self._do(facts.LinkFound)
        self._do(facts.ShufflerFound)
        self._do(facts.TableOpened, person=PERSON)

    def _wagers(self) -> list[Wager]:
        """One for each bet that lies on the table, under the strategy that is played here."""
        letters = dict(self.terms.pay_letters)
        chosen: dict[str, Wager] = {}
        strategy = OPTIMAL_OPEN_CARD if self.book.id in OPEN_CARD_GAMES else QUEEN_SIX_FOUR
        for wager in self._game.wagers(2_500, dict(self.terms.resets)):
            in_force = wager.pay_table in ("", letters.get(wager.name))
            asked = wager.strategy.startswith(strategy) if wager.name == "ante" else wager.name not in chosen
            if in_force and asked:
                chosen[wager.name] = wager  # of a forfeited bet the first: it follows the Ante's best strategy
        return list(chosen.values())

    def _strategy(self, counted: Enumerated) -> Callable[[tuple[Card, ...], Card], bool]:
        if self.book.id not in OPEN_CARD_GAMES:
            return lambda cards, _: three_card_rank(*(INDEX_OF[card] for card in cards)) >= LEAST_PLAYED
        bets = self._game.bets
        assert bets is not None
        keys = zip(bets.hands.tolist(), bets.cards.tolist(), strict=True)
        best = dict(zip(keys, bets.best().tolist(), strict=True))

        def is_played(cards: tuple[Card, ...], open_card: Card) -> bool:
            smallest, card = _in_the_suits_of_its_class([INDEX_OF[own] for own in cards], INDEX_OF[open_card])
            played: bool = best[counted.hands.place[smallest], card]
            return played

        return is_played

    # --- the core and its office ---------------------------------------------------------------------------

    def _do(self, kind: type[Fact], **fields: Any) -> None:
        self._step(kind(self._stamp(), **fields))
        self._post()

    def _step(self, fact: Fact) -> None:
        before = self.table
        self.table = self._stepper.after(before, fact)
        invariants.check(self.table, before)
        self._told += 1

    def _stamp(self) -> Stamp:
        self._now_ns += NS_PER_MS
        return Stamp("00000001", self._now_ns, 1_800_000_000 * NS_PER_S + self._now_ns)

    def _post(self) -> None:
        settings = self.table.settings
        while settings is not None and (waiting := views.mail(self.table)):
            mail = waiting[0]
            self.letters += 1
            head = (self._told, f"{self._told:064x}")
            posted = Posted(settings.table_id, self.table.nonce, mail.sequence, mail.kind, mail.body, *head)
            heard = [jackpot.decode(data) for data in self.office.receive(jackpot.encode(posted), self._stamp())]
            assert any(isinstance(answer, Acked) for answer in heard), heard
            for answer in heard:
                self._hear(answer)

    def _hear(self, answer: object) -> None:
        if isinstance(answer, Acked):
            self._step(facts.LetterAcked(self._stamp(), answer.sequence))
        elif isinstance(answer, Valued):
            share = (answer.level, answer.share_num, answer.share_den)
            worth = (answer.claim, answer.value_micro, answer.award_minor)
            self._step(facts.ClaimValued(self._stamp(), *worth, *share))
        else:
            raise AssertionError(f"the office answers {answer}")

    # --- a round -------------------------------------------------------------------------------------------

    def play_round(self) -> None:
        self.rounds += 1
        self._now_ns += ROUND_NS
        self._do(facts.OpenPressed)
        coins = [Spot(spot_of(seat, self._coin)) for seat in range(1, BOXES + 1)] if self._coin else []
        for seat in range(1, BOXES + 1):
            for bet, amount in self._keyed.items():
                self._do(facts.BetKeyed, spot=Spot(spot_of(seat, bet)), amount_minor=amount, person=PERSON)
        for spot in coins:
            self._do(facts.ChipSeen, spot=spot, edge_ns=self._now_ns)
        meters = self.office.meters()
        self._now_ns += NS_PER_S
        shown = tuple(sorted(meters.items()))
        self._do(facts.NoMoreBetsPressed, edge_ns=self._stamp().mono_ns, meters=shown)
        self._do(facts.DeadlinePassed, name="drain")
        with_own = self._after_growth(meters)
        deck = self.chance.sample(DECK, len(DECK))
        while self.table.phase is Phase.DEALING:
            sequence = self.table.shuffler.sequence + 1
            self._do(facts.CardDealt, card=deck.pop(), arrived_ns=self._stamp().mono_ns, sequence=sequence)
        if self.book.has_fold:
            self._decide()
        self._do(facts.RevealPressed)
        self._do(facts.SettlePressed)
        while (claim := settle.claim_in_hand(self.table)) is not None:
            assert claim.value_micro is not None, f"claim {claim.claim} waits"
            self._do(facts.ClaimConfirmed, claim=claim.claim, person=PERSON)
        self._count(settle.round_of(self.table).lines, with_own)
        for spot in coins:
            self._do(facts.ChipLifted, spot=spot, edge_ns=self._now_ns)
        self._do(facts.SettlePressed)
        assert self.table.phase is Phase.IDLE, (self.table.phase, self.table.panel.notices[-3:])

    def _after_growth(self, meters: Mapping[str, int]) -> dict[str, int]:
        """An award takes in the growth by the round's own bets."""
        grown = dict(meters)
        reserves = dict(self.terms.reserves_bp)
        for meter, rate in self.terms.rates_bp:
            stakes = BOXES * (self.book.prescribed_stake(self.terms) or 0)
            grown[meter] += stakes * (rate - reserves.get(meter, 0)) * MICRO_PER_MINOR // 10_000
        return grown

    def _decide(self) -> None:
        playing = settle.round_of(self.table)
        open_card = deal.hand_of(playing, "dealer")[0]
        seats = settle.undecided_seats(self.table)
        played = [seat for seat in seats if self._is_played(deal.hand_of(playing, str(seat)), open_card)]
        folded = [seat for seat in seats if seat not in played]
        for mode, chosen in ((facts.PlayModePressed, played), (facts.FoldModePressed, folded)):
            if chosen:
                self._do(mode)
            for seat in chosen:
                self._do(facts.SeatPressed, seat=seat)

    def _count(self, lines: tuple[Line, ...], meters: Mapping[str, int]) -> None:
        nets: dict[str, dict[int, Fraction]] = {name: {} for name in self.tallies}
        for line in lines:
            name = "ante" if line.bet in OF_THE_ANTE else line.bet
            if name not in nets:
                continue  # envy belongs to no bet of the box that gets it
            assert line.paid is not None, line
            assert line.lost is not None, line
            stake = self._keyed.get(name) or self.book.prescribed_stake(self.terms)
            assert stake is not None
            won = Fraction(line.paid - line.lost, stake)
            nets[name][line.seat] = nets[name].get(line.seat, Fraction(0)) + won
            if line.level:
                self.awards[line.level] += line.paid
                self.hits[line.level] += 1
                self.seeds[line.level] += line.share_num == line.share_den
            if line.bet == self._coin:
                self.stakes += stake
        for name, tally in self.tallies.items():
            assert len(nets[name]) == BOXES, (name, nets[name])
            tally.round_over([(float(net), net > 0) for net in nets[name].values()], meters)

    # --- what it came to -----------------------------------------------------------------------------------

    def counted(self) -> list[Counted]:
        meters = {name: Fraction(micro, MICRO_PER_MINOR) for name, micro in self.office.meters().items()}
        return [tally.counted(meters) for tally in self.tallies.values()]

    def growth(self) -> dict[str, tuple[Fraction, Fraction]]:
        """Of each meter: what its growth and seeds should have made of it after these awards, and what it stands at."""
        resets, rates, reserves = dict(self.terms.resets), dict(self.terms.rates_bp), dict(self.terms.reserves_bp)
        found = {}
        for meter, minor in self.begun.items():
            grown = Fraction(self.stakes * (rates[meter] - reserves.get(meter, 0)), 10_000)
            seeds = self.seeds[meter] * resets[meter]
            expected = Fraction(minor, MICRO_PER_MINOR) + grown + seeds - self.awards[meter]
            found[meter] = (expected, Fraction(self.office.meters()[meter], MICRO_PER_MINOR))
        return found


def _in_the_suits_of_its_class(cards: list[int], card: int) -> tuple[tuple[int, ...], int]:
    """The hand that stands for all like it, and the open card with its suit renamed in the same way."""
    return min(
        (tuple(sorted(own // 4 * 4 + suits[own % 4] for own in cards)), card // 4 * 4 + suits[card % 4])
        for suits in permutations(range(4))
    )
