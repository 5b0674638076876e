"""Who may void a round by order or by key, return the bets of a box, and record a correction. While a question is open
only what it offers may follow, and whoever decides what no paragraph covers may go beyond it. Where nothing is wrong,
no paragraph gives these to a supervisor: after the reveal a void, and at any time a return of bets."""

from __future__ import annotations

from felt.rules.authority import Role, may
from felt.table import facts, guards, settle
from felt.table.irregular.parts import VOID, claim_is_confirmed, reading
from felt.table.prompts import tell
from felt.table.state import Phase, Question, Round, Table


def _office_of(fact: facts.Fact) -> str:
    """The key switch is a supervisor's."""
    return fact.role if isinstance(fact, facts.VoidOrdered | facts.BetsReturned) else Role.SUPERVISOR


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


# --- voids -------------------------------------------------------------------------------------------


def _least_office_to_void(table: Table) -> str:
    """A void of a lawful round after the reveal is a decision that no paragraph covers."""
    return reading(table, "void_after_reveal", Role.SHIFT_MANAGER) if _is_lawful(table) else Role.SUPERVISOR


def _is_lawful(table: Table) -> bool:
    """Whether the round that a void would reach is past its reveal and nothing is wrong with it: no question offers a
    void, and no device has found an error."""
    if table.round is not None:
        playing = table.round
        reached = playing.revealed and table.phase is not Phase.VOIDING and not claim_is_confirmed(table)
    elif table.previous is not None:
        playing = table.previous
        reached = guards.previous_can_be_voided(table)
    else:
        return False
    return reached and not playing.findings and not _is_offered(table)


def _is_offered(table: Table) -> bool:
    return any(VOID in asked.options for asked in table.irregularity.questions)


def may_not_void(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.VoidOrdered)
    return not may(fact.role, _least_office_to_void(table)) or _against(table, fact.role) is not None


def key_may_not_void(table: Table, _: facts.Fact) -> bool:
    return table.panel.supervisor and supervisor_may_not_void(table)


def supervisor_may_not_void(table: Table) -> bool:
    return _question_leaves_no_void(table) or not may(Role.SUPERVISOR, _least_office_to_void(table))


def _question_leaves_no_void(table: Table) -> bool:
    return _against(table, Role.SUPERVISOR) is not None


def why_not(table: Table, fact: facts.Fact) -> str:
    role, least = _office_of(fact), _least_office_to_void(table)
    asked = _against(table, role)
    if asked is not None and may(role, Role.SUPERVISOR):
        lawful = tuple(one for one in asked.options if one != VOID)
        options = tell(table, "options.or").join(lawful or asked.options)
        return tell(table, "refused.void", id=asked.id, rule=asked.rule, options=options)
    if may(role, Role.SUPERVISOR):
        return _told(table, "refused.lawful_void", least, role)
    return tell(table, "refused.authority", choice=VOID, who=tell(table, f"role.{least}"), role=role)


def _told(table: Table, key: str, least: str, role: str) -> str:
    rule = settle.paragraphs_of(table).uncovered
    return tell(table, key, who=tell(table, f"role.{least}"), role=tell(table, f"role.{role}"), rule=rule)


# --- returns -----------------------------------------------------------------------------------------


def error_is_known(table: Table, playing: Round) -> bool:
    """A question is open, a device has found an error, or a person declared one, whatever followed from it."""
    return bool(table.irregularity.questions or playing.findings or playing.declared or playing.remedied)


def _least_office_to_return(table: Table) -> str:
    if error_is_known(table, settle.round_of(table)):
        return Role.SUPERVISOR
    return reading(table, "return_without_error", Role.SHIFT_MANAGER)


def may_not_return(table: Table, fact: facts.Fact) -> bool:
    return table.round is not None and not may(_office_of(fact), _least_office_to_return(table))


def supervisor_may_return(table: Table) -> bool:
    return may(Role.SUPERVISOR, _least_office_to_return(table))


def why_no_return(table: Table, fact: facts.Fact) -> str:
    role, least = _office_of(fact), _least_office_to_return(table)
    if may(role, Role.SUPERVISOR):
        return _told(table, "refused.lawful_return", least, role)
    choice = tell(table, "choice.return")
    return tell(table, "refused.authority", choice=choice, who=tell(table, f"role.{least}"), role=role)


def may_not_return_while_held(table: Table) -> bool:
    """Box by box nobody returns what he may not void."""
    return _question_leaves_no_void(table)


def why_not_returned(table: Table) -> str:
    asked = _against(table, Role.SUPERVISOR)
    assert asked is not None
    options = tell(table, "options.or").join(asked.options)
    return tell(table, "refused.returns", id=asked.id, rule=asked.rule, options=options)


# --- corrections -------------------------------------------------------------------------------------


def why_no_correction(table: Table, fact: facts.CorrectionRecorded) -> str:
    """An error that is noticed once a later round has begun is covered, and so is one that was declared. Empty where
    this office may record it."""
    least = Role.SUPERVISOR.value
    if not _correction_is_covered(table, fact.round):
        least = reading(table, "uncovered_correction", Role.SHIFT_MANAGER)
    if may(fact.role, least):
        return ""
    if may(fact.role, Role.SUPERVISOR):
        return _told(table, "refused.uncovered_correction", least, fact.role)
    who = tell(table, f"role.{least}")
    return tell(table, "refused.authority", choice=tell(table, "correction.name"), who=who, role=fact.role)


def _correction_is_covered(table: Table, number: int) -> bool:
    previous = table.previous
    if number < table.tally.rounds or previous is None:
        return True
    return error_is_known(table, previous)
