"""What an office has taken and paid since it opened, and whether its books add up."""

from __future__ import annotations

from felt.jackpot.books.meter import Meter
from felt.jackpot.books.standing import Hit, Standing
from felt.nouns.values import Value


class MeterReport(Value):
    name: str
    before_micro: int  # the display when the office opened
    after_micro: int
    reserve_micro: int
    overflow_micro: int
    waiting_micro: int
    pending_micro: int
    wagers: int  # these three since the ledger was born
    hits: int
    wins_minor: int
    last_hits: tuple[Hit, ...] = ()


class Report(Value):
    """Totals since the office opened; conservation since the latest period began."""

    contributions_minor: int  # accepted stakes whose rounds have their result
    awards_minor: int
    meters: tuple[MeterReport, ...]
    conserved: bool
    problem: str  # why it is not conserved
    alarms: int
    garbage: int


def report_of(opened_with: tuple[Meter, ...], standing: Standing, problem: str, alarms: int, garbage: int) -> Report:
    former = {meter.name: meter for meter in opened_with}
    pairs = [(former[meter.name], meter) for meter in standing.meters]
    return Report(
        contributions_minor=max((after.stakes - before.stakes for before, after in pairs), default=0),
        awards_minor=sum(after.wins - before.wins for before, after in pairs),
        meters=tuple(
            MeterReport(
                after.name, before.display, after.display, after.reserve, after.overflow, after.waiting, after.pending,
                after.wagers, after.hits, after.wins, tuple(hit for hit in standing.hits if hit.meter == after.name),
            )
            for before, after in pairs
        ),
        conserved=not problem,
        problem=problem,
        alarms=alarms,
        garbage=garbage,
    )  # fmt: skip
