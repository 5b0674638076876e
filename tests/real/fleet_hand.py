"""A table's end of the link that a test controls by hand. It posts what the test tells it to and remembers what it
heard, with a real broker and a real `felt jackpot` around it."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from felt.config.link_folder import OWN_KEYS, SIGN_KEYS, LinkFolder
from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker
from felt.drivers.mqtt_post import LinkKeys, LinkNames, MqttPost, last_will
from felt.letters.from_controller import Acked, Pong, Valued
from felt.letters.from_table import (
    NAME_OF,
    Claim,
    ClaimConfirmedLetter,
    ClaimDeniedLetter,
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
from felt.nouns.stamps import Stamp
from felt.wire import bulletin
from felt.wire.jackpot import Message, decode, encode
from tests.real.fleet_house import MortalController, write_controller_file
from tests.real.fleet_plan import MAJOR, link_of
from tests.real.linked import until
from tests.real.mosquitto import Mosquitto

CONTROLLER = "main"
STAKE = 500
RESEND_S = 2.0
GROWTH_MICRO = STAKE * (MAJOR.rate_bp - MAJOR.reserve_bp) * 100
RESET_MICRO = MAJOR.reset_minor * 1_000_000


class HandLed:
    def __init__(self, folder: Path, port: int, table: str) -> None:
        self.table, self.nonce = table, f"n-{table}"
        self.written = 0
        self.heard: list[Message] = []
        self.names = LinkNames(CONTROLLER, table, link_of(table))
        link = LinkFolder(folder / f"link-{table}", {})
        self.keys = LinkKeys(link.keyring(OWN_KEYS), link.keyring(SIGN_KEYS))
        self._boot, self._ahead_ns = secrets.token_hex(4), secrets.randbelow(10**15)
        will = LastWill(bulletin.here_topic(CONTROLLER, table), last_will(self.names, self.keys))
        self.post = MqttPost(MqttBroker(BrokerAddress("127.0.0.1", port), f"hand-{table}", will), self.names, self.keys)
        self.post.start(lambda answer: self.heard.append(decode(answer)))
        until(lambda: bool(self.post.meters()), "the sign is heard")

    def now(self) -> Stamp:
        return Stamp(self._boot, time.monotonic_ns() + self._ahead_ns, time.time_ns())

    def envelope(self, letter: Letter, sequence: int) -> bytes:
        text = write(letter)
        return encode(Posted(self.table, self.nonce, sequence, NAME_OF[type(letter)], text, sequence, "ab" * 32))

    def say(self, letter: Letter) -> None:
        """Post the letter until it is answered."""
        self.written += 1
        answer = Acked(self.table, self.nonce, self.written, self.written)
        sent_s = 0.0

        def is_answered() -> bool:
            nonlocal sent_s
            if answer not in self.heard and time.monotonic() - sent_s > RESEND_S:
                sent_s = time.monotonic()
                self.post.send(self.envelope(letter, self.written))
            return answer in self.heard

        until(is_answered, f"{letter} is answered")

    def tell_the_time(self) -> None:
        """Send two pings: the second says when the answer to the first was heard."""
        sample: tuple[str, int, int] = ("", 0, 0)
        for _ in range(2):
            known = len(self._pongs())
            now = self.now()
            self.post.send(encode(Ping(self.table, self.nonce, self.written, now.boot, now.mono_ns, 0, *sample)))
            until(lambda known=known: len(self._pongs()) > known, "a ping is answered")  # type: ignore[misc]
            pong = self._pongs()[-1]
            sample = (pong.controller_boot, pong.controller_ns, self.now().mono_ns)

    def lock_and_deal(self, number: int, seat: int = 1) -> int:
        """Returns the time of the hand's last card."""
        self.say(RoundLockedLetter(number, self.now(), (Contribution(seat, STAKE),)))
        dealt = self.now()
        self.say(RoundDealtLetter(number, dealt, (DealtHand(seat, dealt.mono_ns),)))
        return dealt.mono_ns

    def decide(self, number: int, claim_dealt_ns: int | None = None, seat: int = 1) -> str:
        """Post the result, with a claim for the whole major if the time of its hand is given. Returns the claim's
        name."""
        name = f"{number}.{seat}"
        claims: tuple[Claim, ...] = ()
        if claim_dealt_ns is not None:
            claims = (Claim(name, seat, MAJOR.name, *MAJOR.share, "royal_flush", (), claim_dealt_ns),)
        self.say(RoundResultLetter(number, self.now(), claims))
        return name

    def valued(self, claim: str) -> Valued | None:
        return next((message for message in self.heard if isinstance(message, Valued) and message.claim == claim), None)

    def worth(self, claim: str) -> Valued:
        """The value of the claim, once the controller has sent it."""
        until(lambda: self.valued(claim) is not None, f"claim {claim} of {self.table} is valued")
        found = self.valued(claim)
        assert found is not None
        return found

    def confirm(self, number: int, claim: str) -> int:
        award = self.worth(claim).award_minor
        self.say(ClaimConfirmedLetter(number, claim, award, False, "Ada", self.now()))
        return award

    def deny(self, number: int, claim: str) -> None:
        self.say(ClaimDeniedLetter(number, claim, "Ada", "a card was exposed", self.now()))

    def end(self, number: int, awards_minor: int = 0) -> None:
        self.say(RoundEndedLetter(number, self.now(), STAKE, awards_minor, 1))

    def close(self) -> None:
        self.post.close()

    def _pongs(self) -> list[Pong]:
        return [message for message in self.heard if isinstance(message, Pong)]


class HandHouse(NamedTuple):
    folder: Path
    broker: Mosquitto
    controller: MortalController
    tables: tuple[HandLed, ...]


@contextlib.contextmanager
def hand_house(folder: Path, tables: list[str], claim_wait_s: int = 600) -> Iterator[HandHouse]:
    with contextlib.ExitStack() as ends:
        broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        config = write_controller_file(folder, broker.port, tables, "jackpot.ledger", claim_wait_s)
        controller = ends.enter_context(contextlib.closing(MortalController(config)))
        controller.keep_until_it_answers()
        made = [ends.enter_context(contextlib.closing(HandLed(folder, broker.port, table))) for table in tables]
        yield HandHouse(folder, broker, controller, tuple(made))
