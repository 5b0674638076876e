"""What waits for a person, found in a standing and told in sentences. It decides nothing."""

from __future__ import annotations

from collections.abc import Iterator

from felt.jackpot.books.draft import Context, listed
from felt.jackpot.books.order import rounds_waited_for, turn_on
from felt.jackpot.books.standing import Round, RoundStage, Standing, rounds_in
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import Value


class Alert(Value):
    table: str
    nonce: str
    sentence: str


def alerts_of(standing: Standing, context: Context) -> list[Alert]:
    """Undetermined claims, claims that have waited long enough, contributions that pend for too long."""
    return [*_about_claims(standing, context), *_about_pending(standing, context)]


def _about_claims(standing: Standing, context: Context) -> Iterator[Alert]:
    for meter in standing.meters:
        name = meter.name
        turn = turn_on(standing, context, name)
        first, undetermined = turn.first, turn.undetermined
        if undetermined:
            claims = listed(f"{claim.claim} of table {claim.table}" for claim in undetermined)
            yield Alert("", "", f"The order of claims on the meter {name!r} is undetermined, order them: {claims}.")
        if first is None or first.valuation is not None or first.released:
            continue
        rounds = list(rounds_waited_for(standing, context, first))
        if rounds and context.elapsed_ns(first.since) >= context.procedure.claim_wait_s * NS_PER_S:
            missing = listed(f"round {played.number} of table {played.table}" for played in rounds)
            sentence = f"The claim {first.claim} of table {first.table} still waits for {missing}: release it or wait."
            yield Alert(first.table, first.nonce, sentence)


def _about_pending(standing: Standing, context: Context) -> Iterator[Alert]:
    for played in rounds_in(standing):
        if played.stage is RoundStage.PENDING and played.stake and is_stale(context, played):
            sentence = (
                f"Round {played.number} of table {played.table} has had stakes of {played.stake} pending for too long."
            )
            yield Alert(played.table, played.nonce, sentence)


def is_stale(context: Context, played: Round) -> bool:
    return context.elapsed_ns(played.since) >= context.procedure.pending_alert_s * NS_PER_S
