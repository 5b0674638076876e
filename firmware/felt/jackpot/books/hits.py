"""Hits in the queues of their meters: claimed, valued one after another, paid or denied. Valuing freezes what the sign
shows; nothing is paid before a person has confirmed it. Pure: it changes a draft and says nothing."""

from __future__ import annotations

from felt.jackpot.books import meter as meters
from felt.jackpot.books import queue
from felt.jackpot.books.accounts import Code, Entry
from felt.jackpot.books.clocks import say_moment
from felt.jackpot.books.draft import Draft, RefusedError
from felt.jackpot.books.order import claim_passed_over_by, turn_on, waits
from felt.jackpot.books.standing import (
    OUTSIDE,
    ClaimKey,
    Held,
    Hit,
    OpenClaim,
    Round,
    RoundStage,
    Valuation,
    claim_of,
    meter_for,
    round_of_claim,
    with_claim,
    with_hit,
    with_meter,
    with_round,
    without_claim,
)
from felt.jackpot.books.terms import IncrementTiming, SameLevelHits
from felt.letters.from_table import Claim, ClaimConfirmedLetter, ClaimDeniedLetter, HitReportedLetter
from felt.nouns.ids import claim_id
from felt.nouns.money import MICRO_PER_MINOR, growth_micro
from felt.nouns.values import replace

ONE_SIDE_ONLY = "A hit that the table's settlement has not found"  # so begins the alarm

# --- making a claim ----------------------------------------------------------------------------------


def check_claim(draft: Draft, played: Round, claim: Claim) -> None:
    """A box has one claim in a round, and its name says so; another one only if persons have denied the first."""
    if meter_for(draft.standing, draft.context.link_of_table(draft.origin.table), claim.level) is None:
        raise RefusedError(f"The claim {claim.claim} is for a meter {claim.level!r}, which is not kept here.")
    if claim.claim != claim_id(played.number, claim.seat):
        raise RefusedError(
            f"The claim {claim.claim} is for seat {claim.seat} of round {played.number} and not named so."
        )
    if claim.seat not in [contribution.seat for contribution in played.contributions]:
        raise RefusedError(f"The claim {claim.claim} is for seat {claim.seat}, which has no accepted progressive bet.")
    if claim_of(draft.standing, ClaimKey(played.table, played.nonce, claim.claim)) is not None:
        raise RefusedError(f"The claim {claim.claim} is open already.")
    if claim.claim in played.paid_claims:
        raise RefusedError(f"The claim {claim.claim} is paid already: a box is paid a jackpot once in a round.")


def queue_all(draft: Draft, played: Round, claims: tuple[Claim, ...]) -> None:
    """The claims of one result, in the order in which their hands were dealt. Only whole hits share a value."""
    made = [_made(draft, played, claim) for claim in claims]
    _join(
        draft, played, [replace(claim, split=1 if _shares(played, claim) else _alone(played, claim)) for claim in made]
    )
    for claim in made:
        late = mark_late(draft, claim.key)
        draft.write(Code.CLAIMED, claim.claim, claim.meter, detail=f"{_said(claim)} {late}".rstrip())


def _shares(played: Round, claim: OpenClaim) -> bool:
    return claim.meter in played.splits and claim.is_whole


def _alone(played: Round, claim: OpenClaim) -> int:
    return OUTSIDE if claim.meter in played.splits else 1


def _join(draft: Draft, played: Round, claims: list[OpenClaim]) -> None:
    last = max((other.place for other in draft.standing.claims), default=0)
    queued = tuple(replace(claim, place=place) for place, claim in enumerate(claims, last + 1))
    draft.standing = replace(draft.standing, claims=(*draft.standing.claims, *queued))
    for name in dict.fromkeys(claim.meter for claim in queued):
        group(draft, played, name)


def mark_late(draft: Draft, key: ClaimKey) -> str:
    claim = claim_of(draft.standing, key)
    assert claim is not None, "it was just queued"
    passed_over = claim_passed_over_by(draft.standing, draft.context, claim)
    draft.standing = with_claim(draft.standing, replace(claim, late=bool(passed_over)))
    return f"Late: dealt before claim {passed_over}, which was valued first." if passed_over else ""


def group(draft: Draft, played: Round, name: str) -> None:
    """What the open hits of one round on one meter have from each other, each time that one comes or goes: the moment
    of the first hand, and by one reading an equal part of one value."""
    same = [claim for claim in draft.standing.claims if claim.round_key == played.key and claim.meter == name]
    if not same:
        return
    paid = [hit for hit in draft.standing.hits if hit.round_key == played.key and hit.meter == name]
    place_of = {claim_id(played.number, seat): place for place, seat in enumerate(played.seats)}
    hands = [(claim.deal_place, claim.moment) for claim in same]
    hands += [(place_of.get(hit.claim, len(played.seats)), hit.moment) for hit in paid]
    _, first = min(hands, key=lambda hand: (hand[0], hand[1].mono_ns))
    sharing = [claim for claim in same if claim.split != OUTSIDE and _shares(played, claim)]
    told = paid or any(claim.valuation is not None or claim.stated_minor is not None for claim in sharing)
    for claim in same:
        split = len(sharing) if sharing and not told and claim in sharing else claim.split
        draft.standing = with_claim(draft.standing, replace(claim, table_moment=first, split=split))


def _made(draft: Draft, played: Round, claim: Claim) -> OpenClaim:
    meter = meter_for(draft.standing, draft.context.link_of_table(draft.origin.table), claim.level)
    assert meter is not None and played.dealt is not None, "the claim was checked, and a decided round has its time"
    deal_place = played.seats.index(claim.seat) if claim.seat in played.seats else len(played.seats)
    moment = draft.context.moment(draft.origin.table, played.dealt.boot, claim.dealt_ns, claim.uncertain_ns)
    return OpenClaim(
        played.table, played.nonce, played.number, claim.claim, meter.name, claim.share_num, claim.share_den, 0,
        moment, moment, deal_place, draft.context.now, seat=claim.seat, rank=claim.rank, cards=claim.cards,
        dealer=claim.dealer, shoe=claim.shoe,
    )  # fmt: skip


def _said(claim: OpenClaim) -> str:
    return (
        f"Seat {claim.seat}, {claim.rank} ({' '.join(claim.cards)}), share {claim.share_num}/{claim.share_den}; "
        f"last card at {say_moment(claim.moment)}."
    )


def take_reported(draft: Draft, letter: HitReportedLetter) -> None:
    """Only persons saw the hit: an alarm, and a hit like any other, in the order in which its hand was dealt. But it
    stands outside where hits share one value: without a link its table cannot know whether they were told it."""
    played = draft.round_or_refuse()
    if played.stage is not RoundStage.COMMITTED:
        raise RefusedError(f"Round {letter.round} is {played.stage}: a hit is reported once the round has its result.")
    check_claim(draft, played, letter.claim)
    who = f"reported by {letter.reported_by}, claimed by {letter.person}"
    draft.write(Code.ALARM, letter.claim.claim, detail=f"{ONE_SIDE_ONLY}: {who}: {letter.evidence}.")
    played = _held_after_all(draft, played, letter.claim)
    made = _made(draft, played, letter.claim)
    _join(draft, played, [replace(made, split=_alone(played, made))])
    late = mark_late(draft, made.key)
    draft.write(Code.CLAIMED, made.claim, made.meter, detail=f"{_said(made)} {late}".rstrip())


def _held_after_all(draft: Draft, played: Round, claim: Claim) -> Round:
    """Where a reading lets the bets of a claiming round wait for its claims, those of this one do so from here on."""
    counted = [share.meter for share in played.shares]
    held = [late for late in meters_that_wait(draft, (claim,)) if late.meter in counted]
    if not held or not played.contributions:
        return played
    for late in held:
        why = "Its round claims a jackpot after all: the bets wait for the claim."
        queue.take_off(draft, late.meter, played, played.contributions, why, claim.claim)
        draft.move(meters.pend(draft.meter(late.meter), played.stake), claim.claim)
    names = [late.meter for late in held]
    kept = tuple(share for share in played.shares if share.meter not in names)
    played = replace(played, held=(*played.held, *held), shares=kept)
    draft.standing = with_round(draft.standing, played)
    return played


# --- valuing -----------------------------------------------------------------------------------------


def value_next(draft: Draft) -> None:
    """On each meter, the first hit is valued when no earlier round is still open. One that its table has paid already
    is paid by the meter now, and then the next has its turn."""
    if not draft.standing.claims:
        return
    for meter in draft.standing.meters:
        while _value_first(draft, meter.name):
            pass
    draft.valued.sort(key=lambda claim: claim.place)  # told in the order in which they were dealt and claimed


def _value_first(draft: Draft, name: str) -> bool:
    """Whether the turn is over already."""
    claim = turn_on(draft.standing, draft.context, name).first
    if claim is None or claim.valuation is not None:
        return False
    if not claim.released and waits(draft.standing, draft.context, claim):
        return False
    queue.move_up(draft, name)
    meter = meters.freeze(draft.meter(name), max(1, claim.split))
    draft.standing = with_meter(draft.standing, meter)
    boxes = [box for box in draft.standing.claims if _same_place(box, claim)]
    for box in boxes:
        if box.stated_minor is None:
            value_claim(draft, box, meter.display)
    for box in boxes:
        if box.stated_minor is not None:
            _pay_stated(draft, box, box.stated_minor)
    return draft.meter(name).frozen is None


def _same_place(claim: OpenClaim, other: OpenClaim) -> bool:
    """Equal parts are one place in the queue; any other hit has its own."""
    if other.split <= 1:
        return claim.place == other.place
    return (claim.round_key, claim.meter, claim.split) == (other.round_key, other.meter, other.split)


def value_claim(draft: Draft, claim: OpenClaim, value_micro: int) -> None:
    share = (claim.share_num, claim.share_den) if claim.split <= 1 else (1, claim.split)
    award = meters.award_of(value_micro, *share, draft.meter(claim.meter).terms.fractional_cent)
    valued = replace(claim, valuation=Valuation(value_micro, award))
    draft.standing = with_claim(draft.standing, valued)
    detail = "Late." if claim.late else ""
    draft.entries.append(
        Entry(
            Code.VALUED, claim.table, claim.nonce, claim.round, claim.claim, claim.meter, amount=value_micro,
            at_wall_ns=draft.at_wall_ns, detail=detail,
        )
    )  # fmt: skip
    draft.valued.append(valued)


# --- resolving ---------------------------------------------------------------------------------------


def confirm(draft: Draft, letter: ClaimConfirmedLetter) -> None:
    claim = draft.claim_or_refuse(letter.claim)
    if letter.by_registered_value:
        _check_stated_award(draft, claim, letter.award_minor)
        _state(draft, claim, letter)
        return
    if claim.valuation is None:
        raise RefusedError(f"The claim {claim.claim} is not valued yet and cannot be confirmed.")
    if claim.valuation.award_minor != letter.award_minor:
        expected = claim.valuation.award_minor
        raise RefusedError(f"The claim {claim.claim} is confirmed at {letter.award_minor} but valued at {expected}.")
    pay_claim(draft, claim, letter.award_minor, Code.AWARDED, letter.person, f"Confirmed by {letter.person}.")


def _check_stated_award(draft: Draft, claim: OpenClaim, award_minor: int) -> None:
    most = max(most_registered_minor(draft, claim), claim.accepted_minor)
    if award_minor > most:
        raise RefusedError(
            f"The claim {claim.claim} is confirmed by registered value at {award_minor}, where its share of the "
            f"meter {claim.meter!r} can be {most} at most: if it was paid so, two persons accept it "
            "(AcceptStatedAward), and the letter is taken when it comes again."
        )


def most_registered_minor(draft: Draft, claim: OpenClaim) -> int:
    """Its share of the most that the meter showed since its table was told what it registered, or of the reset value
    after another winner of its round; by one reading with the round's own bets; however it was rounded."""
    played, terms = round_of_claim(draft.standing, claim), draft.meter(claim.meter).terms
    top_micro = max(played.tops.get(claim.meter, 0), terms.reset_minor * MICRO_PER_MINOR)
    value_micro = top_micro + growth_micro(played.stake, terms.rate_bp)
    share = (1, 1) if claim.split > 1 else (claim.share_num, claim.share_den)  # a part is one of the whole value
    return meters.award_of(value_micro, *share) + 1


def _state(draft: Draft, claim: OpenClaim, letter: ClaimConfirmedLetter) -> None:
    """For its round the claim is resolved at once; the meter pays when the hit has its turn."""
    _count_for_round(draft, claim, letter.award_minor)
    stated = replace(claim, stated_minor=letter.award_minor, confirmed_by=letter.person)
    draft.standing = with_claim(draft.standing, stated)
    if claim.valuation is not None:
        _pay_stated(draft, stated, letter.award_minor)
    else:
        detail = f"Paid by its registered value, confirmed by {letter.person}; its meter pays when it has its turn."
        draft.write(Code.STATED, claim.claim, claim.meter, letter.award_minor * MICRO_PER_MINOR, detail)
    _settle_held(draft, claim)


def _pay_stated(draft: Draft, claim: OpenClaim, award_minor: int) -> None:
    speaking = draft.round_key
    draft.speak_of(claim.round_key)
    detail = f"Confirmed by {claim.confirmed_by}."
    _pay(draft, claim, award_minor, Code.AWARDED_AS_REGISTERED, claim.confirmed_by, detail)
    draft.speak_of(speaking)


def pay_claim(draft: Draft, claim: OpenClaim, award_minor: int, code: Code, person: str, detail: str) -> None:
    _count_for_round(draft, claim, award_minor)
    _pay(draft, claim, award_minor, code, person, detail)
    _settle_held(draft, claim)


def _count_for_round(draft: Draft, claim: OpenClaim, award_minor: int) -> None:
    played = round_of_claim(draft.standing, claim)
    paid = replace(
        played, paid_claims=(*played.paid_claims, claim.claim), awards_minor=played.awards_minor + award_minor
    )
    draft.standing = with_round(draft.standing, paid)


def _pay(draft: Draft, claim: OpenClaim, award_minor: int, code: Code, person: str, detail: str) -> None:
    draft.standing = without_claim(draft.standing, claim)
    _record_hit(draft, claim, award_minor, person)
    said = f"{detail} Late." if claim.late else detail
    last = _is_last(draft, claim)
    draft.move(
        meters.pay(draft.meter(claim.meter), award_minor, code, whole=claim.is_whole, last=last), claim.claim, said
    )
    queue.move_up(draft, claim.meter)


def _is_last(draft: Draft, claim: OpenClaim) -> bool:
    """Of the boxes of its place in the queue."""
    return not any(_same_place(other, claim) for other in draft.standing.claims)


def _record_hit(draft: Draft, claim: OpenClaim, award_minor: int, person: str) -> None:
    played = round_of_claim(draft.standing, claim)
    hit = Hit(
        claim.meter, draft.meter(claim.meter).hits + 1, claim.table, claim.nonce, claim.round, claim.claim,
        0 if claim.valuation is None else claim.valuation.value_micro, award_minor, draft.at_wall_ns, claim.moment,
        played.dealt or claim.moment, claim.late, claim.seat, claim.rank, claim.cards, claim.dealer, claim.shoe, person,
        played.stake,
    )  # fmt: skip
    draft.standing = with_hit(draft.standing, hit)


def deny(draft: Draft, letter: ClaimDeniedLetter) -> None:
    claim = draft.claim_or_refuse(letter.claim)
    resolve_unpaid(draft, claim, Code.DENIED, f"Denied by {letter.person}: {letter.reason}")


def resolve_unpaid(draft: Draft, claim: OpenClaim, code: Code, detail: str) -> None:
    draft.standing = without_claim(draft.standing, claim)
    draft.write(code, claim.claim, claim.meter, detail=detail)
    leave_queue(draft, claim)
    _settle_held(draft, claim)


def leave_queue(draft: Draft, claim: OpenClaim) -> None:
    """The two gaps around a hit that this meter will not pay, and that is gone from its queue already, become one."""
    if claim.valuation is not None and _is_last(draft, claim):
        draft.move(meters.resolve_unpaid(draft.meter(claim.meter)), claim.claim)
    queue.move_up(draft, claim.meter)
    group(draft, round_of_claim(draft.standing, claim), claim.meter)


# --- what waits for the claims -----------------------------------------------------------------------


def meters_that_wait(draft: Draft, claims: tuple[Claim, ...]) -> tuple[Held, ...]:
    """The meters that take the bets of a claiming round only after its claims, or not at all."""
    if not claims:
        return ()
    return tuple(
        Held(meter.name, meter.terms.increment_timing is IncrementTiming.ONLY_IF_NOT_WON)
        for meter in draft.link_meters()
        if meter.terms.increment_timing is not IncrementTiming.BEFORE_SETTLEMENT
    )


def meters_that_split(draft: Draft, claims: tuple[Claim, ...]) -> tuple[str, ...]:
    if not claims:
        return ()
    readings = [(meter.name, meter.terms.same_level_hits) for meter in draft.link_meters()]
    return tuple(name for name, reading in readings if reading is SameLevelHits.SPLIT_EQUALLY)


def _settle_held(draft: Draft, claim: OpenClaim) -> None:
    played = round_of_claim(draft.standing, claim)
    still_open = [other for other in draft.standing.claims if other.stated_minor is None]
    if not played.held or any(other.round_key == played.key for other in still_open):
        return
    held, played = played.held, replace(played, held=())
    draft.standing = with_round(draft.standing, played)
    speaking = draft.round_key
    draft.speak_of(played.key)
    for late in held:
        meter = draft.meter(late.meter)
        if late.only_if_not_won and played.paid_claims:
            draft.move(meters.add_nothing(meter, played.stake))
        else:
            played = queue.commit(draft, played, meter)
    draft.speak_of(speaking)
