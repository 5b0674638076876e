"""What happened to the meters in a stretch of the books, for those who count: per meter and per table, with opening
and closing values that add up, and whether they do. Made of entries and the standing alone; whole numbers throughout.
It opens no ledger, reads no clock and knows no paper."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from felt.jackpot.ledger import StoredLetter
from felt.jackpot.meters import ADJUSTMENTS, AWARDS, MONEY, Account, Kind, Meter
from felt.jackpot.standing import Entry, Hit, OpenClaim, Standing, meter_named
from felt.nouns.money import MICRO_PER_MINOR, growth_micro

ABOUT_CLAIMS = (
    Kind.CLAIMED, Kind.VALUED, Kind.ORDERED, Kind.RELEASED, *AWARDS, Kind.DENIED, Kind.WITHDRAWN,
    Kind.CLAIM_CORRECTED, Kind.AWARD_CORRECTED,
)  # fmt: skip
ABOUT_PERSONS = (*ADJUSTMENTS, Kind.CLEARED, Kind.TERMS_AGREED, Kind.TERMS_CHANGED, Kind.REINSTATED)
ALARMING = (Kind.ALARM, Kind.ALERT)
BETWEEN_PURSES = (Kind.FOLDED, Kind.CLEARED, Kind.TERMS_CHANGED)


class Period(NamedTuple):
    """From and until, by the wall clock of the controller; what came into the books at `until_ns` is not in it."""

    from_ns: int
    until_ns: int


class Purses(NamedTuple):
    """A meter's accounts at one instant, in micro-units; counts and stakes in their own units."""

    display: int = 0
    reserve: int = 0
    overflow: int = 0
    bucket: int = 0
    pending: int = 0
    wagers: int = 0
    stakes_minor: int = 0
    hits: int = 0
    wins_minor: int = 0
    carried: int = 0

    def held(self) -> int:
        return self.display + self.reserve + self.overflow + self.bucket


class Flow(NamedTuple):
    """What moved, in micro-units, for a meter or for one table on it."""

    wagers: int = 0
    stakes_minor: int = 0
    pended: int = 0
    committed: int = 0  # onto display, reserve, overflow or bucket
    dropped: int = 0
    corrected: int = 0
    seeds: int = 0  # resets, and what the house made good
    adjustments: int = 0
    awards: int = 0
    hits: int = 0

    def change_of_held(self) -> int:
        return self.committed - self.corrected + self.seeds + self.adjustments - self.awards


class MeterPage(NamedTuple):
    name: str
    opening: Purses
    flow: Flow
    closing: Purses
    tables: dict[str, Flow]


class Line(NamedTuple):
    """One thing that people should read, as the books have it."""

    written_ns: int
    at_wall_ns: int
    kind: str
    table: str
    round: int
    claim: str
    meter: str
    amount: int
    detail: str
    persons: str


class HitRecord(NamedTuple):
    """One hit, whole: what the controller paid, and what the table's letters say of the hand."""

    hit: Hit
    seat: int
    rank: str
    cards: tuple[str, ...]
    dealer: str  # empty: nobody was signed in, or the letter is older than this part
    shoe: str
    confirmed_by: str
    contributions_minor: int  # of the round that won


class ShiftReport(NamedTuple):
    period: Period
    meters: tuple[MeterPage, ...]
    claims: tuple[Line, ...]  # made, valued, paid (and by whom), denied
    open_claims: tuple[OpenClaim, ...]  # as of now
    acts: tuple[Line, ...]  # what persons did at the controller
    alarms: tuple[Line, ...]
    last_hits: tuple[HitRecord, ...]  # the latest of each meter, as of now
    problems: tuple[str, ...]  # why something does not add up; empty: it does


def report_of(
    dated: Iterable[tuple[int, Entry]], letters: Iterable[StoredLetter], standing: Standing, period: Period
) -> ShiftReport:
    tallies: dict[str, _Tally] = {meter.terms.name: _Tally() for meter in standing.meters}
    lines: dict[tuple[Kind, ...], list[Line]] = {ABOUT_CLAIMS: [], ABOUT_PERSONS: [], ALARMING: []}
    for written_ns, entry in dated:
        tally = tallies.setdefault(entry.meter, _Tally()) if entry.meter else None
        if tally is not None:
            tally.take(entry, written_ns, period)
        if period.from_ns <= written_ns < period.until_ns:
            for kinds, found in lines.items():
                if entry.kind in kinds and _is_worth_a_line(entry):
                    found.append(_line(written_ns, entry))
    pages = tuple(tally.page(name) for name, tally in sorted(tallies.items()))
    problems = tuple(
        problem
        for name, tally in sorted(tallies.items())
        for problem in _problems(tally, name, meter_named(standing, name))
    )
    hits = hit_records(standing.hits, letters)
    claims, acts, alarms = (tuple(lines[kinds]) for kinds in (ABOUT_CLAIMS, ABOUT_PERSONS, ALARMING))
    return ShiftReport(period, pages, claims, standing.claims, acts, alarms, hits, problems)


def hit_records(hits: tuple[Hit, ...], letters: Iterable[StoredLetter]) -> tuple[HitRecord, ...]:
    rounds = {(hit.table, hit.nonce, hit.round) for hit in hits}
    stakes: dict[tuple[str, str, int], dict[int, int]] = {}
    hands: dict[tuple[str, str, str], tuple[int, str, tuple[str, ...], str, str]] = {}
    persons: dict[tuple[str, str, str], str] = {}
    for letter in letters:
        body = json.loads(letter.body)
        key = (letter.table, letter.nonce, body["round"])
        if key not in rounds:
            continue
        if letter.kind == "RoundLocked":
            stakes[key] = dict(body["contributions"])
        elif letter.kind == "RoundResult":
            stakes[key] = {seat: stake for seat, stake in stakes.get(key, {}).items() if seat not in body["returned"]}
            for claim in body["claims"]:
                hands[(letter.table, letter.nonce, claim["claim"])] = _hand_of(claim)
        elif letter.kind == "BetsReturned":
            stakes[key] = {seat: stake for seat, stake in stakes.get(key, {}).items() if seat not in body["seats"]}
        elif letter.kind == "HitReported":
            hands[(letter.table, letter.nonce, body["claim"]["claim"])] = _hand_of(body["claim"])
        elif letter.kind == "ClaimConfirmed":
            persons[(letter.table, letter.nonce, body["claim"])] = body["person"]
    return tuple(
        HitRecord(
            hit,
            *hands.get((hit.table, hit.nonce, hit.claim), (0, "", (), "", "")),
            persons.get((hit.table, hit.nonce, hit.claim), "at the controller"),
            sum(stakes.get((hit.table, hit.nonce, hit.round), {}).values()),
        )
        for hit in hits
    )


def _hand_of(claim: dict[str, Any]) -> tuple[int, str, tuple[str, ...], str, str]:
    """Seat, rank, cards, dealer and shoe of a claim as it stands in a letter."""
    return claim["seat"], claim["rank"], tuple(claim["cards"]), claim["dealer"], claim["shoe"]


class _Tally:
    """The books of one meter, read from the beginning to the end."""

    def __init__(self) -> None:
        self.opening = dict.fromkeys(Account, 0)
        self.closing = dict.fromkeys(Account, 0)
        self.latest = dict.fromkeys(Account, 0)
        self.moved: dict[str, dict[tuple[Kind, Account], int]] = {}
        self.terms_changed = False  # in the period or after it

    def take(self, entry: Entry, written_ns: int, period: Period) -> None:
        if entry.account is None:
            return
        account = entry.account
        self.latest[account] += entry.amount
        if written_ns < period.until_ns:
            self.closing[account] += entry.amount
        if written_ns < period.from_ns:
            self.opening[account] += entry.amount
            return
        self.terms_changed |= entry.kind is Kind.TERMS_CHANGED
        if written_ns < period.until_ns:
            by_table = self.moved.setdefault(entry.table, {})
            key = (entry.kind, account)
            by_table[key] = by_table.get(key, 0) + entry.amount

    def all_moved(self) -> dict[tuple[Kind, Account], int]:
        whole: dict[tuple[Kind, Account], int] = {}
        for moved in self.moved.values():
            for key, amount in moved.items():
                whole[key] = whole.get(key, 0) + amount
        return whole

    def page(self, name: str) -> MeterPage:
        tables = {table: _flow(moved) for table, moved in sorted(self.moved.items()) if table}
        return MeterPage(name, _purses(self.opening), _flow(self.all_moved()), _purses(self.closing), tables)


def _purses(balances: dict[Account, int]) -> Purses:
    return Purses(*(balances[account] for account in _IN_ORDER))


_IN_ORDER = (
    Account.DISPLAY, Account.RESERVE, Account.OVERFLOW, Account.BUCKET, Account.PENDING, Account.WAGERS,
    Account.STAKES, Account.HITS, Account.WINS, Account.CARRIED,
)  # fmt: skip


def _flow(moved: dict[tuple[Kind, Account], int]) -> Flow:
    def total(kinds: tuple[Kind, ...], accounts: tuple[Account, ...]) -> int:
        return sum(moved.get((kind, account), 0) for kind in kinds for account in accounts)

    counted = (Kind.COMMITTED, Kind.CORRECTED)
    return Flow(
        wagers=total(counted, (Account.WAGERS,)),
        stakes_minor=total(counted, (Account.STAKES,)),
        pended=total((Kind.PENDED,), (Account.PENDING,)),
        committed=total((Kind.COMMITTED,), MONEY),
        dropped=-total((Kind.DROPPED, Kind.ADDED_NOTHING), (Account.PENDING,)),
        corrected=-total((Kind.CORRECTED,), MONEY),
        seeds=total((Kind.SEED,), MONEY),
        adjustments=total(ADJUSTMENTS, MONEY),
        awards=-total(AWARDS, MONEY),
        hits=total(AWARDS, (Account.HITS,)),
    )


def _problems(tally: _Tally, name: str, meter: Meter | None) -> list[str]:
    """Each is a law of its own, so that a mistake in one way of counting is found by another."""
    page = tally.page(name)
    opening, flow, closing = page.opening, page.flow, page.closing
    problems = []
    if opening.held() + flow.change_of_held() != closing.held():
        problems.append(
            f"The meter {name!r} opened with {opening.held()} and moved by {flow.change_of_held()}, but closed with "
            f"{closing.held()}."
        )
    between = sum(tally.all_moved().get((kind, account), 0) for kind in BETWEEN_PURSES for account in MONEY)
    if between:
        problems.append(f"Transfers between the purses of the meter {name!r} do not cancel out: {between} are left.")
    if flow.awards != (closing.wins_minor - opening.wins_minor) * MICRO_PER_MINOR:
        problems.append(f"The awards of the meter {name!r} are not the wins that were counted.")
    if meter is None:
        return [*problems, f"The books know a meter {name!r} that does not stand in the ledger."]
    grown = growth_micro(flow.stakes_minor, meter.terms.rate_bp) + closing.carried - opening.carried
    if not tally.terms_changed and flow.committed - flow.corrected != grown:
        problems.append(
            f"The stakes of the meter {name!r} make {grown} at its rate, but {flow.committed - flow.corrected} were "
            "committed."
        )
    for account in Account:
        if tally.latest[account] != getattr(meter, account.value):
            problems.append(f"The {account} of the meter {name!r} is not what its entries add up to.")
    return problems


def _is_worth_a_line(entry: Entry) -> bool:
    """An award moves several purses; the line of it that tells the sum is the one that counts the win."""
    return entry.kind not in AWARDS or entry.account is Account.WINS


def _line(written_ns: int, entry: Entry) -> Line:
    return Line(
        written_ns, entry.at_wall_ns, entry.kind.value, entry.table, entry.round, entry.claim, entry.meter,
        entry.amount, entry.detail, entry.persons,
    )  # fmt: skip
