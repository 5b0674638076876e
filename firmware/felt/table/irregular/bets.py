"""What is wrong with bets whose amounts are known: over the maximum, under the minimum, without the bet that they need,
a second bet unlike the first, a jackpot stake other than prescribed. It remarks and names the paragraph; while bets are
open the dealer acts on it, after the lock the settlement does. It asks nobody and changes nothing."""

from __future__ import annotations

from felt.nouns.ids import Spot, kind_of, seat_of, spot_of
from felt.nouns.money import say
from felt.nouns.named import NamedTuple
from felt.rules.rulebook import PLAY, REFUSE_REVEAL, Limit
from felt.table import lock, settle
from felt.table.state import Round, SpotState, Table


class Remark(NamedTuple):
    spot: Spot
    rule: str
    sentence: str
    back_minor: int = 0  # what the dealer hands back


def while_open(table: Table, only: Spot | None = None) -> tuple[Remark, ...]:
    """What the dealer mends before the lock, everywhere or at one spot. Only what is known is remarked on."""
    if table.settings is None or table.round is None or table.round.lock_ns is not None:
        return ()
    limits = {limit.bet: limit for limit in table.settings.terms.limits}
    spots = table.spots if only is None else [spot for spot in table.spots if spot.spot == only]
    lying = [spot for spot in spots if spot.present or spot.keyed]
    remarks = [_open_limit(table, spot, limits.get(kind_of(spot.spot))) for spot in lying]
    return (*_unbacked(table, lying), *(one for one in remarks if one is not None))


def _open_limit(table: Table, spot: SpotState, limit: Limit | None) -> Remark | None:
    amount = spot.amount_minor
    if amount is None or limit is None:
        return None
    paragraphs = settle.paragraphs_of(table)
    if limit.maximum is not None and amount > limit.maximum:
        over = amount - limit.maximum
        whose = ", standing players' first," if len(spot.stakes) > 1 else ""
        said = f"{spot.spot}: {_say(table, amount)} is over the maximum of {_say(table, limit.maximum)}: hand back " \
            f"{_say(table, over)}{whose} and key what stays ({paragraphs.over_maximum})."
        return Remark(spot.spot, paragraphs.over_maximum, said, over)
    if amount < limit.minimum:
        said = f"{spot.spot}: {_say(table, amount)} is under the minimum of {_say(table, limit.minimum)}: the player " \
            f"raises it or takes it back ({paragraphs.under_minimum})."
        return Remark(spot.spot, paragraphs.under_minimum, said)
    return None


def _unbacked(table: Table, lying: list[SpotState]) -> list[Remark]:
    """Bets without the one that they need, where the table can know of it."""
    assert table.settings is not None
    rule, found = settle.paragraphs_of(table).unbacked_bet, []
    for wager in settle.placed_wagers(table.settings):
        placed = [spot for spot in lying if kind_of(spot.spot) == wager.name] if wager.needs else []
        backed = lock.backed_seats(table, wager) if placed else None
        for spot in placed if backed is not None else ():
            if backed is not None and seat_of(spot.spot) not in backed:
                said = f"Box {seat_of(spot.spot)}: {wager.name.replace('_', ' ')} bet without " \
                    f"{wager.needs.title()} ({rule})."
                found.append(Remark(spot.spot, rule, said))
    return found


def after_lock(table: Table) -> tuple[Remark, ...]:
    """How the settlement heeds amounts that slipped through, bet by bet."""
    playing = table.round
    if table.settings is None or playing is None:
        return ()
    remarks: list[Remark | None] = []
    limits = {limit.bet: limit for limit in table.settings.terms.limits}
    for bet in playing.bets:
        if bet.accepted and bet.seat not in playing.returned:
            amount, limit = settle.amount_of(playing, bet), limits.get(bet.wager)
            spot = spot_of(bet.seat, bet.wager)
            remarks.append(_coin(table, spot, amount) if bet.coin else _late_limit(table, spot, amount, limit))
    if playing.found:  # else every second bet equals its first
        remarks += [_second_bet(table, playing, one.seat) for one in playing.decisions if one.choice in _PLAYED]
    return tuple(one for one in remarks if one is not None)


_PLAYED = (PLAY, REFUSE_REVEAL)


def _late_limit(table: Table, spot: Spot, amount: int | None, limit: Limit | None) -> Remark | None:
    if amount is None or limit is None:
        return None
    paragraphs = settle.paragraphs_of(table)
    if limit.maximum is not None and amount > limit.maximum:
        over, rule = amount - limit.maximum, paragraphs.over_maximum_late
        said = f"{spot}: {_say(table, limit.maximum)} plays, {_say(table, over)} over the maximum goes back ({rule})."
        return Remark(spot, rule, said, over)
    if amount < limit.minimum:
        rule = paragraphs.under_minimum_late
        return Remark(spot, rule, f"{spot}: {_say(table, amount)}, under the minimum, plays as it lies ({rule}).")
    return None


def _coin(table: Table, spot: Spot, amount: int | None) -> Remark | None:
    assert table.settings is not None
    prescribed = table.settings.terms.progressive_stake
    if amount is None or prescribed is None or amount <= prescribed:
        return None
    rule = settle.paragraphs_of(table).wrong_coin_amount
    whole = table.settings.reading("pj_wrong_amount", "excess_returned") == "whole_bet_returned"
    back = amount if whole else amount - prescribed
    return Remark(spot, rule, f"{spot}: {_say(table, back)} more than prescribed goes back ({rule}).", back)


def _second_bet(table: Table, playing: Round, seat: int) -> Remark | None:
    """A Play unlike its Ante."""
    wager = next(wager for wager in settle.book_of(table).wagers if wager.after_cards)
    spot, first = spot_of(seat, wager.name), spot_of(seat, wager.needs)
    second = dict(playing.found).get(spot)
    amounts = {spot_of(bet.seat, bet.wager): settle.amount_of(playing, bet) for bet in playing.bets}
    staked = amounts.get(first)
    if second is None or staked is None or second == staked:
        return None
    paragraphs = settle.paragraphs_of(table)
    if second < staked:
        said = f"{spot}: {_say(table, second)}, less than the {wager.needs.title()}, plays as it lies"
        return Remark(spot, paragraphs.play_under, f"{said} ({paragraphs.play_under}).")
    said = f"{spot}: {_say(table, second - staked)} more than the {wager.needs.title()} goes back"
    return Remark(spot, paragraphs.play_over, f"{said} ({paragraphs.play_over}).", second - staked)


def _say(table: Table, amount_minor: int) -> str:
    assert table.settings is not None
    return say(amount_minor, table.settings.terms.currency)
