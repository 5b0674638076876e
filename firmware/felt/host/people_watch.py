"""Whether the people who may act at a table are those that somebody accepted. At every start and at every reading of
the file, it compares names, roles, licences and PINs with the accepted list. A difference is journaled as a fault
that names the person and stays until a supervisor clears it. It stores no PIN and nothing that could be used to
guess one, only whether an entry is the same."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable

from felt.config.people import ListedPerson, People, Role
from felt.loop.inbox import Item, Order
from felt.nouns.values import ShapeError, Value, read, to_bytes
from felt.ports import Disk, DiskError
from felt.table.redacted import PublicTable

PEOPLE_CHANGED = "F-504"
KEPT_IN = "people"
FIRST = "nobody was listed before who could accept it"
_ANSWERS = (Role.SUPERVISOR.value, Role.SHIFT_MANAGER.value)
YOUR_OWN = "Your own entry was changed: another supervisor clears this."


class WatchedPerson(Value):
    role: str
    licence: str
    pin: str  # a digest of the file's digest: shows only whether it is the same


Entries = dict[str, WatchedPerson]


class Change(Value):
    name: str
    entry: WatchedPerson | None  # None: no longer listed


def accept_first(disk: Disk, people: People) -> str:
    """A new table accepts its first people by itself, because nobody could accept them yet. Returns a message for
    the person who starts the table."""
    try:
        _write(disk, {name: _entry(person) for name, person in people.items()})
    except DiskError as error:
        return f"the people this table is born with cannot be kept, they will be asked about ({error})"
    listed = ", ".join(f"{name} {person.role.value}" for name, person in sorted(people.items()))
    return f"these people are accepted as those this table is born with: {listed or 'nobody'}"


class PeopleWatch:
    def __init__(
        self, disk: Disk, put: Callable[[Item], None], tell: Callable[[str], None], table: PublicTable
    ) -> None:
        self._disk = disk
        self._put = put
        self._tell = tell
        self._one_at_a_time = threading.Lock()
        kept = self._kept()
        self._is_known = kept is not None
        self._accepted: Entries = kept or {}
        self._people: Entries = {}
        self._changes: dict[str, Change] = {}  # by their sentence
        self._stood = self._told = _standing(table)

    def see(self, people: People) -> None:
        """Called from any thread that has read the file."""
        with self._one_at_a_time:
            self._people = {name: _entry(person) for name, person in people.items()}
            self._changes = _changes(self._accepted, self._people)
            is_first = self._is_known and not _who_answers(self._accepted)
            for where in self._changes:
                if where not in self._told:
                    self._order("FaultRaised", where)
                    if is_first:
                        self._order("FaultCleared", where, person=FIRST)
            if is_first and self._changes:
                self._accepted, self._changes = self._people, {}
                self._keep()
            self._told = (*self._told, *(where for where in self._changes if where not in self._told))

    def look(self, table: PublicTable) -> None:
        """Called after a turn. If the fault was cleared, the entry is accepted. After a power cut before it is
        stored, the table asks again."""
        standing = _standing(table)
        if standing == self._stood:
            return
        with self._one_at_a_time:
            cleared = [where for where in self._stood if where not in standing]
            for where in cleared:
                self._accept(where)
            self._told = tuple(where for where in self._told if where not in cleared)
            self._stood = standing

    def refusal(self, name: str) -> str:
        """Nobody may accept a change of his own entry while another person could."""
        with self._one_at_a_time:
            changed = {change.name for change in self._changes.values()}
            others = [name_other for name_other in _who_answers(self._people) if name_other not in changed]
        return YOUR_OWN if name in changed and others else ""

    def _accept(self, where: str) -> None:
        """A change that was reverted needs no acceptance; its fault stood as evidence."""
        change = self._changes.pop(where, None)
        if change is None:
            return
        left = {name: entry for name, entry in self._accepted.items() if name != change.name}
        self._accepted = left if change.entry is None else {**left, change.name: change.entry}
        self._is_known = True
        self._keep()

    def _order(self, kind: str, where: str, **fields: str) -> None:
        self._put(Order(kind, {"code": PEOPLE_CHANGED, "where": where, **fields}, lambda _: None))

    def _kept(self) -> Entries | None:
        try:
            if KEPT_IN not in self._disk.names():
                return None
            return read(Entries, self._disk.read(KEPT_IN))
        except (DiskError, ShapeError) as error:
            self._tell(f"which people were accepted cannot be read ({error})")
            return None

    def _keep(self) -> None:
        try:
            _write(self._disk, self._accepted)
        except DiskError as error:
            self._tell(f"which people were accepted cannot be kept, it will be asked again ({error})")


def _write(disk: Disk, entries: Entries) -> None:
    disk.replace(KEPT_IN, to_bytes(dict(sorted(entries.items()))))


def _entry(person: ListedPerson) -> WatchedPerson:
    return WatchedPerson(person.role.value, person.licence, hashlib.sha256(person.pin.encode()).hexdigest())


def _who_answers(entries: Entries) -> list[str]:
    return [name for name, entry in entries.items() if entry.role in _ANSWERS]


def _standing(table: PublicTable) -> tuple[str, ...]:
    return tuple(fault.where for fault in table.service.faults if fault.code == PEOPLE_CHANGED)


def _changes(before: Entries, after: Entries) -> dict[str, Change]:
    names = sorted({*before, *after})
    differing = [name for name in names if before.get(name) != after.get(name)]
    return {_say(name, before.get(name), after.get(name)): Change(name, after.get(name)) for name in differing}


def _say(name: str, before: WatchedPerson | None, after: WatchedPerson | None) -> str:
    if before is None:
        return f"{name} added as {after.role}" if after else name
    if after is None:
        return f"{name} removed, was {before.role}"
    if after.role != before.role:
        return f"{name} now {after.role}, was {before.role}"
    return f"{name} has another {'PIN' if after.pin != before.pin else 'licence'}"
