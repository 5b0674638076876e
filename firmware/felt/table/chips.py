"""Chips on their spots: movements and levels of a contact, lamps that disagree with the record, and the questions that
chips raise after the lock."""

from __future__ import annotations

from felt.nouns.ids import Spot, spot_of
from felt.nouns.stamps import NS_PER_MS
from felt.nouns.values import replace
from felt.rules.remedies import RETURN, VOID
from felt.table import bets, facts, link, lock, prompts, settle
from felt.table.chart import refuse, stay
from felt.table.lock import ChipPresence
from felt.table.maintenance import stand_fault
from felt.table.notices import notice
from felt.table.questions import NOTED, once
from felt.table.state import (
    AFTER_LOCK,
    AFTER_SNAPSHOT,
    BEFORE_SETTLEMENT,
    EVERY_PHASE,
    Burst,
    Deadline,
    Phase,
    Question,
    ServiceState,
    Table,
    phase_of_play,
    with_round,
)

NO_COUNT = "refused.no_count"


def edge_is_after_lock(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.ChipSeen | facts.ChipLifted)
    return lock.edge_is_after_lock(table, fact.spot, fact.edge_ns)


def record_change(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ChipSeen | facts.ChipLifted)
    last_ns = fact.edge_ns if fact.last_ns is None else fact.last_ns
    burst = Burst(fact.edge_ns, last_ns, isinstance(fact, facts.ChipSeen))
    return _say_missing(table, _asked_about(_with_burst(table, fact.spot, burst, clean=True), fact))


def record_chip(table: Table, fact: facts.Fact) -> Table:
    """Bets are open. A notice reports at once if the spot takes no bet."""
    recorded = record_change(table, fact)
    return bets.with_news(recorded, bets.not_taken(table), bets.not_taken(recorded))


def chip_comes_back(table: Table, fact: facts.Fact) -> bool:
    """After the lock a chip comes back to a bet that stands without its chip."""
    assert isinstance(fact, facts.ChipSeen)
    return lock.edge_is_after_lock(table, fact.spot, fact.edge_ns) and _bet_stands_without_chip(table, fact.spot)


def welcome_chip(table: Table, fact: facts.Fact) -> Table:
    """The chip that the lamp asked for is there."""
    assert isinstance(fact, facts.ChipSeen)
    return notice(record_change(table, fact), "noted", prompts.tell(table, "chip.back", spot=fact.spot))


def late_chip(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.ChipSeen)
    rule = settle.paragraphs_of(table).after_lock
    return prompts.tell(table, "chip.after_lock", spot=fact.spot, rule=rule)


def _bet_stands_without_chip(table: Table, name: Spot) -> bool:
    playing, place = settle.round_of(table), settle.place_of(table, name)
    if place is None:
        return False
    if not playing.plan:
        return lock.presence(table, playing, table.spots[place]) is ChipPresence.THERE
    if not link.is_coin(table, name):
        standing = [bet for bet in playing.bets if bet.accepted and bet.seat not in playing.returned]
        return any(spot_of(bet.seat, bet.wager) == name for bet in standing)
    return lock.lacks_its_chip(playing, table.spots[place])


def _say_missing(before: Table, after: Table) -> Table:
    """Reports a chip that was taken away. From now on the lamp of its bet asks for it."""
    missing = lock.missing_chips(before)
    for spot in lock.missing_chips(after):
        if spot not in missing:
            after = notice(after, "noted", prompts.tell(after, "chip.missing", spot=spot))
    return after


def record_level(table: Table, fact: facts.Fact) -> Table:
    """Chatter that came to rest is an ordinary burst. A level that was read has no edge: the contact changed at some
    time before the reading."""
    assert isinstance(fact, facts.LevelFound)
    if fact.edge_ns is not None:
        last_ns = fact.edge_ns if fact.last_ns is None else fact.last_ns
        rested = Burst(fact.edge_ns, last_ns, fact.present)
        table = _asked_about(_with_burst(table, fact.spot, rested), fact)
        state = "covered" if fact.present else "not covered"
        return notice(table, "noted", f"{fact.spot}: its contact came to rest, {state}.")
    read_ns = fact.at.mono_ns if fact.read_ns is None else fact.read_ns
    after = _asked_about(_with_burst(table, fact.spot, Burst(read_ns, read_ns, fact.present, found=True)), fact)
    after = notice(after, "noted", f"{fact.spot}: its level was found changed without an edge.")
    return _say_missing(table, after)


def note_flicker(table: Table, fact: facts.Fact) -> Table:
    """Remembers a burst that changed nothing. A late edge may belong to it, and then it did change something."""
    assert isinstance(fact, facts.ChipFlickered)
    present = next((spot.present for spot in table.spots if spot.spot == fact.spot), False)
    table = _with_burst(table, fact.spot, Burst(fact.edge_ns, fact.last_ns, present))
    table = _asked_about(table, fact)
    said = "its chip was nudged and lies there as before" if present else "a touch too short to be a bet"
    return notice(table, "noted", f"{fact.spot}: {said}.")


def quarantine_spot(table: Table, fact: facts.Fact) -> Table:
    """A spot that chatters takes no further bets. A bet locked there keeps what its stamps show. A contact that is
    found chattering only after the lock key is recorded as such."""
    assert isinstance(fact, facts.ChipChattered)
    playing = table.round
    locking = playing is not None and phase_of_play(table) is Phase.LOCKING
    if playing is not None and locking and fact.spot not in (*table.quarantined, *playing.chattered):
        table = with_round(table, chattered=(*playing.chattered, fact.spot))
    present = next((spot.present for spot in table.spots if spot.spot == fact.spot), False)
    goes_on = Burst(fact.edge_ns, fact.edge_ns, present, ended=False)
    table = _asked_about(_with_burst(table, fact.spot, goes_on), fact)
    return link.note_spot_failed(stand_fault(table, facts.FaultRaised(fact.at, "F-101", fact.spot)), fact.spot)


def _with_burst(table: Table, name: Spot, burst: Burst, *, clean: bool = False) -> Table:
    """`clean`: the contact moved and settled, so it works in this direction."""
    place = settle.place_of(table, name)
    if place is None or table.settings is None:
        return table
    spots, settle_ns = list(table.spots), lock.settle_ns(table.settings, name)
    burst = replace(burst, later=lock.is_of_an_earlier_boot(table))
    spot = lock.with_burst(spots[place], burst, settle_ns, lock.needed_from_ns(table, name))
    if clean:
        spot = replace(
            spot,
            proved_on=spot.proved_on or burst.present, proved_off=spot.proved_off or not burst.present
        )
    spots[place] = spot
    return replace(table, spots=tuple(spots))


def _asked_about(table: Table, fact: facts.Fact) -> Table:
    """Ends the drain again when another spot becomes undetermined while a supervisor rules on a chip near the lock.
    Otherwise the lock would wait for an answer to a question that was never asked."""
    playing, settings = table.round, table.settings
    if playing is None or settings is None or not playing.drained or phase_of_play(table) is not Phase.LOCKING:
        return table
    asked = [question.where for question in table.irregularity.questions]
    unasked = [spot for spot in lock.undetermined(table) if spot not in asked]
    if not unasked or any(deadline.name == "drain" for deadline in table.deadlines):
        return table
    again = Deadline("drain", fact.at.mono_ns + settings.drain_ms * NS_PER_MS)
    return replace(table, deadlines=(*table.deadlines, again))


def note_mismatch(table: Table, _: facts.Fact) -> Table:
    count = len(settle.contributions(settle.round_of(table)))
    return notice(table, "noted", f"{count} progressive bets were accepted and the tray holds another number of chips.")


# --- questions ---------------------------------------------------------------------------------------


def by_chip(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """Evidence that arrives after the snapshot. The snapshot stays; the supervisor returns the chip or voids. This
    includes an edge after the lock that belongs to a burst from before it, because the burst then ended differently."""
    assert isinstance(fact, facts.ChipSeen | facts.ChipLifted)
    if phase_of_play(table) not in AFTER_SNAPSHOT or lock.edge_is_after_lock(table, fact.spot, fact.edge_ns):
        return ()
    because = f"{fact.spot} changed before the lock, but the edge was delivered after bets were recorded"
    rule = settle.paragraphs_of(table).chip_positions
    question = Question("", "late_evidence", fact.spot, rule, (RETURN, VOID), RETURN, because, holds=False)
    return once(table, question)


def by_count(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    coin = settle.coin_wager(table.settings) if table.settings else None
    if coin is None or table.round is None or table.phase not in BEFORE_SETTLEMENT:
        return ()
    count = len(settle.contributions(table.round))
    because = f"{count} progressive bets were accepted and the dealer has collected another number of chips"
    rule = settle.paragraphs_of(table).chip_positions
    return once(table, Question("", "count_mismatch", coin.name, rule, (NOTED, VOID), NOTED, because, holds=False))


# --- rows --------------------------------------------------------------------------------------------

SERVICE_ROWS = (
    *stay(facts.ChipChattered, ServiceState, do=quarantine_spot),
)
ROWS = (
    *stay(facts.ChipSeen, AFTER_LOCK, when=chip_comes_back, do=welcome_chip),
    *refuse(
        facts.ChipSeen, AFTER_LOCK, late_chip, when=edge_is_after_lock, do=record_change
    ),
    *stay(facts.ChipSeen, Phase.BETTING, do=record_chip),
    *stay((facts.ChipSeen, facts.ChipLifted), EVERY_PHASE, do=record_change),
    *stay(facts.LevelFound, EVERY_PHASE, do=record_level),
    *stay(facts.ChipFlickered, EVERY_PHASE, do=note_flicker),
    *refuse(facts.CountMismatchPressed, EVERY_PHASE, NO_COUNT, when=link.game_has_no_coin_spots),
    *stay(facts.CountMismatchPressed, BEFORE_SETTLEMENT, do=note_mismatch),
    *refuse(facts.CountMismatchPressed, EVERY_PHASE, NO_COUNT),
)
