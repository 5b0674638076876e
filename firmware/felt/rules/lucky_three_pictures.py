"""Non-Commission Lucky Three Pictures (RWS, version 2). It has no fold and no progressive. Several players may bet
on one box; bets above the box's maximum are reduced pro rata."""

from __future__ import annotations

from collections.abc import Mapping

from felt.nouns.cards import INDEX_OF, Card
from felt.nouns.values import Value, replace
from felt.rules.hands import THREE_PICTURES, pictures, pictures_rank, points
from felt.rules.irregularities import FOR_LUCKY_THREE_PICTURES
from felt.rules.rulebook import (
    Bettor,
    Box,
    Deal,
    Limit,
    Line,
    Odds,
    PayTable,
    Reading,
    Reason,
    Rulebook,
    Terms,
    Wager,
    readings_in_force,
    to,
)
from felt.rules.verdicts import Placed, all_handed_back, handed_back, lost, pushed, rounded, won

INITIAL = PayTable("initial", "", "4.1", (("six_points", to(1, 2)), ("other_points", to(1))))
LUCKY_TIE = PayTable(
    "lucky_tie", "", "4.1", (("three_pictures", to(600)), ("eight_or_nine", to(10)), ("other_points", to(8)))
)
LUCKY_PICTURES = PayTable(
    "lucky_pictures",
    "",
    "4.1",
    (("six_pictures", to(1000)), ("five_pictures", to(100)), ("four_pictures", to(10)), ("three_pictures", to(4))),
)
_LUCKY_6_ROWS = (("two_pictures", to(25)), ("one_picture", to(15)), ("no_picture", to(10)))
PLAYER_LUCKY_6 = PayTable("player_lucky_6", "", "4.1", _LUCKY_6_ROWS)
DEALER_LUCKY_6 = PayTable("dealer_lucky_6", "", "4.1", _LUCKY_6_ROWS)

_INITIAL = dict(INITIAL.rows)
_TIE = dict(LUCKY_TIE.rows)
_PICTURES = dict(zip((6, 5, 4, 3), (odds for _, odds in LUCKY_PICTURES.rows), strict=True))
_LUCKY_6 = dict(zip((2, 1, 0), (odds for _, odds in _LUCKY_6_ROWS), strict=True))

READINGS = (
    Reading(
        "three_pictures_points", "zero", ("none",), "1.16", "Whether Three Pictures ties on points with a zero hand."
    ),
    Reading(
        "fractional_cent",
        "down",
        ("nearest",),
        "4.1",
        "How half of an odd stake and a pro-rated stake are rounded.",
    ),
    Reading(
        "prorata_minimum",
        "simple",
        ("redistribute",),
        "5.1.1",
        "Whether a bet raised to the minimum comes out of the others' share.",
    ),
    Reading(
        "prorata_under_minimum_bet",
        "that_player",
        ("whole_box",),
        "5.1.2",
        "For whom pro rata is not applied when somebody bet less than the minimum.",
    ),
    *FOR_LUCKY_THREE_PICTURES,
)

_SIDE_BETS = ("lucky_tie", "lucky_pictures", "player_lucky_6", "dealer_lucky_6")
_BETS = ("initial", *_SIDE_BETS)

_VOID = Reason("5.14", "The round is void.")
_INVALIDATED = Reason("5.6.3", "The hand is invalidated.")
_NO_INITIAL = Reason("5.13", "Nobody has an Initial Bet on the box.")
_HIGHER = Reason("3.13.1", "The player's hand ranks higher.")
_LOWER = Reason("3.13.2", "The dealer's hand ranks higher.")
_EQUAL = Reason("3.13.3", "Both hands have the same rank.")
_TIED = Reason("3.13.3", "Both hands have the same rank.")
_TIED_ON_POINTS = Reason("3.13.4", "Both hands have the same points.")
_NOT_TIED = Reason("1.10", "The hands have different points.")
_ENOUGH_PICTURES = Reason("4.1", "The two hands hold three pictures or more together.")
_FEW_PICTURES = Reason("1.9", "The two hands hold fewer than three pictures.")
_PLAYER_SIX = Reason("4.1", "The player's hand wins on six points.")
_NO_PLAYER_SIX = Reason("1.15", "The player's hand does not win on six points.")
_DEALER_SIX = Reason("4.1", "The dealer's hand wins on six points.")
_NO_DEALER_SIX = Reason("1.4", "The dealer's hand does not win on six points.")


class _Hand(Value):
    rank: int
    points: int
    pictures: int


class _Verdict(Value):
    """The result of one bet of a box: odds if it wins, none if it loses or pushes."""

    odds: Odds | None
    push: bool
    reason: Reason


class LuckyThreePictures(Rulebook):
    id = "lucky-three-pictures"
    version = "2"
    title = "Non-Commission Lucky Three Pictures"
    effective = "2020-06-28T08:00:00+08:00"
    wagers = (
        Wager("initial", "Initial", "1.8"),
        Wager("lucky_tie", "Lucky Tie", "3.9", needs="initial"),
        Wager("lucky_pictures", "Lucky Pictures", "3.9", needs="initial"),
        Wager("player_lucky_6", "Player Lucky 6", "3.9", needs="initial"),
        Wager("dealer_lucky_6", "Dealer Lucky 6", "3.9", needs="initial"),
    )
    pay_tables = (INITIAL, LUCKY_TIE, LUCKY_PICTURES, PLAYER_LUCKY_6, DEALER_LUCKY_6)
    readings = READINGS
    needs = tuple(f"limits.{bet}" for bet in _BETS)
    has_fold = False
    side_bettors_look = True
    has_bettors = True

    def qualifies(self, dealer: tuple[Card, ...]) -> bool | None:
        return None

    def in_play(self, box: Box) -> bool:
        return not box.invalidated and _has_initial(_bettors(box))

    def folded(self, box: Box) -> bool:
        return False

    def settle(self, deal: Deal, terms: Terms) -> tuple[Line, ...]:
        readings = readings_in_force(self, terms)
        if deal.void:
            return tuple(line for box in deal.boxes for line in all_handed_back(box, _VOID))
        dealer = _hand(deal.dealer)
        limits = {limit.bet: limit for limit in terms.limits}
        lines: list[Line] = []
        for box in deal.boxes:
            if box.invalidated:
                lines += all_handed_back(box, _INVALIDATED)
            elif not _has_initial(_bettors(box)):
                lines += _without_initial(box)
            else:
                _settle_box(box, dealer, limits, readings, lines)
        return tuple(lines)


def _bettors(box: Box) -> tuple[Bettor, ...]:
    """A box with one player may name the player and the bets directly."""
    return box.bettors or (Bettor(box.player, box.bets),)


def _has_initial(bettors: tuple[Bettor, ...]) -> bool:
    return any(bet == "initial" and stake != 0 for bettor in bettors for bet, stake in bettor.bets)


def _without_initial(box: Box) -> list[Line]:
    return [
        handed_back(replace(box, player=bettor.player), bet, stake, _NO_INITIAL)
        for bettor in _bettors(box)
        for bet, stake in _in_order(bettor)
    ]


def _in_order(bettor: Bettor) -> list[tuple[str, int | None]]:
    bets = dict(bettor.bets)
    return [(bet, bets[bet]) for bet in _BETS if bets.get(bet, 0) != 0]


def _hand(cards: tuple[Card, ...]) -> _Hand:
    three = (INDEX_OF[cards[0]], INDEX_OF[cards[1]], INDEX_OF[cards[2]])
    return _Hand(pictures_rank(*three), points(*three), pictures(*three))


def _settle_box(
    box: Box, dealer: _Hand, limits: Mapping[str, Limit], readings: Mapping[str, str], lines: list[Line]
) -> None:
    bettors = _bettors(box)
    verdicts = _verdicts(_hand(box.cards), dealer, readings)
    rounding = readings["fractional_cent"]
    actions = {
        bet: shared_out([dict(bettor.bets).get(bet, 0) for bettor in bettors], limit, readings)
        for bet, limit in limits.items()
    }
    for place, bettor in enumerate(bettors):
        own = replace(box, player=bettor.player)
        for bet, stake in _in_order(bettor):
            action = actions[bet][place] if bet in actions else stake
            verdict = verdicts[bet]
            placed = Placed(bet, stake, action)
            if verdict.odds is not None:
                lines.append(won(own, placed, verdict.odds, verdict.reason, rounding))
            elif verdict.push:
                lines.append(pushed(own, placed, verdict.reason))
            else:
                lines.append(lost(own, placed, verdict.reason))


def _verdicts(hand: _Hand, dealer: _Hand, readings: Mapping[str, str]) -> dict[str, _Verdict]:
    together = hand.pictures + dealer.pictures
    lucky_pictures = _PICTURES.get(together)
    player_six = hand.rank > dealer.rank and hand.points == 6
    dealer_six = dealer.rank > hand.rank and dealer.points == 6
    return {
        "initial": _initial(hand, dealer),
        "lucky_tie": _lucky_tie(hand, dealer, readings["three_pictures_points"]),
        "lucky_pictures": _Verdict(lucky_pictures, False, _ENOUGH_PICTURES if lucky_pictures else _FEW_PICTURES),
        "player_lucky_6": (
            _Verdict(_LUCKY_6[hand.pictures], False, _PLAYER_SIX)
            if player_six
            else _Verdict(None, False, _NO_PLAYER_SIX)
        ),
        "dealer_lucky_6": (
            _Verdict(_LUCKY_6[dealer.pictures], False, _DEALER_SIX)
            if dealer_six
            else _Verdict(None, False, _NO_DEALER_SIX)
        ),
    }


def _initial(hand: _Hand, dealer: _Hand) -> _Verdict:
    if hand.rank == dealer.rank:
        return _Verdict(None, True, _EQUAL)
    if hand.rank < dealer.rank:
        return _Verdict(None, False, _LOWER)
    return _Verdict(_INITIAL["six_points" if hand.points == 6 else "other_points"], False, _HIGHER)


def _lucky_tie(hand: _Hand, dealer: _Hand, three_pictures_points: str) -> _Verdict:
    if hand.rank == dealer.rank == THREE_PICTURES:
        return _Verdict(_TIE["three_pictures"], False, _TIED)
    has_three_pictures = THREE_PICTURES in (hand.rank, dealer.rank)
    if hand.points != dealer.points or (has_three_pictures and three_pictures_points == "none"):
        return _Verdict(None, False, _NOT_TIED)
    odds = _TIE["eight_or_nine" if hand.points >= 8 else "other_points"]
    return _Verdict(odds, False, _TIED if hand.rank == dealer.rank else _TIED_ON_POINTS)


def shared_out(stakes: list[int | None], limit: Limit, readings: Mapping[str, str]) -> list[int | None]:
    """The part of each bettor's stake in action on one spot of a box (5.1.1, 5.1.2). A spot with an unknown amount
    is not reduced."""
    known = [stake for stake in stakes if stake is not None]
    total = sum(known)
    if limit.maximum is None or total <= limit.maximum or len(known) < len(stakes):
        return stakes
    under = [0 < stake < limit.minimum for stake in known]
    if any(under) and readings["prorata_under_minimum_bet"] == "whole_box":
        return stakes
    raised = [False] * len(known)
    pool, base = limit.maximum, total
    if readings["prorata_minimum"] == "redistribute":
        raised, pool, base = _taken_out(known, under, limit.minimum, limit.maximum)
    actions: list[int | None] = []
    for stake, is_under, is_raised in zip(known, under, raised, strict=True):
        if is_under:
            actions.append(stake)
        elif is_raised:
            actions.append(limit.minimum)
        else:
            part = rounded(stake * pool, base, readings["fractional_cent"])
            actions.append(min(stake, max(part, limit.minimum)))
    return actions


def _taken_out(known: list[int], under: list[bool], minimum: int, maximum: int) -> tuple[list[bool], int, int]:
    """Bets that pro rata would push below the minimum stay at the minimum, and the other bets cover the difference.
    That may push the next bet below, so the step repeats until nothing changes."""
    raised = [False] * len(known)
    pool, base = maximum, sum(known)
    while True:
        low = [
            place
            for place, stake in enumerate(known)
            if not under[place] and not raised[place] and stake * pool < minimum * base and stake
        ]
        if not low:
            return raised, max(pool, 0), max(base, 1)
        for place in low:
            raised[place] = True
            pool -= minimum
            base -= known[place]
