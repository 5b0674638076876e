"""Joins the rows of the topics into the three charts, and lists which fact raises which questions. Every state and
every fact of a region has rows: move, stay, or refuse with a reason. Rows are tried from the top; the last row of a
cell has no condition."""

from __future__ import annotations

from enum import StrEnum

from felt.nouns.values import replace
from felt.rules.remedies import VOID
from felt.table import (
    bets,
    chips,
    claims,
    dealing,
    deciding,
    deck,
    discards,
    facts,
    interruptions,
    link,
    locking,
    maintenance,
    misdeals,
    opening,
    panel,
    questions,
    remedies,
    reported_hits,
    service,
    settle,
    settling,
    voiding,
)
from felt.table.chart import FactKind, Region, Row
from felt.table.questions import has_confirmed_claim
from felt.table.state import LinkState, Phase, Question, ServiceState, Table

LINK = Region(
    "link",
    LinkState,
    lambda table: table.link,
    lambda table, state: replace(table, link=state),
    link.LINK_ROWS,
)
SERVICE = Region(
    "service",
    ServiceState,
    lambda table: table.service.state,
    lambda table, state: replace(table, service=replace(table.service, state=state)),
    (
        *service.SERVICE_ROWS, *maintenance.SERVICE_ROWS, *chips.SERVICE_ROWS, *deck.SERVICE_ROWS, *panel.SERVICE_ROWS,
    ),
)
# Topics that refuse because of the table's state come before topics that judge the fact itself.
ROUND = Region(
    "round",
    Phase,
    lambda table: table.phase,
    lambda table, phase: replace(table, phase=phase),
    (
        *maintenance.ROWS, *opening.ROWS, *misdeals.ROWS, *chips.ROWS, *bets.ROWS, *locking.ROWS, *dealing.ROWS,
        *deck.ROWS, *deciding.ROWS, *panel.ROWS, *discards.ROWS, *link.ROWS, *settling.ROWS, *claims.ROWS,
        *reported_hits.ROWS, *interruptions.ROWS, *remedies.ROWS, *voiding.ROWS,
    ),
)

# A fact passes the regions in this order: the round moves last.
REGIONS = (LINK, SERVICE, ROUND)


def cell(region: Region, state: StrEnum, kind: FactKind) -> tuple[Row, ...]:
    """The rows of one cell in the order they are tried, up to the row without a condition."""
    return _CELLS[region.name].get((kind, state), ())


def _cells(region: Region) -> dict[tuple[FactKind, StrEnum], tuple[Row, ...]]:
    cells: dict[tuple[FactKind, StrEnum], tuple[Row, ...]] = {}
    for row in region.rows:
        before = cells.get((row.fact, row.source), ())
        if not before or before[-1].when is not None:
            cells[row.fact, row.source] = (*before, row)
    return cells


_CELLS = {region.name: _cells(region) for region in REGIONS}


# --- questions ---------------------------------------------------------------------------------------


def questions_raised(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """The questions that this fact opens at this table, not yet numbered. In test mode people's reports open none: they
    are refused until test mode ends."""
    if table.service.state is ServiceState.TEST and isinstance(fact, _TOLD_BY_PEOPLE):
        return ()
    raise_from = _RAISERS.get(type(fact))
    raised = raise_from(table, fact) if raise_from else ()
    if raised and has_confirmed_claim(table):
        raised = tuple(_without_void(question) for question in raised)
    if raised and settle.supervisor_decides_alone(table):
        return tuple(_without_proposal(question) for question in raised)
    return raised


def _without_proposal(question: Question) -> Question:
    """The supervisor decides alone, so nothing is proposed. A reported hit keeps its proposal: it is no
    irregularity."""
    if question.kind == reported_hits.HIT_REPORTED:
        return question
    statement = None if question.statement is None else replace(question.statement, proposal="")
    return replace(question, proposal="", statement=statement)


def _without_void(question: Question) -> Question:
    """Removes the void: a paid jackpot cannot be undone here."""
    options = tuple(option for option in question.options if option != VOID)
    return replace(question, options=options, proposal=options[0])


def by_card(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    return (*misdeals.by_inventory(table, fact), *discards.by_card(table, fact))


_TOLD_BY_PEOPLE = (facts.IrregularityDeclared, facts.HitReported, facts.StubChecked)
_RAISERS = {
    facts.Booted: interruptions.by_boot,
    facts.FaultRaised: interruptions.by_fault,
    facts.StepFailed: interruptions.by_fault,
    facts.OutOfServiceOrdered: interruptions.by_fault,
    facts.ShufflerGreeted: interruptions.by_shuffler,
    facts.DealCountLost: interruptions.by_shuffler,
    facts.LinkLost: link.by_link,
    facts.ChipChattered: link.by_chatter,
    facts.LampFound: link.by_lamp,
    facts.ChipSeen: chips.by_chip,
    facts.ChipLifted: chips.by_chip,
    facts.DeadlinePassed: locking.by_drain,
    facts.RulingMade: locking.by_ruling,
    facts.CardDealt: by_card,
    facts.CardUnread: by_card,
    facts.CardKeyed: discards.by_card,
    facts.DeckReported: misdeals.by_inventory,
    facts.StubChecked: misdeals.by_inventory,
    facts.IrregularityDeclared: misdeals.by_declaration,
    facts.SeatPressed: misdeals.by_key,
    facts.SettlePressed: misdeals.by_key,
    facts.CountMismatchPressed: chips.by_count,
    facts.HitReported: reported_hits.by_report,
}


def ask(table: Table, fact: facts.Fact) -> Table:
    """Opens the questions that this fact raises, before any region moves."""
    raised = questions_raised(table, fact)
    return questions.put(table, raised) if raised else table
