"""Letters against a standing: contributions pend, commit or drop; claims queue and are valued one after another.
Pure: `receive` gives the next standing, the entries that lead to it and the claims that it has valued, or a
refusal that changes nothing. It reads no clock, keeps no file and sends nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from felt.jackpot import meters
from felt.jackpot.meters import Kind, Meter, Movement
from felt.jackpot.standing import (
    Entry,
    OpenClaim,
    Origin,
    Round,
    RoundStage,
    Standing,
    Valuation,
    claim_of,
    journal_of,
    meter_named,
    round_of,
    stake_of,
    valued_claim_on,
    with_claim,
    with_journal,
    with_meter,
    with_round,
    without_claim,
)
from felt.nouns.stamps import Stamp
from felt.wire.jackpot import (
    Claim,
    ClaimConfirmedLetter,
    ClaimDeniedLetter,
    Letter,
    RoundDealtLetter,
    RoundEndedLetter,
    RoundLockedLetter,
    RoundResultLetter,
    RoundVoidedLetter,
)


class Outcome(NamedTuple):
    standing: Standing
    entries: tuple[Entry, ...]
    valued: tuple[OpenClaim, ...]


class RefusedError(Exception):
    """A letter that this standing cannot accept, in one sentence."""


def receive(standing: Standing, origin: Origin, letter: Letter) -> Outcome:
    draft = _Draft(standing, origin, letter)
    _RECEIVERS[type(letter)](draft, letter)
    valued = _value_next(draft)
    return Outcome(draft.standing, tuple(draft.entries), valued)


def supersede(standing: Standing, origin: Origin) -> tuple[Standing, tuple[Entry, ...]]:
    """A table begins another journal. The rounds of its former ones stay pending, and no claim waits for them."""
    former = [one for one in standing.journals if one.table == origin.table and one.nonce != origin.nonce]
    for journal in former:
        standing = with_journal(standing, journal._replace(superseded=True))
    standing = with_journal(standing, journal_of(standing, origin))
    if not former:
        return standing, ()
    open_rounds = _listed(
        one.number for one in standing.rounds if one.table == origin.table and one.stage is RoundStage.PENDING
    )
    detail = f"The table has begun a new journal; rounds of the former one without a result: {open_rounds}."
    return standing, (Entry(Kind.NOTED, *origin, detail=detail),)


class _Draft:
    """The standing as it changes under one letter, and the entries that say so."""

    def __init__(self, standing: Standing, origin: Origin, letter: Letter) -> None:
        self.standing = standing
        self.origin = origin
        self.round = letter.round
        self.at_wall_ns = _stamp_of(letter).wall_ns
        self.entries: list[Entry] = []

    def write(self, kind: Kind, claim: str = "", meter: str = "", amount: int = 0, detail: str = "") -> None:
        self.entries.append(
            Entry(kind, *self.origin, self.round, claim, meter, None, amount, self.at_wall_ns, detail)
        )

    def move(self, moved: meters.Moved, claim: str = "", detail: str = "") -> None:
        self.standing = with_meter(self.standing, moved.meter)
        self.entries += [self._line(moved.meter, movement, claim, detail) for movement in moved.movements]

    def _line(self, meter: Meter, movement: Movement, claim: str, detail: str) -> Entry:
        kind, account, amount = movement
        name = meter.terms.name
        return Entry(kind, *self.origin, self.round, claim, name, account, amount, self.at_wall_ns, detail)

    def round_or_refuse(self) -> Round:
        found = round_of(self.standing, self.origin, self.round)
        if found is None:
            raise RefusedError(f"Round {self.round} is not open: it was never locked, or a later one is.")
        return found

    def claim_or_refuse(self, claim: str) -> OpenClaim:
        found = claim_of(self.standing, self.origin, claim)
        if found is None or found.round != self.round:
            raise RefusedError(f"Round {self.round} has no open claim {claim}: it was never made, or is resolved.")
        return found

    def meter(self, name: str) -> Meter:
        found = meter_named(self.standing, name)
        assert found is not None, f"a claim names the meter {name}, which was checked when it was made"
        return found


# --- the life of a round -----------------------------------------------------------------------------


def _lock(draft: _Draft, letter: RoundLockedLetter) -> None:
    journal = journal_of(draft.standing, draft.origin)
    if letter.round <= journal.last_round:
        raise RefusedError(f"Round {letter.round} was locked after round {journal.last_round}: rounds only count up.")
    own = [one for one in draft.standing.rounds if one[:2] == draft.origin]
    pending = [one.number for one in own if one.stage is RoundStage.PENDING]
    if pending:
        raise RefusedError(f"Round {letter.round} was locked while round {pending[0]} has neither a result nor a void.")
    draft.standing = _without_finished_rounds(draft.standing, draft.origin)
    draft.standing = with_journal(draft.standing, journal._replace(last_round=letter.round))
    locked = Round(*draft.origin, letter.round, letter.contributions)
    draft.standing = with_round(draft.standing, locked)
    for meter in draft.standing.meters:
        draft.move(meters.pend(meter, stake_of(locked)))


def _without_finished_rounds(standing: Standing, origin: Origin) -> Standing:
    claimed = [(one.table, one.nonce, one.round) for one in standing.claims]
    kept = tuple(one for one in standing.rounds if one[:2] != origin or one[:3] in claimed)
    return standing._replace(rounds=kept)


def _deal(draft: _Draft, letter: RoundDealtLetter) -> None:
    one = draft.round_or_refuse()
    if one.stage is not RoundStage.PENDING or one.dealt_at is not None:
        raise RefusedError(f"Round {letter.round} was dealt already.")
    draft.standing = with_round(draft.standing, one._replace(dealt_at=letter.dealt_at))


def _decide(draft: _Draft, letter: RoundResultLetter) -> None:
    one = draft.round_or_refuse()
    if one.stage is not RoundStage.PENDING:
        raise RefusedError(f"Round {letter.round} is {one.stage} already and cannot have a result.")
    one = _without_returned(draft, one, letter)
    seats = [contribution.seat for contribution in one.contributions]
    for claim in letter.claims:
        _check_claim(draft, claim, seats)
    dealt_at = letter.decided_at if one.dealt_at is None else one.dealt_at
    one = one._replace(stage=RoundStage.COMMITTED, dealt_at=dealt_at)
    draft.standing = with_round(draft.standing, one)
    for meter in draft.standing.meters:
        to_bucket = _belongs_to_next_cycle(draft.standing, meter.terms.name, one)
        draft.move(meters.commit(meter, stake_of(one), len(one.contributions), to_bucket))
    for claim in letter.claims:
        _queue(draft, claim, dealt_at)


def _without_returned(draft: _Draft, one: Round, letter: RoundResultLetter) -> Round:
    """What boxes had pending whose bets went back is dropped; the rest is the round."""
    for seat in letter.returned:
        if all(contribution.seat != seat for contribution in one.contributions):
            raise RefusedError(f"The bets of seat {seat} went back, which has no accepted progressive bet.")
    kept = one._replace(contributions=tuple(bet for bet in one.contributions if bet.seat not in letter.returned))
    for meter in draft.standing.meters:
        detail = f"Bets returned: seats {_listed(letter.returned)}."
        draft.move(meters.drop(meter, stake_of(one) - stake_of(kept)), detail=detail)
    return kept


def _check_claim(draft: _Draft, claim: Claim, seats: list[int]) -> None:
    if meter_named(draft.standing, claim.level) is None:
        raise RefusedError(f"The claim {claim.claim} is for a meter {claim.level!r}, which is not kept here.")
    if claim.seat not in seats:
        raise RefusedError(f"The claim {claim.claim} is for seat {claim.seat}, which has no accepted progressive bet.")
    if claim_of(draft.standing, draft.origin, claim.claim) is not None:
        raise RefusedError(f"The claim {claim.claim} is open already.")


def _queue(draft: _Draft, claim: Claim, dealt_at: Stamp) -> None:
    # The hand's time is monotonic in the boot of the deal; that stamp holds both clocks and turns it into wall time.
    hand_wall_ns = dealt_at.wall_ns - (dealt_at.mono_ns - claim.dealt_ns)
    place = max((one.place for one in draft.standing.claims), default=0) + 1
    share = (claim.share_num, claim.share_den)
    queued = OpenClaim(*draft.origin, draft.round, claim.claim, claim.level, *share, hand_wall_ns, place)
    draft.standing = draft.standing._replace(claims=(*draft.standing.claims, queued))
    detail = f"Seat {claim.seat}, {claim.rank} ({' '.join(claim.cards)}), share {claim.share_num}/{claim.share_den}."
    draft.write(Kind.CLAIMED, claim.claim, claim.level, detail=detail)


def _void(draft: _Draft, letter: RoundVoidedLetter) -> None:
    why = f"Void by {letter.person} ({letter.rule}): {letter.reason}"
    if letter.round > journal_of(draft.standing, draft.origin).last_round:
        draft.write(Kind.NOTED, detail=f"{why}; the round was never locked and has nothing to drop.")
        return
    one = draft.round_or_refuse()
    if one.stage is RoundStage.VOIDED:
        raise RefusedError(f"Round {letter.round} is void already.")
    if one.paid_claims:
        raise RefusedError(f"Round {letter.round} cannot be void: its claim {one.paid_claims[0]} is paid.")
    committed = one.stage is RoundStage.COMMITTED
    if letter.after_result != committed:
        draft.write(Kind.ALARM, detail="The void and the ledger do not agree on whether the round had its result.")
    draft.standing = with_round(draft.standing, one._replace(stage=RoundStage.VOIDED))
    if committed:
        _take_back(draft, one, why)
    else:
        for meter in draft.standing.meters:
            draft.move(meters.drop(meter, stake_of(one)), detail=why)


def _take_back(draft: _Draft, one: Round, why: str) -> None:
    for claim in draft.standing.claims:
        if (claim.table, claim.nonce, claim.round) == one[:3]:
            _resolve_unpaid(draft, claim, Kind.WITHDRAWN, why)
    for meter in draft.standing.meters:
        draft.move(meters.correct(meter, stake_of(one), len(one.contributions)), detail=why)


def _end(draft: _Draft, letter: RoundEndedLetter) -> None:
    """Both sides' totals must agree; a break is named, and nothing is changed by it."""
    known = (0, 0, 0)
    if letter.round <= journal_of(draft.standing, draft.origin).last_round:
        one = draft.round_or_refuse()
        if one.stage is RoundStage.PENDING:
            raise RefusedError(f"Round {letter.round} ended with neither a result nor a void.")
        if one.stage is RoundStage.COMMITTED:
            known = (stake_of(one), one.awards_minor, len(one.contributions))
    told = (letter.contributions_minor, letter.awards_minor, letter.accepted)
    if told != known:
        detail = f"Totals of the round differ (stakes, awards, bets): the table says {told}, the ledger {known}."
        draft.write(Kind.ALARM, detail=detail)


# --- claims ------------------------------------------------------------------------------------------


def _confirm(draft: _Draft, letter: ClaimConfirmedLetter) -> None:
    claim = draft.claim_or_refuse(letter.claim)
    if not letter.by_registered_value:
        _check_award(claim, letter)
    kind = Kind.AWARDED_AS_REGISTERED if letter.by_registered_value else Kind.AWARDED
    detail = f"Confirmed by {letter.person}."
    meter = draft.meter(claim.meter)
    frozen_for = valued_claim_on(draft.standing, claim.meter)
    draft.standing = without_claim(draft.standing, claim)
    if frozen_for is None or frozen_for == claim:
        whole = claim.share_num == claim.share_den
        draft.move(meters.pay(meter, letter.award_minor, whole, kind), claim.claim, detail)
    else:
        draft.move(meters.pay_beside(meter, letter.award_minor, kind), claim.claim, detail)
    one = draft.round_or_refuse()
    paid = (*one.paid_claims, claim.claim)
    paid_round = one._replace(paid_claims=paid, awards_minor=one.awards_minor + letter.award_minor)
    draft.standing = with_round(draft.standing, paid_round)


def _check_award(claim: OpenClaim, letter: ClaimConfirmedLetter) -> None:
    if claim.valuation is None:
        raise RefusedError(f"The claim {claim.claim} is not valued yet and cannot be confirmed.")
    if claim.valuation.award_minor != letter.award_minor:
        expected = claim.valuation.award_minor
        raise RefusedError(f"The claim {claim.claim} is confirmed at {letter.award_minor} but valued at {expected}.")


def _deny(draft: _Draft, letter: ClaimDeniedLetter) -> None:
    claim = draft.claim_or_refuse(letter.claim)
    _resolve_unpaid(draft, claim, Kind.DENIED, f"Denied by {letter.person}: {letter.reason}")


def _resolve_unpaid(draft: _Draft, claim: OpenClaim, kind: Kind, detail: str) -> None:
    draft.standing = without_claim(draft.standing, claim)
    draft.write(kind, claim.claim, claim.meter, detail=detail)
    if valued_claim_on(draft.standing, claim.meter) is None:
        draft.move(meters.release(draft.meter(claim.meter)), claim.claim)


def _value_next(draft: _Draft) -> tuple[OpenClaim, ...]:
    """On each meter that is not frozen, the first claim is valued when no earlier round is still open."""
    valued = []
    for meter in draft.standing.meters:
        name = meter.terms.name
        claim = first_claim_on(draft.standing, name)
        if claim is None or claim.valuation is not None or rounds_waited_for(draft.standing, claim):
            continue
        award = meters.award_of(meter.display, claim.share_num, claim.share_den)
        claim = claim._replace(valuation=Valuation(meter.display, award))
        draft.standing = with_claim(draft.standing, claim)
        origin_entry = Entry(Kind.VALUED, claim.table, claim.nonce, claim.round, claim.claim, name)
        draft.entries.append(origin_entry._replace(amount=meter.display, at_wall_ns=draft.at_wall_ns))
        valued.append(claim)
    return tuple(valued)


# --- order: the only place that compares times; clock intervals belong here --------------------------


def first_claim_on(standing: Standing, meter: str) -> OpenClaim | None:
    """The claim whose turn it is: the one already valued, else the hand dealt first."""
    queue = [claim for claim in standing.claims if claim.meter == meter]
    return min(queue, key=lambda claim: (claim.valuation is None, claim.hand_wall_ns, claim.place), default=None)


def rounds_waited_for(standing: Standing, claim: OpenClaim) -> tuple[Round, ...]:
    """Rounds dealt not later than the claim's whose result is missing and can still come."""
    own = round_of(standing, Origin(claim.table, claim.nonce), claim.round)
    return tuple(
        one
        for one in standing.rounds
        if one.stage is RoundStage.PENDING and own is not None and dealt_not_later(one, own)
        if not journal_of(standing, Origin(one.table, one.nonce)).superseded
    )


def dealt_not_later(one: Round, other: Round) -> bool:
    """False for a round of which no deal is known yet: it can still be void before its first card."""
    if one.dealt_at is None or other.dealt_at is None:
        return False
    return one.dealt_at.wall_ns <= other.dealt_at.wall_ns


def _belongs_to_next_cycle(standing: Standing, meter: str, one: Round) -> bool:
    claim = first_claim_on(standing, meter)
    if claim is None:
        return False
    if claim.valuation is not None:
        return True
    claimed = round_of(standing, Origin(claim.table, claim.nonce), claim.round)
    return claimed is not None and not dealt_not_later(one, claimed)


def _stamp_of(letter: Letter) -> Stamp:
    return next(part for part in letter if isinstance(part, Stamp))


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"


_RECEIVERS: dict[type, Callable[[_Draft, Any], None]] = {
    RoundLockedLetter: _lock,
    RoundDealtLetter: _deal,
    RoundResultLetter: _decide,
    ClaimConfirmedLetter: _confirm,
    ClaimDeniedLetter: _deny,
    RoundVoidedLetter: _void,
    RoundEndedLetter: _end,
}
