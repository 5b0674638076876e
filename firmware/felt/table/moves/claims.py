"""Claims to the jackpot, valued by the controller and confirmed or denied by a person."""

from __future__ import annotations

from typing import Any

from felt.letters import from_table as letters
from felt.nouns.values import replace
from felt.table import facts, redacted, settle
from felt.table.moves import hits
from felt.table.registered import registered_award, value_registered, with_parts_told
from felt.table.state import ClaimState, Table, with_round
from felt.table.upkeep import notice, post


def _with_claim(table: Table, name: str, **changes: Any) -> Table:
    assert table.round is not None
    claims = tuple(replace(one, **changes) if one.claim == name else one for one in table.round.claims)
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
    """With the share that it was corrected to: that is due too where the registered value pays."""
    if settle.is_corrected(table, told):
        claim, share = settle.claim_named(table, told.claim), (told.share_num, told.share_den)
        lines = settle.with_share(settle.round_of(table).lines, claim, told.level, share)
        registered_micro = value_registered(table, told.level)
        table = with_round(table, lines=lines)
        table = _with_claim(table, told.claim, level=told.level, registered_micro=registered_micro)
    former, playing = settle.claim_named(table, told.claim), settle.round_of(table)
    frozen = former.frozen or not playing.malfunction
    table = _with_claim(
        table, told.claim, value_micro=told.value_micro, award_minor=told.award_minor, frozen=frozen
    )
    if former.value_micro is None:
        table = _behind_those_that_have_a_value(table, told.claim)
    if playing.malfunction:  # what is not frozen is paid by what was known when the system failed
        return table
    return with_parts_told(table, settle.claim_named(table, told.claim))


def _behind_those_that_have_a_value(table: Table, name: str) -> Table:
    """The claim in hand stays in hand, however many more are valued meanwhile."""
    claims = settle.round_of(table).claims
    waiting = [one for one in claims if one.value_micro is None and not one.verdict]
    others = [one for one in claims if one not in waiting and one.claim != name]
    return with_round(table, claims=(*others, settle.claim_named(table, name), *waiting))


def confirm_claim(table: Table, fact: facts.Fact) -> Table:
    """By the controller's value; where its system had failed in this round before it told one, by the one registered
    before."""
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
    table = with_round(table, claims=_in_order_of_payment(settle.round_of(table).claims, claim))
    assert claim.award_minor is not None
    table = with_parts_told(table, claim)
    table = with_round(table, lines=settle.with_award(settle.round_of(table).lines, claim))
    tally = replace(table.tally, awards_minor=table.tally.awards_minor + claim.award_minor)
    number = settle.round_of(table).number
    letter = letters.ClaimConfirmedLetter(
        number, claim.claim, claim.award_minor, by_registered_value, fact.person, fact.at
    )
    return post(replace(table, tally=tally), letter)


def _in_order_of_payment(claims: tuple[ClaimState, ...], last: ClaimState) -> tuple[ClaimState, ...]:
    """What a later winner is paid depends on who was paid last."""
    others = [one for one in claims if one.claim != last.claim]
    paid = [one for one in others if one.verdict == "confirmed"]
    return (*paid, last, *(one for one in others if one not in paid))


def _without_envy(table: Table, claim: ClaimState) -> Table:
    """What the denied hand gave to others, by the reading in force."""
    before = settle.round_of(table)
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
    playing = settle.round_of(table)
    table = with_round(table, lines=settle.without_award(playing.lines, claim, reason))
    table = _without_envy(table, claim)
    if claim.reported_by:
        table = hits.as_settled(table, claim)
    number = settle.round_of(table).number
    return post(table, letters.ClaimDeniedLetter(number, fact.claim, fact.person, reason, fact.at))
