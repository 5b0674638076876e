"""What the table itself tells the players for as long as it holds, and what it states to the supervisor: the notice
that no progressive bets are taken, the boxes out of play, the adjudicator's statements. Pure functions of the table;
how they look is the screens' business."""

from __future__ import annotations

from typing import Any

from felt.table import settle
from felt.table.irregular.statement import plain_statement
from felt.table.state import Phase, Table


def signs(table: Table) -> tuple[str, ...]:
    """The notices that must be displayed at the gaming table now."""
    if table.settings is None or table.phase is Phase.CLOSED:
        return ()
    shown = [] if _takes_progressive_bets(table) else [_no_progressive(table)]
    rule = settle.paragraphs_of(table).box_barred
    shown += [f"Box {seat}: no bets are accepted ({rule})." for seat in table.barred]
    return tuple(shown)


def _takes_progressive_bets(table: Table) -> bool:
    assert table.settings is not None
    if settle.coin_wager(table.settings) is None:
        return True
    return table.round.progressive_open if table.round is not None else settle.progressive_may_open(table)


def _no_progressive(table: Table) -> str:
    rule = settle.paragraphs_of(table).without_progressive
    return f"No Progressive Jackpot Bets are accepted or paid ({rule})."


def statements(table: Table) -> tuple[dict[str, Any], ...]:
    """Every open question that the adjudicator has stated, with its number and what may be answered."""
    return tuple(
        {"question": one.id, "kind": one.kind, "options": list(one.options), **plain_statement(one.statement)}
        for one in table.irregularity.questions
        if one.statement is not None
    )
