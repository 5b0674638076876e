"""What chips and keyed bets do to their spots."""

from __future__ import annotations

from felt.nouns.ids import Spot
from felt.nouns.stamps import NS_PER_MS
from felt.table import facts, lock, settle
from felt.table.irregular import bets
from felt.table.irregular.parts import phase_of_play
from felt.table.moves import failures
from felt.table.state import Change, Deadline, Phase, Table, with_parts
from felt.table.upkeep import notice, stand_fault


def record_change(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ChipSeen | facts.ChipLifted)
    change = Change(fact.edge_ns, isinstance(fact, facts.ChipSeen))
    return _asked_about(_with_spot(table, fact.spot, change, clean=True), fact)


def refuse_late_chip(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ChipSeen)
    rule = settle.paragraphs_of(table).after_lock
    sentence = f"{fact.spot}: a chip came after the lock and is no bet; hand it back ({rule})."
    return notice(record_change(table, fact), "refused", sentence)


def record_level(table: Table, fact: facts.Fact) -> Table:
    """A level without an edge proves no time: while the lock is being decided it counts as its very instant."""
    assert isinstance(fact, facts.LevelFound)
    locking = phase_of_play(table) is Phase.LOCKING
    edge_ns = table.round.lock_ns if locking and table.round else None
    found_ns = fact.at.mono_ns if edge_ns is None else edge_ns
    table = _asked_about(_with_spot(table, fact.spot, Change(found_ns, fact.present, found=True)), fact)
    return notice(table, "noted", f"{fact.spot}: its level was found changed without an edge.")


def note_flicker(table: Table, fact: facts.Fact) -> Table:
    """Both its edges are remembered: bounces that came late may belong to it, and then it was no touch."""
    assert isinstance(fact, facts.ChipFlickered)
    present = next((spot.present for spot in table.spots if spot.spot == fact.spot), False)
    for change in (Change(fact.edge_ns, not present), Change(fact.last_ns, present)):
        table = _with_spot(table, fact.spot, change)
    table = _asked_about(table, fact)
    return notice(table, "noted", f"{fact.spot}: a touch too short to be a bet.")


def quarantine_spot(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ChipChattered)
    return failures.note_spot_failed(stand_fault(table, facts.FaultRaised(fact.at, "F-101", fact.spot)), fact.spot)


def key_bet(table: Table, fact: facts.Fact) -> Table:
    """A keyed amount is what lies there. Where it is not within its limits the dealer is told what to do."""
    assert isinstance(fact, facts.BetKeyed)
    stakes = _stakes(table, fact)
    amount = sum(stake for _, stake in stakes) if stakes else fact.amount_minor
    table = _with_keyed(table, fact.spot, keyed=True, amount_minor=amount, stakes=stakes)
    for remark in bets.while_open(table, fact.spot):
        table = notice(table, "noted", remark.sentence)
    return table


def _stakes(table: Table, fact: facts.BetKeyed) -> tuple[tuple[str, int], ...]:
    """Player by player, in the order of their first bets; a bet that names nobody is the whole of its spot."""
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
    spots[place] = spots[place]._replace(keyed=keyed, amount_minor=amount_minor, present=present, stakes=stakes)
    return with_parts(table, spots=tuple(spots))


def _with_spot(table: Table, name: Spot, change: Change, *, clean: bool = False) -> Table:
    place = settle.place_of(table, name)
    if place is None:
        return table
    spots = list(table.spots)
    spots[place] = lock.with_change(spots[place], change, lock.needed_from_ns(table, name), clean=clean)
    return with_parts(table, spots=tuple(spots))


def _asked_about(table: Table, fact: facts.Fact) -> Table:
    """What comes to light at another spot while a chip near the lock is ruled on must be ruled on too: the drain ends
    once more, and asks. Without it the ruling would leave the lock waiting for an answer that nobody was asked for."""
    playing, settings = table.round, table.settings
    if playing is None or settings is None or not playing.drained or phase_of_play(table) is not Phase.LOCKING:
        return table
    asked = [question.where for question in table.irregularity.questions]
    unasked = [spot for spot in lock.undetermined(table) if spot not in asked]
    if not unasked or any(deadline.name == "drain" for deadline in table.deadlines):
        return table
    again = Deadline("drain", fact.at.mono_ns + settings.drain_ms * NS_PER_MS)
    return table._replace(deadlines=(*table.deadlines, again))
