"""Plays the controller for a maker's table: the product's own, with a ledger in memory, behind a broker. Some of its
answers are withheld."""

from __future__ import annotations

import contextlib
import json
import secrets
import time
from typing import TypeVar

from felt.jackpot.books.terms import MeterTerms
from felt.jackpot.controller.exchange import Exchange, Heard
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Acked, Refused, Valued
from felt.letters.from_table import Ping, Posted
from felt.nouns.stamps import Stamp
from felt.wire import bulletin
from felt.wire.jackpot import WireError, decode
from felt.wire.sealed import OpenedEnvelope, Purpose, SealError, open_sealed
from tools.conforming.judge import Ear, Judge, Unheard
from tools.conforming.link import Client, Place, will_of_controller

M = TypeVar("M", Posted, Ping)
METER = MeterTerms("major", 1_000_000, 300)
ROUNDS = 2
RESENT_WITHIN_S = 10.0
ORDER = {"RoundLocked": 0, "RoundDealt": 1, "RoundResult": 2, "ClaimConfirmed": 3, "ClaimDenied": 3, "RoundEnded": 4}


class ControllerEnd:
    def __init__(self, place: Place, judge: Judge, patience_s: float) -> None:
        self.place, self._judge, self.patience_s = place, judge, patience_s
        self.heard: Ear[Heard] = Ear(patience_s)
        self._office = Office(MemoryLedger(), [METER])
        self._exchange = Exchange(self._office, place.link, {place.table: place.own}, place.sign)
        self._boot = secrets.token_hex(4)
        self._session, self._number = "", 0
        self.said: list[Acked | Refused | Valued] = []
        self.withheld: set[int] = set()  # letters whose first answer is lost
        self.client = Client(place, will_of_controller(place.link), self._exchange.topics(), self._hear, patience_s)
        topic = bulletin.controller_topic(place.link)
        self.client.publish(topic, bulletin.write_presence(True), retain=True)

    def _hear(self, topic: str, content: bytes) -> None:
        if topic == bulletin.up_topic(self.place.link, self.place.table):
            self.heard.put(Heard(topic, content))

    def take(self, what: str) -> tuple[OpenedEnvelope, Posted | Ping]:
        """The next message of the table, judged but not yet answered."""
        heard = self.heard.wait(what, lambda _: True)
        try:
            opened = open_sealed(heard.content, Purpose.UP, self.place.table, self.place.own)
            message = decode(opened.content)
        except (SealError, WireError) as error:
            self._judge.say(f"a message of the table: {error}", False)
            return self.take(what)
        if not isinstance(message, Posted | Ping) or message.table != self.place.table:
            self._judge.say(f"a table says {type(message).__name__} of {message.table}", False)
            return self.take(what)
        if opened.session == self._session and opened.number <= self._number:
            self._judge.say(f"its numbers rise: {opened.number} came after {self._number}", False)
        self._session, self._number = opened.session, opened.number
        self._answer(heard, message)
        return opened, message

    def _answer(self, heard: Heard, message: Posted | Ping) -> None:
        now = Stamp(self._boot, time.monotonic_ns(), time.time_ns())
        outgoing = self._exchange.take([heard], now)
        lost = isinstance(message, Posted) and message.sequence in self.withheld
        for outward in [*self._exchange.sign(time.time_ns() // 10**6), *outgoing]:
            if outward.topic == bulletin.down_topic(self.place.link, self.place.table):
                told = decode(open_sealed(outward.content, Purpose.DOWN, self.place.table, self.place.own).content)
                if isinstance(told, Acked | Refused | Valued):
                    self.said.append(told)
                if lost:
                    continue
            self.client.publish(outward.topic, outward.content, retain=outward.retain)


def look_at_table(place: Place, judge: Judge, patience_s: float) -> None:
    end = ControllerEnd(place, judge, patience_s)
    with contextlib.closing(end.client):
        _look(end, judge)


def _look(end: ControllerEnd, judge: Judge) -> None:
    opened, _ = _next(end, "a ping", Ping)
    judge.say("it pings, sealed with its own key", True)
    judge.say("its session is not the one of a last will", opened.session != "0" * 16)
    began_s = time.monotonic()
    for _ in range(3):
        _next(end, "more pings", Ping)
    judge.say("it pings about once a second", 1.0 <= time.monotonic() - began_s <= 6.0)
    judge.note(f"Now play {ROUNDS} rounds at it, the second with a jackpot if it can have one.")
    end.withheld = {1}
    _, first = _next(end, "a letter", Posted)
    judge.say("its letters are numbered from 1", first.sequence == 1)
    judge.say("the first letter of a round is RoundLocked", first.kind == "RoundLocked")
    began_s = time.monotonic()
    letters = [first]
    while len(letters) == 1 or letters[-1].sequence != first.sequence:
        left_s = began_s + RESENT_WITHIN_S - time.monotonic()
        letters.append(_next(end, "the same letter again, though it was not answered,", Posted, left_s)[1])
    judge.say("a letter without an answer is posted again, the same", letters[-1] == first)
    end.withheld = set()
    _look_at_rounds(end, judge, letters)


def _look_at_rounds(end: ControllerEnd, judge: Judge, heard: list[Posted]) -> None:
    """`heard`: what came while the first answer was withheld."""
    texts: dict[int, tuple[str, str]] = {}
    ended = claims = 0
    stage: dict[int, int] = {}
    while ended < ROUNDS:
        letter = heard.pop(0) if heard else _next(end, "the next letter", Posted)[1]
        known = texts.get(letter.sequence)
        if known is not None:
            if known != (letter.kind, letter.body):
                judge.say(f"letter {letter.sequence} is the same each time", False)
            continue
        texts[letter.sequence] = (letter.kind, letter.body)
        refused = [answer for answer in end.said if isinstance(answer, Refused) and answer.sequence == letter.sequence]
        judge.say(f"letter {letter.sequence}, {letter.kind}, can be taken", not refused)
        for answer in refused:
            judge.note(answer.reason)
        if refused:
            raise Unheard("a letter in the place of one that was refused")
        body = json.loads(letter.body)
        number, place = body["round"], ORDER.get(letter.kind, -1)
        if place >= 0 and place < stage.get(number, -1):
            judge.say(f"{letter.kind} of round {number} comes in its turn", False)
        stage[number] = max(place, stage.get(number, -1))
        claims += letter.kind in ("ClaimConfirmed", "ClaimDenied")
        ended += letter.kind in ("RoundEnded", "RoundVoided")
        if letter.kind == "RoundEnded":
            acked = [answer for answer in end.said if isinstance(answer, Acked) and answer.sequence == letter.sequence]
            judge.say(f"the sums of round {number} agree", bool(acked) and not acked[-1].differs)
    judge.say("its letters are numbered without a gap", sorted(texts) == list(range(1, len(texts) + 1)))
    judge.note(f"claims confirmed or denied: {claims}" if claims else "No jackpot was seen: that part is not judged.")


def _next(end: ControllerEnd, what: str, kind: type[M], within_s: float | None = None) -> tuple[OpenedEnvelope, M]:
    deadline = time.monotonic() + (end.patience_s if within_s is None else within_s)
    while time.monotonic() < deadline:
        opened, message = end.take(what)
        if isinstance(message, kind):
            return opened, message
    raise Unheard(f"{what} did not come in time")
