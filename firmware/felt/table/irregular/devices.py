"""Questions that a failing progressive raises, its system or one of its coin spots. Before any player has seen his
cards the round is void; afterwards it goes on by itself, and what the system had registered pays."""

from __future__ import annotations

from felt.nouns.ids import Spot, kind_of, seat_of
from felt.nouns.values import Value
from felt.table import facts, lock, settle
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


class Choice(Value):
    """A reading that the house chooses, with its default."""

    name: str
    default: str


LINK_LOST = Choice("link_lost_in_betting", "coin_spots_close_at_once")
SPOT_FAILED = Choice("failure_while_betting", "void_5_16")
ONE_SPOT_DEAD = Choice("one_spot_dead_after_lock", "void_5_16")
NO_ANSWER = "the jackpot controller does not answer"
SPOT_FAULTS = ("F-101", "F-104", "F-110")  # its contact cannot be believed
LAMP_FAULTS = ("F-108", "F-109")  # no bet is taken there; one that was recorded before does not change


def by_link(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    if lost_link_closes_the_spots(table) or table.link is LinkState.LOST:
        return ()
    if not _is_asked_about(table) and not (settle.supervisor_decides_alone(table) and settle.unvalued_claims(table)):
        return ()
    return restated(table, _device(table, NO_ANSWER))


def _is_asked_about(table: Table) -> bool:
    """Play with the progressive in which neither a player has looked nor the dealer's hand lies open. Afterwards the
    book says what follows; where there is no book to say it, a supervisor is asked then too."""
    playing = table.round
    if playing is None or not playing.progressive_open:
        return False
    unseen = not playing.seen and not playing.revealed
    in_play = phase_of_play(table) in (*BEFORE_REVEAL, Phase.REVEALING)
    return in_play and (unseen or settle.supervisor_decides_alone(table))


def _choice(table: Table, choice: Choice) -> str:
    return reading(table, choice.name, choice.default)


def lost_link_closes_the_spots(table: Table) -> bool:
    """The house's choice beside 5.16 while bets are open: the base game goes on without the progressive."""
    return phase_of_play(table) is Phase.BETTING and _choice(table, LINK_LOST) == LINK_LOST.default


def failure_closes_the_spot(table: Table) -> bool:
    """The same for one coin spot that fails: no bet counts there, and the others go on."""
    return phase_of_play(table) is Phase.BETTING and _choice(table, SPOT_FAILED) == "spots_closed"


def closed_by(table: Table, choice: Choice) -> str:
    """The house's choice by which coin spots close, beside the paragraph that voids."""
    rule = settle.paragraphs_of(table).device_before_seen
    return f"{choice.name}={_choice(table, choice)}, beside {rule}"


def spot_failed_by(fact: facts.Fact) -> str:
    """The spot that this fact says has failed; empty if it says so of none."""
    if isinstance(fact, facts.ChipChattered):
        return fact.spot
    if isinstance(fact, facts.LampFound):
        return fact.lamp if fact.state != "good" else ""
    assert isinstance(fact, facts.FaultRaised)
    return fact.where if fact.code in SPOT_FAULTS + LAMP_FAULTS else ""


def by_chatter(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """A burst across the lock does not stop the round: the lock decides it as a movement of the chip, and where it
    cannot, a supervisor does."""
    assert isinstance(fact, facts.ChipChattered)
    if phase_of_play(table) is Phase.LOCKING and not lock.edge_is_after_lock(table, fact.spot, fact.edge_ns):
        return ()
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
    if not _is_asked_about(table) or not is_coin(table, spot) or _fails_nobody(table, spot):
        return ()
    return restated(table, _device(table, f"the coin spot {spot} failed"))


def _fails_nobody(table: Table, spot: Spot) -> bool:
    """While bets are open: a spot that took none before it failed, or any by the other reading, which closes it and
    hands its chip back. After the lock, by another reading: one on which nobody has bet."""
    if phase_of_play(table) is Phase.BETTING:
        closed = spot in table.quarantined or seat_of(spot) in table.barred
        return closed or failure_closes_the_spot(table)
    if _choice(table, ONE_SPOT_DEAD) != "only_if_bet_there":
        return False
    return not any(bet.accepted and f"{bet.seat}.{bet.wager}" == spot for bet in settle.round_of(table).bets)


def is_coin(table: Table, spot: str) -> bool:
    coin = settle.coin_wager(table.settings) if table.settings else None
    return coin is not None and "." in spot and kind_of(Spot(spot)) == coin.name


def _device(table: Table, cause: str) -> Question:
    phase, playing = phase_of_play(table), settle.round_of(table)
    bets = len(settle.contributions(playing))
    named = _deciding_reading(phase, cause)
    whose = (f"{named.name}={_choice(table, named)}",) if named else ()
    rule = settle.paragraphs_of(table).device_before_seen
    seen = playing.seen or playing.revealed
    why = f"the progressive failed {'after' if seen else 'before'} any player has seen cards"
    statement = Statement((cause,), phase.value, False, why, seen, bets, playing.registered, rule, VOID, whose)
    return asked_by(table, "progressive_device", statement)


def _deciding_reading(phase: Phase, cause: str) -> Choice | None:
    if phase is Phase.BETTING:
        return LINK_LOST if cause == NO_ANSWER else SPOT_FAILED
    return None if cause == NO_ANSWER else ONE_SPOT_DEAD
