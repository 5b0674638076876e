"""The adjudicator's statement: everything that a supervisor needs to accept a proposal or to overrule it, as data. It
is made once, when play is interrupted, kept with the question and never made again from a table that has moved on. The
question's sentence, what screens show and the JSON are all made from it. It knows no chart and no rulebook."""

from __future__ import annotations

from typing import Any

from felt.nouns.money import Currency, minor_of, say
from felt.nouns.values import Value, to_plain


class Statement(Value):
    causes: tuple[str, ...]  # what happened, in this order, while the question was open
    phase: str  # where the round stood
    established: bool  # whether any bet has conclusively won or lost
    why: str  # by which act or which open cards; or why not
    seen: bool  # whether any player has seen his cards
    progressive_bets: int  # that stand
    registered: tuple[tuple[str, int], ...]  # the meters in micro-units, as journaled before the malfunction
    rule: str
    proposal: str
    readings: tuple[str, ...] = ()  # that decided it, as name=value


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
    """As screens and programs read it. Amounts are whole minor units, cut."""
    return {
        **to_plain(statement),
        "registered": {meter: minor_of(micro) for meter, micro in statement.registered},
        "readings": dict(one.split("=") for one in statement.readings),
    }
