"""The mishaps with cards and bets, by name. `remedies` says which paragraph applies and what may follow; the table
detects them."""

from __future__ import annotations

from enum import StrEnum

from felt.nouns.values import Value


class Mishap(StrEnum):
    # detected by the product
    CARD_BEFORE_LOCK = "card_before_lock"
    CARD_BEFORE_SNAPSHOT = "card_before_snapshot"  # after bets closed, before they were recorded
    DUPLICATE_CARD = "duplicate_card"
    UNREAD_CARD = "unread_card"
    MISSING_CARD = "missing_card"  # it left the shuffler, but no message arrived
    STRAY_CARD = "stray_card"  # from another deal, or it contradicts an earlier card with the same ordinal
    EXCESS_CARD = "excess_card"  # after the deal was complete
    SHORT_DEAL = "short_deal"  # the deal stopped before its plan was full
    WRONG_DECK_COUNT = "wrong_deck_count"
    FACE_UP_CARD = "face_up_card"
    # detected if the device can tell, otherwise declared
    FOREIGN_CARD = "foreign_card"
    MISSED_BURN = "missed_burn"
    SIMULTANEOUS_CARDS = "simultaneous_cards"
    WRONG_COUNT = "wrong_count"  # of a player's hand
    DEALER_COUNT = "dealer_count"
    # declared by a person
    EXPOSED_CARD = "exposed_card"
    EXPOSED_CARDS = "exposed_cards"
    WRONG_BOX = "wrong_box"
    DEALING_ERROR = "dealing_error"  # any other dealing error
    SECOND_HAND_EXAMINED = "second_hand_examined"
    CHIP_IN_ERROR = "chip_in_error"
    NOT_SHUFFLED = "not_shuffled"
    OTHER = "other"  # no paragraph covers it


class Incident(Value):
    """A mishap, detected or declared, and everything known about it."""

    mishap: Mishap
    where: str = ""  # a box number, `dealer`, `community`, or empty
    evidence: str = ""
    cards: tuple[str, ...] = ()
    other: str = ""  # the second place, if a hand went to the wrong one
    counted: int = 0  # cards counted there; 0: not counted
    reconstructable: bool | None = None  # None: the house decides
    drawn: tuple[int, ...] = ()  # ordinals of cards that were drawn together
