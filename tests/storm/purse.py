"""A second count of one meter: display, contributions behind its hits, reserve and pending contributions, in whole
micro-units, for every reading of what a win does. It is written from the rules alone and shares no code with the
jackpot room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from felt.jackpot.books.meter import Meter

MICRO = 1_000_000
MICRO_A_BASIS_POINT = MICRO // 10_000


class Violation(AssertionError):
    """Something happened that must never happen."""


class Papers(NamedTuple):
    """The terms of a meter."""

    reset_minor: int
    rate_bp: int
    reserve_bp: int
    base_minor: int


class Claim:
    """A claimed share of a meter."""

    def __init__(self, table: str, number: int, body: dict[str, Any], parts: int = 1) -> None:
        self.table, self.number = table, number
        self.name: str = body["claim"]
        self.level: str = body["level"]
        self.num: int = body["share_num"]
        self.den: int = body["share_den"]
        self.registered: int = body["registered_micro"]  # the value on the table's sign at the lock
        self.parts = parts  # this many claims share one value equally; 0: not shared
        self.value: int | None = None
        self.stated: int | None = None  # its table has paid it so, and its meter has not

    @property
    def is_whole(self) -> bool:
        return self.num == self.den

    @property
    def round(self) -> tuple[str, int]:
        return self.table, self.number


class Purse:
    def __init__(self, name: str, papers: Papers, readings: Mapping[str, str]) -> None:
        self.name = name
        self.reset = papers.reset_minor * MICRO
        self._whole_rate = papers.rate_bp * MICRO_A_BASIS_POINT
        self._reserve_rate = papers.reserve_bp * MICRO_A_BASIS_POINT
        self._partial = readings.get("partial_win_meter", "deduct")
        self._reserve_joins = readings.get("reserve_on_hit") == "added_to_reset"
        self._nearest = readings.get("fractional_cent") == "nearest"
        self._with_own = readings.get("registered_value") == "with_own_contribution"
        self.splits = readings.get("same_level_hits") == "split_equally"
        timing = readings.get("increment_timing", "before_settlement")
        self.waits, self.only_if_not_won = timing != "before_settlement", timing == "only_if_not_won"
        self.display = (papers.base_minor or papers.reset_minor) * MICRO
        self.next_cycle = self.reserve = self.pending = self.stakes = self.wagers = self.wins = self.hits = 0
        self.claims: list[Claim] = []
        self.waiting: dict[tuple[str, int], int] = {}  # by table and round: contributions behind a claim
        self.cycles = self.folds = 0  # awards paid, and how often the reserve has joined the display
        self.counted_in: dict[tuple[str, int], tuple[int, int]] = {}  # by table and round: both, when it was counted
        self.may_fall = False  # values of the sign since the last check

    # --- bets ----------------------------------------------------------------------------------------

    def pends(self, stake: int) -> None:
        """A negative amount removes a pending contribution."""
        self.pending += stake * self._whole_rate

    def counts(self, one: tuple[str, int], stake: int, wagers: int, *, later: bool) -> None:
        """`later`: according to the controller, the round was dealt after the hand that claims this meter."""
        if stake and (not self.claims if later else self.valued() is not None):
            raise Violation(f"{self.name}: bets are counted {'after' if later else 'before'} a claim that is not so")
        self.pends(-stake)
        self.stakes += stake
        self.wagers += wagers
        self.reserve += stake * self._reserve_rate
        rise = stake * (self._whole_rate - self._reserve_rate)
        self.counted_in[one] = (self.cycles, self.folds)
        if later:
            self.next_cycle += rise
            self.waiting[one] = rise
        else:
            self.display += rise

    def takes_back(self, one: tuple[str, int], stake: int, wagers: int) -> None:
        """Takes contributions back from where they are: behind a claim, or on the display if nothing was paid since.
        Otherwise the house covers them. It also covers a reserve that has joined the display."""
        self.may_fall = True
        self.stakes -= stake
        self.wagers -= wagers
        cycle, fold = self.counted_in[one]
        if fold == self.folds:
            self.reserve -= stake * self._reserve_rate
        left = stake * (self._whole_rate - self._reserve_rate)
        if one in self.waiting:
            self.next_cycle -= left
            self.waiting[one] -= left
        elif cycle == self.cycles:
            self.display = max(0, self.display - left)

    def forgets(self, one: tuple[str, int]) -> None:
        """All its contributions were taken back."""
        self.waiting.pop(one, None)

    def comes_in(self, one: tuple[str, int], amount: int) -> None:
        """Contributions of a round that, says the controller, no longer come after a claim. When the last claims
        end together, everything has entered already."""
        if not self.claims:
            return
        held = self.waiting.pop(one, None)
        if held != amount:
            raise Violation(f"{self.name}: {amount} of round {one[1]} of {one[0]} come in, and {held} waited")
        self._settles(one, amount)

    def _settles(self, one: tuple[str, int], amount: int) -> None:
        self.next_cycle -= amount
        self.display += amount
        self.counted_in[one] = (self.cycles, self.counted_in[one][1])

    # --- wins ----------------------------------------------------------------------------------------

    def valued(self) -> Claim | None:
        return next((claim for claim in self.claims if claim.value is not None), None)

    def is_valued(self, claim: Claim, value: int) -> None:
        other = self.valued()
        if other is not None and (other.round, other.parts) != (claim.round, claim.parts):
            raise Violation(f"{self.name}: claim {claim.name} is valued while {other.name} of {other.table} is open")
        if value != self.display:
            raise Violation(f"{self.name}: claim {claim.name} is valued at {value}, the tally is {self.display}")
        if self.waiting.get(claim.round):  # what was paid out beside another claim does not enter
            raise Violation(f"{self.name}: claim {claim.name} of {claim.table} is valued without its own round's bets")
        claim.value = value

    def award_of(self, claim: Claim) -> int:
        if claim.value is None:
            raise Violation(f"{self.name}: claim {claim.name} of {claim.table} is confirmed and has no value")
        return self.share_of(claim.value, claim, claim.parts)

    def share_of(self, value: int, claim: Claim, parts: int) -> int:
        num, den = (claim.num, claim.den) if parts <= 1 else (1, parts)
        whole, rest = divmod(value * num, den * MICRO)
        return whole + (self._nearest and rest * 2 >= den * MICRO)

    def registered(self, claim: Claim, stake: int) -> int:
        """The value that pays after a system failure, if no other claim of the round was paid from it."""
        own = stake * (self._whole_rate - self._reserve_rate) if self._with_own else 0
        return claim.registered + own

    def left_of(self, value: int, claim: Claim, award: int) -> int:
        """The value of which the table pays the next winner of the round a share."""
        if claim.num == claim.den or self._partial == "reset":
            return self.reset
        left = value - award * MICRO
        return left if self._partial == "deduct" else max(left, self.reset)

    def pays(self, claim: Claim, award: int, *, all_paid: bool) -> None:
        """`all_paid`: this claim completes the payment of an equally shared value."""
        self.may_fall = True
        self.claims.remove(claim)
        self.hits += 1
        self.wins += award
        self.display = max(0, self.display - award * MICRO)
        self.cycles += 1
        if claim.parts > 1:
            self.ends_sharing(claim, paid=True, all_paid=all_paid)
        else:
            self._begins_again(whole=claim.num == claim.den)

    def _begins_again(self, *, whole: bool) -> None:
        if whole:
            self.display += self.reset
            self._joins_reserve()
        elif self._partial == "reset":
            self.reserve += self.display
            self.display = self.reset
        elif self._partial == "deduct_not_below_reset":
            self.display = max(self.display, self.reset)
        self.joins_next_cycle()

    def ends_sharing(self, claim: Claim, *, paid: bool, all_paid: bool) -> None:
        """The last of several equal parts is resolved. An unpaid part stays in the meter."""
        if any((other.round, other.parts) == (claim.round, claim.parts) for other in self.claims):
            return
        if all_paid:
            self.display += self.reset
            self._joins_reserve()
        elif paid:
            self.display = max(self.display, self.reset)
        self.joins_next_cycle()

    def _joins_reserve(self) -> None:
        if self._reserve_joins:
            self.display += self.reserve
            self.reserve = 0
            self.folds += 1

    def joins_next_cycle(self) -> None:
        """Moves waiting contributions once no claim is open; otherwise they wait on."""
        if not self.claims:
            for one, amount in self.waiting.items():
                self._settles(one, amount)
            self.waiting.clear()

    # --- comparing -----------------------------------------------------------------------------------

    def compare(self, meter: Meter) -> None:
        if self.next_cycle and not self.claims:
            raise Violation(f"{self.name}: {self.next_cycle} waits for a claim, and there is none")
        own = (self.pending, self.stakes, self.wagers, self.wins, self.hits)
        if own != (meter.pending, meter.stakes, meter.wagers, meter.wins, meter.hits):
            office = (meter.pending, meter.stakes, meter.wagers, meter.wins, meter.hits)
            raise Violation(
                f"{self.name}: the tally is {own}, the office has {office} (pending, stakes, wagers, wins, hits)"
            )
        if (self.display, self.next_cycle, 0) != (meter.display, meter.waiting, meter.overflow):
            holds = (meter.display, meter.waiting, meter.overflow)
            raise Violation(f"{self.name}: the tally is {(self.display, self.next_cycle, 0)}, the office holds {holds}")
        if meter.reserve != self.reserve:
            raise Violation(f"{self.name}: the tally is {self.reserve} in reserve, the office has {meter.reserve}")
