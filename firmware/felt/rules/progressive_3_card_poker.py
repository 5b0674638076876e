"""Progressive 3 Card Poker (RWS, version 5). A fold loses every bet. The jackpot hand is the best five of the
player's and the dealer's six cards. Royals pay envy to the other boxes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from felt.nouns.cards import DECK, Card
from felt.nouns.values import Value
from felt.rules import rws_three_card as rws
from felt.rules.hands import FIVE_CARD_CATEGORY, best_five_of_six, cards_of_best_five
from felt.rules.irregularities import ENVY_AFTER_DENIAL, FOR_PROGRESSIVE_3_CARD_POKER
from felt.rules.rulebook import (
    REFUSE_REVEAL,
    Box,
    Deal,
    Line,
    PayTable,
    Reading,
    Reason,
    Rulebook,
    Terms,
    readings_in_force,
    share_of,
    sum_of,
)
from felt.rules.verdicts import (
    Placed,
    all_handed_back,
    award,
    envy,
    handed_back,
    lost,
    maxima,
    minor_per_unit,
    say_units,
    within,
)

PROGRESSIVE = PayTable(
    "progressive",
    "",
    "4.4",
    (
        ("royal_flush_spades", share_of("major", 100)),
        ("royal_flush", share_of("major", 25)),
        ("straight_flush", sum_of(1_250)),
        ("four_of_a_kind", sum_of(250)),
        ("full_house", sum_of(50)),
        ("flush", sum_of(25)),
    ),
)
ENVY = PayTable("envy", "", "4.4", (("royal_flush_spades", sum_of(500)), ("royal_flush", sum_of(250))))
_PAYS = dict(PROGRESSIVE.rows)
_ENVY_UNITS = {hand: odds.amount for hand, odds in ENVY.rows}

READINGS = (
    rws.PJ_STAKE_ON_WIN,
    Reading("envy_to_folded_box", "no", ("yes",), "4.7", "Whether a folded box with a jackpot bet receives envy."),
    Reading("envy_from_folded_royal", "no", ("yes",), "4.7", "Whether a folded royal gives envy to the others."),
    Reading(
        "envy_to_own_other_box", "no", ("yes",), "4.7", "Whether a player's second box earns envy from his own royal."
    ),
    ENVY_AFTER_DENIAL,
    rws.PARTIAL_WIN_METER,
    rws.FRACTIONAL_CENT,
    rws.PJ_WRONG_AMOUNT,
    rws.INCREMENT_TIMING,
    rws.PLAY_EXCESS,
    rws.ANTE_BONUS_ON_FOLD,
    rws.UNSHOWN_HAND,
    Reading(
        "unshown_ante_and_play",
        "settled",
        ("folded",),
        "4.5",
        "What becomes of Ante, its bonus and Play when the player does not show his cards.",
    ),
    *FOR_PROGRESSIVE_3_CARD_POKER,
)


_NO_JACKPOT_HAND = Reason("4.4", "The six cards make no jackpot hand.")
_OTHERS_ROYAL = Reason("4.7", "Another player has a royal flush.")


class _Round(Value):
    """What every box of a round is settled against."""

    dealer: tuple[int, int, int]
    dealer_rank: int
    terms: Terms
    tops: Mapping[str, int | None]
    readings: Mapping[str, str]
    prescribed: int | None


class _Seen(Value):
    """What envy needs to know about a box after its own bets are settled."""

    box: Box
    royal: str  # its row of the envy table, or empty
    receives: bool


class Progressive3CardPoker(Rulebook):
    id = "progressive-3-card-poker"
    version = "5"
    title = "Progressive 3 Card Poker"
    effective = "2020-03-17T08:00:00+08:00"
    wagers = rws.WAGERS
    pay_tables = (rws.ANTE_AND_PLAY, rws.ANTE_BONUS, rws.PAIR_PLUS, PROGRESSIVE, ENVY)
    readings = READINGS
    needs = rws.NEEDS
    meters = ("major",)
    stake_on_share_won = "pj_stake_on_win"
    has_envy = True

    def qualifies(self, dealer: tuple[Card, ...]) -> bool | None:
        return rws.dealer_qualifies(dealer)

    def fold_forfeits_jackpot(self, terms: Terms) -> bool:
        """A fold loses every bet (3.12.1)."""
        return True

    def in_play(self, box: Box) -> bool:
        return not box.invalidated and (rws.has_bet(box, "ante") or rws.has_bet(box, "pair_plus"))

    def folded(self, box: Box) -> bool:
        return rws.decision_counts_as_fold(box, refusal_folds=False) and rws.has_bet(box, "ante")

    def settle(self, deal: Deal, terms: Terms) -> tuple[Line, ...]:
        readings = readings_in_force(self, terms)
        if deal.void:
            return tuple(line for box in deal.boxes for line in all_handed_back(box, rws.VOID))
        dealer, dealer_rank = rws.ranks_of(deal.dealer)
        around = _Round(dealer, dealer_rank, terms, maxima(terms), readings, self.prescribed_stake(terms))
        settled: list[list[Line]] = []
        seen: list[_Seen] = []
        for box in deal.boxes:
            lines: list[Line] = []
            seen.append(self._settle_box(box, around, lines))
            settled.append(lines)
        if any(box.royal for box in seen):
            for giver, lines in zip(seen, settled, strict=True):
                _give_envy(giver, seen, around, lines)
        return tuple(chain.from_iterable(settled))

    def _settle_box(self, box: Box, around: _Round, lines: list[Line]) -> _Seen:
        if box.invalidated:
            lines += all_handed_back(box, rws.INVALIDATED)
            return _Seen(box, "", receives=False)
        bets = dict(box.bets)
        stakes = rws.stakes_of(bets, around.tops, around.readings["play_excess"])
        pair_stake = bets.get("pair_plus", 0)
        pair_plus = Placed("pair_plus", pair_stake, within(pair_stake, around.tops.get("pair_plus")))
        jackpot = rws.jackpot_bet(bets, around.prescribed)
        if stakes.ante.stake == 0:
            rws.settle_without_ante(box, stakes, pair_plus, jackpot, around.readings, lines=lines)
            return _Seen(box, "", receives=False)
        cards, rank = rws.ranks_of(box.cards)
        folded = self.folded(box)
        if folded or (box.decision == REFUSE_REVEAL and around.readings["unshown_ante_and_play"] == "folded"):
            rws.folded_ante(box, stakes, play_lost=False, lines=lines)
            if around.readings["ante_bonus_on_fold"] == "paid":
                rws.ante_bonus(box, stakes, rank, lines)
        else:
            rws.showdown(box, stakes, rank, around.dealer_rank, lines)
            rws.ante_bonus(box, stakes, rank, lines)
        if pair_stake != 0 and folded:
            # In this rulebook a fold also loses the Pair Plus (3.12.1).
            lines.append(lost(box, pair_plus, rws.fold_reason(box)))
        elif pair_stake != 0:
            rws.pair_plus(box, pair_plus, rank, around.readings, lines)
        six = (*cards, *around.dealer)
        hand = _jackpot_hand(six)
        stood = _settle_jackpot(box, jackpot, six, "" if folded else hand, around, lines=lines)
        gives = hand in _ENVY_UNITS and (not folded or around.readings["envy_from_folded_royal"] == "yes")
        gives = gives and box.gives_envy and not rws.is_unshown(box, around.readings)
        receives = stood and (not folded or around.readings["envy_to_folded_box"] == "yes")
        return _Seen(box, hand if gives else "", receives)


def _jackpot_hand(six: tuple[int, ...]) -> str:
    """The best five-card hand; a royal in spades has a name of its own."""
    category = FIVE_CARD_CATEGORY[best_five_of_six(*six)]
    if category == "royal_flush" and DECK[cards_of_best_five(six)[0]] == "As":
        return "royal_flush_spades"
    return category


def _settle_jackpot(
    box: Box, bet: Placed, six: tuple[int, ...], hand: str, around: _Round, *, lines: list[Line]
) -> bool:
    """Settles the jackpot bet of a box with an Ante; without a hand the box has folded. Returns whether the bet
    stood."""
    if bet.stake == 0:
        return False
    readings = around.readings
    if bet.action != bet.stake and readings["pj_wrong_amount"] == "whole_bet_returned":
        lines.append(handed_back(box, "progressive", bet.stake, rws.WRONG_AMOUNT))
        return False
    if hand and rws.is_unshown(box, readings):
        lines.append(lost(box, bet, rws.UNSHOWN))
        return True
    odds = _PAYS.get(hand)
    if odds is None:
        lines.append(lost(box, bet, _NO_JACKPOT_HAND if hand else rws.fold_reason(box)))
        return True
    lines.append(
        award(
            box,
            bet,
            odds,
            Reason("4.4", f"The best five of the six cards are a {hand.replace('_', ' ')}."),
            stake_returned=readings["pj_stake_on_win"] == "returned",
            cards=tuple(DECK[card] for card in cards_of_best_five(six)),
            currency=around.terms.currency,
        )
    )
    return True


def _give_envy(giver: _Seen, seen: list[_Seen], around: _Round, lines: list[Line]) -> None:
    if not giver.receives:
        return
    own_too = around.readings["envy_to_own_other_box"] == "yes"
    units = 0
    for other in seen:
        if other.royal and other is not giver and (own_too or other.box.player != giver.box.player):
            units += _ENVY_UNITS[other.royal]
    if units:
        currency = around.terms.currency
        lines.append(envy(giver.box, units * minor_per_unit(currency), say_units(units, currency), _OTHERS_ROYAL))
