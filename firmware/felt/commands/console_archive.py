"""The console's view of the disk: rounds and jackpots from the journal, its last records, the configuration and the
versions. It works with and without a running table, and shows cards as far as the reader's role allows."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from felt import __version__
from felt.commands.replay import told_round
from felt.config import Config
from felt.config.errors import ConfigError
from felt.config.people import is_pin_of, read_people
from felt.config.writing import to_toml
from felt.evidence.changes import software_changes
from felt.evidence.digests import software_identity
from felt.evidence.events import Event, device_of, events_of, exported
from felt.evidence.outcomes import outcomes
from felt.evidence.retelling import Retelling, Told, as_they_stand, before, begun_at, begun_before, round_numbered
from felt.journal import ReplayDiverged
from felt.journal.reading import last_records, read_records
from felt.journal.record import JournalError, Record
from felt.journal.waypoints import Waypoint, waypoints
from felt.nouns.money import say
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import ShapeError
from felt.ports import Disk, DiskError
from felt.table.state import ClaimState
from felt.wiring.devices import read_only_disk

CHANGES_SHOWN = 10
LATELY = 12  # waypoints; always enough for the last ten rounds
ROUNDS_KEPT = 1000  # kept in memory
_UNREADABLE = (JournalError, DiskError, ReplayDiverged, ShapeError)


@dataclass
class _Read:
    retelling: Retelling
    first_seq: int  # the first record that was read
    told: list[Told]


class DiskArchive:
    def __init__(self, config: Config) -> None:
        self._config = config
        self._folder = config.path(config.journal.folder)
        self._problem: list[str] = []
        self._read: dict[str, _Read] = {}  # by role

    # --- rounds ----------------------------------------------------------------------------------------

    def rounds(self, last: int, role: str) -> Iterable[str]:
        found = self._rounds(role, lambda rounds: len(rounds) >= last)
        if not found and not self._problem:
            yield "No round has ended in this journal."
        for told in found[-last:]:
            yield from told_round(told, whole=True)
        yield from self._problem

    def round(self, number: int, role: str) -> Iterable[str]:
        self._problem = []
        try:
            told = round_numbered(read_only_disk(self._folder), number, role)
        except _UNREADABLE as error:
            yield f"The journal cannot be read: {error}"
            return
        if told is None:
            yield f"No round {number} has ended in this journal."
        else:
            yield from told_round(told, whole=True)

    def hits(self, last: int) -> Iterable[str]:
        known = self._rounds("", lambda rounds: len(_claims(rounds)) >= last, '"is":"ClaimValued"')
        found = _claims(known)
        waiting = list(self._waiting_claims())
        if not found and not waiting and not self._problem:
            yield "No jackpot was claimed at this table."
        for told, claim in found[-last:]:
            award = "unknown" if claim.award_minor is None else say(claim.award_minor, told.currency)
            verdict = f"{claim.verdict or 'open'} by {claim.person}" if claim.person else claim.verdict or "open"
            where = f"round {told.record['round']}, box {claim.seat}"
            yield f"claim {claim.claim}: {where}, {claim.level} {award}, {verdict}"
        yield from waiting
        yield from self._problem

    def _waiting_claims(self) -> Iterator[str]:
        """Open claims of the round in play."""
        table = self._read[""].retelling.table if "" in self._read else None
        if table is not None and table.round is not None and table.settings is not None:
            for claim in table.round.claims:
                where = f"round {table.round.number} in play, box {claim.seat}"
                value = "not valued yet"
                if claim.award_minor is not None:
                    value = say(claim.award_minor, table.settings.terms.currency)
                yield f"claim {claim.claim}: {where}, {claim.level} {value}, {claim.verdict or 'waits'}"

    def _rounds(self, role: str, are_enough: Callable[[list[Told]], bool], wanted: str = "") -> list[Told]:
        """The journal's last rounds, reconstructed from one waypoint back to the previous one until there are
        enough. Segments in which no record contains `wanted` are skipped. Results are cached; only new records are
        read again."""
        self._problem = []
        found: list[Told] = []
        try:
            disk = read_only_disk(self._folder)
            known = waypoints(disk)
            read = self._since_lately(disk, known, role)
            found = list(as_they_stand(read.told))
            first = read.first_seq
            while not (found and are_enough(found)):
                begun = begun_before(disk, known, first, role)
                if begun is None:
                    break
                after, first = first, begun.next_seq
                if not wanted or any(wanted in record.payload for record in before(read_records(disk, first), after)):
                    found = list(as_they_stand([*begun.take(before(read_records(disk, first), after)), *found]))
        except _UNREADABLE as error:
            self._problem = [f"The journal cannot be read further: {error}"]
        return found

    def _since_lately(self, disk: Disk, known: list[Waypoint], role: str) -> _Read:
        if role not in self._read or len(self._read[role].told) > ROUNDS_KEPT:
            late = known[-LATELY] if len(known) >= LATELY else known[0] if known else Waypoint(1, None)
            begun = begun_at(disk, late, role) or begun_before(disk, known, late.seq, role) or Retelling(role)
            self._read[role] = _Read(begun, begun.next_seq, [])
        read = self._read[role]
        read.told.extend(read.retelling.take(read_records(disk, read.retelling.next_seq)))
        return read

    # --- records ---------------------------------------------------------------------------------------

    def tail(self, last: int, role: str) -> Iterable[str]:
        for event, _ in self._events(last, role):
            yield event.line()
        yield from self._problem

    def export(self, last: int, role: str) -> Iterable[str]:
        for event, record in self._events(last, role):
            yield exported(event, record, role)
        yield from self._problem

    def _events(self, last: int, role: str) -> Iterator[tuple[Event, Record]]:
        self._problem = []
        try:
            disk = read_only_disk(self._folder)
            device, records = device_of(disk), last_records(disk, last)
            if device is not None and records:
                found = islice(outcomes(disk, records[0].seq), len(records))  # the table may be writing
                yield from zip(events_of(found, device, role), records, strict=True)
        except _UNREADABLE as error:
            self._problem = [f"The journal cannot be read: {error}"]

    # --- the rest --------------------------------------------------------------------------------------

    def configuration(self) -> Iterable[str]:
        plain = self._config.sections()
        plain["dealers"] = dict.fromkeys(self._config.dealers, "(not shown)")
        return to_toml(plain).splitlines()

    def versions(self) -> Iterable[str]:
        yield f"installed     {__version__}, Python {platform.python_version()}, {platform.release()}"
        yield f"configuration {self._config.source}, digest {self._config.digest[:16]}"
        board = self._config.profile.name if self._config.profile else self._config.board.kind.value
        yield f"board         {board}"
        yield f"software      digest {software_identity()[:16]}"
        try:
            changes = software_changes(read_only_disk(self._folder))
        except _UNREADABLE as error:
            yield f"The journal cannot be read: {error}"
            return
        for change in changes[-CHANGES_SHOWN:]:
            at = datetime.fromtimestamp(change.wall_ns // NS_PER_S, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
            yield f"since         {at} {change.firmware} {change.software[:16]}".rstrip()

    def free_bytes(self) -> int:
        try:
            found = os.statvfs(self._folder if self._folder.exists() else self._folder.parent)
        except OSError:
            return 0
        return found.f_bavail * found.f_frsize

    def has_people(self) -> bool:
        try:
            return bool(read_people(self._config.path(self._config.desk.people)))
        except ConfigError:
            return True  # the file exists; its errors are reported elsewhere

    def role_of(self, name: str, pin: str) -> str:
        try:
            person = read_people(self._config.path(self._config.desk.people)).get(name)
        except ConfigError:
            return ""
        return person.role.value if is_pin_of(person, pin) and person else ""


def _claims(rounds: list[Told]) -> list[tuple[Told, ClaimState]]:
    return [(told, claim) for told in rounds for claim in told.record["claims"]]
