"""Judges, fact by fact beside the replay, what the table made of each. It uses what the room can see, what the facts
say and its own settlement, never the move or guard under test."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from felt.config import Config
from felt.nouns.ids import spot_of
from felt.nouns.stamps import NS_PER_MS
from felt.rules.authority import Authority, may
from felt.rules.remedies import VOID
from felt.table import facts
from felt.table.state import LinkState, Phase, Question, Round, ServiceState, Table
from tests.storm.acceptance import check_keyed, check_opening, check_snapshot
from tests.storm.course import Course
from tests.storm.era_checks import check_handed_over
from tests.storm.line_checks import check_letter, check_lines, check_way_of_paying
from tests.storm.purse import Violation
from tests.storm.second_settlement import check_settlement
from tests.storm.secrecy import check_reader

FAR_FROM_THE_LOCK_NS = 100 * NS_PER_MS  # far beyond the margins of any two lines
HELD = (
    Phase.LOCKING, Phase.DEALING, Phase.DECIDING, Phase.REVEALING, Phase.SETTLING, Phase.VERIFYING, Phase.PAYING
)  # fmt: skip
SETTLED_WITH_ITS_BOX = ("hit_reported", "player_choice")  # questions that end when their box leaves the round


class Lock(NamedTuple):
    """The lock key as the table journaled it, with the meter values on its sign."""

    fact: facts.NoMoreBetsPressed
    link_is_up: bool


class Judge:
    def __init__(self) -> None:
        self.done: Counter[str] = Counter()  # facts that were not refused, by kind
        self.locks: list[Lock] = []  # whose values nobody has judged yet
        self._course = Course()

    def reads(self, before: Table, fact: facts.Fact, after: Table, config: Config, *, refused: bool) -> None:
        self.done[type(fact).__name__] += not refused
        self._course.reads(before, fact, after, refused=refused)
        self._judge_fact(before, fact, after, refused=refused)
        if after.round is not None and after.round is not before.round:
            self._judge_round(before, after, after.round, config)

    def _judge_fact(self, before: Table, fact: facts.Fact, after: Table, *, refused: bool) -> None:
        if not refused and isinstance(fact, facts.VoidOrdered | facts.VoidPressed | facts.BetsReturned):
            _check_office(before, fact, after)
        match fact:
            case facts.CardDealt() | facts.CardKeyed() | facts.CardStruck():
                check_reader(fact)
            case facts.ChipSeen() if _is_late(before, fact):
                _judge_late_chip(before, fact, after, refused=refused)
            case facts.TableOpened() if not refused and before.service.state is not ServiceState.IN_SERVICE:
                raise Violation(f"the table was opened while it was {before.service.state}")
            case facts.BetKeyed() | facts.BetUnkeyed():
                check_keyed(before, fact, after)
            case facts.NoMoreBetsPressed() if not refused:
                self.locks.append(Lock(fact, before.link is LinkState.UP))
            case facts.RulingMade():
                _check_ruling(before, fact, after)
            case facts.VoidPressed() if after.phase is Phase.VOIDING and not self._course.key_is_on:
                if before.phase is not Phase.VOIDING:
                    raise Violation("VOID was pressed without the supervisor's key, and the round is void")
            case facts.ClaimConfirmed() if not refused and after.round is not None:
                check_way_of_paying(before, fact, after.round, self._course)
            case facts.Booted() if before.round is not None:
                _check_held(before, before.round, after)
            case facts.EraOpened() if before.nonce:
                check_handed_over(before, after)

    def _judge_round(self, before: Table, after: Table, now: Round, config: Config) -> None:
        was = before.round
        if was is None:
            check_opening(before, now)
            return
        if now.bets and not was.bets:
            check_snapshot(before, now, self._course, config)
        if now.lines is not was.lines or now.claims is not was.claims:
            check_lines(now, self._course)
        if now.settled_at is not None and was.settled_at is None:
            check_letter(after, now)
            check_settlement(after, now, self._course)


def _judge_late_chip(before: Table, fact: facts.ChipSeen, after: Table, *, refused: bool) -> None:
    """A chip that returns to an accepted bet is taken; any other is announced as no bet. Before the snapshot only the
    stamps tell which it is."""
    comes_back = _comes_back(before, fact)
    if after.panel.noticed == before.panel.noticed or (comes_back is False and not refused):
        raise Violation(f"{fact.spot}: a chip came after the lock, and nobody is told")
    if comes_back and refused:
        raise Violation(f"{fact.spot}: a chip came back to its bet, and it is refused")


def _comes_back(before: Table, fact: facts.ChipSeen) -> bool | None:
    playing = before.round
    assert playing is not None
    if not playing.plan:
        return None
    bet = next((one for one in playing.bets if spot_of(one.seat, one.wager) == fact.spot), None)
    if bet is None or not bet.accepted or bet.seat in playing.returned:
        return False
    if bet.by_word:
        return None  # a person reported it, whether or not its chip was ever seen
    return not (bet.coin and playing.collected)


def _is_late(before: Table, fact: facts.ChipSeen) -> bool:
    """True only if it is certain. An edge seen by a later boot came after the lock, whatever its clock shows."""
    playing = before.round
    if playing is None or playing.lock_ns is None or playing.locked_at is None or before.phase is Phase.VOIDING:
        return False
    return playing.locked_at.boot != fact.at.boot or fact.edge_ns > playing.lock_ns + FAR_FROM_THE_LOCK_NS


def _check_ruling(before: Table, fact: facts.RulingMade, after: Table) -> None:
    """A ruling answers the question that it names, if the person may rule on it; a void answers all questions."""
    left = [one.id for one in after.irregularity.questions]
    gone = [one for one in before.irregularity.questions if one.id not in left]
    for one in gone:
        if one.id == fact.question:
            _check_authority(one, fact)
        elif after.phase is not Phase.VOIDING and fact.choice != VOID and one.kind not in SETTLED_WITH_ITS_BOX:
            raise Violation(f"the ruling on {fact.question} has answered {one.id} too")


def _check_authority(asked: Question, fact: facts.RulingMade) -> None:
    least = next((offer.who for offer in asked.offers if offer.choice == fact.choice), Authority.SUPERVISOR)
    if not may(fact.role, least):
        raise Violation(f"{fact.question} was ruled {fact.choice} by a {fact.role}, and a {least} decides that")


def _check_office(before: Table, fact: facts.Fact, after: Table) -> None:
    """If nothing is wrong, only the shift manager may void after the reveal or return bets, unless a reading of the
    house says otherwise."""
    role = Authority.SUPERVISOR if isinstance(fact, facts.VoidPressed) else fact.role  # type: ignore[attr-defined]
    round_concerned = before.round or before.previous
    if round_concerned is None or before.irregularity.questions or may(role, Authority.SHIFT_MANAGER):
        return
    readings = round_concerned.readings.split()
    wrong = round_concerned.findings or round_concerned.declared or round_concerned.remedied
    if isinstance(fact, facts.BetsReturned):
        if not wrong and "return_without_error=supervisor" not in readings:
            raise Violation(f"a {role} returned the bets of box {fact.seat}, and no error was declared")
        return
    void = after.round or after.previous
    is_void = void is not None and void.void_rule and not round_concerned.void_rule
    if is_void and round_concerned.revealed and not wrong and "void_after_reveal=supervisor" not in readings:
        number = round_concerned.number
        raise Violation(f"a {role} voided round {number} after the reveal, and nothing is wrong with it")


def _check_held(before: Table, playing: Round, after: Table) -> None:
    """After a power cut play goes on only after a ruling. Between the lock key and the snapshot only a void is
    proposed."""
    phase = playing.held_from or before.phase
    if phase not in HELD:
        return
    asked = [one for one in after.irregularity.questions if one.kind == "interruption"]
    if after.phase is not Phase.INTERRUPTED or not asked:
        raise Violation(f"the power failed in {phase}, and round {playing.number} goes on unasked")
    if phase is Phase.LOCKING and asked[-1].options != (VOID,):
        raise Violation(f"the power failed while bets were locked, and {asked[-1].options} may be ruled")
    alone = "house_irregularities=supervisor_only" in playing.readings.split()
    if alone and (asked[-1].proposal or "000" in asked[-1].rule):
        raise Violation(f"{asked[-1].rule} proposes {asked[-1].proposal} where the supervisor decides alone")
