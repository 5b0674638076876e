"""What a rulebook says about running the table: dealing methods, and its paragraphs on interruptions, failing
devices, late chips and voids. Data only; the table applies it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from felt.nouns.values import Value, parts_of, replace

HOUSE_ALONE = "house procedure"


class Community(StrEnum):
    NONE = "none"
    FIRST = "first"  # a set of two before the hands
    LAST = "last"  # card by card after the hands
    LAST_OF_THREE = "last_of_three"  # a set of three after the hands, one of them discarded


class Dealing(Value):
    """A dealing method. `one_by_one` deals one card to each box and the dealer in turn; otherwise whole hands are
    dealt."""

    name: str
    paragraph: str
    one_by_one: bool = False
    burns: bool = False
    community: Community = Community.NONE
    dealer_face_up: int = 0

    @property
    def words(self) -> str:
        """The description that players hear."""
        hands = "card by card" if self.one_by_one else "in sets of three"
        return f"{hands}{_COMMUNITY_WORDS[self.community]}"


_COMMUNITY_WORDS = {
    Community.NONE: "",
    Community.FIRST: ", the community cards first",
    Community.LAST: ", the community cards last",
    Community.LAST_OF_THREE: ", the community cards last and one of three discarded",
}


class Paragraphs(Value):
    """The paragraph for each case. A rulebook without irregularities uses the house procedure."""

    takes_part: str
    unbacked_bet: str
    established: str
    not_established: str
    device_before_seen: str
    device_after_seen: str
    no_progressive: str
    after_lock: str
    chip_positions: str
    foreign_card: str
    dealt_incorrectly: str
    dealer_count: str
    void_returns: str
    jackpot_shown: str
    dealing_error: str
    bets_back: str  # of an invalid hand
    box_barred: str
    walked_away: str
    over_maximum: str  # noticed while bets are open
    over_maximum_late: str  # settled at the maximum
    under_minimum: str
    under_minimum_late: str
    play_over: str
    play_under: str
    wrong_coin_amount: str
    walked_undecided: str
    refused_reveal: str  # empty if the rulebook has no rule on hands that are not shown
    without_progressive: str
    uncovered: str  # no paragraph covers it


class DealingProcedure(Value):
    methods: tuple[Dealing, ...]
    paragraphs: Paragraphs
    announced: str = ""  # the paragraph that has the method announced to players before each round
    alone: Paragraphs | None = None  # for a rulebook without irregularities, if the house adopted no other procedure

    def method(self, name: str) -> Dealing:
        return next(method for method in self.methods if method.name == name)


_RWS = Paragraphs(
    takes_part="3.6",
    unbacked_bet="5.4",
    established="5.7.1",
    not_established="5.7.2",
    device_before_seen="5.16",
    device_after_seen="5.17.1",
    no_progressive="5.17.2",
    after_lock="5.11",
    chip_positions="5.20",
    foreign_card="5.8.1",
    dealt_incorrectly="5.8.6",
    dealer_count="5.8.7",
    void_returns="5.21",
    jackpot_shown="4.6",
    dealing_error="5.10",
    bets_back="5.10.3",
    box_barred="5.17.2 b",
    walked_away="5.6",
    over_maximum="5.1",
    over_maximum_late="5.1.1",
    under_minimum="5.2",
    under_minimum_late="5.2.1",
    play_over="5.3.1",
    play_under="5.3.2",
    wrong_coin_amount="3.3",
    walked_undecided="5.5",
    refused_reveal="4.5",
    without_progressive="5.17.2 c",
    uncovered="5.23",
)


def _paragraphs(said: Callable[[str], str]) -> Paragraphs:
    """The first rulebook's paragraphs, each cited through `said`."""
    return Paragraphs(**{name: said(printed) if printed else "" for name, printed in parts_of(_RWS).items()})


def _house(takes_part: str, unbacked_bet: str) -> Paragraphs:
    """Cited as house procedure: the rulebook itself prints no irregularities."""
    borrowed = _paragraphs(lambda printed: f"house procedure, as 000 {printed}")
    return replace(borrowed, takes_part=takes_part, unbacked_bet=unbacked_bet, refused_reveal="")


def _alone(takes_part: str, unbacked_bet: str) -> Paragraphs:
    """There is nothing to cite: a supervisor decides."""
    nobodys = _paragraphs(lambda _: HOUSE_ALONE)
    return replace(nobodys, takes_part=takes_part, unbacked_bet=unbacked_bet)


PROCEDURES: dict[str, DealingProcedure] = {
    "progressive-3-card-poker": DealingProcedure(
        (Dealing("packets", "3.11"), Dealing("one_by_one", "3.10", one_by_one=True, burns=True)),
        _RWS,
    ),
    "multi-link-3-card-poker": DealingProcedure(
        (
            Dealing("community_last", "3.11.1", community=Community.LAST_OF_THREE),
            Dealing("community_first", "3.11.2", community=Community.FIRST),
            Dealing("one_by_one", "3.10.1", one_by_one=True, burns=True, community=Community.LAST),
        ),
        _RWS,
        announced="3.11.3",
    ),
    "lucky-three-pictures": DealingProcedure(
        (Dealing("packets", "3.12.1"), Dealing("one_by_one", "3.12", one_by_one=True)),
        # This rulebook has no coin spots, so no progressive can fail and those entries stay empty.
        Paragraphs(
            takes_part="3.9",
            unbacked_bet="5.13",
            established="5.4.1",
            not_established="5.4.2",
            device_before_seen="",
            device_after_seen="",
            no_progressive="",
            after_lock="5.7",
            chip_positions="5.12",
            foreign_card="5.5.1",
            dealt_incorrectly="5.5.4",
            dealer_count="5.5.6",
            void_returns="5.14",
            jackpot_shown="",
            dealing_error="5.6",
            bets_back="5.6.3",
            box_barred="house procedure",
            walked_away="5.3",
            over_maximum="5.1",
            over_maximum_late="5.1.1",
            under_minimum="5.2",
            under_minimum_late="5.2.1",
            play_over="",
            play_under="",
            wrong_coin_amount="",
            walked_undecided="",
            refused_reveal="",
            without_progressive="",
            uncovered="5.16",
        ),
    ),
    "california-three-card-poker": DealingProcedure(
        (Dealing("card_room", "Playing ¶2", dealer_face_up=1),),
        _house("Playing ¶1", "Playing ¶1"),
        alone=_alone("Playing ¶1", "Playing ¶1"),
    ),
    "stax-three-card": DealingProcedure(
        (Dealing("packets", "Rules of play ¶2"), Dealing("one_by_one", "Rules of play ¶2", one_by_one=True)),
        _house("Rules of play ¶1", "Rules of play ¶1"),
        alone=_alone("Rules of play ¶1", "Rules of play ¶1"),
    ),
}
