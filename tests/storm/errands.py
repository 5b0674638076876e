"""Every order that a person can give at a table, with plausible fields. Given at random times, most are refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from felt.nouns.cards import DECK
from felt.nouns.ids import spot_of
from felt.rules.mishaps import Mishap
from felt.table.state import Table

if TYPE_CHECKING:
    from tests.storm.place import Place


class Scene:
    """What the person giving an order sees, and the boxes and spots that he may name."""

    def __init__(self, place: Place, table: Table, chance: random.Random, spot: str, hands: tuple[str, ...]) -> None:
        self.table, self.chance, self.spot, self.hands = table, chance, spot, hands
        self.seat = chance.randrange(1, place.seats + 1)
        self.main_spot = spot_of(self.seat, place.config.board.sensed[0])
        playing = table.round
        self.number = 1 if playing is None else playing.number
        self.claim = f"{self.number}.{self.seat}"
        self.card = chance.choice(DECK)
        if playing is not None and playing.dealt and chance.random() < 0.5:
            self.card = chance.choice(playing.dealt).card or self.card
        faults = table.service.faults
        self.fault = (faults[0].code, faults[0].where) if faults else ("F-101", self.main_spot)
        questions = table.irregularity.questions
        self.question = questions[0].id if questions else "q1"


_WHO: Mapping[str, Any] = {"person": "supervisor"}
_IN_OFFICE: Mapping[str, Any] = {"person": "supervisor", "role": "supervisor"}
_Words = Callable[[Scene], dict[str, Any]]

ERRANDS: dict[str, _Words] = {
    "TableClosed": lambda _: {**_WHO},
    "TableOpened": lambda _: {**_WHO},
    "OutOfServiceOrdered": lambda _: {"person": "technician", "reason": "sounds odd"},
    "BackInServiceOrdered": lambda _: {**_WHO},
    "ClaimConfirmed": lambda seen: {"claim": seen.claim, **_WHO},
    "ClaimDenied": lambda seen: {"claim": seen.claim, "reason": "", **_WHO},
    "RulingMade": lambda seen: {"question": seen.question, "choice": "void", "reason": "", **_WHO},
    "PlayerChose": lambda seen: {"question": seen.question, "seat": seen.seat, "choice": "continue", **_WHO},
    "FaultCleared": lambda seen: {"code": seen.fault[0], "where": seen.fault[1], "person": "technician"},
    "AlertAcknowledged": lambda seen: {"code": seen.fault[0], "where": seen.fault[1], "person": "technician"},
    "BetKeyed": lambda seen: {
        "spot": seen.main_spot, "amount_minor": seen.chance.choice((-1, 2_500)), "person": "dealer"
    },
    "BetUnkeyed": lambda seen: {"spot": seen.spot, "person": "dealer"},
    "AmountFound": lambda seen: {
        "spot": seen.spot, "amount_minor": seen.chance.choice((500, 2_500, 99_000_000)), "person": "dealer"
    },
    "BetsReturned": lambda seen: {
        "seat": seen.seat, "role": seen.chance.choice(("supervisor", "shift_manager")), **_WHO
    },
    "SeatBarred": lambda seen: {"seat": seen.seat, "out": seen.chance.random() < 0.4, **_WHO},
    "DealerSignedIn": lambda seen: {"name": seen.chance.choice(("", "Kim")), "person": "Kim"},
    "ProgressiveSwitched": lambda seen: {"off": seen.chance.random() < 0.5, "reason": "the sign is dark", **_WHO},
    "RevealRefused": lambda seen: {"seat": seen.seat, "person": "dealer"},
    "DiscardSaid": lambda seen: {"place": seen.chance.randint(0, 4), "person": "dealer"},
    "HandEstablished": lambda seen: {"seat": seen.seat, "person": "dealer"},
    "CardKeyed": lambda seen: {"card": seen.card, **_IN_OFFICE},
    "CardStruck": lambda seen: {"card": seen.card, "reason": "read twice", **_IN_OFFICE},
    "DeckChanged": lambda _: {**_IN_OFFICE},
    "DeckVerified": lambda _: {**_IN_OFFICE},
    "StubChecked": lambda seen: {"cards": seen.chance.choice((0, 31)), "person": "dealer"},
    "EntryLogged": lambda _: {"part": "drop box", "reason": "emptied", "person": "Lee", "licence": "17"},
    "TestModeEntered": lambda _: {"person": "technician"},
    "TestModeLeft": lambda _: {"person": "technician"},
    "LampsTried": lambda _: {"lamps": ["buzzer"], "person": "technician"},
    "SignInNoted": lambda seen: {"person": "", "role": "", "outcome": seen.chance.choice(("wrong", "in"))},
    "CorrectionRecorded": lambda seen: {
        "round": max(1, seen.number - 1), "what": "paid 5 too little", "reason": "miscounted", **_IN_OFFICE
    },
    "HitReported": lambda seen: {
        "seat": seen.seat, "hand": seen.chance.choice(seen.hands or ("pair",)), "evidence": "it lies there",
        **_IN_OFFICE,
    },
    "IrregularityDeclared": lambda seen: {
        "mishap": str(seen.chance.choice(tuple(Mishap))), "evidence": "as the dealer says", **_IN_OFFICE,
        "where": seen.chance.choice((str(seen.seat), "dealer", "")), "other": "", "count": 0,
    },
}  # fmt: skip
_KINDS = tuple(ERRANDS)
# Orders that end a round are given by mistake elsewhere, and more rarely.
_MODEST = tuple(kind for kind in _KINDS if kind not in ("OutOfServiceOrdered", "RulingMade", "BetsReturned"))


def any_errand(seen: Scene, *, modest: bool = False) -> tuple[str, dict[str, Any]]:
    kind = seen.chance.choice(_MODEST if modest else _KINDS)
    return kind, ERRANDS[kind](seen)
