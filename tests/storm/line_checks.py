"""What the lines of a round promise: returned stakes are returned whole, a void keeps nothing, and each award of a
meter is claimed, confirmed and reported to the controller exactly as in its line."""

from __future__ import annotations

import json
from collections import Counter

from felt.rules import shelf
from felt.rules.rulebook import LOSE, PLAY, RETURNED, WIN, Line
from felt.table import facts
from felt.table.state import ClaimState, LinkState, Round, Table
from tests.storm.course import Course
from tests.storm.purse import Violation


def check_lines(playing: Round, course: Course) -> None:
    claims = {(claim.seat, claim.level): claim for claim in playing.claims}
    for line in playing.lines:
        if line.outcome == RETURNED and (line.returned != line.stake or line.lost or line.paid):
            raise Violation(f"round {playing.number}: {line} goes back, and not as a whole")
        if playing.void_rule and line.outcome != RETURNED:
            raise Violation(f"round {playing.number} is void, and {line} is not returned")
        if line.level and not playing.void_rule:
            _check_award(playing, line, claims.get((line.seat, line.level)))
    if playing.void_rule:
        _check_nothing_is_kept(playing, course)


def _check_award(playing: Round, line: Line, claim: ClaimState | None) -> None:
    if claim is None:
        raise Violation(f"round {playing.number}: {line} pays from a meter, and nobody claims it")
    if claim.verdict == "denied":
        if (line.outcome, line.paid) != (LOSE, 0):
            raise Violation(f"round {playing.number}: {line} was denied, and has not lost")
    elif line.outcome == WIN:
        due = claim.award_minor if claim.verdict == "confirmed" else None
        if line.paid != due:
            raise Violation(f"round {playing.number}: {line} is paid {line.paid}, confirmed was {due}")


def _check_nothing_is_kept(voided: Round, course: Course) -> None:
    """Every bet has exactly one line, and so has each play wager."""
    due = Counter((bet.seat, bet.wager) for bet in voided.bets)
    if course.is_plain:
        due.update(_second_bets(voided, course))
    kept = due - Counter((line.seat, line.bet) for line in voided.lines)
    if kept:
        raise Violation(f"round {voided.number} is void, and {sorted(kept)} are kept")


def _second_bets(voided: Round, course: Course) -> list[tuple[int, str]]:
    needed = {one.needs: one.name for one in shelf.edition(voided.rulebook, voided.version).wagers if one.after_cards}
    played = [seat for seat, choice in course.choices.items() if choice == PLAY and seat not in voided.returned]
    return [
        (bet.seat, needed[bet.wager])
        for bet in voided.bets
        if bet.accepted and bet.wager in needed and bet.seat in played
    ]


def check_letter(after: Table, settled: Round) -> None:
    """The letter to the controller says the same as the lines, box by box."""
    result = next(mail for mail in reversed(after.post.unanswered) if mail.kind == "RoundResult")
    claimed = sorted(
        (claim["seat"], claim["level"], claim["share_num"], claim["share_den"])
        for claim in json.loads(result.body)["claims"]
    )
    lined = sorted((line.seat, line.level, line.share_num, line.share_den) for line in settled.lines if line.level)
    if claimed != lined:
        raise Violation(f"round {settled.number}: the letter claims {claimed}, the lines say {lined}")


def check_way_of_paying(before: Table, fact: facts.ClaimConfirmed, paid: Round, course: Course) -> None:
    """Pays by the value received before the link was lost in this round; if there was none, by the value registered
    with the lock."""
    claim = next(one for one in paid.claims if one.claim == fact.claim)
    told = course.valued.get(fact.claim)
    failed = course.link_failed or before.link is LinkState.LOST
    if claim.by_registered_value and not failed:
        raise Violation(f"claim {fact.claim} is paid by the registered value, and the link was never lost")
    if failed and told is not None and claim.by_registered_value:
        raise Violation(f"claim {fact.claim} had its value before the link was lost, and is paid by another")
    if told is not None and (claim.value_micro, claim.award_minor) != told:
        raise Violation(f"claim {fact.claim} was told {told}, and {claim.award_minor} is paid")
    if failed and told is None and not claim.by_registered_value:
        raise Violation(f"claim {fact.claim} is paid by a value that came after the link was lost")
