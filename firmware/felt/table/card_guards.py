"""Truths about cards and the deck. A guard asks; it never changes anything."""

from __future__ import annotations

from felt.nouns.cards import INDEX_OF
from felt.nouns.stamps import NS_PER_S
from felt.rules.authority import Role, may
from felt.table import facts, inventory, settle
from felt.table.guards import play_is_held
from felt.table.irregular.parts import phase_of_play
from felt.table.state import UNREAD, Phase, Round, Table

CARD_WAIT_NS = 5 * NS_PER_S  # after so long without a card of an unfinished deal a supervisor may key the next one


def role_is_too_low(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.CardKeyed | facts.CardStruck | facts.DeckChanged | facts.DeckVerified)
    return not may(fact.role, Role.SUPERVISOR)


def card_is_none(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.CardKeyed | facts.CardStruck)
    return fact.card not in INDEX_OF


def card_is_struck(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.CardKeyed | facts.CardStruck)
    return fact.card in table.shuffler.struck


def card_is_out(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.CardKeyed)
    playing = table.round
    return playing is not None and (fact.card in playing.strays or any(one.card == fact.card for one in playing.dealt))


def a_card_is_unread(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and any(one.card == UNREAD for one in table.round.dealt)


def a_hand_is_unread(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and bool(inventory.unread_targets(table.round))


def card_came_before(table: Table, fact: facts.Fact) -> bool:
    return table.round is not None and bool(table.round.plan) and inventory.came_before(table.round, fact)


# --- a card that did not come ------------------------------------------------------------------------


def a_card_is_missing(table: Table, fact: facts.Fact) -> bool:
    """The deal is not complete and the shuffler will not complete it."""
    playing, shuffler = table.round, table.shuffler
    if playing is None or phase_of_play(table) is not Phase.DEALING or len(playing.dealt) >= len(playing.plan):
        return False
    stopped = shuffler.deck is not None and (shuffler.deck.jammed or shuffler.deck.cards == 0)
    return stopped or not shuffler.connected or _is_long_waited_for(table, playing, fact)


def _is_long_waited_for(table: Table, playing: Round, fact: facts.Fact) -> bool:
    """Cards of the boot before have no time in this one: they came before it."""
    locked_ns = playing.lock_ns or 0 if playing.locked_at is not None and playing.locked_at.boot == table.boot else 0
    last_ns = max((one.arrived_ns for one in playing.dealt), default=locked_ns)
    return fact.at.mono_ns - last_ns >= CARD_WAIT_NS


def deal_is_unfinished(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and inventory.deal_is_under_way(table)


def card_may_be_inserted(table: Table, fact: facts.Fact) -> bool:
    """The deal was interrupted, and no ordinal says that nothing left between the last card before and what came."""
    if not deal_is_unfinished(table, fact) or not play_is_held(table, fact):
        return False
    playing = settle.round_of(table)
    at = playing.broken_at
    return at is not None and (at == len(playing.dealt) or not playing.dealt[at].ordinal)


def missing_card_is_not_the_last(table: Table, fact: facts.Fact) -> bool:
    playing = settle.round_of(table)
    goes_on = len(playing.dealt) + 1 < len(playing.plan)
    return a_card_is_missing(table, fact) and goes_on and not play_is_held(table, fact)


def missing_card_leads_to_decisions(table: Table, fact: facts.Fact) -> bool:
    return a_card_is_missing(table, fact) and bool(settle.deciding_seats(table))


# --- the deck ----------------------------------------------------------------------------------------


def deal_is_complete(table: Table, _: facts.Fact) -> bool:
    playing = inventory.last_deal(table)
    return playing is not None and inventory.deal_is_complete(playing)


def deck_is_unfit_for_the_deal(table: Table, _: facts.Fact) -> bool:
    return bool(inventory.why_no_lock(table))
