"""What happened to the meters in a stretch of the books, for those who count: per meter and per table, with opening
and closing values that add up, and whether they do. A stretch begins and ends between two commits: a day where its
period was closed, whatever the clock did meanwhile. It reads from the closing before and no further back."""

from __future__ import annotations

from collections import Counter

from felt.jackpot.books.accounts import ADJUSTMENTS, AWARDS, PURSES, Account, Code, Entry
from felt.jackpot.books.meter import Meter
from felt.jackpot.books.standing import NOTHING, Hit, OpenClaim, Standing, meter_named
from felt.jackpot.ledger.port import ClosedDay, Commit, LedgerError
from felt.jackpot.ledger.rows import standing_of
from felt.jackpot.ledger.sql import FIRST, SqlLedger
from felt.nouns.money import MICRO_PER_MINOR, growth_micro
from felt.nouns.values import Value

ABOUT_CLAIMS = (
    Code.CLAIMED, Code.VALUED, Code.STATED, Code.ORDERED, Code.RELEASED, *AWARDS, Code.DENIED, Code.WITHDRAWN,
    Code.CLAIM_CORRECTED, Code.AWARD_CORRECTED, Code.AWARD_ACCEPTED,
)  # fmt: skip
ABOUT_PERSONS = (
    *ADJUSTMENTS, Code.CLEARED, Code.TERMS_AGREED, Code.TERMS_CHANGED, Code.REINSTATED, Code.CLOCK_CONFIRMED,
)  # fmt: skip
ALARMING = (Code.ALARM, Code.ALERT, Code.CLOCK_DOUBTED)
BY_THE_HOUSE = (Code.SEED, Code.MADE_GOOD, Code.ROUNDING)


class Period(Value):
    """From and until, by the wall clock of the controller; or a gaming day, by its closing."""

    from_ns: int
    until_ns: int
    day: str = ""
    is_open: bool = False  # it ends with the latest commit, whatever clock that was written by


class Purses(Value):
    """A meter's accounts at one instant, in micro-units; counts and stakes in their own units."""

    display: int = 0
    reserve: int = 0
    overflow: int = 0
    waiting: int = 0
    pending: int = 0
    wagers: int = 0
    stakes_minor: int = 0
    hits: int = 0
    wins_minor: int = 0

    def held(self) -> int:
        return self.display + self.reserve + self.overflow + self.waiting


class Flow(Value):
    """What moved, in micro-units, for a meter or for one table on it."""

    wagers: int = 0
    stakes_minor: int = 0
    pended: int = 0
    committed: int = 0  # onto display, reserve or overflow, or behind a hit
    dropped: int = 0
    corrected: int = 0
    seeds: int = 0  # from the house: seeds, and what awards lacked
    made_good: int = 0  # from the house to players, of bets that were void when their cycle had ended
    adjustments: int = 0
    awards: int = 0
    hits: int = 0

    def change_of_held(self) -> int:
        return self.committed - self.corrected + self.seeds + self.adjustments - self.awards


class MeterPage(Value):
    name: str
    opening: Purses
    flow: Flow
    closing: Purses
    tables: dict[str, Flow]


class Line(Value):
    """One thing that people should read, as the books have it."""

    written_ns: int
    at_wall_ns: int
    code: Code
    table: str
    round: int
    claim: str
    meter: str
    amount: int  # micro-units
    detail: str
    persons: str


class ShiftReport(Value):
    period: Period
    meters: tuple[MeterPage, ...]
    claims: tuple[Line, ...]  # made, valued, paid (and by whom), denied
    open_claims: tuple[OpenClaim, ...]  # as of now
    acts: tuple[Line, ...]  # what persons did at the controller
    alarms: tuple[Line, ...]
    last_hits: tuple[Hit, ...]  # the latest of each meter, as of now
    problems: tuple[str, ...]  # why something does not add up; empty: it does


def report_of(ledger: SqlLedger, standing: Standing, period: Period) -> ShiftReport:
    days = ledger.closed_days()
    begin, end = _stretch_of(ledger, days, period)
    before = [known for known in days if known.last_commit <= begin.number]
    _refuse_archived(days[len(before) :])
    closing = ledger.closing(before[-1].number) if before else None
    opened = NOTHING if closing is None else standing_of(closing.rows)
    books = {meter.name: _Book(meter_named(opened, meter.name)) for meter in standing.meters}
    lines: dict[tuple[Code, ...], list[Line]] = {ABOUT_CLAIMS: [], ABOUT_PERSONS: [], ALARMING: []}
    first = FIRST if closing is None else closing.closed
    for made, entries, _ in ledger.brought(first, until=end.number, letters=False):
        for entry in entries:
            if entry.debit is not None:
                books[entry.meter].take(entry, is_in=made.number > begin.number)
            for codes, found in lines.items():
                if made.number > begin.number and entry.code in codes:
                    found.append(_line(made, entry))
    pages = tuple(book.page(name) for name, book in sorted(books.items()))
    problems = tuple(problem for name, book in sorted(books.items()) for problem in _problems(book, name, standing))
    claims, acts, alarms = (tuple(lines[codes]) for codes in (ABOUT_CLAIMS, ABOUT_PERSONS, ALARMING))
    return ShiftReport(period, pages, claims, standing.claims, acts, alarms, standing.hits, problems)


def _stretch_of(ledger: SqlLedger, days: list[ClosedDay], period: Period) -> tuple[Commit, Commit]:
    """After which commit it begins, and with which it ends."""
    named = [place for place, known in enumerate(days) if period.day and known.day == period.day]
    if named:
        return _end_of(ledger, days[: named[0]]), _end_of(ledger, days[: named[-1] + 1])
    early = [place for place, known in enumerate(days) if known.archived or known.written_ns < period.from_ns]
    begin = ledger.commit_before(period.from_ns, after=_end_of(ledger, days[: early[-1] + 1] if early else []))
    if period.day and days and days[-1].day < period.day:
        begin = _end_of(ledger, days)  # the day that is not closed yet
    return begin, ledger.last_commit() if period.is_open else ledger.commit_before(period.until_ns, after=begin)


def _end_of(ledger: SqlLedger, days: list[ClosedDay]) -> Commit:
    return ledger.closing(days[-1].number).closed if days else FIRST


def _refuse_archived(after: list[ClosedDay]) -> None:
    if after and after[0].archived:
        raise LedgerError(f"The period {after[0].day} is archived: it is in {after[0].archived}.")


class _Book:
    """One meter, from the closing before."""

    def __init__(self, opened: Meter | None) -> None:
        self.opening = Counter(
            {} if opened is None else {account: getattr(opened, account.value) for account in Account}
        )
        self.counts = Counter() if opened is None else Counter(
            wagers=opened.wagers, stakes=opened.stakes, hits=opened.hits
        )  # fmt: skip
        self.moved: dict[str, Counter[tuple[Code, Account, Account]]] = {}
        self.counted: dict[str, Counter[str]] = {}

    def take(self, entry: Entry, *, is_in: bool) -> None:
        assert entry.debit is not None and entry.credit is not None, "a transfer has both"
        some = {"wagers": entry.wagers, "stakes": entry.stake_minor, "hits": int(entry.code in AWARDS)}
        if not is_in:
            self.opening[entry.debit] -= entry.amount
            self.opening[entry.credit] += entry.amount
            self.counts.update(some)
            return
        self.moved.setdefault(entry.table, Counter())[entry.code, entry.debit, entry.credit] += entry.amount
        self.counted.setdefault(entry.table, Counter()).update(some)

    def page(self, name: str) -> MeterPage:
        closing, counts = Counter(self.opening), Counter(self.counts)
        whole: Counter[tuple[Code, Account, Account]] = Counter()
        for table, moved in self.moved.items():
            whole.update(moved)
            counts.update(self.counted[table])
        for (_, debit, credit), amount in whole.items():
            closing[debit] -= amount
            closing[credit] += amount
        counted: Counter[str] = sum(self.counted.values(), Counter())
        tables = {table: _flow(moved, self.counted[table]) for table, moved in sorted(self.moved.items()) if table}
        opening = _purses(self.opening, self.counts)
        return MeterPage(name, opening, _flow(whole, counted), _purses(closing, counts), tables)


def _purses(balances: Counter[Account], counts: Counter[str]) -> Purses:
    return Purses(
        balances[Account.DISPLAY], balances[Account.RESERVE], balances[Account.OVERFLOW], balances[Account.WAITING],
        balances[Account.PENDING], counts["wagers"], counts["stakes"], counts["hits"],
        balances[Account.WINNERS] // MICRO_PER_MINOR,
    )  # fmt: skip


def _flow(moved: Counter[tuple[Code, Account, Account]], counted: Counter[str]) -> Flow:
    def into(codes: tuple[Code, ...], *accounts: Account) -> int:
        return sum(amount for (code, _, credit), amount in moved.items() if code in codes and credit in accounts)

    def out_of(codes: tuple[Code, ...], *accounts: Account) -> int:
        return sum(amount for (code, debit, _), amount in moved.items() if code in codes and debit in accounts)

    return Flow(
        wagers=counted["wagers"],
        stakes_minor=counted["stakes"],
        pended=into((Code.PENDED,), Account.PENDING),
        committed=into((Code.COMMITTED,), *PURSES),
        dropped=out_of((Code.DROPPED, Code.ADDED_NOTHING), Account.PENDING),
        corrected=out_of((Code.CORRECTED,), *PURSES),
        seeds=into(BY_THE_HOUSE, Account.DISPLAY),
        made_good=into((Code.MADE_GOOD,), Account.PLAYERS),
        adjustments=into(ADJUSTMENTS, *PURSES) - out_of(ADJUSTMENTS, *PURSES),
        awards=into(AWARDS, Account.WINNERS),
        hits=counted["hits"],
    )


def _problems(book: _Book, name: str, standing: Standing) -> list[str]:
    """Each is a law of its own, so that a mistake in one way of counting is found by another."""
    page = book.page(name)
    opening, flow, closing = page.opening, page.flow, page.closing
    problems = []
    if opening.held() + flow.change_of_held() != closing.held():
        problems.append(
            f"The meter {name!r} opened with {opening.held()} and moved by {flow.change_of_held()}, but closed with "
            f"{closing.held()}."
        )
    if flow.awards != (closing.wins_minor - opening.wins_minor) * MICRO_PER_MINOR:
        problems.append(f"The awards of the meter {name!r} are not the wins that were counted.")
    meter = meter_named(standing, name)
    if meter is None:
        return [*problems, f"The books know a meter {name!r} that does not stand in the ledger."]
    committed = flow.committed - flow.corrected - flow.made_good
    if not meter.former_terms and committed != growth_micro(flow.stakes_minor, meter.terms.rate_bp):
        grown = growth_micro(flow.stakes_minor, meter.terms.rate_bp)
        problems.append(f"The stakes of the meter {name!r} make {grown} at its rate, but {committed} were committed.")
    return problems


def _line(made: Commit, entry: Entry) -> Line:
    return Line(
        made.written_ns, entry.at_wall_ns, entry.code, entry.table, entry.round, entry.claim, entry.meter,
        entry.amount, entry.detail, entry.persons,
    )  # fmt: skip
