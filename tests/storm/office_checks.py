"""What must hold at the jackpot controller after each of its turns. The meters equal those of a second tally and fall
only when they pay. Claims are ordered as their cards truly left the shuffler, or are called undetermined."""

from __future__ import annotations

from collections import Counter

from felt.jackpot.books.accounts import Code
from felt.jackpot.books.hits import ONE_SIDE_ONLY
from felt.jackpot.books.standing import OpenClaim, Standing
from felt.jackpot.controller.office import GAP_TOLD, Office
from felt.jackpot.ledger.rows import Rows, rows_of
from tests.storm.purse import Violation
from tests.storm.seams import Watched

HONEST_ALARMS = (GAP_TOLD, "The house ordered claims against the evidence", ONE_SIDE_ONLY)
ROUNDING_NS = 2_000


class OfficeChecks:
    def __init__(self, house: Watched) -> None:
        self._house = house
        self._shown: dict[str, int] = {}
        self._placed: set[tuple[str, str]] = set()
        self._valued: set[tuple[str, str]] = set()
        self._seen: object = None
        self.undetermined = 0  # claims that only a person was able to order
        self.ordered = 0  # pairs of claims of different tables that the clocks distinguished

    def compare(self, office: Office) -> None:
        standing = office.standing
        if standing is self._seen:
            return
        self._seen = standing
        purses = {purse.name: purse for link in self._house.links.values() for purse in link.purses.values()}
        for meter in standing.meters:
            purses[meter.name].compare(meter)
        _check_queues(standing)
        shown = office.meters()
        for name, micro in shown.items():
            if micro < self._shown.get(name, 0) and not purses[name].may_fall:
                raise Violation(f"the meter {name} fell from {self._shown[name]} to {micro} and nothing was paid")
            purses[name].may_fall &= any(claim.meter == name for claim in standing.claims)
        self._shown = shown
        if standing.claims:
            self._check_claims(standing.claims)

    def at_rest(self, office: Office) -> None:
        report = office.report()
        if not report.conserved:
            raise Violation(f"money is not conserved: {report.problem}")
        for entry in self._house.books.memory.entries(Code.ALARM):
            if not entry.detail.startswith(HONEST_ALARMS):
                raise Violation(f"the office is alarmed: {entry.detail}")
        if report.garbage:
            raise Violation(f"{report.garbage} messages were garbage")

    # --- claims --------------------------------------------------------------------------------------

    def _truth(self, claim: OpenClaim) -> int | None:
        return self._house.checkers_of(self._house.table_named(claim.table)).truths.get(claim.claim)

    def _check_claims(self, claims: tuple[OpenClaim, ...]) -> None:
        for claim in claims:
            name = (claim.table, claim.claim)
            if name not in self._placed:
                self._placed.add(name)
                self._check_moment(claim)
            if claim.valuation is not None and name not in self._valued:
                self._valued.add(name)
                self._check_order(claim, claims)

    def _check_moment(self, claim: OpenClaim) -> None:
        """The interval computed for its last card contains the true instant."""
        truth, controller = self._truth(claim), self._house.controller
        if truth is None or controller is None or controller.node is None:
            return
        moment, clock = claim.moment, controller.node.clock
        if moment.controller == clock.boot:
            left_ns = clock.mono_ns_at(truth)
            if not moment.low_ns - ROUNDING_NS <= left_ns <= moment.high_ns + ROUNDING_NS:
                early_ms, late_ms = (moment.low_ns - left_ns) / 1e6, (left_ns - moment.high_ns) / 1e6
                by = f"{early_ms:.3f} ms before" if early_ms > 0 else f"{late_ms:.3f} ms after"
                raise Violation(f"claim {claim.claim} of {claim.table}: its card left {by} when it is said to have")

    def _check_order(self, valued: OpenClaim, claims: tuple[OpenClaim, ...]) -> None:
        """Compares a claim only with claims open when it was valued. Others may have arrived in the same turn."""
        truth = self._truth(valued)
        met = {name for link in self._house.links.values() for name in link.met.get((valued.table, valued.claim), ())}
        for other in claims:
            if other.meter != valued.meter or other.table == valued.table or other.valuation is not None:
                continue
            if (other.table, other.claim) not in met:
                continue
            by_house = _is_placed_by_house(other, claims) and _is_placed_by_house(valued, claims)
            other_truth = self._truth(other)
            self.ordered += not by_house
            self.undetermined += bool(by_house)
            if truth is None or other_truth is None or by_house or other.late:
                continue
            if other_truth < truth:
                raise Violation(
                    f"claim {valued.claim} of {valued.table} was valued before {other.claim} of {other.table}, which "
                    f"was dealt {(truth - other_truth) / 1e6:.3f} ms earlier"
                )


def _check_queues(standing: Standing) -> None:
    """Contributions behind a hit are known by round, and each waits for an open claim."""
    waiting: Counter[str] = Counter()
    for bets in standing.bets.values():
        waiting[bets.meter] += bets.micro
    for meter in standing.meters:
        if waiting[meter.name] != meter.waiting:
            known = waiting[meter.name]
            raise Violation(f"{meter.name}: {known} of known rounds wait, and {meter.waiting} is behind its hits")
    unclaimed = waiting.keys() - {claim.meter for claim in standing.claims}
    if unclaimed:
        raise Violation(f"bets wait for a claim of {sorted(unclaimed)}, and there is none")


def _is_placed_by_house(claim: OpenClaim, claims: tuple[OpenClaim, ...]) -> bool:
    """The claim itself, or another box of its round that shares its place."""
    return any(
        one.house_place and one.round_key == claim.round_key and one.meter == claim.meter for one in claims
    )


def check_written(kept: Rows, office: Office) -> None:
    """A controller started now from the ledger has the same state as this one."""
    own = rows_of(office.standing)
    if kept != own:
        wrong = [name for name in sorted({*kept, *own}) if kept.get(name) != own.get(name)]
        first = wrong[0]
        raise Violation(f"the ledger has {first} as {kept.get(first)}, its controller as {own.get(first)}")
