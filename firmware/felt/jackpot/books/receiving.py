"""Letters against a standing: contributions pend, commit or drop; hits queue and are valued. Pure: `receive` gives a
draft with the next standing, the entries that lead to it and the claims that it has valued, or a refusal that changes
nothing. It reads no clock, keeps no file and sends nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from felt.jackpot.books import corrections, hits, queue
from felt.jackpot.books import meter as meters
from felt.jackpot.books.accounts import Code, Entry
from felt.jackpot.books.draft import Context, Draft, RefusedError, listed
from felt.jackpot.books.order import passed_over_by
from felt.jackpot.books.standing import (
    JOURNALS_KEPT,
    Journal,
    Origin,
    Round,
    RoundStage,
    Standing,
    journal_of,
    with_journal,
    with_round,
    with_rounds_of,
)
from felt.jackpot.books.terms import TOTAL_MICRO_MAX
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
from felt.nouns.values import parts_of, replace

JOURNALS_MAX = 64  # of one table, with rounds that somebody must account for


def receive(standing: Standing, context: Context, origin: Origin, journal: Journal, letter: Letter) -> Draft:
    """`journal` is the origin's, up to this letter."""
    journal = _with_next(journal, letter)
    draft = Draft(with_journal(standing, journal), context, origin, letter.round, stamp_of(letter).wall_ns)
    if isinstance(letter, RoundLockedLetter):
        _lock(draft, letter)
    else:
        _RECEIVERS[type(letter)](draft, letter)
    # A round that begins, or is dealt, or has ended can make a hit wait and never ends its waiting; only a table that
    # begins another journal does, with whatever letter.
    if draft.standing.claims and (isinstance(letter, _RESOLVING) or journal.highest == 1):
        hits.value_next(draft)
    return draft


def look_again(standing: Standing, context: Context) -> Draft:
    """Time has passed, or a clock is known better: a hit may have its turn now."""
    draft = Draft(standing, context, Origin("", ""), 0, context.now.wall_ns)
    hits.value_next(draft)
    return draft


def supersede(standing: Standing, origin: Origin) -> tuple[Standing, tuple[Entry, ...]]:
    """A table begins another journal. The rounds of its former ones stay pending, and no hit waits for them. Money that
    is left behind is an alarm: whoever deleted a journal must answer for it."""
    former = [journal for journal in standing.journals.get(origin.table, ()) if journal.nonce != origin.nonce]
    if len(former) >= JOURNALS_MAX:
        raise RefusedError(
            f"Table {origin.table} has left {len(former)} journals with rounds that nobody has accounted for: have "
            "them dropped or settled at the controller, and renew its key if it did not begin them."
        )
    for journal in former:
        standing = with_journal(standing, replace(journal, superseded=True))
    begun = max((journal.begun for journal in former), default=-1) + 1
    standing = with_journal(standing, replace(journal_of(standing, origin), begun=begun))
    if not former:
        return standing, ()
    own = standing.rounds.get(origin.table, ())
    left = [played for played in own if played.stage is RoundStage.PENDING]
    open_claims = [claim.claim for claim in standing.claims if claim.table == origin.table]
    detail = (
        f"The table was born again with a new journal; rounds of the former one without a result: "
        f"{listed(played.number for played in left)}, with {sum(played.stake for played in left)} staked; open claims: "
        f"{listed(open_claims)}."
    )
    code = Code.ALARM if left or open_claims else Code.NOTED
    return _forget_old_journals(standing, origin), (Entry(code, origin.table, origin.nonce, detail=detail),)


def _forget_old_journals(standing: Standing, origin: Origin) -> Standing:
    """Of those that the table has left, the oldest of which nothing is open: they cannot be reinstated any more."""
    own, rounds = standing.journals[origin.table], standing.rounds.get(origin.table, ())
    busy = {played.nonce for played in rounds if played.stage is RoundStage.PENDING}
    busy |= {claim.nonce for claim in standing.claims if claim.table == origin.table}
    left = sorted((journal for journal in own if journal.superseded), key=lambda journal: journal.begun)
    gone = {journal.nonce for journal in left[:-JOURNALS_KEPT] if journal.nonce not in busy}
    if not gone:
        return standing
    journals = tuple(journal for journal in own if journal.nonce not in gone)
    standing = replace(standing, journals={**standing.journals, origin.table: journals})
    return with_rounds_of(standing, origin.table, tuple(played for played in rounds if played.nonce not in gone))


# --- the life of a round -----------------------------------------------------------------------------


def _with_next(journal: Journal, letter: Letter) -> Journal:
    last_round = journal.last_round
    if isinstance(letter, RoundLockedLetter):
        if letter.round <= last_round:
            raise RefusedError(f"Round {letter.round} was locked after round {last_round}: rounds only count up.")
        last_round = letter.round
    return replace(journal, highest=journal.highest + 1, last_round=last_round)


def _lock(draft: Draft, letter: RoundLockedLetter) -> None:
    kept = _not_finished(draft)
    raised = draft.link_meters()
    _check_reasonable(draft, letter, raised)
    table, nonce = draft.origin.table, draft.origin.nonce
    journal = _with_registered(draft, letter)
    tops = {meter.name: meters.highest_since(meter, journal.edition) for meter in raised}
    locked = Round(table, nonce, letter.round, letter.contributions, draft.context.now, journal.begun, tops)
    draft.standing = with_rounds_of(draft.standing, table, (*kept, locked))
    for meter in raised:
        draft.move(meters.pend(meter, locked.stake))


def _with_registered(draft: Draft, letter: RoundLockedLetter) -> Journal:
    """The journal with what its table says to have registered: never older than for a lock before."""
    own = draft.standing.journals[draft.origin.table]
    edition = max(letter.edition, *(journal.edition for journal in own))
    journal = replace(journal_of(draft.standing, draft.origin), edition=edition)
    draft.standing = with_journal(draft.standing, journal)
    return journal


def _not_finished(draft: Draft) -> list[Round]:
    """The table's rounds without those of this journal that have no open hit: no letter can change them any more."""
    nonce = draft.origin.nonce
    claimed = {claim.round_key for claim in draft.standing.claims}
    kept = []
    for played in draft.standing.rounds.get(draft.origin.table, ()):
        if played.nonce == nonce and played.stage is RoundStage.PENDING:
            raise RefusedError(
                f"Round {draft.round} was locked while round {played.number} has neither a result nor a void."
            )
        if played.nonce != nonce or played.key in claimed:
            kept.append(played)
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
                f"{threshold} of the meter {meter.name!r}: unreasonable contributions are not taken."
            )
        if meters.total_micro(meter) + meter.pending > TOTAL_MICRO_MAX:
            raise RefusedError(
                f"The meter {meter.name!r} holds more than {TOTAL_MICRO_MAX} micro-units: nothing is added to it."
            )


def _deal(draft: Draft, letter: RoundDealtLetter) -> None:
    played = draft.round_or_refuse()
    if played.stage not in (RoundStage.PENDING, RoundStage.DROPPED) or played.dealt is not None:
        raise RefusedError(f"Round {letter.round} was dealt already.")
    table, at = draft.origin.table, letter.dealt_at
    last_cards = [(hand.last_card_ns, hand.uncertain_ns) for hand in letter.hands]
    mono_ns, uncertain_ns = min(last_cards, default=(at.mono_ns, 0))
    dealt = replace(
        played,
        dealt=draft.context.moment(table, at.boot, at.mono_ns),
        first_hand=draft.context.moment(table, at.boot, mono_ns, uncertain_ns),
        seats=tuple(hand.seat for hand in letter.hands),
    )
    draft.standing = with_round(draft.standing, dealt)


def _decide(draft: Draft, letter: RoundResultLetter) -> None:
    played = draft.round_or_refuse()
    if played.stage is RoundStage.DROPPED:
        played = _taken_up_again(draft, played)
    if played.stage is not RoundStage.PENDING:
        raise RefusedError(f"Round {letter.round} is {played.stage} already and cannot have a result.")
    played = _without_returned(draft, played, letter)
    for claim in letter.claims:
        hits.check_claim(draft, played, claim)
    if played.dealt is None:
        at = letter.decided_at
        played = replace(played, dealt=draft.context.moment(draft.origin.table, at.boot, at.mono_ns))
    held, splits = hits.meters_that_wait(draft, letter.claims), hits.meters_that_split(draft, letter.claims)
    played = replace(played, stage=RoundStage.COMMITTED, held=held if played.contributions else (), splits=splits)
    draft.standing = with_round(draft.standing, played)
    if played.contributions:
        played = _commit(draft, played)
    if letter.claims:
        hits.queue_all(draft, played, letter.claims)


def _taken_up_again(draft: Draft, played: Round) -> Round:
    """Persons gave the round up, and its table speaks of it after all: it counts, in the present cycle."""
    for meter in draft.link_meters():
        draft.move(meters.pend(meter, played.stake), detail="Late: the round had been dropped by the house.")
    return replace(played, stage=RoundStage.PENDING)


def _commit(draft: Draft, played: Round) -> Round:
    waiting = [late.meter for late in played.held]
    for meter in draft.link_meters():
        if meter.name in waiting:
            continue
        passed_over = passed_over_by(draft.standing, draft.context, meter.name, played)
        late = f"Late: dealt before claim {passed_over}, which was valued without it." if passed_over else ""
        played = queue.commit(draft, played, meter, late)
    return played


def _without_returned(draft: Draft, played: Round, letter: RoundResultLetter) -> Round:
    """What boxes had pending whose bets went back is dropped; the rest is the round."""
    if not letter.returned:
        return played
    for seat in letter.returned:
        if all(contribution.seat != seat for contribution in played.contributions):
            raise RefusedError(f"The bets of seat {seat} went back, which has no accepted progressive bet.")
    kept = replace(played, contributions=tuple(bet for bet in played.contributions if bet.seat not in letter.returned))
    for meter in draft.link_meters():
        detail = f"Bets returned: seats {listed(letter.returned)}."
        draft.move(meters.drop(meter, played.stake - kept.stake), detail=detail)
    return kept


def _void(draft: Draft, letter: RoundVoidedLetter) -> None:
    why = f"Void by {letter.person} ({letter.rule}): {letter.reason}"
    if letter.round > journal_of(draft.standing, draft.origin).last_round:
        draft.write(Code.NOTED, detail=f"{why}; the round was never locked and has nothing to drop.")
        return
    played = draft.round_or_refuse()
    if played.stage is RoundStage.VOIDED:
        raise RefusedError(f"Round {letter.round} is void already.")
    if played.stage is RoundStage.DROPPED:
        draft.write(Code.NOTED, detail=f"{why}; the house had dropped what pended.")
        draft.standing = with_round(draft.standing, replace(played, stage=RoundStage.VOIDED))
        return
    if played.paid_claims:
        raise RefusedError(f"Round {letter.round} cannot be void: its claim {played.paid_claims[0]} is paid.")
    committed = played.stage is RoundStage.COMMITTED
    if letter.after_result != committed:
        draft.write(Code.ALARM, detail="The void and the ledger do not agree on whether the round had its result.")
    if committed:
        take_back(draft, played, why)
    else:
        drop_pending(draft, played, RoundStage.VOIDED, why)


def drop_pending(draft: Draft, played: Round, stage: RoundStage, why: str) -> None:
    draft.standing = with_round(draft.standing, replace(played, stage=stage))
    for meter in draft.link_meters():
        draft.move(meters.drop(meter, played.stake), detail=why)


def take_back(draft: Draft, played: Round, why: str) -> None:
    """A result is corrected: what its round had raised is lowered by a typed record, and its claims are withdrawn. In
    this order, for with the claims the bets of others move up that stood behind them, and those are not its own."""
    held, known = [late.meter for late in played.held], [share.meter for share in played.shares]
    draft.standing = with_round(draft.standing, replace(played, stage=RoundStage.VOIDED, held=()))
    for meter in draft.link_meters():
        if meter.name in held:
            draft.move(meters.drop(meter, played.stake), detail=why)
        elif meter.name in known:
            queue.take_off(draft, meter.name, played, played.contributions, why)
    for claim in draft.standing.claims:
        if claim.round_key == played.key:
            hits.resolve_unpaid(draft, claim, Code.WITHDRAWN, why)


def _end(draft: Draft, letter: RoundEndedLetter) -> None:
    """Both sides' totals must agree, and no claim may be left that one side alone knows: a break is named to both, and
    nothing is changed by it."""
    known = (0, 0, 0)
    if letter.round <= journal_of(draft.standing, draft.origin).last_round:
        played = draft.round_or_refuse()
        if played.stage is RoundStage.PENDING:
            raise RefusedError(f"Round {letter.round} ended with neither a result nor a void.")
        if played.stage is RoundStage.COMMITTED:
            known = (played.stake, played.awards_minor, len(played.contributions))
    told = (letter.contributions_minor, letter.awards_minor, letter.accepted)
    if told != known:
        _tell(
            draft, f"Totals of the round differ (stakes, awards, bets): the table says {told}, the ledger {known}."
        )
    still_open = [claim for claim in draft.standing.claims if claim.stated_minor is None]
    left = [claim.claim for claim in still_open if claim.round_key == draft.round_key]
    if left:
        _tell(draft, f"The table ended the round while its claims {listed(left)} are open: keep the layout as it is.")


def _tell(draft: Draft, sentence: str) -> None:
    """An alarm that the table hears too, with the answer to its totals."""
    draft.write(Code.ALARM, detail=sentence)
    draft.told_to_table.append(sentence)


def stamp_of(letter: Letter) -> Stamp:
    return next(part for part in parts_of(letter).values() if isinstance(part, Stamp))


_RESOLVING = (RoundResultLetter, HitReportedLetter, ClaimConfirmedLetter, ClaimDeniedLetter, RoundVoidedLetter)
_RECEIVERS: dict[type, Callable[[Draft, Any], None]] = {
    RoundDealtLetter: _deal,
    RoundResultLetter: _decide,
    ClaimConfirmedLetter: hits.confirm,
    HitReportedLetter: hits.take_reported,
    BetsReturnedLetter: corrections.take_back_bets,
    ClaimDeniedLetter: hits.deny,
    RoundVoidedLetter: _void,
    RoundEndedLetter: _end,
}
