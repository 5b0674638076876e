"""Boot and recovery: opens and verifies the journal, replays the table, reads every level and appends `Booted`. A
journal of another version begins a new era from its hand-over, or is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from felt.evidence.checkpoints import refuse_lost_end
from felt.evidence.witness import Witness, WitnessDisagrees
from felt.journal.header import Header, read_header_text
from felt.journal.opening import OpenedJournal, open_journal
from felt.journal.record import JournalError, Record, kind_of
from felt.journal.replay import ReplayDiverged, replay, since_era
from felt.loop.turn import Turn
from felt.nouns.ids import Spot
from felt.nouns.stamps import Stamp
from felt.nouns.values import ShapeError, Value, read_part, to_text
from felt.ports import Disk
from felt.table import facts
from felt.table.facts import Fact
from felt.table.handover import hand_over, taken_over
from felt.table.machine import Stepper
from felt.table.settings import Settings
from felt.table.state import Table, digest_of, read_table, write_table


class BootRefused(Exception):
    """The table does not start. One sentence with the fault's code."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code


class Birth(Value):
    """What a boot needs from outside."""

    firmware: str
    software: str  # the digest of everything installed
    settings: Settings
    settings_digest: str
    board: str
    rulebook: str
    nonce: Callable[[], str]  # drawn once, when a journal is created
    levels: Mapping[str, bool]
    now: Stamp
    segment_bytes: int


class _Closed(Value, forbid_unknown_fields=False):
    """The end of an era, as every version writes it."""

    handover: dict[str, Any]


class Start(Value):
    turn: Turn
    reports: tuple[str, ...]


def start_table(disk: Disk, birth: Birth, witness: Witness | None = None) -> Start:
    opened, is_witnessed = _open(disk, birth, witness)
    header = _header_of(opened)
    if header.table != birth.settings.table_id:
        problem = f"this journal is that of table {header.table}; another id needs a journal folder of its own"
        raise BootRefused("F-502", problem)
    stepper = Stepper()
    table, closed = _recover(opened, header, birth, stepper)
    turn = Turn(stepper, opened.store, table)
    first: list[Fact] = []
    if closed is not None:
        first.append(facts.EraOpened(birth.now, header.nonce, birth.firmware, closed))
        if not opened.born:
            opened.store.rotate(_header(birth, header.nonce))
    if closed is not None or table.configuration != birth.settings_digest:
        if table.round is not None:
            raise BootRefused(
                "F-502", f"the configuration was changed while round {table.round.number} is open; put it back first"
            )
        first.append(facts.Configured(birth.now, birth.settings, birth.settings_digest))
        if closed is None and not opened.born:
            opened.store.rotate(_header(birth, header.nonce))
    elif header.software != birth.software:
        opened.store.rotate(_header(birth, header.nonce))
    levels = tuple((Spot(name), level) for name, level in birth.levels.items() if not name.startswith("key."))
    first.append(facts.Booted(birth.now, birth.firmware, levels))
    if witness is not None and not is_witnessed and table.configuration == birth.settings_digest:
        first.append(facts.FaultRaised(birth.now, "F-413", witness.place))  # it existed when the table last started
    if opened.torn is not None:
        first.append(facts.FaultRaised(birth.now, "F-402", opened.torn.kept_in))
    turn.take(first)
    return Start(turn, opened.reports)


def _open(disk: Disk, birth: Birth, witness: Witness | None) -> tuple[OpenedJournal, bool]:
    """The journal, and whether its witness has recorded anything."""
    try:
        opened = open_journal(disk, _header(birth, birth.nonce()), segment_limit_bytes=birth.segment_bytes)
        refuse_lost_end(disk, opened.store.journal, opened.store.head)
        seen = witness is not None and witness.refuse_older(disk, opened.store.journal, opened.store.last_fact)
        return opened, seen
    except JournalError as error:
        raise BootRefused("F-401", str(error)) from error
    except WitnessDisagrees as error:
        raise BootRefused("F-412", str(error)) from error


def _header(birth: Birth, nonce: str) -> str:
    return to_text(
        Header(
            "journal", birth.settings.table_id, nonce, birth.firmware, birth.software, facts.SCHEMA,
            birth.settings_digest, birth.board, birth.rulebook, dict(birth.settings.terms.readings),
        )
    )  # fmt: skip


def _header_of(opened: OpenedJournal) -> Header:
    try:
        return read_header_text(opened.header)
    except ShapeError as error:
        raise BootRefused("F-401", f"the journal's header is not that of a table ({error})") from error


def _recover(
    opened: OpenedJournal, header: Header, birth: Birth, stepper: Stepper
) -> tuple[Table, dict[str, Any] | None]:
    """The table from the journal, and the hand-over that begins a new era (None: same era)."""
    if opened.born or (opened.snapshot is None and not opened.records):
        return Table(), {}  # also if power failed between the journal's creation and its first turn
    handover = _closing(opened.records)
    if handover is not None:
        try:
            taken_over(handover, None)
        except ShapeError as error:
            raise BootRefused("F-404", f"the hand-over of {header.firmware} cannot be read: {error}") from error
        return Table(), handover
    if header.firmware != birth.firmware:
        raise BootRefused("F-404", f"the journal was written by {header.firmware}, this is {birth.firmware}")
    table, records = _starting_point(opened)
    try:
        return replay(records, table, stepper.after, digest_of, facts.decode), None
    except ReplayDiverged as error:
        raise BootRefused("F-405", str(error)) from error


def _closing(records: tuple[Record, ...]) -> dict[str, Any] | None:
    if not records:
        return None
    if kind_of(records[-1]) != "EraClosed":
        return None
    return read_part(_Closed, records[-1].payload).handover


def _starting_point(opened: OpenedJournal) -> tuple[Table, tuple[Record, ...]]:
    """Within an era: its first fact, or a snapshot taken in it."""
    records = since_era(opened.records)
    if records is not None:
        return Table(), records
    if opened.snapshot is None:
        return Table(), opened.records
    try:
        table = read_table(opened.snapshot.text)
    except (ShapeError, ValueError) as error:
        raise BootRefused("F-405", f"the snapshot cannot be decoded: {error}") from error
    if digest_of(table) != opened.snapshot.table_digest:
        raise BootRefused("F-405", "the snapshot does not match the journal's table")
    return table, opened.records


def take_snapshot(turn: Turn, now: Stamp) -> None:
    """Between rounds: saves the table as text and chains its digest into the journal."""
    saved = turn.store.save_snapshot(write_table(turn.table))
    turn.take([facts.SnapshotTaken(now, saved.digest)])


def close_era(turn: Turn, now: Stamp) -> None:
    """Closes an era in good order, without an open round or question: everything that another version needs to know."""
    turn.take([facts.EraClosed(now, hand_over(turn.table))])
