"""Multi-Link Progressive 3 Card Poker (RWS, version 4). A fold loses only the Ante. The jackpot hand is the player's
three cards with the two community cards, never the dealer's. There is no envy."""

from __future__ import annotations

from collections.abc import Mapping

from felt.nouns.cards import DECK, INDEX_OF, Card
from felt.nouns.values import Value, replace
from felt.rules import rws_three_card as rws
from felt.rules.hands import FIVE_CARD_CATEGORY, five_card_rank
from felt.rules.irregularities import FOR_MULTI_LINK
from felt.rules.rulebook import (
    REFUSE_REVEAL,
    Box,
    Cards,
    Deal,
    Line,
    OddsKind,
    PayTable,
    Reading,
    Reason,
    Rulebook,
    Terms,
    for_one,
    readings_in_force,
    share_of,
)
from felt.rules.verdicts import Placed, all_handed_back, award, handed_back, lost, maxima, within

PROGRESSIVE = PayTable(
    "progressive",
    "",
    "4.4",
    (
        ("royal_flush", share_of("major", 100)),
        ("straight_flush", share_of("major", 10)),
        ("four_of_a_kind", for_one(400)),
        ("full_house", for_one(80)),
        ("flush", for_one(40)),
        ("straight", for_one(20)),
    ),
)
_PAYS = dict(PROGRESSIVE.rows)

READINGS = (
    Reading("pair_plus_on_fold", "live", ("lost",), "3.12.1", "Whether a Pair Plus survives a fold."),
    replace(rws.PJ_STAKE_ON_WIN, meaning="Whether the stake of a jackpot bet that wins a share goes back as well."),
    rws.PARTIAL_WIN_METER,
    rws.ANTE_BONUS_ON_FOLD,
    Reading(
        "refusal_play_bet",
        "returned",
        ("lost",),
        "4.5",
        "What becomes of the Play Bet of a player who will not show his cards.",
    ),
    rws.UNSHOWN_HAND,
    Reading(
        "community_discard",
        "dealer_says",
        ("last",),
        "3.11.1",
        "Who says which of three community cards is discarded: the dealer, or the order of the deal.",
    ),
    rws.FRACTIONAL_CENT,
    rws.PJ_WRONG_AMOUNT,
    replace(rws.INCREMENT_TIMING, paragraph="1.16"),
    rws.PLAY_EXCESS,
    *FOR_MULTI_LINK,
)

_NO_JACKPOT_HAND = Reason("4.4", "The hand and the community cards make no jackpot hand.")


class _Round(Value):
    dealer_rank: int
    community: tuple[int, int]
    terms: Terms
    tops: Mapping[str, int | None]
    readings: Mapping[str, str]
    prescribed: int | None


class MultiLink3CardPoker(Rulebook):
    id = "multi-link-3-card-poker"
    version = "4"
    title = "Multi-Link Progressive 3 Card Poker"
    effective = "2024-01-04T08:00:00+08:00"
    wagers = tuple(
        replace(wager, decided_by=Cards.COMMUNITY) if wager.coin_spot else wager for wager in rws.WAGERS
    )
    pay_tables = (rws.ANTE_AND_PLAY, rws.ANTE_BONUS, rws.PAIR_PLUS, PROGRESSIVE)
    readings = READINGS
    needs = rws.NEEDS
    meters = ("major",)
    stake_on_share_won = "pj_stake_on_win"
    community_cards = 2

    def qualifies(self, dealer: tuple[Card, ...]) -> bool | None:
        return rws.dealer_qualifies(dealer)

    def in_play(self, box: Box) -> bool:
        return not box.invalidated and (rws.has_bet(box, "ante") or rws.has_bet(box, "pair_plus"))

    def folded(self, box: Box) -> bool:
        return rws.decision_counts_as_fold(box, refusal_folds=True) and rws.has_bet(box, "ante")

    def settle(self, deal: Deal, terms: Terms) -> tuple[Line, ...]:
        readings = readings_in_force(self, terms)
        if deal.void:
            return tuple(line for box in deal.boxes for line in all_handed_back(box, rws.VOID))
        community = (INDEX_OF[deal.community[0]], INDEX_OF[deal.community[1]])
        dealer_rank = rws.ranks_of(deal.dealer)[1]
        around = _Round(dealer_rank, community, terms, maxima(terms), readings, self.prescribed_stake(terms))
        lines: list[Line] = []
        for box in deal.boxes:
            self._settle_box(box, around, lines)
        return tuple(lines)

    def _settle_box(self, box: Box, around: _Round, lines: list[Line]) -> None:
        if box.invalidated:
            lines += all_handed_back(box, rws.INVALIDATED)
            return
        bets = dict(box.bets)
        stakes = rws.stakes_of(bets, around.tops, around.readings["play_excess"])
        pair_stake = bets.get("pair_plus", 0)
        pair_plus = Placed("pair_plus", pair_stake, within(pair_stake, around.tops.get("pair_plus")))
        jackpot = rws.jackpot_bet(bets, around.prescribed)
        if stakes.ante.stake == 0:
            rws.settle_without_ante(box, stakes, pair_plus, jackpot, around.readings, lines=lines)
            return
        cards, rank = rws.ranks_of(box.cards)
        if self.folded(box):
            _settle_fold(box, stakes, pair_plus, rank, around, lines=lines)
        else:
            rws.showdown(box, stakes, rank, around.dealer_rank, lines)
            rws.ante_bonus(box, stakes, rank, lines)
            if pair_stake != 0:
                rws.pair_plus(box, pair_plus, rank, around.readings, lines)
        if jackpot.stake != 0:
            _settle_jackpot(box, jackpot, (*cards, *around.community), around, lines)


def _settle_fold(
    box: Box, stakes: rws.Stakes, pair_plus: Placed, rank: int, around: _Round, *, lines: list[Line]
) -> None:
    refused = box.decision == REFUSE_REVEAL
    play_lost = refused and around.readings["refusal_play_bet"] == "lost"
    rws.folded_ante(box, stakes, play_lost, lines)
    if around.readings["ante_bonus_on_fold"] == "paid":
        rws.ante_bonus(box, stakes, rank, lines)
    if pair_plus.stake == 0:
        return
    if around.readings["pair_plus_on_fold"] == "lost":
        lines.append(lost(box, pair_plus, rws.fold_reason(box)))
    else:
        rws.pair_plus(box, pair_plus, rank, around.readings, lines)


def _settle_jackpot(
    box: Box, bet: Placed, five: tuple[int, int, int, int, int], around: _Round, lines: list[Line]
) -> None:
    """A fold does not affect this bet (3.12.1)."""
    readings = around.readings
    if bet.action != bet.stake and readings["pj_wrong_amount"] == "whole_bet_returned":
        lines.append(handed_back(box, "progressive", bet.stake, rws.WRONG_AMOUNT))
        return
    if rws.is_unshown(box, readings):
        lines.append(lost(box, bet, rws.UNSHOWN))
        return
    hand = FIVE_CARD_CATEGORY[five_card_rank(*five)]
    odds = _PAYS.get(hand)
    if odds is None:
        lines.append(lost(box, bet, _NO_JACKPOT_HAND))
        return
    is_major = odds.kind is OddsKind.SHARE
    lines.append(
        award(
            box,
            bet,
            odds,
            Reason("4.4", f"The hand with the community cards is a {hand.replace('_', ' ')}."),
            stake_returned=is_major and readings["pj_stake_on_win"] == "returned",
            cards=tuple(DECK[card] for card in sorted(five, reverse=True)),
            currency=around.terms.currency,
        )
    )
