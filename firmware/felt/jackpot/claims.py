"""Shares of a meter: claimed, queued, valued one after another, confirmed or denied. Valuing freezes the display;
nothing is paid before a person has confirmed it. Pure: it changes a draft and says nothing."""

from __future__ import annotations

from felt.jackpot import meters
from felt.jackpot.agreed import come_with_the_seed, take_up_terms
from felt.jackpot.clocks import say_moment
from felt.jackpot.draft import Draft, RefusedError
from felt.jackpot.meters import Kind
from felt.jackpot.next_cycle import bring_in, commit, draw_from_lots, take_off
from felt.jackpot.order import claim_passed_over_by, turn_on, waits
from felt.jackpot.registrable import most_shown
from felt.jackpot.standing import (
    OUTSIDE,
    Entry,
    Hit,
    OpenClaim,
    Origin,
    Round,
    RoundStage,
    Valuation,
    claim_of,
    journal_of,
    meter_for,
    round_of_claim,
    stake_of,
    valued_claim_on,
    with_claim,
    with_hit,
    with_round,
    without_claim,
)
from felt.jackpot.terms import IncrementTiming, SameLevelHits
from felt.letters.from_table import Claim, ClaimConfirmedLetter, ClaimDeniedLetter, HitReportedLetter
from felt.nouns.ids import claim_id
from felt.nouns.money import growth_micro

ONE_SIDE_ONLY = "A hit that the table's settlement has not found"  # so begins the alarm
ADDS_NOTHING = "The jackpot was won: its round adds nothing."

# --- making a claim ----------------------------------------------------------------------------------


def check_claim(draft: Draft, one: Round, claim: Claim) -> None:
    """A box has one claim in a round, and its name says so; another one only if persons have denied the first."""
    if meter_for(draft.standing, draft.context.link_of_table(draft.origin.table), claim.level) is None:
        raise RefusedError(f"The claim {claim.claim} is for a meter {claim.level!r}, which is not kept here.")
    if claim.claim != claim_id(one.number, claim.seat):
        raise RefusedError(f"The claim {claim.claim} is for seat {claim.seat} of round {one.number} and not named so.")
    if claim.seat not in [contribution.seat for contribution in one.contributions]:
        raise RefusedError(f"The claim {claim.claim} is for seat {claim.seat}, which has no accepted progressive bet.")
    if claim_of(draft.standing, draft.origin, claim.claim) is not None:
        raise RefusedError(f"The claim {claim.claim} is open already.")
    if claim.claim in one.paid_claims:
        raise RefusedError(f"The claim {claim.claim} is paid already: a box is paid a jackpot once in a round.")


def queue_all(draft: Draft, one: Round, claims: tuple[Claim, ...], *, split: int = 1) -> None:
    """The claims of one result, in the order in which their hands were dealt."""
    made = [_made(draft, one, claim) for claim in claims]
    last = max((other.place for other in draft.standing.claims), default=0)
    queued = tuple(claim._replace(place=place, split=split) for place, (claim, _) in enumerate(made, last + 1))
    draft.standing = draft.standing._replace(claims=(*draft.standing.claims, *queued))
    for name in dict.fromkeys(claim.meter for claim in queued):
        group(draft, one, name)
    for claim, detail in made:
        late = mark_late(draft, claim.claim)
        draft.write(Kind.CLAIMED, claim.claim, claim.meter, detail=f"{detail} {late}".rstrip())


def mark_late(draft: Draft, name: str) -> str:
    claim = draft.claim_or_refuse(name)
    passed_over = claim_passed_over_by(draft.standing, draft.context, claim)
    draft.standing = with_claim(draft.standing, claim._replace(late=bool(passed_over)))
    return f"Late: dealt before claim {passed_over}, which was valued first." if passed_over else ""


def group(draft: Draft, one: Round, name: str) -> None:
    """What the open claims of one round on one meter have from each other, each time that one comes or goes: the
    moment of the first hand, and by one reading an equal part of one value."""
    same = [claim for claim in draft.standing.claims if claim[:3] == one[:3] and claim.meter == name]
    if not same:
        return
    paid = _paid_of(draft, same[0])
    place_of = {claim_id(one.number, seat): place for place, seat in enumerate(one.seats)}
    hands = [(claim.deal_place, claim.moment) for claim in same]
    hands += [(place_of.get(hit.claim, len(one.seats)), hit.moment) for hit in paid]
    _, first = min(hands, key=lambda hand: (hand[0], hand[1].mono_ns))
    sharing = [claim for claim in same if claim.split != OUTSIDE]
    told = paid or any(claim.valuation is not None for claim in sharing)
    # Terms that come into force while they wait do not part those that share.
    shares = not told and (hits_share_equally(draft, name) or any(claim.split > 1 for claim in sharing))
    for claim in same:
        split = len(sharing) if shares and claim in sharing else claim.split
        draft.standing = with_claim(draft.standing, claim._replace(table_moment=first, split=split))


def hits_share_equally(draft: Draft, name: str) -> bool:
    return draft.meter(name).terms.same_level_hits is SameLevelHits.SPLIT_EQUALLY


def _made(draft: Draft, one: Round, claim: Claim) -> tuple[OpenClaim, str]:
    meter = meter_for(draft.standing, draft.context.link_of_table(draft.origin.table), claim.level)
    assert meter is not None and one.dealt is not None, "the claim was checked, and a decided round has its time"
    deal_place = one.seats.index(claim.seat) if claim.seat in one.seats else len(one.seats)
    moment = draft.context.moment(draft.origin.table, one.dealt.boot, claim.dealt_ns, claim.uncertain_ns)
    detail = (
        f"Seat {claim.seat}, {claim.rank} ({' '.join(claim.cards)}), share {claim.share_num}/{claim.share_den}; "
        f"last card at {say_moment(moment)}."
    )
    share = (claim.share_num, claim.share_den)
    made = OpenClaim(
        *draft.origin, draft.round, claim.claim, meter.terms.name, *share, 0, moment, moment, deal_place,
        draft.context.now,
    )  # fmt: skip
    return made, detail


def take_reported(draft: Draft, letter: HitReportedLetter) -> None:
    """Only persons saw the hit: an alarm, and a claim like any other, in the order in which its hand was dealt. But it
    stands outside where hits share one value: without a link its table cannot know whether they were told it."""
    one = draft.round_or_refuse()
    if one.stage is not RoundStage.COMMITTED:
        raise RefusedError(f"Round {letter.round} is {one.stage}: a hit is reported once the round has its result.")
    check_claim(draft, one, letter.claim)
    who = f"reported by {letter.reported_by}, claimed by {letter.person}"
    draft.write(Kind.ALARM, letter.claim.claim, detail=f"{ONE_SIDE_ONLY}: {who}: {letter.evidence}.")
    one = _held_after_all(draft, one, letter.claim)
    meter = meter_for(draft.standing, draft.context.link_of_table(draft.origin.table), letter.claim.level)
    assert meter is not None, "the claim was checked"
    queue_all(draft, one, (letter.claim,), split=OUTSIDE if hits_share_equally(draft, meter.terms.name) else 1)


def _held_after_all(draft: Draft, one: Round, claim: Claim) -> Round:
    """Where a reading lets the bets of a claiming round wait for its claims, those of this one do so from here on."""
    rates = {rate.meter: rate for rate in one.rates}
    names = [name for name in meters_that_wait(draft, (claim,)) if name in rates]
    if not names or not one.contributions:
        return one
    for name in names:
        why = "Its round claims a jackpot after all: the bets wait for the claim."
        take_off(draft, name, one, one.contributions, why, claim.claim)
        draft.move(meters.pend(draft.meter(name), stake_of(one)), claim.claim)
    kept = tuple(rate for rate in one.rates if rate.meter not in names)
    one = one._replace(held=(*one.held, *names), rates=kept)
    draft.standing = with_round(draft.standing, one)
    return one


# --- valuing -----------------------------------------------------------------------------------------


def value_next(draft: Draft) -> None:
    """On each meter that is not frozen, the first claim is valued when no earlier round is still open."""
    if not draft.standing.claims:
        return
    for meter in draft.standing.meters:
        claim = turn_on(draft.standing, draft.context, meter.terms.name).first
        if claim is None or claim.valuation is not None:
            continue
        if not claim.released and waits(draft.standing, draft.context, claim):
            continue
        bring_in(draft, claim.meter)
        for part in _parts(draft, claim):
            value_claim(draft, part, draft.meter(part.meter).display)
    draft.valued.sort(key=lambda one: one.place)  # told in the order in which they were dealt and claimed


def _parts(draft: Draft, claim: OpenClaim) -> tuple[OpenClaim, ...]:
    """The claims that share one value equally; without such a reading the claim alone."""
    if claim.split <= 1:
        return (claim,)
    return tuple(one for one in draft.standing.claims if _same_split(one, claim))


def _same_split(one: OpenClaim, other: OpenClaim) -> bool:
    """A claim outside the split has its own."""
    return (*one[:3], one.meter, one.split) == (*other[:3], other.meter, other.split)


def value_claim(draft: Draft, claim: OpenClaim, value_micro: int) -> None:
    share = (claim.share_num, claim.share_den) if claim.split <= 1 else (1, claim.split)
    award = meters.award_of(value_micro, *share, draft.meter(claim.meter).terms.fractional_cent)
    valued = claim._replace(valuation=Valuation(value_micro, award))
    draft.standing = with_claim(draft.standing, valued)
    entry = Entry(Kind.VALUED, claim.table, claim.nonce, claim.round, claim.claim, claim.meter)
    detail = "Late." if claim.late else ""
    draft.entries.append(entry._replace(amount=value_micro, at_wall_ns=draft.at_wall_ns, detail=detail))
    draft.valued.append(valued)


# --- resolving ---------------------------------------------------------------------------------------


def confirm(draft: Draft, letter: ClaimConfirmedLetter) -> None:
    claim = draft.claim_or_refuse(letter.claim)
    if letter.by_registered_value:
        _check_registered_award(draft, claim, letter)
    else:
        _check_award(claim, letter)
    kind = Kind.AWARDED_AS_REGISTERED if letter.by_registered_value else Kind.AWARDED
    pay_claim(draft, claim, letter.award_minor, kind, f"Confirmed by {letter.person}.")


def _check_award(claim: OpenClaim, letter: ClaimConfirmedLetter) -> None:
    if claim.valuation is None:
        raise RefusedError(f"The claim {claim.claim} is not valued yet and cannot be confirmed.")
    if claim.valuation.award_minor != letter.award_minor:
        expected = claim.valuation.award_minor
        raise RefusedError(f"The claim {claim.claim} is confirmed at {letter.award_minor} but valued at {expected}.")


def _check_registered_award(draft: Draft, claim: OpenClaim, letter: ClaimConfirmedLetter) -> None:
    most = max(most_registered_minor(draft, claim), claim.accepted_minor)
    if letter.award_minor > most:
        raise RefusedError(
            f"The claim {claim.claim} is confirmed by registered value at {letter.award_minor}, where its share of the "
            f"meter {claim.meter!r} can be {most} at most: if it was paid so, two persons accept it "
            "(AcceptStatedAward), and the letter is taken when it comes again."
        )


def most_registered_minor(draft: Draft, claim: OpenClaim) -> int:
    """Which value a table had registered, only its journal says; but it can be no more than the meter had shown it. By
    one reading the round's own bets are added to that."""
    one = round_of_claim(draft.standing, claim)
    meter = draft.meter(claim.meter)
    own_micro = growth_micro(stake_of(one), meter.terms.rate_bp)
    shown = [found.micro for found in one.shown if found.meter == claim.meter]
    if not shown:  # of a round that was locked before this was kept
        journal = journal_of(draft.standing, Origin(claim.table, claim.nonce))
        shown = [found.micro for found in most_shown(draft.standing, journal._replace(peaks=None), (meter,))]
    share = (1, 1) if claim.split > 1 else (claim.share_num, claim.share_den)  # a part is one of the whole value
    return meters.award_of(max(shown) + own_micro, *share) + 1  # however the fraction is rounded


def pay_claim(draft: Draft, claim: OpenClaim, award_minor: int, kind: Kind, detail: str) -> None:
    meter = draft.meter(claim.meter)
    frozen_for = valued_claim_on(draft.standing, claim.meter)
    is_part = claim.split > 1 and (claim.valuation is not None or frozen_for is None)
    draft.standing = without_claim(draft.standing, claim)
    _record_hit(draft, claim, award_minor, is_part=is_part)
    if claim.late:
        detail += " Late."
    if is_part:
        draft.move(meters.pay_part(meter, award_minor, kind), claim.claim, detail)
        _end_split(draft, claim, paid_now=True)
    elif frozen_for is None or frozen_for == claim:
        whole = claim.share_num == claim.share_den
        draft.move(meters.pay(meter, award_minor, whole, kind), claim.claim, detail)
        if come_with_the_seed(draft) and meters.ends_cycle(meter.terms, whole):
            take_up_terms(draft, claim.meter)
        draft.move(meters.begin_cycle(draft.meter(claim.meter), whole), claim.claim, detail)
        bring_in(draft, claim.meter)
    else:
        draft.move(meters.pay_beside(meter, award_minor, kind), claim.claim, detail)
        draw_from_lots(draft, claim.meter, meter.bucket - draft.meter(claim.meter).bucket)
    one = round_of_claim(draft.standing, claim)
    paid = (*one.paid_claims, claim.claim)
    draft.standing = with_round(
        draft.standing, one._replace(paid_claims=paid, awards_minor=one.awards_minor + award_minor)
    )
    _settle_held(draft, claim)
    if not come_with_the_seed(draft):
        take_up_terms(draft, claim.meter)


def _record_hit(draft: Draft, claim: OpenClaim, award_minor: int, *, is_part: bool) -> None:
    one = round_of_claim(draft.standing, claim)
    hits = [hit.number for hit in draft.standing.hits if hit.meter == claim.meter]
    value_micro = 0 if claim.valuation is None else claim.valuation.value_micro
    number = max(hits, default=draft.meter(claim.meter).hits) + 1
    who = (claim.table, claim.nonce, claim.round, claim.claim)
    dealt = claim.moment if one.dealt is None else one.dealt
    hit = Hit(
        claim.meter, number, *who, value_micro, award_minor, draft.at_wall_ns, claim.moment, dealt, claim.late, is_part
    )
    draft.standing = with_hit(draft.standing, hit)


def _paid_of(draft: Draft, claim: OpenClaim) -> list[Hit]:
    """What the round of a claim was paid from its meter."""
    who = (*claim[:3], claim.meter)
    return [hit for hit in draft.standing.hits if (hit.table, hit.nonce, hit.round, hit.meter) == who]


def _end_split(draft: Draft, claim: OpenClaim, *, paid_now: bool) -> None:
    """Parts are valued together, or were paid by a registered value, which the hit does not know."""
    if any(_same_split(one, claim) for one in draft.standing.claims):
        return
    values = (0,) if claim.valuation is None else (0, claim.valuation.value_micro)
    paid = sum(hit.part and hit.value_micro in values for hit in _paid_of(draft, claim))
    if paid:
        if come_with_the_seed(draft):
            take_up_terms(draft, claim.meter)
        draft.move(meters.end_split(draft.meter(claim.meter), paid_now and paid == claim.split), claim.claim)
    bring_in(draft, claim.meter)


def deny(draft: Draft, letter: ClaimDeniedLetter) -> None:
    claim = draft.claim_or_refuse(letter.claim)
    resolve_unpaid(draft, claim, Kind.DENIED, f"Denied by {letter.person}: {letter.reason}")


def resolve_unpaid(draft: Draft, claim: OpenClaim, kind: Kind, detail: str) -> None:
    draft.standing = without_claim(draft.standing, claim)
    draft.write(kind, claim.claim, claim.meter, detail=detail)
    leave_meter(draft, claim)
    _settle_held(draft, claim)
    if not come_with_the_seed(draft) and claim.split > 1 and claim.valuation is not None and _paid_of(draft, claim):
        take_up_terms(draft, claim.meter)  # this was the last part of a hit


def leave_meter(draft: Draft, claim: OpenClaim) -> None:
    """What had waited for a claim that this meter will not pay, and that is gone from its queue already."""
    if claim.split > 1 and (claim.valuation is not None or valued_claim_on(draft.standing, claim.meter) is None):
        _end_split(draft, claim, paid_now=False)
    else:
        bring_in(draft, claim.meter)
    group(draft, round_of_claim(draft.standing, claim), claim.meter)


# --- what waited for the claims ----------------------------------------------------------------------


def meters_that_wait(draft: Draft, claims: tuple[Claim, ...]) -> tuple[str, ...]:
    """The meters that take the bets of a claiming round only after its claims, or not at all."""
    if not claims:
        return ()
    return tuple(
        meter.terms.name
        for meter in draft.link_meters()
        if meter.terms.increment_timing is not IncrementTiming.BEFORE_SETTLEMENT
    )


def _settle_held(draft: Draft, claim: OpenClaim) -> None:
    one = round_of_claim(draft.standing, claim)
    if not one.held or any(other[:3] == one[:3] for other in draft.standing.claims):
        return
    not_added = [name for name in one.held if one.paid_claims and _adds_only_if_not_won(draft.meter(name))]
    # Only what is committed has rates: of what was dropped, nothing can be taken back.
    rates = tuple(meters.rates_of(draft.meter(name)) for name in one.held if name not in not_added)
    draft.standing = with_round(draft.standing, one._replace(held=(), rates=(*one.rates, *rates)))
    for name in one.held:
        meter = draft.meter(name)
        if name in not_added:
            moved = meters.add_nothing(meter, stake_of(one))
            draft.move(moved, detail=ADDS_NOTHING)
            if not moved.movements:  # at a rate of nought; the books must know it when the rate is another
                draft.write(Kind.ADDED_NOTHING, meter=name, detail=ADDS_NOTHING)
        else:
            commit(draft, round_of_claim(draft.standing, claim), (meter,))


def _adds_only_if_not_won(meter: meters.Meter) -> bool:
    return meter.terms.increment_timing is IncrementTiming.ONLY_IF_NOT_WON
