"""What the console reads from the disk: rounds and jackpots as the journal tells them, its last records, the
configuration and the versions. It works beside a running table and without one, and tells of cards
what the reader's role may see."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NamedTuple

from felt import __version__
from felt.commands.replay import Retelling, Told, rounds_of, told_round
from felt.config import Config
from felt.config.errors import ConfigError
from felt.config.people import is_pin_of, read_people
from felt.config.writing import to_toml
from felt.journal import ReplayDiverged
from felt.journal.reading import last_records, read_records
from felt.journal.record import JournalError, Record
from felt.nouns.money import say
from felt.nouns.shapes import ShapeError
from felt.nouns.stamps import NS_PER_S
from felt.ports import Disk, DiskError
from felt.service.wiring import read_only_disk
from felt.table import redacted
from felt.table.state import ClaimState

CHANGES_SHOWN = 10
ROUNDS_KEPT = 1000  # in memory, of those since the last era began
_ERA = '{"fact":"EraOpened"'
# Of a fact's content, what is longer than a line.
_LONG = ("failed", "handover", "settings", "levels")
_UNREADABLE = (JournalError, DiskError, ReplayDiverged, ShapeError)


class _Read(NamedTuple):
    retelling: Retelling
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
        known = self._rounds(role, lambda rounds: rounds[0].record["round"] <= number)
        found = [told for told in known if told.record["round"] == number]
        for told in found[-1:]:
            yield from told_round(told, whole=True)
        if not found:
            yield f"No round {number} has ended in this journal."
        yield from self._problem

    def hits(self, last: int) -> Iterable[str]:
        known = self._rounds("", lambda rounds: len(_claims(rounds)) >= last)
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
        """Of the round in play."""
        table = self._read[""].retelling.table if "" in self._read else None
        if table is not None and table.round is not None and table.settings is not None:
            for claim in table.round.claims:
                where = f"round {table.round.number} in play, box {claim.seat}"
                value = "not valued yet"
                if claim.award_minor is not None:
                    value = say(claim.award_minor, table.settings.terms.currency)
                yield f"claim {claim.claim}: {where}, {claim.level} {value}, {claim.verdict or 'waits'}"

    def _rounds(self, role: str, are_enough: Callable[[list[Told]], bool]) -> list[Told]:
        """The journal's last rounds, worked out again era by era from the last one back, until they are enough. What
        was worked out before is remembered, and only what was appended since is read."""
        self._problem = []
        found: list[Told] = []
        try:
            disk = read_only_disk(self._folder)
            found = self._since_the_last_era(disk, role)
            for first, after in pairwise(reversed(_eras(disk))):
                if found and are_enough(found):
                    break
                records = (record for record in read_records(disk, after) if record.seq < first)
                found = [*rounds_of(records, role), *found]
        except _UNREADABLE as error:
            self._problem = [f"The journal cannot be read further: {error}"]
        return found

    def _since_the_last_era(self, disk: Disk, role: str) -> list[Told]:
        if role not in self._read:
            self._read[role] = _Read(Retelling(role), [])
            self._read[role].retelling.next_seq = max(_eras(disk), default=1)
        retelling, told = self._read[role]
        told.extend(retelling.take(read_records(disk, retelling.next_seq)))
        del told[:-ROUNDS_KEPT]
        return list(told)

    # --- records ---------------------------------------------------------------------------------------

    def tail(self, last: int, role: str) -> Iterable[str]:
        for record, plain in self._records(last, role):
            at = datetime.fromtimestamp(plain["at"][2] // NS_PER_S, UTC).strftime("%H:%M:%S")
            content = " ".join(f"{name}={value}" for name, value in _open_content(plain).items())
            yield f"{record.seq:>7} {at} {plain['fact']} {content}".rstrip()
        yield from self._problem

    def export(self, last: int, role: str) -> Iterable[str]:
        for record, plain in self._records(last, role):
            content = {"fact": plain["fact"], "wall_ns": plain["at"][2], **_open_content(plain)}
            yield json.dumps({"seq": record.seq, **content, "chain": record.chain}, separators=(",", ":"))
        yield from self._problem

    def _records(self, last: int, role: str) -> Iterator[tuple[Record, dict[str, Any]]]:
        self._problem = []
        try:
            for record in last_records(read_only_disk(self._folder), last):
                yield record, json.loads(redacted.payload_of(record.payload, role))
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
        yield from self._software_changes()

    def _software_changes(self) -> Iterator[str]:
        """The last ten versions that began to keep this journal, as the journal itself recorded them."""
        changes: list[tuple[int, str]] = []
        try:
            for record in read_records(read_only_disk(self._folder)):
                if record.payload.startswith(_ERA):
                    plain = json.loads(record.payload)
                    if not changes or changes[-1][1] != plain["firmware"]:
                        changes.append((plain["at"][2], plain["firmware"]))
        except _UNREADABLE as error:
            yield f"The journal cannot be read: {error}"
        for wall_ns, firmware in changes[-CHANGES_SHOWN:]:
            at = datetime.fromtimestamp(wall_ns // NS_PER_S, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
            yield f"since         {at} {firmware}"

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
            return True  # somebody wrote it; what is wrong with it is told elsewhere

    def role_of(self, name: str, pin: str) -> str:
        try:
            person = read_people(self._config.path(self._config.desk.people)).get(name)
        except ConfigError:
            return ""
        return person.role.value if is_pin_of(person, pin) and person else ""


def _eras(disk: Disk) -> list[int]:
    """Where each era begins: a table can be worked out from there."""
    return [record.seq for record in read_records(disk) if record.payload.startswith(_ERA)]


def _claims(rounds: list[Told]) -> list[tuple[Told, ClaimState]]:
    return [(told, claim) for told in rounds for claim in told.record["claims"]]


def _open_content(plain: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in plain.items() if name not in ("fact", "v", "at", *_LONG)}
