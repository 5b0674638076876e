"""Why something about cards or the deck was refused, in sentences that a dealer can act on. None of them names a card
that the room may not see."""

from __future__ import annotations

from felt.table import facts, inventory
from felt.table.state import Table

SUPERVISOR_ONLY = "This needs a supervisor's authority: call the supervisor."
CARD_STRUCK = "This card was struck out of the deck: it cannot be in play."
CARD_IS_OUT = "This card is out already: look at it again before it is keyed."
NO_CARD_MISSING = "No card is missing and none is unread: there is nothing to key."
CARD_UNREAD = "A card of a hand was not read: a supervisor keys it, or voids the round, before it is settled."
PLACE_EMPTIED = (
    "Its place in that hand is empty, and SETTLE waits for it: a supervisor keys the card that lies there, or voids "
    "the round."
)
DECK_IN_PLAY = "The deck is in play: it is changed between rounds."
NO_STUB = "The cards left are counted once every card of a deal is out."


def no_such_card(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.CardKeyed | facts.CardStruck)
    return f"{fact.card!r} is not a card: write its rank (2 to 9, T, J, Q, K, A), then its suit (c, d, h, s)."


def deck_is_unfit(table: Table, _: facts.Fact) -> str:
    return inventory.unfit_deck(table)


def too_few_cards(table: Table, _: facts.Fact) -> str:
    return inventory.too_few_cards(table)
