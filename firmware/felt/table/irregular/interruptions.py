"""The adjudicator: what the rulebook and the readings in force say of an interruption at this point. It states; a
supervisor decides."""

from __future__ import annotations

from felt.nouns.faults import CATALOGUE, Weight
from felt.rules.rulebook import FOLD, REFUSE_REVEAL, WALK_AWAY
from felt.table import facts, settle
from felt.table.irregular import devices
from felt.table.irregular.parts import (
    CONTINUE,
    HELD_BY_INTERRUPTION,
    VOID,
    asked_by,
    phase_of_play,
    reading,
    restated,
)
from felt.table.irregular.statement import Statement
from felt.table.state import Phase, Question, Round, Table

POWER = "power was cut"
_STOPPED = {
    facts.FaultRaised: "a fault stopped the table",
    facts.StepFailed: "the controller failed on a fact",
    facts.OutOfServiceOrdered: "the table was taken out of service",
}


def by_boot(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    phase = phase_of_play(table)
    voids = reading(table, "power_cut_in_betting", "resume") == "void"
    if phase in HELD_BY_INTERRUPTION or (phase is Phase.BETTING and voids):
        return restated(table, adjudicate(table, POWER))
    return ()


def by_fault(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """A fault that stops the table interrupts the round; one of a coin spot is a progressive device that failed."""
    if isinstance(fact, facts.FaultRaised) and CATALOGUE[fact.code].weight is not Weight.STOP:
        return devices.by_spot_fault(table, fact)
    phase = phase_of_play(table)
    if phase in HELD_BY_INTERRUPTION or phase is Phase.BETTING:
        return restated(table, adjudicate(table, _STOPPED[type(fact)]))
    return ()


def adjudicate(table: Table, cause: str) -> Question:
    """The question of an interruption, with its statement."""
    only = phase_of_play(table) is Phase.LOCKING
    return asked_by(table, "interruption", state(table, cause), only=only)


def state(table: Table, cause: str) -> Statement:
    """What the rulebook and the readings in force say of an interruption at this point."""
    phase, paragraphs = phase_of_play(table), settle.paragraphs_of(table)
    playing = settle.round_of(table)
    established = established_by(table)
    whose = _deciding_readings(table, phase, playing, established=bool(established))
    bets = len(settle.contributions(playing))
    rule, proposal, why = paragraphs.not_established, VOID, _why_none(phase)
    if established:
        rule, proposal, why = paragraphs.established, CONTINUE, established
    elif phase is not Phase.LOCKING and playing.seen and bets and _continues_by_reading(table):
        rule, proposal = paragraphs.device_after_seen, CONTINUE
        why += ", but cards were seen and a progressive bet stands"
    return Statement(
        (cause,), phase.value, bool(established), why, playing.seen, bets, playing.registered, rule, proposal, whose
    )


def _why_none(phase: Phase) -> str:
    if phase is Phase.BETTING:
        return "bets were still open"
    if phase is Phase.LOCKING:
        return "bets were called closed but not yet recorded"
    return "no bet has won or lost"


def established_by(table: Table) -> str:
    """The act or the open cards by which a bet has conclusively won or lost, in words; empty if none has. A bet that
    was handed back has done neither."""
    playing = settle.round_of(table)
    standing = settle.standing_seats(playing)
    folded = [
        str(one.seat)
        for one in playing.decisions
        if one.choice in (FOLD, WALK_AWAY, REFUSE_REVEAL) and one.seat in standing
    ]
    if folded:
        return f"box {', '.join(folded)} folded"
    if playing.revealed and standing:
        return "the dealer's hand lies face up"
    if _machine_counts(table) and playing.plan and len(playing.dealt) == len(playing.plan) and standing:
        return "every card is known to the controller"
    return ""


def _machine_counts(table: Table) -> bool:
    return reading(table, "outcome_established_by", "acts_and_revealed_cards") == "cards_known_to_machine"


def _continues_by_reading(table: Table) -> bool:
    return reading(table, "power_cut_after_cards_seen", "void_5_7") == "continue_5_17"


def _deciding_readings(table: Table, phase: Phase, playing: Round, *, established: bool) -> tuple[str, ...]:
    """Those that could have led elsewhere at this point, with their values in force."""
    named: list[tuple[str, str]] = []
    if phase is Phase.BETTING:
        named.append(("power_cut_in_betting", "resume"))
    if playing.plan and len(playing.dealt) == len(playing.plan) and not playing.revealed:
        named.append(("outcome_established_by", "acts_and_revealed_cards"))
    if not established and playing.seen and settle.contributions(playing):
        named.append(("power_cut_after_cards_seen", "void_5_7"))
    return tuple(f"{name}={reading(table, name, default)}" for name, default in named)
