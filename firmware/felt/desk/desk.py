"""The desk, where people and screens meet the table. Questions are answered from a frozen picture that the thinking
thread publishes after each turn. Orders of a signed-in person become facts in that person's name, through the same
inbox as everything else. A slow or faulty client blocks only itself."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from felt.config.errors import ConfigError
from felt.config.people import ListedPerson, People, Role, is_pin_of
from felt.desk import screen_pages
from felt.desk.answers import QUESTIONS as OF_THE_CONSOLE
from felt.desk.answers import Answer
from felt.desk.changes import changes
from felt.desk.meter_adjustment import Adjust, Signers, adjuster
from felt.desk.odds import odds
from felt.desk.permissions import lacks_supervisor, needs_two, powers_of, say_roles, unsaid
from felt.desk.pin_lockout import Lockout
from felt.desk.round_replays import NoReplay, RoundReplays
from felt.desk.screen_panel import NO_PANEL, PanelRefused, ScreenPanel
from felt.host.people_watch import PEOPLE_CHANGED, PeopleWatch
from felt.loop.inbox import Item, Order
from felt.loop.picture import Picture
from felt.loop.rate_limit import RateLimit
from felt.nouns.lines import DESK_VERSION
from felt.nouns.values import fields_of, replace
from felt.table.facts import FACTS

PICTURES_MAX = 512  # how far back a watching client may fall
REPLY_S = 10.0
NEWS_S = 1.0  # longest wait of a client that asks for news; then it gets the present state
ORDERS_ALLOWED = (200, 10)  # all clients together: burst, and orders a second
ORDERS_FLOOD = "F-703"
NOBODY = "Nobody can sign in yet, because no people are listed: felt console add-person NAME ROLE --config FILE."
_STRANGER = ""  # all unknown names are counted as one

Words = dict[str, Any]

QUESTIONS: dict[str, Callable[[Picture], Answer]] = {
    **OF_THE_CONSOLE,
    "odds": odds,
    "layout": screen_pages.layout,
    "sign": screen_pages.sign,
    "table": screen_pages.table_page,
}


class RequestRefused(Exception):
    """One sentence for the client; `needs` tells a program what would help."""

    def __init__(self, sentence: str, needs: str = "") -> None:
        super().__init__(sentence)
        self.needs = needs


class Desk:
    def __init__(
        self,
        put: Callable[[Item], None],
        people: Callable[[], People],
        lockout: Lockout,
        tell: Callable[[str], None] = lambda _: None,
        adjust: Adjust | None = None,
        watch: PeopleWatch | None = None,
        panel: ScreenPanel | None = None,
        replays: RoundReplays | None = None,
    ) -> None:
        """`tell` logs sign-ins and failures for the host; `watch` sees everybody who is listed."""
        self._put = put
        self._people = people
        self.tell = tell
        self._lockout = lockout
        self._adjust = adjust or adjuster(None)
        self._watch = watch
        self.panel = panel
        self._replays = replays
        self._one_pin_at_a_time = threading.Lock()
        self._orders = RateLimit(*ORDERS_ALLOWED)
        self._ordering = threading.Lock()
        self._pictures: deque[Picture] = deque(maxlen=PICTURES_MAX)
        self._news = threading.Condition()
        self._done: deque[threading.Event] = deque()  # orders of the turn whose picture comes next

    def show(self, picture: Picture) -> None:
        """Called by the thinking thread after each turn; at most an append."""
        last = self._pictures[-1] if self._pictures else None
        if last is not None and last.table is picture.table and last.down == picture.down:
            self._pictures[-1] = replace(picture, number=last.number)
        else:
            self._pictures.append(replace(picture, number=last.number + 1 if last else 1))
            with self._news:
                self._news.notify_all()
        if self._watch is not None:
            self._watch.look(picture.table)
        while self._done:
            self._done.popleft().set()

    def welcome(self) -> DeskConversation:
        return DeskConversation(self)

    # --- for conversations, from their own threads ------------------------------------------------------

    def picture(self) -> Picture:
        if not self._pictures:
            raise RequestRefused("The table is starting: ask again in a moment.")
        return self._pictures[-1]

    def picture_after(self, number: int) -> Picture:
        """The first picture after `number` or, after a timeout, the present one. A number from an earlier run of the
        table is answered at once."""
        with self._news:
            self._news.wait_for(lambda: bool(self._pictures) and self._pictures[-1].number != number, NEWS_S)
        return self.picture()

    def changes_since(self, number: int) -> Words:
        """What happened after picture `number`, and the number for the next call."""
        kept = list(self._pictures)
        if not kept:
            raise RequestRefused("The table is starting: ask again in a moment.")
        if number <= 0:
            return {"number": kept[-1].number, "changes": []}
        known = [picture for picture in kept if picture.number >= number]
        missed = kept[0].number > number
        told = [
            {"wall_ns": after.at.wall_ns, "kind": kind, "said": said}
            for before, after in pairwise(known)
            for kind, said in changes(before, after)
        ]
        return {"number": kept[-1].number, "missed": missed, "changes": told}

    def people(self) -> People:
        try:
            people = self._people()
        except ConfigError as error:
            raise RequestRefused(f"Nobody can sign in: {error}") from None
        if self._watch is not None:
            self._watch.see(people)
        return people

    def person(self, name: str, pin: str) -> ListedPerson:
        people = self.people()
        if not people:
            raise RequestRefused(NOBODY)
        counted = name if name in people else _STRANGER
        with self._one_pin_at_a_time:
            self._refuse_locked(counted)
            if not is_pin_of(people.get(name), pin):
                wait_s = self._lockout.note_wrong(counted)
                self.tell(f"a wrong PIN for {counted or 'somebody unknown'}")
                self.note_sign_in(counted, "", "locked" if wait_s else "wrong", wait_s)
                self._refuse_locked(counted)
                raise RequestRefused("This name and this PIN do not belong together.")
            self._lockout.note_right(counted)
        return people[name]

    def _refuse_locked(self, name: str) -> None:
        wait_s = self._lockout.wait_s(name)
        if wait_s:
            raise RequestRefused(f"Too many wrong PINs: wait {wait_s} seconds.")

    def note_sign_in(self, person: str, role: str, outcome: str, wait_s: int = 0) -> None:
        """Journals a sign-in without waiting; it is recorded before any later order. Guessing cannot fill the disk:
        during a lockout, attempts are refused without a record."""
        fields = {"person": person, "role": role, "outcome": outcome, "wait_s": wait_s}
        self._put(Order("SignInNoted", fields, lambda _: None))

    def refuse_own_change(self, name: str) -> None:
        refusal = self._watch.refusal(name) if self._watch is not None else ""
        if refusal:
            raise RequestRefused(refusal)

    def replay(self, number: int, role: str) -> Words:
        if self._replays is None:
            raise RequestRefused("This desk has no journal to look into.")
        try:
            return self._replays.replay(number, role)
        except NoReplay as problem:
            raise RequestRefused(str(problem)) from None

    def admit_panel(self, secret: str) -> None:
        if self.panel is None:
            raise RequestRefused(NO_PANEL)
        try:
            with self._one_pin_at_a_time:
                self.panel.admit(secret)
        except PanelRefused as refusal:
            self.tell(f"a screen that would be part of the panel was refused: {refusal}")
            raise RequestRefused(str(refusal)) from None

    def adjust(self, fields: Words, signers: Signers) -> None:
        refusal = self._adjust(self.picture(), fields, signers)
        if refusal:
            raise RequestRefused(refusal)

    def _refuse_a_flood(self) -> None:
        """Each order is a line of the journal, which must not grow faster than people can act."""
        with self._ordering:
            within = self._orders.take(1, time.monotonic_ns())
        if within:
            return
        standing = [fault.code for fault in self.picture().table.service.faults]
        if ORDERS_FLOOD not in standing:
            self._put(Order("FaultRaised", {"code": ORDERS_FLOOD, "where": "desk"}, lambda _: None))
        raise RequestRefused("More orders come than people give: wait a moment, then give it again.")

    def order(self, kind: str, fields: Words) -> list[str]:
        """Gives an order to the table. Returns the table's remarks once the order is durable and visible. Raises
        `RequestRefused` with the reason."""
        replied = threading.Event()
        reasons: list[str] = []
        noticed = self.picture().table.panel.noticed

        def reply(reason: str) -> None:
            reasons.append(reason)
            if reason:
                replied.set()
            else:
                self._done.append(replied)

        self._refuse_a_flood()
        self._put(Order(kind, fields, reply))
        if not replied.wait(REPLY_S):
            raise RequestRefused("The table did not answer, so it is unknown whether anything was done. Look first.")
        if reasons[0]:
            raise RequestRefused(reasons[0])
        said = self.picture().table.panel.notices
        return [note.sentence for note in said if note.number > noticed and note.kind != "refused"]


class DeskConversation:
    """One client. A sign-in is valid on this connection only and ends with it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._name = ""
        self._person: ListedPerson | None = None
        self._is_panel = False

    def answer(self, words: Words) -> Words:
        id_ = words.pop("id", 0)
        asked = {"felt": DESK_VERSION, "id": id_ if isinstance(id_, int) else 0}
        try:
            version = words.pop("felt", None)
            if version != DESK_VERSION:
                raise RequestRefused(f"This desk speaks version {DESK_VERSION}: say it as \"felt\" in each request.")
            return {**asked, "answer": self._answer(words)}
        except RequestRefused as refusal:
            needs = {"needs": refusal.needs} if refusal.needs else {}
            return {**asked, "refused": str(refusal), **needs}

    def leave(self) -> None:
        self._person, self._name = None, ""

    def _signed_in(self) -> ListedPerson:
        """A person who was removed, or whose PIN or role changed, must sign in again."""
        if self._person is None or self._desk.people().get(self._name) != self._person:
            self.leave()
            raise RequestRefused("Sign in first.", "login")
        return self._person

    def _be_panel(self, secret: str) -> Words:
        self._desk.admit_panel(secret)
        self._is_panel = True
        return {"panel": True}

    def _press(self, key: str) -> Words:
        if not self._is_panel or self._desk.panel is None:
            raise RequestRefused("Only a screen that is part of the panel presses its keys.", "panel")
        try:
            self._desk.panel.press(key)
        except PanelRefused as refusal:
            raise RequestRefused(str(refusal)) from None
        return {}

    def _answer(self, words: Words) -> Words:
        match words:
            case {"ask": "changes", "since": int(number)}:
                return self._desk.changes_since(number)
            case {"ask": "replay", "round": int(number)} if 0 < number < 10**9:
                return self._desk.replay(number, self._signed_in().role.value)
            case {"ask": str(question)}:
                if question not in QUESTIONS:
                    known_here = ", ".join(("changes", *QUESTIONS))
                    raise RequestRefused(f"There is no question {question[:40]!r}; known: {known_here}.")
                after = words.get("after")
                known = self._desk.picture_after(after) if isinstance(after, int) else self._desk.picture()
                return QUESTIONS[question](known)
            case {"panel": str(secret)}:
                return self._be_panel(secret)
            case {"press": str(key)}:
                return self._press(key)
            case {"login": str(name), "pin": str(pin)}:
                return self._sign_in(name, pin)
            case {"logout": True}:
                self.leave()
                return {}
            case {"order": str(kind), "fields": dict(fields)}:
                return {"notices": self._order(kind, fields, words.get("second"))}
        raise RequestRefused("Say ask, login and pin, logout, order and fields, panel, or press.")

    def _sign_in(self, name: str, pin: str) -> Words:
        self.leave()
        self._person = self._desk.person(name, pin)
        self._name = name
        role = self._person.role.value
        self._desk.tell(f"{name} signed in as {role}")
        self._desk.note_sign_in(name, role, "in")
        return {"person": name, "role": self._person.role.value, "licence": self._person.licence}

    def _order(self, kind: str, fields: Words, second: object) -> list[str]:
        signed_in = self._signed_in()
        code = fields.get("code")
        powers = powers_of(kind, code)
        if not powers or kind not in FACTS:
            raise RequestRefused(f"{kind[:40]!r} is nothing that this desk can order.")
        if signed_in.role not in powers:
            raise RequestRefused(f"This is for a {say_roles(powers)}; you are signed in as {signed_in.role.value}.")
        blank = unsaid(fields)
        if blank:
            raise RequestRefused(blank)
        if kind == "FaultCleared" and code == PEOPLE_CHANGED:
            self._desk.refuse_own_change(self._name)
        signers = [(self._name, signed_in.role)]
        if needs_two(kind, code):
            signers.append(self._second(powers, second))
            if lacks_supervisor([role for _, role in signers]):
                raise RequestRefused("One of the two must be a supervisor or a shift manager.", "second")
        person = " and ".join(name for name, _ in signers)
        names = fields_of(FACTS[kind])
        signed = {"person": person, "role": signed_in.role.value, "licence": signed_in.licence}
        # Who acts is what the desk knows, not what the client says.
        mine = {name: value for name, value in signed.items() if name in names}
        if kind == "MeterAdjusted":
            self._desk.adjust({name: value for name, value in fields.items() if name != "person"}, signers)
        return self._desk.order(kind, {**fields, **mine})

    def _second(self, powers: tuple[Role, ...], second: object) -> tuple[str, Role]:
        match second:
            case {"login": str(name), "pin": str(pin)} if name != self._name:
                role = self._desk.person(name, pin).role
                if role not in powers:
                    raise RequestRefused(f"The second person must be a {say_roles(powers)} too.", "second")
                self._desk.note_sign_in(name, role.value, "in")
                return name, role
        raise RequestRefused("This takes two persons: another one signs with name and PIN.", "second")
