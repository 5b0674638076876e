"""Ante with Play, and what hangs on the decision between them. The best strategy is found by comparing what folding and
playing are worth for every class of hands; named strategies are valued beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

import msgspec

from felt.odds.enumeration import DEALS, Hands, PlayerClass
from felt.odds.exact import Outcome, Wager, best_first
from felt.odds.forfeit import Forfeit
from felt.odds.kinds import Comparison, Enumerated
from felt.odds.settled import EQUAL, HIGHER, Settlement, Showdown
from felt.odds.side_bets import pay_table, side_bets
from felt.rules.hands import three_card_rank
from felt.rules.rulebook import FOLD, PLAY, Rulebook, Terms

OPTIMAL = "optimal"
OPTIMAL_OPEN_CARD = "optimal against the dealer's open card"
ALWAYS_PLAY = "always play"
QUEEN_SIX_FOUR = "Q-6-4"
OPEN_CARD_GAMES = ("california-three-card-poker",)
_QUEEN_SIX_FOUR_RANK = three_card_rank(10 * 4, 4 * 4 + 1, 2 * 4)
_RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


def wagers_of(book: Rulebook, terms: Terms, counted: Enumerated) -> Iterator[Wager]:
    """Every wager of a game: Ante with Play under each strategy, then the others."""
    settlement = Settlement(book, terms)
    if not book.has_fold:
        yield from side_bets(book, terms, counted)
        return
    bets = AnteAndPlay(settlement, counted.compared(book, terms))
    if book.id in OPEN_CARD_GAMES:
        yield open_card_wager(bets)
    yield from ante_wagers(bets, counted.hands)
    forfeits = book.fold_forfeits_jackpot(terms)
    for wager in side_bets(book, terms, counted):
        if wager.name == "progressive" and forfeits and counted_by_six(book):
            yield from forfeited_wagers(bets, wager, Forfeit(settlement, counted.six_cards), counted.hands)
        else:
            yield wager


def counted_by_six(book: Rulebook) -> bool:
    """Whether the jackpot hand takes the dealer's cards in."""
    return book.id in ("progressive-3-card-poker", "california-three-card-poker")


class AnteAndPlay:
    """Ante, Play and Ante Bonus of one box: what each kind of showdown pays, folded or played."""

    BETS = ("ante", "play")
    COUNTED = ("ante", "play", "ante_bonus")

    def __init__(self, settlement: Settlement, comparison: Comparison) -> None:
        self.comparison = comparison
        self._paragraph = pay_table(settlement.book, "ante").paragraph
        self._played = {code: self._outcome(settlement, kind, PLAY) for code, kind in comparison.kinds.items()}
        self._folded = {code: self._outcome(settlement, kind, FOLD) for code, kind in comparison.kinds.items()}

    def _outcome(self, settlement: Settlement, kind: Showdown, decision: str) -> Outcome:
        paid = settlement.paid(kind.cards, self.BETS, self.COUNTED, decision)
        return Outcome(_showdown_name(kind, decision), 0, paid.pays, paid.net, paid.risked)

    def worth(self, counts: dict[int, int], decision: str) -> Fraction:
        """The sum over these deals, in Antes."""
        outcomes = self._played if decision == PLAY else self._folded
        return sum((count * outcomes[code].net for code, count in counts.items()), Fraction(0))

    def plays(self, counts: dict[int, int]) -> bool:
        return self.worth(counts, PLAY) >= self.worth(counts, FOLD)

    def wager(self, decided: Iterable[tuple[dict[int, int], int, bool]], deals: int, strategy: str) -> Wager:
        """From counts with their weight and whether such a hand is played."""
        totals: dict[tuple[int, bool], int] = {}
        for counts, weight, played in decided:
            for code, count in counts.items():
                totals[code, played] = totals.get((code, played), 0) + count * weight
        outcomes = [
            msgspec.structs.replace((self._played if played else self._folded)[code], count=count)
            for (code, played), count in totals.items()
        ]
        return Wager("ante", "", self._paragraph, deals, best_first(outcomes), strategy)


def _showdown_name(kind: Showdown, decision: str) -> str:
    if decision == FOLD:
        return "fold"
    result = {HIGHER: "higher", EQUAL: "equal"}.get(kind.compared, "lower")
    qualified = "" if kind.qualifies else "_dealer_not_qualified"
    bonus = f"_{kind.hand}" if kind.hand not in ("high_card", "pair", "flush") else ""
    return f"{result}{qualified}{bonus}"


def ante_wagers(bets: AnteAndPlay, hands: Hands) -> Iterator[Wager]:
    comparison = bets.comparison
    pairs = list(zip(comparison.classes, comparison.counts, strict=True))
    chosen = [bets.plays(counts) for counts in comparison.counts]
    optimal = [(counts, player.weight, play) for (player, counts), play in zip(pairs, chosen, strict=True)]
    yield bets.wager(optimal, DEALS, f"{OPTIMAL}: {in_words(hands, comparison.classes, chosen)}")
    fixed = [
        (counts, player.weight, bool(hands.rank[player.hand] >= _QUEEN_SIX_FOUR_RANK)) for player, counts in pairs
    ]
    yield bets.wager(fixed, DEALS, QUEEN_SIX_FOUR)
    yield bets.wager([(counts, player.weight, True) for player, counts in pairs], DEALS, ALWAYS_PLAY)


def in_words(hands: Hands, classes: tuple[PlayerClass, ...], played: list[bool]) -> str:
    """The strategy as a threshold where it is one, else as a count."""
    ranked = sorted(
        (int(hands.rank[player.hand]), player.hand, play) for player, play in zip(classes, played, strict=True)
    )
    least = next((rank for rank, _, play in ranked if play), None)
    if least is None:
        return "fold every hand"
    if any(rank >= least and not play for rank, _, play in ranked):
        return f"play {sum(played):,} of {len(played):,} kinds of hands"
    hand = next(hand for rank, hand, _ in ranked if rank == least)
    return f"play {_spoken(hands, hand)} or better, fold everything else"


def _spoken(hands: Hands, hand: int) -> str:
    ranks = sorted((int(card) // 4 for card in hands.cards[hand]), reverse=True)
    return "-".join(_RANK_NAMES[rank] for rank in ranks)


def open_card_wager(bets: AnteAndPlay) -> Wager:
    """The best strategy where one of the dealer's cards lies face up before the decision."""
    decided: list[tuple[dict[int, int], int, bool]] = []
    for player in bets.comparison.classes:
        for counts in bets.comparison.by_open_card(player).values():
            decided.append((counts, player.weight, bets.plays(counts)))
    return bets.wager(decided, DEALS * 3, OPTIMAL_OPEN_CARD)


def forfeited_wagers(bets: AnteAndPlay, never_folded: Wager, forfeit: Forfeit, hands: Hands) -> Iterator[Wager]:
    """A jackpot bet that a fold loses: with the strategy that is best for the Ante alone, and with no fold at all. The
    difference is what the forfeit costs."""
    chosen = [bets.plays(counts) for counts in bets.comparison.counts]
    sentence = in_words(hands, bets.comparison.classes, chosen)
    yield forfeit.wager(chosen, never_folded, f"best for the Ante: {sentence}")
    yield msgspec.structs.replace(never_folded, strategy=ALWAYS_PLAY)
