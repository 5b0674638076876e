"""What a failing progressive does to the round in play where nobody is asked, and how the house plays on without it."""

from __future__ import annotations

from felt.table import facts, redacted, settle
from felt.table.irregular import devices
from felt.table.irregular.statement import say_registered
from felt.table.state import Table, with_round
from felt.table.upkeep import keep_alert, notice


def note_link_lost(table: Table, _: facts.Fact) -> Table:
    """The value registered with the lock is fixed here: it pays every jackpot of this round, whatever comes after."""
    table = keep_alert(table, "F-301", "link")
    playing = table.round
    if playing is None or not playing.progressive_open or devices.failure_closes_the_spots(table):
        return table
    return say_play_goes_on(with_round(table, malfunction=devices.NO_ANSWER), devices.NO_ANSWER)


def say_play_goes_on(table: Table, cause: str) -> Table:
    """Once cards were seen nobody is asked: the rulebook says that play goes on, and this is its notice."""
    playing, settings = table.round, table.settings
    if playing is None or settings is None or not (playing.seen or playing.revealed) or not playing.progressive_open:
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
    table = table._replace(progressive_off=f"{fact.person}: {reason}" if fact.off else "")
    rule = settle.paragraphs_of(table).without_progressive
    said = f"are not taken ({rule})" if fact.off else "are taken again"
    return notice(table, "noted", f"From the next round on progressive bets {said}: {fact.person}, {reason}.")
