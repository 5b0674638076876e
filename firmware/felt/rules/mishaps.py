"""What can go wrong with cards and bets at a table, by name. Which paragraph speaks of it and what may follow is
`remedies`; how it is recognised is the table's work."""

from __future__ import annotations

from enum import StrEnum

from felt.nouns.values import Value


class Mishap(StrEnum):
    # recognised by the product
    CARD_BEFORE_LOCK = "card_before_lock"
    CARD_BEFORE_SNAPSHOT = "card_before_snapshot"  # after bets were closed, before they were recorded
    DUPLICATE_CARD = "duplicate_card"
    UNREAD_CARD = "unread_card"
    MISSING_CARD = "missing_card"  # it left the shuffler, and nobody heard of it
    STRAY_CARD = "stray_card"  # of another deal, or another card in the place of one that came before
    EXCESS_CARD = "excess_card"  # after the deal was complete
    SHORT_DEAL = "short_deal"  # the deal stopped before its plan was full
    WRONG_DECK_COUNT = "wrong_deck_count"
    FACE_UP_CARD = "face_up_card"
    # recognised where the device can tell, else declared
    FOREIGN_CARD = "foreign_card"
    MISSED_BURN = "missed_burn"
    SIMULTANEOUS_CARDS = "simultaneous_cards"
    WRONG_COUNT = "wrong_count"  # of a player's hand
    DEALER_COUNT = "dealer_count"
    # declared
    EXPOSED_CARD = "exposed_card"
    EXPOSED_CARDS = "exposed_cards"
    WRONG_BOX = "wrong_box"
    DEALING_ERROR = "dealing_error"  # dealt incorrectly in some other way
    SECOND_HAND_EXAMINED = "second_hand_examined"
    CHIP_IN_ERROR = "chip_in_error"
    NOT_SHUFFLED = "not_shuffled"
    OTHER = "other"  # what no paragraph covers


class Incident(Value):
    """A mishap with all that is known of it, recognised or declared."""

    mishap: Mishap
    where: str = ""  # a box by its number, dealer, community, or empty
    evidence: str = ""
    cards: tuple[str, ...] = ()
    other: str = ""  # the second place, where a hand came to the wrong one
    counted: int = 0  # cards that were counted there; 0: nobody said
    reconstructable: bool | None = None  # None: the house judges it
    drawn: tuple[int, ...] = ()  # which cards of the deal were drawn together, counted from the first
