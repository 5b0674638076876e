"""A table with its desk in one process, on virtual ports, and a console session whose terminal is a list of lines. The
test's thread runs the table; a client asks from another thread, as it does over the socket."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

from felt.config.people import ListedPerson, People, Role, digest_of
from felt.console.all_commands import COMMANDS
from felt.console.ports import Gone
from felt.console.session import ConsoleSession
from felt.console.terminal import HungUp, Terminal
from felt.desk.desk import Desk, DeskConversation
from felt.desk.meter_adjustment import adjuster
from felt.desk.pin_lockout import Lockout
from felt.host.people_watch import PeopleWatch, accept_first
from felt.jackpot.controller.embedded import EmbeddedPost
from felt.journal.reading import read_records
from felt.nouns.cards import Card
from felt.stories.evening import Evening
from felt.table import facts
from felt.virtual.disk import ForgetfulDisk

PIN = {"Vic": "1111", "Tess": "2222", "Sam": "3333", "Shu": "4444", "Max": "5555"}
ROLES = {
    "Vic": Role.VIEWER, "Tess": Role.TECHNICIAN, "Sam": Role.SUPERVISOR, "Shu": Role.SUPERVISOR,
    "Max": Role.SHIFT_MANAGER,
}


@cache
def people() -> People:
    return {name: ListedPerson(role, digest_of(PIN[name]), "L-1") for name, role in ROLES.items()}


class DeskEvening(Evening):
    def __init__(self, decks: Sequence[Sequence[Card]] = (), *, linked: bool = False, watched: bool = False) -> None:
        """`linked`: as far as the desk knows, the meters belong to a controller elsewhere. `watched`: the listed people
        are compared with the accepted ones from the table's first start on."""
        self._linked = linked
        self._watched = watched
        super().__init__(overrides=('dealers.Kim="1234"',), decks=decks)
        assert self.running is not None
        self.loop = self.running.loop
        self.now_ns = 0
        self.known = dict(people())
        self.told: list[str] = []
        self.memory = ForgetfulDisk()  # what the desk keeps beside the journal
        if watched:
            accept_first(self.memory, self.known)
        self.desk = self.new_desk()
        self.loop.on_turn = lambda: self.desk.show(self.loop.picture())
        self.advance(3000)  # shuffler and link have said all they have to say
        self._id = 0

    def new_desk(self) -> Desk:
        """A desk as it is made when the controller starts."""
        lockout = Lockout(lambda: self.now_ns, self.memory, self.told.append)
        own = None if self._linked else EmbeddedPost(self.office, self.clock.stamp)
        put = self.loop.inbox.put
        watch = PeopleWatch(self.memory, put, self.told.append, self.loop.shown()) if self._watched else None
        if watch is not None:
            watch.see(self.known)
        return Desk(put, lambda: self.known, lockout, self.told.append, adjuster(own), watch)

    def journaled(self, kind: type[facts.Fact]) -> list[Any]:
        """Facts of this kind in the journal, from its beginning."""
        assert self.running is not None
        records = (facts.decode(record.payload) for record in read_records(self.running.disk))
        return [fact for fact in records if isinstance(fact, kind)]

    def say(self, client: DeskConversation, **words: Any) -> dict[str, Any]:
        """Ask, and let the table think until it is answered."""
        self._id += 1
        answer = self.answered(client, {"felt": 1, "id": self._id, **words})
        assert answer["id"] == self._id
        return answer

    def answered(self, client: DeskConversation, words: dict[str, Any]) -> dict[str, Any]:
        answers: list[dict[str, Any]] = []
        asking = threading.Thread(target=lambda: answers.append(client.answer(words)))
        asking.start()
        while asking.is_alive():
            self.tick()
            asking.join(0.001)
        # Every answer fits on a line and comes back as it was.
        return dict(json.loads(json.dumps(answers[0])))

    def signed_in(self, name: str) -> DeskConversation:
        client = self.desk.welcome()
        assert "answer" in self.say(client, login=name, pin=PIN[name])
        return client


class Line:
    """The console's way to the desk, without a socket."""

    def __init__(self, table: DeskEvening) -> None:
        if table.running is None:
            raise Gone("Nobody answers.")
        self._table = table
        self._client = table.desk.welcome()

    def ask(self, words: dict[str, Any]) -> dict[str, Any]:
        if self._table.running is None:
            raise Gone("Nobody answers.")
        self._table.advance(10)
        return self._table.answered(self._client, dict(words))

    def close(self) -> None:
        self._client.leave()


class Script(Terminal):
    """Lines that a person will type, and what was shown. A line that begins with ! is done to the table meanwhile."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)
        self.shown: list[str] = []
        self.waits: list[float] = []
        self.meanwhile: dict[str, Any] = {}

    def say(self, text: str = "") -> None:
        self.shown.append(text)

    def read_line(self, prompt: str, *, remember: bool = False) -> str:
        self.shown.append(prompt)
        return self._next()

    def read_secret(self, prompt: str) -> str:
        return self._next()

    def pressed_within(self, seconds: float) -> bool:
        """An empty line is Enter. While others wait, time passes and hands move."""
        if self._lines and self._lines[0].startswith("!"):
            self.meanwhile[self._lines.pop(0)]()
            return False
        if self._lines and self._lines[0] == "":
            self._lines.pop(0)
            return True
        return not self._lines

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)

    def complete_with(self, completer: object) -> None:
        """A list of lines completes nothing."""

    def _next(self) -> str:
        while self._lines and self._lines[0].startswith("!"):
            self.meanwhile[self._lines.pop(0)]()
        if not self._lines:
            raise HungUp
        return self._lines.pop(0)

    @property
    def text(self) -> str:
        return " ".join("\n".join(self.shown).split())


class EmptyArchive:
    """A disk on which nothing has been written."""

    def rounds(self, last: int, role: str) -> list[str]:
        return [f"the last {last} for {role}"]

    def round(self, number: int, role: str) -> list[str]:
        return [f"round {number} for {role}"]

    def hits(self, last: int) -> list[str]:
        return [f"the last {last} hits"]

    def tail(self, last: int, role: str) -> list[str]:
        return [f"the last {last} records for {role}"]

    def export(self, last: int, role: str) -> list[str]:
        return [f"{last} records of JSON for {role}"]

    def configuration(self) -> list[str]:
        return ["[table]"]

    def versions(self) -> list[str]:
        return ["installed"]

    def free_bytes(self) -> int:
        return 10**9

    def has_people(self) -> bool:
        return True

    def role_of(self, name: str, pin: str) -> str:
        return "viewer" if PIN.get(name) == pin else ""


def visited(table: DeskEvening, name: str, *lines: str, **meanwhile: Any) -> str:
    """Everything that is shown to a person who signs in and types these lines."""
    script = Script(name, PIN[name], *lines)
    script.meanwhile = {f"!{what}": act for what, act in meanwhile.items()}
    ConsoleSession(script, lambda: Line(table), EmptyArchive(), COMMANDS, "T1").run()
    return script.text
