"""Who may void a round by order or by key. Without an open question a supervisor may; while one is open only what it
offers may follow, and whoever decides what no paragraph covers may go beyond it."""

from __future__ import annotations

from felt.rules.authority import Role, may
from felt.table import facts
from felt.table.irregular.parts import VOID
from felt.table.prompts import tell
from felt.table.state import Question, Table


def _office_of(fact: facts.Fact) -> str:
    """The key switch is a supervisor's."""
    return fact.role if isinstance(fact, facts.VoidOrdered) else Role.SUPERVISOR


def _offers_void(asked: Question, role: str) -> bool:
    if VOID not in asked.options:
        return False
    return all(may(role, offer.who) for offer in asked.offers if offer.choice == VOID)


def _against(table: Table, role: str) -> Question | None:
    """The open question that leaves no void to somebody in this office. One that does not hold play, and is not about
    the last round, leaves the round to whoever has it in hand."""
    if may(role, Role.SHIFT_MANAGER):
        return None
    asked = (one for one in table.irregularity.questions if one.holds or one.round)
    return next((one for one in asked if not _offers_void(one, role)), None)


def may_not_void(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.VoidOrdered)
    return not may(fact.role, Role.SUPERVISOR) or _against(table, fact.role) is not None


def key_may_not_void(table: Table, _: facts.Fact) -> bool:
    return table.panel.supervisor and supervisor_may_not_void(table)


def supervisor_may_not_void(table: Table) -> bool:
    return _against(table, Role.SUPERVISOR) is not None


def why_not(table: Table, fact: facts.Fact) -> str:
    role = _office_of(fact)
    asked = _against(table, role)
    if not may(role, Role.SUPERVISOR) or asked is None:
        return tell(table, "refused.authority", choice=VOID, who=tell(table, f"role.{Role.SUPERVISOR}"), role=role)
    lawful = tuple(one for one in asked.options if one != VOID)
    return tell(
        table, "refused.void",
        id=asked.id, rule=asked.rule, options=tell(table, "options.or").join(lawful or asked.options),
    )  # fmt: skip


def why_not_returned(table: Table) -> str:
    """Box by box nobody returns what he may not void."""
    asked = _against(table, Role.SUPERVISOR)
    assert asked is not None
    options = tell(table, "options.or").join(asked.options)
    return tell(table, "refused.returns", id=asked.id, rule=asked.rule, options=options)
