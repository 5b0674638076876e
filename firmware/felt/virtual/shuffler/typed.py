"""The emulator's command language, for the keyboard and for scripts: one line in, one sentence out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from felt.nouns.cards import Card, CardError, parse_cards
from felt.nouns.values import Value
from felt.virtual.shuffler.deck import CARDS_MAX, Misbehaviour
from felt.virtual.shuffler.pty import PtyShuffler

WAIT_S_MAX = 3600
QUIET_S = 10.0
SCRIPT_BYTES_MAX = 1_000_000


class BadWord(ValueError):
    """A bad line. One sentence: what is wrong, and what to type instead."""


class TypedCommand(Value):
    usage: str
    meaning: str
    do: Callable[[list[str]], str]


_MISDEEDS = {
    Misbehaviour.REPEAT: "the next message is sent twice",
    Misbehaviour.DROP: "the next message is lost the first time",
    Misbehaviour.NOISE: "random bytes come before the next message",
    Misbehaviour.DAMAGE: "the next message has a wrong CRC the first time",
    Misbehaviour.TRUNCATE: "the next message is cut short the first time",
    Misbehaviour.SKIP: "the next message is never sent, and its number is skipped",
    Misbehaviour.UNKNOWN: "a valid message of an unknown kind comes first",
    Misbehaviour.DUPLICATE_CARD: "the next deal's second card repeats its first",
    Misbehaviour.FOREIGN_CARD: "the next deal's first card is a joker",
    Misbehaviour.UNREAD_CARD: "the next deal's first card cannot be read",
    Misbehaviour.TOGETHER: "the next deal's first two cards leave at once",
    Misbehaviour.FACE_UP: "the next deal's first card lies face up",
    Misbehaviour.SHORT_DECK: "the deck lacks a card",
    Misbehaviour.JAM: "the next deal stops after its first card, until mend",
    Misbehaviour.SILENCE: "no messages, not even heartbeats, until mend",
    Misbehaviour.SLOW: "a pause before every message, until mend",
    Misbehaviour.DOOR_OPEN: "its door is open, until mend",
}


class Typed:
    """Controls the emulator on its pseudo-terminal; knows neither keyboards nor files."""

    def __init__(self, shuffler: PtyShuffler, *, show_cards: bool = False, sleep: Callable[[float], None] = time.sleep):
        self._shuffler = shuffler
        self._show_cards = show_cards
        self._sleep = sleep
        self.ended = False
        self.commands: dict[str, TypedCommand] = {
            "deal": TypedCommand("deal SETS [EACH]", "press its key: deal SETS sets of EACH cards (3)", self._deal),
            "cards": TypedCommand("cards CARD…", "deal exactly these cards, one after another", self._cards),
            "more": TypedCommand("more CARD…", "deal these cards too, in the same deal", self._more),
            "deck": TypedCommand("deck CARD…", "the next deal uses these cards, in this order", self._deck),
            "burn": TypedCommand("burn", "burn one card", self._burn),
            "eject": TypedCommand("eject", "eject the deck unread and take a fresh one", self._eject),
            "status": TypedCommand("status", "the state of its deck, and whether every message arrived", self._status),
            "restart": TypedCommand("restart", "power off and on; unacknowledged messages are lost", self._restart),
            "unplug": TypedCommand("unplug", "pull the cable", self._unplug),
            "plug": TypedCommand("plug", "put the cable back", self._plug),
            "mend": TypedCommand("mend", "end every fault; jammed cards come out", self._mend),
            "wait": TypedCommand("wait SECONDS", "for scripts", self._wait),
            "quiet": TypedCommand("quiet", f"wait until every message arrived, at most {QUIET_S:g} s", self._quiet),
            "help": TypedCommand("help", "this", self._help),
            "quit": TypedCommand("quit", "end", self._quit),
        }

    def say(self, line: str) -> str:
        """Executes one line and returns a sentence; nothing for an empty line. Raises BadWord."""
        words = line.partition("#")[0].split()
        if not words:
            return ""
        name, rest = words[0].lower().replace("-", "_"), words[1:]
        if name in self.commands:
            return self.commands[name].do(rest)
        if name in tuple(Misbehaviour):
            _nothing_after(name, rest)
            return self._misbehave(Misbehaviour(name))
        raise BadWord(f"{words[0]!r} is not a command; type help for a list")

    # --- cards ---------------------------------------------------------------------------------------

    def _deal(self, rest: list[str]) -> str:
        if not 1 <= len(rest) <= 2:
            raise BadWord("say how many sets, and how many cards in each if not 3, as in: deal 5 3")
        sets = _whole(rest[0], CARDS_MAX)
        each = _whole(rest[1], CARDS_MAX) if len(rest) == 2 else 3
        dealt = self._shuffler.dispense(sets, each)
        return self._told([card for cards in dealt for card in cards], sets * each)

    def _cards(self, rest: list[str]) -> str:
        return self._leave(rest, goes_on=False)

    def _more(self, rest: list[str]) -> str:
        return self._leave(rest, goes_on=True)

    def _leave(self, rest: list[str], *, goes_on: bool) -> str:
        cards = _some_cards(rest)
        self._shuffler.ask(lambda device: device.load(cards))
        dealt = self._shuffler.dispense(1, len(cards), goes_on=goes_on)
        return self._told([card for hand in dealt for card in hand], len(cards))

    def _deck(self, rest: list[str]) -> str:
        cards = _some_cards(rest)
        self._shuffler.ask(lambda device: device.load(cards))
        return f"the deck has {len(cards)} cards"

    def _burn(self, rest: list[str]) -> str:
        _nothing_after("burn", rest)
        self._shuffler.ask(lambda device: device.burn())
        return "one card is burnt"

    def _eject(self, rest: list[str]) -> str:
        _nothing_after("eject", rest)
        self._shuffler.ask(lambda device: device.eject())
        return "the deck is out and a fresh one is in"

    def _told(self, dealt: list[Card], wanted: int) -> str:
        short = f" of the {wanted} wanted" if len(dealt) < wanted else ""
        cards = "1 card" if len(dealt) == 1 else f"{len(dealt)} cards"
        return f"{cards}{short} out" + (f": {' '.join(dealt)}" if self._show_cards and dealt else "")

    # --- the device ----------------------------------------------------------------------------------

    def _misbehave(self, misdeed: Misbehaviour) -> str:
        self._shuffler.misbehave(misdeed)
        return _MISDEEDS[misdeed]

    def _mend(self, rest: list[str]) -> str:
        _nothing_after("mend", rest)
        self._shuffler.ask(lambda device: device.mend())
        return "every fault is ended"

    def _restart(self, rest: list[str]) -> str:
        _nothing_after("restart", rest)
        self._shuffler.ask(lambda device: device.restart())
        return "it starts anew"

    def _status(self, rest: list[str]) -> str:
        _nothing_after("status", rest)
        state = self._shuffler.ask(lambda device: device.state())
        shuffled = "shuffled" if state.shuffled else "not shuffled"
        parts = [f"{state.cards} cards", f"{state.sets} sets dispensed", shuffled]
        parts += ["the next card face up"] * state.face_up_next
        parts += ["jammed"] * state.jammed + ["door open"] * state.door_open
        parts.append("plugged in" if self._shuffler.plugged else "unplugged")
        parts.append("every message arrived" if self._shuffler.quiet() else "some messages have not arrived")
        return ", ".join(parts)

    def _unplug(self, rest: list[str]) -> str:
        _nothing_after("unplug", rest)
        if not self._shuffler.plugged:
            raise BadWord("it is already unplugged; type plug")
        self._shuffler.unplug()
        return "the cable is out"

    def _plug(self, rest: list[str]) -> str:
        _nothing_after("plug", rest)
        if self._shuffler.plugged:
            raise BadWord("it is already plugged in; type unplug")
        self._shuffler.plug()
        return f"the cable is in: {self._shuffler.path}"

    # --- scripts -------------------------------------------------------------------------------------

    def _wait(self, rest: list[str]) -> str:
        try:
            (seconds,) = map(float, rest)
        except ValueError:
            raise BadWord("say how many seconds, as in: wait 0.5") from None
        if not 0 <= seconds <= WAIT_S_MAX:
            raise BadWord(f"{rest[0]} is not between 0 and {WAIT_S_MAX} seconds")
        self._sleep(seconds)
        return ""

    def _quiet(self, rest: list[str]) -> str:
        _nothing_after("quiet", rest)
        deadline = time.monotonic() + QUIET_S
        while not self._shuffler.quiet():
            if time.monotonic() > deadline:
                raise BadWord(
                    f"some messages have not arrived after {QUIET_S:g} s: is anybody at {self._shuffler.path}?"
                )
            self._sleep(0.01)
        return "all was heard"

    def _help(self, rest: list[str]) -> str:
        _nothing_after("help", rest)
        width = max(len(command.usage) for command in self.commands.values())
        rows = [f"  {command.usage:{width}}  {command.meaning}" for command in self.commands.values()]
        misdeeds = [f"  {misdeed:{width}}  {meaning}" for misdeed, meaning in _MISDEEDS.items()]
        return "\n".join(["commands", *rows, "misbehaviour, each by its name", *misdeeds])

    def _quit(self, rest: list[str]) -> str:
        _nothing_after("quit", rest)
        self.ended = True
        return ""

    def play(self, lines: Iterable[str], name: str, tell: Callable[[str], None]) -> None:
        """Runs a script line by line. A bad line ends it; the error names its number."""
        for number, line in enumerate(lines, start=1):
            try:
                answer = self.say(line)
            except BadWord as error:
                raise BadWord(f"{name}, line {number}: {error}") from None
            if answer:
                tell(answer)
            if self.ended:
                return


def read_script(path: Path) -> list[str]:
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        problem = error.strerror if isinstance(error, OSError) else error
        raise BadWord(f"the script {path} cannot be read ({problem}); check its name") from None
    if len(content) > SCRIPT_BYTES_MAX:
        raise BadWord(f"the script {path} has more than {SCRIPT_BYTES_MAX} bytes; name a script")
    try:
        return content.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise BadWord(f"the script {path} is not UTF-8 text; name a script") from None


def _nothing_after(name: str, rest: list[str]) -> None:
    if rest:
        raise BadWord(f"{name} takes no argument, but got {rest[0]!r}")


def _whole(text: str, most: int) -> int:
    if text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= most:
        return int(text)
    raise BadWord(f"{text!r} is not a number from 1 to {most}")


def _some_cards(words: list[str]) -> tuple[Card, ...]:
    try:
        cards = parse_cards(" ".join(words))
    except CardError as error:
        raise BadWord(str(error)) from None
    if not 1 <= len(cards) <= CARDS_MAX:
        raise BadWord(f"a deal has 1 to {CARDS_MAX} cards, not {len(cards)}: type them as in: cards As Kd 2c")
    return cards
