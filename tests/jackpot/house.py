"""A house with several tables whose clocks are not the controller's: each starts at its own nought, runs a little fast
or slow, and its messages take their time. True time is known to the house alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from felt.jackpot.controller.office import Office
from felt.letters.from_controller import Pong, Valued
from felt.letters.from_table import (
    NAME_OF,
    Claim,
    Contribution,
    DealtHand,
    Letter,
    Ping,
    Posted,
    RoundDealtLetter,
    RoundLockedLetter,
    RoundResultLetter,
    write,
)
from felt.nouns.stamps import NS_PER_MS, NS_PER_S, Stamp
from felt.nouns.values import replace
from felt.wire.jackpot import Message, decode, encode
from tests.jackpot.evening import ROYAL, STAKE

MILLION = 1_000_000
WALL_NS = 1_700_000_000 * NS_PER_S


@dataclass
class House:
    office: Office
    true_ns: int = 10 * NS_PER_S
    boot: str = "controller"
    seen: list[Message] = field(default_factory=list)

    def now(self) -> Stamp:
        return Stamp(self.boot, 7 * NS_PER_S + self.true_ns, WALL_NS + self.true_ns)

    def passes(self, milliseconds: int) -> None:
        self.true_ns += milliseconds * NS_PER_MS

    def take(self, data: bytes) -> list[Message]:
        answers = [decode(answer) for answer in self.office.receive(data, self.now())]
        self.seen += answers
        return answers

    def valued(self) -> list[Valued]:
        """Each valuation once, in the order in which it was first told."""
        found: dict[tuple[str, str], Valued] = {}
        for message in self.seen:
            if isinstance(message, Valued):
                found.setdefault((message.table, message.claim), message)
        return list(found.values())


@dataclass
class Table:
    house: House
    name: str
    offset_ns: int = 0
    fast_ppm: int = 0
    delay_ms: int = 1
    boot: str = ""
    posted: int = 0
    heard: tuple[str, int, int] = ("", 0, 0)

    def __post_init__(self) -> None:
        self.boot = self.boot or f"boot-{self.name}"

    def mono_ns(self, true_ns: int | None = None) -> int:
        at = self.house.true_ns if true_ns is None else true_ns
        return self.offset_ns + at + at * self.fast_ppm // MILLION

    def stamp(self) -> Stamp:
        return Stamp(self.boot, self.mono_ns(), WALL_NS + self.house.true_ns)

    def ping(self) -> None:
        """A heartbeat there and back; the next one tells the controller how long this one took."""
        ping = Ping(self.name, "n", self.posted, self.boot, self.mono_ns(), 0, *self.heard)
        self.house.passes(self.delay_ms)
        pong = next(answer for answer in self.house.take(encode(ping)) if isinstance(answer, Pong))
        self.house.passes(self.delay_ms)
        self.heard = (pong.controller_boot, pong.controller_ns, self.mono_ns())

    def post(self, letter: Letter) -> list[Message]:
        self.posted += 1
        body = write(letter)
        return self.house.take(encode(Posted(self.name, "n", self.posted, NAME_OF[type(letter)], body, 1, "ab")))

    def lock(self, number: int, *seats: int) -> None:
        self.post(RoundLockedLetter(number, self.stamp(), tuple(Contribution(seat, STAKE) for seat in seats)))

    def deal(self, number: int, *seats: int) -> dict[int, int]:
        """One hand after another, a hundred milliseconds each; the true time of each hand's last card."""
        hands, times = [], {}
        for seat in seats:
            self.house.passes(100)
            times[seat] = self.house.true_ns
            hands.append(DealtHand(seat, self.mono_ns(), 0))
        self.post(RoundDealtLetter(number, self.stamp(), tuple(hands)))
        return times

    def dealt(self, number: int, times: dict[int, int]) -> None:
        """A deal whose hands were complete at these true times."""
        hands = tuple(DealtHand(seat, self.mono_ns(true_ns), 0) for seat, true_ns in times.items())
        at = replace(self.stamp(), mono_ns=self.mono_ns(max(times.values())))
        self.post(RoundDealtLetter(number, at, hands))

    def decide(self, number: int, claims: dict[int, int], share: tuple[int, int] = (1, 1)) -> list[Message]:
        """Claims by seat, each with the true time of its hand."""
        made = tuple(
            Claim(f"{number}.{seat}", seat, "major", *share, "royal_flush", ROYAL, self.mono_ns(true_ns))
            for seat, true_ns in claims.items()
        )
        return self.post(RoundResultLetter(number, self.stamp(), made))
