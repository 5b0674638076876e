"""What waits for a person, found in a standing and told in sentences. It decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from felt.jackpot.draft import Context, listed
from felt.jackpot.order import rounds_waited_for, turn_on
from felt.jackpot.standing import Round, RoundStage, Standing, stake_of
from felt.nouns.stamps import NS_PER_S


class Alert(NamedTuple):
    table: str
    nonce: str
    sentence: str


def alerts_of(standing: Standing, context: Context) -> list[Alert]:
    """Undetermined claims, claims that have waited long enough, contributions that pend for too long."""
    return [*_about_claims(standing, context), *_about_pending(standing, context)]


def _about_claims(standing: Standing, context: Context) -> Iterator[Alert]:
    for meter in standing.meters:
        name = meter.terms.name
        first, undetermined = turn_on(standing, context, name)
        if undetermined:
            claims = listed(f"{claim.claim} of table {claim.table}" for claim in undetermined)
            yield Alert("", "", f"The order of claims on the meter {name!r} is undetermined, order them: {claims}.")
        if first is None or first.valuation is not None or first.released:
            continue
        rounds = list(rounds_waited_for(standing, context, first))
        if rounds and context.elapsed_ns(first.since) >= context.procedure.claim_wait_s * NS_PER_S:
            missing = listed(f"round {one.number} of table {one.table}" for one in rounds)
            sentence = f"The claim {first.claim} of table {first.table} still waits for {missing}: release it or wait."
            yield Alert(first.table, first.nonce, sentence)


def _about_pending(standing: Standing, context: Context) -> Iterator[Alert]:
    for one in standing.rounds:
        if one.stage is RoundStage.PENDING and stake_of(one) and is_stale(context, one):
            staked = stake_of(one)
            sentence = f"Round {one.number} of table {one.table} has had stakes of {staked} pending for too long."
            yield Alert(one.table, one.nonce, sentence)


def is_stale(context: Context, one: Round) -> bool:
    return context.elapsed_ns(one.since) >= context.procedure.pending_alert_s * NS_PER_S
