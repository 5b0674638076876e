"""Checkpoints of the journal's chain, stored beside the segments. Each line states that record n had chain c at a
time, under which software. The table's key signs the line, and the line is chained to the previous one. They are
made between rounds and at a stop, from durable turns only. The table never waits for a checkpoint and never needs
one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from felt.evidence.felt_check import (
    CHECKPOINTS,
    NOTHING,
    Checkpoint,
    Wrong,
    digest_of,
    read_checkpoint,
    read_checkpoints,
    strangers,
)
from felt.evidence.signing import SigningKey
from felt.evidence.witness import Witness
from felt.journal.reading import read_records
from felt.journal.record import JournalDamaged, JournalError
from felt.journal.store import Head
from felt.nouns.values import Value
from felt.ports import Disk, DiskError

ROUND_ENDED = '{"is":"SnapshotTaken"'


class AttestedJournal(Value):
    """The attested journal and the software that writes it."""

    table: str
    genesis: str  # the chain after its first record
    software: str


def write_checkpoint(checkpoint: Checkpoint, key: SigningKey | None) -> bytes:
    body = (
        f"felt-checkpoint-1 {checkpoint.number} {checkpoint.table} {checkpoint.journal} {checkpoint.seq} "
        f"{checkpoint.chain} {checkpoint.wall_ns} {checkpoint.software} {checkpoint.public} {checkpoint.before}"
    )
    covered = body.encode("ascii")
    seal = f"sha256:{digest_of(covered)}" if key is None else f"ed25519:{key.sign(covered).hex()}"
    return f"{body} {seal}\n".encode("ascii")


class CheckpointWriter:
    """Writes checkpoints. It continues whatever it finds in the file; errors there are left for the checkers. Rounds
    count from the last attested record, also across restarts: a table that restarts often is attested as often as
    any other."""

    def __init__(
        self, disk: Disk, journal: AttestedJournal, key: SigningKey | None, rounds: int, witness: Witness | None = None
    ) -> None:
        self._disk = disk
        self._journal = journal
        self._key = key
        self._rounds = rounds
        self.witness = witness
        self._is_broken = False
        whole, self.reports = _without_torn_lines(disk)
        self._lines = whole.count(b"\n")
        self._before = digest_of(whole.splitlines()[-1]) if whole else NOTHING
        last = last_checkpoint(disk)
        self._attested = last.seq if last is not None and last.journal == journal.genesis else 0
        self._since = _rounds_after(disk, self._attested, rounds)

    def round_ended(self, head: Head, wall_ns: int) -> None:
        """The witness notes every round; a checkpoint is made if one is due."""
        self._since += 1
        if self._since >= self._rounds:
            self.attest(head, wall_ns)
        else:
            self.note(head)

    def note(self, head: Head) -> None:
        if self.witness is not None:
            self.witness.note(self._journal.genesis, head)

    def attest(self, head: Head, wall_ns: int) -> None:
        """One append and one sync. If the disk refuses, only this checkpoint is lost."""
        self.note(head)
        self._since = 0
        if self._is_broken or head.seq == self._attested:
            return
        public = "-" if self._key is None else self._key.public.hex()
        journal = self._journal
        made = Checkpoint(
            self._lines + 1, journal.table, journal.genesis, head.seq, head.chain, wall_ns, journal.software, public,
            self._before,
        )  # fmt: skip
        line = write_checkpoint(made, self._key)
        try:
            self._disk.append(CHECKPOINTS, line)
            self._disk.sync(CHECKPOINTS)
        except DiskError:
            self._is_broken = True  # what reached the disk is unknown until the next start
            return
        self._lines, self._before, self._attested = made.number, digest_of(line[:-1]), head.seq


class Attested(Value):
    """The checkpoints beside a journal, for programs that verify its chain."""

    checkpoints: tuple[Checkpoint, ...]
    problems: tuple[str, ...]

    @property
    def signed_seq(self) -> int:
        """The last record covered by a signature; 0: none."""
        return max((checkpoint.seq for checkpoint in self.checkpoints if checkpoint.public != "-"), default=0)

    def strangers(self, known: Sequence[str]) -> list[str]:
        """Checkpoints that no known key signed. If no key is known, all must come from the key that signed last; a
        table's settings name its earlier keys."""
        last = [checkpoint.public for checkpoint in self.checkpoints if checkpoint.public != "-"][-1:]
        remedy = "if it was an earlier key of this table, name it in journal.public_keys"
        return [f"{problem}; {remedy}" for problem in strangers(self.checkpoints, known or last)]

    def disagreements(self, chains: Mapping[int, str], last_seq: int) -> list[str]:
        """Where the checkpoints contradict the journal. `chains` holds the journal's chain after each attested
        record."""
        problems = list(self.problems)
        for checkpoint in self.checkpoints:
            if checkpoint.seq > last_seq:
                problems.append(
                    f"checkpoint {checkpoint.number} is of record {checkpoint.seq}, but the journal ends at {last_seq}"
                )
            elif chains.get(checkpoint.seq) != checkpoint.chain:
                problems.append(
                    f"record {checkpoint.seq} differs from the record of checkpoint {checkpoint.number}"
                )
        return problems


def read_attested(disk: Disk) -> Attested:
    """Reads and verifies every checkpoint. A line that is being written is not visible yet."""
    content = disk.read(CHECKPOINTS) if CHECKPOINTS in disk.names() else b""
    try:
        return Attested(tuple(read_checkpoints(content[: content.rfind(b"\n") + 1])), ())
    except Wrong as error:
        return Attested((), (str(error),))


def last_checkpoint(disk: Disk) -> Checkpoint | None:
    """The last checkpoint, its signature not verified; None also if the last line is incomplete."""
    lines = disk.read(CHECKPOINTS).split(b"\n")[:-1] if CHECKPOINTS in disk.names() else []
    return read_checkpoint(lines[-1].decode("ascii", "replace"), verify=False) if lines else None


def up_to(content: bytes, seq: int) -> bytes:
    """The lines before the first one about a later record."""
    kept = b""
    for line in content[: content.rfind(b"\n") + 1].splitlines(keepends=True):
        checkpoint = read_checkpoint(line[:-1].decode("ascii", "replace"), verify=False)
        if checkpoint is not None and checkpoint.seq > seq:
            break
        kept += line
    return kept


def refuse_lost_end(disk: Disk, genesis: str, head: Head) -> None:
    """Checkpoints are made of durable turns only, so one beyond the end proves that turns are missing."""
    last = last_checkpoint(disk)
    if last is not None and last.journal == genesis and last.seq > head.seq:
        raise JournalDamaged(
            f"checkpoint {last.number} was made of record {last.seq}, but the journal ends at record {head.seq}",
            segment=CHECKPOINTS, offset=0, seq=head.seq + 1,
        )  # fmt: skip


def _rounds_after(disk: Disk, seq: int, enough: int) -> int:
    """How many rounds ended after that record, counted up to `enough`. Each ends with a snapshot. A damaged journal
    counts as none: the checkers find the damage."""
    ended = 0
    try:
        for record in read_records(disk, seq + 1):
            ended += record.payload.startswith(ROUND_ENDED)
            if ended >= enough:
                break
    except JournalError:
        return 0
    return ended


def _without_torn_lines(disk: Disk) -> tuple[bytes, tuple[str, ...]]:
    """A power cut leaves a partial line or junk after the last durable line. Moves it aside and reports it."""
    content = disk.read(CHECKPOINTS) if CHECKPOINTS in disk.names() else b""
    end = len(content)
    while end and not _is_checkpoint(content[content.rfind(b"\n", 0, end - 1) + 1 : end]):
        end = content.rfind(b"\n", 0, end - 1) + 1
    if end == len(content):
        return content, ()
    kept_in = torn_name(content[:end].count(b"\n") + 1)
    disk.replace(kept_in, content[end:])
    disk.truncate(CHECKPOINTS, end)
    report = (
        f"{CHECKPOINTS} ended in {len(content) - end} bytes that are not a checkpoint; they were moved to {kept_in}"
    )
    return content[:end], (report,)


def _is_checkpoint(line: bytes) -> bool:
    whole = line.endswith(b"\n")
    return whole and read_checkpoint(line[:-1].decode("ascii", "replace"), verify=False) is not None


def torn_name(number: int) -> str:
    return f"torn-checkpoint-{number:08d}.bin"
