"""What every wager of a table returns, without counting deals. The kinds of deals were counted when the firmware was
built: `tools/make_odds` writes `cached.json`. One deal of each kind goes through the settlement with the house's own
terms. Every start checks a table file with this, on a box without numpy."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec

from felt.nouns.cards import parse_cards
from felt.nouns.values import replace
from felt.odds.exact import Wager
from felt.odds.forfeit import Awards, Fold, Forfeit, Piece, is_forfeited, least_ante
from felt.odds.progressive import levels, long_run
from felt.odds.settled import Cards, Kind, Settlement
from felt.odds.side_bets import Counted, side_bets
from felt.rules.rulebook import FOLD, PLAY, Rulebook, Terms, readings_in_force

CACHE = Path(__file__).with_name("cached.json")


class KeptKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    count: int
    player: str
    dealer: str
    community: str = ""
    code: int = 0


class KeptCount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    deals: int
    kinds: tuple[KeptKind, ...]


class KeptFold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hand that the Ante alone says to fold, although a progressive bet could win with it."""

    cards: str
    open_card: str
    weight: int
    loss: int
    deals: int  # of one such hand
    counts: str  # deals by the code of the six cards, those that can win, and by suit, as in `20:22 36:0/0/1/0`


class KeptShowdown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One deal of a kind, and what it brings to an Ante. Rules that settle it otherwise are not those that were
    counted by."""

    player: str
    dealer: str
    played: str
    folded: str


class KeptAnte(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of Ante with Play under the best strategy, by the readings that change it. Fractions are texts."""

    game: str
    readings: dict[str, str]
    house_edge: str
    risk: str
    hit_rate: str
    variance: str
    strategy: str
    deals: int
    folded: int  # of the deals
    showdowns: tuple[KeptShowdown, ...]
    folds: int = -1  # which of the kept folds; none where no fold can forfeit anything


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    three_cards: KeptCount
    six_cards: KeptCount
    sets_of_six: KeptCount
    five_cards: KeptCount
    pictures: KeptCount
    antes: tuple[KeptAnte, ...]
    folds: tuple[tuple[KeptFold, ...], ...]


class CachedCounts:
    """The same counts as `kinds.Enumerated` gives, read from the file."""

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
        Kind(
            kind.name,
            kind.count,
            Cards(*(parse_cards(text) for text in (kind.player, kind.dealer, kind.community))),
            kind.code,
        )
        for kind in kept.kinds
    ]
    return kept.deals, kinds


COUNTS = CachedCounts()


class Return(msgspec.Struct, frozen=True):
    """The part of every stake that goes back to the players in the long run. Odds and resets give one part; the growth
    of the meters gives the other over time."""

    bet: str
    by_odds: Fraction
    by_growth: Fraction = Fraction(0)
    envy: Fraction = Fraction(0)  # what each further box in the round adds
    pieces: tuple[Piece, ...] = ()  # if a fold forfeits the bet: its strategy depends on the meter

    @property
    def whole(self) -> Fraction:
        return self.by_odds + self.by_growth

    def with_envy(self, seats: int) -> Fraction:
        """At a full table."""
        return self.whole + self.envy * (seats - 1)


@lru_cache(maxsize=16)
def returns_of(book: Rulebook, terms: Terms) -> tuple[Return, ...]:
    """The return of each wager under the pay tables in force. Ante with Play is one wager, under the best strategy. A
    bet that a fold forfeits returns most to a player who never folds, so that is its figure here."""
    ante = (Return("ante", 1 - Fraction(ante_in_force(book, terms).house_edge)),) if book.has_fold else ()
    return (*ante, *(_return(wager, book, terms) for wager in sides_in_force(book, terms)))


def sides_in_force(book: Rulebook, terms: Terms) -> tuple[Wager, ...]:
    """Every wager but the Ante under the pay table that the house has chosen. What meters hold and how they grow
    changes no outcome: a meter's award is a share until the meter's value is known."""
    return _sides_by_outcome(book, replace(terms, limits=(), resets=(), rates_bp=(), reserves_bp=()))


@lru_cache(maxsize=256)
def _sides_by_outcome(book: Rulebook, terms: Terms) -> tuple[Wager, ...]:
    letters = dict(terms.pay_letters)
    return tuple(
        wager for wager in side_bets(book, terms, COUNTS) if wager.pay_table in ("", letters.get(wager.name))
    )


def _return(wager: Wager, book: Rulebook, terms: Terms) -> Return:
    if not wager.stake_minor:
        return Return(wager.name, 1 + wager.net({}))
    run = long_run(wager, book, terms)
    return Return(wager.name, run.fixed + run.seeds, run.growth, wager.envy, _pieces(wager, book, terms))


@lru_cache(maxsize=16)
def ante_in_force(book: Rulebook, terms: Terms) -> KeptAnte:
    """Only where one deal of every kind still settles as when it was counted: a changed rule makes it stale."""
    in_force = readings_in_force(book, terms)
    settlement = Settlement(book, terms)
    for kept in COUNTS.kept.antes:
        if kept.game == book.id and all(in_force[name] == value for name, value in kept.readings.items()):
            for showdown in kept.showdowns:
                settled = kept_showdown(settlement, Cards(parse_cards(showdown.player), parse_cards(showdown.dealer)))
                assert settled == showdown, f"{CACHE.name} is of other rules of {book.id}: run tools/make_odds"
            return kept
    raise AssertionError(f"{CACHE.name} knows no Ante of {book.id}: run tools/make_odds")


def kept_showdown(settlement: Settlement, cards: Cards) -> KeptShowdown:
    played, folded = (settlement.ante_paid(cards, decision).net for decision in (PLAY, FOLD))
    return KeptShowdown(" ".join(cards.player), " ".join(cards.dealer), str(played), str(folded))


def odds_of_top_awards(book: Rulebook, terms: Terms) -> dict[str, Fraction]:
    """The odds to one against a bet winning a whole meter, by meter, for hands that are never folded."""
    found: dict[str, Fraction] = {}
    for wager in sides_in_force(book, terms):
        for meter in dict.fromkeys(outcome.meter for outcome in wager.outcomes if outcome.meter):
            hits = sum(outcome.count for outcome in wager.outcomes if outcome.meter == meter and outcome.share == 1)
            if hits:
                found[meter] = Fraction(wager.deals, hits) - 1
    return found


def _pieces(never_folded: Wager, book: Rulebook, terms: Terms) -> tuple[Piece, ...]:
    settlement = Settlement(book, terms)
    if not is_forfeited(settlement):
        return ()
    ante = ante_in_force(book, terms)
    awards = Awards(settlement, COUNTS.by_six_cards[1])
    folds = [_fold(kept) for kept in COUNTS.kept.folds[ante.folds]]
    forfeit = Forfeit(
        awards,
        folds,
        never_folded.times(ante.deals // never_folded.deals),
        Fraction(ante.house_edge),
        ante.folded - sum(fold.deals for fold in folds),
    )
    minor, meters = least_ante(terms), dict(terms.resets)
    return tuple(piece for level in levels(never_folded) for piece in forfeit.pieces(minor, meters, level.meter))


def _fold(kept: KeptFold) -> Fold:
    counts = (text.split(":") for text in kept.counts.split())
    by_code = {int(code): tuple(int(count) for count in each.split("/")) for code, each in counts}
    return Fold(parse_cards(kept.cards), kept.open_card, kept.weight, kept.loss, by_code, kept.deals)
