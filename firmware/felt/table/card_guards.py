"""Truths about cards and the deck. A guard asks; it never changes anything."""

from __future__ import annotations

from felt.nouns.cards import INDEX_OF
from felt.rules.authority import Role, may
from felt.table import facts, guards, inventory, settle
from felt.table.guards import play_is_held
from felt.table.irregular.parts import phase_of_play
from felt.table.state import UNREAD, Phase, Table


def role_is_too_low(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.CardKeyed | facts.CardStruck | facts.DeckChanged)
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


# --- a card that did not come ------------------------------------------------------------------------


def a_card_is_missing(table: Table, _: facts.Fact) -> bool:
    """The deal is not complete and the shuffler will not complete it."""
    playing, shuffler = table.round, table.shuffler
    if playing is None or phase_of_play(table) is not Phase.DEALING or len(playing.dealt) >= len(playing.plan):
        return False
    stopped = shuffler.deck is not None and (shuffler.deck.jammed or shuffler.deck.cards == 0)
    return stopped or not shuffler.connected


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


def deck_is_unfit(table: Table, _: facts.Fact) -> bool:
    return bool(inventory.unfit_deck(table))


def round_may_open(table: Table, fact: facts.Fact) -> bool:
    """The usual press of OPEN: there is nothing to be answered, mended or waited for."""
    if guards.question_is_open(table, fact) or guards.table_is_out_of_service(table, fact):
        return False
    if guards.mail_is_full(table, fact) or guards.no_rulebook_is_in_force(table, fact):
        return False
    return not deck_is_unfit(table, fact)


def cards_are_too_few(table: Table, _: facts.Fact) -> bool:
    return bool(inventory.too_few_cards(table))
