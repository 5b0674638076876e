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
    "b 3 ante 2500 Enter: the dealer keys a bet and its amount in cents",
)
TYPED_MAX = 40
DEALER = "demo dealer"
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
        self._bet: str | None = None  # a bet that is being typed
        self._unclear = ""
        self.quit = False

    @property
    def kind(self) -> str:
        """What a digit places while bets are open."""
        return self._kinds[self._kind] if self._kinds else ""

    @property
    def hint(self) -> str:
        """What is being typed, or what y and n would do now."""
        if self._bet is not None:
            return f"bet: {self._bet}_"
        if self._unclear:
            return self._unclear
        if self._stage.table.irregularity.questions:
            return "y accepts, n overrules"
        return "y confirms, n denies" if settle.claim_in_hand(self._stage.table) is not None else ""

    def take(self, letter: str) -> None:
        if self._bet is not None:
            self._type(letter, self._bet)
            return
        self._unclear = ""
        stage = self._stage
        if letter == "b":
            self._bet = ""
        elif letter == "q":
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

    def _type(self, letter: str, bet: str) -> None:
        if letter in "\r\n":
            self._bet = None
            self._key_bet(bet.split())
        elif letter in "\x08\x7f":
            self._bet = bet[:-1]
        elif letter.isprintable() and len(bet) < TYPED_MAX:
            self._bet = bet + letter

    def _key_bet(self, words: list[str]) -> None:
        if len(words) not in (2, 3) or not words[0].isdecimal() or not all(word.isdecimal() for word in words[2:]):
            self._unclear = "not understood: b, then box, wager and cents, as in 3 ante 2500"
            return
        amount_minor = int(words[2]) if len(words) == 3 else None
        self._stage.order("BetKeyed", spot=f"{words[0]}.{words[1]}", amount_minor=amount_minor, person=DEALER)

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
