"""Every wager without a decision of its own. The kinds of deals are counted now (`kinds.Enumerated`) or come from the
file (`cached`). What each kind pays comes from the settlement itself (`settled`). Nothing here needs numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Protocol

import msgspec

from felt.nouns.values import replace
from felt.odds.exact import Outcome, Wager, best_first
from felt.odds.settled import Kind, Settlement
from felt.rules.rulebook import FOLD, PLAY, Odds, OddsKind, PayTable, Rulebook, Terms, readings_in_force, to
from felt.rules.verdicts import say_units

Counted = tuple[int, list[Kind]]  # the number of deals, and their kinds


class Counts(Protocol):
    @property
    def by_three_cards(self) -> Counted: ...
    @property
    def by_six_cards(self) -> Counted: ...
    @property
    def by_sets_of_six(self) -> Counted: ...
    @property
    def by_five_cards(self) -> Counted: ...
    @property
    def by_pictures(self) -> Counted: ...


def side_bets(book: Rulebook, terms: Terms, counts: Counts) -> Iterator[Wager]:
    """In the order of the rulebook. A bet that a fold forfeits is valued for a hand that is never folded."""
    yield from _SIDE_BETS[book.id](Settlement(book, terms), counts)


def pay_table(book: Rulebook, bet: str) -> PayTable:
    return next(table for table in book.pay_tables if table.bet == bet)


def outcome_of(
    settlement: Settlement, table: PayTable, kind: Kind, bets: tuple[str, ...], decision: str = PLAY
) -> Outcome:
    """The outcome of one bet among `bets` in deals of this kind, without a count."""
    paid = settlement.paid(kind.cards, bets, (table.bet,), decision)
    won = paid.net > 0 or bool(paid.meter)
    if won:
        name = _row_name(table, kind.name, paid.pays, settlement.terms)
    else:
        name = "fold" if decision == FOLD else paid.pays
    return Outcome(name, 0, paid.pays, paid.net, paid.risked, paid.meter, paid.share)


def _wager(settlement: Settlement, table: PayTable, counted: Counted, *with_it: str) -> Wager:
    """`with_it` are bets beside it, because it may not stand alone."""
    deals, found = counted
    bets = with_it if table.bet in with_it else (*with_it, table.bet)
    outcomes = [
        msgspec.structs.replace(outcome_of(settlement, table, kind, bets), count=kind.count) for kind in found
    ]
    wager = Wager(table.bet, table.letter, table.paragraph, deals, best_first(outcomes))
    if table.bet != "progressive":
        return wager
    envy = sum((settlement.envy(kind.cards, PLAY) * kind.count for kind in found), Fraction(0)) / deals
    return wager.progressive(settlement.stake_of(table.bet), envy)


def _row_name(table: PayTable, hand: str, pays: str, terms: Terms) -> str:
    """The paid row of the pay table: a rulebook may rank A-K-Q suited with the other straight flushes."""
    rows = [name for name, odds in table.rows if _pays(odds, terms) == pays]
    if hand in rows or not rows:
        return hand
    return next((name for name in rows if hand and name.startswith(hand)), rows[0])


def _pays(odds: Odds, terms: Terms) -> str:
    return say_units(odds.amount, terms.currency) if odds.kind is OddsKind.SUM else odds.text


# --- the games ------------------------------------------------------------------------------------------


def _progressive_3_card(settlement: Settlement, counts: Counts) -> Iterator[Wager]:
    yield _wager(settlement, pay_table(settlement.book, "pair_plus"), counts.by_three_cards)
    yield _wager(settlement, pay_table(settlement.book, "progressive"), counts.by_six_cards, "ante", "play")


def _multi_link(settlement: Settlement, counts: Counts) -> Iterator[Wager]:
    yield _wager(settlement, pay_table(settlement.book, "pair_plus"), counts.by_three_cards)
    yield _wager(settlement, pay_table(settlement.book, "progressive"), counts.by_five_cards, "ante", "play")


def _lucky(settlement: Settlement, counts: Counts) -> Iterator[Wager]:
    every = tuple(table.bet for table in settlement.book.pay_tables)
    for table in settlement.book.pay_tables:
        yield _wager(settlement, table, counts.by_pictures, *every)


def _california(settlement: Settlement, counts: Counts) -> Iterator[Wager]:
    posted = posted_tables(settlement.book, settlement.terms)
    yield _wager(settlement, posted["pair_plus"], counts.by_three_cards, "ante", "play")
    yield _wager(settlement, posted["six_card_bonus"], counts.by_sets_of_six, "ante", "play")
    yield _wager(settlement, pay_table(settlement.book, "progressive"), counts.by_six_cards, "ante", "play")


def posted_tables(book: Rulebook, terms: Terms) -> dict[str, PayTable]:
    paragraphs = {wager.name: wager.paragraph for wager in book.wagers}
    return {
        posted.bet: PayTable(
            posted.bet, "", paragraphs[posted.bet], tuple((hand, to(odds)) for hand, odds in posted.rows)
        )
        for posted in terms.posted
    }


def _stax(settlement: Settlement, counts: Counts) -> Iterator[Wager]:
    book, terms = settlement.book, settlement.terms
    for table in book.pay_tables:
        if table.bet in book.letters:
            letters = dict(terms.pay_letters) | {table.bet: table.letter}
            lettered = Settlement(book, replace(terms, pay_letters=tuple(letters.items())))
            cards = counts.by_three_cards if table.bet == "player_bonus" else counts.by_sets_of_six
            yield _wager(lettered, table, cards)
    five_of_six = readings_in_force(book, terms)["stax_hand"] == "best_five_of_six"
    yield _wager(
        settlement, pay_table(book, "progressive"), counts.by_six_cards if five_of_six else counts.by_three_cards
    )


_SIDE_BETS: dict[str, Callable[[Settlement, Counts], Iterator[Wager]]] = {
    "progressive-3-card-poker": _progressive_3_card,
    "lucky-three-pictures": _lucky,
    "multi-link-3-card-poker": _multi_link,
    "california-three-card-poker": _california,
    "stax-three-card": _stax,
}
