"""One source: what the enumeration counts is what `felt settle` pays. Every class of hands, every kind of deal and a
large sample go through both, folded and played, and each bet must come to the same."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from felt.nouns.cards import DECK, INDEX_OF, Card
from felt.nouns.values import replace
from felt.odds.exact import Outcome
from felt.odds.kinds import Enumerated
from felt.odds.settled import OF_THE_ANTE, STAKE, Cards, Kind, Settlement, by_code
from felt.odds.side_bets import outcome_of, posted_tables
from felt.odds.wagers import AnteAndPlay
from felt.rules import shelf
from felt.rules.hands import FIVE_CARD_CATEGORY, THREE_CARD_CATEGORY, five_card_rank, pictures_rank, three_card_rank
from felt.rules.rulebook import FOLD, PLAY, Rulebook, Terms
from felt.settling.stream import settle_stream
from tests.odds.test_published import house_terms

SAMPLE, WHOLE_SAMPLE = 2_000, 400_000  # random deals beside one for every class of hands
METER = 123_456_700  # minor units, so that a share of it is whole
SEED = 2_023
BATCH = 5_000


class Dealt(NamedTuple):
    cards: Cards
    decision: str


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("game", shelf.GAMES)
def test_the_enumeration_pays_what_felt_settle_pays(counted: Enumerated, game: str, full: bool) -> None:
    chance = random.Random(SEED)
    book = shelf.rulebook(game)
    expected = Expected(book, house_terms(game), counted)
    deals = [_dealt(book, chance, counted.hands.names(player.hand)) for player in counted.classes]
    deals += expected.of_every_kind(chance)
    deals += [_dealt(book, chance, ()) for _ in range(WHOLE_SAMPLE if full else SAMPLE)]
    seen: set[tuple[str, str]] = set()
    for first in range(0, len(deals), BATCH):
        batch = deals[first : first + BATCH]
        source = b"".join(json.dumps(expected.request(dealt)).encode() + b"\n" for dealt in batch)
        sink = io.BytesIO()
        assert settle_stream(io.BytesIO(source), sink) == 0, sink.getvalue()[:500]
        for dealt, answer in zip(batch, sink.getvalue().splitlines(), strict=True):
            told = _paid(json.loads(answer))
            for bet, outcome in expected.outcomes(dealt).items():
                seen.add((bet, outcome.name))
                net = outcome.net + outcome.share * METER / expected.stake_of(bet) if outcome.meter else outcome.net
                assert told[bet] == net * expected.stake_of(bet), (bet, dealt, outcome, told)
    print(f"\n{game}: {len(deals):,} deals, {len(seen)} outcomes of {len(expected.bets)} bets")


def _dealt(book: Rulebook, chance: random.Random, player: tuple[Card, ...]) -> Dealt:
    others = chance.sample([card for card in DECK if card not in player], 8)
    own = player or tuple(others[5:8])
    decision = chance.choice((PLAY, PLAY, FOLD)) if book.has_fold else PLAY
    return Dealt(Cards(own, tuple(others[:3]), tuple(others[3 : 3 + book.community_cards])), decision)


def _paid(answer: dict[str, Any]) -> dict[str, int]:
    """What each bet came to; Ante, Play and Ante Bonus together."""
    (box,) = answer["boxes"]
    lines = box["lines"] if "lines" in box else [line for bettor in box["bettors"] for line in bettor["lines"]]
    paid: dict[str, int] = {}
    for line in lines:
        bet = "ante" if line["bet"] in OF_THE_ANTE else line["bet"]
        paid[bet] = paid.get(bet, 0) + line["paid"] - line["lost"]
    return paid


class Expected:
    """What the enumeration says of one deal: its code, and the outcome of that code."""

    def __init__(self, book: Rulebook, terms: Terms, counted: Enumerated) -> None:
        self.book, self.terms = book, replace(terms, limits=())
        self._counted = counted
        self._settlement = Settlement(book, self.terms)
        self._ante = AnteAndPlay(self._settlement, counted.compared(book, terms)) if book.has_fold else None
        self.bets = [wager.name for wager in book.wagers if wager.name != "play"]
        self._known: dict[tuple[str, object, str], Outcome] = {}
        self._three = {_three_key(kind.cards): kind for kind in counted.by_three_cards[1]}
        self._five = {_five_key(kind.cards): kind for kind in counted.by_five_cards[1]}
        self._pictures = {_pictures_key(kind.cards): kind for kind in counted.by_pictures[1]}
        self._six = by_code(counted.six_cards.kinds)
        self._sets = by_code(counted.by_sets_of_six[1])

    def of_every_kind(self, chance: random.Random) -> list[Dealt]:
        """The rarest too: nobody meets a royal flush of six cards in a sample."""
        kinds = (*self._three.values(), *self._five.values(), *self._pictures.values(), *self._counted.six_cards.kinds)
        found = []
        for kind in kinds:
            known = (*kind.cards.player, *kind.cards.dealer, *kind.cards.community)
            others = chance.sample([card for card in DECK if card not in known], 2)
            community = (kind.cards.community or tuple(others))[: self.book.community_cards]
            cards = Cards(kind.cards.player, kind.cards.dealer, community)
            found += [Dealt(cards, decision) for decision in ((PLAY, FOLD) if self.book.has_fold else (PLAY,))]
        return found

    def stake_of(self, bet: str) -> int:
        return self._settlement.stake_of(bet)

    def request(self, dealt: Dealt) -> dict[str, Any]:
        bets = {bet: self.stake_of(bet) for bet in self.bets}
        if self.book.has_fold and dealt.decision == PLAY:
            bets["play"] = STAKE
        box: dict[str, Any] = {"box": 1, "cards": dealt.cards.player}
        if self.book.has_bettors:
            box["bettors"] = [{"player": "A", "bets": bets}]
        else:
            box |= {"player": "A", "decision": dealt.decision, "bets": bets}
        told: dict[str, Any] = {"game": self.book.id, "dealer": dealt.cards.dealer, "boxes": [box]}
        told["table"] = self._table()
        if self.book.community_cards:
            told["community"] = dealt.cards.community
        if self.book.meters:
            told["meters"] = dict.fromkeys(self.book.meters, METER)
        return told

    def _table(self) -> dict[str, Any]:
        pays: dict[str, Any] = dict(self.terms.pay_letters)
        pays |= {posted.bet: dict(posted.rows) for posted in self.terms.posted}
        told: dict[str, Any] = {"pay_tables": pays} if pays else {}
        if self.book.meters:
            told["progressive"] = {
                "stake": self.stake_of("progressive"),
                "reset": dict(self.terms.resets),
                "rate_bp": dict.fromkeys(self.book.meters, 0),
            }
            if self.terms.envy is not None:
                told["progressive"]["envy"] = self.terms.envy
        return told

    def outcomes(self, dealt: Dealt) -> dict[str, Outcome]:
        return {bet: self._of_ante(dealt) if bet == "ante" else self._of_side(bet, dealt) for bet in self.bets}

    def _of_ante(self, dealt: Dealt) -> Outcome:
        assert self._ante is not None
        code = self._ante.comparison.tally.code_of(*self._places(dealt.cards))
        return self._ante.outcome(code, dealt.decision)

    def _places(self, cards: Cards) -> tuple[int, int]:
        place = self._counted.hands.place
        return place[_indices(cards.player)], place[_indices(cards.dealer)]

    def _of_side(self, bet: str, dealt: Dealt) -> Outcome:
        key, kind = self._kind(bet, dealt.cards)
        if (bet, key, dealt.decision) not in self._known:
            letter = dict(self.terms.pay_letters).get(bet, "")
            posted = posted_tables(self.book, self.terms)
            table = posted.get(bet) or next(
                pay_table for pay_table in self.book.pay_tables if pay_table.bet == bet and pay_table.letter == letter
            )
            bets = ("ante", "play") if self.book.has_fold else ("initial",)
            beside = bets if bet in bets else (*bets, bet)
            self._known[bet, key, dealt.decision] = outcome_of(self._settlement, table, kind, beside, dealt.decision)
        return self._known[bet, key, dealt.decision]

    def _kind(self, bet: str, cards: Cards) -> tuple[object, Kind]:
        if self.book.has_bettors:
            return _keyed(self._pictures, _pictures_key, cards)
        if bet in ("pair_plus", "player_bonus") or (bet == "progressive" and self.book.id == "stax-three-card"):
            return _keyed(self._three, _three_key, cards)
        if self.book.community_cards:
            return _keyed(self._five, _five_key, cards)
        code = self._counted.six_cards.tally.code_of(*self._places(cards))
        kinds = self._six[code] if bet == "progressive" else self._sets[code & ~2]
        suit = _suit_of_five(cards)
        (kind,) = kinds if len(kinds) == 1 else [kind for kind in kinds if _suit_of_five(kind.cards) == suit]
        return (code, suit), kind


def _keyed(
    kinds: dict[tuple[object, ...], Kind], key_of: Callable[[Cards], tuple[object, ...]], cards: Cards
) -> tuple[object, Kind]:
    key = key_of(cards)
    return key, kinds[key]


def _indices(cards: tuple[Card, ...]) -> tuple[int, ...]:
    return tuple(sorted(INDEX_OF[card] for card in cards))


def _three_key(cards: Cards) -> tuple[object, ...]:
    """What a pay table of three cards may tell apart."""
    first, second, third = (INDEX_OF[card] for card in cards.player)
    category = THREE_CARD_CATEGORY[three_card_rank(first, second, third)]
    suit = cards.player[0][1] if category in ("straight_flush", "mini_royal") else ""
    return category, suit, sorted(card[0] for card in cards.player) == ["2", "3", "A"]


def _five_key(cards: Cards) -> tuple[object, ...]:
    five = [INDEX_OF[card] for card in (*cards.player, *cards.community)]
    return (FIVE_CARD_CATEGORY[five_card_rank(five[0], five[1], five[2], five[3], five[4])],)


def _pictures_key(cards: Cards) -> tuple[object, ...]:
    ranks = []
    for hand in (cards.player, cards.dealer):
        first, second, third = (INDEX_OF[card] for card in hand)
        ranks.append(pictures_rank(first, second, third))
    return tuple(ranks)


def _suit_of_five(cards: Cards) -> str:
    suits = [card[1] for card in (*cards.player, *cards.dealer)]
    return next((suit for suit in "cdhs" if suits.count(suit) >= 5), "")


def test_a_share_is_told_in_wholes_of_a_meter() -> None:
    """The meter of this test makes every share whole, so that no rounding hides a difference."""
    assert all((Fraction(METER) / parts).denominator == 1 for parts in (1, 4, 10))
