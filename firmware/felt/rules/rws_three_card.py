"""The rules that the two RWS three-card rulebooks (Progressive and Multi-Link) share: Ante and Play against the
dealer, Ante Bonus, Pair Plus, limits, walking away. Their own modules hold what differs, mainly the fold and the
progressive."""

from __future__ import annotations

from collections.abc import Mapping

from felt.nouns.cards import INDEX_OF, Card
from felt.nouns.values import Value
from felt.rules.hands import LOWEST_QUEEN_HIGH, THREE_CARD_CATEGORY, three_card_rank
from felt.rules.rulebook import (
    FOLD,
    REFUSE_REVEAL,
    WALK_AWAY,
    Box,
    Cards,
    Line,
    PayTable,
    Reading,
    Reason,
    Wager,
    to,
)
from felt.rules.verdicts import Placed, bonus, handed_back, lost, pushed, within, won

EVEN_MONEY = to(1)
ANTE_AND_PLAY = PayTable("ante", "", "4.1", (("ante", EVEN_MONEY), ("play", EVEN_MONEY)))
# A-K-Q suited counts as an ordinary straight flush here.
PAIR_PLUS = PayTable(
    "pair_plus",
    "",
    "4.2",
    (
        ("straight_flush", to(40)),
        ("three_of_a_kind", to(30)),
        ("straight", to(5)),
        ("flush", to(4)),
        ("pair", to(1)),
    ),
)
ANTE_BONUS = PayTable(
    "ante_bonus", "", "4.3", (("straight_flush", to(5)), ("three_of_a_kind", to(4)), ("straight", to(1)))
)
_PAIR_PLUS_PAYS = {**dict(PAIR_PLUS.rows), "mini_royal": to(40)}
_ANTE_BONUS_PAYS = {**dict(ANTE_BONUS.rows), "mini_royal": to(5)}

WAGERS = (
    Wager("ante", "Ante", "3.6"),
    Wager("play", "Play", "3.12.2", needs="ante", after_cards=True),
    Wager("pair_plus", "Pair Plus", "3.6", decided_by=Cards.OWN),
    Wager("progressive", "Progressive Jackpot", "3.8", needs="ante", coin_spot=True),
)
NEEDS = ("progressive_stake", "reset.major", "rate.major", "limits.ante", "limits.pair_plus")

PARTIAL_WIN_METER = Reading(
    "partial_win_meter",
    "deduct",
    ("reset", "deduct_not_below_reset"),
    "4.4",
    "What is left on the meter after an award of a part of it.",
)
FRACTIONAL_CENT = Reading(
    "fractional_cent", "down", ("nearest",), "4.4", "How an award that is not whole in the smallest unit is rounded."
)
PJ_STAKE_ON_WIN = Reading(
    "pj_stake_on_win", "kept", ("returned",), "4.4", "Whether the stake of a winning jackpot bet goes back as well."
)
PJ_WRONG_AMOUNT = Reading(
    "pj_wrong_amount",
    "excess_returned",
    ("whole_bet_returned",),
    "3.3",
    "What happens to a jackpot bet of more than the prescribed amount.",
)
INCREMENT_TIMING = Reading(
    "increment_timing",
    "before_settlement",
    ("only_if_not_won",),
    "1.15",
    "Whether a round's own bets raise the meter before it pays.",
)
PLAY_EXCESS = Reading(
    "play_excess", "over_ante", ("over_table_max",), "5.3.1", "What a Play Bet larger than the Ante is cut down to."
)
ANTE_BONUS_ON_FOLD = Reading(
    "ante_bonus_on_fold", "none", ("paid",), "4.3", "Whether a folded straight or better still earns the Ante Bonus."
)
UNSHOWN_HAND = Reading(
    "unshown_hand",
    "loses_side_bets",
    ("settled_by_machine",),
    "4.5",
    "What becomes of Pair Plus and jackpot bet when a player does not show his hand and nobody establishes it.",
)


def ranks_of(cards: tuple[Card, ...]) -> tuple[tuple[int, int, int], int]:
    """The indices of three cards and their rank."""
    a, b, c = INDEX_OF[cards[0]], INDEX_OF[cards[1]], INDEX_OF[cards[2]]
    return (a, b, c), three_card_rank(a, b, c)


def dealer_qualifies(cards: tuple[Card, ...]) -> bool:
    return ranks_of(cards)[1] >= LOWEST_QUEEN_HIGH


def decision_counts_as_fold(box: Box, refusal_folds: bool) -> bool:
    """A player who walks away before deciding has folded (5.5). A Play Bet on the layout is a decision (5.6)."""
    if box.decision == FOLD:
        return True
    if box.decision == WALK_AWAY:
        return not has_bet(box, "play")
    return refusal_folds and box.decision == REFUSE_REVEAL


def has_bet(box: Box, bet: str) -> bool:
    for name, stake in box.bets:
        if name == bet:
            return stake != 0
    return False


def is_unshown(box: Box, readings: Mapping[str, str]) -> bool:
    """Whether Pair Plus and jackpot bet lose because nobody saw the hand."""
    return not box.established and readings["unshown_hand"] == "loses_side_bets"


class Stakes(Value):
    ante: Placed
    play: Placed


def stakes_of(bets: Mapping[str, int | None], tops: Mapping[str, int | None], play_excess: str) -> Stakes:
    ante = bets.get("ante", 0)
    play = bets.get("play", 0)
    table_top = tops.get("ante")
    ante_action = within(ante, table_top)
    play_top = ante_action if play_excess == "over_ante" and ante is not None else table_top
    play_action = within(play, play_top)
    if "play" in tops:
        play_action = within(play_action, tops["play"])
    return Stakes(Placed("ante", ante, ante_action), Placed("play", play, play_action))


_UNQUALIFIED_ANTE = Reason("3.13", "The dealer has less than queen high: the Ante wins even money.")
_UNQUALIFIED_PLAY = Reason("3.13", "The dealer has less than queen high: the Play Bet has no action and goes back.")
_HIGHER = Reason("3.15.1", "The player's hand beats the dealer's.")
_LOWER = Reason("3.15.2", "The dealer's hand beats the player's.")
_EQUAL = Reason("3.15.3", "Both hands have the same rank: a stand-off.")
_PLAY_WITHOUT_ANTE = Reason("3.12.2", "A Play Bet needs an Ante.")
_JACKPOT_WITHOUT_ANTE = Reason("5.4", "A jackpot bet needs an Ante.")
_STRAIGHT_OR_BETTER = Reason("4.3", "A straight or better earns the Ante Bonus whatever the dealer holds.")
_PAIR_OR_BETTER = Reason("4.2", "A pair or better wins whatever the dealer holds.")
_BELOW_A_PAIR = Reason("4.2", "The hand is below a pair.")
_LEFT = Reason("5.5", "The player left with a decision to make, which counts as a fold.")
_REFUSED = Reason("4.5", "The player would not show his cards, which counts as a fold.")
_FOLDED = Reason("3.12.1", "The player folded.")
UNSHOWN = Reason("4.5", "The player does not show his cards and nobody has established the hand.")
WRONG_AMOUNT = Reason("3.3", "The bet is more than the prescribed amount.")
VOID = Reason("5.21", "The round is void.")
INVALIDATED = Reason("5.10.3", "The hand is invalidated.")


def showdown(box: Box, stakes: Stakes, rank: int, dealer_rank: int, lines: list[Line]) -> None:
    """Settles Ante and Play of a box that has not folded (3.13, 3.15)."""
    ante, play = stakes.ante, stakes.play
    has_play = play.stake != 0
    if dealer_rank < LOWEST_QUEEN_HIGH:
        lines.append(won(box, ante, EVEN_MONEY, _UNQUALIFIED_ANTE))
        if has_play:
            lines.append(pushed(box, play, _UNQUALIFIED_PLAY))
    elif rank > dealer_rank:
        lines.append(won(box, ante, EVEN_MONEY, _HIGHER))
        if has_play:
            lines.append(won(box, play, EVEN_MONEY, _HIGHER))
    elif rank < dealer_rank:
        lines.append(lost(box, ante, _LOWER))
        if has_play:
            lines.append(lost(box, play, _LOWER))
    else:
        lines.append(pushed(box, ante, _EQUAL))
        if has_play:
            lines.append(pushed(box, play, _EQUAL))


def fold_reason(box: Box) -> Reason:
    return {WALK_AWAY: _LEFT, REFUSE_REVEAL: _REFUSED}.get(box.decision, _FOLDED)


def folded_ante(box: Box, stakes: Stakes, play_lost: bool, lines: list[Line]) -> None:
    """A fold loses the Ante. A Play Bet that was placed anyway is returned unless a reading takes it."""
    reason = fold_reason(box)
    lines.append(lost(box, stakes.ante, reason))
    if stakes.play.stake == 0:
        return
    if play_lost:
        lines.append(lost(box, stakes.play, reason))
    else:
        lines.append(handed_back(box, "play", stakes.play.stake, reason))


def ante_bonus(box: Box, stakes: Stakes, rank: int, lines: list[Line]) -> None:
    odds = _ANTE_BONUS_PAYS.get(THREE_CARD_CATEGORY[rank])
    if odds is not None:
        lines.append(bonus(box, "ante_bonus", stakes.ante.action, odds, _STRAIGHT_OR_BETTER))


def pair_plus(box: Box, bet: Placed, rank: int, readings: Mapping[str, str], lines: list[Line]) -> None:
    if is_unshown(box, readings):
        lines.append(lost(box, bet, UNSHOWN))
        return
    odds = _PAIR_PLUS_PAYS.get(THREE_CARD_CATEGORY[rank])
    if odds is None:
        lines.append(lost(box, bet, _BELOW_A_PAIR))
    else:
        lines.append(won(box, bet, odds, _PAIR_OR_BETTER))


def settle_without_ante(
    box: Box, stakes: Stakes, pair_plus_bet: Placed, jackpot: Placed, readings: Mapping[str, str], *, lines: list[Line]
) -> None:
    """A Pair Plus may stand alone (3.14); bets that need an Ante are returned."""
    if stakes.play.stake != 0:
        lines.append(handed_back(box, "play", stakes.play.stake, _PLAY_WITHOUT_ANTE))
    if pair_plus_bet.stake != 0:
        pair_plus(box, pair_plus_bet, ranks_of(box.cards)[1], readings, lines)
    if jackpot.stake != 0:
        lines.append(handed_back(box, "progressive", jackpot.stake, _JACKPOT_WITHOUT_ANTE))


def jackpot_bet(bets: Mapping[str, int | None], prescribed: int | None) -> Placed:
    """A coin spot senses presence only, so its stake is the prescribed amount."""
    stake = bets.get("progressive", 0)
    if stake is None:
        stake = prescribed
    return Placed("progressive", stake, within(stake, prescribed))
