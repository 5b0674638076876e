"""A small vocabulary in which the tests of the rulebooks write their rounds."""

from __future__ import annotations

from collections.abc import Mapping

from felt.nouns.cards import parse_cards
from felt.nouns.values import replace
from felt.rules import shelf
from felt.rules.meters import Amount, value_lines
from felt.rules.rulebook import Bettor, Box, Deal, Limit, Line, PostedOdds, Terms

PROGRESSIVE = "progressive-3-card-poker"
MULTI_LINK = "multi-link-3-card-poker"
PICTURES = "lucky-three-pictures"
CALIFORNIA = "california-three-card-poker"
STAX = "stax-three-card"

RWS_TERMS = Terms(
    limits=(Limit("ante", 2_500, 100_000), Limit("pair_plus", 1_000, 50_000)),
    progressive_stake=500,
    resets=(("major", 5_000_000),),
)
CALIFORNIA_TERMS = Terms(
    resets=(("major", 1_000_000),),
    envy=2_500,
    posted=(
        PostedOdds(
            "pair_plus",
            (
                ("mini_royal", 50),
                ("straight_flush", 40),
                ("three_of_a_kind", 30),
                ("straight", 6),
                ("flush", 3),
                ("pair", 1),
            ),
        ),
        PostedOdds("six_card_bonus", (("royal_flush", 1000), ("straight_flush", 200), ("three_of_a_kind", 5))),
    ),
)
STAX_TERMS = Terms(
    rates_bp=(("star", 500), ("spade", 500), ("heart", 700), ("diamond", 600)),
    pay_letters=(("player_bonus", "A"), ("six_card_bounty", "A")),
)
STAX_METERS: dict[str, Amount] = {"star": 150_000, "spade": 80_000, "heart": 60_000, "diamond": 40_000}


def box(
    cards: str,
    decision: str = "play",
    *,
    seat: int = 1,
    player: str = "",
    invalidated: bool = False,
    bets: Mapping[str, int] | None = None,
    **more: int | None,
) -> Box:
    return Box(
        seat, player or f"P{seat}", parse_cards(cards), decision, (*(bets or {}).items(), *more.items()), invalidated
    )


def shared_box(cards: str, *bettors: tuple[str, Mapping[str, int]], seat: int = 1) -> Box:
    return Box(
        seat, "", parse_cards(cards), "", (), False, tuple(Bettor(name, tuple(bets.items())) for name, bets in bettors)
    )


def deal(dealer: str, *boxes: Box, community: str = "", void: bool = False) -> Deal:
    return Deal(parse_cards(dealer), parse_cards(community), boxes, void)


def read(terms: Terms, **readings: str) -> Terms:
    return replace(terms, readings=tuple(readings.items()))


class Settled:
    """The lines of a round, found by bet and box."""

    def __init__(self, lines: tuple[Line, ...], meters: dict[str, Amount]) -> None:
        self.lines = lines
        self.meters = meters

    def line(self, bet: str, seat: int = 1, player: str = "") -> Line:
        (found,) = [line for line in self.lines if (line.bet, line.seat) == (bet, seat) and player in ("", line.player)]
        return found

    def money(self, bet: str, seat: int = 1, player: str = "") -> tuple[str, int | None, int | None, int | None]:
        line = self.line(bet, seat, player)
        return line.outcome, line.returned, line.lost, line.paid

    def bets(self, seat: int = 1) -> list[str]:
        return [line.bet for line in self.lines if line.seat == seat]


def settle(game: str, round_dealt: Deal, terms: Terms, meters: Mapping[str, Amount] | None = None) -> Settled:
    rulebook = shelf.rulebook(game)
    lines = rulebook.settle(round_dealt, terms)
    if not rulebook.meters or meters is None:
        return Settled(lines, {})
    return Settled(*value_lines(rulebook, lines, meters, terms))
