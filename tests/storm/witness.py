"""Records what one table has said: every letter and every lamp. Nothing said can be taken back."""

from __future__ import annotations

import json
from typing import Any

from felt.jackpot.ledger.port import StoredLetter
from felt.letters.from_table import Posted
from tests.storm.purse import Violation

CORRECTED = "RoundVoided after its result"


class Witness:
    def __init__(self) -> None:
        self.bodies: dict[int, tuple[str, str]] = {}
        self.locked: dict[int, set[int]] = {}
        self._ends: dict[int, dict[int, str]] = {}  # for each round, its letters
        self.counted = 0  # letters that are in the ledger
        self._expected: dict[int, set[int]] = {}
        self._promised: dict[int, set[int]] = {}

    def hears(self, letter: Posted) -> None:
        known = self.bodies.setdefault(letter.sequence, (letter.kind, letter.body))
        if known != (letter.kind, letter.body):
            raise Violation(f"letter {letter.sequence} was {known} and is now {(letter.kind, letter.body)}")
        body = json.loads(letter.body)
        number = body["round"]
        if letter.kind == "RoundLocked":
            self._hears_lock(number, {seat for seat, _ in body["contributions"]})
        elif letter.kind in ("RoundEnded", "RoundVoided"):
            self._hears_end(number, letter, body)

    def is_counted(self, letter: StoredLetter) -> None:
        """Every letter is sent once, in order, and always with the same content."""
        self.counted += 1
        if letter.sequence != self.counted:
            raise Violation(f"letter {letter.sequence} of {letter.table} was counted as its {self.counted}th")
        said = self.bodies.get(letter.sequence)
        if said is not None and said != (letter.kind, letter.body):
            raise Violation(f"letter {letter.sequence} of {letter.table} said {said}, counted was {letter}")

    def _hears_lock(self, number: int, seats: set[int]) -> None:
        if self.locked.setdefault(number, seats) != seats:
            raise Violation(f"round {number} was locked twice, with other boxes")
        self._compare(number)

    def _hears_end(self, number: int, letter: Posted, body: dict[str, Any]) -> None:
        """A round ends once, and an ended round may be voided once. Their order of arrival tells nothing, because one
        may have been sent while the line was cut."""
        ends = self._ends.setdefault(number, {})
        is_correction = letter.kind == "RoundVoided" and body["after_result"]
        ends[letter.sequence] = CORRECTED if is_correction else letter.kind
        told = [kind for _, kind in sorted(ends.items())]
        if len(told) > 1 and told != ["RoundEnded", CORRECTED]:
            raise Violation(f"round {number} ended with {' and again with '.join(told)}")

    def sees(self, number: int, seats: set[int]) -> None:
        if seats:
            self._promised.setdefault(number, set()).update(seats)
            self._compare(number)

    def expects(self, number: int, seats: set[int]) -> None:
        self._expected[number] = seats
        self._compare(number)

    def _compare(self, number: int) -> None:
        locked = self.locked.get(number)
        if locked is None:
            return
        if not self._promised.get(number, set()) <= locked:
            raise Violation(f"round {number}: lamps promised {self._promised[number]}, the letter says {locked}")
        if self._expected.get(number, locked) != locked:
            raise Violation(f"round {number}: {self._expected[number]} were accepted, the letter says {locked}")

    def all_is_said(self) -> None:
        for number in self._promised:
            if number not in self.locked:
                raise Violation(f"round {number}: lamps promised bets of which no letter tells")
        for number in self.locked:
            if number not in self._ends:
                raise Violation(f"round {number} was locked and never ended")
        if sorted(self.bodies) != list(range(1, len(self.bodies) + 1)):
            raise Violation(f"letters are missing among {sorted(self.bodies)}")
        if self.counted != len(self.bodies):
            raise Violation(f"{len(self.bodies)} letters were said and {self.counted} were counted")
