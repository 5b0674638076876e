"""The chart of the link with the jackpot controller."""

from __future__ import annotations

from felt.nouns.values import replace
from felt.table import facts, guards, upkeep
from felt.table.charts.rows import Region, move, stay
from felt.table.moves import failures
from felt.table.state import LinkState

_UP, _LOST = LinkState

LINK = Region(
    "link",
    LinkState,
    lambda table: table.link,
    lambda table, state: replace(table, link=state),
    (
        *move(facts.LinkLost, _UP, _LOST, do=failures.note_link_lost),
        *stay(facts.LinkLost, _LOST),
        *move(facts.LinkFound, LinkState, _UP),
        *stay(facts.LetterAcked, LinkState, do=upkeep.file_answer),
        # A round in play keeps the link it had: if the controller stays silent, the loss is told and asked about.
        *stay(facts.Booted, _UP, when=guards.round_is_open),
        *move((facts.EraOpened, facts.Booted), LinkState, _LOST),
    ),
)
