"""What a failing progressive does to the round in play where nobody is asked, and how the house plays on without it."""

from __future__ import annotations

from felt.nouns.ids import Spot
from felt.nouns.values import replace
from felt.table import facts, redacted, settle
from felt.table.irregular import devices
from felt.table.irregular.parts import phase_of_play
from felt.table.irregular.statement import say_registered
from felt.table.state import Phase, Table, with_round
from felt.table.upkeep import keep_alert, notice

_BEFORE_SNAPSHOT = (Phase.BETTING, Phase.LOCKING)


def note_link_lost(table: Table, _: facts.Fact) -> Table:
    """Before the snapshot no jackpot bet counts any more: its system could not take it, whatever is ruled. After it the
    value registered with the lock is fixed here: it pays every jackpot of this round that the controller has not told a
    value of before, whatever comes after."""
    table = keep_alert(table, "F-301", "link")
    playing = table.round
    if playing is None or not playing.progressive_open:
        return table
    if phase_of_play(table) in _BEFORE_SNAPSHOT:
        return _close_coin_spots(table)
    return say_play_goes_on(with_round(table, malfunction=devices.NO_ANSWER), devices.NO_ANSWER)


def _close_coin_spots(table: Table) -> Table:
    table = say_no_progressive(with_round(table, progressive_open=False))
    if not devices.lost_link_closes_the_spots(table):
        return table
    said = "The jackpot controller does not answer: no jackpot bet counts"
    return _say_closed(table, said, devices.LINK_LOST, settle.chips_on_coins(table))


def say_no_progressive(table: Table, why: str = "") -> Table:
    rule = settle.paragraphs_of(table).no_progressive
    because = f": {why}" if why else ""
    return notice(table, "noted", f"No progressive bets are taken this round ({rule}){because}.")


def spot_closes(table: Table, fact: facts.Fact) -> bool:
    """A coin spot fails while bets are open, and the house closes it instead of voiding the round."""
    playing = table.round
    if playing is None or not playing.progressive_open or not devices.failure_closes_the_spot(table):
        return False
    return devices.is_coin(table, devices.spot_failed_by(fact))


def note_spot_closed(table: Table, fact: facts.Fact) -> Table:
    spot = Spot(devices.spot_failed_by(fact))
    there = tuple(one for one in settle.chips_on_coins(table) if one == spot)
    return _say_closed(table, f"The coin spot {spot} failed: no jackpot bet counts there", devices.SPOT_FAILED, there)


def _say_closed(table: Table, said: str, choice: devices.Choice, chips: tuple[Spot, ...]) -> Table:
    """What the house chose stands in the round's record."""
    by, closed = devices.closed_by(table, choice), settle.round_of(table).spots_closed
    table = with_round(table, spots_closed=tuple(dict.fromkeys((*closed, by))))
    table = notice(table, "noted", f"{said}, and the base game goes on ({by}).")
    return notice(table, "noted", f"Hand back the chips on {', '.join(chips)}.") if chips else table


def say_play_goes_on(table: Table, cause: str) -> Table:
    """Once cards were seen nobody is asked: the rulebook says that play goes on, and this is its notice."""
    playing, settings = table.round, table.settings
    if playing is None or settings is None or not (playing.seen or playing.revealed) or not playing.progressive_open:
        return table
    if settle.supervisor_decides_alone(table):
        return table
    rule = settle.paragraphs_of(table).device_after_seen
    value = say_registered(playing.registered, settings.terms.currency)
    said = f"{cause[0].upper()}{cause[1:]}: play goes on ({rule}); registered before it: {value}."
    return notice(table, "noted", said)


def note_spot_failed(table: Table, spot: str) -> Table:
    return say_play_goes_on(table, f"the coin spot {spot} failed") if devices.is_coin(table, spot) else table


# --- the house's choice for later rounds ---------------------------------------------------------------


def switched_so_already(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.ProgressiveSwitched)
    return fact.off == bool(table.progressive_off)


def switch_progressive(table: Table, fact: facts.Fact) -> Table:
    """From the next round on: a round in play keeps the bets that it has accepted."""
    assert isinstance(fact, facts.ProgressiveSwitched)
    reason = redacted.scrubbed(fact.reason)
    table = replace(table, progressive_off=f"{fact.person}: {reason}" if fact.off else "")
    rule = settle.paragraphs_of(table).without_progressive
    said = f"are not taken ({rule})" if fact.off else "are taken again"
    return notice(table, "noted", f"From the next round on progressive bets {said}: {fact.person}, {reason}.")
