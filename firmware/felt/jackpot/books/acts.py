"""What persons do at the controller: each act is typed, signed by one person or two, and reasoned. Pure: `perform`
gives a draft with the next standing and its entries, or a refusal in one sentence. Whether a person is who he says is
asked before, elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, TypeVar

from felt.jackpot.books import agreed, corrections, hits, receiving
from felt.jackpot.books import meter as meters
from felt.jackpot.books.accounts import Account, Code
from felt.jackpot.books.alerts import is_stale
from felt.jackpot.books.clocks import Order
from felt.jackpot.books.draft import Context, Draft, RefusedError, listed
from felt.jackpot.books.meter import Meter
from felt.jackpot.books.order import evidence_of_order, next_order, rounds_waited_for, turn_on
from felt.jackpot.books.standing import (
    Hit,
    OpenClaim,
    Origin,
    RoundKey,
    RoundStage,
    Standing,
    journal_of,
    meter_named,
    with_claim,
    with_journal,
    with_round,
)
from felt.jackpot.books.terms import TOTAL_MICRO_MAX, HouseOrder, MeterTerms
from felt.letters.from_table import AWARD_MINOR_MAX
from felt.nouns.money import MICRO_PER_MINOR
from felt.nouns.stamps import NS_PER_S
from felt.nouns.texts import as_compared, says_something
from felt.nouns.values import ShapeError, Value, from_plain, replace

SUPERVISOR = "supervisor"
ROLES = (SUPERVISOR, "shift_manager", "technician")
REASON_CHARACTERS_MAX = 300
OneNamed = TypeVar("OneNamed", OpenClaim, Hit)


class Person(Value, array_like=True):
    name: str
    role: str


class Adjustment(StrEnum):
    MALFUNCTION = Code.MALFUNCTION_CORRECTED.value
    OVER_LIMIT = Code.OVER_LIMIT_CORRECTED.value
    DOCUMENTED = Code.ADJUSTED.value
    SEED_RECOVERY = Code.SEED_RECOVERED.value


class Purse(StrEnum):
    DISPLAY = Account.DISPLAY.value
    RESERVE = Account.RESERVE.value
    OVERFLOW = Account.OVERFLOW.value


class ClaimName(Value):
    """A claim of a table; of its journal only where several have such a claim."""

    table: str
    claim: str
    nonce: str = ""


class OrderClaims(Value):
    """The house says in which order claims were dealt that the clocks cannot tell apart."""

    meter: str
    claims: tuple[ClaimName, ...]  # the first first


class ReleaseClaim(Value):
    """A claim has waited long enough: it is valued without the rounds whose results are missing."""

    claim: ClaimName


class AdjustMeter(Value):
    meter: str
    purse: Purse
    amount_micro: int  # negative: taken out
    type: Adjustment


class DropPending(Value):
    """Contributions of a round whose table will not speak of it again."""

    table: str
    nonce: str  # of the table's journal; empty: whichever has such a round
    round: int


class SettleAbandonedClaim(Value):
    """A claim whose table has begun another journal, or a later round: nobody else can confirm or deny it."""

    claim: ClaimName
    pay: bool


class CorrectClaim(Value):
    """A rank was misread: the claim is for this level and share. An open one is valued anew and its table told; of one
    that is paid, what was due is written down, and no meter moves."""

    claim: ClaimName
    level: str
    share_num: int
    share_den: int
    award_minor: int = 0  # what was due, where the claim is paid and the controller cannot know it


class AcceptStatedAward(Value):
    """A table paid a claim by its registered value, and more than that can have been: its letter is taken after all,
    up to this award. What the meter does not have, the house puts in."""

    claim: ClaimName
    award_minor: int


class ChangeTerms(Value):
    """In force with the seed of the meter's next cycle."""

    terms: MeterTerms


class ClearMeter(Value):
    """The display goes to the reserve and begins again at its reset value; agreed terms come into force."""

    meter: str


class ConfirmClock(Value):
    """Somebody has looked at the controller's clock, after it has jumped or stood still: days may be closed again."""


class ReinstateJournal(Value):
    """A journal that its table had left speaks for it again, as after the wrong disk was put in."""

    table: str
    nonce: str


Act = (
    OrderClaims
    | ReleaseClaim
    | AdjustMeter
    | DropPending
    | SettleAbandonedClaim
    | CorrectClaim
    | AcceptStatedAward
    | ChangeTerms
    | ClearMeter
    | ConfirmClock
    | ReinstateJournal
)
ACTS: dict[str, type[Act]] = {kind.__name__: kind for kind in Act.__args__}
BY_ONE = (OrderClaims, ReleaseClaim, ConfirmClock)  # every other act takes two persons


def read_act(name: str, plain: object) -> Act:
    """An act from plain JSON values; a `RefusedError` names what is wrong."""
    shape = ACTS.get(name)
    if shape is None:
        raise RefusedError(f"{name!r} is no act: use one of {', '.join(ACTS)}.")
    try:
        act: Act = from_plain(shape, plain)
    except ShapeError as error:
        raise RefusedError(f"The act {name} cannot be read: {error}.") from None
    return act


def perform(standing: Standing, context: Context, act: Act, persons: Sequence[Person], reason: str) -> Draft:
    signed = _signed(act, persons, reason)
    draft = Draft(standing, context, Origin("", ""), 0, context.now.wall_ns, signed)
    _PERFORMERS[type(act)](draft, act, reason.strip())
    _check_size(standing, draft.standing)
    hits.value_next(draft)
    return draft


def _check_size(before: Standing, after: Standing) -> None:
    for former, meter in zip(before.meters, after.meters, strict=True):
        total = meters.total_micro(meter)
        if total > TOTAL_MICRO_MAX and total > meters.total_micro(former):
            raise RefusedError(
                f"The meter {meter.name!r} would hold {total} micro-units: {TOTAL_MICRO_MAX} are the most."
            )


def _signed(act: Act, persons: Sequence[Person], reason: str) -> str:
    name, needed = type(act).__name__, 1 if isinstance(act, BY_ONE) else 2
    if not says_something(reason) or len(reason) > REASON_CHARACTERS_MAX:
        raise RefusedError(f"{name} needs a reason of up to {REASON_CHARACTERS_MAX} characters.")
    for person in persons:
        if not says_something(person.name):
            raise RefusedError(f"{name} is signed by somebody without a name.")
        if person.role not in ROLES:
            raise RefusedError(f"{person.name} has no role that signs here: use one of {', '.join(ROLES)}.")
    if len({as_compared(person.name) for person in persons}) < needed:
        number = "one person" if needed == 1 else "two different persons"
        raise RefusedError(f"{name} takes {number}.")
    if all(person.role != SUPERVISOR for person in persons):
        raise RefusedError(f"{name} takes a supervisor.")
    return listed(f"{person.name.strip()} ({person.role})" for person in persons)


# --- claims ------------------------------------------------------------------------------------------


def _claim(draft: Draft, name: ClaimName) -> OpenClaim:
    found = _named(draft, name, draft.standing.claims)
    if found is None:
        raise RefusedError(f"Table {name.table} has no open claim {name.claim}: it was never made, or is resolved.")
    return found


def _named(draft: Draft, name: ClaimName, among: Sequence[OneNamed]) -> OneNamed | None:
    named = [known for known in among if (known.table, known.claim) == (name.table, name.claim)]
    found = [known for known in named if name.nonce in ("", known.nonce)]
    if len(found) > 1:
        journals = listed(known.nonce for known in found)
        raise RefusedError(f"Table {name.table} has several claims {name.claim}: name a journal of {journals}.")
    if not found:
        return None
    draft.speak_of(found[0].round_key)
    return found[0]


def _order_claims(draft: Draft, act: OrderClaims, reason: str) -> None:
    ordered = [_claim(draft, name) for name in act.claims]
    if len(ordered) < 2 or len({claim.place for claim in ordered}) < len(ordered):
        raise RefusedError("An order names at least two different claims.")
    for claim in ordered:
        if claim.meter != act.meter:
            raise RefusedError(f"The claim {claim.claim} of table {claim.table} is not for the meter {act.meter!r}.")
        if claim.valuation is not None:
            raise RefusedError(f"The claim {claim.claim} of table {claim.table} is valued already: its turn has come.")
    against = _against_evidence(draft, ordered)
    undetermined = turn_on(draft.standing, draft.context, act.meter).undetermined
    missing = [claim for claim in undetermined if claim.place not in [named.place for named in ordered]]
    if missing:
        names = listed(f"{claim.claim} of table {claim.table}" for claim in missing)
        raise RefusedError(f"The order leaves out claims that are undetermined too: {names}.")
    if against and draft.context.procedure.house_order_against_evidence is HouseOrder.REFUSED:
        raise RefusedError(f"The evidence says otherwise: {against}.")
    for place, claim in enumerate(ordered, next_order(draft.standing)):
        draft.standing = with_claim(draft.standing, replace(claim, house_place=place))
    said = listed(f"{claim.claim} of table {claim.table}" for claim in ordered)
    flag = f" Against the evidence: {against}." if against else ""
    draft.write(Code.ORDERED, meter=act.meter, detail=f"Order of the house: {said}. {reason}.{flag}")
    if against:
        draft.write(Code.ALARM, meter=act.meter, detail=f"The house ordered claims against the evidence: {against}.")


def _against_evidence(draft: Draft, ordered: list[OpenClaim]) -> str:
    for place, claim in enumerate(ordered):
        for later in ordered[place + 1 :]:
            if evidence_of_order(draft.standing, draft.context, claim, later) is Order.AFTER:
                return f"claim {later.claim} of table {later.table} was dealt before {claim.claim} of {claim.table}"
    return ""


def _release_claim(draft: Draft, act: ReleaseClaim, reason: str) -> None:
    claim = _claim(draft, act.claim)
    waited_for = list(rounds_waited_for(draft.standing, draft.context, claim))
    if claim.valuation is not None or not waited_for:
        raise RefusedError(f"The claim {claim.claim} does not wait for any round.")
    wait_s = draft.context.procedure.claim_wait_s
    waited_s = draft.context.elapsed_ns(claim.since) // NS_PER_S
    if waited_s < wait_s:
        raise RefusedError(f"The claim {claim.claim} has waited {waited_s} s of {wait_s}: it cannot be released yet.")
    draft.standing = with_claim(draft.standing, replace(claim, released=True))
    rounds = listed(f"round {played.number} of table {played.table} ({played.stake} staked)" for played in waited_for)
    draft.write(Code.RELEASED, claim.claim, claim.meter, detail=f"Unaccounted: {rounds}. {reason}")


def _settle_abandoned_claim(draft: Draft, act: SettleAbandonedClaim, reason: str) -> None:
    claim = _claim(draft, act.claim)
    _refuse_a_stated_one(claim)
    journal = journal_of(draft.standing, draft.origin)
    if not journal.superseded and journal.last_round <= claim.round:
        raise RefusedError(f"Table {claim.table} still has that round: the claim {claim.claim} is decided there.")
    detail = f"Abandoned by its table: {reason}"
    if not act.pay:
        hits.resolve_unpaid(draft, claim, Code.DENIED, detail)
    elif claim.valuation is None:
        raise RefusedError(f"The claim {claim.claim} is not valued yet and cannot be paid.")
    else:
        hits.pay_claim(draft, claim, claim.valuation.award_minor, Code.AWARDED, "at the controller", detail)
    if journal.superseded:
        draft.standing = with_round(draft.standing, replace(draft.round_or_refuse(), stage=RoundStage.ABANDONED))


def _refuse_a_stated_one(claim: OpenClaim) -> None:
    if claim.stated_minor is not None:
        raise RefusedError(
            f"Table {claim.table} has paid the claim {claim.claim} {claim.stated_minor} by its registered value: it is "
            "resolved, and its meter pays when it has its turn."
        )


def _correct_claim(draft: Draft, act: CorrectClaim, reason: str) -> None:
    share = (act.share_num, act.share_den)
    claim = _named(draft, act.claim, draft.standing.claims)
    if claim is not None:
        if act.award_minor:
            raise RefusedError(f"The claim {claim.claim} is not paid yet: what it is due is for the controller to say.")
        _refuse_a_stated_one(claim)
        corrections.correct_open(draft, claim, act.level, share, reason)
        return
    hit = _named(draft, act.claim, draft.standing.hits)
    if hit is None:
        raise RefusedError(
            f"Table {act.claim.table} has no claim {act.claim.claim} that is open or among the latest hits: use "
            "AdjustMeter and name the claim in its reason."
        )
    corrections.correct_paid(draft, hit, act.level, share, act.award_minor, reason)


def _accept_stated_award(draft: Draft, act: AcceptStatedAward, reason: str) -> None:
    claim = _claim(draft, act.claim)
    _refuse_a_stated_one(claim)
    most = hits.most_registered_minor(draft, claim)
    if not most < act.award_minor <= AWARD_MINOR_MAX:
        raise RefusedError(
            f"An award of {act.award_minor} for the claim {claim.claim} needs no acceptance, or cannot be: above "
            f"{most} and up to {AWARD_MINOR_MAX} it does."
        )
    draft.standing = with_claim(draft.standing, replace(claim, accepted_minor=act.award_minor))
    detail = f"A stated award of up to {act.award_minor} is accepted, where {most} is the most by the books. {reason}"
    draft.write(Code.AWARD_ACCEPTED, claim.claim, claim.meter, act.award_minor * MICRO_PER_MINOR, detail)


# --- money -------------------------------------------------------------------------------------------


def _meter(draft: Draft, name: str) -> Meter:
    found = meter_named(draft.standing, name)
    if found is None:
        names = listed(repr(meter.name) for meter in draft.standing.meters)
        raise RefusedError(f"There is no meter {name!r}: use one of {names}.")
    return found


def _refuse_while_a_hit_is_open(draft: Draft, meter: str, does: str) -> None:
    """Else persons would decide what its winner gets."""
    if any(claim.meter == meter for claim in draft.standing.claims):
        raise RefusedError(f"A hit is open on the meter {meter!r}: {does} it when the claim is confirmed or denied.")


def _adjust_meter(draft: Draft, act: AdjustMeter, reason: str) -> None:
    meter, account = _meter(draft, act.meter), Account(act.purse.value)
    balance: int = getattr(meter, act.purse.value)
    if act.amount_micro == 0:
        raise RefusedError("An adjustment of nothing is no adjustment.")
    _refuse_while_a_hit_is_open(draft, act.meter, "adjust")
    if balance + act.amount_micro < 0:
        raise RefusedError(f"The {act.purse} of the meter {act.meter!r} holds {balance} micro-units: less than that.")
    limit = meter.terms.limit_minor * MICRO_PER_MINOR
    if account is Account.DISPLAY and 0 < limit < balance + act.amount_micro:
        raise RefusedError(f"The meter {act.meter!r} would stand above its limit of {meter.terms.limit_minor}.")
    if act.type is not Adjustment.DOCUMENTED and act.type is not Adjustment.MALFUNCTION and act.amount_micro > 0:
        raise RefusedError(f"An adjustment of type {act.type} takes out and never puts in.")
    draft.move(meters.adjust(meter, account, act.amount_micro, Code(act.type.value)), detail=reason)


def _drop_pending(draft: Draft, act: DropPending, reason: str) -> None:
    own = draft.standing.rounds.get(act.table, ())
    pending = [played for played in own if played.stage is RoundStage.PENDING]
    found = [played for played in pending if played.number == act.round and act.nonce in ("", played.nonce)]
    if not found:
        raise RefusedError(f"Round {act.round} of table {act.table} has nothing pending.")
    if len(found) > 1:
        raise RefusedError(f"Table {act.table} has several rounds {act.round}: name one of their journals.")
    played = found[0]
    draft.speak_of(played.key)
    if not journal_of(draft.standing, draft.origin).superseded and not is_stale(draft.context, played):
        wait_s = draft.context.procedure.pending_alert_s
        raise RefusedError(f"Round {act.round} of table {act.table} has not pended for {wait_s} s: its table decides.")
    receiving.drop_pending(draft, played, RoundStage.DROPPED, f"Dropped without its table's letter: {reason}")


def _change_terms(draft: Draft, act: ChangeTerms, reason: str) -> None:
    agreed.agree(draft, _meter(draft, act.terms.name), act.terms, reason)


def _clear_meter(draft: Draft, act: ClearMeter, reason: str) -> None:
    meter = _meter(draft, act.meter)
    _refuse_while_a_hit_is_open(draft, act.meter, "clear")
    if meter.pending_stake:
        raise RefusedError(f"Bets pend on the meter {act.meter!r}: close its tables, then clear it.")
    draft.move(meters.clear(meter), detail=reason)


def _confirm_clock(draft: Draft, _: ConfirmClock, reason: str) -> None:
    draft.write(Code.CLOCK_CONFIRMED, detail=reason)


def _reinstate_journal(draft: Draft, act: ReinstateJournal, reason: str) -> None:
    origin = Origin(act.table, act.nonce)
    journal = journal_of(draft.standing, origin)
    if not journal.superseded:
        raise RefusedError(f"The journal {act.nonce} of table {act.table} is not one that its table has left.")
    for played in draft.standing.rounds.get(act.table, ()):
        if played.nonce == act.nonce and played.stage is RoundStage.ABANDONED:
            raise RefusedError(
                f"A claim of round {played.number} in the journal {act.nonce} was settled here as abandoned, and its "
                f"table would have it settled once more: let table {act.table} go on with its new journal."
            )
    draft.speak_of(RoundKey(act.table, act.nonce, 0))
    own = draft.standing.journals[act.table]
    latest = max(known.begun for known in own)
    for known in own:
        if known.nonce != act.nonce:
            draft.standing = with_journal(draft.standing, replace(known, superseded=True))
    draft.standing = with_journal(draft.standing, replace(journal, superseded=False, begun=latest + 1))
    draft.write(Code.REINSTATED, detail=reason)


_PERFORMERS: dict[type, Callable[[Draft, Any, str], None]] = {
    OrderClaims: _order_claims,
    ReleaseClaim: _release_claim,
    SettleAbandonedClaim: _settle_abandoned_claim,
    CorrectClaim: _correct_claim,
    AcceptStatedAward: _accept_stated_award,
    AdjustMeter: _adjust_meter,
    DropPending: _drop_pending,
    ChangeTerms: _change_terms,
    ClearMeter: _clear_meter,
    ConfirmClock: _confirm_clock,
    ReinstateJournal: _reinstate_journal,
}
