"""What the settlement pays for one deal. The enumeration counts how many deals are alike. Here one deal of each kind
goes through the rulebook's own settlement, so no pay table and no rule is written a second time."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import islice

import msgspec

from felt.nouns.cards import DECK, Card
from felt.nouns.values import replace
from felt.rules.rulebook import PLAY, WIN, Bettor, Box, Deal, Line, Rulebook, Terms

STAKE = 1_000  # minor units of a bet of free amount: its half is whole, and no rulebook's limit cuts it
BOX, OTHER_BOX = 1, 2
LOWER, EQUAL, HIGHER = range(3)  # the player's hand against the dealer's
ANTE_BETS = ("ante", "play")
OF_THE_ANTE = (*ANTE_BETS, "ante_bonus")  # what makes up the wager Ante with Play


class Cards(msgspec.Struct, frozen=True):
    """One deal to one box."""

    player: tuple[Card, ...]
    dealer: tuple[Card, ...]
    community: tuple[Card, ...] = ()


class Kind(msgspec.Struct, frozen=True):
    """A number of deals that are alike, and one of them."""

    name: str
    count: int
    cards: Cards
    code: int = 0  # kinds with one code differ only by the names of the suits


def by_code(kinds: Iterable[Kind]) -> dict[int, tuple[Kind, ...]]:
    together: dict[int, tuple[Kind, ...]] = {}
    for kind in kinds:
        together[kind.code] = (*together.get(kind.code, ()), kind)
    return together


class Showdown(msgspec.Struct, frozen=True):
    """A kind of deal between player and dealer: which hand is better, and whether the dealer qualifies."""

    hand: str
    compared: int
    qualifies: bool
    cards: Cards


class Paid(msgspec.Struct, frozen=True):
    """What one deal does to the bets in question."""

    net: Fraction
    risked: Fraction
    pays: str
    meter: str = ""
    share: Fraction = Fraction(0)


class Settlement:
    """A rulebook and the house's terms; evaluates one deal at a time."""

    def __init__(self, book: Rulebook, terms: Terms) -> None:
        self.book = book
        self.terms = replace(terms, limits=())
        self.progressive_stake = book.prescribed_stake(terms)
        self._settled: dict[tuple[Cards, tuple[str, ...], str], tuple[Line, ...]] = {}

    def paid(self, cards: Cards, bets: tuple[str, ...], counted: tuple[str, ...], decision: str = PLAY) -> Paid:
        """`bets` lie on the box; the verdict lines in `counted` make up the wager."""
        stake = self.stake_of(counted[0])
        lines = [line for line in self.lines(cards, bets, decision) if line.bet in counted]
        net = sum((_net(line) for line in lines), Fraction(0)) / stake
        risked = Fraction(sum(line.stake or 0 for line in lines), stake)
        major = [line for line in lines if line.level]
        pays = _in_words(lines)
        if not major:
            return Paid(net, risked, pays)
        (line,) = major
        return Paid(net, risked, pays, line.level, Fraction(line.share_num, line.share_den))

    def ante_paid(self, cards: Cards, decision: str) -> Paid:
        return self.paid(cards, ANTE_BETS, OF_THE_ANTE, decision)

    def stake_of(self, bet: str) -> int:
        if bet != "progressive":
            return STAKE
        assert self.progressive_stake, "a game with a progressive bet has its stake by now"
        return self.progressive_stake

    def lines(self, cards: Cards, bets: tuple[str, ...], decision: str) -> tuple[Line, ...]:
        """Cached, because several wagers use the same deal."""
        key = (cards, bets, decision)
        if key not in self._settled:
            self._settled[key] = self._settle(cards, bets, decision)
        return self._settled[key]

    def _settle(self, cards: Cards, bets: tuple[str, ...], decision: str) -> tuple[Line, ...]:
        placed = tuple((bet, self.stake_of(bet)) for bet in bets if bet != "play" or decision == PLAY)
        box = Box(BOX, "A", cards.player, decision if self.book.has_fold else "", placed)
        if self.book.has_bettors:
            box = replace(box, bets=(), bettors=(Bettor("A", placed),))
        community = cards.community or self._any_community(cards)
        return self.book.settle(Deal(cards.dealer, community, (box,)), self.terms)

    def envy(self, cards: Cards, decision: str) -> Fraction:
        """The envy award for another box, which never folds, in stakes. Both boxes bet the progressive, because a
        reading may require it of the box with the hand."""
        if not self.book.has_envy:
            return Fraction(0)
        stake = self.stake_of("progressive")
        played = (("ante", STAKE), ("play", STAKE), ("progressive", stake))
        bets = tuple(bet for bet in played if bet[0] != "play" or decision == PLAY)
        free = [card for card in DECK if card not in cards.player and card not in cards.dealer]
        achiever = Box(BOX, "A", cards.player, decision, bets)
        other = Box(OTHER_BOX, "B", tuple(free[:3]), PLAY, played)
        lines = self.book.settle(Deal(cards.dealer, (), (achiever, other)), self.terms)
        paid = sum(line.paid or 0 for line in lines if line.bet == "envy" and line.seat == OTHER_BOX)
        return Fraction(paid, stake)

    def _any_community(self, cards: Cards) -> tuple[Card, ...]:
        """For bets that ignore the community cards: a settlement needs all cards of its game."""
        free = (card for card in DECK if card not in cards.player and card not in cards.dealer)
        return tuple(islice(free, self.book.community_cards))


def _net(line: Line) -> Fraction:
    """Without what a meter pays: that is a share until the meter's value is known."""
    return Fraction((line.paid or 0) - (line.lost or 0))


def _in_words(lines: list[Line]) -> str:
    """As the pay table names it; if there are several bets, each with its name."""
    said = [line.odds if line.outcome == WIN and line.odds else line.outcome for line in lines]
    if len(lines) < 2:
        return "".join(said)
    return ", ".join(f"{line.bet.replace('_', ' ')} {what}" for line, what in zip(lines, said, strict=True))
