"""The audit of a journal: it verifies the whole chain of every era, compares every checkpoint with it, and replays
the present era comparing every digest. It reads beside a running table and never blocks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile

from felt.evidence.audit_result import KNOWN, RESULT, Audit, Verdict
from felt.evidence.checkpoints import Attested, read_attested
from felt.evidence.witness import BEGIN_ANEW, Seen
from felt.journal.reading import read_records
from felt.journal.record import JournalError, Record, kind_of
from felt.journal.replay import replay
from felt.nouns.values import Value, read_part
from felt.ports import Disk, DiskError
from felt.table import facts
from felt.table.machine import Stepper
from felt.table.state import Table, digest_of


class Expected(Value):
    """What an auditor knows beforehand."""

    keys: tuple[str, ...] = ()  # whose checkpoints count; empty: those of the key that signed last
    checkpoint_rounds: int = 0  # rounds between checkpoints of a table with a key; 0: no key
    before: Audit | None = None  # the last good audit
    seen: Seen | None = None  # by the witness outside the state

    def missing(self, attested: Attested, chains: Mapping[int, str], rounds: int) -> list[str]:
        """What must exist but does not."""
        problems = attested.strangers(self.keys)
        if self.checkpoint_rounds and rounds > self.checkpoint_rounds and not attested.signed_seq:
            problems.append(f"this table has a key, but after {rounds} rounds no checkpoint is signed")
        known = self.before
        if known is not None and chains.get(known.head) != known.chain:
            problems.append(
                f"the last good audit saw record {known.head} with another chain, so history was rewritten, cut or "
                f"replaced since; if one was begun anew on purpose, move {KNOWN} and {RESULT} away with the old"
            )
        elif known is not None and attested.signed_seq < known.signed:
            problems.append(f"the last good audit saw signatures up to record {known.signed}, which are gone")
        elif known is not None and len(attested.checkpoints) < known.checkpoints:
            problems.append(
                f"the last good audit saw {known.checkpoints} checkpoints, and {len(attested.checkpoints)} are left: "
                "their list was taken away, and perhaps begun anew"
            )
        if self.seen is not None and chains.get(self.seen.seq) != self.seen.chain:
            problems.append(
                f"the witness outside of the state has seen record {self.seen.seq} with another chain, so an older "
                f"state was put back, or another one; {BEGIN_ANEW}"
            )
        return problems

    def asked(self) -> set[int]:
        """The records whose chain it needs."""
        before = {self.before.head} if self.before else set()
        return before | ({self.seen.seq} if self.seen else set())


NOTHING_EXPECTED = Expected()


class _Era(Value, forbid_unknown_fields=False):
    """What every version writes of the era that it opens."""

    firmware: str


def audit_journal(disk: Disk, firmware: str, at_ns: int, expected: Expected = NOTHING_EXPECTED) -> Audit:
    """Every problem is an answer, not an exception."""
    try:
        return _audited(disk, firmware, at_ns, expected)
    except JournalError as error:
        return Audit(at_ns, Verdict.BAD, str(error))
    except DiskError as error:
        return Audit(at_ns, Verdict.UNDONE, str(error))


def _audited(disk: Disk, firmware: str, at_ns: int, expected: Expected) -> Audit:
    attested = read_attested(disk)
    count, rounds, era, last = 0, 0, None, None
    asked, chains = {checkpoint.seq for checkpoint in attested.checkpoints}, dict[int, str]()
    asked |= expected.asked()
    for record in read_records(disk):
        count, last = count + 1, record
        if record.seq in asked:
            chains[record.seq] = record.chain
        kind = kind_of(record)
        if kind == "EraOpened":
            era = record
        rounds += kind == "SnapshotTaken"  # a snapshot follows each round
    if last is None or era is None:
        return _without_journal(at_ns, expected)
    disagreements = attested.disagreements(chains, last.seq) or expected.missing(attested, chains, rounds)
    if disagreements:
        return Audit(at_ns, Verdict.BAD, "; ".join(disagreements), last.seq, last.chain, count)
    checkpoints, signed = len(attested.checkpoints), attested.signed_seq
    whole = f"the records up to {last.seq} are whole, {checkpoints} checkpoints agree" + (
        f" and are signed up to {signed}" if signed else ""
    )
    written_by = read_part(_Era, era.payload).firmware
    if written_by != firmware:
        said = f"{whole}; the present era is {written_by}'s, and only that version can replay it"
        return Audit(at_ns, Verdict.GOOD, said, last.seq, last.chain, count, 0, checkpoints, signed)
    replayed = _replay(_up_to(read_records(disk, era.seq), last.seq))
    said = f"{whole}; the {replayed} of the present era lead to every recorded table"
    return Audit(at_ns, Verdict.GOOD, said, last.seq, last.chain, count, replayed, checkpoints, signed)


def _without_journal(at_ns: int, expected: Expected) -> Audit:
    if expected.before is None and expected.seen is None:
        return Audit(at_ns, Verdict.UNDONE, "there is no journal yet, or it was taken away: start the table first")
    return Audit(at_ns, Verdict.BAD, "; ".join(expected.missing(Attested((), ()), {}, 0)))


def _up_to(records: Iterator[Record], seq: int) -> Iterator[Record]:
    """Stops at a record: the table may be writing, and newer records are for the next audit."""
    return takewhile(lambda record: record.seq <= seq, records)


def _replay(records: Iterator[Record]) -> int:
    stepper = Stepper()
    stepped = 0

    def step(table: Table, fact: facts.Fact) -> Table:
        nonlocal stepped
        stepped += 1
        return stepper.after(table, fact)

    replay(records, Table(), step, digest_of, facts.decode)
    return stepped
