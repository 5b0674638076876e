"""What every wager of a table returns, without counting a deal: the kinds of deals were counted when the firmware was
made (`tools/make_odds` writes `cached.json`) and one deal of each goes through the settlement with the house's own
terms. A table file is checked with this at every start, on a box without numpy."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from pathlib import Path

import msgspec

from felt.nouns.cards import parse_cards
from felt.odds.exact import Wager
from felt.odds.progressive import long_run
from felt.odds.settled import Cards, Kind
from felt.odds.side_bets import Counted, side_bets
from felt.rules.rulebook import Rulebook, Terms, readings_in_force

CACHE = Path(__file__).with_name("cached.json")


class KeptKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    count: int
    player: str
    dealer: str
    community: str = ""


class KeptCount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    deals: int
    kinds: tuple[KeptKind, ...]


class KeptAnte(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What Ante with Play costs under the best strategy, by the readings that change it."""

    game: str
    readings: dict[str, str]
    house_edge: str  # a fraction
    strategy: str


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    three_cards: KeptCount
    six_cards: KeptCount
    sets_of_six: KeptCount
    five_cards: KeptCount
    pictures: KeptCount
    antes: tuple[KeptAnte, ...]


class CachedCounts:
    """The same counts as `kinds.Enumerated` gives, read instead of counted."""

    @cached_property
    def kept(self) -> Kept:
        return msgspec.json.decode(CACHE.read_bytes(), type=Kept)

    @cached_property
    def by_three_cards(self) -> Counted:
        return _counted(self.kept.three_cards)

    @cached_property
    def by_six_cards(self) -> Counted:
        return _counted(self.kept.six_cards)

    @cached_property
    def by_sets_of_six(self) -> Counted:
        return _counted(self.kept.sets_of_six)

    @cached_property
    def by_five_cards(self) -> Counted:
        return _counted(self.kept.five_cards)

    @cached_property
    def by_pictures(self) -> Counted:
        return _counted(self.kept.pictures)


def _counted(kept: KeptCount) -> Counted:
    kinds = [
        Kind(kind.name, kind.count, Cards(*(parse_cards(text) for text in (kind.player, kind.dealer, kind.community))))
        for kind in kept.kinds
    ]
    return kept.deals, kinds


COUNTS = CachedCounts()


class Return(msgspec.Struct, frozen=True):
    """The part of every stake that goes back to the players in the long run: what the odds and the resets give, and
    what the growth of the meters gives in time."""

    bet: str
    by_odds: Fraction
    by_growth: Fraction = Fraction(0)

    @property
    def whole(self) -> Fraction:
        return self.by_odds + self.by_growth


def returns_of(book: Rulebook, terms: Terms) -> tuple[Return, ...]:
    """Of each wager under the pay tables in force. Ante with Play is one wager, under the best strategy."""
    letters = dict(terms.pay_letters)
    ante = (_ante(book, terms),) if book.has_fold else ()
    sides = (wager for wager in side_bets(book, terms, COUNTS) if wager.pay_table in ("", letters.get(wager.name)))
    return (*ante, *(_return(wager, book, terms) for wager in sides))


def _return(wager: Wager, book: Rulebook, terms: Terms) -> Return:
    if not wager.stake_minor:
        return Return(wager.name, 1 + wager.net({}))
    run = long_run(wager, book, terms)
    return Return(wager.name, run.fixed + run.seeds + wager.envy, run.growth)


def _ante(book: Rulebook, terms: Terms) -> Return:
    in_force = readings_in_force(book, terms)
    for kept in COUNTS.kept.antes:
        if kept.game == book.id and all(in_force[name] == value for name, value in kept.readings.items()):
            return Return("ante", 1 - Fraction(kept.house_edge))
    raise AssertionError(f"{CACHE.name} knows no Ante of {book.id}: run tools/make_odds")
