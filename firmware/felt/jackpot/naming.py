"""What persons ask for and what comes of it, by the names of its fields. Pure."""

from __future__ import annotations

from typing import Any

from felt.jackpot.draft import Draft, RefusedError, listed
from felt.jackpot.meters import Meter
from felt.jackpot.standing import Standing, meter_named
from felt.jackpot.terms import MeterTerms
from felt.nouns.values import to_plain

PURSES = ("display", "reserve", "overflow")


def named_terms(standing: Standing, fields: dict[str, Any]) -> dict[str, Any]:
    """`{"meter": "major", "reset_minor": 5000}`: whatever is not named stays as it is agreed on, or in force."""
    meter = meter_named(standing, str(fields.get("meter")))
    if meter is None:
        names = listed(repr(one.terms.name) for one in standing.meters)
        raise RefusedError(f"ChangeTerms names no meter of this controller: name one as meter, of {names}.")
    agreed = next((one.terms for one in standing.agreed if one.terms.name == meter.terms.name), meter.terms)
    changes = {name: value for name, value in fields.items() if name != "meter"}
    known = [name for name in MeterTerms._fields if name != "name"]
    for name in changes:
        if name not in known:
            raise RefusedError(f"The terms of a meter have no field {name[:40]!r}: use {listed(known)}.")
    if not changes:
        raise RefusedError(f"ChangeTerms changes nothing: name what becomes otherwise, of {listed(known)}.")
    parts = dict(zip(MeterTerms._fields, to_plain(agreed), strict=True))
    return {"terms": [*(parts | changes).values()]}


def shown(before: Standing, draft: Draft) -> dict[str, Any]:
    """By meter what would be otherwise, each before and after, and what would be written down."""
    meters: dict[str, dict[str, list[Any]]] = {}
    terms = {one.terms.name: one.terms for one in draft.standing.agreed}
    for former, latter in zip(before.meters, draft.standing.meters, strict=True):
        name = former.terms.name
        changes = _purses(former, latter) | _terms(former.terms, terms.get(name, latter.terms))
        if changes:
            meters[name] = changes
    records = [
        {"kind": entry.kind.value, "meter": entry.meter, "claim": entry.claim, "detail": entry.detail}
        for entry in draft.entries
        if entry.account is None
    ]
    return {"meters": meters, "records": records}


def _purses(former: Meter, latter: Meter) -> dict[str, list[Any]]:
    pairs = {f"{purse}_micro": [getattr(former, purse), getattr(latter, purse)] for purse in PURSES}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _terms(former: MeterTerms, latter: MeterTerms) -> dict[str, list[Any]]:
    return {
        name: [before, after]
        for name, before, after in zip(MeterTerms._fields, former, latter, strict=True)
        if before != after
    }
