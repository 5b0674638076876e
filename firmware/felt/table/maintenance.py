"""Faults and the care of the table: standing faults, when they may be cleared, how the table checks its own contacts
and lamps, test mode, log entries, acknowledged alerts. A contact that is stuck off is hard to find, because it looks
like a player who does not play the progressive. So there are two steps. Suspicion is recorded and asks for a test
(F-105). Proof takes the seat out of progressive play (F-110): the doubted spot was not covered and uncovered by the
time the table opens again. The test is asked for at the closing, takes five seconds, and failed or was not made. A
keyed bet shows nothing about the sensor, because keys are for bets that no sensor sees, so such a round neither doubts
the spot nor clears it. A wrong count of chips proves that some spot is wrong, but not which one: it is asked about as
an irregularity."""

from __future__ import annotations

from felt.nouns.faults import CATALOGUE, Weight
from felt.nouns.ids import Spot, seat_of
from felt.nouns.money import Currency, say
from felt.nouns.stamps import NS_PER_MS
from felt.nouns.values import replace
from felt.table import facts, redacted, service, settle
from felt.table.chart import move, refuse, stay
from felt.table.notices import notice
from felt.table.prompts import language_of, tell
from felt.table.service import CLOCK_TOO_EARLY
from felt.table.settings import LAMPS_MAX, PASSED_MAX
from felt.table.state import Phase, ServiceState, SpotState, StandingFault, Table

TEST_OF_A_CLOSED_TABLE = "refused.test_of_a_closed_table"
TOO_MANY_LAMPS = "refused.too_many_lamps"


# --- faults that stand -------------------------------------------------------------------------------


def fault_stops_the_table(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.FaultRaised)
    return CATALOGUE[fact.code].weight is Weight.STOP


def stand_fault(table: Table, fact: facts.Fact) -> Table:
    """What the spot proved before its fault does not count any more."""
    assert isinstance(fact, facts.FaultRaised)
    spots = tuple(_unproved(spot) if spot.spot == fact.where else spot for spot in table.spots)
    table = replace(table, spots=spots)
    standing = StandingFault(fact.code, fact.where)
    if standing in table.service.faults:
        return table
    table = replace(table, service=replace(table.service, faults=(*table.service.faults, standing)))
    if quarantines(fact.code) and fact.where not in table.quarantined:
        table = replace(table, quarantined=(*table.quarantined, Spot(fact.where)))
    return notice(table, "noted", f"{fact.code} {fact.where}: {CATALOGUE[fact.code].told(language_of(table))}")


def quarantines(code: str) -> bool:
    return CATALOGUE[code].weight is Weight.SEAT


def _unproved(spot: SpotState) -> SpotState:
    return replace(spot, proved_on=False, proved_off=False)


def stand_failure(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.StepFailed)
    return stand_fault(table, facts.FaultRaised(fact.at, "F-701", fact.problem))


def keep_alert(table: Table, code: str, where: str) -> Table:
    """The cause may be gone before anyone looks, so the alert stays until a person acknowledges it."""
    alert = StandingFault(code, where)
    kept = (*(passed for passed in table.service.passed if passed != alert), alert)
    return replace(table, service=replace(table.service, passed=kept[-PASSED_MAX:]))


# --- contacts, lamps, door and clock -----------------------------------------------------------------

STUCK_ON, DOUBTED, DOOR_OPEN, STUCK_OFF = "F-104", "F-105", "F-107", "F-110"
DOOR = "door"
KEY_CAME_UP = "the key came up"  # recorded instead of a person: F-106 clears by itself
BY_ITSELF = "it passed by itself"  # recorded instead of a person: the cause is gone
# A contact that was wrong is believed again only after it has followed a chip down and up.
TESTED = ("F-101", STUCK_ON, DOUBTED, STUCK_OFF)
LAMP_FAULTS = {"open": "F-108", "short": "F-109"}
NEIGHBOURS_LEAST = 2  # boxes with a progressive bet that a round needs before it says anything about the others


def find_stuck_on(table: Table, fact: facts.Fact) -> Table:
    """A closed table has no chips. What is covered when it opens is a forgotten chip or a stuck contact."""
    for spot in _sensed_coin_spots(table):
        if spot.present:
            table = stand_fault(table, facts.FaultRaised(fact.at, STUCK_ON, spot.spot))
    return table


def judge_contacts(table: Table, fact: facts.Fact) -> Table:
    """Runs when the table opens."""
    return find_untested(find_stuck_on(table, fact), fact)


def find_untested(table: Table, fact: facts.Fact) -> Table:
    for spot in _doubted(table):
        table = stand_fault(table, facts.FaultRaised(fact.at, STUCK_OFF, spot.spot))
    return table


def ask_for_tests(table: Table, _: facts.Fact) -> Table:
    """Runs when the table closes: its last chips are gone, and there is time."""
    for spot in _doubted(table):
        table = notice(table, "noted", f"{DOUBTED} {spot.spot}: cover it and uncover it once before the table opens.")
    return table


def _doubted(table: Table) -> list[SpotState]:
    places = [fault.where for fault in table.service.faults if fault.code == DOUBTED]
    return [spot for spot in table.spots if spot.spot in places and not (spot.proved_on and spot.proved_off)]


def find_stuck_off(table: Table, fact: facts.Fact) -> Table:
    """Runs at the end of a round and only doubts a spot. A box that is known to be empty is not doubted."""
    assert table.settings is not None
    doubted_after = table.settings.unseen_rounds
    seats = _seats_that_could_have_bet(table)
    watched = [spot for spot in _sensed_coin_spots(table) if seat_of(spot.spot) in seats]
    used = [spot.spot for spot in watched if _was_used(spot)]
    if len(used) < NEIGHBOURS_LEAST:
        return table
    names = [spot.spot for spot in watched if not spot.keyed or spot.spot in used]
    counted = tuple(
        _counted(spot, seen=spot.spot in used) if spot.spot in names else spot for spot in table.spots
    )
    table = replace(table, spots=counted)
    for spot in counted:
        if spot.unseen == doubted_after > 0:
            table = stand_fault(table, facts.FaultRaised(fact.at, DOUBTED, spot.spot))
    return table


def _seats_that_could_have_bet(table: Table) -> list[int]:
    """If the bet behind the coin spot is sensed, only boxes that took part; otherwise any box may have had a player."""
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
    return spot.present or spot.before or bool(spot.bursts)


def _counted(spot: SpotState, *, seen: bool) -> SpotState:
    if seen and not spot.unseen:
        return spot
    return replace(spot, unseen=0 if seen else spot.unseen + 1)


def note_door(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.DoorMoved)
    table = replace(table, panel=replace(table.panel, door_open=fact.is_open))
    if fact.is_open:
        return stand_fault(table, facts.FaultRaised(fact.at, DOOR_OPEN, DOOR))
    return notice(table, "noted", "The cabinet's door is closed.")


def note_lamp(table: Table, fact: facts.Fact) -> Table:
    """The lamp tells a player that the bet counts, so without it no bet is taken there. A snapshot stands: the sensor
    saw its bets."""
    assert isinstance(fact, facts.LampFound)
    found = LAMP_FAULTS.get(fact.state)
    for code in LAMP_FAULTS.values():
        if code != found and StandingFault(code, fact.lamp) in table.service.faults:
            table = _passed(table, StandingFault(code, fact.lamp))
            table = notice(table, "noted", f"{code} {fact.lamp}: it tests good.")
    return table if found is None else stand_fault(table, facts.FaultRaised(fact.at, found, fact.lamp))


def note_clock_step(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ClockStepped)
    ahead = "forward" if fact.by_ns > 0 else "back"
    return notice(table, "noted", f"The wall clock stepped {ahead} by {abs(fact.by_ns) // NS_PER_MS} ms.")


def note_clock_judged(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ClockJudged)
    table = replace(table, service=replace(table.service, clock_early=fact.early))
    return notice(table, "noted", tell(table, CLOCK_TOO_EARLY if fact.early else "noted.clock_set"))


# --- clearing ----------------------------------------------------------------------------------------


def cannot_be_cleared(table: Table, fact: facts.Fact) -> bool:
    return bool(why_not_cleared(table, fact))


def why_not_cleared(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.FaultCleared)
    fault = StandingFault(fact.code, fact.where)
    if fault not in table.service.faults:
        return f"{fact.code} {fact.where} is not standing: nothing to clear."
    missing = _missing_test(table, fault)
    return f"{fact.code} {fact.where} stays: {missing}." if missing else ""


def clear_fault(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.FaultCleared)
    cleared = StandingFault(fact.code, fact.where)
    spots = tuple(
        replace(spot_state, unseen=0) if spot_state.spot == fact.where else spot_state for spot_state in table.spots
    )
    table = replace(table, spots=spots)
    return _passed(table, cleared) if fact.person in (KEY_CAME_UP, BY_ITSELF) else _without(table, cleared)


def _passed(table: Table, fault: StandingFault) -> Table:
    """No person cleared the fault. If a person acknowledged it, it is known; otherwise it is shown until a person
    does."""
    is_known = any(acknowledged_fault == fault for acknowledged_fault, _ in table.service.acknowledged)
    table = _without(table, fault)
    return table if is_known else keep_alert(table, fault.code, fault.where)


def _without(table: Table, cleared: StandingFault) -> Table:
    """The fault is over, and its spot is free unless another fault keeps it."""
    left = tuple(fault for fault in table.service.faults if fault != cleared)
    doubted = [fault.where for fault in left if quarantines(fault.code)]
    freed = tuple(spot for spot in table.quarantined if spot != cleared.where or spot in doubted)
    seen = tuple((fault, by) for fault, by in table.service.acknowledged if fault != cleared)
    return replace(table, service=replace(table.service, faults=left, acknowledged=seen), quarantined=freed)


def _missing_test(table: Table, fault: StandingFault) -> str:
    if fault.code == DOOR_OPEN and table.panel.door_open:
        return "close the door first"
    if fault.code in LAMP_FAULTS.values():
        return "it clears by itself when the lamp was seen right both lit and dark"
    spot = next((spot_state for spot_state in table.spots if spot_state.spot == Spot(fault.where)), None)
    if fault.code in TESTED and spot is not None and not (spot.proved_on and spot.proved_off):
        return "cover and uncover it first"
    return ""


# --- test mode and the log ---------------------------------------------------------------------------


def table_is_closed(table: Table, _: facts.Fact) -> bool:
    return table.phase is Phase.CLOSED and table.round is None


def table_is_tested(table: Table, _: facts.Fact) -> bool:
    return table.service.state is ServiceState.TEST


def too_many_lamps(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.LampsTried)
    return len(fact.lamps) > LAMPS_MAX


def enter_test(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.TestModeEntered)
    table = replace(table, service=replace(table.service, tested_by=fact.person, trying=()))
    return notice(table, "noted", f"TEST MODE ({fact.person}): nothing counts until it is left.")


def leave_test(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.TestModeLeft)
    table = replace(table, service=replace(table.service, tested_by="", trying=()))
    return notice(table, "noted", f"Test mode is left ({fact.person}).")


def try_lamps(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.LampsTried)
    return replace(table, service=replace(table.service, trying=fact.lamps))


def note_entry(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.EntryLogged)
    licence = f", licence {fact.licence}" if fact.licence else ""
    part, reason = redacted.scrubbed(fact.part), redacted.scrubbed(fact.reason)
    return notice(table, "noted", f"Entry: {part} ({fact.person}{licence}: {reason}).")


def alert_is_unknown(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.AlertAcknowledged)
    return StandingFault(fact.code, fact.where) not in (*table.service.faults, *table.service.passed)


def nothing_to_acknowledge(_: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.AlertAcknowledged)
    return f"{fact.code} {fact.where} is not standing: nothing to acknowledge."


def acknowledge(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.AlertAcknowledged)
    fault = StandingFault(fact.code, fact.where)
    passed = tuple(alert for alert in table.service.passed if alert != fault)
    if fault not in table.service.faults:
        table = replace(table, service=replace(table.service, passed=passed))
        return notice(table, "noted", f"{fact.code} {fact.where}: {fact.person} has seen it.")
    others = tuple((known, by) for known, by in table.service.acknowledged if known != fault)
    table = replace(table, service=replace(table.service, acknowledged=(*others, (fault, fact.person)), passed=passed))
    return notice(table, "noted", f"{fact.code} {fact.where}: {fact.person} takes care of it.")


def note_sign_in(table: Table, fact: facts.Fact) -> Table:
    """Records who signs in. Only a lock-out is shown at the table, where people can see who stands there."""
    assert isinstance(fact, facts.SignInNoted)
    if fact.outcome != "locked":
        return table
    who = fact.person or "somebody unknown"
    return notice(table, "noted", f"Wrong PINs for {who}: the desk waits {fact.wait_s} seconds.")


def note_adjustment(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.MeterAdjusted)
    currency = table.settings.terms.currency if table.settings else Currency()
    amount, way = say(abs(fact.amount_minor), currency), "taken out of" if fact.amount_minor < 0 else "put into"
    why = f"{fact.type.replace('_', ' ')}, {fact.person}: {redacted.scrubbed(fact.reason)}"
    return notice(table, "noted", f"{amount} {way} the {fact.purse} of {fact.meter} ({why}).")


# --- rows --------------------------------------------------------------------------------------------

REFUSED = (
    facts.VoidOrdered, facts.VoidPressed, facts.RulingMade, facts.PlayerChose, facts.IrregularityDeclared,
    facts.HitReported, facts.StubChecked, facts.CorrectionRecorded, facts.ClaimConfirmed, facts.ClaimDenied,
    facts.BetKeyed, facts.BetUnkeyed, facts.AmountFound, facts.BetsReturned, facts.SeatBarred,
    facts.ProgressiveSwitched, facts.RevealRefused, facts.HandEstablished, facts.DiscardSaid,
    facts.CardKeyed, facts.CardStruck, facts.DeckChanged, facts.DeckVerified,
)
_BOOTING, _IN, _OUT, _TEST = ServiceState
ROWS = (
    *refuse(REFUSED, Phase.CLOSED, service.in_test, when=table_is_tested),
)
SERVICE_ROWS = (
    *move(facts.FaultRaised, _IN, _OUT, when=fault_stops_the_table, do=stand_fault),
    *stay(facts.FaultRaised, ServiceState, do=stand_fault),
    *refuse(facts.FaultCleared, ServiceState, why_not_cleared, when=cannot_be_cleared),
    *stay(facts.FaultCleared, ServiceState, do=clear_fault),
    *move(facts.StepFailed, _IN, _OUT, do=stand_failure),
    *stay(facts.StepFailed, (_BOOTING, _OUT, _TEST), do=stand_failure),
    *move(facts.TestModeEntered, (_IN, _OUT), _TEST, when=table_is_closed, do=enter_test),
    *refuse(facts.TestModeEntered, (_IN, _OUT), TEST_OF_A_CLOSED_TABLE),
    *refuse(facts.TestModeEntered, _TEST, service.in_test),
    *refuse(facts.TestModeEntered, _BOOTING, service.BOOTING),
    *move(facts.TestModeLeft, _TEST, _IN, when=service.table_may_serve, do=leave_test),
    *move(facts.TestModeLeft, _TEST, _OUT, do=leave_test),
    *refuse(facts.TestModeLeft, (_BOOTING, _IN, _OUT), service.NO_TEST),
    *refuse(facts.LampsTried, _TEST, TOO_MANY_LAMPS, when=too_many_lamps),
    *stay(facts.LampsTried, _TEST, do=try_lamps),
    *refuse(facts.LampsTried, (_BOOTING, _IN, _OUT), service.NO_TEST),
    *stay(facts.EntryLogged, ServiceState, do=note_entry),
    *refuse(
        facts.AlertAcknowledged, ServiceState, nothing_to_acknowledge, when=alert_is_unknown
    ),
    *stay(facts.AlertAcknowledged, ServiceState, do=acknowledge),
    *stay(facts.SignInNoted, ServiceState, do=note_sign_in),
    *stay(facts.MeterAdjusted, ServiceState, do=note_adjustment),
    *stay(facts.DoorMoved, ServiceState, do=note_door),
    *stay(facts.LampFound, ServiceState, do=note_lamp),
    *stay(facts.ClockStepped, ServiceState, do=note_clock_step),
    *stay(facts.ClockJudged, ServiceState, do=note_clock_judged),
)
