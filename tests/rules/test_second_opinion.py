"""The product's settlement against a second, independent one, on random rounds made to be interesting."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from felt.nouns.cards import DECK
from felt.rules import shelf
from felt.rules.rulebook import Rulebook
from felt.settling.stream import settle_line
from tests.rules.second_opinion import Opinion

POSTED = {
    "pair_plus": {"mini_royal": 50, "straight_flush": 40, "three_of_a_kind": 30, "straight": 6, "flush": 3, "pair": 1},
    "six_card_bonus": {
        "royal_flush": 1000,
        "straight_flush": 200,
        "four_of_a_kind": 50,
        "full_house": 25,
        "flush": 15,
        "straight": 10,
        "three_of_a_kind": 5,
    },
}
PRINTED = {"star": 100_000, "spade": 50_000, "heart": 40_000, "diamond": 25_000, "major": 5_000_000}


def cards_of(chance: random.Random, count: int) -> list[str]:
    """Sometimes from a short deck, so that great hands are as common as small ones."""
    kind = chance.randrange(4)
    deck = [
        str(card)
        for card in DECK
        if kind == 0
        or (kind == 1 and card[1] == chance.choice("sd"))
        or (kind == 2 and card[0] in "9TJQKA")
        or (kind == 3 and card[0] in "A2345" + "TJQKA")
    ]
    first = chance.sample(deck, min(count, len(deck)))
    rest = [str(card) for card in DECK if card not in first]
    return first + chance.sample(rest, count - len(first))


def stake_of(chance: random.Random) -> int:
    return chance.choice([0, 100, 500, 500, 700, 1001, 5000, 5000, 8000, 120_000])


def random_request(book: Rulebook, chance: random.Random) -> dict[str, Any]:
    boxes = chance.randrange(1, 4)
    cards = cards_of(chance, 3 + book.community_cards + 3 * boxes)
    request: dict[str, Any] = {"id": 1, "game": book.id, "dealer": cards[:3], "boxes": []}
    if book.community_cards:
        request["community"] = cards[3:5]
    for place in range(boxes):
        begin = 3 + book.community_cards + 3 * place
        request["boxes"].append(random_box(book, place + 1, cards[begin : begin + 3], chance))
    request["table"] = random_table(book, chance)
    if book.meters:
        request["meters"] = {meter: chance.randrange(4_000_000, 9_000_000) for meter in book.meters}
    if chance.randrange(3) == 0:
        request["readings"] = {
            reading.name: chance.choice(reading.values)
            for reading in book.readings
            if reading.name not in ("prorata_minimum",)
        }
    if chance.randrange(30) == 0:
        request["void"] = True
    return request


def random_box(book: Rulebook, seat: int, cards: list[str], chance: random.Random) -> dict[str, Any]:
    names = [wager.name for wager in book.wagers]
    box: dict[str, Any] = {"box": seat, "cards": cards}
    if chance.randrange(20) == 0:
        box["invalidated"] = True

    def bets() -> dict[str, int]:
        return {name: stake_of(chance) for name in names if chance.randrange(4)}

    if book.has_bettors:
        return {**box, "bettors": [{"player": player, "bets": bets()} for player in "AB"[: chance.randrange(1, 3)]]}
    if chance.randrange(4) == 0:
        box["established"] = chance.randrange(3) == 0
    decision = chance.choice(["play", "play", "play", "fold", "walk_away", "refuse_reveal"])
    return {**box, "player": chance.choice("ABC"), "decision": decision, "bets": bets()}


def random_table(book: Rulebook, chance: random.Random) -> dict[str, Any]:
    table: dict[str, Any] = {}
    if chance.randrange(2):
        table["limits"] = {
            wager.name: {"min": 600, "max": chance.choice([6000, 100_000])}
            for wager in book.wagers
            if wager.name not in ("progressive", "play")
        }
    if book.meters:
        table["progressive"] = {"reset": {meter: PRINTED[meter] for meter in book.meters}}
        if chance.randrange(2):
            table["progressive"]["stake"] = 500
        if chance.randrange(2):
            table["progressive"]["rate_bp"] = {meter: chance.randrange(0, 900) for meter in book.meters}
    if book.posted_rows:
        table["pay_tables"] = POSTED
        table["progressive"]["envy"] = 2_500
    if book.letters:
        table["pay_tables"] = {bet: chance.choice("ABC") for bet in book.letters}
    return table


def money_of(answer: dict[str, Any]) -> dict[tuple[int, str, str], tuple[int, int, int]]:
    found = {}
    for box in answer["boxes"]:
        for bettor in box.get("bettors", [box]):
            for line in bettor["lines"]:
                assert line["returned"] + line["lost"] == line["stake"]
                key = (box["box"], bettor["player"], line["bet"])
                assert key not in found
                found[key] = (line["returned"], line["lost"], line["paid"])
    return found


@pytest.mark.parametrize("game", shelf.GAMES)
def test_two_settlements_of_one_round_agree(game: str, full: bool) -> None:
    book = shelf.rulebook(game)
    chance = random.Random(game)
    defaults = {reading.name: reading.default for reading in book.readings}
    for _ in range(40_000 if full else 1_200):
        request = random_request(book, chance)
        answer = json.loads(settle_line(json.dumps(request).encode()))
        opinion = Opinion(game, request, defaults)
        told = {key: money for key, money in opinion.money.items() if any(money)}
        assert {key: money for key, money in money_of(answer).items() if any(money)} == told, json.dumps(request)
        if book.meters:
            after = {meter: Fraction(value) for meter, value in answer["meters_after"].items()}
            assert after == opinion.meters, json.dumps(request)
