"""How a round ends: paid, void, held and resumed."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from felt.table import diagnosis, facts, panel, redacted, settle
from felt.table.irregular.parts import VOID, phase_of_play
from felt.table.moves import betting
from felt.table.state import Question, Round, Table, with_round
from felt.table.upkeep import notice, post


def end_round(table: Table, fact: facts.Fact) -> Table:
    ended = settle.round_of(table)
    table = replace(table, tally=replace(table.tally, settled=table.tally.settled + 1))
    table = post(table, settle.ended_letter(ended, fact.at))
    return diagnosis.find_stuck_off(_put_away(table, ended), fact)


def end_void(table: Table, _: facts.Fact) -> Table:
    return _put_away(table, settle.round_of(table))


def _put_away(table: Table, ended: Round) -> Table:
    shuffler = replace(table.shuffler, unchecked=table.shuffler.unchecked + bool(ended.dealt))
    return replace(table, round=None, previous=replace(ended, ended=True), deadlines=(), shuffler=shuffler)


def void_by_order(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.VoidOrdered)
    return void(table, fact.at, settle.paragraphs_of(table).void_returns, fact.reason, fact.person)


def void_without_bets(table: Table, fact: facts.Fact) -> Table:
    table = betting.take_snapshot(table, fact)
    return void(table, fact.at, settle.paragraphs_of(table).takes_part, "no box takes part", person="")


def void_by_key(table: Table, fact: facts.Fact) -> Table:
    reason = "VOID was pressed with the supervisor key on"
    return void(table, fact.at, settle.paragraphs_of(table).void_returns, reason, panel.KEY_SWITCH)


def void_by_ruling(table: Table, fact: facts.Fact) -> Table:
    ruled = table.irregularity.ruled
    assert ruled is not None
    if ruled.question.statement is not None and ruled.question.proposal not in ("", ruled.choice):
        # The paragraph that was stated proposes something else: this void is the supervisor's own, with his reason.
        return void(table, fact.at, settle.paragraphs_of(table).void_returns, ruled.reason, ruled.person)
    return void(table, fact.at, _rule_of(ruled.question), ruled.question.because, ruled.person)


def _rule_of(asked: Question) -> str:
    """The paragraph by which a question offers the void."""
    return next((one.rule for one in asked.offers if one.choice == VOID), asked.rule)


def void_previous(table: Table, fact: facts.Fact) -> Table:
    """A void that the rules still allow after the round has ended is a correction of its own."""
    assert isinstance(fact, facts.VoidOrdered)
    ruled = table.irregularity.ruled
    rule = _rule_of(ruled.question) if ruled is not None else settle.paragraphs_of(table).void_returns
    return void_ended(table, fact.at, rule, fact.reason, fact.person)


def void_ended(table: Table, at: Stamp, rule: str, reason: str, person: str) -> Table:
    ended = table.previous
    assert ended is not None
    voided = replace(ended, void_rule=rule, void_reason=reason, lines=settle.returned_lines(ended, rule))
    letter = letters.RoundVoidedLetter(voided.number, redacted.scrubbed(reason), rule, person, at, after_result=True)
    table = post(_untally(table, ended), letter)
    tally = replace(table.tally, settled=table.tally.settled - 1, voided=table.tally.voided + 1)
    table = replace(table, previous=voided, tally=tally)
    table = notice(table, "noted", f"Round {voided.number} is void ({rule}): return its bets.")
    return _say_returned_before(table, ended)


def void(table: Table, at: Stamp, rule: str, reason: str, person: str) -> Table:
    playing = settle.round_of(table)
    if playing.plan or playing.bets:  # the controller has heard of the round
        after_result = playing.settled_at is not None
        told = redacted.scrubbed(reason)
        table = post(table, letters.RoundVoidedLetter(playing.number, told, rule, person, at, after_result))
        table = _untally(table, playing)
    lines = settle.returned_lines(settle.with_what_lies_there(table), rule)
    table = with_round(table, void_rule=rule, void_reason=reason, lines=lines, held_from=None)
    table = replace(table, deadlines=(), tally=replace(table.tally, voided=table.tally.voided + 1))
    returns = settle.paragraphs_of(table).void_returns
    table = notice(table, "noted", f"Round {playing.number} is void ({rule}): return every bet ({returns}).")
    return _say_returned_before(table, playing)


def _say_returned_before(table: Table, voided: Round) -> Table:
    """Nobody hands a bet back twice."""
    if not voided.returned or not settle.standing_seats(voided):
        return table
    boxes = ", ".join(map(str, voided.returned))
    said = f"Boxes {boxes} have their" if len(voided.returned) > 1 else f"Box {boxes} has its"
    return notice(table, "noted", f"{said} bets back already.")


def _untally(table: Table, voided: Round) -> Table:
    if voided.settled_at is None:
        return table
    tallied = table.tally.contributions_minor - settle.staked_minor(voided)
    return replace(table, tally=replace(table.tally, contributions_minor=tallied))


def call_supervisor(table: Table, _: facts.Fact) -> Table:
    return notice(table, "noted", "VOID was pressed: a supervisor orders the void or lets play go on.")


def hold(table: Table, _: facts.Fact) -> Table:
    return with_round(table, held_from=phase_of_play(table))


def resume(table: Table, _: facts.Fact) -> Table:
    return with_round(table, held_from=None, broken_at=None)


def resume_with_snapshot(table: Table, fact: facts.Fact) -> Table:
    return betting.take_snapshot(resume(table, fact), fact)
