"""A witness of the journal, in a folder outside of the table's state: how far the journal had come at the end of the
last round. Whoever puts an older state back, journal and ledger together, is found at the next start. It is written
after the journal is durable: an honest journal never ends before it."""

from __future__ import annotations

from contextlib import closing
from typing import Protocol

from felt.journal.reading import read_records
from felt.journal.store import Head
from felt.nouns.values import Value
from felt.ports import Disk, DiskError

WITNESS = "witness.felt"
_FORM = "felt-witness-1"
BEGIN_ANEW = (
    f"if a journal was begun anew on purpose, move {WITNESS} away together with the old journal, its ledger and audit/"
)


class WitnessDisagrees(Exception):
    """The journal is not the one that the witness has seen, or ends before. One sentence."""


class OpenFolder(Protocol):
    def __call__(self, *, read_only: bool) -> Disk: ...


class Seen(Value):
    table: str
    journal: str  # the chain after its first record
    seq: int
    chain: str


class Witness:
    """Its folder is opened for each note: what was unplugged and came back is written again."""

    def __init__(self, open_folder: OpenFolder, table: str, place: str) -> None:
        self._open_folder = open_folder
        self._table = table
        self.place = place  # as people know it
        self.trouble = ""  # why what it should have noted is not durable

    def seen(self) -> Seen | None:
        """None: it has seen nothing yet, or was taken away."""
        try:
            with closing(self._open_folder(read_only=True)) as folder:
                if WITNESS not in folder.names():
                    return None
                words = folder.read(WITNESS).decode("ascii", "replace").split(" ")
        except DiskError:
            return None
        if len(words) != 5 or words[0] != _FORM or not words[3].isdecimal():
            raise WitnessDisagrees(f"{self.place}/{WITNESS} is damaged; keep it as evidence, and move it away")
        return Seen(words[1], words[2], int(words[3]), words[4].rstrip("\n"))

    def refuse_older(self, journal_disk: Disk, journal: str, head: Head) -> bool:
        """Whether there is a witness. A journal that does not go on from what it has seen is refused."""
        seen = self.seen()
        if seen is None:
            return False
        if seen.table != self._table:
            raise WitnessDisagrees(
                f"the witness in {self.place} is that of table {seen.table}; give each table a folder of its own "
                "(journal.witness)"
            )
        if seen.journal != journal:
            raise WitnessDisagrees(f"the witness in {self.place} has seen another journal; {BEGIN_ANEW}")
        if head.seq < seen.seq:
            raise WitnessDisagrees(
                f"the witness in {self.place} has seen record {seen.seq}, but the journal ends at record {head.seq}: "
                "an older state was put back; put back the newer journal and ledger"
            )
        first = next(read_records(journal_disk, seen.seq), None)
        if first is None or (first.seq, first.chain) != (seen.seq, seen.chain):
            raise WitnessDisagrees(
                f"the witness in {self.place} has seen record {seen.seq} with another chain: an older state was put "
                "back and played on; put back the newer journal and ledger"
            )
        return True

    def note(self, journal: str, head: Head) -> None:
        """What a disk refuses is noted the next time, and said."""
        try:
            with closing(self._open_folder(read_only=False)) as folder:
                line = f"{_FORM} {self._table} {journal} {head.seq} {head.chain}\n"
                folder.replace(WITNESS, line.encode("ascii"))
            self.trouble = ""
        except DiskError as error:
            self.trouble = str(error)
