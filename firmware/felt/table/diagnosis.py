"""What the table finds out about its own contacts: coin spots stuck on or off, the cabinet's door, a stepped clock;
and when a fault may be cleared. It knows levels and rounds, and no pin."""

from __future__ import annotations

from felt.nouns.ids import Spot, seat_of
from felt.nouns.stamps import NS_PER_MS
from felt.table import facts, settle
from felt.table.state import SpotState, Standing, Table
from felt.table.upkeep import notice, quarantines, stand_fault

STUCK_ON, STUCK_OFF, DOOR_OPEN = "F-104", "F-105", "F-107"
DOOR = "door"
# A contact that was found wrong is believed again only when it has followed a chip down and up.
TESTED = ("F-101", STUCK_ON, STUCK_OFF)
NEIGHBOURS_LEAST = 2  # boxes with a progressive bet, for a round to say something about those without


def find_stuck_on(table: Table, fact: facts.Fact) -> Table:
    """A closed table has no chips: what is covered when it opens is a chip that was forgotten, or a contact."""
    for spot in _sensed_coin_spots(table):
        if spot.present:
            table = stand_fault(table, facts.FaultRaised(fact.at, STUCK_ON, spot.spot))
    return table


def find_stuck_off(table: Table, fact: facts.Fact) -> Table:
    """At the end of a round. It is only noted: a box nobody sits at looks the same, and a spot that sees nothing
    accepts nothing."""
    assert table.settings is not None
    doubted_after = table.settings.unseen_rounds
    watched = [spot for spot in _sensed_coin_spots(table) if seat_of(spot.spot) not in table.barred]
    used = [spot.spot for spot in watched if _was_used(spot)]
    if len(used) < NEIGHBOURS_LEAST:
        return table
    names = [spot.spot for spot in watched]
    counted = tuple(
        _counted(spot, seen=spot.spot in used) if spot.spot in names else spot for spot in table.spots
    )
    table = table._replace(spots=counted)
    for spot in counted:
        if spot.unseen == doubted_after > 0:
            table = stand_fault(table, facts.FaultRaised(fact.at, STUCK_OFF, spot.spot))
    return table


def _sensed_coin_spots(table: Table) -> tuple[SpotState, ...]:
    assert table.settings is not None
    _, spots = settle.coin_spots(table)
    return tuple(spot for spot in spots if table.settings.sensor(spot.spot) is not None)


def _was_used(spot: SpotState) -> bool:
    return spot.present or spot.before or bool(spot.changes)


def _counted(spot: SpotState, *, seen: bool) -> SpotState:
    return spot._replace(unseen=0 if seen else spot.unseen + 1)


def note_door(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.DoorMoved)
    table = table._replace(panel=table.panel._replace(door_open=fact.is_open))
    if fact.is_open:
        return stand_fault(table, facts.FaultRaised(fact.at, DOOR_OPEN, DOOR))
    return notice(table, "noted", "The cabinet's door is closed.")


def note_clock_step(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ClockStepped)
    ahead = "forward" if fact.by_ns > 0 else "back"
    return notice(table, "noted", f"The wall clock stepped {ahead} by {abs(fact.by_ns) // NS_PER_MS} ms.")


# --- clearing ----------------------------------------------------------------------------------------


def clear_fault(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.FaultCleared)
    cleared = Standing(fact.code, fact.where)
    if cleared not in table.service.faults:
        return notice(table, "refused", f"{fact.code} {fact.where} is not standing: nothing to clear.")
    missing = _missing_test(table, cleared)
    if missing:
        return notice(table, "refused", f"{fact.code} {fact.where} stays: {missing}.")
    left = tuple(one for one in table.service.faults if one != cleared)
    doubted = [one.where for one in left if quarantines(one.code)]
    freed = tuple(spot for spot in table.quarantined if spot != fact.where or spot in doubted)
    spots = tuple(one._replace(unseen=0) if one.spot == fact.where else one for one in table.spots)
    return table._replace(service=table.service._replace(faults=left), quarantined=freed, spots=spots)


def _missing_test(table: Table, fault: Standing) -> str:
    if fault.code == DOOR_OPEN and table.panel.door_open:
        return "close the door first"
    spot = next((one for one in table.spots if one.spot == Spot(fault.where)), None)
    if fault.code in TESTED and spot is not None and not (spot.proved_on and spot.proved_off):
        return "cover and uncover it first"
    return ""
