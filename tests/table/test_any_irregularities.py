"""From any table, whatever goes wrong and whatever is ruled and chosen: people bring it home, and every bet of the
round is settled, returned or void, exactly once."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from felt.nouns.cards import DECK
from felt.nouns.stamps import NS_PER_MS, Stamp
from felt.table import facts, invariants, settle
from felt.table.facts import Fact
from felt.table.state import UNREAD, IrregularityState, Phase, Question, Round, ServiceState, Table
from tests.table.bench import STEPPER, WAYS, samples, table_at

TROUBLES = (
    facts.IrregularityDeclared, facts.PlayerChose, facts.RulingMade, facts.BetsReturned, facts.VoidOrdered,
    facts.VoidPressed, facts.MisdealPressed, facts.SeatPressed, facts.SettlePressed, facts.CardsSeenPressed,
    facts.CardDealt, facts.CardUnread, facts.DeckReported, facts.StubChecked, facts.LinkLost, facts.Booted,
    facts.ChipChattered, facts.OutOfServiceOrdered, facts.BackInServiceOrdered, facts.SupervisorTurned,
    facts.RevealPressed, facts.OtherModePressed, facts.FoldModePressed, facts.CorrectionRecorded,
)  # fmt: skip
# Not those that no evening reaches, and not a table in a technician's hands.
STARTS = sorted(way for way in WAYS if not any(word in way for word in ("two claims", "full mail", "test mode")))
DEALS = ("", 'game.dealing="one_by_one"')


class Evening:
    """One table, and the rounds that ended on it."""

    def __init__(self, table: Table, data: st.DataObject) -> None:
        self.table, self.data = table, data
        self.ended: list[Round] = []
        self._ns = 2 * 10**12

    def step(self, fact: Fact) -> None:
        after = STEPPER.step(self.table, fact)
        invariants.check(after, self.table)
        if self.table.round is not None and after.round is None and after.previous is not None:
            self.ended.append(after.previous)
        self.table = after

    def do(self, kind: type[Fact], **fields: object) -> None:
        self._ns += NS_PER_MS
        self.step(kind(Stamp(self.table.boot, self._ns, 1_800_001_000 * 10**9), **fields))

    def trouble(self) -> None:
        kind = self.data.draw(st.sampled_from(TROUBLES))
        some = [fact for fact in samples(kind, self.table) if fact.at.wall_ns != 1]
        if some:
            self.step(self.data.draw(st.sampled_from(some)))

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
        elif table.phase is Phase.REVEALING and any(one.card == UNREAD for one in settle.round_of(table).dealt):
            self.do(facts.CardKeyed, card=self._fresh_card(), person="s", role="supervisor")
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
                self.do(facts.VoidOrdered, person="s", reason="the story ends here")

    def _clear_panel(self) -> None:
        """MISDEAL may be lit: SETTLE would declare something."""
        if self.table.panel.mode == "misdeal":
            self.do(facts.OtherModePressed)

    def _fresh_card(self) -> str:
        playing = settle.round_of(self.table)
        out = {one.card for one in playing.dealt} | set(playing.strays)
        return next(card for card in DECK if card not in out)

    def is_home(self) -> bool:
        served = self.table.service.state is ServiceState.IN_SERVICE
        return self.table.phase is Phase.IDLE and served and not self.table.irregularity.questions


def _verdicts(ended: Round) -> Counter[tuple[int, str]]:
    return Counter((line.seat, line.bet) for line in ended.lines)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data(), st.sampled_from(STARTS), st.sampled_from(DEALS), st.integers(0, 8))
def test_any_irregularities_end_in_idle_with_every_bet_judged_exactly_once(
    data: st.DataObject, way: str, dealt: str, troubles: int
) -> None:
    evening = Evening(table_at(way, *([dealt] if dealt else [])), data)
    for _ in range(troubles):
        evening.trouble()
        if data.draw(st.booleans()):
            evening.act()
    for _ in range(120):
        if evening.is_home():
            break
        evening.act()
    assert evening.is_home(), f"{evening.table.phase} {evening.table.irregularity}"
    assert evening.table.irregularity.state is IrregularityState.CLEAR
    for ended in evening.ended:
        judged = _verdicts(ended)
        for bet in ended.bets:
            assert judged[bet.seat, bet.wager] == 1, f"{bet} in {ended.lines}"
