"""Claims to a jackpot. The controller values them, and a person confirms or denies them. If the system failed in the
round before it told a value, the value registered with the lock pays, by the same readings that the controller uses."""

from __future__ import annotations

from typing import Any

from felt.letters import from_table as letters
from felt.nouns.money import MICRO_PER_MINOR, growth_micro
from felt.nouns.values import replace
from felt.rules.meters import reset_value
from felt.rules.verdicts import rounded
from felt.table import facts, questions, redacted, settle
from felt.table.chart import move, refuse, stay
from felt.table.notices import notice, post
from felt.table.prompts import tell
from felt.table.settle import book_of, is_of, round_of, staked_minor
from felt.table.state import EVERY_PHASE, ClaimState, LinkState, Phase, Table, with_round

NOT_VALUED = "refused.not_valued"


# --- the registered value ----------------------------------------------------------------------------


def registered_award(table: Table, claim: ClaimState) -> tuple[int, int]:
    """The share of the value registered with the lock, in whole minor units. A second winner of the round is paid from
    the rest, or an equal part, by the reading in force. A denied claimant gets nothing."""
    sharing = _sharing(table, claim.level)
    parts = _parts(table, claim.level, sharing) if claim in sharing else 1
    paid = [claim for claim in sharing if claim.verdict == "confirmed"]
    if parts > 1 and paid:
        return paid[-1].value_micro or 0, paid[-1].award_minor or 0  # all parts are equal
    value_micro = _value_left(table, claim.level)
    return value_micro, _share(table, claim, value_micro) if parts == 1 else _part(table, value_micro, parts)


def shares_equally(table: Table) -> bool:
    """True if the hits of one level in one round share its value, by the reading in force."""
    assert table.settings is not None
    return table.settings.reading("same_level_hits", "in_deal_order") == "split_equally"


def _sharing(table: Table, level: str) -> list[ClaimState]:
    """The hits of this level that the settlement found. Reported hits come after them and do not share: the controller
    may have told the parts before it hears of a report. The same holds for a hit that was corrected to the level
    later."""
    if not shares_equally(table):
        return []
    found = [claim for claim in round_of(table).claims if claim.level == level and not claim.reported_by]
    return [claim for claim in found if not _was_told_alone(table, claim)]


def _was_told_alone(table: Table, claim: ClaimState) -> bool:
    """True if this claim was told its whole share although the others of its level were told parts."""
    if claim.value_micro is None or dict(round_of(table).parts).get(claim.level, 1) == 1:
        return False
    has_its_line = any(is_of(line, claim) for line in round_of(table).lines)
    return has_its_line and claim.award_minor == _share(table, claim, claim.value_micro)


def _parts(table: Table, level: str, sharing: list[ClaimState]) -> int:
    """The number of parts: as told before the system failed, or as paid; otherwise the claims that are not denied."""
    known = dict(round_of(table).parts).get(level)
    return known or max(1, sum(claim.verdict != "denied" for claim in sharing))


def with_parts_told(table: Table, claim: ClaimState) -> Table:
    """Fixes the number of parts once one was told or paid. What happens to the claims later does not change it."""
    playing = round_of(table)
    if not claim.award_minor or claim.value_micro is None or claim.level in dict(playing.parts):
        return table
    if claim not in _sharing(table, claim.level):
        return table
    has_its_line = any(is_of(line, claim) for line in playing.lines)  # a box that left the round has none
    alone = has_its_line and claim.award_minor == _share(table, claim, claim.value_micro)
    parts = 1 if alone else max(1, rounded(claim.value_micro, claim.award_minor * MICRO_PER_MINOR, "nearest"))
    return with_round(table, parts=(*playing.parts, (claim.level, parts)))


def _part(table: Table, value_micro: int, parts: int) -> int:
    assert table.settings is not None
    return rounded(value_micro, parts * MICRO_PER_MINOR, table.settings.reading("fractional_cent", "down"))


def _share(table: Table, claim: ClaimState, value_micro: int) -> int:
    assert table.settings is not None
    line = next(line for line in round_of(table).lines if is_of(line, claim))
    rounding = table.settings.reading("fractional_cent", "down")
    return rounded(value_micro * line.share_num, line.share_den * MICRO_PER_MINOR, rounding)


def meters_unheard(table: Table) -> tuple[str, ...]:
    """Meters whose value the table has not heard by the lock. If the system failed, their jackpot could not be paid,
    because an award is never a guess."""
    heard = dict(round_of(table).registered)
    return tuple(meter for meter in book_of(table).meters if meter not in heard)


def value_registered(table: Table, level: str) -> int:
    assert table.settings is not None
    playing, terms = round_of(table), table.settings.terms
    value_micro = dict(playing.registered).get(level, 0)  # without a progressive bet the table may not have heard it
    if table.settings.reading("registered_value", "at_lock") == "with_own_contribution":
        rate_bp = dict(terms.rates_bp).get(level, 0) - dict(terms.reserves_bp).get(level, 0)
        value_micro += growth_micro(staked_minor(playing), rate_bp)
    return value_micro


def _value_left(table: Table, level: str) -> int:
    """What the meter shows after the payments so far, in the order of payment."""
    paid = [claim for claim in round_of(table).claims if claim.level == level and claim.verdict == "confirmed"]
    return _value_after(table, paid[-1]) if paid else value_registered(table, level)


def _value_after(table: Table, claim: ClaimState) -> int:
    assert table.settings is not None and claim.value_micro is not None and claim.award_minor is not None
    line = next(line for line in round_of(table).lines if is_of(line, claim))
    reading = table.settings.reading("partial_win_meter", "deduct")
    left_micro = claim.value_micro - claim.award_minor * MICRO_PER_MINOR
    reset_micro = reset_value(book_of(table), claim.level, table.settings.terms) * MICRO_PER_MINOR
    sharing = _sharing(table, claim.level)
    if not claim.reported_by and _parts(table, claim.level, sharing) > 1:
        not_denied = sum(claim.verdict != "denied" for claim in sharing)
        return max(claim.value_micro - not_denied * claim.award_minor * MICRO_PER_MINOR, reset_micro)
    if reading == "deduct" and line.share_num < line.share_den:
        return left_micro
    is_part = line.share_num < line.share_den and reading == "deduct_not_below_reset"
    return max(left_micro, reset_micro) if is_part else reset_micro


# --- truths ------------------------------------------------------------------------------------------


def claim_in_hand_is_named(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.ClaimValued | facts.ClaimConfirmed | facts.ClaimDenied)
    claim = settle.claim_in_hand(table)
    return claim is not None and claim.claim == fact.claim


def claim_awaits_its_value(table: Table, fact: facts.Fact) -> bool:
    """The controller alone decides the order of several claims. The table accepts whichever it values first."""
    assert isinstance(fact, facts.ClaimValued)
    return fact.claim in settle.unvalued_claims(table)


def claim_is_valued_otherwise(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.ClaimValued)
    return settle.is_valued_otherwise(table, fact)


def denial_says_no_hand(_: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.ClaimDenied)
    return fact.hand not in (settle.MISREAD, settle.STANDS)


def last_claim_is_named(table: Table, fact: facts.Fact) -> bool:
    if not claim_in_hand_is_named(table, fact):
        return False
    assert table.round is not None
    return sum(not claim.verdict for claim in table.round.claims) == 1


def next_claim_has_its_value(table: Table, fact: facts.Fact) -> bool:
    """Another claim was valued while this one was being verified."""
    if not claim_in_hand_is_named(table, fact):
        return False
    assert table.round is not None
    return sum(not claim.verdict and claim.value_micro is not None for claim in table.round.claims) > 1


def claim_can_be_paid_by_registered_value(table: Table, fact: facts.Fact) -> bool:
    """The link is lost, so the rulebook pays the value that was journaled with the lock."""
    return table.link is LinkState.LOST and claim_in_hand_is_named(table, fact)


def last_claim_by_registered_value(table: Table, fact: facts.Fact) -> bool:
    return table.link is LinkState.LOST and last_claim_is_named(table, fact)


def no_word_of_a_denial(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.ClaimDenied)
    return tell(table, "refused.denial", word=fact.hand, misread=settle.MISREAD, stands=settle.STANDS)


def no_such_claim(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.ClaimValued | facts.ClaimConfirmed | facts.ClaimDenied)
    return tell(table, "refused.no_such_claim", claim=fact.claim)


# --- moves -------------------------------------------------------------------------------------------


def _with_claim(table: Table, name: str, **changes: Any) -> Table:
    assert table.round is not None
    claims = tuple(replace(claim, **changes) if claim.claim == name else claim for claim in table.round.claims)
    return with_round(table, claims=claims)


def value_claim(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ClaimValued)
    corrected = settle.is_corrected(table, fact)
    table = _with_value(table, fact)
    paragraphs = settle.paragraphs_of(table)
    table = notice(
        table, "noted", f"Jackpot {fact.claim}: call the supervisor; cards stay face up ({paragraphs.jackpot_shown})."
    )
    if corrected:
        table = notice(table, "noted", f"Jackpot {fact.claim}: it was corrected at the controller.")
    claim = settle.claim_named(table, fact.claim)
    if claim.by_hand:
        cause = f"it was reported by {claim.reported_by}" if claim.reported_by else "a card of the hand was keyed"
        said = f"{cause}, so the hand is to be verified by hand"
        table = notice(table, "noted", f"Jackpot {fact.claim}: {said}.")
    if claim.frozen:
        return table
    said = "the system failed in this round, so the value registered before pays"
    return notice(table, "noted", f"Jackpot {fact.claim}: {said} ({paragraphs.device_after_seen}).")


def value_claim_anew(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ClaimValued)
    table = _with_value(table, fact)
    return notice(table, "noted", f"Jackpot {fact.claim}: it was corrected at the controller and has another value.")


def _with_value(table: Table, told: facts.ClaimValued) -> Table:
    """The claim with its value, and with the share that persons corrected it to. A corrected share is also due if the
    registered value pays."""
    if settle.is_corrected(table, told):
        claim, share = settle.claim_named(table, told.claim), (told.share_num, told.share_den)
        lines = settle.with_share(round_of(table).lines, claim, told.level, share)
        registered_micro = value_registered(table, told.level)
        table = with_round(table, lines=lines)
        table = _with_claim(table, told.claim, level=told.level, registered_micro=registered_micro)
    former, playing = settle.claim_named(table, told.claim), round_of(table)
    frozen = former.frozen or not playing.malfunction
    table = _with_claim(
        table, told.claim, value_micro=told.value_micro, award_minor=told.award_minor, frozen=frozen
    )
    if former.value_micro is None:
        table = _behind_those_that_have_a_value(table, told.claim)
    if playing.malfunction:  # a claim without a frozen value was paid by what was known when the system failed
        return table
    return with_parts_told(table, settle.claim_named(table, told.claim))


def _behind_those_that_have_a_value(table: Table, name: str) -> Table:
    """The claim in hand stays in hand, however many others are valued meanwhile."""
    claims = round_of(table).claims
    waiting = [claim for claim in claims if claim.value_micro is None and not claim.verdict]
    others = [claim for claim in claims if claim not in waiting and claim.claim != name]
    return with_round(table, claims=(*others, settle.claim_named(table, name), *waiting))


def confirm_claim(table: Table, fact: facts.Fact) -> Table:
    """Pays the controller's value. If its system failed in this round before it told one, pays the registered value."""
    assert isinstance(fact, facts.ClaimConfirmed)
    if not settle.claim_named(table, fact.claim).frozen:
        return confirm_by_registered_value(table, fact)
    return _pay_claim(table, fact, by_registered_value=False)


def confirm_by_registered_value(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ClaimConfirmed)
    value_micro, award_minor = registered_award(table, settle.claim_named(table, fact.claim))
    table = _with_claim(
        table, fact.claim, value_micro=value_micro, award_minor=award_minor, by_registered_value=True
    )
    return _pay_claim(table, fact, by_registered_value=True)


def _pay_claim(table: Table, fact: facts.ClaimConfirmed, *, by_registered_value: bool) -> Table:
    assert table.round is not None
    table = _with_claim(table, fact.claim, verdict="confirmed", person=fact.person)
    claim = settle.claim_named(table, fact.claim)
    table = with_round(table, claims=_in_order_of_payment(round_of(table).claims, claim))
    assert claim.award_minor is not None
    table = with_parts_told(table, claim)
    table = with_round(table, lines=settle.with_award(round_of(table).lines, claim))
    tally = replace(table.tally, awards_minor=table.tally.awards_minor + claim.award_minor)
    number = round_of(table).number
    letter = letters.ClaimConfirmedLetter(
        number, claim.claim, claim.award_minor, by_registered_value, fact.person, fact.at
    )
    return post(replace(table, tally=tally), letter)


def _in_order_of_payment(claims: tuple[ClaimState, ...], last: ClaimState) -> tuple[ClaimState, ...]:
    """Orders claims by payment, because what a later winner gets depends on who was paid last."""
    others = [claim for claim in claims if claim.claim != last.claim]
    paid = [claim for claim in others if claim.verdict == "confirmed"]
    return (*paid, last, *(claim for claim in others if claim not in paid))


def _without_envy(table: Table, claim: ClaimState) -> Table:
    """Removes the envy awards that a denied hand gave to others, by the reading in force."""
    before = round_of(table)
    after = settle.with_envy_again(table, before)
    if after == before:
        return table
    said = "the hand was misread" if claim.hand == settle.MISREAD else "the hand stands"
    reading = f"envy_after_denial {settle.reading_of(table, 'envy_after_denial')}"
    rule = next(line.rule for line in before.lines if line.bet == settle.ENVY)
    sentence = f"Jackpot {claim.claim}: {said}, so no envy is paid for it ({rule}, {reading})."
    return notice(replace(table, round=after), "noted", sentence)


def deny_claim(table: Table, fact: facts.Fact) -> Table:
    assert isinstance(fact, facts.ClaimDenied)
    table = _with_claim(table, fact.claim, verdict="denied", person=fact.person, hand=fact.hand)
    claim = settle.claim_named(table, fact.claim)
    reason = redacted.scrubbed(fact.reason)
    playing = round_of(table)
    table = with_round(table, lines=settle.without_award(playing.lines, claim, reason))
    table = _without_envy(table, claim)
    if claim.reported_by:
        table = as_settled(table, claim)
    number = round_of(table).number
    return post(table, letters.ClaimDeniedLetter(number, fact.claim, fact.person, reason, fact.at))


def as_settled(table: Table, claim: ClaimState) -> Table:
    """A denied report takes nothing from the player: his bet is settled by the recorded cards, with the amounts known
    by now."""
    found = next(line for line in settle.lines_of(table) if is_jackpot_line(table, line.seat, line.bet, claim.seat))
    if found.level:  # a ruling has moved cards since; no major award exists without a claim of its own
        return table
    lines = tuple(
        found if is_jackpot_line(table, line.seat, line.bet, claim.seat) else line
        for line in round_of(table).lines
    )
    table = with_round(table, lines=lines)
    return notice(table, "noted", f"Box {claim.seat}: claim {claim.claim} is denied; the bet stands as it was settled.")


def is_jackpot_line(table: Table, line_seat: int, bet: str, seat: int) -> bool:
    assert table.settings is not None
    coin = settle.coin_wager(table.settings)
    return coin is not None and (line_seat, bet) == (seat, coin.name)


# --- rows --------------------------------------------------------------------------------------------

ROWS = (
    *move(
        facts.ClaimValued, Phase.SETTLING, Phase.VERIFYING,
        when=claim_awaits_its_value, do=value_claim,
    ),
    *stay(facts.ClaimValued, Phase.VERIFYING, when=claim_awaits_its_value, do=value_claim),
    *stay(
        facts.ClaimValued, (Phase.VERIFYING, Phase.INTERRUPTED),
        when=claim_is_valued_otherwise, do=value_claim_anew,
    ),
    *refuse(facts.ClaimValued, EVERY_PHASE, no_such_claim),
    *move(
        facts.ClaimConfirmed, Phase.SETTLING, Phase.PAYING,
        when=last_claim_by_registered_value, do=confirm_by_registered_value,
    ),
    *stay(
        facts.ClaimConfirmed, Phase.SETTLING,
        when=claim_can_be_paid_by_registered_value, do=confirm_by_registered_value,
    ),
    *move(
        facts.ClaimConfirmed, Phase.VERIFYING, Phase.PAYING,
        when=last_claim_is_named, do=confirm_claim,
    ),
    *stay(
        facts.ClaimConfirmed, Phase.VERIFYING,
        when=next_claim_has_its_value, do=confirm_claim,
    ),
    *move(
        facts.ClaimConfirmed, Phase.VERIFYING, Phase.SETTLING,
        when=claim_in_hand_is_named, do=confirm_claim,
    ),
    *refuse(
        facts.ClaimDenied, (Phase.SETTLING, Phase.VERIFYING), no_word_of_a_denial, when=denial_says_no_hand
    ),
    *move(
        facts.ClaimDenied, (Phase.SETTLING, Phase.VERIFYING), Phase.PAYING,
        when=last_claim_is_named, do=deny_claim,
    ),
    *stay(
        facts.ClaimDenied, Phase.VERIFYING,
        when=next_claim_has_its_value, do=deny_claim,
    ),
    *move(
        facts.ClaimDenied, (Phase.SETTLING, Phase.VERIFYING), Phase.SETTLING,
        when=claim_in_hand_is_named, do=deny_claim,
    ),
    *refuse(facts.ClaimConfirmed, Phase.SETTLING, NOT_VALUED, when=claim_in_hand_is_named),
    *refuse((facts.ClaimConfirmed, facts.ClaimDenied), Phase.INTERRUPTED, questions.held, when=claim_in_hand_is_named),
    *refuse((facts.ClaimConfirmed, facts.ClaimDenied), EVERY_PHASE, no_such_claim),
)
