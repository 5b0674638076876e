"""The judge's own memory of the round in play, made from the facts alone: accepted keys, cards, and what people
reported. It never asks the table what it made of them."""

from __future__ import annotations

from felt.rules.rulebook import FOLD, PLAY
from felt.table import facts
from felt.table.state import LinkState, Phase, Table

_MODES: dict[type[facts.Fact], str] = {facts.FoldModePressed: FOLD, facts.PlayModePressed: PLAY}
# After these, a seat key records no decision.
_DARK = (facts.OtherModePressed, facts.OpenPressed, facts.NoMoreBetsPressed, facts.RevealPressed, facts.DealerSignedIn)
# After these only a person can say what the cards, the decisions and the stakes of a round are.
_UNCLEAR = (
    facts.MisdealPressed, facts.RevealRefused, facts.PlayerChose, facts.CardKeyed,
    facts.CardUnread, facts.CardStruck, facts.AmountFound, facts.BetsReturned,
)  # fmt: skip
# A spot with one of these faults takes only bets that a person reports.
_FAULTS_OF_SPOTS = ("F-101", "F-104", "F-108", "F-109", "F-110")
_ORDINALS = {"first": 1, "second": 2, "third": 3}
_CARDS_COME = (Phase.DEALING, Phase.INTERRUPTED)


class Course:
    def __init__(self) -> None:
        self.broken: set[tuple[str, str]] = set()  # standing faults of spots, each with its spot
        self.key_is_on = False  # the supervisor's
        self._begins()

    def _begins(self) -> None:
        self.choices: dict[int, str] = {}
        self.cards: list[str] = []  # in order of arrival
        self.discard = 0  # which of the three community cards is discarded, as people reported
        self.is_plain = True  # nothing has happened yet that only a person can judge
        self.told: set[str] = set()  # spots whose bets a person reported
        self.chattered_late: set[str] = set()  # spots found chattering only after the lock key was pressed
        self.link_failed = False
        self.valued: dict[str, tuple[int, int]] = {}  # claims: value and award reported before the link was lost
        self._mode = ""

    def is_closed(self, spot: str) -> bool:
        """Whether a fault closed the spot during betting."""
        closing = {where for code, where in self.broken if code != "F-101" or where not in self.chattered_late}
        return spot in closing

    def reads(self, before: Table, fact: facts.Fact, after: Table, *, refused: bool) -> None:
        if after.round is not None and before.round is None:
            self._begins()
        self._follow_table(before, fact, after)
        if refused:
            return
        self._follow_keys(before, fact)
        if isinstance(fact, facts.BetKeyed):
            self.told.add(fact.spot)
        elif isinstance(fact, facts.BetUnkeyed):
            self.told.discard(fact.spot)
        elif isinstance(fact, facts.ClaimValued):
            if not self.link_failed or fact.claim in self.valued:  # a valued claim can be corrected later
                self.valued[fact.claim] = (fact.value_micro, fact.award_minor)
        elif isinstance(fact, facts.ClaimDenied):
            self.valued.pop(fact.claim, None)

    def _follow_table(self, before: Table, fact: facts.Fact, after: Table) -> None:
        match fact:
            case facts.ChipChattered():
                is_locked = before.round is not None and before.round.lock_ns is not None
                if is_locked and not self.is_closed(fact.spot):
                    self.chattered_late.add(fact.spot)
                self.broken.add(("F-101", fact.spot))
            case facts.FaultRaised() if fact.code in _FAULTS_OF_SPOTS:
                self.broken.add((fact.code, fact.where))
            case facts.FaultCleared() | facts.LampFound():
                standing = [(one.code, one.where) for one in after.service.faults]
                self.broken = {one for one in self.broken if one in standing}
            case facts.LinkLost() if before.link is LinkState.UP:
                self.link_failed = True
            case facts.SupervisorTurned():
                self.key_is_on = fact.on
            case facts.Booted():
                self.key_is_on = False  # the switch is read again

    def _follow_keys(self, before: Table, fact: facts.Fact) -> None:
        self._follow_discard(before, fact)
        if isinstance(fact, facts.CardDealt):
            if before.phase in _CARDS_COME:
                self.cards.append(fact.card)
        elif isinstance(fact, facts.SeatPressed):
            if self._mode and before.phase is Phase.DECIDING:
                self.choices[fact.seat] = self._mode
        elif isinstance(fact, _DARK):
            self._mode = ""
        elif isinstance(fact, _UNCLEAR):
            self.is_plain = False
        elif before.phase is Phase.DECIDING:
            self._mode = _MODES.get(type(fact), self._mode)

    def _follow_discard(self, before: Table, fact: facts.Fact) -> None:
        """By an order, by a ruling, or by a box key while no mode is lit."""
        if isinstance(fact, facts.DiscardSaid):
            self.discard = fact.place
        elif isinstance(fact, facts.RulingMade):
            self.discard = _ORDINALS.get(fact.choice, self.discard)
        elif isinstance(fact, facts.SeatPressed) and before.phase in (Phase.DECIDING, Phase.REVEALING):
            self.discard = self.discard if before.panel.mode else fact.seat
