"""The terms in a request of `felt settle`: limits, progressive, pay tables and readings, parsed strictly. Also the
codes of refusals."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from felt.nouns.values import ShapeError, Value, explain, replace
from felt.rules.rulebook import Limit, PostedOdds, Rulebook, RulesError, Terms, readings_in_force

MESSAGE_MAX = 400
MONEY_MAX = 10**15  # minor units; far above any meter, far below what a program could misread

# The codes of `felt settle`, each with its meaning and remedy.


class SettleRefused(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        # One readable sentence, whatever names the request contains.
        self.message = " ".join(message.split())[:MESSAGE_MAX]


Money = Annotated[int, Meta(ge=0, le=MONEY_MAX)]
BasisPoints = Annotated[int, Meta(ge=0, le=10_000)]


class LimitRequest(Value):
    min: Money = 0
    max: Money | None = None


class ProgressiveRequest(Value):
    stake: Annotated[int, Meta(ge=1, le=MONEY_MAX)] | None = None
    reset: dict[str, Money] = msgspec.field(default_factory=dict)
    rate_bp: dict[str, BasisPoints] = msgspec.field(default_factory=dict)
    reserve_bp: dict[str, BasisPoints] = msgspec.field(default_factory=dict)
    envy: Money | None = None


class TableRequest(Value):
    limits: dict[str, LimitRequest] = msgspec.field(default_factory=dict)
    progressive: ProgressiveRequest | None = None
    pay_tables: dict[str, str | dict[str, Annotated[int, Meta(ge=1, le=10**9)]]] = msgspec.field(default_factory=dict)


_table_decoder = msgspec.json.Decoder(TableRequest)
_readings_decoder = msgspec.json.Decoder(dict[str, str])


def misfit(text: bytes, kind: Any) -> ShapeError:
    """Why JSON that the decoder refused does not fit `kind`."""
    try:
        return explain(json.loads(text), kind)
    except (ValueError, RecursionError) as error:
        raise SettleRefused("F-601", f"not a JSON object: {error}") from None


def refuse_unknown(known: Iterable[str], given: Iterable[str], code: str, where: str) -> None:
    names = tuple(known)
    for name in given:
        if name not in names:
            choice = f"use {', '.join(names)}" if names else "this game has none"
            raise SettleRefused(code, f"{where}: {name[:40]!r} is unknown: {choice}")


@lru_cache(maxsize=256)
def read_terms(rulebook: Rulebook, table: bytes, readings: bytes) -> Terms:
    """Cached, because a table's terms are the same in every round."""
    terms = _read_table(rulebook, table) if table else Terms()
    if not readings:
        return terms
    terms = replace(terms, readings=_read_readings(readings))
    try:
        readings_in_force(rulebook, terms)
    except RulesError as error:
        raise SettleRefused("F-606", f"readings: {error}") from None
    return terms


def _read_readings(readings: bytes) -> tuple[tuple[str, str], ...]:
    try:
        chosen = _readings_decoder.decode(readings)
    except msgspec.MsgspecError:
        raise SettleRefused("F-602", f"readings: {misfit(readings, dict[str, str])}") from None
    return tuple(chosen.items())


def _read_table(rulebook: Rulebook, table: bytes) -> Terms:
    try:
        request = _table_decoder.decode(table)
    except msgspec.MsgspecError:
        raise SettleRefused("F-602", f"table: {misfit(table, TableRequest)}") from None
    refuse_unknown([wager.name for wager in rulebook.wagers], request.limits, "F-607", "table.limits")
    for bet, limit in request.limits.items():
        if limit.max is not None and limit.max < limit.min:
            raise SettleRefused("F-607", f"table.limits.{bet}: the maximum is below the minimum")
    letters, posted = _read_pay_tables(rulebook, request)
    progressive = request.progressive
    terms = Terms(
        limits=tuple(Limit(bet, limit.min, limit.max) for bet, limit in request.limits.items()),
        pay_letters=letters,
        posted=posted,
    )
    if progressive is None:
        return terms
    _check_progressive(rulebook, progressive)
    return replace(
        terms,
        progressive_stake=progressive.stake,
        resets=tuple(progressive.reset.items()),
        rates_bp=tuple(progressive.rate_bp.items()),
        reserves_bp=tuple(progressive.reserve_bp.items()),
        envy=progressive.envy,
    )


def _check_progressive(rulebook: Rulebook, progressive: ProgressiveRequest) -> None:
    if not rulebook.meters:
        raise SettleRefused("F-607", f"table.progressive: {rulebook.id} has no progressive")
    for name in ("reset", "rate_bp", "reserve_bp"):
        refuse_unknown(rulebook.meters, getattr(progressive, name), "F-607", f"table.progressive.{name}")
    for meter, reserve in progressive.reserve_bp.items():
        if reserve > progressive.rate_bp.get(meter, 0):
            where = f"table.progressive.reserve_bp.{meter}"
            raise SettleRefused("F-607", f"{where}: it is part of rate_bp and cannot exceed it")
    if progressive.envy is not None and not any(need == "envy" for need in rulebook.needs):
        raise SettleRefused("F-607", f"table.progressive.envy: {rulebook.id} does not take an envy amount")


def _read_pay_tables(
    rulebook: Rulebook, request: TableRequest
) -> tuple[tuple[tuple[str, str], ...], tuple[PostedOdds, ...]]:
    rows_of = dict(rulebook.posted_rows)
    refuse_unknown((*rulebook.letters, *rows_of), request.pay_tables, "F-607", "table.pay_tables")
    letters: list[tuple[str, str]] = []
    posted: list[PostedOdds] = []
    for bet, table in request.pay_tables.items():
        if bet in rows_of:
            if isinstance(table, str):
                raise SettleRefused("F-607", f"table.pay_tables.{bet}: post odds to 1 for each hand, not a letter")
            refuse_unknown(rows_of[bet], table, "F-607", f"table.pay_tables.{bet}")
            posted.append(PostedOdds(bet, tuple(table.items())))
            continue
        known = [pay_table.letter for pay_table in rulebook.pay_tables if pay_table.bet == bet]
        if not isinstance(table, str) or table not in known:
            raise SettleRefused("F-607", f"table.pay_tables.{bet}: choose a printed table, one of {', '.join(known)}")
        letters.append((bet, table))
    return tuple(letters), tuple(posted)


