"""A claim was made for another level or share than its hand is: a rank was misread. While nobody has confirmed it, it
is valued anew; of one that is paid, what was due is written down beside it, and no meter moves. And a hand was found
invalid after its round had its result: what its box contributed is taken back. Pure."""

from __future__ import annotations

from felt.jackpot.books import meter as meters
from felt.jackpot.books import queue
from felt.jackpot.books.accounts import Code
from felt.jackpot.books.draft import Draft, RefusedError, listed
from felt.jackpot.books.hits import group, leave_queue, mark_late, value_claim
from felt.jackpot.books.meter import Meter
from felt.jackpot.books.standing import (
    OUTSIDE,
    ClaimKey,
    Hit,
    OpenClaim,
    RoundStage,
    claim_of,
    meter_for,
    with_claim,
    with_round,
)
from felt.letters.from_table import AWARD_MINOR_MAX, SHARE_DEN_MAX, BetsReturnedLetter
from felt.nouns.ids import claim_id
from felt.nouns.money import MICRO_PER_MINOR
from felt.nouns.values import replace

Share = tuple[int, int]


def correct_open(draft: Draft, claim: OpenClaim, level: str, share: Share, reason: str) -> None:
    meter = _meter_meant(draft, level, share)
    former = (claim.share_num, claim.share_den)
    if (meter.name, share) == (claim.meter, former):
        raise RefusedError(f"The claim {claim.claim} is for {_said(claim.meter, former)} already.")
    if claim.split > 1:
        raise RefusedError(
            f"The claim {claim.claim} is one of {claim.split} that share a value equally: deny it at its table."
        )
    if claim.valuation is not None and meter.name != claim.meter:
        raise RefusedError(
            f"The claim {claim.claim} has its value on the meter {claim.meter!r} already, and its table may be paying "
            "it: deny it at its table, and report the hit there with its right rank."
        )
    detail = f"Was for {_said(claim.meter, former)}, is for {_said(meter.name, share)}. {reason}"
    draft.write(Code.CLAIM_CORRECTED, claim.claim, meter.name, detail=detail)
    changed = replace(claim, share_num=share[0], share_den=share[1])
    if meter.name != claim.meter:
        _move_to(draft, claim, changed, meter)
    elif claim.valuation is None:
        draft.standing = with_claim(draft.standing, changed)
    else:
        # The meter is frozen for it and stays so; nobody else gets the turn that it has.
        value_claim(draft, changed, claim.valuation.value_micro)


def _move_to(draft: Draft, claim: OpenClaim, changed: OpenClaim, meter: Meter) -> None:
    """It joins the queue of the other meter, whose value counts as it stands when the claim has its turn there."""
    played, name = draft.round_or_refuse(), meter.name
    outside = OUTSIDE if name in played.splits else 1
    moved = replace(changed, meter=name, house_place=0, released=False, split=outside)
    draft.standing = with_claim(draft.standing, moved)
    group(draft, played, name)
    late = mark_late(draft, claim.key)
    if late:
        draft.write(Code.NOTED, claim.claim, name, detail=late)
    leave_queue(draft, claim)


def correct_paid(draft: Draft, hit: Hit, level: str, share: Share, due_minor: int, reason: str) -> None:
    """The record states both sums in full, so that the same correction told twice says the same."""
    meter = _meter_meant(draft, level, share)
    if meter.name == hit.meter and hit.value_micro:
        computed = meters.award_of(hit.value_micro, *share, meter.terms.fractional_cent)
        if due_minor not in (0, computed):
            raise RefusedError(
                f"A share of {share[0]}/{share[1]} of the value that claim {hit.claim} was paid by is {computed}, "
                f"not {due_minor}."
            )
        due_minor = computed
    elif not 1 <= due_minor <= AWARD_MINOR_MAX:
        raise RefusedError(
            f"The claim {hit.claim} was not paid by a value of the meter {meter.name!r}: state award_minor, what "
            f"was due by the papers, from 1 to {AWARD_MINOR_MAX}."
        )
    if due_minor == hit.award_minor:
        raise RefusedError(f"The claim {hit.claim} was paid {due_minor}, which is what was due.")
    detail = (
        f"Claim {hit.claim}, hit {hit.number} of the meter {hit.meter!r}, was paid {hit.award_minor}; it is for "
        f"{_said(meter.name, share)}, so {due_minor} was due. No meter is changed by this. {reason}"
    )
    amount = (due_minor - hit.award_minor) * MICRO_PER_MINOR
    draft.write(Code.AWARD_CORRECTED, hit.claim, hit.meter, amount, detail)


def _meter_meant(draft: Draft, level: str, share: Share) -> Meter:
    num, den = share
    if not 1 <= num <= den <= SHARE_DEN_MAX:
        raise RefusedError(f"{num}/{den} is no share of a meter.")
    meter = meter_for(draft.standing, draft.context.link_of_table(draft.origin.table), level)
    if meter is None:
        raise RefusedError(f"Table {draft.origin.table} has no meter {level!r}.")
    return meter


def _said(meter: str, share: Share) -> str:
    return f"{share[0]}/{share[1]} of the meter {meter!r}"


def take_back_bets(draft: Draft, letter: BetsReturnedLetter) -> None:
    """The rest of the round stands, and so does every value that a claim was frozen at."""
    played = draft.round_or_refuse()
    if played.stage is not RoundStage.COMMITTED:
        raise RefusedError(f"Round {letter.round} is {played.stage}: a single box is corrected once it has its result.")
    known = [contribution.seat for contribution in played.contributions]
    missing = [seat for seat in letter.seats if seat not in known]
    if missing:
        raise RefusedError(f"The bets of seat {missing[0]} went back, which has no committed progressive bet.")
    for claim in (claim_id(played.number, seat) for seat in letter.seats):
        if (
            claim in played.paid_claims
            or claim_of(draft.standing, ClaimKey(played.table, played.nonce, claim)) is not None
        ):
            raise RefusedError(f"The claim {claim} is open or paid: while it is not denied, its box has its bets.")
    kept = replace(played, contributions=tuple(bet for bet in played.contributions if bet.seat not in letter.seats))
    draft.standing = with_round(draft.standing, kept)
    gone = [bet for bet in played.contributions if bet.seat in letter.seats]
    detail = f"Invalid after the result by {letter.person} ({letter.rule}): seats {listed(letter.seats)}."
    held, counted = [late.meter for late in played.held], [share.meter for share in played.shares]
    for meter in draft.link_meters():
        if meter.name in held:
            draft.move(meters.drop(meter, played.stake - kept.stake), detail=detail)
        elif meter.name in counted:  # else a hit was paid, and by one reading it added nothing
            queue.take_off(draft, meter.name, played, gone, detail)
