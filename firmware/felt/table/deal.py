"""The plan of a deal: game, method and boxes make a tuple of targets, one for each card. Methods end here;
the charts only know that a card has a target and that a plan has an end."""

from __future__ import annotations

from collections.abc import Callable

from felt.nouns.cards import Card
from felt.table.state import Round

DEALER = "dealer"
COMMUNITY = "community"
BURN = "burn"
DISCARD = "discard"
HAND_CARDS = 3


def _packets(seats: tuple[str, ...]) -> tuple[str, ...]:
    """Three cards to each box clockwise, then three to the dealer."""
    return tuple(target for target in (*seats, DEALER) for _ in range(HAND_CARDS))


def _one_by_one(seats: tuple[str, ...]) -> tuple[str, ...]:
    """A burnt card, then one card to each box and one to the dealer, three times over."""
    return (BURN, *((*seats, DEALER) * HAND_CARDS))


METHODS: dict[str, Callable[[tuple[str, ...]], tuple[str, ...]]] = {
    "packets": _packets,
    "one_by_one": _one_by_one,
}


def plan(method: str, seats: tuple[int, ...]) -> tuple[str, ...]:
    return METHODS[method](tuple(str(seat) for seat in seats))


def hand_of(playing: Round, target: str) -> tuple[Card, ...]:
    return tuple(dealt.card for dealt in playing.dealt if dealt.target == target)


def last_card_ns(playing: Round, target: str) -> int:
    """The time of a hand is the arrival of its last card."""
    return max((dealt.arrived_ns for dealt in playing.dealt if dealt.target == target), default=0)
