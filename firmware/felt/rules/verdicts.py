"""Builds verdict lines for all games: what is in action, what is returned, what is paid. Knows no paragraph and no
game."""

from __future__ import annotations

from functools import lru_cache

from felt.nouns.money import Currency, say
from felt.nouns.values import Value, replace
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

OVER_LIMIT = " The part above the limit is returned."


class Placed(Value):
    """A bet as placed, and the part of it in action. Both are None if the amount is unknown."""

    name: str
    stake: int | None
    action: int | None


def within(stake: int | None, maximum: int | None) -> int | None:
    """The part of a stake within a maximum. An unknown stake stays unknown."""
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
    """A win at odds to 1: the whole stake is returned, and the odds are paid on the part in action."""
    if bet.stake is None or bet.action is None:
        return _line(box, bet.name, WIN, reason, paid=None, odds=odds.text)
    paid = bet.action * odds.amount if odds.per == 1 else rounded(bet.action * odds.amount, odds.per, rounding)
    return _line(
        box, bet.name, WIN, _with_limit(reason, bet), stake=bet.stake, returned=bet.stake, lost=0, paid=paid,
        odds=odds.text,
    )  # fmt: skip


def lost(box: Box, bet: Placed, reason: Reason) -> Line:
    if bet.stake is None or bet.action is None:
        return _line(box, bet.name, LOSE, reason, paid=0)
    over = bet.stake - bet.action
    return _line(box, bet.name, LOSE, _with_limit(reason, bet), stake=bet.stake, returned=over, lost=bet.action, paid=0)


def pushed(box: Box, bet: Placed, reason: Reason) -> Line:
    return _line(box, bet.name, PUSH, reason, stake=bet.stake, returned=bet.stake, lost=_nothing_of(bet.stake), paid=0)


def handed_back(box: Box, name: str, stake: int | None, reason: Reason) -> Line:
    return _line(box, name, RETURNED, reason, stake=stake, returned=stake, lost=_nothing_of(stake), paid=0)


def bonus(box: Box, name: str, base: int | None, odds: Odds, reason: Reason) -> Line:
    """An award at odds to 1 on another bet; it has no stake of its own."""
    paid = None if base is None else base * odds.amount
    return _line(box, name, WIN, reason, stake=0, returned=0, lost=0, paid=paid, odds=odds.text)


def envy(box: Box, amount: int, odds: str, reason: Reason) -> Line:
    """A sum for another player's hand, without a stake."""
    return replace(_line(box, "envy", WIN, reason, stake=0, returned=0, lost=0, paid=amount, odds=odds), cards=())


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
    stake, action = bet.stake, bet.action
    taken = 0 if stake_returned or action is None else action
    paid: int | None = None
    level, share, parts, text = "", 0, 1, odds.text
    if odds.kind is OddsKind.SHARE:
        level, share, parts = odds.meter, odds.amount, odds.per
    elif odds.kind is OddsKind.SUM:
        paid = odds.amount * minor_per_unit(currency)
        text = say_units(odds.amount, currency)
    elif action is not None:
        paid = action * odds.amount
    why = _with_limit(reason, bet)
    return Line(
        seat=box.seat,
        player=box.player,
        bet=bet.name,
        stake=stake,
        outcome=WIN,
        returned=None if stake is None else stake - taken,
        lost=None if stake is None else taken,
        paid=paid,
        odds=text,
        level=level,
        share_num=share,
        share_den=parts,
        rule=why.rule,
        because=why.because,
        cards=cards,
    )


def _line(
    box: Box,
    bet: str,
    outcome: str,
    reason: Reason,
    *,
    stake: int | None = None,
    returned: int | None = None,
    lost: int | None = None,
    paid: int | None,
    odds: str = "",
) -> Line:
    """A line that claims no share of a meter."""
    return Line(
        seat=box.seat,
        player=box.player,
        bet=bet,
        stake=stake,
        outcome=outcome,
        returned=returned,
        lost=lost,
        paid=paid,
        odds=odds,
        level="",
        share_num=0,
        share_den=1,
        rule=reason.rule,
        because=reason.because,
        cards=box.cards,
    )


def _nothing_of(stake: int | None) -> int | None:
    return None if stake is None else 0


def _with_limit(reason: Reason, bet: Placed) -> Reason:
    return reason if bet.action == bet.stake else replace(reason, because=reason.because + OVER_LIMIT)


@lru_cache(maxsize=16)
def minor_per_unit(currency: Currency) -> int:
    return int(10**currency.minor_digits)


@lru_cache(maxsize=256)
def say_units(units: int, currency: Currency) -> str:
    """`$1,250` for a printed sum."""
    return say(units, replace(currency, minor_digits=0))


def all_handed_back(box: Box, reason: Reason) -> list[Line]:
    """Returns every bet of the box in full."""
    if not box.bettors:
        return [handed_back(box, bet, stake, reason) for bet, stake in box.bets if stake != 0]
    return [
        handed_back(replace(box, player=bettor.player), bet, stake, reason)
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
