"""What every question needs: where the round stands, the reading in force, and that nothing is asked twice."""

from __future__ import annotations

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
