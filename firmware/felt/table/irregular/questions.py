"""Which fact raises which questions."""

from __future__ import annotations

from felt.nouns.values import replace
from felt.table import facts, settle
from felt.table.irregular import cards, chips, devices, discards, hits, interruptions, keys
from felt.table.irregular.parts import VOID, claim_is_confirmed
from felt.table.state import Question, ServiceState, Table

_TOLD_BY_PEOPLE = (facts.IrregularityDeclared, facts.HitReported, facts.StubChecked)


def questions_raised(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """The questions that this fact opens at this table, without their numbers. What people tell in test mode opens
    none: it is refused until the mode is left."""
    if table.service.state is ServiceState.TEST and isinstance(fact, _TOLD_BY_PEOPLE):
        return ()
    raise_from = _RAISERS.get(type(fact))
    raised = raise_from(table, fact) if raise_from else ()
    if raised and claim_is_confirmed(table):
        raised = tuple(_without_void(one) for one in raised)
    if raised and settle.supervisor_decides_alone(table):
        return tuple(_without_proposal(one) for one in raised)
    return raised


def _without_proposal(question: Question) -> Question:
    """A supervisor decides, whatever it is. What somebody saw and the table did not is no irregularity."""
    if question.kind == hits.HIT_REPORTED:
        return question
    statement = None if question.statement is None else replace(question.statement, proposal="")
    return replace(question, proposal="", statement=statement)


def _without_void(question: Question) -> Question:
    """A jackpot that is paid cannot be unpaid here."""
    options = tuple(option for option in question.options if option != VOID)
    return replace(question, options=options, proposal=options[0])


def by_card(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    return (*cards.by_inventory(table, fact), *discards.by_card(table, fact))


_RAISERS = {
    facts.Booted: interruptions.by_boot,
    facts.FaultRaised: interruptions.by_fault,
    facts.StepFailed: interruptions.by_fault,
    facts.OutOfServiceOrdered: interruptions.by_fault,
    facts.ShufflerGreeted: interruptions.by_shuffler,
    facts.DealCountLost: interruptions.by_shuffler,
    facts.LinkLost: devices.by_link,
    facts.ChipChattered: devices.by_chatter,
    facts.LampFound: devices.by_lamp,
    facts.ChipSeen: chips.by_chip,
    facts.ChipLifted: chips.by_chip,
    facts.DeadlinePassed: chips.by_drain,
    facts.RulingMade: chips.by_ruling,
    facts.CardDealt: by_card,
    facts.CardUnread: by_card,
    facts.CardKeyed: discards.by_card,
    facts.DeckReported: cards.by_inventory,
    facts.StubChecked: cards.by_inventory,
    facts.IrregularityDeclared: cards.by_declaration,
    facts.SeatPressed: keys.by_key,
    facts.SettlePressed: keys.by_key,
    facts.CountMismatchPressed: chips.by_count,
    facts.HitReported: hits.by_report,
}
