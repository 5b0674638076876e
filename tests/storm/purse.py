"""The jackpot, counted a second time from the letters that reached the office: one meter, whole micro-units, in as
few lines as it takes. Shares nothing with the jackpot room but the amounts it is compared with."""

from __future__ import annotations

from typing import Any

from felt.config import load
from felt.jackpot.meters import Meter

MICRO = 1_000_000
_METER = load(None, ()).progressive.meters["major"]
RESET = _METER.reset_minor * MICRO
RATE_BP = _METER.rate_bp


class Violation(AssertionError):
    """Something that must never happen has happened."""


class Purse:
    def __init__(self) -> None:
        self.display = RESET
        self.pending = self.stakes = self.wagers = self.wins = self.hits = 0
        self._heard = 0
        self._rounds: dict[int, dict[int, int]] = {}  # the stakes of each round by seat
        self._stage: dict[int, str] = {}
        self._paid: dict[int, int] = {}
        self._claims: dict[str, tuple[int, int, int]] = {}

    def receives(self, sequence: int, kind: str, body: list[Any]) -> None:
        """Each letter once, in order; what comes again or too early counts for nothing."""
        if sequence == self._heard + 1:
            self._heard = sequence
            getattr(self, f"_{kind}")(*body)

    def compare(self, meter: Meter) -> None:
        own = (self.display, self.pending, self.stakes, self.wagers, self.wins, self.hits)
        office = (
            meter.display + meter.bucket + meter.reserve + meter.overflow, meter.pending, meter.stakes,
            meter.wagers, meter.wins, meter.hits,
        )  # fmt: skip
        if own != office:
            names = "(display, pending, stakes, wagers, wins, hits)"
            raise Violation(f"after letter {self._heard} the tally is {own}, the office has {office} {names}")

    def all_is_settled(self) -> None:
        left = [number for number, stage in self._stage.items() if stage == "pending"]
        if left or self.pending or self._claims:
            raise Violation(f"left open: rounds {left}, {self.pending} pending, claims {list(self._claims)}")

    def _growth(self, number: int) -> int:
        return sum(self._rounds[number].values()) * RATE_BP * MICRO // 10_000

    def _RoundLocked(self, number: int, _: Any, contributions: list[list[int]]) -> None:  # noqa: N802
        if number in self._rounds:
            raise Violation(f"round {number} is locked twice")
        self._rounds[number] = {seat: stake for seat, stake in contributions}  # noqa: C416 # lists are no pairs
        self._stage[number] = "pending"
        self.pending += self._growth(number)

    def _RoundDealt(self, number: int, *_: Any) -> None:  # noqa: N802
        if self._stage[number] != "pending":
            raise Violation(f"round {number} is {self._stage[number]} and is dealt")

    def _RoundResult(  # noqa: N802
        self, number: int, _: Any, claims: list[list[Any]], returned: list[int]
    ) -> None:
        if self._stage[number] != "pending":
            raise Violation(f"round {number} is {self._stage[number]} and has a result")
        self._stage[number] = "committed"
        self.pending -= self._growth(number)
        for seat in returned:
            del self._rounds[number][seat]
        self.display += self._growth(number)
        self.stakes += sum(self._rounds[number].values())
        self.wagers += len(self._rounds[number])
        for claim in claims:
            self._claims[claim[0]] = (number, claim[3], claim[4])

    def _BetsReturned(self, number: int, seats: list[int], *_: Any) -> None:  # noqa: N802
        before = self._growth(number)
        for seat in seats:
            self.stakes -= self._rounds[number].pop(seat)
            self.wagers -= 1
        self.display -= before - self._growth(number)

    def _HitReported(self, number: int, claim: list[Any], *_: Any) -> None:  # noqa: N802
        self._claims[claim[0]] = (number, claim[3], claim[4])

    def _ClaimConfirmed(self, number: int, claim: str, award: int, registered: bool, *_: Any) -> None:  # noqa: N802
        _number, share_num, share_den = self._claims.pop(claim)
        due = self.display * share_num // (share_den * MICRO)
        if not registered and award != due:
            raise Violation(f"claim {claim} is paid {award} and is worth {due}")
        self.display = max(0, self.display - award * MICRO)
        if share_num == share_den:
            self.display += RESET
        self.wins += award
        self.hits += 1
        self._paid[number] = self._paid.get(number, 0) + award

    def _ClaimDenied(self, _: int, claim: str, *__: Any) -> None:  # noqa: N802
        del self._claims[claim]

    def _RoundVoided(self, number: int, *_: Any) -> None:  # noqa: N802
        stage, self._stage[number] = self._stage[number], "void"
        if stage == "void" or number in self._paid:
            raise Violation(f"round {number} is {stage}, paid {self._paid.get(number)}, and is void again")
        self._claims = {claim: open_one for claim, open_one in self._claims.items() if open_one[0] != number}
        if stage == "pending":
            self.pending -= self._growth(number)
            return
        self.display -= self._growth(number)
        self.stakes -= sum(self._rounds[number].values())
        self.wagers -= len(self._rounds[number])

    def _RoundEnded(self, number: int, _: Any, stakes: int, awards: int, accepted: int) -> None:  # noqa: N802
        own = (sum(self._rounds[number].values()), self._paid.get(number, 0), len(self._rounds[number]))
        if own != (stakes, awards, accepted) or self._stage[number] != "committed":
            raise Violation(f"round {number} ends with {(stakes, awards, accepted)}, the tally has {own}")
