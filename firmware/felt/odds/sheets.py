"""The odds sheet of one game under one house's terms."""

from __future__ import annotations

from collections.abc import Mapping

from felt.odds.forfeit import Forfeit
from felt.odds.kinds import Enumerated
from felt.odds.settled import STAKE, Settlement
from felt.odds.telling import Sheet
from felt.odds.wagers import AnteAndPlay, counted_by_six, wagers_of
from felt.rules.rulebook import FOLD, PLAY, Rulebook, RulesError, Terms


def sheet_of(
    book: Rulebook, terms: Terms, meters: Mapping[str, int], counted: Enumerated, ante_minor: int | None = None
) -> Sheet:
    """`meters` are the values that differ from the resets (minor units)."""
    for name in meters:
        if name not in book.meters:
            known = f"its meters are {', '.join(book.meters)}" if book.meters else "it has none"
            raise RulesError(f"{name!r} is not a meter of {book.id}: {known}")
    wagers = tuple(wagers_of(book, terms, counted))
    standing = dict(terms.resets) | dict(meters)
    ante = ante_minor or next((limit.minimum for limit in terms.limits if limit.bet == "ante"), STAKE)
    if not book.has_fold or not book.fold_forfeits_jackpot(terms) or not counted_by_six(book):
        return Sheet(book, terms, standing, wagers)
    settlement = Settlement(book, terms)
    bets = AnteAndPlay(settlement, counted.compared(book, terms))
    gains = [bets.worth(counts, PLAY) - bets.worth(counts, FOLD) for counts in bets.comparison.counts]
    found = Forfeit(settlement, counted.six_cards).turns(gains, ante)
    turns = tuple((turn, " ".join(counted.hands.names(turn.hand))) for turn in found)
    return Sheet(book, terms, standing, wagers, turns, ante)
