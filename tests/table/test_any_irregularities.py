"""From any table of any game, whatever goes wrong and whatever is ruled and chosen, while the power fails, the link is
lost and the clock steps: people bring the table back to IDLE, and every bet is settled, returned or void exactly
once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from felt.config import demo_table, load
from felt.nouns.cards import DECK
from felt.nouns.ids import Spot
from felt.nouns.stamps import NS_PER_MS, NS_PER_S, Stamp
from felt.rules import shelf
from felt.table import discards, facts, invariants, settle
from felt.table.facts import Fact
from felt.table.settings import Settings
from felt.table.state import UNREAD, Phase, Question, Round, ServiceState, Table
from felt.virtual.clock import VirtualClock
from felt.wiring import devices, table_settings
from tests.table.bench import METERS, STEPPER, WAYS, samples, table_at

TROUBLES = (
    facts.IrregularityDeclared, facts.PlayerChose, facts.RulingMade, facts.BetsReturned, facts.VoidOrdered,
    facts.VoidPressed, facts.MisdealPressed, facts.SeatPressed, facts.SettlePressed, facts.CardsSeenPressed,
    facts.CardDealt, facts.CardUnread, facts.DeckReported, facts.StubChecked, facts.LinkLost, facts.Booted,
    facts.ChipChattered, facts.OutOfServiceOrdered, facts.BackInServiceOrdered, facts.SupervisorTurned,
    facts.RevealPressed, facts.OtherModePressed, facts.FoldModePressed, facts.CorrectionRecorded, facts.LinkFound,
    facts.ClockStepped, facts.ShufflerLost, facts.ShufflerFound, facts.CountMismatchPressed, facts.HitReported,
)  # fmt: skip
# Without those that no evening reaches, and without a table in a technician's hands.
STARTS = sorted(way for way in WAYS if not any(word in way for word in ("two claims", "full mail", "test mode")))
DEALS = ("", 'game.dealing="one_by_one"')
# Evenings in an ordinary run, and with --full.
EXAMPLES = (150, 3_000)
LEAD_IN = 22  # acts: about as many as lead from an open table to the end of a round
JACKPOTS = tuple(f"{rank}{suit}" for suit in "shdc" for rank in "AKQJT98765432")
STEPS_S = (-3_600, -1, 1, 3_600, 10 * 365 * 86_400)


class Evening:
    """One table, and the rounds that ended on it."""

    def __init__(self, table: Table, data: st.DataObject) -> None:
        self.table, self.data = table, data
        self.ended: list[Round] = []
        self._ns = 2 * 10**12
        self._wall_ns = 1_800_001_000 * 10**9
        self._deck = data.draw(st.sampled_from((DECK, JACKPOTS)))

    def step(self, fact: Fact) -> None:
        after = STEPPER.after(self.table, fact)
        invariants.check(after, self.table)
        if self.table.round is not None and after.round is None and after.previous is not None:
            self.ended.append(after.previous)
        self.table = after

    def do(self, kind: type[Fact], **fields: object) -> None:
        self._ns += NS_PER_MS
        self.step(kind(Stamp(self.table.boot, self._ns, self._wall_ns), **fields))

    def trouble(self) -> None:
        happens: list[Callable[[], None]] = [partial(self.told, kind) for kind in TROUBLES]
        self.data.draw(st.sampled_from([*happens, self.power_fails, self.clock_steps]))()

    def told(self, kind: type[Fact]) -> None:
        here = {spot.spot for spot in self.table.spots}
        some = [fact for fact in samples(kind, self.table) if fact.at.wall_ns != 1]
        some = [fact for fact in some if getattr(fact, "spot", "") in ("", *here)]
        if some:
            self.step(self.data.draw(st.sampled_from(some)))

    def clock_steps(self) -> None:
        self._wall_ns += self.data.draw(st.sampled_from(STEPS_S)) * NS_PER_S

    def power_fails(self) -> None:
        """The next boot finds every contact as it lies; somebody may have moved a chip in the dark."""
        moved = self.data.draw(st.booleans())
        spots = enumerate(self.table.spots)
        levels = tuple((spot.spot, spot.present != (moved and not place)) for place, spot in spots)
        self._ns = NS_PER_MS
        boot = f"{int(self.table.boot, 16) + 1:08x}"
        self.step(facts.Booted(Stamp(boot, self._ns, self._wall_ns), "0", levels))

    def lead_in(self) -> None:
        """Play some way into a round."""
        for _ in range(self.data.draw(st.integers(0, LEAD_IN))):
            match self.table.phase:
                case Phase.IDLE if not self.ended:
                    self.do(facts.OpenPressed)
                case Phase.IDLE:
                    return
                case Phase.BETTING:
                    self._bet()
                    self._ns += NS_PER_MS
                    self.do(facts.NoMoreBetsPressed, edge_ns=self._ns, meters=METERS)
                case _:
                    self.act()

    def _bet(self) -> None:
        settings = self.table.settings
        assert settings is not None
        for seat in range(1, self.data.draw(st.integers(1, 3)) + 1):
            for wager in settle.placed_wagers(settings):
                if not wager.needs or self.data.draw(st.booleans()):
                    self._bet_on(Spot(f"{seat}.{wager.name}"))

    def _bet_on(self, spot: Spot) -> None:
        """Lay a chip, and key its amount where somebody does."""
        self.do(facts.ChipSeen, spot=spot, edge_ns=self._ns)
        amount = self.data.draw(st.sampled_from((None, 2_500)))
        self.do(facts.BetKeyed, spot=spot, amount_minor=amount, person="s")

    def answer(self, asked: Question) -> None:
        """Any lawful answer will do."""
        if asked.players:
            choice = self.data.draw(st.sampled_from(asked.options))
            self.do(facts.PlayerChose, question=asked.id, seat=asked.players[0], choice=choice, person="dealer")
            return
        choice = self.data.draw(st.sampled_from(asked.options))
        role = "shift_manager"
        self.do(facts.RulingMade, question=asked.id, choice=choice, person="s", reason="so it was", role=role)

    def act(self) -> None:
        """What the people at this table do next."""
        table = self.table
        if table.service.state is not ServiceState.IN_SERVICE:
            self.do(facts.BackInServiceOrdered, person="t")
        elif table.irregularity.questions:
            self.answer(table.irregularity.questions[0])
        elif table.phase is Phase.REVEALING and any(card.card == UNREAD for card in settle.round_of(table).dealt):
            self.do(facts.CardKeyed, card=self._fresh_card(), person="s", role="supervisor")
        elif discards.is_due(table):
            self.do(facts.DiscardSaid, place=1, person="dealer")
        else:
            self._play_on(table)

    def _play_on(self, table: Table) -> None:
        match table.phase:
            case Phase.CLOSED:
                self.do(facts.TableOpened, person="s")
            case Phase.DEALING:
                sequence = table.shuffler.sequence + 1
                self.do(facts.CardDealt, card=self._fresh_card(), arrived_ns=self._ns, sequence=sequence)
            case Phase.LOCKING:
                self.do(facts.DeadlinePassed, name="drain")
            case Phase.DECIDING if settle.undecided_seats(table):
                self.do(facts.PlayModePressed)
                self.do(facts.SeatPressed, seat=settle.undecided_seats(table)[0])
            case Phase.DECIDING:
                self.do(facts.RevealPressed)
            case Phase.REVEALING:
                revealed = table.round is not None and table.round.revealed
                self._clear_panel()
                self.do(facts.SettlePressed if revealed else facts.RevealPressed)
            case Phase.SETTLING:
                claim = settle.unvalued_claims(table)[0]
                self.do(facts.ClaimValued, claim=claim, value_micro=10**12, award_minor=10**6)
            case Phase.VERIFYING:
                in_hand = settle.claim_in_hand(table)
                assert in_hand is not None
                self.do(facts.ClaimConfirmed, claim=in_hand.claim, person="s")
            case Phase.PAYING | Phase.VOIDING:
                self._clear_panel()
                self.do(facts.SettlePressed)
            case _:
                self.do(facts.VoidOrdered, person="s", reason="the story ends here", role="shift_manager")

    def _clear_panel(self) -> None:
        """MISDEAL may be lit, and then SETTLE would declare a mishap."""
        if self.table.panel.mode == "misdeal":
            self.do(facts.OtherModePressed)

    def _fresh_card(self) -> str:
        playing = settle.round_of(self.table)
        out = {card.card for card in playing.dealt} | set(playing.strays)
        return next(card for card in self._deck if card not in out)

    def is_home(self) -> bool:
        served = self.table.service.state is ServiceState.IN_SERVICE
        return self.table.phase is Phase.IDLE and served and not self.table.irregularity.questions


def _verdicts(ended: Round) -> Counter[tuple[int, str]]:
    return Counter((line.seat, line.bet) for line in ended.lines)


@cache
def _settings_of(game: str) -> Settings:
    config = load(demo_table(game), ())
    lines = devices.virtual_board(config, VirtualClock()).lines()
    return table_settings.settings_of(config, lines)


@cache
def _open_table(game: str) -> Table:
    made: tuple[tuple[type[Fact], dict[str, Any]], ...] = (
        (facts.EraOpened, {"nonce": "00c0ffee", "firmware": "0", "handover": {}}),
        (facts.Configured, {"settings": _settings_of(game), "digest": "0" * 64}),
        (facts.Booted, {"firmware": "0", "levels": ()}),
        (facts.LinkFound, {}),
        (facts.ShufflerFound, {}),
        (facts.TableOpened, {"person": "s"}),
    )
    table = Table()
    for place, (kind, fields) in enumerate(made, 1):
        table = STEPPER.after(table, kind(Stamp("00000001", place * NS_PER_MS, 1_800_000_000 * 10**9), **fields))
    return table


def _comes_home(evening: Evening, troubles: int) -> int:
    """Returns how many bets were judged."""
    for _ in range(troubles):
        evening.trouble()
        if evening.data.draw(st.booleans()):
            evening.act()
    for _ in range(120):
        if evening.is_home():
            break
        evening.act()
    assert evening.is_home(), f"{evening.table.phase} {evening.table.irregularity}"
    assert evening.table.irregularity.questions == ()
    for ended in evening.ended:
        judged = _verdicts(ended)
        for bet in ended.bets:
            assert judged[bet.seat, bet.wager] == 1, f"{bet} in {ended.lines}"
    return sum(len(ended.bets) for ended in evening.ended)


def _size(full: bool) -> settings:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=EXAMPLES[full], deadline=None, suppress_health_check=slow)


@pytest.mark.parametrize("dealt", DEALS)
def test_any_irregularities_end_in_idle_with_every_bet_judged_exactly_once(dealt: str, full: bool) -> None:
    @_size(full)
    @given(st.data(), st.sampled_from(STARTS), st.integers(0, 8))
    def come_home(data: st.DataObject, way: str, troubles: int) -> None:
        judged.append(_comes_home(Evening(table_at(way, *([dealt] if dealt else [])), data), troubles))

    judged: list[int] = []
    come_home()
    assert sum(judged), "no evening had a bet"


@pytest.mark.parametrize("game", shelf.GAMES)
def test_in_every_game_any_irregularities_end_in_idle_with_every_bet_judged_exactly_once(game: str, full: bool) -> None:
    @_size(full)
    @given(st.data(), st.integers(0, 8))
    def come_home(data: st.DataObject, troubles: int) -> None:
        evening = Evening(_open_table(game), data)
        evening.lead_in()
        judged.append(_comes_home(evening, troubles))

    judged: list[int] = []
    come_home()
    assert sum(judged), "no evening had a bet"
