"""The lawful remedies for a mishap with cards. Rulebook, mishap and circumstances lead to the options, each with its
paragraph and the role that may choose it. Pure; the table carries out the choice. `remedy_rows` holds the rows."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from felt.nouns.values import Value, parts_of, replace
from felt.rules.authority import Authority
from felt.rules.mishaps import Mishap

VOID = "void"
CONTINUE = "continue"
RECONSTRUCT = "reconstruct"  # move the cards to where they belong, then play on
INVALIDATE = "invalidate"  # take one hand out of the round and return its bets
PLAYERS_CHOOSE = "players_choose"  # no ruling: each affected player plays on or takes his bets back
KEEP_ORDER, SWAP_ORDER = "keep_order", "swap_order"  # for cards that were drawn together
STAND = "stand"  # a round that has ended keeps its settlement
RECORD_CORRECTION = "record_correction"  # a jackpot is paid: record what was paid and what was due
RETURN = "return"  # a player's own choice: his bets go back and his hand is invalid

CHOICES = (CONTINUE, RECONSTRUCT, INVALIDATE, PLAYERS_CHOOSE, KEEP_ORDER, SWAP_ORDER, STAND, RECORD_CORRECTION, VOID)


class Stage(StrEnum):
    """The progress of the round, as far as remedies depend on it."""

    BEFORE_LOCK = "before the lock"
    IN_PLAY = "between the lock and the settlement"
    SETTLED = "settled, not yet ended"
    ENDED = "ended, the next round not yet open"
    LATER = "a later round has begun"


class Place(StrEnum):
    BOX = "a box"
    DEALER = "the dealer or the community"
    NOWHERE = "no hand in particular"


class Players(StrEnum):
    """Who may choose between playing on and taking the bets back, once the ruling is made."""

    NOBODY = "nobody"
    AFFECTED = "the affected players"
    OTHERS = "all other players"
    EVERYBODY = "all players"


class Case(Value):
    """The circumstances. The house decides whether cards can be reconstructed, unless it is already known."""

    stage: Stage
    seen: bool = False  # one rulebook says "handled" instead
    place: Place = Place.NOWHERE
    reconstructable: bool | None = None
    jackpot_paid: bool = False  # a jackpot of this round is confirmed, so the table cannot void it
    correctable: bool = False  # the record can hold what was paid beside what was due
    claims: bool = False  # the box has an open or confirmed jackpot claim, so its hand cannot leave the round here


class Option(Value):
    choice: str
    paragraph: str
    who: Authority = Authority.SUPERVISOR  # the lowest role that may choose it
    players: Players = Players.NOBODY
    goes_on_by: str = ""  # the paragraph by which a player plays on
    returns_by: str = ""  # the paragraph by which he takes his bets back
    choose_by: str = ""  # the paragraph that gives players the choice, if it is a separate one


class Remedy(Value):
    """What may follow. If nobody is asked, the only option is applied and noted."""

    paragraph: str
    options: tuple[Option, ...]
    asks: bool = True

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(option.choice for option in self.options)

    def option(self, choice: str) -> Option:
        return next(option for option in self.options if option.choice == choice)


Readings = Mapping[str, str]


class Citations(Value):
    """The rulebook's paragraphs; empty if it has none."""

    foreign: str
    exposed_many: str
    deck_count: str
    insufficient: str
    not_shuffled: str
    incorrectly: str
    dealer_count: str
    stands: str  # earlier rounds
    burn: str
    options: str
    go_on: str
    go_on_reconstructed: str
    bets_back: str
    exposed: str
    face_up: str
    simultaneous: str
    simultaneous_options: str
    player_count: str
    others_after_count: str
    second_hand: str
    later: str
    chips: str
    uncovered: str


RWS = Citations(
    foreign="5.8.1",
    exposed_many="5.8.2",
    deck_count="5.8.3",
    insufficient="5.8.4",
    not_shuffled="5.8.5",
    incorrectly="5.8.6",
    dealer_count="5.8.7",
    stands="5.8",
    burn="5.9",
    options="5.10",
    go_on="5.10.1",
    go_on_reconstructed="5.10.2",
    bets_back="5.10.3",
    exposed="5.12",
    face_up="5.13",
    simultaneous="5.14",
    simultaneous_options="5.14.1",
    player_count="5.15",
    others_after_count="5.15",
    second_hand="5.18",
    later="5.19",
    chips="5.20",
    uncovered="5.23",
)
PICTURES = Citations(
    foreign="5.5.1",
    exposed_many="",
    deck_count="5.5.2",
    insufficient="5.5.5",
    not_shuffled="5.5.3",
    incorrectly="5.5.4",
    dealer_count="5.5.6",
    stands="5.5",
    burn="",
    options="5.6",
    go_on="5.6.1",
    go_on_reconstructed="5.6.2",
    bets_back="5.6.3",
    exposed="",
    face_up="5.9",
    simultaneous="5.10",
    simultaneous_options="5.10.1",
    player_count="5.8",
    others_after_count="5.8.1",
    second_hand="",
    later="5.11",
    chips="5.12",
    uncovered="5.16",
)
# Under one reading, the first rulebook gives the others their choice by its general paragraph.
PROGRESSIVE = replace(RWS, others_after_count="5.10")
HOUSE = Citations(**{name: f"house procedure, as 000 {printed}" for name, printed in parts_of(PROGRESSIVE).items()})

# Names and printed values; `irregularities` says what each is about.
READINGS = {
    "dealt_incorrectly": ("particular_rule", "void_5_8_6"),
    "exposed_card_unhandled": ("options_5_6", "void_5_5_4"),
    "others_after_wrong_count": ("options_5_10", "none"),
    "options_after_simultaneous": ("continue_or_return", "reconstructed_or_return"),
    "affected_by_a_card": ("its_box", "everybody"),
    "void_window": ("until_next_open", "until_end_round"),
    "card_before_lock": ("misdeal_void_offered", "card_removed"),
    "exposed_one_by_one": ("counts_together", "each_alone"),
    "house_irregularities": ("as_000", "supervisor_only"),
    "uncovered_correction": ("shift_manager", "supervisor"),
}


def in_force(readings: Readings, name: str) -> str:
    return readings.get(name, READINGS[name][0])


class Way(Value):
    """An option as a row states it; paragraphs are named as in `Citations`."""

    choice: str
    cite: str
    players: Players = Players.NOBODY
    who: Authority = Authority.SUPERVISOR
    if_reconstructable: bool | None = None  # lawful only if the cards can, or cannot, be reconstructed
    goes_on_by: str = "go_on"
    choose_by: str = ""


class RemedyRow(Value):
    mishaps: tuple[Mishap, ...]
    stages: tuple[Stage, ...]
    ways: tuple[Way, ...]
    seen: bool | None = None
    places: tuple[Place, ...] = tuple(Place)
    reading: tuple[str, str] | None = None
    asks: bool = True

    def fits(self, mishap: Mishap, case: Case, readings: Readings) -> bool:
        return (
            mishap in self.mishaps
            and case.stage in self.stages
            and case.place in self.places
            and self.seen in (None, case.seen)
            and (self.reading is None or in_force(readings, self.reading[0]) == self.reading[1])
        )
