"""The jackpots, counted a second time from the letters that were counted: whole micro-units, in as few lines as it
takes. Shares nothing with the jackpot room but the amounts it is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from felt.jackpot.meters import Meter

MICRO = 1_000_000
Key = tuple[str, int]  # a table and one of its rounds


class Violation(AssertionError):
    """Something that must never happen has happened."""


class Purse:
    """One meter: what it holds in all its parts together."""

    def __init__(self, name: str, reset_minor: int, rate_bp: int, reserve_bp: int, base_minor: int) -> None:
        self.name = name
        self.reserve_bp = reserve_bp
        self.reset = reset_minor * MICRO
        self.rate_bp = rate_bp
        self.held = (base_minor or reset_minor) * MICRO
        self.pending = self.stakes = self.wagers = self.wins = self.hits = 0
        self.may_be_made_good = 0  # what the house may have put in since, because a purse would have gone below nought
        self.may_fall = False

    def growth(self, stakes: Iterable[int]) -> int:
        return sum(stakes) * self.rate_bp * MICRO // 10_000

    def compare(self, meter: Meter) -> None:
        own = (self.pending, self.stakes, self.wagers, self.wins, self.hits)
        office = (meter.pending, meter.stakes, meter.wagers, meter.wins, meter.hits)
        if own != office:
            raise Violation(
                f"{self.name}: the tally is {own}, the office has {office} (pending, stakes, wagers, wins, hits)"
            )
        held = meter.display + meter.bucket + meter.reserve + meter.overflow
        if not 0 <= held - self.held <= self.may_be_made_good:
            raise Violation(f"{self.name}: the tally is {self.held}, the office holds {held}")
        reserve = self.stakes * self.reserve_bp * MICRO // 10_000
        if meter.reserve != reserve:
            raise Violation(f"{self.name}: the tally is {reserve} in reserve, the office has {meter.reserve}")
        self.may_be_made_good -= held - self.held
        self.held = held


class Link:
    """The meters that some tables feed together, and the rounds of those tables."""

    def __init__(self, purses: Mapping[str, Purse], tables: int) -> None:
        self.purses = dict(purses)  # by level
        self._alone = tables == 1
        self.rounds: dict[Key, dict[int, int]] = {}  # the stakes of each round by seat
        self.stage: dict[Key, str] = {}
        self.paid: dict[Key, int] = {}
        self.claims: dict[tuple[str, str], tuple[int, str, int, int]] = {}
        self.stakes_of: dict[str, int] = {}
        self.wins_of: dict[str, int] = {}

    def receives(self, table: str, kind: str, body: list[Any]) -> None:
        getattr(self, f"_{kind}")(table, *body)

    def all_is_settled(self) -> None:
        left = [key for key, stage in self.stage.items() if stage == "pending"]
        pending = {name: purse.pending for name, purse in self.purses.items() if purse.pending}
        if left or pending or self.claims:
            raise Violation(f"left open: rounds {left}, {pending} pending, claims {list(self.claims)}")

    def _pend(self, key: Key, sign: int, seats: Iterable[int] | None = None) -> None:
        stakes = self.rounds[key]
        amounts = [stakes[seat] for seat in (stakes if seats is None else seats)]
        for purse in self.purses.values():
            purse.pending += sign * purse.growth(amounts)

    def _RoundLocked(self, table: str, number: int, _: Any, contributions: list[list[int]]) -> None:  # noqa: N802
        key = (table, number)
        if key in self.rounds:
            raise Violation(f"round {number} of {table} is locked twice")
        self.rounds[key] = {seat: stake for seat, stake in contributions}  # noqa: C416 # lists are no pairs
        self.stage[key] = "pending"
        self._pend(key, 1)

    def _RoundDealt(self, table: str, number: int, *_: Any) -> None:  # noqa: N802
        self._must_pend((table, number), "is dealt")

    def _must_pend(self, key: Key, does: str) -> None:
        if self.stage[key] != "pending":
            raise Violation(f"round {key[1]} of {key[0]} is {self.stage[key]} and {does}")

    def _RoundResult(  # noqa: N802
        self, table: str, number: int, _: Any, claims: list[list[Any]], returned: list[int]
    ) -> None:
        key = (table, number)
        self._must_pend(key, "has a result")
        self.stage[key] = "committed"
        self._pend(key, -1)
        for seat in returned:
            del self.rounds[key][seat]
        self._count(key, 1)
        for claim in claims:
            self.claims[table, claim[0]] = (number, claim[2], claim[3], claim[4])

    def _HitReported(self, table: str, number: int, claim: list[Any], *_: Any) -> None:  # noqa: N802
        if self.stage[table, number] != "committed":
            raise Violation(f"a hit of round {number} of {table} is reported, which is {self.stage[table, number]}")
        self.claims[table, claim[0]] = (number, claim[2], claim[3], claim[4])

    def _BetsReturned(self, table: str, number: int, seats: list[int], *_: Any) -> None:  # noqa: N802
        key = (table, number)
        self._count(key, -1)
        for seat in seats:
            stake = self.rounds[key].pop(seat)
            for purse in self.purses.values():
                purse.may_fall = True
                purse.may_be_made_good += purse.growth([stake])
        self._count(key, 1)

    def _count(self, key: Key, sign: int) -> None:
        stakes = self.rounds[key].values()
        self.stakes_of[key[0]] = self.stakes_of.get(key[0], 0) + sign * sum(stakes)
        for purse in self.purses.values():
            purse.held += sign * purse.growth(stakes)
            purse.stakes += sign * sum(stakes)
            purse.wagers += sign * len(stakes)

    def _ClaimConfirmed(  # noqa: N802
        self, table: str, number: int, claim: str, award: int, registered: bool, *_: Any
    ) -> None:
        _number, level, share_num, share_den = self.claims.pop((table, claim))
        purse = self.purses[level]
        due = purse.held * share_num // (share_den * MICRO)
        # A void of another table after the valuing lowers the meter, not the value: the house makes good what lacks.
        most = due + purse.may_be_made_good // MICRO
        if not registered and (award > most or (self._alone and award != due and not purse.reserve_bp)):
            raise Violation(f"claim {claim} of {table} is paid {award} and is worth {due}")
        purse.held -= award * MICRO
        reset = purse.reset if share_num == share_den else 0
        if registered:  # beside another claim it is paid by the next cycle and the house, and no cycle begins
            purse.may_be_made_good += award * MICRO + reset
        else:
            purse.held += reset
        purse.wins += award
        purse.hits += 1
        purse.may_fall = True
        self.wins_of[table] = self.wins_of.get(table, 0) + award
        self.paid[table, number] = self.paid.get((table, number), 0) + award

    def _ClaimDenied(self, table: str, _: int, claim: str, *__: Any) -> None:  # noqa: N802
        del self.claims[table, claim]

    def _RoundVoided(self, table: str, number: int, *_: Any) -> None:  # noqa: N802
        key = (table, number)
        if key not in self.stage:
            return  # void before it was locked: there is nothing to count
        stage, self.stage[key] = self.stage[key], "void"
        if stage == "void" or key in self.paid:
            raise Violation(f"round {number} of {table} is {stage}, paid {self.paid.get(key)}, and is void again")
        self.claims = {name: one for name, one in self.claims.items() if (name[0], one[0]) != key}
        if stage == "pending":
            self._pend(key, -1)
            return
        self._count(key, -1)
        for purse in self.purses.values():
            purse.may_fall = True
            purse.may_be_made_good += purse.growth(self.rounds[key].values())

    def _RoundEnded(  # noqa: N802
        self, table: str, number: int, _: Any, stakes: int, awards: int, accepted: int
    ) -> None:
        bets = self.rounds[table, number]
        own = (sum(bets.values()), self.paid.get((table, number), 0), len(bets))
        if own != (stakes, awards, accepted) or self.stage[table, number] != "committed":
            raise Violation(f"round {number} of {table} ends with {(stakes, awards, accepted)}, the tally has {own}")
