"""What holds for every round of every game, whatever was dealt and bet: money is conserved."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from felt.nouns.cards import DECK
from felt.nouns.values import replace
from felt.rules import shelf
from felt.rules.meters import RESERVE, accepted_stake, value_lines
from felt.rules.rulebook import DECISIONS, Bettor, Box, Deal, Limit, Rulebook, Terms
from tests.rules.rounds import CALIFORNIA_TERMS, STAX_TERMS

STAKES = st.one_of(st.just(0), st.integers(1, 200_000))


@st.composite
def deals(draw: st.DrawFn, book: Rulebook) -> Deal:
    cards = draw(st.permutations(DECK))
    names = [wager.name for wager in book.wagers]
    boxes: list[Box] = []
    for seat in range(1, draw(st.integers(1, 4)) + 1):
        hand = tuple(cards[3 * seat + 2 : 3 * seat + 5])
        player = draw(st.sampled_from("ABC"))
        invalidated = draw(st.integers(0, 9)) == 0
        if book.has_bettors:
            bettors = tuple(
                Bettor(name, tuple(draw(st.dictionaries(st.sampled_from(names), STAKES)).items())) for name in "AB"
            )
            boxes.append(Box(seat, "", hand, "", (), invalidated, bettors))
            continue
        bets = tuple(draw(st.dictionaries(st.sampled_from(names), STAKES)).items())
        boxes.append(Box(seat, player, hand, draw(st.sampled_from(DECISIONS)), bets, invalidated))
    community = tuple(cards[3 : 3 + book.community_cards])
    return Deal(tuple(cards[:3]), community, tuple(boxes), draw(st.integers(0, 19)) == 0)


@st.composite
def terms_of(draw: st.DrawFn, book: Rulebook) -> Terms:
    base = {"california-three-card-poker": CALIFORNIA_TERMS, "stax-three-card": STAX_TERMS}.get(book.id, Terms())
    readings = tuple((reading.name, draw(st.sampled_from(reading.values))) for reading in book.readings)
    rates = {meter: draw(st.integers(0, 900)) for meter in book.meters}
    maximum = draw(st.integers(1_000, 150_000))
    return replace(
        base,
        limits=tuple(Limit(wager.name, 500, maximum) for wager in book.wagers if wager.name != "progressive"),
        progressive_stake=draw(st.one_of(st.none(), st.integers(1, 1_000))) if book.meters else None,
        resets=tuple((meter, 100_000) for meter in book.meters),
        rates_bp=tuple(rates.items()),
        reserves_bp=tuple((meter, draw(st.integers(0, rate))) for meter, rate in rates.items()),
        readings=readings,
    )


@pytest.mark.parametrize("game", shelf.GAMES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_stake_is_returned_or_lost_and_every_bet_has_one_line(game: str, data: st.DataObject) -> None:
    book = shelf.rulebook(game)
    dealt = data.draw(deals(book))
    terms = data.draw(terms_of(book))
    lines = book.settle(dealt, terms)
    for line in lines:
        assert line.stake is not None
        assert line.returned is not None
        assert line.lost is not None
        assert line.returned + line.lost == line.stake
        assert line.returned >= 0
        assert line.lost >= 0
        assert line.paid is None or line.paid >= 0
        assert line.rule
        assert line.because.endswith(".")
        assert (line.paid is None) == bool(line.level)
        if line.outcome in ("returned", "push"):
            assert (line.lost, line.paid) == (0, 0)
        if line.outcome == "lose":
            assert line.paid == 0
    placed = sorted(
        (box.seat, player, bet, stake)
        for box in dealt.boxes
        for player, bets in [(box.player, box.bets), *((bettor.player, bettor.bets) for bettor in box.bettors)]
        for bet, stake in bets
        if stake
    )
    assert sorted((line.seat, line.player, line.bet, line.stake) for line in lines if line.stake) == placed


@pytest.mark.parametrize("game", [game for game in shelf.GAMES if shelf.rulebook(game).meters])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_meters_change_by_growth_seeds_and_awards_and_nothing_else(game: str, data: st.DataObject) -> None:
    book = shelf.rulebook(game)
    dealt = data.draw(deals(book))
    terms = data.draw(terms_of(book))
    lines = book.settle(dealt, terms)
    before = {meter: Fraction(data.draw(st.integers(0, 10**9)), 8) for meter in book.meters}
    before |= {meter + RESERVE: Fraction(5) for meter in book.meters}
    valued, after = value_lines(book, lines, before, terms)
    stakes = sum(accepted_stake(line, book.prescribed_stake(terms)) for line in lines)
    majors = [line for line in valued if line.level]
    if not majors:
        for meter, rate in terms.rates_bp:
            growth = after[meter] + after[meter + RESERVE] - before[meter] - before[meter + RESERVE]
            assert growth == Fraction(stakes * rate, 10_000)
    for line in majors:
        assert line.paid is not None
    untouched = set(book.meters) - {line.level for line in majors}
    for meter in untouched:
        assert after[meter] >= before[meter]
    if dealt.void:
        assert after == before
    assert [replace(line, paid=None) for line in valued] == [replace(line, paid=None) for line in lines]
