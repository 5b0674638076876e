"""What a wager gives back on average, where the house's own terms decide it: posted odds, a chosen pay table, the
stake and the meters of a progressive. Exact fractions from the numbers of hands; a table that would pay out more
than it takes in is refused when its configuration is read. Bets that need a strategy (Ante with Play) are not here."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from felt.nouns.money import BASIS_POINTS
from felt.nouns.named import NamedTuple
from felt.rules.meters import reset_value
from felt.rules.rulebook import Odds, OddsKind, Rulebook, Terms, readings_in_force
from felt.rules.verdicts import letter_of, minor_per_unit, posted_odds

# How many of all hands make what, best first. Tests count them again.
THREE_CARD_HANDS = 22_100
THREE_CARD_COUNTS = {
    "mini_royal": 4, "straight_flush": 44, "three_of_a_kind": 52, "straight": 720, "flush": 1_096, "pair": 3_744,
}
FIVE_CARD_HANDS = 2_598_960
FIVE_CARD_COUNTS = {
    "royal_flush": 4, "straight_flush": 36, "four_of_a_kind": 624, "full_house": 3_744, "flush": 5_108,
    "straight": 10_200,
}
SIX_CARD_HANDS = 20_358_520  # best five of six
SIX_CARD_COUNTS = {
    "royal_flush": 188, "straight_flush": 1_656, "four_of_a_kind": 14_664, "full_house": 165_984,
    "flush": 205_792, "straight": 361_620, "three_of_a_kind": 732_160, "two_pair": 2_532_816, "pair": 9_730_740,
}
SIX_CARD_ROYALS = 4  # nine to ace of one suit: all six cards count


class Return(NamedTuple):
    """A part of every stake that goes back to the players: what the odds and the meters at their reset values
    give, and what the growth of the meters gives in time."""

    bet: str
    by_odds: Fraction
    by_growth: Fraction

    @property
    def whole(self) -> Fraction:
        return self.by_odds + self.by_growth


def say_percent(part: Fraction) -> str:
    """`84.51%`, cut after two digits."""
    hundredths = part.numerator * 10_000 // part.denominator
    return f"{hundredths // 100}.{hundredths % 100:02d}%"


def returns_of(book: Rulebook, terms: Terms) -> tuple[Return, ...]:
    """The returns that hang on the house's terms, for the game's own wagers."""
    return tuple(_RETURNS[book.id](book, terms)) if book.id in _RETURNS else ()


def _average(counts: Mapping[str, int], hands: int, odds: Mapping[str, int]) -> Fraction:
    """Odds to 1: the stake comes back with every win."""
    return Fraction(sum(count * (odds[hand] + 1) for hand, count in counts.items() if odds.get(hand)), hands)


def _progressive(
    book: Rulebook, terms: Terms, counts: Mapping[str, int], hands: int, pays: Mapping[str, Odds], stake_reading: str
) -> Return:
    stake = book.prescribed_stake(terms)
    if not stake:
        return Return("progressive", Fraction(0), Fraction(0))
    stake_back = readings_in_force(book, terms)[stake_reading] == "returned"
    by_odds = sum(
        (Fraction(count, hands) * _worth(book, terms, pays[hand], stake, stake_back) for hand, count in counts.items()),
        Fraction(0),
    )
    growth = Fraction(sum(rate for _, rate in terms.rates_bp), BASIS_POINTS)
    return Return("progressive", by_odds, growth)


def _worth(book: Rulebook, terms: Terms, odds: Odds, stake: int, stake_back: bool) -> Fraction:
    """One award in stakes."""
    if odds.kind is OddsKind.TO:
        return Fraction(odds.amount, odds.per) + 1
    back = 1 if stake_back and odds.kind is not OddsKind.FOR else 0
    if odds.kind is OddsKind.FOR:
        return Fraction(odds.amount)
    if odds.kind is OddsKind.SUM:
        return Fraction(odds.amount * minor_per_unit(terms.currency), stake) + back
    reset = reset_value(book, odds.meter, terms)
    return Fraction(reset * odds.amount, odds.per * stake) + back


# --- the games ---------------------------------------------------------------------------------------


def _progressive_3_card(book: Rulebook, terms: Terms) -> list[Return]:
    royals = SIX_CARD_COUNTS["royal_flush"]
    counts = {
        "royal_flush_spades": royals // 4,
        "royal_flush": royals - royals // 4,
        **{hand: SIX_CARD_COUNTS[hand] for hand in ("straight_flush", "four_of_a_kind", "full_house", "flush")},
    }
    pays = _pays(book)
    return [_progressive(book, terms, counts, SIX_CARD_HANDS, pays, "pj_stake_on_win")]


def _multi_link(book: Rulebook, terms: Terms) -> list[Return]:
    return [_progressive(book, terms, FIVE_CARD_COUNTS, FIVE_CARD_HANDS, _pays(book), "pj_stake_on_win")]


def _california(book: Rulebook, terms: Terms) -> list[Return]:
    pair_plus = _average(THREE_CARD_COUNTS, THREE_CARD_HANDS, posted_odds(terms, "pair_plus", book.id))
    bonus = _average(SIX_CARD_COUNTS, SIX_CARD_HANDS, posted_odds(terms, "six_card_bonus", book.id))
    return [
        Return("pair_plus", pair_plus, Fraction(0)),
        Return("six_card_bonus", bonus, Fraction(0)),
        _california_progressive(book, terms),
    ]


def _california_progressive(book: Rulebook, terms: Terms) -> Return:
    """A mini-royal is counted among the player's three cards, a royal among all six; envy from one other box."""
    pays = _pays(book)
    stake = book.prescribed_stake(terms) or 1
    stake_back = readings_in_force(book, terms)["progressive_stake_on_win"] == "returned"
    of_three = Fraction(THREE_CARD_COUNTS["mini_royal"], THREE_CARD_HANDS)
    of_six = Fraction(SIX_CARD_COUNTS["royal_flush"], SIX_CARD_HANDS)
    by_odds = of_three * _worth(book, terms, pays["mini_royal"], stake, stake_back)
    by_odds += of_six * _worth(book, terms, pays["royal_flush"], stake, stake_back)
    by_odds += of_three * Fraction(terms.envy or 0, stake)
    return Return("progressive", by_odds, Fraction(sum(rate for _, rate in terms.rates_bp), BASIS_POINTS))


def _stax(book: Rulebook, terms: Terms) -> list[Return]:
    bonus = _lettered(book, "player_bonus", letter_of(terms, "player_bonus", book.id))
    bounty = _lettered(book, "six_card_bounty", letter_of(terms, "six_card_bounty", book.id))
    royals, flushes = THREE_CARD_COUNTS["mini_royal"], THREE_CARD_COUNTS["straight_flush"]
    counts = {
        "royal_flush_diamonds": royals // 4,
        "royal_flush": royals - royals // 4,
        "straight_flush_diamonds": flushes // 4,
        "straight_flush": flushes - flushes // 4,
        **{hand: THREE_CARD_COUNTS[hand] for hand in ("three_of_a_kind", "straight", "flush")},
    }
    six = {**SIX_CARD_COUNTS, "royal_flush": SIX_CARD_COUNTS["royal_flush"] - SIX_CARD_ROYALS}
    # Where the six-card royal has no row of its own it is still a royal flush.
    bounty = {"six_card_royal": bounty.get("six_card_royal", bounty["royal_flush"]), **bounty}
    six["six_card_royal"] = SIX_CARD_ROYALS
    return [
        Return("player_bonus", _average(THREE_CARD_COUNTS, THREE_CARD_HANDS, bonus), Fraction(0)),
        Return("six_card_bounty", _average(six, SIX_CARD_HANDS, bounty), Fraction(0)),
        _progressive(book, terms, counts, THREE_CARD_HANDS, _pays(book), "stax_stake_on_meter_win"),
    ]


def _pays(book: Rulebook) -> dict[str, Odds]:
    return dict(next(table.rows for table in book.pay_tables if table.bet == "progressive"))


def _lettered(book: Rulebook, bet: str, letter: str) -> dict[str, int]:
    tables = [table for table in book.pay_tables if (table.bet, table.letter) == (bet, letter)]
    return {hand: odds.amount for hand, odds in tables[0].rows} if tables else {}


_RETURNS = {
    "progressive-3-card-poker": _progressive_3_card,
    "multi-link-3-card-poker": _multi_link,
    "california-three-card-poker": _california,
    "stax-three-card": _stax,
}
