"""Questions that cards raise: misdeals, recognised or declared."""

from __future__ import annotations

from felt.table import facts, settle
from felt.table.irregular.parts import (
    AFTER_SNAPSHOT,
    CONTINUE,
    VOID,
    once,
    phase_of_play,
    reading,
)
from felt.table.state import Phase, Question, Table


def by_card(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.CardDealt)
    phase, playing = phase_of_play(table), table.round
    if playing is None:
        return ()
    paragraphs = settle.paragraphs_of(table)
    if phase in (Phase.BETTING, Phase.LOCKING):
        removable = reading(table, "card_before_lock", "misdeal_void_offered") == "card_removed"
        proposal = CONTINUE if removable else VOID
        because = "a card left the shoe before bets were closed"
        return once(table, _misdeal(phase, paragraphs.dealt_incorrectly, proposal, because))
    if phase not in (Phase.DEALING, Phase.DECIDING, Phase.REVEALING):
        return ()
    if any(dealt.card == fact.card for dealt in playing.dealt) or fact.card in playing.strays:
        because = f"{fact.card} came out of the deck twice"
        return once(table, _misdeal(phase, paragraphs.foreign_card, VOID, because, only=True))
    if len(playing.dealt) >= len(playing.plan):
        return once(table, _misdeal(phase, paragraphs.dealer_count, VOID, "a card came after the deal was complete"))
    return ()


def _misdeal(phase: Phase, rule: str, proposal: str, because: str, *, only: bool = False) -> Question:
    options = (proposal,) if only else (CONTINUE, VOID)
    return Question("", "misdeal", phase.value, rule, options, proposal, because, holds=True)


def by_declaration(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    """The dealer saw what no device can see. While nobody has seen his cards, cards dealt incorrectly void the
    round; afterwards it is a dealing error, after which players may go on."""
    phase, playing = phase_of_play(table), table.round
    if playing is None or table.phase is Phase.INTERRUPTED or phase not in AFTER_SNAPSHOT:
        return ()
    paragraphs = settle.paragraphs_of(table)
    if playing.seen:
        because = "a misdeal was declared by the dealer after cards were seen"
        return once(table, _misdeal(phase, paragraphs.dealing_error, CONTINUE, because))
    because = "a misdeal was declared by the dealer before any player has seen cards"
    return once(table, _misdeal(phase, paragraphs.dealt_incorrectly, VOID, because))
