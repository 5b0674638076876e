"""Void rounds: who may void by order or key, return the bets of a box, or record a correction, and what a void does.
While a question is open only its offers may follow, except for a person who may decide what no paragraph covers. If
nothing is wrong, no paragraph allows a supervisor to void after the reveal, or to return bets at any time."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from felt.rules.authority import Authority, may
from felt.rules.remedies import VOID
from felt.table import facts, questions, redacted, settle
from felt.table.chart import move, refuse, stay
from felt.table.notices import notice, post
from felt.table.prompts import tell
from felt.table.questions import has_confirmed_claim, reading
from felt.table.state import EVERY_PHASE, IN_PLAY, Phase, Question, Round, Ruling, Table, with_round

VOID_ALREADY = "refused.void_already"
NOTHING_TO_VOID = "refused.nothing_to_void"
KEY_SWITCH = "supervisor key"  # recorded as the person when the key switch allowed a void or a return


def round_may_be_voided(table: Table, fact: facts.Fact) -> bool:
    return table.round is not None and not questions.a_claim_was_confirmed(table, fact)


def previous_round_can_be_voided(table: Table, _: facts.Fact) -> bool:
    return previous_can_be_voided(table)


def previous_can_be_voided(table: Table) -> bool:
    """Until the next round opens, by the default reading. Never after a jackpot of the round was confirmed."""
    previous, settings = table.previous, table.settings
    if previous is None or settings is None or previous.void_rule:
        return False
    if settings.reading("void_window", "until_next_open") != "until_next_open":
        return False
    return not _is_paid(previous)


def previous_is_paid(table: Table, _: facts.Fact) -> bool:
    return table.round is None and table.previous is not None and _is_paid(table.previous)


def _is_paid(ended: Round) -> bool:
    return any(claim.verdict == "confirmed" for claim in ended.claims)


def claim_is_confirmed(table: Table, _: facts.Fact) -> str:
    return f"{tell(table, 'refused.claim_confirmed')} {tell(table, 'refused.declare_instead')}"


def supervisor_is_here(table: Table, _: facts.Fact) -> bool:
    return table.panel.supervisor


def key_would_void_what_is_paid(table: Table, _: facts.Fact) -> bool:
    return table.panel.supervisor and has_confirmed_claim(table)


def _office_of(fact: facts.Fact) -> str:
    """The key switch has a supervisor's authority."""
    return fact.role if isinstance(fact, facts.VoidOrdered | facts.BetsReturned) else Authority.SUPERVISOR


def _offers_void(asked: Question, role: str) -> bool:
    if VOID not in asked.options:
        return False
    return all(may(role, offer.who) for offer in asked.offers if offer.choice == VOID)


def _against(table: Table, role: str) -> Question | None:
    """The open question that forbids a void by this role. A question that neither holds play nor concerns the last
    round leaves the round to the person in charge of it."""
    if may(role, Authority.SHIFT_MANAGER):
        return None
    asked = (question for question in table.irregularity.questions if question.holds or question.round)
    return next((question for question in asked if not _offers_void(question, role)), None)


def _least_office_to_void(table: Table) -> str:
    """No paragraph covers a void of a lawful round after the reveal, so it needs a higher role."""
    return reading(table, "void_after_reveal", Authority.SHIFT_MANAGER) if _is_lawful(table) else Authority.SUPERVISOR


def _is_lawful(table: Table) -> bool:
    """The round that a void would reach is past its reveal, and nothing is wrong with it: no question offers a void,
    and no device found an error."""
    if table.round is not None:
        playing = table.round
        reached = playing.revealed and table.phase is not Phase.VOIDING and not has_confirmed_claim(table)
    elif table.previous is not None:
        playing = table.previous
        reached = previous_can_be_voided(table)
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
    return _question_leaves_no_void(table) or not may(Authority.SUPERVISOR, _least_office_to_void(table))


def _question_leaves_no_void(table: Table) -> bool:
    return _against(table, Authority.SUPERVISOR) is not None


def why_no_void(table: Table, fact: facts.Fact) -> str:
    role, least = _office_of(fact), _least_office_to_void(table)
    asked = _against(table, role)
    if asked is not None and may(role, Authority.SUPERVISOR):
        lawful = tuple(option for option in asked.options if option != VOID)
        options = tell(table, "options.or").join(lawful or asked.options)
        return tell(table, "refused.void", id=asked.id, rule=asked.rule, options=options)
    if may(role, Authority.SUPERVISOR):
        return _told(table, "refused.lawful_void", least, role)
    return tell(table, "refused.authority", choice=VOID, who=tell(table, f"role.{least}"), role=role)


def _told(table: Table, key: str, least: str, role: str) -> str:
    rule = settle.paragraphs_of(table).uncovered
    return tell(table, key, who=tell(table, f"role.{least}"), role=tell(table, f"role.{role}"), rule=rule)


def error_is_known(table: Table, playing: Round) -> bool:
    """A question is open, a device found an error, or a person declared one, whatever followed."""
    return bool(table.irregularity.questions or playing.findings or playing.declared or playing.remedied)


def _least_office_to_return(table: Table) -> str:
    if error_is_known(table, settle.round_of(table)):
        return Authority.SUPERVISOR
    return reading(table, "return_without_error", Authority.SHIFT_MANAGER)


def may_not_return(table: Table, fact: facts.Fact) -> bool:
    return table.round is not None and not may(_office_of(fact), _least_office_to_return(table))


def supervisor_may_return(table: Table) -> bool:
    return may(Authority.SUPERVISOR, _least_office_to_return(table))


def why_no_return(table: Table, fact: facts.Fact) -> str:
    role, least = _office_of(fact), _least_office_to_return(table)
    if may(role, Authority.SUPERVISOR):
        return _told(table, "refused.lawful_return", least, role)
    choice = tell(table, "choice.return")
    return tell(table, "refused.authority", choice=choice, who=tell(table, f"role.{least}"), role=role)


def may_not_return_while_held(table: Table) -> bool:
    """A person who may not void may not return all bets box by box either."""
    return _question_leaves_no_void(table)


def why_not_returned(table: Table) -> str:
    asked = _against(table, Authority.SUPERVISOR)
    assert asked is not None
    options = tell(table, "options.or").join(asked.options)
    return tell(table, "refused.returns", id=asked.id, rule=asked.rule, options=options)


def why_no_correction(table: Table, fact: facts.CorrectionRecorded) -> str:
    """A correction covers an error that was noticed after a later round began, and a declared one. Empty if this role
    may record it."""
    least = Authority.SUPERVISOR.value
    if not _correction_is_covered(table, fact.round):
        least = reading(table, "uncovered_correction", Authority.SHIFT_MANAGER)
    if may(fact.role, least):
        return ""
    if may(fact.role, Authority.SUPERVISOR):
        return _told(table, "refused.uncovered_correction", least, fact.role)
    who = tell(table, f"role.{least}")
    return tell(table, "refused.authority", choice=tell(table, "correction.name"), who=who, role=fact.role)


def _correction_is_covered(table: Table, number: int) -> bool:
    previous = table.previous
    if number < table.tally.rounds or previous is None:
        return True
    return error_is_known(table, previous)


# --- moves -------------------------------------------------------------------------------------------


def void_by_order(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.VoidOrdered)
    return void(table, fact.at, settle.paragraphs_of(table).void_returns, fact.reason, fact.person)


def void_by_key(table: Table, fact: facts.Fact) -> Table:
    reason = "VOID was pressed with the supervisor key on"
    return void(table, fact.at, settle.paragraphs_of(table).void_returns, reason, KEY_SWITCH)


def void_by_ruling(table: Table, fact: facts.Fact) -> Table:
    ruled = table.irregularity.ruled
    assert ruled is not None
    if ruled.question.statement is not None and ruled.question.proposal not in ("", ruled.choice):
        # The stated paragraph proposes something else: this void is the supervisor's own, with his reason.
        return void(table, fact.at, settle.paragraphs_of(table).void_returns, ruled.reason, ruled.person)
    return void(table, fact.at, _rule_of(ruled.question), ruled.question.because, ruled.person)


def _rule_of(asked: Question) -> str:
    """The paragraph by which a question offers the void."""
    return next((offer.rule for offer in asked.offers if offer.choice == VOID), asked.rule)


def void_previous(table: Table, fact: facts.Fact) -> Table:
    """A void after the round has ended is a correction of its own."""
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
    if playing.plan or playing.bets:  # the controller knows the round
        after_result = playing.settled_at is not None
        told = redacted.scrubbed(reason)
        table = post(table, letters.RoundVoidedLetter(playing.number, told, rule, person, at, after_result))
        table = _untally(table, playing)
    lines = settle.returned_lines(settle.with_what_lies_there(table), rule)
    table = with_round(table, void_rule=rule, void_reason=reason, lines=lines, held_from=None)
    table = replace(table, deadlines=(), tally=replace(table.tally, voided=table.tally.voided + 1))
    returns = settle.paragraphs_of(table).void_returns
    what = "what still lies there" if all_went_back(playing) else "every bet"
    table = notice(table, "noted", f"Round {playing.number} is void ({rule}): return {what} ({returns}).")
    return _say_returned_before(table, playing)


def all_went_back(voided: Round) -> bool:
    """The round became void because its last box had its bets returned."""
    return bool(voided.returned) and not settle.standing_seats(voided)


def _say_returned_before(table: Table, voided: Round) -> Table:
    """Nobody may hand a bet back twice."""
    if not voided.returned or all_went_back(voided):
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


def answer_by_void(table: Table, fact: facts.Fact) -> Table:
    """A void by order or key closes every question, and answers the one that offers it."""
    asked = next((question for question in table.irregularity.questions if VOID in question.options), None)
    person, reason = (fact.person, fact.reason) if isinstance(fact, facts.VoidOrdered) else (KEY_SWITCH, "")
    ruled = None if asked is None else Ruling(asked, VOID, person, reason)
    return replace(table, irregularity=replace(table.irregularity, questions=(), ruled=ruled))


# --- rows --------------------------------------------------------------------------------------------

ROWS = (
    *refuse(facts.VoidOrdered, IN_PLAY, claim_is_confirmed, when=questions.a_claim_was_confirmed),
    *refuse(facts.VoidPressed, IN_PLAY, claim_is_confirmed, when=key_would_void_what_is_paid),
    *refuse(facts.VoidOrdered, (Phase.IDLE, Phase.CLOSED), claim_is_confirmed, when=previous_is_paid),
    *refuse(facts.VoidOrdered, EVERY_PHASE, why_no_void, when=may_not_void),
    *refuse(facts.VoidPressed, EVERY_PHASE, why_no_void, when=key_may_not_void),
    *move(facts.VoidOrdered, IN_PLAY, Phase.VOIDING, do=(answer_by_void, void_by_order)),
    *stay(
        facts.VoidOrdered, (Phase.IDLE, Phase.CLOSED),
        when=previous_round_can_be_voided, do=(answer_by_void, void_previous),
    ),
    *refuse(facts.VoidOrdered, Phase.VOIDING, VOID_ALREADY),
    *refuse(facts.VoidOrdered, EVERY_PHASE, NOTHING_TO_VOID),
    *move(
        facts.VoidPressed, IN_PLAY, Phase.VOIDING,
        when=supervisor_is_here, do=(answer_by_void, void_by_key),
    ),
    *stay(facts.VoidPressed, IN_PLAY, do=call_supervisor),
    *refuse(facts.VoidPressed, EVERY_PHASE, NOTHING_TO_VOID),
)
