"""What the table itself tells the players for as long as it holds, and what it states to the supervisor: the notice
that no progressive bets are taken, the boxes out of play, the adjudicator's statements. Pure functions of the table;
how they look is the screens' business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from felt.table import settle
from felt.table.irregular.statement import plain_statement
from felt.table.state import Phase, Table

NO_PROGRESSIVE, BOX_BARRED = "no_progressive", "box_barred"


@dataclass(frozen=True)
class PlayersNotice:
    """A notice by its kind, for a sign that says it in its own language."""

    kind: str
    rule: str
    seat: int = 0  # the box that it is about; 0: the whole table


def players_notices(table: Table) -> tuple[PlayersNotice, ...]:
    """The notices that must be displayed at the gaming table now."""
    if table.settings is None or table.phase is Phase.CLOSED:
        return ()
    paragraphs = settle.paragraphs_of(table)
    whole = () if _takes_progressive_bets(table) else (PlayersNotice(NO_PROGRESSIVE, paragraphs.without_progressive),)
    return (*whole, *(PlayersNotice(BOX_BARRED, paragraphs.box_barred, seat) for seat in table.barred))


def signs(table: Table) -> tuple[str, ...]:
    """The same as sentences."""
    return tuple(_SENTENCES[one.kind].format(seat=one.seat, rule=one.rule) for one in players_notices(table))


_SENTENCES = {
    NO_PROGRESSIVE: "No Progressive Jackpot Bets are accepted or paid ({rule}).",
    BOX_BARRED: "Box {seat}: no bets are accepted ({rule}).",
}


def _takes_progressive_bets(table: Table) -> bool:
    assert table.settings is not None
    if settle.coin_wager(table.settings) is None:
        return True
    return table.round.progressive_open if table.round is not None else settle.progressive_may_open(table)


def statements(table: Table) -> tuple[dict[str, Any], ...]:
    """Every open question that the adjudicator has stated, with its number and what may be answered."""
    return tuple(
        {"question": one.id, "kind": one.kind, "options": list(one.options), **plain_statement(one.statement)}
        for one in table.irregularity.questions
        if one.statement is not None
    )
