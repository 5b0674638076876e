"""A jackpot hand that persons saw but the settlement missed. The pay table decides what it wins; persons decide
whether it was there. Knows no table and no meter."""

from __future__ import annotations

from felt.nouns.values import replace
from felt.rules.rulebook import WIN, Line, Odds, OddsKind, PayTable, Rulebook, Terms, readings_in_force


def rows_with_a_share(book: Rulebook) -> dict[str, tuple[PayTable, Odds]]:
    """The hands that win a share of a meter, by their names in the pay table."""
    return {
        hand: (table, odds)
        for table in book.pay_tables
        for hand, odds in table.rows
        if odds.kind is OddsKind.SHARE
    }


def as_reported(book: Rulebook, terms: Terms, line: Line, hand: str, because: str) -> Line:
    """The bet's line as it reads with this hand: a share, valued later. It replaces the former result, since only
    the highest hand is paid."""
    table, odds = rows_with_a_share(book)[hand]
    prescribed, stake = book.prescribed_stake(terms), line.stake
    kept = None if stake is None else 0
    if stake is not None and readings_in_force(book, terms)[book.stake_on_share_won] != "returned":
        kept = stake if prescribed is None else min(stake, prescribed)
    return replace(
        line,
        outcome=WIN, returned=None if stake is None or kept is None else stake - kept, lost=kept, paid=None,
        odds=odds.text, level=odds.meter, share_num=odds.amount, share_den=odds.per, rule=table.paragraph,
        because=because, cards=(),
    )  # fmt: skip
