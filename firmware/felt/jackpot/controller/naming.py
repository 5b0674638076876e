"""What persons ask for and what comes of it, by the names of its fields. Pure."""

from __future__ import annotations

from typing import Any

from felt.jackpot.books.draft import Draft, RefusedError, listed
from felt.jackpot.books.meter import Meter
from felt.jackpot.books.standing import Standing, meter_named
from felt.jackpot.books.terms import MeterTerms
from felt.nouns.values import fields_of, parts_of, to_plain

PURSES = ("display", "reserve", "overflow")


def named_terms(standing: Standing, fields: dict[str, Any]) -> dict[str, Any]:
    """`{"meter": "major", "reset_minor": 5000}`: whatever is not named stays as it is agreed on, or in force."""
    meter = meter_named(standing, str(fields.get("meter")))
    if meter is None:
        names = listed(repr(known.name) for known in standing.meters)
        raise RefusedError(f"ChangeTerms names no meter of this controller: name one as meter, of {names}.")
    agreed = meter.terms if meter.agreed is None else meter.agreed.terms
    changes = {name: value for name, value in fields.items() if name != "meter"}
    known = [name for name in fields_of(MeterTerms) if name != "name"]
    for name in changes:
        if name not in known:
            raise RefusedError(f"The terms of a meter have no field {name[:40]!r}: use {listed(known)}.")
    if not changes:
        raise RefusedError(f"ChangeTerms changes nothing: name what becomes otherwise, of {listed(known)}.")
    return {"terms": to_plain(agreed) | changes}


def shown(before: Standing, draft: Draft) -> dict[str, Any]:
    """By meter what would be otherwise, each before and after, and what would be written down."""
    meters: dict[str, dict[str, list[Any]]] = {}
    for former, latter in zip(before.meters, draft.standing.meters, strict=True):
        agreed = latter.terms if latter.agreed is None else latter.agreed.terms
        changes = _purses(former, latter) | _terms(former.terms, agreed)
        if changes:
            meters[former.name] = changes
    records = [
        {"kind": entry.code.value, "meter": entry.meter, "claim": entry.claim, "detail": entry.detail}
        for entry in draft.entries
        if entry.debit is None
    ]
    return {"meters": meters, "records": records}


def _purses(former: Meter, latter: Meter) -> dict[str, list[Any]]:
    pairs = {f"{purse}_micro": [getattr(former, purse), getattr(latter, purse)] for purse in PURSES}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _terms(former: MeterTerms, latter: MeterTerms) -> dict[str, list[Any]]:
    after = parts_of(latter)
    return {name: [before, after[name]] for name, before in parts_of(former).items() if before != after[name]}
