"""What must hold for every table after every fact. A violation is our own mistake: the table goes out of service and
names the broken rule."""

from __future__ import annotations

from operator import attrgetter

from felt.table.settings import HISTORY_MAX, NOTICES_MAX
from felt.table.state import UNREAD, Phase, Round, ServiceState, Table

_WITHOUT_ROUND = (Phase.CLOSED, Phase.IDLE)
_UNLOCKED = (Phase.BETTING,)
_bursts_of = attrgetter("bursts")  # runs on every chip: a generator is measurably slower


class InvariantBroken(AssertionError):
    """Names the broken rule."""


def check(table: Table, before: Table) -> None:
    """Checks only the parts that changed: a part that is the same object as before still holds."""
    if table.phase is not before.phase or table.round is not before.round:
        _need((table.round is None) == (table.phase in _WITHOUT_ROUND), "a round exists exactly while one is in play")
        if table.round is not None:
            _check_round(table, table.round, before.round)
    if table.irregularity is not before.irregularity:
        if table.phase is Phase.INTERRUPTED:
            _need(any(question.holds for question in table.irregularity.questions), "play is held by an open question")
    if table.post is not before.post:
        sequences = [mail.sequence for mail in table.post.unanswered]
        _need(sequences == sorted(set(sequences)), "letters wait in the order in which they were written")
        _need(not sequences or sequences[-1] <= table.post.written, "every letter that waits was written")
        same_journal = table.nonce == before.nonce
        _need(not same_journal or table.post.written >= before.post.written, "a letter's number is never used again")
    if table.panel is not before.panel:
        _need(len(table.panel.notices) <= NOTICES_MAX, "notices are bounded")
    if table.spots is not before.spots:
        longest = max(map(len, map(_bursts_of, table.spots)), default=0)
        _need(longest <= HISTORY_MAX, "bursts of a spot are bounded")
    if table.service is not before.service and table.service.ordered_out:
        _need(table.service.state is not ServiceState.IN_SERVICE, "a table ordered out is out of service")
    if table.service.state is ServiceState.TEST:
        _need(table.phase is Phase.CLOSED and table.round is None, "only a closed table is tested")


def _check_round(table: Table, playing: Round, before: Round | None) -> None:
    locked = playing.lock_ns is not None
    betting = table.phase in _UNLOCKED or playing.held_from in _UNLOCKED
    if table.phase is not Phase.VOIDING:
        _need(locked != betting, "a round is locked exactly from the lock key on")
    _need((playing.held_from is not None) == (table.phase is Phase.INTERRUPTED), "a held round knows where it was")
    _need(len(playing.dealt) <= len(playing.plan), "no card is dealt beyond the plan")
    if before is not None and before.number == playing.number and before is not playing:
        if before.drained:
            _need(not before.bets or playing.bets == before.bets, "the snapshot of bets never changes")
        if before.lock_ns is not None:
            _need(playing.lock_ns == before.lock_ns, "the lock never moves")
        moved = playing.moved != before.moved or playing.discarded != before.discarded
        _need(moved or _lies_still(playing, before), "a dealt card stays where it lies, except by a person's hand")
    if before is None or playing.dealt is not before.dealt:
        cards = [dealt.card for dealt in playing.dealt if dealt.card != UNREAD]
        _need(len(set(cards)) == len(cards), "no card is dealt twice")
    if before is None or playing.lines is not before.lines:
        _check_money(playing)


def _lies_still(playing: Round, before: Round) -> bool:
    """An unread card is keyed, and a struck card loses its face. Nothing else changes."""
    if playing.dealt[: len(before.dealt)] == before.dealt:
        return True
    pairs = zip(before.dealt, playing.dealt, strict=False)
    return len(playing.dealt) >= len(before.dealt) and all(
        old is new or (old.target == new.target and (old.card == new.card or UNREAD in (old.card, new.card)))
        for old, new in pairs
    )


def _check_money(playing: Round) -> None:
    for line in playing.lines:
        if line.stake is not None:
            _need(line.returned is not None and line.lost is not None, "a known stake is returned or lost")
            _need((line.returned or 0) + (line.lost or 0) == line.stake, "stake = returned + lost on every line")
    staked = sorted((bet.seat, bet.wager) for bet in playing.bets)
    judged = sorted((line.seat, line.bet) for line in playing.lines if line.stake != 0 or line.outcome == "returned")
    missing = [bet for bet in staked if bet not in judged]
    _need(not missing or not playing.lines, f"every bet has a verdict, {missing} has none")


def _need(holds: bool, rule: str) -> None:
    if not holds:
        raise InvariantBroken(rule)
