"""Reconstructs the rounds of a journal from its facts and compares every digest: verdicts, hands, claims, and the
lamps, letters and messages of the time. Starts wherever a table is known: at an era's first fact or at a snapshot."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import takewhile
from typing import Any

from felt.journal.reading import read_records
from felt.journal.record import Record
from felt.journal.replay import ReplayDiverged
from felt.journal.snapshot import read_snapshot
from felt.journal.waypoints import Waypoint, snapshot_at, waypoints
from felt.nouns.money import Currency
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import ShapeError, Value, replace
from felt.ports import Disk
from felt.table import facts, redacted, views
from felt.table.chart import Refusal
from felt.table.handover import taken_over
from felt.table.machine import Stepper
from felt.table.state import Round, Table, digest_of, read_table


class Told(Value):
    """One round, as the journal tells it."""

    record: dict[str, Any]
    letters: tuple[tuple[str, str], ...]
    lamps: tuple[str, ...]
    events: tuple[str, ...]  # messages to people, rulings, and restarts
    currency: Currency
    ended_ns: int  # wall clock
    amends: bool = False  # holds only later changes to the round: a ruling, a void


class RetoldStep(Value):
    """A fact, and the table before and after it."""

    seq: int
    fact: facts.Fact
    before: Table
    after: Table
    refused: Refusal | None


@cache
def _stepper() -> Stepper:
    """Cached: building one takes a tenth of a second, and it keeps no state between tables."""
    return Stepper()


class Retelling:
    """Reconstructs the rounds of a journal as far as it was read; records appended later can be added. Compares
    every digest on the way. Each era begins with a new table."""

    def __init__(self, role: str = "", table: Table | None = None, next_seq: int = 1) -> None:
        self._stepper = _stepper()
        self.table = table or Table()
        self._shown = _Shown(role, self.table)
        self.next_seq = next_seq  # of the next record

    def steps(self, records: Iterable[Record]) -> Iterator[RetoldStep]:
        for record in records:
            try:
                fact = facts.decode(record.payload)
            except ShapeError as error:
                raise ReplayDiverged(record.seq, "this is a fact of another version") from error
            before = Table() if isinstance(fact, facts.EraOpened) else self.table
            stepped = self._stepper.step(before, fact)
            self.table = stepped.table
            if record.digest is not None and digest_of(self.table) != record.digest:
                raise ReplayDiverged(record.seq, "the table's digest is not the one that was written")
            self.next_seq = record.seq + 1
            yield RetoldStep(record.seq, fact, before, self.table, stepped.refused)

    def take(self, records: Iterable[Record]) -> Iterator[Told]:
        """Each round when it ends. A later change by a person follows as an amendment."""
        for step in self.steps(records):
            self._shown.watch(step.after, step.fact)
            ended, amended = ended_in(step), amended_in(step)
            if ended is not None:
                yield self._shown.tell(ended, step.after, step.fact.at.wall_ns)
            elif amended is not None:
                yield replace(self._shown.tell(amended.after, step.after, step.fact.at.wall_ns), amends=True)


class Amended(Value):
    """A round that had ended, before and after a change."""

    before: Round
    after: Round


def ended_in(step: RetoldStep) -> Round | None:
    """The round that ended with this fact."""
    return step.after.previous if step.before.round is not None and step.after.round is None else None


def amended_in(step: RetoldStep) -> Amended | None:
    """The ended round that this fact changed: it was voided, or one of its boxes was found invalid."""
    before, after = step.before.previous, step.after.previous
    if before is None or after is None or after is before or before.number != after.number or before == after:
        return None
    return Amended(before, after)


def as_they_stand(told: Iterable[Told]) -> Iterator[Told]:
    """Each round once, with all later changes applied."""
    last: Told | None = None
    for round_told in told:
        if last is not None and round_told.amends and round_told.record["round"] == last.record["round"]:
            last = _with_amendment(last, round_told)
            continue
        if last is not None:
            yield last
        last = round_told
    if last is not None:
        yield last


# Fields of the last round that an era's hand-over does not carry.
_NOT_HANDED_OVER = ("left", "claims", "dealing", "hands", "findings", "interruptions")


def _with_amendment(ended: Told, later: Told) -> Told:
    kept = {name: ended.record[name] for name in _NOT_HANDED_OVER if not later.record[name]}
    return replace(
        ended,
        record={**later.record, **kept},
        letters=(*ended.letters, *later.letters),
        lamps=(*ended.lamps, *later.lamps),
        events=(*ended.events, *later.events),
    )


def rounds_of(records: Iterable[Record], role: str = "") -> Iterator[Told]:
    """Each finished round, in order."""
    return as_they_stand(Retelling(role).take(records))


def begun_at(disk: Disk, waypoint: Waypoint, role: str = "") -> Retelling | None:
    """A reconstruction from the waypoint on; None if the waypoint cannot be read or verified."""
    if waypoint.snapshot is None:
        return Retelling(role, None, waypoint.seq)
    snapshot = snapshot_at(disk, waypoint)
    try:
        table = None if snapshot is None else read_table(snapshot.text)
    except (ShapeError, ValueError):
        return None
    if snapshot is None or table is None or digest_of(table) != snapshot.table_digest:
        return None
    return Retelling(role, table, waypoint.seq)


def begun_before(disk: Disk, known: list[Waypoint], seq: int, role: str = "") -> Retelling | None:
    """A reconstruction from the last usable waypoint before a record."""
    for waypoint in reversed([waypoint for waypoint in known if waypoint.seq < seq]):
        begun = begun_at(disk, waypoint, role)
        if begun is not None:
            return begun
    return None


def round_numbered(disk: Disk, number: int, role: str = "") -> Told | None:
    """One round, from the waypoint before it. If a journal has two rounds of that number, the last one."""
    known = waypoints(disk)
    place = bisect_left(known, number, key=lambda waypoint: rounds_at(disk, waypoint))
    for waypoint in reversed(known[:place]):
        begun = begun_at(disk, waypoint, role)
        if begun is not None:
            found = _in_stretch(begun, read_records(disk, begun.next_seq), number)
            if found is not None:
                return found
    return None


def _in_stretch(begun: Retelling, records: Iterator[Record], number: int) -> Told | None:
    """Reads until the next round has ended, because until then a person may still void this one."""
    found: list[Told] = []
    try:
        for told in begun.take(records):
            if told.record["round"] > number:
                break
            if told.record["round"] == number:
                found.append(told)
    except ReplayDiverged:
        if not found:
            raise
    return next((round_told for round_told in as_they_stand(found) if not round_told.amends), None)


def rounds_at(disk: Disk, waypoint: Waypoint) -> int:
    """The number of rounds begun before the waypoint; 0 if it cannot be read."""
    try:
        if waypoint.snapshot is None:
            fact = facts.decode(next(read_records(disk, waypoint.seq)).payload)
            return taken_over(fact.handover, None).tally.rounds if isinstance(fact, facts.EraOpened) else 0
        snapshot = read_snapshot(disk.read(waypoint.snapshot))
        return read_table(snapshot.text).tally.rounds if snapshot else 0
    except (ShapeError, ValueError, StopIteration):
        return 0


def before(records: Iterator[Record], seq: int) -> Iterator[Record]:
    return takewhile(lambda record: record.seq < seq, records)


class _Shown:
    """Lamps that changed, letters written and messages shown since the last round ended."""

    def __init__(self, role: str, table: Table) -> None:
        self._role = role
        self._lamps: dict[str, str] = views.lamps(table)
        self._changes: list[str] = []
        self._letters: list[tuple[str, str]] = []
        self._written = table.post.written
        self._events: list[str] = []
        self._noticed = table.panel.noticed

    def watch(self, table: Table, fact: facts.Fact) -> None:
        fact = redacted.fact_of(fact, self._role)
        at = datetime.fromtimestamp(fact.at.wall_ns // NS_PER_S, UTC).strftime("%H:%M:%S")
        if isinstance(fact, facts.Booted) and table.round is not None:
            self._events.append(f"{at} power: the table restarted; {views.prompt(table)}")
        if isinstance(fact, facts.RulingMade):
            answer = f"{fact.person} answers {fact.question} with {fact.choice}"
            self._events.append(f"{at} ruling: {answer} ({fact.reason})")
        new_notices = [notice for notice in table.panel.notices if notice.number > self._noticed]
        self._events += [f"{at} {notice.kind}: {notice.sentence}" for notice in new_notices]
        self._noticed = table.panel.noticed
        lamps = views.lamps(table)
        self._changes += [
            f"{table.phase} {lamp} {pattern}"
            for lamp, pattern in lamps.items()
            if pattern != self._lamps.get(lamp) and not lamp.startswith("key.")
        ]
        self._lamps = lamps
        new = [mail for mail in views.mail(table) if mail.sequence > self._written]
        self._letters += [(mail.kind, mail.body) for mail in new]
        self._written = max(self._written, table.post.written)

    def tell(self, ended: Round, table: Table, ended_ns: int) -> Told:
        assert table.settings is not None
        currency = table.settings.terms.currency
        record, letters = views.record(ended, self._role), tuple(self._letters)
        told = Told(record, letters, tuple(self._changes), tuple(self._events), currency, ended_ns)
        self._changes, self._letters, self._events = [], [], []
        return told
