"""Letters against a standing: contributions pend, commit or drop; claims queue and are valued. Pure: `receive` gives
a draft with the next standing, the entries that lead to it and the claims that it has valued, or a refusal that changes
nothing. It reads no clock, keeps no file and sends nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from felt.jackpot import claims, corrections, meters
from felt.jackpot.draft import Context, Draft, RefusedError, listed
from felt.jackpot.meters import Kind
from felt.jackpot.next_cycle import commit, take_off
from felt.jackpot.order import passed_over_by
from felt.jackpot.registrable import most_shown
from felt.jackpot.standing import (
    Entry,
    Journal,
    Origin,
    Round,
    RoundStage,
    Standing,
    journal_of,
    round_as_committed,
    round_as_dealt,
    stake_of,
    with_journal,
    with_round,
    with_rounds_of,
)
from felt.jackpot.terms import TOTAL_MICRO_MAX
from felt.letters.from_table import (
    BetsReturnedLetter,
    ClaimConfirmedLetter,
    ClaimDeniedLetter,
    HitReportedLetter,
    Letter,
    RoundDealtLetter,
    RoundEndedLetter,
    RoundLockedLetter,
    RoundResultLetter,
    RoundVoidedLetter,
)
from felt.nouns.stamps import Stamp
from felt.nouns.values import parts_of

# So begin the alarms of which the table is told too, with the answer to its totals.
TOTALS_DIFFER = "Totals of the round differ"
CLAIMS_LEFT = "The table ended the round while its claims"
TOLD_TO_TABLE = (TOTALS_DIFFER, CLAIMS_LEFT)


# Asked for with every letter; on Python 3.11 an enumeration takes its time to find a member.
_PENDING, _COMMITTED, _DROPPED = RoundStage.PENDING, RoundStage.COMMITTED, RoundStage.DROPPED


def receive(standing: Standing, context: Context, origin: Origin, journal: Journal, letter: Letter) -> Draft:
    """`journal` is the origin's, up to this letter."""
    heard = _with_next(journal, letter)
    draft = Draft(with_journal(standing, heard), context, origin, letter.round, stamp_of(letter).wall_ns)
    _RECEIVERS[type(letter)](draft, letter)
    # A round that begins, or is dealt, or has ended can make a claim wait and never ends its waiting; only a table that
    # begins another journal does, with whatever letter.
    if draft.standing.claims and (isinstance(letter, _RESOLVING) or heard.highest == 1):
        claims.value_next(draft)
    return draft


def look_again(standing: Standing, context: Context) -> Draft:
    """Time has passed, or a clock is known better: a claim may have its turn now."""
    draft = Draft(standing, context, Origin("", ""), 0, context.now.wall_ns)
    claims.value_next(draft)
    return draft


def supersede(standing: Standing, origin: Origin) -> tuple[Standing, tuple[Entry, ...]]:
    """A table begins another journal. The rounds of its former ones stay pending, and no claim waits for them. Money
    that is left behind is an alarm: whoever deleted a journal must answer for it."""
    former = [one for one in standing.journals.of(origin.table) if one.nonce != origin.nonce]
    for journal in former:
        standing = with_journal(standing, journal._replace(superseded=True))
    begun = max((journal.begun for journal in former), default=-1) + 1
    standing = with_journal(standing, journal_of(standing, origin)._replace(begun=begun))
    if not former:
        return standing, ()
    left = [one for one in standing.rounds.of(origin.table) if one.stage is RoundStage.PENDING]
    open_claims = [one.claim for one in standing.claims if one.table == origin.table]
    detail = (
        f"The table was born again with a new journal; rounds of the former one without a result: "
        f"{listed(one.number for one in left)}, with {sum(map(stake_of, left))} staked; open claims: "
        f"{listed(open_claims)}."
    )
    kind = Kind.ALARM if left or open_claims else Kind.NOTED
    return standing, (Entry(kind, *origin, detail=detail),)


# --- the life of a round -----------------------------------------------------------------------------


def _with_next(journal: Journal, letter: Letter) -> Journal:
    table, nonce, highest, last_round, superseded, begun, peaks = journal
    if isinstance(letter, RoundLockedLetter):
        if letter.round <= last_round:
            raise RefusedError(f"Round {letter.round} was locked after round {last_round}: rounds only count up.")
        last_round = letter.round
    return Journal(table, nonce, highest + 1, last_round, superseded, begun, peaks)


def _lock(draft: Draft, letter: RoundLockedLetter) -> None:
    kept = _not_finished(draft)
    raised = draft.link_meters()
    _check_reasonable(draft, letter, raised)
    table, nonce = draft.origin
    journal = journal_of(draft.standing, draft.origin)
    shown = most_shown(draft.standing, journal, raised)
    draft.standing = with_journal(draft.standing, journal._replace(peaks=()))
    locked = Round(
        table, nonce, letter.round, letter.contributions, draft.context.now, begun=journal.begun, shown=shown
    )
    draft.standing = with_rounds_of(draft.standing, table, (*kept, locked))
    stake_minor = stake_of(locked)
    draft.move_all([meters.pend(meter, stake_minor) for meter in raised])


def _not_finished(draft: Draft) -> list[Round]:
    """The table's rounds without those of this journal that have no open claim: no letter can change them any more."""
    table, nonce = draft.origin
    open_claims = draft.standing.claims
    claimed = [one[:3] for one in open_claims] if open_claims else ()
    kept = []
    for one in draft.standing.rounds.of(table):
        if one.nonce == nonce and one.stage is _PENDING:
            raise RefusedError(
                f"Round {draft.round} was locked while round {one.number} has neither a result nor a void."
            )
        if one.nonce != nonce or one[:3] in claimed:
            kept.append(one)
    return kept


def _check_reasonable(draft: Draft, letter: RoundLockedLetter, raised: tuple[meters.Meter, ...]) -> None:
    """More bets than there are seats, or a bet that no chip of this game can be, raises nothing."""
    if len(letter.contributions) > draft.context.procedure.bets_max:
        most = draft.context.procedure.bets_max
        raise RefusedError(
            f"Round {letter.round} has {len(letter.contributions)} progressive bets where {most} are the most: "
            "unreasonable contributions are not taken."
        )
    for meter in raised:
        threshold = meter.terms.threshold_minor
        over = [bet for bet in letter.contributions if threshold < bet.stake_minor] if threshold else ()
        if over:
            raise RefusedError(
                f"Seat {over[0].seat} of round {letter.round} stakes {over[0].stake_minor}, above the threshold of "
                f"{threshold} of the meter {meter.terms.name!r}: unreasonable contributions are not taken."
            )
        if meters.total_micro(meter) + meter.pending > TOTAL_MICRO_MAX:
            raise RefusedError(
                f"The meter {meter.terms.name!r} holds more than {TOTAL_MICRO_MAX} micro-units: nothing is added to it."
            )


def _deal(draft: Draft, letter: RoundDealtLetter) -> None:
    one = draft.round_or_refuse()
    if one.stage not in (_PENDING, _DROPPED) or one.dealt is not None:
        raise RefusedError(f"Round {letter.round} was dealt already.")
    table, at = draft.origin.table, letter.dealt_at
    dealt = draft.context.moment(table, at.boot, at.mono_ns)
    seats = tuple(hand.seat for hand in letter.hands)
    last_cards = [(hand.last_card_ns, hand.uncertain_ns) for hand in letter.hands]
    mono_ns, uncertain_ns = min(last_cards, default=(at.mono_ns, 0))
    first_hand = draft.context.moment(table, at.boot, mono_ns, uncertain_ns)
    draft.standing = with_round(draft.standing, round_as_dealt(one, dealt, first_hand, seats))


def _decide(draft: Draft, letter: RoundResultLetter) -> None:
    one = draft.round_or_refuse()
    if one.stage is _DROPPED:
        one = _taken_up_again(draft, one)
    if one.stage is not _PENDING:
        raise RefusedError(f"Round {letter.round} is {one.stage} already and cannot have a result.")
    one = _without_returned(draft, one, letter)
    for claim in letter.claims:
        claims.check_claim(draft, one, claim)
    if one.dealt is None:
        at = letter.decided_at
        one = one._replace(dealt=draft.context.moment(draft.origin.table, at.boot, at.mono_ns))
    held = claims.meters_that_wait(draft, letter.claims)
    raised = draft.link_meters()
    if held:
        raised = tuple(meter for meter in raised if meter.terms.name not in held)
    rates = tuple(map(meters.rates_of, raised)) if one.contributions else ()
    one = round_as_committed(one, rates, held)
    draft.standing = with_round(draft.standing, one)
    _commit(draft, raised, one)
    if letter.claims:
        claims.queue_all(draft, one, letter.claims)


def _taken_up_again(draft: Draft, one: Round) -> Round:
    """Persons gave the round up, and its table speaks of it after all: it counts, in the present cycle."""
    for meter in draft.link_meters():
        draft.move(meters.pend(meter, stake_of(one)), detail="Late: the round had been dropped by the house.")
    return one._replace(stage=_PENDING)


def _commit(draft: Draft, raised: tuple[meters.Meter, ...], one: Round) -> None:
    standing, context, late = draft.standing, draft.context, []
    if standing.claims or standing.hits:
        for meter in raised:
            passed_over = passed_over_by(standing, context, meter.terms.name, one)
            late.append(f"Late: dealt before claim {passed_over}, which was valued without it." if passed_over else "")
    commit(draft, one, raised, tuple(late))


def _without_returned(draft: Draft, one: Round, letter: RoundResultLetter) -> Round:
    """What boxes had pending whose bets went back is dropped; the rest is the round."""
    if not letter.returned:
        return one
    for seat in letter.returned:
        if all(contribution.seat != seat for contribution in one.contributions):
            raise RefusedError(f"The bets of seat {seat} went back, which has no accepted progressive bet.")
    kept = one._replace(contributions=tuple(bet for bet in one.contributions if bet.seat not in letter.returned))
    for meter in draft.link_meters():
        detail = f"Bets returned: seats {listed(letter.returned)}."
        draft.move(meters.drop(meter, stake_of(one) - stake_of(kept)), detail=detail)
    return kept


def _void(draft: Draft, letter: RoundVoidedLetter) -> None:
    why = f"Void by {letter.person} ({letter.rule}): {letter.reason}"
    if letter.round > journal_of(draft.standing, draft.origin).last_round:
        draft.write(Kind.NOTED, detail=f"{why}; the round was never locked and has nothing to drop.")
        return
    one = draft.round_or_refuse()
    if one.stage is RoundStage.VOIDED:
        raise RefusedError(f"Round {letter.round} is void already.")
    if one.stage is _DROPPED:
        draft.write(Kind.NOTED, detail=f"{why}; the house had dropped what pended.")
        draft.standing = with_round(draft.standing, one._replace(stage=RoundStage.VOIDED))
        return
    if one.paid_claims:
        raise RefusedError(f"Round {letter.round} cannot be void: its claim {one.paid_claims[0]} is paid.")
    committed = one.stage is _COMMITTED
    if letter.after_result != committed:
        draft.write(Kind.ALARM, detail="The void and the ledger do not agree on whether the round had its result.")
    if committed:
        take_back(draft, one, why)
    else:
        drop_pending(draft, one, RoundStage.VOIDED, why)


def drop_pending(draft: Draft, one: Round, stage: RoundStage, why: str) -> None:
    draft.standing = with_round(draft.standing, one._replace(stage=stage))
    for meter in draft.link_meters():
        draft.move(meters.drop(meter, stake_of(one)), detail=why)


def take_back(draft: Draft, one: Round, why: str) -> None:
    """A result is corrected: what its round had raised is lowered by a typed record, and its claims are withdrawn. In
    this order, for with the claims the bets of others come in that had waited for them, and those are not its own."""
    held, known = one.held, [rate.meter for rate in one.rates]
    draft.standing = with_round(draft.standing, one._replace(stage=RoundStage.VOIDED, held=()))
    for meter in draft.link_meters():
        name = meter.terms.name
        if name in held:
            draft.move(meters.drop(meter, stake_of(one)), detail=why)
        elif name in known:
            take_off(draft, name, one, one.contributions, why)
    for claim in draft.standing.claims:
        if claim[:3] == one[:3]:
            claims.resolve_unpaid(draft, claim, Kind.WITHDRAWN, why)


def _end(draft: Draft, letter: RoundEndedLetter) -> None:
    """Both sides' totals must agree, and no claim may be left that one side alone knows: a break is named to both, and
    nothing is changed by it."""
    known = (0, 0, 0)
    if letter.round <= journal_of(draft.standing, draft.origin).last_round:
        one = draft.round_or_refuse()
        if one.stage is _PENDING:
            raise RefusedError(f"Round {letter.round} ended with neither a result nor a void.")
        if one.stage is _COMMITTED:
            known = (stake_of(one), one.awards_minor, len(one.contributions))
    told = (letter.contributions_minor, letter.awards_minor, letter.accepted)
    if told != known:
        detail = f"{TOTALS_DIFFER} (stakes, awards, bets): the table says {told}, the ledger {known}."
        draft.write(Kind.ALARM, detail=detail)
    open_claims = draft.standing.claims
    left = [one.claim for one in open_claims if one[:3] == (*draft.origin, letter.round)] if open_claims else ()
    if left:
        detail = f"{CLAIMS_LEFT} {listed(left)} are open: keep the layout as it is."
        draft.write(Kind.ALARM, detail=detail)


def stamp_of(letter: Letter) -> Stamp:
    return next(part for part in parts_of(letter).values() if isinstance(part, Stamp))


_RESOLVING = (RoundResultLetter, HitReportedLetter, ClaimConfirmedLetter, ClaimDeniedLetter, RoundVoidedLetter)
_RECEIVERS: dict[type, Callable[[Draft, Any], None]] = {
    RoundLockedLetter: _lock,
    RoundDealtLetter: _deal,
    RoundResultLetter: _decide,
    ClaimConfirmedLetter: claims.confirm,
    HitReportedLetter: claims.take_reported,
    BetsReturnedLetter: corrections.take_back_bets,
    ClaimDeniedLetter: claims.deny,
    RoundVoidedLetter: _void,
    RoundEndedLetter: _end,
}
