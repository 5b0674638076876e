"""Other terms for a meter: agreed by persons, and in force with its next cycle's seed. Pure: it changes a draft."""

from __future__ import annotations

from felt.jackpot.books.accounts import Code
from felt.jackpot.books.draft import Draft, RefusedError, listed
from felt.jackpot.books.meter import Agreed, Meter
from felt.jackpot.books.standing import with_meter
from felt.jackpot.books.terms import MeterTerms, TermsTakeEffect, problem_of, problem_together
from felt.nouns.values import parts_of, replace


def agree(draft: Draft, meter: Meter, terms: MeterTerms, reason: str) -> None:
    problem = problem_of(terms) or _problem_with_others(draft, meter, terms)
    if problem:
        raise RefusedError(f"The meter {terms.name!r} cannot have these terms: {problem}.")
    if terms == meter.terms:
        raise RefusedError(f"The meter {terms.name!r} has these terms already.")
    at_clear_only = draft.context.procedure.terms_take_effect is TermsTakeEffect.AT_CLEAR_ONLY
    agreed = Agreed(terms, draft.persons, reason, at_clear_only)
    draft.standing = with_meter(draft.standing, replace(meter, agreed=agreed))
    when = "At the next clear" if at_clear_only else "With the seed of the next cycle"
    said = f"{when}: {changes_between(meter.terms, terms)}. {reason}"
    draft.write(Code.TERMS_AGREED, meter=terms.name, detail=said)


def changes_between(former: MeterTerms, latter: MeterTerms) -> str:
    after = parts_of(latter)
    return listed(f"{name} {was} becomes {after[name]}" for name, was in parts_of(former).items() if was != after[name])


def _problem_with_others(draft: Draft, meter: Meter, terms: MeterTerms) -> str:
    """Nobody knows which meter is hit first: each of the others may grow by what is in force or by what is agreed."""
    if terms.rate_bp <= meter.terms.rate_bp:
        return ""
    known = [other.terms for other in draft.standing.meters]
    known += [other.agreed.terms for other in draft.standing.meters if other.agreed is not None]
    fastest = {other.name: other for other in sorted(known, key=_rate) if other.name != terms.name}
    problem = problem_together((*fastest.values(), terms))
    return f"{problem}; terms in force count until those agreed have replaced them" if problem else ""


def _rate(terms: MeterTerms) -> int:
    return terms.rate_bp
