"""A witness of the journal, in a folder outside the table's state. It records how far the journal had come at the
end of the last round. If somebody restores an older state, journal and ledger together, the next start notices. It
is written after the journal is durable, so an honest journal never ends before it."""

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
    f"if a new journal was started on purpose, move {WITNESS} away together with the old journal, its ledger and audit/"
)


class WitnessDisagrees(Exception):
    """The journal is not the one that the witness knows, or it ends before. The message is one sentence."""


class OpenFolder(Protocol):
    def __call__(self, *, read_only: bool) -> Disk: ...


class Seen(Value):
    table: str
    journal: str  # the chain after its first record
    seq: int
    chain: str


class Witness:
    """Opens its folder for each note, so it works again after the folder's disk was unplugged and returned."""

    def __init__(self, open_folder: OpenFolder, table: str, place: str) -> None:
        self._open_folder = open_folder
        self._table = table
        self.place = place  # as shown to people
        self.trouble = ""  # why the last note is not durable

    def seen(self) -> Seen | None:
        """None if it has recorded nothing yet, or was removed."""
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
        """Refuses a journal that does not continue what the witness recorded. Returns whether there is a witness."""
        seen = self.seen()
        if seen is None:
            return False
        if seen.table != self._table:
            raise WitnessDisagrees(
                f"the witness in {self.place} belongs to table {seen.table}; give each table a folder of its own "
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
        """Records the head. If the disk refuses, `trouble` says why and the next note tries again."""
        try:
            with closing(self._open_folder(read_only=False)) as folder:
                line = f"{_FORM} {self._table} {journal} {head.seq} {head.chain}\n"
                folder.replace(WITNESS, line.encode("ascii"))
            self.trouble = ""
        except DiskError as error:
            self.trouble = str(error)
