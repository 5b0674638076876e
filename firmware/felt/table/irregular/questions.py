"""Which fact raises which questions."""

from __future__ import annotations

from felt.table import facts
from felt.table.irregular import cards, chips, devices, hits, interruptions, keys
from felt.table.irregular.parts import VOID, claim_is_confirmed
from felt.table.state import Question, Table


def questions_raised(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """The questions that this fact opens at this table, without their numbers."""
    raise_from = _RAISERS.get(type(fact))
    raised = raise_from(table, fact) if raise_from else ()
    if raised and claim_is_confirmed(table):
        return tuple(_without_void(one) for one in raised)
    return raised


def _without_void(question: Question) -> Question:
    """A jackpot that is paid cannot be unpaid here."""
    options = tuple(option for option in question.options if option != VOID)
    return question._replace(options=options, proposal=options[0])


_RAISERS = {
    facts.Booted: interruptions.by_boot,
    facts.FaultRaised: interruptions.by_fault,
    facts.StepFailed: interruptions.by_fault,
    facts.OutOfServiceOrdered: interruptions.by_fault,
    facts.LinkLost: devices.by_link,
    facts.ChipChattered: devices.by_chatter,
    facts.LampFound: devices.by_lamp,
    facts.ChipSeen: chips.by_chip,
    facts.ChipLifted: chips.by_chip,
    facts.DeadlinePassed: chips.by_drain,
    facts.CardDealt: cards.by_inventory,
    facts.CardUnread: cards.by_inventory,
    facts.DeckReported: cards.by_inventory,
    facts.StubChecked: cards.by_inventory,
    facts.IrregularityDeclared: cards.by_declaration,
    facts.SeatPressed: keys.by_key,
    facts.SettlePressed: keys.by_key,
    facts.CountMismatchPressed: chips.by_count,
    facts.HitReported: hits.by_report,
}
