"""Letters of an imagined table, so that a test can say what happens in one line each."""

from __future__ import annotations

from dataclasses import dataclass, field

from felt.jackpot.books.terms import MeterTerms
from felt.jackpot.controller.office import Office
from felt.letters.from_controller import Acked, Pong, Refused, Valued
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
    RoundVoidedLetter,
    write,
)
from felt.nouns.cards import parse_cards
from felt.nouns.stamps import NS_PER_S, Stamp
from felt.wire.jackpot import Message, decode, encode

MICRO = 1_000_000
STAKE = 500
RESET_MINOR = 5_000_000
MAJOR = MeterTerms("major", RESET_MINOR, 300)
ROYAL = parse_cards("As Ks Qs Js Ts")
DEALER, SHOE = "Kim", "S-7 session 2"


def stamp(second: int, boot: str = "boot") -> Stamp:
    return Stamp(boot, second * NS_PER_S, (1_000 + second) * NS_PER_S)


def claim(round_number: int, seat: int, num: int = 1, den: int = 1, *, level: str = "major", second: int = 0) -> Claim:
    dealt_ns = second * NS_PER_S
    return Claim(
        f"{round_number}.{seat}", seat, level, num, den, "royal_flush", ROYAL, dealt_ns, dealer=DEALER, shoe=SHOE
    )


@dataclass
class Sender:
    """A table as the controller meets it: it numbers its letters, posts them and keeps what it heard."""

    office: Office
    table: str = "T1"
    nonce: str = "n1"
    second: int = 0
    posted: list[bytes] = field(default_factory=list)
    boot: str = "boot"
    at: Stamp | None = None  # the controller's own time, when it has one
    told: int = 0  # the edition of the meters as last heard

    def envelope(self, letter: Letter, sequence: int | None = None) -> bytes:
        number = len(self.posted) + 1 if sequence is None else sequence
        return encode(
            Posted(self.table, self.nonce, number, NAME_OF[type(letter)], write(letter), 7 * number, "ab" * 32)
        )

    def post(self, letter: Letter) -> list[Message]:
        """Posts a letter that must be taken."""
        data = self.envelope(letter)
        answers = self.deliver(data)
        assert isinstance(answers[0], Acked), answers
        assert answers[0].highest_seen == len(self.posted) + 1
        self.posted.append(data)
        return answers[1:]

    def try_to_post(self, letter: Letter) -> str:
        """Posts a letter that must be refused; the reason."""
        (answer,) = self.deliver(self.envelope(letter))
        assert isinstance(answer, Refused), answer
        return answer.reason

    def deliver(self, data: bytes) -> list[Message]:
        return [decode(answer) for answer in self.office.receive(data, self.at)]

    def ping(self) -> tuple[Pong, list[Message]]:
        pong, *others = self.deliver(encode(Ping(self.table, self.nonce, len(self.posted))))
        assert isinstance(pong, Pong)
        self.told = pong.edition
        return pong, others

    # --- one line each ---

    def now(self) -> Stamp:
        self.second += 1
        return stamp(self.second, self.boot)

    def locking(self, number: int, *seats: int, stake: int = STAKE) -> RoundLockedLetter:
        return RoundLockedLetter(number, self.now(), tuple(Contribution(seat, stake) for seat in seats), self.told)

    def lock(self, number: int, *seats: int, stake: int = STAKE) -> None:
        self.post(self.locking(number, *seats, stake=stake))

    def deal(self, number: int, *seats: int) -> None:
        at = self.now()
        self.post(RoundDealtLetter(number, at, tuple(DealtHand(seat, at.mono_ns) for seat in seats)))

    def decide(self, number: int, *claims: Claim) -> list[Valued]:
        answers = self.post(RoundResultLetter(number, self.now(), claims))
        return [answer for answer in answers if isinstance(answer, Valued)]

    def play(self, number: int, *seats: int, claims: tuple[Claim, ...] = (), stake: int = STAKE) -> list[Valued]:
        self.lock(number, *seats, stake=stake)
        self.deal(number, *seats)
        return self.decide(number, *claims)

    def confirming(self, number: int, name: str, award: int, registered: bool = False) -> ClaimConfirmedLetter:
        return ClaimConfirmedLetter(number, name, award, registered, "Ada", self.now())

    def confirm(self, number: int, name: str, award: int, registered: bool = False) -> list[Valued]:
        answers = self.post(self.confirming(number, name, award, registered))
        return [answer for answer in answers if isinstance(answer, Valued)]

    def deny(self, number: int, name: str) -> list[Valued]:
        answers = self.post(ClaimDeniedLetter(number, name, "Ada", "a card was exposed", self.now()))
        return [answer for answer in answers if isinstance(answer, Valued)]

    def voiding(self, number: int, after_result: bool) -> RoundVoidedLetter:
        return RoundVoidedLetter(number, "misdeal", "5.8.7", "Ada", self.now(), after_result)

    def void(self, number: int, after_result: bool = False) -> list[Message]:
        return self.post(self.voiding(number, after_result))

    def end(self, number: int, contributions: int, awards: int = 0, accepted: int = 0) -> None:
        self.post(RoundEndedLetter(number, self.now(), contributions, awards, accepted))
