"""Questions that a failing progressive raises, its system or one of its coin spots. Before any player has seen his
cards the round is void; afterwards it goes on by itself, and what the system had registered pays."""

from __future__ import annotations

from felt.nouns.ids import Spot, kind_of
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
SPOT_FAULTS = ("F-101", "F-104", "F-110")  # its contact cannot be believed; a lamp that fails later changes no bet


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
    """The other reading of 5.16 while bets are open: the base game goes on without progressive bets."""
    by_reading = reading(table, "failure_while_betting", "void_5_16") == "spots_closed"
    return by_reading and phase_of_play(table) is Phase.BETTING


def by_chatter(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.ChipChattered)
    return _by_spot(table, fact.spot)


def by_spot_fault(table: Table, fact: facts.FaultRaised) -> tuple[Question, ...]:
    return _by_spot(table, Spot(fact.where)) if fact.code in SPOT_FAULTS else ()


def _by_spot(table: Table, spot: Spot) -> tuple[Question, ...]:
    """While bets are open a coin spot that fails is closed and its chip handed back: nothing else has happened yet."""
    playing = table.round
    if playing is None or phase_of_play(table) is Phase.BETTING or not _is_unseen(table) or not is_coin(table, spot):
        return ()
    if reading(table, "one_spot_dead_after_lock", "void_5_16") == "only_if_bet_there":
        if not any(bet.accepted and f"{bet.seat}.{bet.wager}" == spot for bet in playing.bets):
            return ()
    return restated(table, _device(table, f"the coin spot {spot} failed"))


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
    if cause != NO_ANSWER:
        return "one_spot_dead_after_lock"
    return "failure_while_betting" if phase is Phase.BETTING else ""
