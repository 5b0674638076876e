"""The adjudicator: what the rulebook and the readings in force say of an interruption at this point."""

from __future__ import annotations

from felt.nouns.faults import CATALOGUE, Weight
from felt.rules.rulebook import FOLD, WALK_AWAY
from felt.table import facts, settle
from felt.table.irregular.parts import (
    CONTINUE,
    HELD_BY_INTERRUPTION,
    VOID,
    once,
    phase_of_play,
    reading,
)
from felt.table.state import Phase, Question, Round, Table


def by_boot(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    phase = phase_of_play(table)
    if phase is Phase.BETTING and reading(table, "power_cut_in_betting", "resume") == "void":
        rule = settle.paragraphs_of(table).not_established
        return once(table, _interruption(table, "power was cut", VOID, rule, "no outcome: bets were still open"))
    if phase in HELD_BY_INTERRUPTION:
        return once(table, adjudicate(table, "power was cut"))
    return ()


def by_fault(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    if isinstance(fact, facts.FaultRaised) and CATALOGUE[fact.code].weight is not Weight.STOP:
        return ()
    cause = {
        facts.FaultRaised: "a fault stopped the table",
        facts.StepFailed: "the controller failed on a fact",
        facts.OutOfServiceOrdered: "the table was taken out of service",
    }[type(fact)]
    phase = phase_of_play(table)
    if phase in HELD_BY_INTERRUPTION or phase is Phase.BETTING:
        return once(table, adjudicate(table, cause))
    return ()


def adjudicate(table: Table, cause: str) -> Question:
    """What the rulebook and the readings in force say of an interruption at this point."""
    phase, playing, paragraphs = phase_of_play(table), table.round, settle.paragraphs_of(table)
    assert playing is not None
    if phase is Phase.LOCKING:
        because = "bets were called closed but not yet recorded, so no outcome can be established"
        return _interruption(table, cause, VOID, paragraphs.not_established, because, only=True)
    established = established_by(table)
    if established:
        because = f"an outcome is established: {established}"
        return _interruption(table, cause, CONTINUE, paragraphs.established, because)
    if reading(table, "power_cut_after_cards_seen", "void_5_7") == "continue_5_17" and _progressive_stands(playing):
        because = "cards were seen and a progressive bet stands"
        return _interruption(table, cause, CONTINUE, paragraphs.device_after_seen, because)
    because = "no outcome is established: no bet has won or lost"
    return _interruption(table, cause, VOID, paragraphs.not_established, because)


def established_by(table: Table) -> str:
    """The act or the open card by which a bet has conclusively won or lost, in words; empty if none has."""
    playing = table.round
    assert playing is not None
    folded = [str(decision.seat) for decision in playing.decisions if decision.choice in (FOLD, WALK_AWAY)]
    if folded:
        return f"box {', '.join(folded)} folded"
    if playing.revealed:
        return "the dealer's hand lies face up"
    if reading(table, "outcome_established_by", "acts_and_revealed_cards") == "cards_known_to_machine":
        if playing.plan and len(playing.dealt) == len(playing.plan):
            return "every card is known to the controller"
    return ""


def _progressive_stands(playing: Round) -> bool:
    return playing.seen and bool(settle.contributions(playing))


def _interruption(
    table: Table, cause: str, proposal: str, rule: str, because: str, *, only: bool = False
) -> Question:
    seen = "cards were seen" if table.round and table.round.seen else "cards were not seen"
    return Question(
        id="",
        kind="interruption",
        where=phase_of_play(table).value,
        rule=rule,
        options=(proposal,) if only else (CONTINUE, VOID),
        proposal=proposal,
        because=f"{cause}; {because}; {seen}",
        holds=True,
    )
