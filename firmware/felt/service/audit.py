"""The audit of a journal: the whole chain of every era is followed, every checkpoint held against it, and the present
era replayed with every digest compared. It reads beside a running table and is never in its way; what it found is left
in a folder of its own, where the table looks for it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import takewhile

from felt.evidence.checkpoints import read_attested
from felt.journal.reading import read_records
from felt.journal.record import JournalError, Record
from felt.journal.replay import replay
from felt.nouns.shapes import ShapeError, from_plain
from felt.nouns.stamps import NS_PER_S
from felt.ports import Disk, DiskError
from felt.table import facts
from felt.table.machine import Stepper
from felt.table.state import Digester, Table

OLD_NS = 3 * 24 * 3600 * NS_PER_S  # a nightly audit that was missed more than twice
RESULT = "result.json"
_ERA = '{"fact":"EraOpened"'


class Verdict(StrEnum):
    GOOD = "good"
    BAD = "bad"  # the journal is not whole, or leads elsewhere
    UNDONE = "undone"  # it could not be read
    NONE = "none"  # there was no audit yet


@dataclasses.dataclass(frozen=True, slots=True)
class Audit:
    at_ns: int  # by the wall
    verdict: Verdict
    sentence: str
    head: int = 0  # the last record that was seen
    chain: str = ""  # its chain
    records: int = 0
    replayed: int = 0
    checkpoints: int = 0
    signed: int = 0  # the last record under a signature; 0: none
    software: str = ""  # what of it is not as it was delivered


# The last one, or None where nobody audits.
LastAudit = Callable[[], Audit | None]


def nobody_audits() -> None:
    return None


def audit_journal(disk: Disk, firmware: str, at_ns: int) -> Audit:
    """Whatever is wrong is an answer, not an exception."""
    try:
        return _audited(disk, firmware, at_ns)
    except JournalError as error:
        return Audit(at_ns, Verdict.BAD, str(error))
    except DiskError as error:
        return Audit(at_ns, Verdict.UNDONE, str(error))


def _audited(disk: Disk, firmware: str, at_ns: int) -> Audit:
    attested = read_attested(disk)
    count, era, last = 0, None, None
    asked, chains = {one.seq for one in attested.checkpoints}, dict[int, str]()
    for record in read_records(disk):
        count, last = count + 1, record
        if record.seq in asked:
            chains[record.seq] = record.chain
        if record.payload.startswith(_ERA):
            era = record
    if last is None or era is None:
        return Audit(at_ns, Verdict.UNDONE, "there is no journal yet, or it was taken away: start the table first")
    disagreements = attested.disagreements(chains, last.seq)
    if disagreements:
        return Audit(at_ns, Verdict.BAD, "; ".join(disagreements), last.seq, last.chain, count)
    checkpoints, signed = len(attested.checkpoints), attested.signed_seq
    whole = f"{count} records up to {last.seq} are whole, {checkpoints} checkpoints agree" + (
        f" and are signed up to {signed}" if signed else ""
    )
    written_by = json.loads(era.payload)["firmware"]
    if written_by != firmware:
        said = f"{whole}; the present era is {written_by}'s, and only that version can replay it"
        return Audit(at_ns, Verdict.GOOD, said, last.seq, last.chain, count, 0, checkpoints, signed)
    replayed = _replay(_up_to(read_records(disk, era.seq), last.seq))
    said = f"{whole}; the {replayed} of the present era lead to every recorded table"
    return Audit(at_ns, Verdict.GOOD, said, last.seq, last.chain, count, replayed, checkpoints, signed)


def _up_to(records: Iterator[Record], seq: int) -> Iterator[Record]:
    """The table may be writing: what it added since, and perhaps another era, is for the next night."""
    return takewhile(lambda record: record.seq <= seq, records)


def _replay(records: Iterator[Record]) -> int:
    stepper, digester = Stepper(), Digester()
    stepped = 0

    def step(table: Table, fact: facts.Fact) -> Table:
        nonlocal stepped
        stepped += 1
        return stepper.step(table, fact)

    replay(records, Table(), step, digester.of, facts.decode)
    return stepped


# --- what it leaves behind ---------------------------------------------------------------------------------


def leave_result(folder: Disk, audit: Audit) -> None:
    folder.replace(RESULT, json.dumps(dataclasses.asdict(audit)).encode())


def read_result(folder: Disk, begun_ns: int) -> Audit:
    """`begun_ns` is since when results are waited for."""
    try:
        if RESULT not in folder.names():
            return Audit(begun_ns, Verdict.NONE, "there was no audit yet")
        return from_plain(Audit, json.loads(folder.read(RESULT)))
    except (DiskError, ShapeError, ValueError) as error:
        return Audit(begun_ns, Verdict.UNDONE, f"the result of the last audit cannot be read ({error})")
