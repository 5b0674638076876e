"""Questions to a supervisor: how they are asked, extended and answered, and the adjudicator's statement in words."""

from __future__ import annotations

from typing import Any

from felt.nouns.money import Currency, minor_of, say
from felt.nouns.texts import says_something
from felt.nouns.values import replace, to_plain
from felt.rules.remedies import CONTINUE, RECORD_CORRECTION, VOID
from felt.table import facts, notices, redacted
from felt.table.prompts import tell, tell_question
from felt.table.state import Question, Statement, Table

SEAT, NOTED = "seat", "noted"  # these two are not in the rules' table of remedies


def has_confirmed_claim(table: Table) -> bool:
    return table.round is not None and any(claim.verdict == "confirmed" for claim in table.round.claims)


def reading(table: Table, name: str, default: str) -> str:
    return table.settings.reading(name, default) if table.settings else default


def play_is_held(table: Table, _: facts.Fact) -> bool:
    if not table.irregularity.questions:
        return False
    return any(question.holds for question in table.irregularity.questions)


def a_question_is_open(table: Table, _: facts.Fact) -> bool:
    return bool(table.irregularity.questions)


def a_claim_was_confirmed(table: Table, _: facts.Fact) -> bool:
    return has_confirmed_claim(table)


def held(table: Table, _: facts.Fact) -> str:
    asked = ", ".join(question.id for question in table.irregularity.questions if question.holds)
    return tell(table, "refused.held", asked=asked)


def once(table: Table, question: Question) -> tuple[Question, ...]:
    """Asks a question only if it is not open already."""
    asked = any(
        open_one.kind == question.kind and open_one.where == question.where
        for open_one in table.irregularity.questions
    )
    return () if asked else (question,)


def asked_by(table: Table, kind: str, statement: Statement, *, only: bool = False) -> Question:
    """The question that puts a statement to the supervisor. `only`: a void is the only option."""
    options = (VOID,) if only else (CONTINUE, VOID)
    because = say_statement(statement, table.settings.terms.currency if table.settings else Currency())
    return Question(
        "", kind, statement.phase, statement.rule, options, statement.proposal, because, holds=True, statement=statement
    )


def restated(table: Table, question: Question) -> tuple[Question, ...]:
    """A second interruption extends the open question: it keeps its number, names every cause, and describes the round
    as it is now."""
    before = next((other for other in table.irregularity.questions if other.kind == question.kind), None)
    if before is None or before.statement is None or question.statement is None:
        return (question,)
    causes = tuple(dict.fromkeys((*before.statement.causes, *question.statement.causes)))
    readings = tuple(dict.fromkeys((*before.statement.readings, *question.statement.readings)))
    again = replace(question.statement, causes=causes, readings=readings)
    only = len(question.options) == 1
    return (replace(asked_by(table, question.kind, again, only=only), id=before.id),)


def overrules_unexplained(question: Question, choice: str, reason: str) -> bool:
    """The choice needs a reason and has none: it goes against the adjudicator's proposal, rejects a reported hit, or
    records a correction."""
    if choice == RECORD_CORRECTION and not says_something(reason):
        return True
    explained = question.statement is not None or bool(question.reported_by)
    return explained and question.proposal not in ("", choice) and not says_something(reason)


def say_statement(statement: Statement, currency: Currency) -> str:
    """In one sentence: what happened, whether an outcome is established and why, cards seen or not, the value."""
    outcome = "an outcome is established" if statement.established else "no outcome is established"
    seen = "cards were seen" if statement.seen else "cards were not seen"
    parts = [", then ".join(statement.causes), f"{outcome}: {statement.why}", seen]
    if statement.progressive_bets:
        bets = "1 progressive bet stands" if statement.progressive_bets == 1 else (
            f"{statement.progressive_bets} progressive bets stand"
        )
        parts.append(f"{bets}, registered {say_registered(statement.registered, currency)}")
    return "; ".join(parts)


def say_registered(registered: tuple[tuple[str, int], ...], currency: Currency) -> str:
    return ", ".join(f"{meter} {say(minor_of(micro), currency)}" for meter, micro in registered) or "nothing"


def plain_statement(statement: Statement) -> dict[str, Any]:
    """For screens and programs. Amounts are whole minor units, rounded down."""
    return {
        **to_plain(statement),
        "registered": {meter: minor_of(micro) for meter, micro in statement.registered},
        "readings": dict(reading.split("=") for reading in statement.readings),
    }


def put(table: Table, raised: tuple[Question, ...]) -> Table:
    before = table.irregularity
    again = {question.id: question for question in raised if question.id}  # open already, and stated anew
    fresh = [question for question in raised if not question.id]
    numbered = tuple(replace(question, id=f"q{before.asked + place}") for place, question in enumerate(fresh, 1))
    kept = tuple(again.get(question.id, question) for question in before.questions)
    asked = replace(before, asked=before.asked + len(numbered), questions=(*kept, *numbered), ruled=None)
    table = replace(table, irregularity=asked)
    for question in (*again.values(), *numbered):
        table = notices.notice(table, "noted", say_question(table, question))
    return table


def say_question(table: Table, question: Question) -> str:
    return tell_question(table, "question.asked", question, redacted.scrubbed(question.because))
