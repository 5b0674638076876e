"""What can go wrong with the cards, in the words of a story."""

from __future__ import annotations

from felt.rules.mishaps import Mishap

# As people say it, and as the product names it.
KINDS = {
    "an exposed card": Mishap.EXPOSED_CARD,
    "exposed cards": Mishap.EXPOSED_CARDS,
    "a dealing error": Mishap.DEALING_ERROR,
    "a missed burn": Mishap.MISSED_BURN,
    "cards drawn together": Mishap.SIMULTANEOUS_CARDS,
    "a foreign card": Mishap.FOREIGN_CARD,
    "a wrong number of cards": Mishap.WRONG_COUNT,
    "a second hand examined": Mishap.SECOND_HAND_EXAMINED,
    "a chip in error": Mishap.CHIP_IN_ERROR,
    "unshuffled cards": Mishap.NOT_SHUFFLED,
    "a wrong deck": Mishap.WRONG_DECK_COUNT,
    "too few cards": Mishap.SHORT_DEAL,
    "a card face up in the shoe": Mishap.FACE_UP_CARD,
    "something else": Mishap.OTHER,
}
