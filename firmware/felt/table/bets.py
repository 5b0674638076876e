"""Bets and their amounts: how a person keys one, how a person corrects one after the lock, and what can be wrong with
one. A bet is wrong on a box or spot that takes none, without the bet it needs, over the maximum, under the minimum, as
a second bet that differs from the first, or as a jackpot stake of another size. While bets are open the dealer acts on
the remark; after the lock the settlement does."""

from __future__ import annotations

from felt.nouns.ids import Spot, kind_of, seat_of, spot_of
from felt.nouns.money import say
from felt.nouns.values import Value, replace
from felt.rules.rulebook import PLAY, REFUSE_REVEAL, Ceiling, Limit, Line
from felt.table import facts, link, lock, opening, questions, settle
from felt.table.chart import refuse, stay
from felt.table.notices import notice
from felt.table.prompts import tell
from felt.table.state import (
    AFTER_LOCK,
    BEFORE_SETTLEMENT,
    EVERY_PHASE,
    Bet,
    Phase,
    Round,
    SpotState,
    Table,
    phase_of_play,
    with_round,
)

AMOUNT_WRONG = "refused.amount_wrong"
ONE_PLAYER = "refused.one_player"
NOT_FOUND_NOW = "refused.not_found_now"


# --- remarks -----------------------------------------------------------------------------------------


class Remark(Value):
    spot: Spot
    rule: str
    sentence: str
    back_minor: int = 0  # what the dealer hands back


def while_open(table: Table) -> tuple[Remark, ...]:
    """What the dealer corrects before the lock. Only known amounts are judged."""
    if table.settings is None or table.round is None or table.round.lock_ns is not None:
        return ()
    limits = {limit.bet: limit for limit in table.settings.terms.limits}
    refused = not_taken(table)
    elsewhere = [remark.spot for remark in refused]
    taken = [spot for spot in table.spots if _is_told_of(spot) and spot.spot not in elsewhere]
    limited = [_open_limit(table, spot, limits.get(kind_of(spot.spot)), _ceilings(table, spot)) for spot in taken]
    within = [remark for remark in limited if remark is not None]
    return (*refused, *_unseen(table, taken), *_unbacked(table, taken), *within)


def _is_told_of(spot: SpotState) -> bool:
    return spot.present or spot.keyed


def not_taken(table: Table) -> tuple[Remark, ...]:
    """Chips on spots that take no bet. Their players learn it while bets are open, not after the lock."""
    remarks = [_not_taken(table, spot) for spot in table.spots if _is_told_of(spot)]
    return tuple(remark for remark in remarks if remark is not None)


def _not_taken(table: Table, spot: SpotState) -> Remark | None:
    rule, because = _closed(table, spot.spot)
    if rule:
        return Remark(spot.spot, rule, f"{spot.spot}: {because}: hand the chip back ({rule}).")
    if spot.spot in table.quarantined and not spot.keyed and _is_coin(table, spot.spot):
        rule = settle.paragraphs_of(table).no_progressive
        said = f"{spot.spot}: its sensor or lamp is at fault: key the bet, or hand the chip back."
        return Remark(spot.spot, rule, said)
    return None


def _closed(table: Table, spot: Spot) -> tuple[str, str]:
    """The paragraph that closes this spot for bets, and the reason; both empty if it is open."""
    paragraphs, seat = settle.paragraphs_of(table), seat_of(spot)
    if seat in table.barred:
        return paragraphs.box_barred, f"box {seat} is out of play"
    if _is_coin(table, spot) and not settle.round_of(table).progressive_open:
        return paragraphs.no_progressive, "no progressive bets are taken this round"
    return "", ""


def _is_coin(table: Table, spot: Spot) -> bool:
    coin = settle.coin_wager(table.settings) if table.settings else None
    return coin is not None and kind_of(spot) == coin.name


def bet_is_not_taken(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.BetKeyed)
    return bool(_closed(table, fact.spot)[0])


def why_not_taken(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetKeyed)
    rule, because = _closed(table, fact.spot)
    if seat_of(fact.spot) in table.barred:
        return f"Box {seat_of(fact.spot)} is out of play and takes no bets ({rule})."
    return f"{fact.spot}: {because} ({rule})."


def _ceilings(table: Table, spot: SpotState) -> list[Ceiling]:
    """The maxima that the rulebook itself sets for this spot, beside the posted limits."""
    assert table.settings is not None
    seat = seat_of(spot.spot)
    staked = {
        kind_of(spot_state.spot): spot_state.amount_minor
        for spot_state in table.spots
        if seat_of(spot_state.spot) == seat and _is_told_of(spot_state)
    }
    every = settle.book_of(table).ceilings(staked, table.settings.terms)
    return [ceiling for ceiling in every if ceiling.bet == kind_of(spot.spot)]


def _tops(limit: Limit | None, ceilings: list[Ceiling], rule: str) -> list[Ceiling]:
    """Every maximum of a bet, lowest first: the posted one with the table's paragraph, the others with the
    rulebook's."""
    posted = [] if limit is None or limit.maximum is None else [Ceiling(limit.bet, limit.maximum, "maximum", rule)]
    return sorted((*posted, *ceilings), key=lambda ceiling: ceiling.top_minor)


def _open_limit(table: Table, spot: SpotState, limit: Limit | None, ceilings: list[Ceiling]) -> Remark | None:
    amount = spot.amount_minor
    if amount is None:
        return None
    paragraphs = settle.paragraphs_of(table)
    top = next(iter(_tops(limit, ceilings, paragraphs.over_maximum)), None)
    if top is not None and amount > top.top_minor:
        over = amount - top.top_minor
        whose = ", standing players' first," if len(spot.stakes) > 1 else ""
        said = f"{spot.spot}: {_say(table, amount)} is over the {top.what} of {_say(table, top.top_minor)}: hand " \
            f"back {_say(table, over)}{whose} and key what stays ({top.rule})."
        return Remark(spot.spot, top.rule, said, over)
    if limit is not None and amount < limit.minimum:
        said = f"{spot.spot}: {_say(table, amount)} is under the minimum of {_say(table, limit.minimum)}: the player " \
            f"raises it or takes it back ({paragraphs.under_minimum})."
        return Remark(spot.spot, paragraphs.under_minimum, said)
    return None


def _unseen(table: Table, told: list[SpotState]) -> list[Remark]:
    """Keyed bets that count by their chips, where no chip lies."""
    rule = settle.paragraphs_of(table).chip_positions
    unseen = [spot.spot for spot in told if spot.keyed and not lock.lies(table, spot)]
    said = "it is keyed, and no chip lies there: no bet"
    return [Remark(spot, rule, f"{spot}: {said} ({rule}).") for spot in unseen]


def _unbacked(table: Table, lying: list[SpotState]) -> list[Remark]:
    """Bets without the bet that they need."""
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
    """How the settlement treats wrong amounts that were not corrected in time, bet by bet."""
    playing = table.round
    if table.settings is None or playing is None:
        return ()
    remarks: list[Remark | None] = []
    limits = {limit.bet: limit for limit in table.settings.terms.limits}
    for bet in playing.bets:
        if bet.accepted and bet.seat not in playing.returned:
            amount, limit = settle.amount_of(playing, bet), limits.get(bet.wager)
            spot = spot_of(bet.seat, bet.wager)
            late = _coin(table, spot, amount) if bet.coin else _late_limit(table, playing, bet, amount, limit)
            remarks.append(late)
    if playing.found:  # otherwise every second bet equals its first
        played = (decision.seat for decision in playing.decisions if decision.choice in _PLAYED)
        remarks += [_second_bet(table, playing, seat) for seat in played]
    return tuple(remark for remark in remarks if remark is not None)


_PLAYED = (PLAY, REFUSE_REVEAL)


def _late_limit(
    table: Table, playing: Round, bet: Bet, amount: int | None, limit: Limit | None
) -> Remark | None:
    if amount is None:
        return None
    assert table.settings is not None
    paragraphs, spot = settle.paragraphs_of(table), spot_of(bet.seat, bet.wager)
    box = [other for other in playing.bets if other.seat == bet.seat and other.accepted]
    staked = {other.wager: settle.amount_of(playing, other) for other in box}
    every = settle.book_of(table).ceilings(staked, table.settings.terms)
    heeded = [ceiling for ceiling in every if ceiling.bet == bet.wager and ceiling.is_settled]
    top = next(iter(_tops(limit, heeded, paragraphs.over_maximum_late)), None)
    if top is not None and amount > top.top_minor:
        over = amount - top.top_minor
        said = f"{spot}: {_say(table, top.top_minor)} plays, {_say(table, over)} over the {top.what} goes back"
        return Remark(spot, top.rule, f"{said} ({top.rule}).", over)
    if limit is not None and amount < limit.minimum:
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
    """The remark on a Play bet that differs from its Ante."""
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


# --- truths ------------------------------------------------------------------------------------------


def bets_are_locked(table: Table, _: facts.Fact) -> bool:
    return table.round is not None and table.round.lock_ns is not None


def spot_is_unknown(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.BetKeyed | facts.BetUnkeyed)
    return settle.place_of(table, fact.spot) is None


def nothing_is_keyed(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.BetUnkeyed)
    place = settle.place_of(table, fact.spot)
    return place is None or not table.spots[place].keyed


def bet_can_be_keyed(table: Table, fact: facts.Fact) -> bool:
    """A coin spot takes one stake: the amount may be left out, but it may not be another one."""
    assert isinstance(fact, facts.BetKeyed) and table.settings is not None
    if fact.player and (fact.amount_minor is None or box_has_one_player(table, fact)):
        return False
    if fact.amount_minor is None:
        return not spot_is_unknown(table, fact)
    prescribed = table.settings.terms.progressive_stake
    if prescribed is not None and spot_is_a_coin_spot(table, fact):
        return fact.amount_minor == prescribed
    return fact.amount_minor > 0 and not spot_is_unknown(table, fact)


def box_has_one_player(table: Table, fact: facts.Fact) -> bool:
    """A second player bets on the box, and this game allows one player a box."""
    assert isinstance(fact, facts.BetKeyed)
    return bool(fact.player) and not settle.book_of(table).has_bettors


def spot_is_a_coin_spot(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.BetKeyed)
    return link.is_coin(table, fact.spot) and not spot_is_unknown(table, fact)


def amount_is_out_of_time(table: Table, fact: facts.Fact) -> bool:
    """Amounts are keyed before the snapshot only. While a jackpot is verified nothing changes, and a jackpot stake is
    settled with its round."""
    assert isinstance(fact, facts.AmountFound) and table.settings is not None
    phase = phase_of_play(table)
    if phase is Phase.PAYING:
        coin = settle.coin_wager(table.settings)
        return coin is not None and kind_of(fact.spot) == coin.name
    return phase not in BEFORE_SETTLEMENT


def no_bet_has_the_amount(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.AmountFound)
    return fact.amount_minor <= 0 or fact.spot not in settle.spots_with_bets(settle.round_of(table))


def coin_is_short(table: Table, fact: facts.Fact) -> bool:
    """The stake is too small. The lock told the controller of a whole stake, and no letter takes back a part of one."""
    assert isinstance(fact, facts.AmountFound) and table.settings is not None
    prescribed, coin = table.settings.terms.progressive_stake, settle.coin_wager(table.settings)
    if prescribed is None or coin is None or kind_of(fact.spot) != coin.name:
        return False
    return fact.amount_minor < prescribed


# --- reasons -----------------------------------------------------------------------------------------


def bets_are_closed(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetKeyed | facts.BetUnkeyed)
    rule = settle.paragraphs_of(table).after_lock
    return tell(table, "refused.bets_are_closed", spot=fact.spot, rule=rule)


def no_such_spot(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetKeyed | facts.BetUnkeyed)
    return tell(table, "refused.no_such_spot", spot=fact.spot)


def nothing_keyed(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetUnkeyed)
    return tell(table, "refused.nothing_keyed", spot=fact.spot)


def coin_amount(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.BetKeyed) and table.settings is not None
    prescribed = table.settings.terms.progressive_stake
    if prescribed is None:
        return tell(table, AMOUNT_WRONG)
    stake = say(prescribed, table.settings.terms.currency)
    return tell(table, "refused.coin_amount", spot=fact.spot, stake=stake)


def no_bet_with_amount(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.AmountFound)
    return tell(table, "refused.no_bet_with_amount", spot=fact.spot)


def short_coin(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.AmountFound) and table.settings is not None
    terms, rule = table.settings.terms, settle.paragraphs_of(table).wrong_coin_amount
    whole = say(terms.progressive_stake or 0, terms.currency)
    booked = tell(table, "refused.short_coin", spot=fact.spot, whole=whole, rule=rule)
    return f"{booked}; {tell(table, 'refused.short_coin_else')}"


# --- moves -------------------------------------------------------------------------------------------


def key_bet(table: Table, fact: facts.Fact) -> Table:
    """Records the keyed amount. If it is outside its limits, a notice tells the dealer what to do."""
    assert isinstance(fact, facts.BetKeyed)
    stakes = _stakes(table, fact)
    amount = sum(stake for _, stake in stakes) if stakes else fact.amount_minor
    keyed = _with_keyed(table, fact.spot, keyed=True, amount_minor=amount, stakes=stakes)
    again = tuple(remark for remark in while_open(table) if remark.spot != fact.spot)
    return with_news(keyed, again, while_open(keyed))


def with_news(table: Table, known: tuple[Remark, ...], remarks: tuple[Remark, ...]) -> Table:
    """Posts a notice for each remark that this act has caused, once."""
    for remark in remarks:
        if remark not in known:
            table = notice(table, "noted", remark.sentence)
    return table


def _stakes(table: Table, fact: facts.BetKeyed) -> tuple[tuple[str, int], ...]:
    """Stakes by player, in the order of their first bets. A bet without a name is the whole of its spot."""
    if not fact.player or fact.amount_minor is None:
        return ()
    spot = next(spot for spot in table.spots if spot.spot == fact.spot)
    return tuple({**dict(spot.stakes), fact.player: fact.amount_minor}.items())


def unkey_bet(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.BetUnkeyed)
    return _with_keyed(table, fact.spot, keyed=False, amount_minor=None)


def _with_keyed(
    table: Table, name: Spot, *, keyed: bool, amount_minor: int | None, stakes: tuple[tuple[str, int], ...] = ()
) -> Table:
    assert table.settings is not None
    place = settle.place_of(table, name)
    if place is None:
        return table
    sensed, spots = table.settings.sensor(name) is not None, list(table.spots)
    present = spots[place].present if sensed else keyed
    spots[place] = replace(spots[place], keyed=keyed, amount_minor=amount_minor, present=present, stakes=stakes)
    return replace(table, spots=tuple(spots))


def find_amount(table: Table, fact: facts.Fact) -> Table:
    """The snapshot does not change. If the round is settled, the lines of that box are calculated again, except
    claims."""
    assert isinstance(fact, facts.AmountFound) and table.round is not None
    found = dict(table.round.found)
    found[fact.spot] = fact.amount_minor
    table = with_round(table, found=tuple(sorted(found.items())))
    table = notice(table, "noted", f"{fact.spot}: {_say(table, fact.amount_minor)} was found there ({fact.person}).")
    for remark in after_lock(table):
        if remark.spot == fact.spot:
            table = notice(table, "noted", remark.sentence)
    return with_round(table, lines=lines_again(table)) if settle.round_of(table).settled_at else table


def lines_again(table: Table) -> tuple[Line, ...]:
    """Lines that claim a jackpot stay: the controller and the supervisor work on them already."""
    claimed = {(line.seat, line.bet): line for line in settle.round_of(table).lines if line.level}
    return tuple(claimed.get((line.seat, line.bet), line) for line in settle.lines_of(table))


# --- rows --------------------------------------------------------------------------------------------

ROWS = (
    *refuse((facts.BetKeyed, facts.BetUnkeyed), Phase.BETTING, no_such_spot, when=spot_is_unknown),
    *refuse(facts.BetKeyed, Phase.BETTING, why_not_taken, when=bet_is_not_taken),
    *stay(facts.BetKeyed, Phase.BETTING, when=bet_can_be_keyed, do=key_bet),
    *refuse(facts.BetKeyed, Phase.BETTING, ONE_PLAYER, when=box_has_one_player),
    *refuse(facts.BetKeyed, Phase.BETTING, coin_amount, when=spot_is_a_coin_spot),
    *refuse(facts.BetKeyed, Phase.BETTING, AMOUNT_WRONG),
    *refuse(facts.BetUnkeyed, Phase.BETTING, nothing_keyed, when=nothing_is_keyed),
    *stay(facts.BetUnkeyed, Phase.BETTING, do=unkey_bet),
    *refuse((facts.BetKeyed, facts.BetUnkeyed), EVERY_PHASE, bets_are_closed, when=bets_are_locked),
    *refuse((facts.BetKeyed, facts.BetUnkeyed), Phase.INTERRUPTED, questions.held),
    *refuse((facts.BetKeyed, facts.BetUnkeyed), EVERY_PHASE, opening.no_bets_open),
    *refuse(facts.AmountFound, AFTER_LOCK, NOT_FOUND_NOW, when=amount_is_out_of_time),
    *refuse(facts.AmountFound, AFTER_LOCK, no_bet_with_amount, when=no_bet_has_the_amount),
    *refuse(facts.AmountFound, AFTER_LOCK, short_coin, when=coin_is_short),
    *stay(facts.AmountFound, AFTER_LOCK, do=find_amount),
    *refuse(facts.AmountFound, EVERY_PHASE, NOT_FOUND_NOW),
)
