"""A second count of the equal parts of a jackpot while the link is lost. A value that the table received or paid before
the failure holds for the other claims of the round; otherwise the claims that are not denied share. No letter says
which claims had received a value."""

from __future__ import annotations

from felt.table import facts
from felt.table.settle import is_of
from felt.table.state import ClaimState, Round, Table
from tests.storm.purse import MICRO, Violation


class Shares:
    def __init__(self) -> None:
        self._round = ("", 0)
        self._known: dict[str, int] = {}  # by level: the number of parts

    def reads(self, before: Table, fact: facts.ClaimValued | facts.ClaimConfirmed, after: Table) -> None:
        assert after.settings is not None
        if after.settings.reading("same_level_hits", "in_deal_order") != "split_equally":
            return
        was, claim = _claim(before.round, fact.claim), _claim(after.round, fact.claim)
        if claim == was or claim is None or claim.reported_by or not _is_whole(after.round, claim):
            return
        assert before.round is not None
        if (before.nonce, before.round.number) != self._round:
            self._round, self._known = (before.nonce, before.round.number), {}
        parts, paid = _parts(claim), isinstance(fact, facts.ClaimConfirmed)
        if paid and claim.by_registered_value:
            due = self._known.get(claim.level) or _not_denied(before.round, claim.level)
            if parts != due:
                raise Violation(f"claim {claim.claim} is paid one part of {parts}, and {due} share its value")
        if paid or not before.round.malfunction:
            self._known.setdefault(claim.level, parts)


def _claim(played: Round | None, name: str) -> ClaimState | None:
    return next((one for one in played.claims if one.claim == name), None) if played else None


def _is_whole(played: Round | None, claim: ClaimState) -> bool:
    """A single claim would have the whole value, so its part tells how many share."""
    lines = [line for line in played.lines if is_of(line, claim)] if played else []
    return bool(claim.award_minor) and any(line.share_num == line.share_den for line in lines)


def _parts(claim: ClaimState) -> int:
    assert claim.value_micro is not None
    assert claim.award_minor is not None
    award = claim.award_minor * MICRO
    return (2 * claim.value_micro + award) // (2 * award)


def _not_denied(played: Round, level: str) -> int:
    return sum(one.level == level and not one.reported_by and one.verdict != "denied" for one in played.claims)
