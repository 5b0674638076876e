"""Making verdict lines, said once for all games: what is in action, what goes back, what is paid. Knows no
paragraph and no game."""

from __future__ import annotations

from functools import lru_cache

from felt.nouns.money import Currency, say
from felt.nouns.named import NamedTuple
from felt.rules.rulebook import (
    LOSE,
    PUSH,
    RETURNED,
    WIN,
    Box,
    Line,
    MissingTermsError,
    Odds,
    OddsKind,
    Reason,
    Terms,
)

# A line has fifteen parts, and the constructor of a NamedTuple spends most of its time on counting them.
_line = tuple.__new__

OVER_LIMIT = " What is over the limit is handed back."


class Placed(NamedTuple):
    """A bet as placed and, of it, what is in action. An unknown amount is None in both."""

    name: str
    stake: int | None
    action: int | None


def within(stake: int | None, maximum: int | None) -> int | None:
    """The part of a stake that is in action under a maximum; an unknown stake stays unknown."""
    if stake is None or maximum is None or stake <= maximum:
        return stake
    return maximum


def maxima(terms: Terms) -> dict[str, int | None]:
    return {limit.bet: limit.maximum for limit in terms.limits}


def rounded(numerator: int, denominator: int, rounding: str) -> int:
    """Whole minor units, `down` or to the `nearest` (a half goes up)."""
    if rounding == "nearest":
        return (2 * numerator + denominator) // (2 * denominator)
    return numerator // denominator


def won(box: Box, bet: Placed, odds: Odds, reason: Reason, rounding: str = "down") -> Line:
    """A win at odds to 1: the whole stake goes back and the odds are paid on what is in action."""
    name, stake, action = bet
    rule, because = reason
    if stake is None or action is None:
        return _line(
            Line,
            (box.seat, box.player, name, None, WIN, None, None, None, odds.text, "", 0, 1, rule, because, box.cards),
        )
    paid = action * odds.amount if odds.per == 1 else rounded(action * odds.amount, odds.per, rounding)
    if action != stake:
        because += OVER_LIMIT
    return _line(
        Line, (box.seat, box.player, name, stake, WIN, stake, 0, paid, odds.text, "", 0, 1, rule, because, box.cards)
    )


def lost(box: Box, bet: Placed, reason: Reason) -> Line:
    name, stake, action = bet
    rule, because = reason
    if stake is None or action is None:
        return _line(
            Line, (box.seat, box.player, name, None, LOSE, None, None, 0, "", "", 0, 1, rule, because, box.cards)
        )
    if action != stake:
        because += OVER_LIMIT
    return _line(
        Line,
        (box.seat, box.player, name, stake, LOSE, stake - action, action, 0, "", "", 0, 1, rule, because, box.cards),
    )


def pushed(box: Box, bet: Placed, reason: Reason) -> Line:
    name, stake, _ = bet
    rule, because = reason
    kept = None if stake is None else 0
    return _line(
        Line, (box.seat, box.player, name, stake, PUSH, stake, kept, 0, "", "", 0, 1, rule, because, box.cards)
    )


def handed_back(box: Box, name: str, stake: int | None, reason: Reason) -> Line:
    rule, because = reason
    kept = None if stake is None else 0
    return _line(
        Line, (box.seat, box.player, name, stake, RETURNED, stake, kept, 0, "", "", 0, 1, rule, because, box.cards)
    )


def bonus(box: Box, name: str, base: int | None, odds: Odds, reason: Reason) -> Line:
    """An award without a stake of its own, at odds to 1 on another bet."""
    paid = None if base is None else base * odds.amount
    rule, because = reason
    return _line(Line, (box.seat, box.player, name, 0, WIN, 0, 0, paid, odds.text, "", 0, 1, rule, because, box.cards))


def envy(box: Box, amount: int, odds: str, reason: Reason) -> Line:
    """A sum without a stake, for another player's hand."""
    return Line(box.seat, box.player, "envy", 0, WIN, 0, 0, amount, odds, "", 0, 1, reason.rule, reason.because, ())


def award(
    box: Box,
    bet: Placed,
    odds: Odds,
    reason: Reason,
    *,
    stake_returned: bool,
    cards: tuple[str, ...],
    currency: Currency,
) -> Line:
    """A progressive award: a sum, odds for 1, or a share of a meter that is valued later."""
    name, stake, action = bet
    rule, because = reason
    taken = 0 if stake_returned or action is None else action
    back = None if stake is None else stake - taken
    kept = None if stake is None else taken
    paid: int | None = None
    level, share, parts, text = "", 0, 1, odds.text
    if odds.kind is OddsKind.SHARE:
        level, share, parts = odds.meter, odds.amount, odds.per
    elif odds.kind is OddsKind.SUM:
        paid = odds.amount * minor_per_unit(currency)
        text = say_units(odds.amount, currency)
    elif action is not None:
        paid = action * odds.amount
    if action != stake:
        because += OVER_LIMIT
    return Line(
        box.seat, box.player, name, stake, WIN, back, kept, paid, text, level, share, parts, rule, because, cards
    )


@lru_cache(maxsize=16)
def minor_per_unit(currency: Currency) -> int:
    return int(10**currency.minor_digits)


@lru_cache(maxsize=256)
def say_units(units: int, currency: Currency) -> str:
    """`$1,250` for a printed sum."""
    return say(units, currency._replace(minor_digits=0))


def all_handed_back(box: Box, reason: Reason) -> list[Line]:
    """Every bet of the box goes back whole."""
    if not box.bettors:
        return [handed_back(box, bet, stake, reason) for bet, stake in box.bets if stake != 0]
    return [
        handed_back(box._replace(player=bettor.player), bet, stake, reason)
        for bettor in box.bettors
        for bet, stake in bettor.bets
        if stake != 0
    ]


def letter_of(terms: Terms, bet: str, game: str) -> str:
    for name, letter in terms.pay_letters:
        if name == bet:
            return letter
    raise MissingTermsError(f"{game} prints several pay tables for {bet}: set which one is in force (pay_tables.{bet})")


def posted_odds(terms: Terms, bet: str, game: str) -> dict[str, int]:
    for posted in terms.posted:
        if posted.bet == bet:
            return dict(posted.rows)
    raise MissingTermsError(f"{game} prints no odds for {bet}: post them as pay_tables.{bet}")
