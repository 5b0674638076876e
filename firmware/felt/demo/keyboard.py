"""The dealer's panel, the players' chips and the supervisor on one keyboard."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import tty
from collections.abc import Iterator

from felt.demo.people import SUPERVISOR
from felt.demo.stage import Stage
from felt.table import settle
from felt.table.state import Phase

HELP = (
    "o open | 1-9 chip or box | k next chip | l no more bets | d deal | c collect",
    "s cards seen | f fold | p play | t other | r reveal | e settle/end | m misdeal",
    "# count mismatch | v void | y confirm, accept | n deny, overrule | q quit",
)
_KEYS = {
    "o": "open",
    "l": "no_more_bets",
    "c": "collect",
    "s": "cards_seen",
    "f": "fold",
    "p": "play",
    "r": "reveal",
    "e": "settle",
    "m": "misdeal",
    "t": "other",
    "#": "count_mismatch",
}


class Keyboard:
    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._kinds = tuple(stage.config.board.sensed)
        self._kind = 0
        self.quit = False

    @property
    def kind(self) -> str:
        """What a digit places while bets are open."""
        return self._kinds[self._kind] if self._kinds else ""

    def take(self, letter: str) -> None:
        stage = self._stage
        if letter == "q":
            self.quit = True
        elif letter == "k" and self._kinds:
            self._kind = (self._kind + 1) % len(self._kinds)
        elif letter == "d":
            stage.deal()
        elif letter in _KEYS:
            if letter == "o" and stage.table.phase is Phase.CLOSED:
                stage.order("TableOpened", person=SUPERVISOR)
            else:
                stage.press(_KEYS[letter])
        elif letter in "yn" and letter:
            self._rule(accept=letter == "y")
        elif letter == "v":
            stage.order("VoidOrdered", person=SUPERVISOR, reason="ordered at the demo's keyboard")
        elif letter.isdigit() and 1 <= int(letter) <= stage.config.table.seats:
            self._seat(int(letter))

    def _seat(self, seat: int) -> None:
        stage = self._stage
        if stage.table.phase is Phase.DECIDING or stage.table.panel.mode:
            stage.press(f"seat_{seat}")
        elif self.kind:
            spot = f"{seat}.{self.kind}"
            stage.chip(spot, not stage.board.levels()[spot])

    def _rule(self, *, accept: bool) -> None:
        stage = self._stage
        questions = stage.table.irregularity.questions
        claim = settle.claim_in_hand(stage.table)
        if questions:
            asked = questions[0]
            others = [option for option in asked.options if option != asked.proposal]
            choice = asked.proposal if accept or not others else others[0]
            stage.order("RulingMade", question=asked.id, choice=choice, person=SUPERVISOR, reason="at the keyboard")
        elif claim is not None and accept:
            stage.order("ClaimConfirmed", claim=claim.claim, person=SUPERVISOR)
        elif claim is not None:
            stage.order("ClaimDenied", claim=claim.claim, person=SUPERVISOR, reason="denied at the keyboard")


@contextlib.contextmanager
def letters_as_typed() -> Iterator[None]:
    """Keys arrive one by one, without Enter; the terminal is put back however the demo ends."""
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
    """What was typed since last time; None when the keyboard is gone."""
    ready, _, _ = select.select([sys.stdin], [], [], 0)
    if not ready:
        return ""
    content = os.read(sys.stdin.fileno(), 256)
    return content.decode("ascii", "ignore").lower() if content else None
