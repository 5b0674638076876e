"""The 52 cards. A card is written rank then suit: `As`, `Td`, `2c`."""

from __future__ import annotations

from typing import NewType

Card = NewType("Card", str)

RANKS = "23456789TJQKA"
SUITS = "cdhs"

# A card's index is rank * 4 + suit, so that index // 4 is its rank (0 = two, 12 = ace).
DECK: tuple[Card, ...] = tuple(Card(rank + suit) for rank in RANKS for suit in SUITS)
INDEX_OF: dict[str, int] = {card: index for index, card in enumerate(DECK)}


class CardError(ValueError):
    """The text names no card of the deck."""


def parse_card(text: object) -> Card:
    if isinstance(text, str) and text in INDEX_OF:
        return Card(text)
    raise CardError(
        f"{text!r} is not a card: write rank (one of {RANKS}) then suit (one of {SUITS}), as in As or Td"
    )


def parse_cards(text: str) -> tuple[Card, ...]:
    return tuple(parse_card(word) for word in text.split())
