"""The plan of a deal: dealing method and boxes give a tuple of targets, one for each card. The charts know no methods.
They only know that a card has a target and that a plan has an end."""

from __future__ import annotations

from felt.nouns.cards import Card
from felt.rules.procedure import Community, Dealing
from felt.table.state import Round, Table

DEALER = "dealer"
COMMUNITY = "community"
BURN = "burn"
DISCARD = "discard"
HAND_CARDS = 3
# The third community card counts as one of them until a person says which one is discarded.
_SAID = {DEALER: "the dealer", COMMUNITY: "the community cards", DISCARD: "the community cards", BURN: "the burn"}
_COMMUNITY_LAST = {
    Community.LAST: (COMMUNITY, COMMUNITY),
    Community.LAST_OF_THREE: (COMMUNITY, COMMUNITY, DISCARD),
}


def plan(method: Dealing, seats: tuple[int, ...]) -> tuple[str, ...]:
    """Clockwise from the dealer's left, the dealer last. The method says where the community's cards come."""
    targets = (*(str(seat) for seat in seats), DEALER)
    if method.one_by_one:
        hands = targets * HAND_CARDS
    else:
        hands = tuple(target for target in targets for _ in range(HAND_CARDS))
    burnt = (BURN,) if method.burns else ()
    first = (COMMUNITY, COMMUNITY) if method.community is Community.FIRST else ()
    return (*burnt, *first, *hands, *_COMMUNITY_LAST.get(method.community, ()))


def hand_of(playing: Round, target: str) -> tuple[Card, ...]:
    return tuple(dealt.card for dealt in playing.dealt if dealt.target == target)


def time_of_hand(playing: Round, target: str) -> tuple[int, int]:
    """When a hand was complete: the arrival of its last card, and how much earlier that card may have left the shoe."""
    times = ((dealt.arrived_ns, dealt.uncertain_ns) for dealt in playing.dealt if dealt.target == target)
    return max(times, default=(0, 0))


def say_target(target: str) -> str:
    """A target in a sentence."""
    return f"box {target}" if target.isdigit() else _SAID.get(target, target)


def shoe_of(table: Table) -> str:
    """The deck as a hit's record names it. A deck has no name of its own, so this is its shuffler."""
    shuffler = table.shuffler
    return f"{shuffler.identity or 'shuffler'} session {shuffler.session}"
