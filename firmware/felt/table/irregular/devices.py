"""Questions that a failing progressive system raises."""

from __future__ import annotations

from felt.nouns.ids import kind_of
from felt.table import facts, settle
from felt.table.irregular.parts import (
    BEFORE_REVEAL,
    CONTINUE,
    VOID,
    once,
    phase_of_play,
    reading,
)
from felt.table.state import LinkState, Phase, Question, Table


def by_link(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    """Before any player has seen cards a failing progressive system voids; afterwards play goes on by itself."""
    if failure_closes_the_spots(table):
        return ()
    if table.link is LinkState.UP and phase_of_play(table) in BEFORE_REVEAL and table.round is not None:
        if not table.round.seen and table.round.progressive_open:
            return once(table, _device(table, "the jackpot controller does not answer"))
    return ()


def failure_closes_the_spots(table: Table) -> bool:
    """The other reading of 5.16 while bets are open: the base game goes on without progressive bets."""
    by_reading = reading(table, "failure_while_betting", "void_5_16") == "spots_closed"
    return by_reading and phase_of_play(table) is Phase.BETTING


def by_chatter(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    assert isinstance(fact, facts.ChipChattered)
    phase, playing = phase_of_play(table), table.round
    if playing is None or playing.seen or phase not in BEFORE_REVEAL[1:]:
        return ()
    coin = settle.coin_wager(table.settings) if table.settings else None
    if coin is None or kind_of(fact.spot) != coin.name:
        return ()
    if reading(table, "one_spot_dead_after_lock", "void_5_16") == "only_if_bet_there":
        if not any(bet.accepted and f"{bet.seat}.{bet.wager}" == fact.spot for bet in playing.bets):
            return ()
    return once(table, _device(table, f"the coin spot {fact.spot} failed"))


def _device(table: Table, cause: str) -> Question:
    return Question(
        id="",
        kind="progressive_device",
        where=phase_of_play(table).value,
        rule=settle.paragraphs_of(table).device_before_seen,
        options=(CONTINUE, VOID),
        proposal=VOID,
        because=f"{cause} before any player has seen cards",
        holds=True,
    )
