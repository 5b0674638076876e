"""What the table finds out about its own contacts: coin spots stuck on or off, their lamps open or short, the cabinet's
door, a stepped clock; and when a fault may be cleared. It knows levels and rounds, and no pin.

Stuck off is the hard one: a player who does not play the progressive looks like a sensor that sees nothing. So it has
two steps. What only makes it likely is noted and asks for a test (F-105); what proves it takes the seat out of
progressive play (F-110), and nothing does but these:

- A bet that a person keyed on a sensed coin spot, and no movement of the contact from the opening to the snapshot. Two
  witnesses contradict each other, and the person saw the chip. The bet stands on the person's word.
- A doubted spot (F-105) that was not covered and uncovered by the time the table opens again: the test was asked for at
  the closing, takes five seconds, and was failed or not made.

A count of chips that does not fit proves that some spot is wrong, and not which: it is asked about as an
irregularity."""

from __future__ import annotations

from felt.nouns.ids import Spot, seat_of
from felt.nouns.stamps import NS_PER_MS
from felt.table import facts, panel, settle
from felt.table.state import SpotState, Standing, Table
from felt.table.upkeep import keep_alert, notice, quarantines, stand_fault

STUCK_ON, DOUBTED, DOOR_OPEN, STUCK_OFF = "F-104", "F-105", "F-107", "F-110"
DOOR = "door"
KEY_CAME_UP = "the key came up"  # instead of a person: F-106 clears by itself
# A contact that was found wrong is believed again only when it has followed a chip down and up.
TESTED = ("F-101", STUCK_ON, DOUBTED, STUCK_OFF)
LAMP_FAULTS = {"open": "F-108", "short": "F-109"}
NEIGHBOURS_LEAST = 2  # boxes with a progressive bet, for a round to say something about those without


def find_stuck_on(table: Table, fact: facts.Fact) -> Table:
    """A closed table has no chips: what is covered when it opens is a chip that was forgotten, or a contact."""
    for spot in _sensed_coin_spots(table):
        if spot.present:
            table = stand_fault(table, facts.FaultRaised(fact.at, STUCK_ON, spot.spot))
    return table


def judge_contacts(table: Table, fact: facts.Fact) -> Table:
    """When the table opens."""
    return find_untested(find_stuck_on(table, fact), fact)


def find_untested(table: Table, fact: facts.Fact) -> Table:
    for spot in _doubted(table):
        table = stand_fault(table, facts.FaultRaised(fact.at, STUCK_OFF, spot.spot))
    return table


def ask_for_tests(table: Table, fact: facts.Fact) -> Table:
    """When the table closes: its last chips are gone, and there is time."""
    table = panel.sign_out(table, fact)
    for spot in _doubted(table):
        table = notice(table, "noted", f"{DOUBTED} {spot.spot}: cover it and uncover it once before the table opens.")
    return table


def _doubted(table: Table) -> list[SpotState]:
    places = [one.where for one in table.service.faults if one.code == DOUBTED]
    return [spot for spot in table.spots if spot.spot in places and not (spot.proved_on and spot.proved_off)]


def find_blind(table: Table, fact: facts.Fact) -> Table:
    """Before the snapshot: the person who keyed the bet saw a chip, and the sensor saw nothing all the while."""
    for spot in _sensed_coin_spots(table):
        if spot.keyed and not _was_used(spot) and spot.spot not in table.quarantined:
            table = stand_fault(table, facts.FaultRaised(fact.at, STUCK_OFF, spot.spot))
    return table


def find_stuck_off(table: Table, fact: facts.Fact) -> Table:
    """At the end of a round: doubt, and no more. A box that is known to be empty is not even doubted."""
    assert table.settings is not None
    doubted_after = table.settings.unseen_rounds
    seats = _seats_that_could_have_bet(table)
    watched = [spot for spot in _sensed_coin_spots(table) if seat_of(spot.spot) in seats]
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
            table = stand_fault(table, facts.FaultRaised(fact.at, DOUBTED, spot.spot))
    return table


def _seats_that_could_have_bet(table: Table) -> list[int]:
    """Where the bet behind the coin spot is sensed, only boxes that took part; else any box may have had a player."""
    coin, _ = settle.coin_spots(table)
    assert table.settings is not None and table.previous is not None
    if coin is None:
        return []
    known = coin.needs and table.settings.senses(coin.needs)
    seats = [bet.seat for bet in table.previous.bets] if known else range(1, table.settings.seats + 1)
    return [seat for seat in seats if seat not in table.barred]


def _sensed_coin_spots(table: Table) -> tuple[SpotState, ...]:
    assert table.settings is not None
    _, spots = settle.coin_spots(table)
    sensor = table.settings.sensor
    return tuple([spot for spot in spots if sensor(spot.spot) is not None])


def _was_used(spot: SpotState) -> bool:
    return spot.present or spot.before or bool(spot.changes)


def _counted(spot: SpotState, *, seen: bool) -> SpotState:
    if seen and not spot.unseen:
        return spot
    return spot._replace(unseen=0 if seen else spot.unseen + 1)


def note_door(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.DoorMoved)
    table = table._replace(panel=table.panel._replace(door_open=fact.is_open))
    if fact.is_open:
        return stand_fault(table, facts.FaultRaised(fact.at, DOOR_OPEN, DOOR))
    return notice(table, "noted", "The cabinet's door is closed.")


def note_lamp(table: Table, fact: facts.Fact) -> Table:
    """The lamp tells a player that the bet counts: without it no bet is taken there. A snapshot that was taken stands:
    its bets were seen by the sensor."""
    assert isinstance(fact, facts.LampFound)
    found = LAMP_FAULTS.get(fact.state)
    for code in LAMP_FAULTS.values():
        if code != found and Standing(code, fact.lamp) in table.service.faults:
            table = _passed(table, Standing(code, fact.lamp))
            table = notice(table, "noted", f"{code} {fact.lamp}: it tests good.")
    return table if found is None else stand_fault(table, facts.FaultRaised(fact.at, found, fact.lamp))


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
    spots = tuple(one._replace(unseen=0) if one.spot == fact.where else one for one in table.spots)
    table = table._replace(spots=spots)
    return _passed(table, cleared) if fact.person == KEY_CAME_UP else _without(table, cleared)


def _passed(table: Table, fault: Standing) -> Table:
    """Nobody cleared it. Whoever acknowledged it knows; else it is shown until somebody does."""
    is_known = any(one == fault for one, _ in table.service.acknowledged)
    table = _without(table, fault)
    return table if is_known else keep_alert(table, fault.code, fault.where)


def _without(table: Table, cleared: Standing) -> Table:
    """The fault stands no more, and its spot is free unless another one keeps it."""
    left = tuple(one for one in table.service.faults if one != cleared)
    doubted = [one.where for one in left if quarantines(one.code)]
    freed = tuple(spot for spot in table.quarantined if spot != cleared.where or spot in doubted)
    seen = tuple(one for one in table.service.acknowledged if one[0] != cleared)
    return table._replace(service=table.service._replace(faults=left, acknowledged=seen), quarantined=freed)


def _missing_test(table: Table, fault: Standing) -> str:
    if fault.code == DOOR_OPEN and table.panel.door_open:
        return "close the door first"
    if fault.code in LAMP_FAULTS.values():
        return "it clears by itself when the lamp was seen right both lit and dark"
    spot = next((one for one in table.spots if one.spot == Spot(fault.where)), None)
    if fault.code in TESTED and spot is not None and not (spot.proved_on and spot.proved_off):
        return "cover and uncover it first"
    return ""
