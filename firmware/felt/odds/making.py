"""The odds sheet of one game under one house's terms."""

from __future__ import annotations

from collections.abc import Mapping

from felt.odds.forfeit import least_ante
from felt.odds.kinds import Enumerated
from felt.odds.sheet import Forfeiture, Sheet
from felt.odds.wagers import Game
from felt.rules.rulebook import Rulebook, RulesError, Terms


def sheet_of(
    book: Rulebook, terms: Terms, meters: Mapping[str, int], counted: Enumerated, ante_minor: int | None = None
) -> Sheet:
    """`meters` are the values that differ from the resets (minor units)."""
    for name in meters:
        if name not in book.meters:
            known = f"its meters are {', '.join(book.meters)}" if book.meters else "it has none"
            raise RulesError(f"{name!r} is not a meter of {book.id}: {known}")
    standing = dict(terms.resets) | dict(meters)
    ante = ante_minor or least_ante(terms)
    game = Game(book, terms, counted)
    wagers = tuple(game.wagers(ante, standing))
    forfeiture = None if game.forfeit is None else Forfeiture.of(game.forfeit, ante, standing)
    return Sheet(book, terms, standing, wagers, forfeiture)
