"""What a group of simulated tables remembers across a SIGKILL: one file of lines, synced before anything is sent. A
table's next message follows from its lines and its plan alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from felt.letters.from_controller import Acked, Refused, Valued
from felt.letters.from_table import (
    NAME_OF,
    BetsReturnedLetter,
    Claim,
    ClaimConfirmedLetter,
    ClaimDeniedLetter,
    Contribution,
    DealtHand,
    HitReportedLetter,
    Letter,
    RoundDealtLetter,
    RoundEndedLetter,
    RoundLockedLetter,
    RoundResultLetter,
    RoundVoidedLetter,
    write,
)
from felt.nouns.stamps import Stamp
from felt.wire.jackpot import Message, read_letter
from tests.real.fleet_plan import Ending, Paid, PlannedClaim, plan_of

GAP = "gap"
UNANSWERED_MAX = 6  # then the dealer waits
SUPERVISOR = "Ada"

Line = list[Any]


class TableBook:
    """One table's letters in its own order, and what it heard."""

    def __init__(self, table: str, seed: int, rounds: int) -> None:
        self.table = table
        self.nonce = f"n-{table}"
        self._seed = seed
        self._rounds = rounds
        self.letters: list[tuple[str, str]] = []  # kind and text; the first has the number one
        self.acked = 0
        self.number = 1
        self._plan = plan_of(seed, table, 1)
        self._written: list[Letter] = []  # of the present round
        self.valued: dict[str, int] = {}  # of its claims
        self.awards: dict[str, Paid] = {}  # by claim: what the dealer paid
        self.troubles: list[str] = []

    @property
    def finished(self) -> bool:
        return self.number > self._rounds

    @property
    def answered(self) -> bool:
        return self.acked == len(self.letters)

    def unanswered(self) -> Iterator[tuple[int, str, str]]:
        for place in range(self.acked, len(self.letters)):
            yield (place + 1, *self.letters[place])

    # --- lines: whatever changes the book is one, and is replayed by the same code ---------------------

    def heard(self, message: Message) -> Line | None:
        """What an answer adds to the book; empty if it was known."""
        if isinstance(message, Acked):
            if message.differs:
                return ["trouble", self.table, message.differs]
            if self.acked < message.sequence <= len(self.letters):
                return ["acked", self.table, message.sequence]
        elif isinstance(message, Refused) and message.reason != GAP:
            return ["trouble", self.table, f"Letter {message.sequence} was refused: {message.reason}"]
        elif isinstance(message, Valued):
            open_claims = [claim.claim for claim in self._open_claims()]
            if message.claim in open_claims and self.valued.get(message.claim) != message.award_minor:
                return ["valued", self.table, message.claim, message.award_minor]
        return None

    def next_line(self, now: Stamp) -> Line | None:
        """The dealer's next act, if one is due now."""
        if self.finished or len(self.letters) - self.acked >= UNANSWERED_MAX:
            return None
        letter = self._next_letter(now)
        return None if letter is None else ["letter", self.table, NAME_OF[type(letter)], write(letter)]

    def take(self, line: Line) -> None:
        match line:
            case ["letter", _, kind, text]:
                self._take_letter(kind, text)
            case ["acked", _, sequence]:
                self.acked = sequence
            case ["valued", _, claim, award_minor]:
                if claim in self.valued:
                    self.troubles.append(f"Claim {claim} is worth {award_minor} after {self.valued[claim]}.")
                self.valued[claim] = award_minor
            case ["trouble", _, sentence]:
                self.troubles.append(sentence)
            case _:
                raise AssertionError(f"no line of an outbox: {line}")

    def _take_letter(self, kind: str, text: str) -> None:
        self.letters.append((kind, text))
        letter = read_letter(kind, text)
        self._written.append(letter)
        if isinstance(letter, ClaimConfirmedLetter):
            level = next(claim.level.name for claim in self._plan.claims if claim.claim == letter.claim)
            self.awards[letter.claim] = Paid(level, letter.award_minor)
        if isinstance(letter, RoundEndedLetter):
            self.number += 1
            self._plan, self._written, self.valued = plan_of(self._seed, self.table, self.number), [], {}

    # --- the round -------------------------------------------------------------------------------------

    def _next_letter(self, now: Stamp) -> Letter | None:
        plan, number = self._plan, self.number
        match self._written:
            case []:
                return RoundLockedLetter(number, now, tuple(Contribution(*bet) for bet in plan.bets))
            case [RoundLockedLetter()] if plan.ending is Ending.VOID_BEFORE:
                return _void(number, now, after_result=False)
            case [RoundLockedLetter()]:
                hands = tuple(DealtHand(seat, now.mono_ns) for seat, _ in plan.bets)
                return RoundDealtLetter(number, now, hands)
            case [RoundLockedLetter(), RoundDealtLetter() as dealt]:
                claims = tuple(_claim(claim, dealt.dealt_at) for claim in plan.claims if not claim.reported)
                return RoundResultLetter(number, now, claims, plan.returned)
            case [*_, RoundVoidedLetter()]:
                return RoundEndedLetter(number, now, 0, 0, 0)
            case [*_, RoundResultLetter()] if plan.ending is Ending.VOID_AFTER:
                return _void(number, now, after_result=True)
            case _:
                return self._put_right(now) or self._resolution(now)

    def _put_right(self, now: Stamp) -> Letter | None:
        """What people found after the result: a hand that was invalid, a hit that the table had not seen."""
        plan, number = self._plan, self.number
        if plan.taken_back and not any(isinstance(letter, BetsReturnedLetter) for letter in self._written):
            return BetsReturnedLetter(number, plan.taken_back, "5.15", SUPERVISOR, now)
        told = [letter.claim.claim for letter in self._written if isinstance(letter, HitReportedLetter)]
        dealt = next((letter for letter in self._written if isinstance(letter, RoundDealtLetter)), None)
        for claim in plan.claims:
            if claim.reported and claim.claim not in told and dealt is not None:
                return HitReportedLetter(number, _claim(claim, dealt.dealt_at), "Kim", SUPERVISOR, "seen", now)
        return None

    def _resolution(self, now: Stamp) -> Letter | None:
        """Resolves the first claim that can be decided, or ends the round when none is left."""
        left = self._open_claims()
        if not left:
            awards = sum(letter.award_minor for letter in self._written if isinstance(letter, ClaimConfirmedLetter))
            accepted = self._plan.accepted()
            return RoundEndedLetter(self.number, now, sum(accepted), awards, len(accepted))
        for claim in left:
            if claim.early or (claim.claim in self.valued and not claim.granted):
                return ClaimDeniedLetter(self.number, claim.claim, SUPERVISOR, "a card was exposed", now)
            if claim.claim in self.valued:
                return ClaimConfirmedLetter(self.number, claim.claim, self.valued[claim.claim], False, SUPERVISOR, now)
        return None

    def _open_claims(self) -> list[PlannedClaim]:
        if not any(isinstance(letter, RoundResultLetter) for letter in self._written):
            return []
        resolving = (ClaimConfirmedLetter, ClaimDeniedLetter)
        resolved = [letter.claim for letter in self._written if isinstance(letter, resolving)]
        told = [letter.claim.claim for letter in self._written if isinstance(letter, HitReportedLetter)]
        made = [claim for claim in self._plan.claims if not claim.reported or claim.claim in told]
        return [claim for claim in made if claim.claim not in resolved]


def _claim(planned: PlannedClaim, dealt_at: Stamp) -> Claim:
    share = planned.level.share
    return Claim(planned.claim, planned.seat, planned.level.name, *share, "royal_flush", (), dealt_at.mono_ns)


def _void(number: int, now: Stamp, *, after_result: bool) -> RoundVoidedLetter:
    return RoundVoidedLetter(number, "misdeal", "5.8.7", SUPERVISOR, now, after_result)


class Outbox:
    """The file of a group. A line that a kill cut short does not count."""

    def __init__(self, path: Path, books: Iterable[TableBook]) -> None:
        self.books = {book.table: book for book in books}
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        os.ftruncate(self._file, whole)
        os.lseek(self._file, whole, os.SEEK_SET)
        for text in content[:whole].splitlines():
            self._take(json.loads(text))
        self._fresh: list[Line] = []

    def add(self, line: Line) -> None:
        self._take(line)
        self._fresh.append(line)

    def sync(self) -> None:
        if self._fresh:
            content = memoryview(b"".join(json.dumps(line).encode() + b"\n" for line in self._fresh))
            while content:
                content = content[os.write(self._file, content) :]
            os.fdatasync(self._file)
            self._fresh.clear()

    def close(self) -> None:
        os.close(self._file)

    def _take(self, line: Line) -> None:
        self.books[line[1]].take(line)


def read_books(path: Path, seed: int, tables: Iterable[str], rounds: int) -> dict[str, TableBook]:
    """The books as they lie on the disk."""
    outbox = Outbox(path, [TableBook(table, seed, rounds) for table in tables])
    outbox.close()
    return outbox.books


