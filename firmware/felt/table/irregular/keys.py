"""What the keys of the panel declare while MISDEAL is lit, as if it had been declared at the desk."""

from __future__ import annotations

from felt.rules.authority import Role
from felt.rules.mishaps import Mishap
from felt.table import deal, facts
from felt.table.irregular import cards
from felt.table.state import Phase, Question, Table

MISDEAL = "misdeal"  # the mode of the seat keys
PHASES = (Phase.DEALING, Phase.DECIDING, Phase.REVEALING, Phase.SETTLING, Phase.VERIFYING, Phase.PAYING)
_OF_A_HAND = (Mishap.EXPOSED_CARD, Mishap.EXPOSED_CARDS, Mishap.WRONG_COUNT)


def awaits_second_box(table: Table, fact: facts.Fact) -> bool:
    lit = table.panel.mode == MISDEAL and table.panel.mishap == Mishap.WRONG_BOX
    return lit and not table.panel.linking and isinstance(fact, facts.SeatPressed)


def declaration_of(table: Table, fact: facts.Fact) -> facts.IrregularityDeclared | None:
    """What this key says while MISDEAL is lit; None if it says nothing yet."""
    if table.panel.mode != MISDEAL or table.phase not in PHASES or awaits_second_box(table, fact):
        return None
    assert isinstance(fact, facts.SeatPressed | facts.SettlePressed)
    pressed = str(fact.seat) if isinstance(fact, facts.SeatPressed) else _where_without_box(table.panel.mishap)
    first = str(table.panel.linking) if table.panel.linking else ""
    role = Role.SUPERVISOR if table.panel.supervisor else Role.DEALER
    where, other = (first, pressed or deal.DEALER) if first else (pressed, "")
    return facts.IrregularityDeclared(
        fact.at, table.panel.mishap, where, "", table.panel.dealer or role.value, role.value, other
    )


def _where_without_box(mishap: str) -> str:
    return deal.DEALER if mishap in _OF_A_HAND else ""


def by_key(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    said = declaration_of(table, fact)
    return cards.by_declaration(table, said) if said else ()
