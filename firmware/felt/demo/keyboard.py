"""Puts the dealer's panel, the players' chips and the supervisor on one keyboard."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from enum import Enum

from felt.demo.legend import PRESSED, VOID
from felt.demo.people import SUPERVISOR
from felt.demo.stage import DemoStage
from felt.nouns.ids import kind_of
from felt.table import lock, settle, views
from felt.table.state import Notice, Phase, Question

TYPED_MAX = 40
NOTICES_MAX = 2
DEALER = "demo dealer"
CARDS_OUT = (Phase.DEALING, Phase.DECIDING, Phase.REVEALING, Phase.VOIDING, Phase.INTERRUPTED)


class Page(Enum):
    TABLE = "table"
    HELP = "help"
    FULL = "full"  # every verdict line


class Keyboard:
    def __init__(self, stage: DemoStage) -> None:
        self._stage = stage
        self._kinds = tuple(stage.config.board.sensed)
        self._kind = 0
        self._bet: str | None = None  # a bet being typed
        self._box = 0  # the box whose player is choosing
        self._said = ""
        self._old = 0  # number of the last notice before the last key
        self._refusals = len(stage.refusals)
        self.page = Page.TABLE
        self.turned = 0  # number of pages turned
        self.quit = False

    @property
    def kind(self) -> str:
        """The wager that a digit places while bets are open."""
        return self._kinds[self._kind] if self._kinds else ""

    @property
    def hint(self) -> str:
        """What is being typed, or which keys answer the open question."""
        if self._bet is not None:
            return f"bet: {self._bet}_"
        asked = self._asked()
        if asked is not None and asked.players:
            return self._hint_to_players(asked)
        if asked is not None:
            return _hint_to_supervisor(asked)
        return "y confirms, n denies" if settle.claim_in_hand(self._stage.table) is not None else ""

    @property
    def said(self) -> str:
        """Why the last key had no effect, unless the table says it itself."""
        refused = self._stage.refusals[self._refusals :]
        told = [notice.sentence for notice in self._stage.table.panel.notices]
        return self._said or next((sentence for sentence in refused if sentence not in told), "")

    def fresh(self, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        """The notices since the last key and, while cards are out, the latest before it. Notices that the prompt
        already shows are left out."""
        asked, prompt = self._asked(), views.prompt(self._stage.table)
        told = f"{asked.id}: " if asked is not None else "\0"
        shown = [notice for notice in notices if not notice.sentence.startswith(told) and notice.sentence not in prompt]
        fresh = tuple(notice for notice in shown if notice.number > self._old)
        stays = self._stage.table.phase in CARDS_OUT
        old = tuple(notice for notice in shown if stays and notice.number <= self._old and notice.kind != "refused")
        room = max(0, NOTICES_MAX - len(fresh))
        return (*old[len(old) - room :], *fresh) if len(old) > room else (*old, *fresh)

    def take(self, letter: str) -> None:
        if self._bet is not None:
            self._type(letter, self._bet)
            return
        self._forget()
        if letter == "w" and (self._stage.table.round or self._stage.table.previous):
            self.turned = self.turned + 1 if self.page is Page.FULL else 0
            self.page = Page.FULL
            return
        self.page = Page.HELP if letter == "?" and self.page is not Page.HELP else Page.TABLE
        if letter == "q":
            self.quit = True
        elif letter == "b":
            self._bet = ""
        elif letter == "k" and self._kinds:
            self._kind = (self._kind + 1) % len(self._kinds)
        elif letter.isdigit():
            self._digit(int(letter))
        elif not self._act(letter) and letter.isprintable() and letter not in " ?":
            self._said = f"{letter} has no effect here: ? shows all keys."

    def _forget(self) -> None:
        self._said = ""
        self._old = self._stage.table.panel.noticed
        self._refusals = len(self._stage.refusals)

    def _act(self, letter: str) -> bool:
        stage = self._stage
        if letter == "d":
            self._said = stage.deal()
        elif letter == "o" and stage.table.phase is Phase.CLOSED:
            stage.order("TableOpened", person=SUPERVISOR)
        elif letter in PRESSED:
            stage.press(PRESSED[letter])
        elif letter in ("y", "n"):
            self._answer(yes=letter == "y")
        elif letter == VOID:
            stage.order("VoidOrdered", person=SUPERVISOR, reason="ordered at the demo's keyboard")
        else:
            return False
        return True

    # --- bets ----------------------------------------------------------------------------------------

    def _type(self, letter: str, bet: str) -> None:
        if letter in "\r\n":
            self._bet = None
            self._forget()
            self._key_bet(bet.split())
        elif letter in "\x08\x7f":
            self._bet = bet[:-1]
        elif letter.isprintable() and len(bet) < TYPED_MAX:
            self._bet = bet + letter

    def _key_bet(self, words: list[str]) -> None:
        if not words:
            return
        if len(words) not in (2, 3) or not words[0].isdecimal() or not all(word.isdecimal() for word in words[2:]):
            self._said = "not understood: b, then box, wager and cents, as in 3 ante 2500"
            return
        table = self._stage.table
        kinds = list(dict.fromkeys(kind_of(spot.spot) for spot in table.spots))
        meant = [words[1]] if words[1] in kinds else [kind for kind in kinds if kind.startswith(words[1])]
        if len(meant) != 1:
            problem = "is the beginning of several" if meant else "is not a wager here"
            self._said = f"{words[1]} {problem}: {', '.join(meant or kinds)}"
            return
        name = f"{int(words[0])}.{meant[0]}"
        spot = next((spot for spot in table.spots if spot.spot == name), None)
        if table.phase is Phase.BETTING and spot and not spot.present and lock.is_sensed(table, spot.spot):
            self._said = f"{name} is not keyed: place a chip (k until {meant[0]}, then {words[0]}), then key its amount"
            return
        amount_minor = int(words[2]) if len(words) == 3 else None
        self._stage.order("BetKeyed", spot=name, amount_minor=amount_minor, person=DEALER)

    def _digit(self, number: int) -> None:
        stage, asked = self._stage, self._asked()
        if not 1 <= number <= stage.config.table.seats:
            self._said = f"there is no box {number}: boxes are 1 to {stage.config.table.seats}"
        elif asked is not None and asked.players:
            self._box = number if number in asked.players else 0
            self._said = "" if self._box else f"box {number} has no choice to make"
        elif stage.table.phase is Phase.DECIDING or stage.table.panel.mode:
            stage.press(f"seat_{number}")
        elif stage.table.phase is Phase.INTERRUPTED:
            self._overrule(asked, number)
        elif self.kind:
            spot = f"{number}.{self.kind}"
            stage.chip(spot, not stage.board.levels()[spot])

    # --- answers -------------------------------------------------------------------------------------

    def _asked(self) -> Question | None:
        """The question in the prompt; one that holds play comes first."""
        questions = self._stage.table.irregularity.questions
        return next((question for question in questions if question.holds), questions[0] if questions else None)

    def _hint_to_players(self, asked: Question) -> str:
        if self._box in asked.players:
            return f"box {self._box}: y goes on, n takes its bets back"
        boxes = " or ".join(map(str, asked.players))
        return f"still to choose: type {boxes}, then y goes on, n takes its bets back"

    def _answer(self, *, yes: bool) -> None:
        stage, asked = self._stage, self._asked()
        claim = settle.claim_in_hand(stage.table)
        if asked is not None and asked.players:
            self._choose(asked, "continue" if yes else "return")
        elif asked is not None and yes:
            self._ruling(asked, asked.proposal or asked.options[0])
        elif asked is not None:
            self._overrule(asked, 0)
        elif claim is not None and yes:
            stage.order("ClaimConfirmed", claim=claim.claim, person=SUPERVISOR)
        elif claim is not None:
            stage.order("ClaimDenied", claim=claim.claim, person=SUPERVISOR, reason="denied at the keyboard")
        else:
            self._said = "there is no question now"

    def _ruling(self, asked: Question, choice: str) -> None:
        reason = "at the keyboard"
        self._stage.order("RulingMade", question=asked.id, choice=choice, person=SUPERVISOR, reason=reason)

    def _overrule(self, asked: Question | None, number: int) -> None:
        """Overrules with the other answer, or with the numbered one of several."""
        others = _others(asked) if asked is not None else []
        if asked is not None and len(others) == 1 and not number:
            self._ruling(asked, others[0])
        elif asked is not None and len(others) > 1 and 1 <= number <= len(others):
            self._ruling(asked, others[number - 1])
        else:
            self._said = "play is held: answer with one of the keys shown"

    def _choose(self, asked: Question, choice: str) -> None:
        if self._box not in asked.players:
            self._said = "type the box first, then y or n"
            return
        self._stage.order("PlayerChose", question=asked.id, seat=self._box, choice=choice, person=DEALER)
        self._box = 0


def _others(asked: Question) -> list[str]:
    return [option for option in asked.options if option != (asked.proposal or asked.options[0])]


def _hint_to_supervisor(asked: Question) -> str:
    others = [option.replace("_", " ") for option in _others(asked)]
    if len(others) < 2:
        return ", ".join(["y accepts", *(f"n overrules: {other}" for other in others)])
    numbered = ", ".join(f"{number} {other}" for number, other in enumerate(others, start=1))
    return f"y accepts, a number overrules: {numbered}"


@contextlib.contextmanager
def letters_as_typed() -> Iterator[None]:
    """Switches the terminal to single keys without Enter, and restores it however the demo ends."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def typed() -> str | None:
    """The keys typed since the last call; None if the keyboard is gone."""
    ready, _, _ = select.select([sys.stdin], [], [], 0)
    if not ready:
        return ""
    content = os.read(sys.stdin.fileno(), 256)
    return content.decode("ascii", "ignore").lower() if content else None
