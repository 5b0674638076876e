"""Checks which rounds may open and which bets may be accepted. It judges by what the room was shown: a dark lamp is a
promise too."""

from __future__ import annotations

from felt.config import Config
from felt.nouns.ids import spot_of
from felt.rules import shelf
from felt.table import facts, views
from felt.table.state import Bet, Round, ServiceState, Table
from tests.storm.course import Course
from tests.storm.purse import Violation

COIN = ".progressive"
CLOSED = (views.OUT_OF_SERVICE, views.FAULT)


def check_opening(before: Table, opened: Round) -> None:
    if before.service.state is not ServiceState.IN_SERVICE:
        raise Violation(f"round {opened.number} was opened while the table was {before.service.state}")
    if before.irregularity.questions:
        raise Violation(f"round {opened.number} was opened while {before.irregularity.questions[0].id} was open")
    shown = views.lamps(before)
    own_reasons = (*before.quarantined, *(f"{seat}{COIN}" for seat in before.barred))
    others = [pattern for name, pattern in shown.items() if name.endswith(COIN) and name not in own_reasons]
    if opened.progressive_open and others and all(pattern == views.OUT_OF_SERVICE for pattern in others):
        raise Violation(f"round {opened.number} invites progressive bets, and every lamp said that none are taken")


def check_snapshot(before: Table, locked: Round, course: Course, config: Config) -> None:
    for bet in locked.bets:
        spot, is_told = spot_of(bet.seat, bet.wager), spot_of(bet.seat, bet.wager) in course.told
        if (bet.keyed or (bet.amount_minor is not None and not bet.coin)) and not is_told:
            raise Violation(f"round {locked.number}: nobody has told of {bet} in this round")
        if not bet.accepted:
            continue
        if bet.seat in before.barred:
            raise Violation(f"round {locked.number}: {spot} is accepted on a box that is out of play")
        if bet.coin and not is_told and course.is_closed(spot):
            raise Violation(f"round {locked.number}: {spot} is accepted where a fault stands")
        if bet.coin:
            _check_coin(before, locked, bet, config, chattered_late=spot in course.chattered_late)
        _check_is_backed(locked, bet, config)


def _check_coin(before: Table, locked: Round, bet: Bet, config: Config, *, chattered_late: bool) -> None:
    """A contact found chattering after the lock key lights its fault lamp at once, but its bet was there before."""
    spot = spot_of(bet.seat, bet.wager)
    shown = views.lamps(before).get(spot, "")
    # Out of service, every lamp is dark, whatever it showed before.
    if before.service.state is ServiceState.IN_SERVICE and shown in CLOSED and not (bet.keyed or chattered_late):
        raise Violation(f"round {locked.number}: {spot} is accepted, and its lamp says {shown}")
    if bet.amount_minor != config.progressive.stake_minor:
        raise Violation(f"round {locked.number}: {spot} counts as {bet.amount_minor}")
    unheard = sorted(set(config.progressive.meters) - {level for level, _ in locked.registered})
    if unheard:
        raise Violation(f"round {locked.number}: {spot} is accepted, and no value of {unheard} was registered")


def _check_is_backed(locked: Round, bet: Bet, config: Config) -> None:
    wagers = shelf.edition(locked.rulebook, locked.version).wagers
    needed = next(wager.needs for wager in wagers if wager.name == bet.wager)
    if needed and not any((one.seat, one.wager, one.accepted) == (bet.seat, needed, True) for one in locked.bets):
        raise Violation(f"round {locked.number}: {bet.seat}.{bet.wager} is accepted without {needed}")
    is_known = bet.keyed or bet.wager in config.board.sensed
    if not is_known and config.table.antes == "keyed":
        raise Violation(f"round {locked.number}: {bet.seat}.{bet.wager} was invented")


def check_keyed(before: Table, fact: facts.BetKeyed | facts.BetUnkeyed, after: Table) -> None:
    """A person may report bets only while betting is open."""
    if before.round is not None and before.round.lock_ns is None:
        return
    if after.spots != before.spots:
        raise Violation(f"{fact.spot} was keyed when no bets were open, and that counts")
    if after.panel.noticed == before.panel.noticed:
        raise Violation(f"{fact.spot} was keyed when no bets were open, and no reason was given")
