"""The plan of a deal: method and boxes make a tuple of targets, one for each card. Methods end here; the charts only
know that a card has a target and that a plan has an end."""

from __future__ import annotations

from felt.nouns.cards import Card
from felt.rules.procedure import Community, Dealing
from felt.table.state import Round, Table

DEALER = "dealer"
COMMUNITY = "community"
BURN = "burn"
DISCARD = "discard"
HAND_CARDS = 3
_COMMUNITY_LAST = {
    Community.LAST: (COMMUNITY, COMMUNITY),
    Community.LAST_OF_THREE: (COMMUNITY, COMMUNITY, DISCARD),
}


def plan(method: Dealing, seats: tuple[int, ...]) -> tuple[str, ...]:
    """Clockwise from the dealer's left, the dealer last; the community's cards where the method puts them."""
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
    """When a hand was complete: the arrival of its last card, and how much earlier that may have left."""
    times = ((dealt.arrived_ns, dealt.uncertain_ns) for dealt in playing.dealt if dealt.target == target)
    return max(times, default=(0, 0))


def say_target(target: str) -> str:
    """The third of the community's cards is one of them until somebody says which is discarded."""
    if target == DISCARD:
        return COMMUNITY
    return f"box {target}" if target.isdigit() else target


def shoe_of(table: Table) -> str:
    """What the record of a hit calls the deck: no deck bears a name, its shuffler does."""
    shuffler = table.shuffler
    return f"{shuffler.identity or 'shuffler'} session {shuffler.session}"
