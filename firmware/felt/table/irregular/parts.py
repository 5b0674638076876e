"""What every question needs: where the round stands, the reading in force, and that nothing is asked twice."""

from __future__ import annotations

from felt.nouns.money import Currency
from felt.nouns.values import replace
from felt.nouns.wording import says_something
from felt.rules.remedies import RECORD_CORRECTION
from felt.table.irregular.statement import Statement, say_statement
from felt.table.state import Phase, Question, Table

CONTINUE, VOID, RETURN, SEAT, NOTED = "continue", "void", "return", "seat", "noted"

# From the lock key to the end of paying, an interruption needs a ruling.
HELD_BY_INTERRUPTION = (
    Phase.LOCKING,
    Phase.DEALING,
    Phase.DECIDING,
    Phase.REVEALING,
    Phase.SETTLING,
    Phase.VERIFYING,
    Phase.PAYING,
)
BEFORE_REVEAL = (Phase.BETTING, Phase.LOCKING, Phase.DEALING, Phase.DECIDING)
AFTER_SNAPSHOT = HELD_BY_INTERRUPTION[1:]
HELD_FROM = (Phase.BETTING, *HELD_BY_INTERRUPTION)  # play can be held in these
IN_PLAY = (*HELD_FROM, Phase.INTERRUPTED)
AFTER_LOCK = (*HELD_BY_INTERRUPTION, Phase.INTERRUPTED)


def phase_of_play(table: Table) -> Phase:
    """Where the round stands, also while it is held."""
    if table.phase is Phase.INTERRUPTED and table.round is not None and table.round.held_from is not None:
        return table.round.held_from
    return table.phase


def claim_is_confirmed(table: Table) -> bool:
    return table.round is not None and any(claim.verdict == "confirmed" for claim in table.round.claims)


def reading(table: Table, name: str, default: str) -> str:
    return table.settings.reading(name, default) if table.settings else default


def once(table: Table, question: Question) -> tuple[Question, ...]:
    """A question that is open already is not asked again."""
    asked = any(
        open_one.kind == question.kind and open_one.where == question.where
        for open_one in table.irregularity.questions
    )
    return () if asked else (question,)


def asked_by(table: Table, kind: str, statement: Statement, *, only: bool = False) -> Question:
    """The question that a statement puts to the supervisor. `only`: nothing but a void is left."""
    options = (VOID,) if only else (CONTINUE, VOID)
    because = say_statement(statement, table.settings.terms.currency if table.settings else Currency())
    return Question(
        "", kind, statement.phase, statement.rule, options, statement.proposal, because, holds=True, statement=statement
    )


def restated(table: Table, question: Question) -> tuple[Question, ...]:
    """One interruption after another is one question: it keeps its number, names every cause, and says what holds of
    the round as it now stands."""
    before = next((one for one in table.irregularity.questions if one.kind == question.kind), None)
    if before is None or before.statement is None or question.statement is None:
        return (question,)
    causes = tuple(dict.fromkeys((*before.statement.causes, *question.statement.causes)))
    readings = tuple(dict.fromkeys((*before.statement.readings, *question.statement.readings)))
    again = replace(question.statement, causes=causes, readings=readings)
    only = len(question.options) == 1
    return (replace(asked_by(table, question.kind, again, only=only), id=before.id),)


def overrules_unexplained(question: Question, choice: str, reason: str) -> bool:
    """Against the adjudicator's proposal, or a reported hit is rejected, or a correction is recorded, and no word
    why."""
    if choice == RECORD_CORRECTION and not says_something(reason):
        return True
    explained = question.statement is not None or bool(question.reported_by)
    return explained and question.proposal not in ("", choice) and not says_something(reason)
