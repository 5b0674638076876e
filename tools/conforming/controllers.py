"""A table played against a maker's controller."""

from __future__ import annotations

import contextlib
import secrets
import time
from typing import NamedTuple

from felt.drivers.mqtt import LastWill
from felt.letters.from_controller import GAP, Acked, Pong, Refused, Valued
from felt.letters.from_table import (
    NAME_OF,
    Claim,
    ClaimConfirmedLetter,
    Contribution,
    DealtHand,
    Letter,
    Ping,
    Posted,
    RoundDealtLetter,
    RoundEndedLetter,
    RoundLockedLetter,
    RoundResultLetter,
    write,
)
from felt.nouns.cards import parse_cards
from felt.nouns.keyring import LinkKey
from felt.nouns.stamps import Stamp
from felt.wire import bulletin
from felt.wire.jackpot import Message, WireError, decode, encode
from felt.wire.sealed import OpenedEnvelope, Purpose, SealError, open_sealed, seal
from tools.conforming.judge import Ear, Judge
from tools.conforming.link import Client, Place

STAKE = 100
LEVEL = "major"
QUIET_S = 1.5  # what is not answered within this is taken for unanswered


class Answer(NamedTuple):
    opened: OpenedEnvelope
    message: Message


class TableEnd:
    def __init__(self, place: Place, judge: Judge, patience_s: float) -> None:
        self.place, self._judge = place, judge
        self.answers: Ear[Answer] = Ear(patience_s)
        self.signs: Ear[tuple[int, dict[str, int]]] = Ear(patience_s)
        self.session, self.number = secrets.token_hex(8), 0
        self.nonce, self.written, self.told = f"conform-{secrets.token_hex(4)}", 0, 0
        self.boot = secrets.token_hex(4)
        absent = seal(Purpose.HERE, place.table, place.own.current, "0" * 16, 0, bulletin.write_presence(False))
        will = LastWill(bulletin.here_topic(place.link, place.table), absent)
        topics = (bulletin.down_topic(place.link, place.table), bulletin.sign_topic(place.link))
        self.client = Client(place, will, topics, self._hear, patience_s)

    def _hear(self, topic: str, data: bytes) -> None:
        try:
            if topic == bulletin.sign_topic(self.place.link):
                opened = open_sealed(data, Purpose.SIGN, self.place.link, self.place.sign)
                self.signs.put((opened.number, bulletin.read_sign(opened.content)))
            else:
                opened = open_sealed(data, Purpose.DOWN, self.place.table, self.place.own)
                self.answers.put(Answer(opened, decode(opened.content)))
        except (SealError, WireError) as error:
            self._judge.say(f"a message on {topic}: {error}", False)

    def send(self, content: bytes, key: LinkKey | None = None, number: int | None = None) -> None:
        if number is None:
            self.number += 1
            number = self.number
        sealed = seal(Purpose.UP, self.place.table, key or self.place.own.current, self.session, number, content)
        self.client.publish(bulletin.up_topic(self.place.link, self.place.table), sealed)

    def now(self) -> Stamp:
        return Stamp(self.boot, time.monotonic_ns(), time.time_ns())

    def ping(self) -> Answer:
        self.send(encode(Ping(self.place.table, self.nonce, self.written, self.boot, time.monotonic_ns())))
        answer = self.answers.wait("the answer to a ping", lambda answer: isinstance(answer.message, Pong))
        if isinstance(answer.message, Pong):
            self.told = answer.message.edition
        return answer

    def envelope(self, letter: Letter, sequence: int) -> bytes:
        kind = NAME_OF[type(letter)]
        return encode(Posted(self.place.table, self.nonce, sequence, kind, write(letter), sequence, "ab" * 32))

    def say(self, letter: Letter) -> Answer:
        self.written += 1
        self.send(self.envelope(letter, self.written))
        return self.answers.wait(
            f"the answer to {NAME_OF[type(letter)]}", lambda answer: isinstance(answer.message, Acked | Refused)
        )

    def lock(self, number: int) -> RoundLockedLetter:
        return RoundLockedLetter(number, self.now(), (Contribution(1, STAKE),), self.told)

    def deal(self, number: int) -> RoundDealtLetter:
        dealt = self.now()
        return RoundDealtLetter(number, dealt, (DealtHand(1, dealt.mono_ns),))


def look_at_controller(place: Place, judge: Judge, patience_s: float) -> None:
    table = TableEnd(place, judge, patience_s)
    with contextlib.closing(table.client):
        value_micro = _look_at_pings(table, judge)
        _look_at_letters(table, judge)
        _look_at_a_jackpot(table, judge, value_micro)


def _look_at_pings(table: TableEnd, judge: Judge) -> int:
    pong = table.ping()
    message = pong.message
    assert isinstance(message, Pong)
    judge.say("a ping is answered, sealed for this table", True)
    judge.say("the answer echoes session and number", _echoes(table, pong))
    judge.say("the answer names the table and its journal", (message.table, message.nonce) == _names(table))
    judge.say("of a new journal no letter is known", message.highest_seen == 0)
    judge.say(f"the meter {LEVEL} is told", LEVEL in message.meters)
    number, _ = table.signs.wait("a retained sign", lambda _: True)
    judge.say("a sign is retained and sealed with the sign's key", number > 0)
    table.send(encode(Ping(message.table, message.nonce, 0)), number=table.number)
    judge.say("a number that was heard before is not answered", not _answered(table))
    table.send(encode(Ping(message.table, message.nonce, 0)), key=LinkKey(_key_id(table), b"\x00" * 32), number=10**6)
    judge.say("a forged message is not answered", not _answered(table))
    judge.say("and does not spend the number that it named", _echoes(table, table.ping()))
    return message.meters.get(LEVEL, 0)


def _look_at_letters(table: TableEnd, judge: Judge) -> None:
    first = table.lock(1)
    answer = table.say(first)
    judge.say("the first letter is answered", answer.message == Acked(*_names(table), 1, 1))
    judge.say("that answer echoes session and number", _echoes(table, answer))
    table.send(table.envelope(first, 1))
    again = table.answers.wait("the answer to a resend", lambda answer: isinstance(answer.message, Acked | Refused))
    judge.say("a letter that comes again is answered the same", again.message == answer.message)
    table.send(table.envelope(table.lock(1), 1))
    other = table.answers.wait(
        "an answer to a known number", lambda answer: isinstance(answer.message, Acked | Refused)
    )
    judge.say("another text under a known number is refused", isinstance(other.message, Refused))
    table.send(table.envelope(table.deal(1), 3))
    gap = table.answers.wait("an answer to a gap", lambda answer: isinstance(answer.message, Acked | Refused))
    judge.say("a letter that skips one is refused as a gap", gap.message == Refused(*_names(table), 3, GAP))
    text = write(table.deal(1)).replace(",", ", ", 1)
    table.send(encode(Posted(*_names(table), 2, "RoundDealt", text, 2, "ab" * 32)))
    loose = table.answers.wait(
        "an answer to a loose letter", lambda answer: isinstance(answer.message, Acked | Refused)
    )
    judge.say("a letter that is not in its one form is refused", isinstance(loose.message, Refused))
    for letter in (table.deal(1), RoundResultLetter(1, table.now(), ()), RoundEndedLetter(1, table.now(), STAKE, 0, 1)):
        answer = table.say(letter)
        right = answer.message == Acked(*_names(table), table.written, table.written)
        judge.say(f"{NAME_OF[type(letter)]} is taken", right)


def _look_at_a_jackpot(table: TableEnd, judge: Judge, before_micro: int) -> None:
    shown = table.ping().message
    assert isinstance(shown, Pong)
    judge.say("a round that counts raises the meter, or leaves it", shown.meters.get(LEVEL, 0) >= before_micro)
    table.say(table.lock(2))
    dealt = table.deal(2)
    table.say(dealt)
    cards = parse_cards("As Ks Qs Js Ts")
    dealt_ns = dealt.hands[0].last_card_ns
    claim = Claim("2.1", 1, LEVEL, 1, 1, "royal_flush", cards, dealt_ns, shown.meters.get(LEVEL, 0))
    table.say(RoundResultLetter(2, table.now(), (claim,)))
    told = table.answers.wait("the value of a claim", lambda answer: isinstance(answer.message, Valued)).message
    assert isinstance(told, Valued)
    share = (told.level, told.share_num, told.share_den)
    judge.say("a claim has a value, with level and share", share == (LEVEL, 1, 1))
    judge.say("the award of the whole is the value without its fraction", told.award_minor == told.value_micro // 10**6)
    frozen = table.ping().message
    judge.say("the meter is frozen at it", isinstance(frozen, Pong) and frozen.meters.get(LEVEL) == told.value_micro)
    again = table.answers.wait("the value again", lambda answer: isinstance(answer.message, Valued)).message
    judge.say("the value is told again with each answer to a ping", again == told)
    wrong = ClaimConfirmedLetter(2, "2.1", told.award_minor + 1, False, "conform", table.now())
    judge.say("another award than the one told is refused", isinstance(table.say(wrong).message, Refused))
    table.written -= 1
    award = told.award_minor
    right = ClaimConfirmedLetter(2, "2.1", award, False, "conform", table.now())
    judge.say("the award that was told is taken", isinstance(table.say(right).message, Acked))
    ended = table.say(RoundEndedLetter(2, table.now(), STAKE, award, 1)).message
    judge.say("the sums of the round agree", isinstance(ended, Acked) and not ended.differs)
    pong = table.ping().message
    assert isinstance(pong, Pong)
    judge.say("the highest letter is known", pong.highest_seen == table.written)
    judge.say("the meter begins again", pong.meters.get(LEVEL, 0) < told.value_micro)


def _names(table: TableEnd) -> tuple[str, str]:
    return table.place.table, table.nonce


def _key_id(table: TableEnd) -> str:
    return table.place.own.current.id


def _echoes(table: TableEnd, answer: Answer) -> bool:
    return (answer.opened.session, answer.opened.number) == (table.session, table.number)


def _answered(table: TableEnd) -> bool:
    return table.answers.hears(lambda _: True, QUIET_S)
