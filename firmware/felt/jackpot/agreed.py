"""Other terms for a meter: agreed by persons, and in force with its next cycle. Pure: it changes a draft."""

from __future__ import annotations

from felt.jackpot import meters
from felt.jackpot.draft import Draft, RefusedError, listed
from felt.jackpot.meters import Kind, Meter
from felt.jackpot.standing import Agreed, pending_stake, valued_claim_on
from felt.jackpot.terms import TOTAL_MICRO_MAX, MeterTerms, TermsTakeEffect, problem_of, problem_together
from felt.nouns.money import MICRO_PER_MINOR, growth_micro


def agree(draft: Draft, meter: Meter, terms: MeterTerms, reason: str) -> None:
    problem = problem_of(terms) or _problem_with_others(draft, meter, terms) or _problem_with_stakes(meter, terms)
    if problem:
        raise RefusedError(f"The meter {terms.name!r} cannot have these terms: {problem}.")
    if not come_with_the_seed(draft) and 0 < terms.limit_minor * MICRO_PER_MINOR < meter.display:
        value = -(-meter.display // MICRO_PER_MINOR)
        raise RefusedError(f"The limit {terms.limit_minor} is below the value of the meter, {value}.")
    if terms == meter.terms:
        raise RefusedError(f"The meter {terms.name!r} has these terms already.")
    others = tuple(one for one in draft.standing.agreed if one.terms.name != terms.name)
    draft.standing = draft.standing._replace(agreed=(*others, Agreed(terms, draft.persons, reason)))
    changes = listed(
        f"{name} {former} becomes {latter}"
        for name, former, latter in zip(MeterTerms._fields, meter.terms, terms, strict=True)
        if former != latter
    )
    draft.write(Kind.TERMS_AGREED, meter=terms.name, detail=f"From the next cycle: {changes}. {reason}")


def come_with_the_seed(draft: Draft) -> bool:
    return draft.context.procedure.terms_take_effect is TermsTakeEffect.WITH_THE_SEED


def _problem_with_others(draft: Draft, meter: Meter, terms: MeterTerms) -> str:
    """Nobody knows which meter is hit first: each of the others may grow by what is in force or by what is agreed."""
    if terms.rate_bp <= meter.terms.rate_bp:
        return ""
    known = [one.terms for one in draft.standing.meters] + [one.terms for one in draft.standing.agreed]
    fastest = {one.name: one for one in sorted(known, key=lambda one: one.rate_bp) if one.name != terms.name}
    problem = problem_together((*fastest.values(), terms))
    return f"{problem}; terms in force count until those agreed have replaced them" if problem else ""


def _problem_with_stakes(meter: Meter, terms: MeterTerms) -> str:
    """What former rates made of all stakes ever is carried in the books, and a database holds no number of any size."""
    change_micro = growth_micro(meter.stakes, terms.rate_bp - meter.terms.rate_bp)
    if max(abs(change_micro), abs(meter.carried - change_micro)) <= TOTAL_MICRO_MAX:
        return ""
    former = meter.terms.rate_bp
    return f"the books cannot hold what a rate of {terms.rate_bp} instead of {former} changes: keep nearer to {former}"


def take_up_terms(draft: Draft, name: str) -> None:
    """Agreed terms come into force, unless a claim still stands on the former ones: before the next cycle's seed, or by
    the other reading after the hit."""
    agreed = next((one for one in draft.standing.agreed if one.terms.name == name), None)
    if agreed is None or valued_claim_on(draft.standing, name) is not None:
        return
    meter = draft.meter(name)
    if not come_with_the_seed(draft) and 0 < agreed.terms.limit_minor * MICRO_PER_MINOR < meter.display:
        draft.write(Kind.ALERT, meter=name, detail="The agreed limit is below the meter: it waits for the next hit.")
        return
    problem = _problem_with_stakes(meter, agreed.terms)  # stakes came since it was agreed
    if problem:
        draft.write(Kind.ALERT, meter=name, detail=f"The agreed terms wait: {problem}.")
        return
    others = tuple(one for one in draft.standing.agreed if one.terms.name != name)
    draft.standing = draft.standing._replace(agreed=others)
    pending = pending_stake(draft.standing, name, draft.context.link_of_table)
    detail = f"Terms agreed by {agreed.persons}: {agreed.reason}"
    draft.move(meters.change_terms(meter, agreed.terms, pending), detail=detail)
    draft.write(Kind.TERMS_CHANGED, meter=name, detail=f"{detail}; now {listed(_said(agreed.terms))}.")


def _said(terms: MeterTerms) -> list[str]:
    return [f"{name} {value}" for name, value in terms._asdict().items() if value not in ("", 0)]
