"""Questions that a failing progressive raises, its system or one of its coin spots. Before any player has seen his
cards the round is void; afterwards it goes on by itself, and what the system had registered pays."""

from __future__ import annotations

from felt.nouns.ids import Spot, kind_of, seat_of
from felt.table import facts, settle
from felt.table.irregular.parts import (
    BEFORE_REVEAL,
    VOID,
    asked_by,
    phase_of_play,
    reading,
    restated,
)
from felt.table.irregular.statement import Statement
from felt.table.state import LinkState, Phase, Question, Table

NO_ANSWER = "the jackpot controller does not answer"
SPOT_FAULTS = ("F-101", "F-104", "F-110")  # its contact cannot be believed
LAMP_FAULTS = ("F-108", "F-109")  # no bet is taken there; one that was recorded before does not change


def by_link(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    if failure_closes_the_spots(table) or table.link is LinkState.LOST or not _is_unseen(table):
        return ()
    return restated(table, _device(table, NO_ANSWER))


def _is_unseen(table: Table) -> bool:
    """Play with the progressive in which neither a player has looked nor the dealer's hand lies open."""
    playing = table.round
    if playing is None or playing.seen or playing.revealed or not playing.progressive_open:
        return False
    return phase_of_play(table) in (*BEFORE_REVEAL, Phase.REVEALING)


def failure_closes_the_spots(table: Table) -> bool:
    """The other reading of 5.16 while bets are open: the base game goes on without the progressive bets that failed."""
    by_reading = reading(table, "failure_while_betting", "void_5_16") == "spots_closed"
    return by_reading and phase_of_play(table) is Phase.BETTING


def by_chatter(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.ChipChattered)
    return _by_spot(table, fact.spot)


def by_spot_fault(table: Table, fact: facts.FaultRaised) -> tuple[Question, ...]:
    counts = SPOT_FAULTS + LAMP_FAULTS if phase_of_play(table) is Phase.BETTING else SPOT_FAULTS
    return _by_spot(table, Spot(fact.where)) if fact.code in counts else ()


def by_lamp(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """Without its lamp a spot takes no bet, so it counts for as long as bets are taken."""
    assert isinstance(fact, facts.LampFound)
    failed = fact.state != "good" and phase_of_play(table) is Phase.BETTING
    return _by_spot(table, Spot(fact.lamp)) if failed else ()


def _by_spot(table: Table, spot: Spot) -> tuple[Question, ...]:
    if not _is_unseen(table) or not is_coin(table, spot) or _fails_nobody(table, spot):
        return ()
    return restated(table, _device(table, f"the coin spot {spot} failed"))


def _fails_nobody(table: Table, spot: Spot) -> bool:
    """While bets are open: a spot that took none before it failed, or any by the other reading, which closes it and
    hands its chip back. After the lock, by another reading: one on which nobody has bet."""
    if phase_of_play(table) is Phase.BETTING:
        closed = spot in table.quarantined or seat_of(spot) in table.barred
        return closed or failure_closes_the_spots(table)
    if reading(table, "one_spot_dead_after_lock", "void_5_16") != "only_if_bet_there":
        return False
    return not any(bet.accepted and f"{bet.seat}.{bet.wager}" == spot for bet in settle.round_of(table).bets)


def is_coin(table: Table, spot: str) -> bool:
    coin = settle.coin_wager(table.settings) if table.settings else None
    return coin is not None and "." in spot and kind_of(Spot(spot)) == coin.name


def _device(table: Table, cause: str) -> Question:
    phase, playing = phase_of_play(table), settle.round_of(table)
    bets = len(settle.contributions(playing))
    named = _deciding_reading(phase, cause)
    whose = (f"{named}={reading(table, named, 'void_5_16')}",) if named else ()
    rule = settle.paragraphs_of(table).device_before_seen
    why = "the progressive failed before any player has seen cards"
    statement = Statement((cause,), phase.value, False, why, False, bets, playing.registered, rule, VOID, whose)
    return asked_by(table, "progressive_device", statement)


def _deciding_reading(phase: Phase, cause: str) -> str:
    if phase is Phase.BETTING:
        return "failure_while_betting"
    return "" if cause == NO_ANSWER else "one_spot_dead_after_lock"
