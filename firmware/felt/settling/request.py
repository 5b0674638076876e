"""Parses a line of `felt settle` strictly into a round to settle. Every error becomes one `SettleRefused` with a code.
Knows JSON and the shape of a request; the game's rules are in `felt.rules`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from felt.nouns.cards import Card
from felt.nouns.values import NotAChoice, ShapeError, Value, refuse_doubles, replace
from felt.rules import shelf
from felt.rules.meters import RESERVE, Amount, whole_if_whole
from felt.rules.rulebook import (
    DECISIONS,
    WALK_AWAY,
    Bettor,
    Box,
    Deal,
    Rulebook,
    RulesError,
    Terms,
)
from felt.settling.terms import (
    MONEY_MAX,
    Money,
    SettleRefused,
    misfit,
    read_terms,
    refuse_unknown,
)

LINE_BYTES_MAX = 1 << 20
# Spelled out, so the JSON decoder itself checks cards and interns one text per card.
CardName = Literal[
    "2c", "2d", "2h", "2s", "3c", "3d", "3h", "3s", "4c", "4d", "4h", "4s", "5c", "5d", "5h", "5s", "6c", "6d",
    "6h", "6s", "7c", "7d", "7h", "7s", "8c", "8d", "8h", "8s", "9c", "9d", "9h", "9s", "Tc", "Td", "Th", "Ts",
    "Jc", "Jd", "Jh", "Js", "Qc", "Qd", "Qh", "Qs", "Kc", "Kd", "Kh", "Ks", "Ac", "Ad", "Ah", "As",
]  # fmt: skip
Seat = Annotated[int, Meta(ge=1, le=999)]


class BettorRequest(Value):
    player: str
    bets: dict[str, Money]


class BoxRequest(Value):
    box: Seat
    player: str | UnsetType = UNSET
    cards: tuple[CardName, ...] | UnsetType = UNSET
    decision: str | UnsetType = UNSET
    bets: dict[str, Money] | UnsetType = UNSET
    bettors: list[BettorRequest] | UnsetType = UNSET
    invalidated: bool | UnsetType = UNSET
    established: bool | UnsetType = UNSET  # whether anybody has seen the hand
    dealt_at: int | float | UnsetType = UNSET


class RoundRequest(Value):
    game: str | UnsetType = UNSET
    id: Any = UNSET
    dealer: tuple[CardName, ...] | UnsetType = UNSET
    community: tuple[CardName, ...] | UnsetType = UNSET
    boxes: list[BoxRequest] | UnsetType = UNSET
    table: Raw | UnsetType = UNSET
    meters: dict[str, Money | str] | UnsetType = UNSET
    reserves: dict[str, Money | str] | UnsetType = UNSET
    readings: Raw | UnsetType = UNSET
    void: bool | UnsetType = UNSET
    tables: list[RoundRequest] | UnsetType = UNSET
    reset: dict[str, Money] | Money | UnsetType = UNSET


class RoundToSettle(Value):
    """One table's round, ready for its rulebook."""

    deal: Deal
    terms: Terms
    dealt_at: tuple[int | float | None, ...]  # by box


class SettleRequest(Value):
    id: Any
    rulebook: Rulebook
    rounds: tuple[RoundToSettle, ...]
    linked: bool
    meters: dict[str, Amount] | None
    terms: Terms  # the terms that value the meters


_request_decoder = msgspec.json.Decoder(RoundRequest)
_FRACTION = re.compile(r"([0-9]{1,30})/([0-9]{1,30})")


def read_request(line: bytes) -> SettleRequest:
    """The round, or the linked rounds, of one line. Raises `SettleRefused`."""
    request = _decode(line)
    identity = None if request.id is UNSET else request.id
    if request.game is UNSET:
        raise SettleRefused("F-602", "game: it is missing")
    rulebook = _rulebook(request.game)
    if request.tables is not UNSET:
        return _read_linked(identity, rulebook, request, request.tables)
    if request.reset is not UNSET:
        raise SettleRefused("F-602", "reset: this belongs to linked tables; a single table has table.progressive.reset")
    plain = _read_round(rulebook, request, request.table, request.readings)
    meters = _read_meters(rulebook, request)
    return SettleRequest(identity, rulebook, (plain,), False, meters, plain.terms)


def _decode(line: bytes) -> RoundRequest:
    try:
        line.decode("utf-8")
        request = _request_decoder.decode(line)
    except msgspec.ValidationError:
        raise _refusal_of(misfit(line, RoundRequest)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SettleRefused("F-601", f"not a JSON object in UTF-8: {error}") from None
    except RecursionError:
        raise SettleRefused("F-601", "not a request: its values are nested too deeply") from None
    if isinstance(request.id, dict | list) or (isinstance(request.id, int) and request.id.bit_length() > 64):
        raise SettleRefused("F-602", "id: it must be a text or a number of ordinary size")
    try:
        refuse_doubles(line)  # the decoder keeps the last of two keys
    except ShapeError as error:
        raise SettleRefused("F-601", str(error)) from None
    return request


@lru_cache(maxsize=64)
def _rulebook(game: str) -> Rulebook:
    try:
        return shelf.rulebook(game)
    except RulesError as error:
        raise SettleRefused("F-603", str(error)) from None


def _read_linked(
    identity: object, rulebook: Rulebook, request: RoundRequest, tables: list[RoundRequest]
) -> SettleRequest:
    for name in ("dealer", "community", "boxes", "void"):
        if getattr(request, name) is not UNSET:
            raise SettleRefused("F-602", f"{name}: with linked tables it belongs into each of tables")
    if not rulebook.meters:
        raise SettleRefused("F-602", f"tables: {rulebook.id} has no progressive that could link tables")
    if not tables:
        raise SettleRefused("F-602", "tables: there must be at least one")
    rounds: list[RoundToSettle] = []
    for place, linked in enumerate(tables):
        _check_linked_round(linked, request, place)
        table = request.table if linked.table is UNSET else linked.table
        readings = request.readings if linked.readings is UNSET else linked.readings
        rounds.append(_read_round(rulebook, linked, table, readings))
    meters = _read_meters(rulebook, request)
    terms = rounds[0].terms
    if request.reset is not UNSET:
        reset = request.reset
        if isinstance(reset, int):
            reset = dict.fromkeys(rulebook.meters, reset)
        refuse_unknown(rulebook.meters, reset, "F-608", "reset")
        terms = replace(terms, resets=tuple(reset.items()))
    return SettleRequest(identity, rulebook, tuple(rounds), True, meters, terms)


def _refusal_of(problem: ShapeError) -> SettleRefused:
    if isinstance(problem, NotAChoice):  # only cards are checked against a list of choices here
        return SettleRefused("F-604", f"{'.'.join(problem.path)}: not a card; write rank and suit, as in As, Td or 2c")
    return SettleRefused("F-602", f"the request does not fit: {problem}")


def _check_linked_round(linked: RoundRequest, request: RoundRequest, place: int) -> None:
    if linked.tables is not UNSET or linked.reset is not UNSET:
        raise SettleRefused("F-602", f"tables[{place}]: tables and reset belong beside each other at the top")
    if linked.game is not UNSET and linked.game != request.game:
        raise SettleRefused("F-602", f"tables[{place}].game: linked tables play one game, {request.game}")
    for name in ("meters", "reserves"):
        own = getattr(linked, name)
        if own is not UNSET and own != getattr(request, name):
            raise SettleRefused("F-608", f"tables[{place}].{name}: linked tables share the {name} given at the top")


def _read_round(
    rulebook: Rulebook, request: RoundRequest, table: Raw | UnsetType, readings: Raw | UnsetType
) -> RoundToSettle:
    terms = read_terms(
        rulebook,
        b"" if table is UNSET else bytes(table),
        b"" if readings is UNSET else bytes(readings),
    )
    if request.boxes is UNSET:
        raise SettleRefused("F-602", "boxes: it is missing")
    void = request.void is True
    dealer = _cards(request.dealer)
    community = _cards(request.community)
    boxes = tuple([_read_box(rulebook, box, void) for box in request.boxes])
    _check_cards(rulebook, dealer, community, boxes, void)
    if len({box.seat for box in boxes}) != len(boxes):
        raise SettleRefused("F-602", "boxes: a box is given twice")
    deal = Deal(dealer, community, boxes, void)
    times = tuple([None if box.dealt_at is UNSET else box.dealt_at for box in request.boxes])
    return RoundToSettle(deal, terms, times)


def _cards(cards: tuple[CardName, ...] | UnsetType) -> tuple[Card, ...]:
    return () if cards is UNSET else cards  # type: ignore[return-value]  # a CardName is a Card


def _check_cards(
    rulebook: Rulebook, dealer: tuple[Card, ...], community: tuple[Card, ...], boxes: tuple[Box, ...], void: bool
) -> None:
    seen = [*dealer, *community]
    for box in boxes:
        seen += box.cards
    if len(set(seen)) != len(seen):
        twice = next(card for card in seen if seen.count(card) > 1)
        raise SettleRefused("F-604", f"the card {twice} is there twice")
    if len(community) > rulebook.community_cards and not rulebook.community_cards:
        raise SettleRefused("F-602", f"community: {rulebook.id} has no community cards")
    if void:
        return  # a void round decides nothing, whatever was dealt
    if len(dealer) != 3:
        raise SettleRefused("F-604", f"dealer: 3 cards are dealt, not {len(dealer)}")
    if len(community) != rulebook.community_cards:
        raise SettleRefused("F-604", f"community: {rulebook.community_cards} cards are dealt, not {len(community)}")
    for box in boxes:
        if len(box.cards) != 3 and rulebook.in_play(box):
            raise SettleRefused("F-604", f"box {box.seat}: 3 cards are dealt, not {len(box.cards)}")


def _read_box(rulebook: Rulebook, request: BoxRequest, void: bool) -> Box:
    cards = _cards(request.cards)
    invalidated = request.invalidated is True
    decision = "" if request.decision is UNSET else request.decision
    if rulebook.has_bettors:
        return _read_shared_box(rulebook, request, cards, decision)
    if request.bettors is not UNSET:
        raise SettleRefused("F-602", f"box {request.box}: {rulebook.id} has one player a box, under player and bets")
    if request.player is UNSET or request.bets is UNSET:
        raise SettleRefused("F-602", f"box {request.box}: it needs a player and bets")
    bets = request.bets
    _check_bets(rulebook, bets, request.box)
    if decision:
        if decision not in DECISIONS:
            raise SettleRefused("F-605", f"box {request.box}: {decision[:40]!r} is not one of {', '.join(DECISIONS)}")
    elif bets.get("ante") and not void and not invalidated:
        raise SettleRefused("F-605", f"box {request.box}: an Ante needs a decision, one of {', '.join(DECISIONS)}")
    established = request.established is not False
    return Box(
        request.box, request.player, cards, decision, tuple(bets.items()), invalidated, established=established
    )


def _read_shared_box(rulebook: Rulebook, request: BoxRequest, cards: tuple[Card, ...], decision: str) -> Box:
    if request.player is not UNSET or request.bets is not UNSET:
        raise SettleRefused("F-602", f"box {request.box}: {rulebook.id} has bettors in place of player and bets")
    if request.bettors is UNSET:
        raise SettleRefused("F-602", f"box {request.box}: bettors is missing")
    if decision not in ("", WALK_AWAY):
        raise SettleRefused("F-605", f"box {request.box}: {rulebook.id} has no decision {decision[:40]!r}")
    for bettor in request.bettors:
        _check_bets(rulebook, bettor.bets, request.box)
    bettors = tuple([Bettor(bettor.player, tuple(bettor.bets.items())) for bettor in request.bettors])
    return Box(request.box, "", cards, decision, (), request.invalidated is True, bettors)


@lru_cache(maxsize=16)
def _wager_names(rulebook: Rulebook) -> frozenset[str]:
    return frozenset(wager.name for wager in rulebook.wagers)


def _check_bets(rulebook: Rulebook, bets: Mapping[str, int], seat: int) -> None:
    names = _wager_names(rulebook)
    if not bets.keys() <= names:
        stranger = next(name for name in bets if name not in names)
        known = ", ".join(wager.name for wager in rulebook.wagers)
        raise SettleRefused("F-605", f"box {seat}: {stranger[:40]!r} is not a bet of {rulebook.id}: use {known}")


def _read_meters(rulebook: Rulebook, request: RoundRequest) -> dict[str, Amount] | None:
    meters = request.meters
    if meters is UNSET and request.reserves is UNSET:
        return None
    values: dict[str, Amount] = {}
    for name, given, suffix in (("meters", meters, ""), ("reserves", request.reserves, RESERVE)):
        if given is UNSET:
            continue
        refuse_unknown(rulebook.meters, given, "F-608", name)
        for meter, value in given.items():
            values[meter + suffix] = value if isinstance(value, int) else _fraction(value, f"{name}.{meter}")
    return values


def _fraction(text: str, where: str) -> Amount:
    found = _FRACTION.fullmatch(text)
    if not found or not int(found[2]) or int(found[1]) > MONEY_MAX * int(found[2]):
        problem = f"{text[:40]!r} is not a meter's value: write a whole number or a text as 7/2"
        raise SettleRefused("F-608", f"{where}: {problem}")
    return whole_if_whole(Fraction(int(found[1]), int(found[2])))
