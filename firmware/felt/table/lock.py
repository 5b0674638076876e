"""Which chips lay on their spots at the instant of "No more Bets". The answer is a function of stamps and
of how late a line says its stamps can be; never of when anything was delivered."""

from __future__ import annotations

from enum import StrEnum

from felt.nouns.ids import Spot, kind_of, seat_of
from felt.nouns.stamps import NS_PER_MS
from felt.rules.procedure import Paragraphs
from felt.rules.rulebook import Wager
from felt.table.asked import once_a_table
from felt.table.settings import HISTORY_MAX, Settings
from felt.table.state import Bet, Change, Round, SpotState, Table


class Presence(StrEnum):
    THERE = "there"
    ABSENT = "absent"
    UNDETERMINED = "undetermined"


def with_change(
    spot: SpotState, change: Change, needed_from_ns: int | None = None, *, clean: bool = False
) -> SpotState:
    """A full memory folds its oldest change into the level before it. A change that the lock still needs is
    never folded, or a late chip that dithers long enough would be seated: then only the level is noted. `clean`: both
    edges were seen and settled, which shows that the contact works this way round."""
    present, before, changes = change.present, spot.before, (*spot.changes, change)
    if len(changes) > HISTORY_MAX:
        oldest = changes[0]
        if needed_from_ns is not None and oldest.edge_ns >= needed_from_ns:
            changes = spot.changes
        else:
            before, changes = oldest.present, changes[1:]
    return SpotState(
        spot.spot, present, before, changes, spot.keyed, spot.amount_minor, spot.unseen,
        proved_on=spot.proved_on or (clean and present), proved_off=spot.proved_off or (clean and not present),
        stakes=spot.stakes,
    )  # fmt: skip


def needed_from_ns(table: Table, spot: Spot) -> int | None:
    """The instant from which changes of a spot decide a lock; None while there is no lock."""
    if table.round is None or table.round.lock_ns is None or table.settings is None:
        return None
    return table.round.lock_ns - margin_ns(table.settings, spot)


def edge_is_after_lock(table: Table, spot: Spot, edge_ns: int) -> bool:
    """Beyond doubt. The clocks of two boots cannot be compared, but what a later boot saw came after the lock."""
    settings, playing = table.settings, table.round
    if settings is None or playing is None or playing.lock_ns is None or playing.locked_at is None:
        return False
    if playing.locked_at.boot != table.boot:
        return True
    return edge_ns > playing.lock_ns + margin_ns(settings, spot)


def presence_at(spot: SpotState, lock_ns: int, margin_ns: int) -> Presence:
    """A change within the margin of the lock, or at its very instant, cannot be placed before or after."""
    present = spot.before
    for change in spot.changes:
        if change.edge_ns < lock_ns - margin_ns:
            present = change.present
        elif change.edge_ns <= lock_ns + margin_ns:
            if change.present != present:
                return Presence.UNDETERMINED
        else:
            break
    return Presence.THERE if present else Presence.ABSENT


def movements(spot: SpotState, settle_ns: int) -> tuple[Change, ...]:
    """The changes as their stamps alone tell them: whatever is nearer than the settle time is one movement of the
    contact, dated by its first edge. On its way to the table a movement may fall into several facts, when some of
    its edges come late; here it is one again, so that no delay of any thread can move the lock."""
    if len(spot.changes) < 2:
        return spot.changes
    told: list[Change] = []
    first = last = spot.changes[0]
    level = spot.before
    for change in spot.changes[1:]:
        if change.edge_ns - last.edge_ns >= settle_ns or change.found or last.found:
            if last.present != level:
                told.append(first._replace(present=last.present))
                level = last.present
            first = change
        last = change
    if last.present != level:
        told.append(first._replace(present=last.present))
    return tuple(told)


def settle_ns(settings: Settings, spot: Spot) -> int:
    sensor = settings.sensor(spot)
    return sensor.settle_ms * NS_PER_MS if sensor else 0


def margin_ns(settings: Settings, spot: Spot) -> int:
    """The chip's line and the lock key's line may both be late; their errors add up."""
    sensor = settings.sensor(spot)
    chip_ms = sensor.late_ms_max if sensor else 0
    return (chip_ms + settings.lock_key_late_ms_max) * NS_PER_MS


def is_sensed(table: Table, spot: Spot) -> bool:
    """Whether the spot has a sensor that can be believed."""
    return table.settings is not None and table.settings.sensor(spot) is not None and spot not in table.quarantined


def presence(table: Table, playing: Round, spot: SpotState) -> Presence:
    """The presence that counts: keyed by a person, decided by a supervisor, or told by the stamps."""
    for ruled, seated in playing.rulings:
        if ruled == spot.spot:
            return Presence.THERE if seated else Presence.ABSENT
    if spot.keyed and not is_sensed(table, spot.spot):
        return Presence.THERE
    if not spot.changes:
        return Presence.THERE if spot.before else Presence.ABSENT
    assert playing.lock_ns is not None and table.settings is not None
    told = spot
    if len(spot.changes) > 1:
        told = spot._replace(changes=movements(spot, settle_ns(table.settings, spot.spot)))
    return presence_at(told, playing.lock_ns, margin_ns(table.settings, spot.spot))


@once_a_table
def _presences(table: Table) -> list[Presence]:
    """Of every spot of a table whose bets are locked. The question that may be raised, the guard and the snapshot all
    ask for it."""
    playing = table.round
    assert playing is not None
    return [presence(table, playing, spot) for spot in table.spots]


def undetermined(table: Table) -> tuple[Spot, ...]:
    if table.settings is None or table.round is None or table.round.lock_ns is None:
        return ()
    pairs = zip(table.spots, _presences(table), strict=True)
    return tuple([spot.spot for spot, there in pairs if there is Presence.UNDETERMINED])


def snapshot(table: Table, wagers: tuple[Wager, ...], paragraphs: Paragraphs) -> tuple[Bet, ...]:
    """The one immutable list of bets. A bet without the one it needs is marked to go back, and so is one on a box
    out of play, or on a coin spot that can be believed by nobody: neither its sensor nor a person told of it."""
    settings, playing = table.settings, table.round
    assert settings is not None and playing is not None
    pairs = zip(table.spots, _presences(table), strict=True)
    lying = [spot for spot, there in pairs if there is Presence.THERE]
    named = {wager.name: wager for wager in wagers}
    backed = {wager.needs: _seats_with(wager.needs, lying) for wager in wagers if wager.needs}
    unseen = [needed for needed, seats in backed.items() if not seats and not settings.senses(needed)]
    bets = []
    for spot in lying:
        seat, wager = seat_of(spot.spot), named[kind_of(spot.spot)]
        rule = ""
        if seat in table.barred:
            rule = paragraphs.box_barred
        elif wager.coin_spot and not _coin_counts(table, playing, spot):
            rule = paragraphs.no_progressive
        elif wager.needs and wager.needs not in unseen and seat not in backed[wager.needs]:
            rule = paragraphs.unbacked_bet
        amount = settings.terms.progressive_stake if wager.coin_spot else spot.amount_minor
        bets.append(
            Bet(seat, wager.name, amount, spot.keyed, wager.coin_spot, accepted=not rule, rule=rule, stakes=spot.stakes)
        )
    coin = next((wager for wager in wagers if wager.coin_spot), None)
    if coin is not None and coin.needs in unseen:
        bets.extend(_assumed(bets, coin.needs))
    return tuple(sorted(bets))


def _coin_counts(table: Table, playing: Round, spot: SpotState) -> bool:
    return playing.progressive_open and (spot.keyed or spot.spot not in table.quarantined)


def _seats_with(wager: str, lying: list[SpotState]) -> tuple[int, ...]:
    return tuple(seat_of(spot.spot) for spot in lying if kind_of(spot.spot) == wager)


def _assumed(bets: list[Bet], needed: str) -> list[Bet]:
    """A table that neither senses nor keys the bet behind the coin spot takes it as placed wherever a coin
    spot is lit: the dealer checks it with his eyes."""
    return [
        Bet(bet.seat, needed, None, keyed=False, coin=False, accepted=True, rule="")
        for bet in bets
        if bet.coin and bet.accepted
    ]


def backed_seats(table: Table, coin: Wager) -> tuple[int, ...] | None:
    """While bets are open: the boxes with the bet without which a coin spot does not stand. None where
    there is no such bet, or where the table has no way to know of it."""
    assert table.settings is not None
    if not coin.needs:
        return None
    ending = f".{coin.needs}"
    seats = tuple(seat_of(spot.spot) for spot in table.spots if spot.present and spot.spot.endswith(ending))
    return seats if seats or table.settings.senses(coin.needs) else None
