"""The software versions that wrote a journal, and since when. The segment headers hold them: the table writes a new
header whenever it starts with another version or with changed files."""

from __future__ import annotations

from felt.journal.header import read_header_text
from felt.journal.reading import beginnings
from felt.nouns.values import Value
from felt.ports import Disk


class SoftwareChange(Value):
    seq: int  # of the first record written by this version
    wall_ns: int
    from_firmware: str  # empty: the journal began
    from_software: str
    firmware: str
    software: str  # the digest of everything installed; empty: the previous version did not record it


def software_changes(disk: Disk) -> list[SoftwareChange]:
    """Oldest first; the first is the installation that began the journal."""
    found: list[SoftwareChange] = []
    kept_by = ("", "")
    for beginning in beginnings(disk):
        header = read_header_text(beginning.header)
        keeps = (header.firmware, header.software)
        if keeps != kept_by and beginning.wall_ns is not None:
            found.append(SoftwareChange(beginning.seq, beginning.wall_ns, *kept_by, *keeps))
            kept_by = keeps
    return found
