"""Which chips lay on their spots at the instant of "No more Bets". The answer depends on stamps and on how late a
line's stamps can be. It never depends on when anything was delivered."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

from felt.nouns.ids import Spot, kind_of, seat_of
from felt.nouns.stamps import BURST_SETTLE_TIMES, DELIVERY_MS, NS_PER_MS
from felt.nouns.values import Value, replace
from felt.rules import shelf
from felt.rules.procedure import Paragraphs
from felt.rules.rulebook import Wager
from felt.table.remembered import once_a_table
from felt.table.settings import HISTORY_MAX, Settings
from felt.table.state import Bet, Burst, Round, SpotState, Table


class ChipPresence(StrEnum):
    THERE = "there"
    ABSENT = "absent"
    UNDETERMINED = "undetermined"


KEYED, PRESUMED = "keyed", "presumed"  # of the settings: how Antes are known
_WHERE_UNKNOWN = "only_where_none_is_sensed_or_keyed"


class _Backed(Value):
    """The boxes with the bet that a wager needs."""

    known: tuple[int, ...]
    presumed: tuple[int, ...] = ()


class Lock(Value):
    """Everything that decides for one spot whether a chip was in time."""

    ns: int  # the first edge of the lock key
    margin_ns: int  # how far the stamps of the chip's line and the key's line can differ together
    settle_ns: int
    drained_ns: int  # what happened by then is known when the drain ends


def with_burst(spot: SpotState, burst: Burst, settle_ns: int, needed_from_ns: int | None = None) -> SpotState:
    """Adds a burst to the spot. Only stamps decide what belongs to one burst: late edges can split it into several
    facts, and here they are joined again, so no delay of a thread can move the lock. A full history merges its oldest
    burst into the level before it. It never merges a burst that the lock still needs, because then a late chip that
    dithers long enough would be seated; instead only the level is recorded."""
    before, bursts = spot.before, spot.bursts
    last = bursts[-1] if bursts else None
    if last is not None and _is_one(last, burst, settle_ns):
        bursts = (*bursts[:-1], replace(burst, edge_ns=last.edge_ns))
    elif len(bursts) < HISTORY_MAX:
        bursts = (*bursts, burst)
    elif needed_from_ns is None or (bursts[0].last_ns < needed_from_ns and not bursts[0].later):
        before, bursts = bursts[0].present, (*bursts[1:], burst)
    present = burst.present if burst.ended else spot.present
    return replace(spot, present=present, before=before, bursts=bursts)


def _is_one(last: Burst, burst: Burst, settle_ns: int) -> bool:
    if last.found or burst.found or last.later != burst.later:
        return False
    return not last.ended or burst.edge_ns - last.last_ns < settle_ns


def changes(spot: SpotState) -> tuple[Burst, ...]:
    """The bursts that changed the contact's level."""
    found, present = [], spot.before
    for burst in spot.bursts:
        if burst.ended and burst.present != present:
            found.append(burst)
            present = burst.present
    return tuple(found)


def began_ns(table: Table, name: Spot, edge_ns: int) -> int:
    """The first edge of the burst to which this edge belongs, if its beginning was told before."""
    spot = next((spot_state for spot_state in table.spots if spot_state.spot == name), None)
    if spot is None or not spot.bursts or table.settings is None:
        return edge_ns
    told = Burst(edge_ns, edge_ns, spot.present)
    return spot.bursts[-1].edge_ns if _is_one(spot.bursts[-1], told, settle_ns(table.settings, name)) else edge_ns


def needed_from_ns(table: Table, spot: Spot) -> int | None:
    """The instant from which bursts of a spot decide a lock; None without a lock."""
    if table.round is None or table.round.lock_ns is None or table.settings is None:
        return None
    return table.round.lock_ns - margin_ns(table.settings, spot)


def is_of_an_earlier_boot(table: Table) -> bool:
    """Bets were locked and power was cut since then: everything seen now came after the lock."""
    locked_at = table.round.locked_at if table.round else None
    return locked_at is not None and locked_at.boot != table.boot


def edge_is_after_lock(table: Table, spot: Spot, edge_ns: int) -> bool:
    """The edge and the whole burst to which it belongs are certainly after the lock. The clocks of two boots cannot be
    compared, but everything a later boot saw came after the lock."""
    settings, playing = table.settings, table.round
    if settings is None or playing is None or playing.lock_ns is None or playing.locked_at is None:
        return False
    if is_of_an_earlier_boot(table):
        return True
    return began_ns(table, spot, edge_ns) > playing.lock_ns + margin_ns(settings, spot)


def presence_at(spot: SpotState, lock: Lock) -> ChipPresence:
    """Compares the level before a burst with the level after it. A burst that ends where it began changes nothing. A
    burst that changes the level is dated by its first edge. The order is undetermined if that edge is within the margin
    of the lock, if a burst across the lock is longer than four settle times or went on when the drain ended, and if a
    level was read only after the lock."""
    present = spot.before
    for burst in spot.bursts:
        if burst.later or (not burst.found and burst.edge_ns > lock.ns + lock.margin_ns):
            break
        if not burst.ended or (not burst.found and burst.last_ns + lock.settle_ns > lock.drained_ns):
            return ChipPresence.UNDETERMINED
        if burst.present == present:
            continue
        is_before = burst.last_ns < lock.ns - lock.margin_ns
        if not is_before and (burst.found or _cannot_be_dated(burst, lock)):
            return ChipPresence.UNDETERMINED
        present = burst.present
    return ChipPresence.THERE if present else ChipPresence.ABSENT


def _cannot_be_dated(burst: Burst, lock: Lock) -> bool:
    is_long = burst.last_ns - burst.edge_ns > BURST_SETTLE_TIMES * lock.settle_ns
    return is_long or burst.edge_ns >= lock.ns - lock.margin_ns


def settle_ns(settings: Settings, spot: Spot) -> int:
    sensor = settings.sensor(spot)
    return sensor.settle_ms * NS_PER_MS if sensor else 0


def margin_ns(settings: Settings, spot: Spot) -> int:
    """The chip's line and the lock key's line may both be late, so their errors add up."""
    sensor = settings.sensor(spot)
    chip_ms = sensor.late_ms_max if sensor else 0
    return (chip_ms + settings.lock_key_late_ms_max) * NS_PER_MS


def is_sensed(table: Table, spot: Spot) -> bool:
    """The spot has a sensor that can be believed."""
    return table.settings is not None and table.settings.sensor(spot) is not None and is_believed(table, spot)


def is_believed(table: Table, spot: Spot) -> bool:
    """The spot's sensor can be believed. A contact that was found chattering only after the lock key was good while
    bets were open: what it showed counts, by its stamps."""
    if spot not in table.quarantined:
        return True
    return table.round is not None and spot in table.round.chattered


def stands_by_word(table: Table, spot: SpotState) -> bool:
    """A keyed bet counts without a chip if no sensor can be believed, or on a coin spot (where Antes are keyed, also on
    theirs) whose sensor saw no chip come or go before the lock. Elsewhere the sensor says whether there is a bet, and
    the key only its amount."""
    if not spot.keyed or table.settings is None:
        return False
    if not is_sensed(table, spot.spot):
        return True
    if kind_of(spot.spot) not in (_coin_kind(table.settings.game), *_keyed_antes(table.settings)):
        return False
    locked_ns = table.round.lock_ns if table.round else None
    late_ns = margin_ns(table.settings, spot.spot)
    known = [burst for burst in spot.bursts if not burst.later]
    moved = [burst for burst in known if locked_ns is None or burst.edge_ns <= locked_ns + late_ns]
    return not spot.before and not moved


@cache
def _coin_kind(game: str) -> str:
    return next((wager.name for wager in shelf.rulebook(game).wagers if wager.coin_spot), "")


def _keyed_antes(settings: Settings) -> tuple[str, ...]:
    return _needed(settings.game) if settings.antes == KEYED else ()


@cache
def _needed(game: str) -> tuple[str, ...]:
    """The bets that others need before cards are dealt."""
    wagers = shelf.rulebook(game).wagers
    return tuple(wager.needs for wager in wagers if wager.needs and not wager.after_cards)


def lies(table: Table, spot: SpotState) -> bool:
    """A bet lies there while bets are open: a sensor sees it, or a person keyed it."""
    return spot.present or stands_by_word(table, spot)


def presence(table: Table, playing: Round, spot: SpotState) -> ChipPresence:
    """The presence that counts: decided by a supervisor, keyed by a person, or shown by the stamps."""
    for ruled, seated in playing.rulings:
        if ruled == spot.spot:
            return ChipPresence.THERE if seated else ChipPresence.ABSENT
    assert playing.lock_ns is not None and table.settings is not None
    if stands_by_word(table, spot):
        return ChipPresence.THERE
    if not spot.bursts:
        return ChipPresence.THERE if spot.before else ChipPresence.ABSENT
    told = presence_at(spot, _lock_of(table.settings, spot.spot, playing.lock_ns))
    if told is ChipPresence.UNDETERMINED and _goes_back_anyway(table, spot.spot):
        return ChipPresence.THERE if spot.present else ChipPresence.ABSENT
    return told


def _lock_of(settings: Settings, spot: Spot, lock_ns: int) -> Lock:
    drained_ns = drain_ends_ns(settings, lock_ns) - DELIVERY_MS * NS_PER_MS
    return Lock(lock_ns, margin_ns(settings, spot), settle_ns(settings, spot), drained_ns)


def drain_ends_ns(settings: Settings, lock_ns: int) -> int:
    """The drain allows for a burst of a chip's contact and for its late stamp. The key's own stamp may be late as
    well."""
    return lock_ns + (settings.drain_ms + settings.lock_key_late_ms_max) * NS_PER_MS


def _goes_back_anyway(table: Table, spot: Spot) -> bool:
    """A coin spot that was closed when bets opened takes no bet, so it does not matter when its chip came."""
    assert table.settings is not None
    return kind_of(spot) == _coin_kind(table.settings.game) and not is_believed(table, spot)


@once_a_table
def _presences(table: Table) -> list[ChipPresence]:
    """The presence of every spot of a locked table. The question, the guard and the snapshot all use it."""
    playing = table.round
    assert playing is not None
    return [presence(table, playing, spot) for spot in table.spots]


def undetermined(table: Table) -> tuple[Spot, ...]:
    if table.settings is None or table.round is None or table.round.lock_ns is None:
        return ()
    pairs = zip(table.spots, _presences(table), strict=True)
    return tuple([spot.spot for spot, there in pairs if there is ChipPresence.UNDETERMINED])


def snapshot(table: Table, wagers: tuple[Wager, ...], paragraphs: Paragraphs) -> tuple[Bet, ...]:
    """The one immutable list of bets. A bet is marked to go back if it lacks the bet it needs, lies on a box out of
    play, or lies on a coin spot that neither a sensor nor a person can confirm."""
    pairs = zip(table.spots, _presences(table), strict=True)
    return _as_bets(table, [spot for spot, there in pairs if there is ChipPresence.THERE], wagers, paragraphs)


def lying_bets(table: Table, wagers: tuple[Wager, ...], paragraphs: Paragraphs) -> tuple[Bet, ...]:
    """What lies there before the snapshot, so that it can go back. It includes a chip too near the lock to decide."""
    assert table.round is not None
    if table.round.lock_ns is None:
        lying = [spot for spot in table.spots if lies(table, spot)]
    else:
        pairs = zip(table.spots, _presences(table), strict=True)
        near = ChipPresence.UNDETERMINED
        lying = [spot for spot, there in pairs if there is ChipPresence.THERE or (there is near and spot.present)]
    return _as_bets(table, lying, wagers, paragraphs)


def _as_bets(
    table: Table, lying: list[SpotState], wagers: tuple[Wager, ...], paragraphs: Paragraphs
) -> tuple[Bet, ...]:
    settings, playing = table.settings, table.round
    assert settings is not None and playing is not None
    named = {wager.name: wager for wager in wagers}
    backed = {wager.name: _backed(table, wager, lying) for wager in wagers if wager.needs}
    bets = []
    for spot in lying:
        seat, wager = seat_of(spot.spot), named[kind_of(spot.spot)]
        rule = ""
        if seat in table.barred:
            rule = paragraphs.box_barred
        elif wager.coin_spot and not _coin_counts(table, playing, spot):
            rule = paragraphs.no_progressive
        elif wager.needs and seat not in (*backed[wager.name].known, *backed[wager.name].presumed):
            rule = paragraphs.unbacked_bet
        amount = settings.terms.progressive_stake if wager.coin_spot else spot.amount_minor
        bets.append(
            Bet(
                seat, wager.name, amount, spot.keyed, wager.coin_spot, accepted=not rule, rule=rule, stakes=spot.stakes,
                by_word=stands_by_word(table, spot),
            )
        )
    needing = [wager for wager in wagers if wager.needs]
    presumed = [bet for wager in needing for bet in _presumed(bets, backed[wager.name].presumed, wager)]
    return tuple(sorted((*bets, *dict.fromkeys(presumed)), key=lambda bet: (bet.seat, bet.wager)))


def _coin_counts(table: Table, playing: Round, spot: SpotState) -> bool:
    return playing.progressive_open and (spot.keyed or is_believed(table, spot.spot))


def _seats_with(wager: str, lying: list[SpotState]) -> tuple[int, ...]:
    return tuple(seat_of(spot.spot) for spot in lying if kind_of(spot.spot) == wager)


def _presumed(bets: list[Bet], seats: tuple[int, ...], wager: Wager) -> list[Bet]:
    """Bets that the table takes as placed, of unknown amounts. The dealer checks them by eye."""
    backing = [bet.seat for bet in bets if bet.accepted and bet.wager == wager.name and bet.seat in seats]
    return [Bet(seat, wager.needs, None, keyed=False, coin=False, accepted=True, rule="") for seat in backing]


def _backed(table: Table, wager: Wager, lying: list[SpotState]) -> _Backed:
    """The boxes with the bet that a wager needs. If the house presumes its Antes and none is sensed or keyed, the Ante
    is taken as placed behind each chip that was seen. A box on which a person keyed other bets but no Ante has none."""
    assert table.settings is not None
    seats = _seats_with(wager.needs, lying)
    if seats or not presumes_antes(table.settings):
        return _Backed(seats)
    keyed = [seat_of(spot.spot) for spot in lying if spot.keyed]
    return _Backed((), tuple(seat for seat in _seats_with(wager.name, lying) if seat not in keyed))


def presumes_antes(settings: Settings) -> bool:
    return settings.antes == PRESUMED and settings.reading("presumed_ante", _WHERE_UNKNOWN) == _WHERE_UNKNOWN


def lacks_its_chip(playing: Round, spot: SpotState) -> bool:
    """A progressive bet of the snapshot stands, its chip was not collected, and nothing lies there. A bet that stands
    by a person's word had no chip that could be missing."""
    if spot.present or playing.collected:
        return False
    seat, wager = seat_of(spot.spot), kind_of(spot.spot)
    standing = [bet for bet in playing.bets if bet.coin and bet.accepted and bet.seat not in playing.returned]
    return any((bet.seat, bet.wager) == (seat, wager) and not bet.by_word for bet in standing)


def missing_chips(table: Table) -> tuple[Spot, ...]:
    """The coin spots whose chip must be put back, until the round is settled."""
    playing = table.round
    if playing is None or playing.lines or playing.void_rule:
        return ()
    return tuple(spot.spot for spot in table.spots if lacks_its_chip(playing, spot))


def backed_seats(table: Table, wager: Wager) -> tuple[int, ...] | None:
    """While bets are open: the boxes with the bet that this wager needs. None if it needs none."""
    if not wager.needs:
        return None
    backed = _backed(table, wager, [spot for spot in table.spots if lies(table, spot)])
    return backed.known + backed.presumed
