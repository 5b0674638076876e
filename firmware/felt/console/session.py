"""A person's session at the console, from sign-in to sign-out: prompt, commands, and what happens when the table,
the line or the person disappears. A command is one or two words and its arguments; it has one sentence of help and
an example."""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from felt.console.grammar import Misspelt, whole_word
from felt.console.ports import Archive, DeskPort, Gone, OpenDesk, Words
from felt.console.terminal import HungUp, Idle, Terminal, TooLong
from felt.nouns.lines import DESK_VERSION
from felt.nouns.money import Currency, say
from felt.nouns.values import Value, from_plain

WIDTH = 78
WRONG_PIN_S = 3.0  # if no desk counts wrong PINs; doubles each time
WRONG_PINS_MAX = 8  # after this many the delay stays the same: about a quarter of an hour
LEAVING = ("quit", "exit", "logout")  # typed instead of a name
NOBODY_LISTED = "Nobody can sign in yet, because no people are listed: felt console add-person NAME ROLE."
NO_TABLE = "The table controller does not answer: you can read what is on the disk, but change nothing."


def folded(sentence: str, indent: str = "") -> str:
    """Wraps for the narrowest terminal. Never breaks a word, because it may be a name to type."""
    return textwrap.fill(
        sentence, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


class RefusedByDesk(Exception):
    """The desk's own sentence; `needs` says what would help."""

    def __init__(self, sentence: str, needs: str = "") -> None:
        super().__init__(sentence)
        self.needs = needs


class SignedOut(Exception):
    pass


class Left(Exception):
    """Somebody leaves the console, signed in or not."""


Act = Callable[["ConsoleSession", list[str]], None]


class Command(Value):
    usage: str
    about: str
    example: str
    act: Act
    second_words: tuple[str, ...] = ()  # for completion
    needs_table: bool = True  # False: the disk can answer it too


class Understood(Value):
    name: str
    command: Command
    arguments: list[str]


def understand(line: str, commands: Mapping[str, Command]) -> Understood | None:
    words = line.split()
    if not words:
        return None
    name = whole_word(words[0].lower(), tuple(commands), "command")
    return Understood(name, commands[name], words[1:])


def completions(before: str, begun: str, commands: Mapping[str, Command]) -> list[str]:
    words = before.split()
    if not words:
        return [f"{name} " for name in commands if name.startswith(begun)]
    command = commands.get(words[0])
    if len(words) == 1 and command is not None:
        return [word for word in command.second_words if word.startswith(begun)]
    return []


class ConsoleSession:
    def __init__(
        self, terminal: Terminal, open_desk: OpenDesk, archive: Archive, commands: Mapping[str, Command], table: str
    ) -> None:
        self.terminal = terminal
        self.archive = archive
        self.commands = commands
        self.table_id = table
        self.person = ""
        self.role = ""
        self._open_desk = open_desk
        self._desk: DeskPort | None = None
        self._asked = 0
        self._wrong_pins = 0
        terminal.complete_with(lambda before, begun: completions(before, begun, commands))

    # --- a person comes, works and goes ------------------------------------------------------------------

    def run(self) -> None:
        """Runs until the line is gone. Each iteration is one person's visit."""
        with contextlib.suppress(HungUp, Left):
            while True:
                with contextlib.suppress(KeyboardInterrupt, Idle):
                    self._visit()
                self._sign_out()
        self._sign_out()
        with contextlib.suppress(HungUp):  # perhaps nobody is there to read it
            self.terminal.say("\nConsole closed.")

    def _visit(self) -> None:
        self.terminal.say(f"\nFelt table {self.table_id}. Sign in with your name and PIN; quit or Ctrl-D leaves.")
        name = self._typed("name: ")
        if name is None or not name.strip():
            return
        if name.strip().lower() in LEAVING:
            raise Left
        # Asked before the name is checked, so that a stranger learns nothing.
        try:
            pin = self.terminal.read_secret("PIN: ")
        except TooLong:
            self.terminal.say("That is not a PIN.")
            return
        if not self._sign_in(name.strip(), pin):
            return
        self.terminal.say(f"Signed in: {self.person}, {self.role.replace('_', ' ')}. Type help for the commands.")
        if self._desk is not None:
            self._do("status")
        try:
            while True:
                line = self._typed(self._prompt())
                if line is not None:
                    self._do(line)
        except SignedOut:
            self.terminal.say("Signed out.")
        except Idle:
            self.terminal.say("\nSigned out for inactivity.")

    def _typed(self, prompt: str) -> str | None:
        """Returns None if the input was unusable; a message was shown."""
        try:
            return self.terminal.read_line(prompt, remember=bool(self.person))
        except TooLong:
            self.terminal.say("That line is too long to be a command.")
        except KeyboardInterrupt:
            self.terminal.say("^C")
        return None

    def _prompt(self) -> str:
        state = "" if self._desk is not None else " NO CONTROLLER"
        with contextlib.suppress(Gone, RefusedByDesk):
            if self._desk is not None and self.ask("status")["service"] == "TEST":
                state = " *** TEST MODE ***"
        if self._desk is None and not state:
            state = " NO CONTROLLER"
        return f"{self.table_id} {self.person}{state}> "

    def _do(self, line: str) -> None:
        try:
            understood = understand(line, self.commands)
            if understood is None:
                return
            if understood.command.needs_table and self._desk is None:
                self._reconnect()
            understood.command.act(self, understood.arguments)
        except (Misspelt, RefusedByDesk) as error:
            self.terminal.say(folded(str(error)))
        except Gone:
            self._lose_desk()
            self.terminal.say(folded(NO_TABLE))
        except KeyboardInterrupt:
            self.terminal.say("^C")

    # --- signing in and out ------------------------------------------------------------------------------

    def _sign_in(self, name: str, pin: str) -> bool:
        try:
            self._desk = self._open_desk()
            answer = self._request({"login": name, "pin": pin})
            self.person, self.role = answer["person"], answer["role"]
        except RefusedByDesk as refusal:
            self.terminal.say(folded(str(refusal)))
            self._lose_desk()
            return False
        except Gone:
            self._lose_desk()
            return self._sign_in_without_desk(name, pin)
        return True

    def _sign_in_without_desk(self, name: str, pin: str) -> bool:
        self.terminal.say(folded(NO_TABLE))
        role = self.archive.role_of(name, pin)
        if not role:
            self.terminal.wait(WRONG_PIN_S * 2 ** min(self._wrong_pins, WRONG_PINS_MAX))
            self._wrong_pins += 1
            known = self.archive.has_people()
            self.terminal.say(folded("This name and this PIN do not belong together." if known else NOBODY_LISTED))
            return False
        self.person, self.role = name, role
        self._wrong_pins = 0
        return True

    def _sign_out(self) -> None:
        self.person, self.role = "", ""
        self._lose_desk()

    def _lose_desk(self) -> None:
        if self._desk is not None:
            self._desk.close()
            self._desk = None

    def _reconnect(self) -> None:
        """A restarted controller does not know who is signed in, so it needs the PIN again."""
        self._desk = self._open_desk()
        self.terminal.say(f"The controller answers again. {self.person}, sign in to it.")
        answer = self._request({"login": self.person, "pin": self.terminal.read_secret("PIN: ")})
        self.role = answer["role"]

    # --- for commands ------------------------------------------------------------------------------------

    def ask(self, question: str, **more: Any) -> Words:
        return self._request({"ask": question, **more})

    def order(self, kind: str, done: str, /, **fields: Any) -> None:
        """Gives an order in the name of the person who is signed in, with a second person if the order takes two."""
        words: Words = {"order": kind, "fields": fields}
        try:
            answer = self._request(words)
        except RefusedByDesk as refusal:
            if refusal.needs != "second":
                raise
            self.terminal.say(folded(str(refusal)))
            second = {"login": self._typed("second person: ") or "", "pin": self.terminal.read_secret("PIN: ")}
            answer = self._request({**words, "second": second})
        if done:
            self.terminal.say(folded(done))
        for remark in answer.get("notices", ()):
            self.terminal.say(folded(f"! {remark}", "  "))

    @property
    def is_connected(self) -> bool:
        return self._desk is not None

    def say(self, text: str = "") -> None:
        self.terminal.say(text)

    def say_money(self, amount_minor: int, currency: dict[str, Any]) -> str:
        return say(amount_minor, from_plain(Currency, currency))

    def _request(self, words: Words) -> Words:
        if self._desk is None:
            raise Gone(NO_TABLE)
        self._asked += 1
        answer = self._desk.ask({"felt": DESK_VERSION, "id": self._asked, **words})
        if "refused" in answer:
            raise RefusedByDesk(str(answer["refused"]), str(answer.get("needs", "")))
        found = answer.get("answer")
        return found if isinstance(found, dict) else {}
