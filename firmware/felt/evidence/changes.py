"""Which software kept a journal, and since when: the headers of its segments say it, written by the machine at each
start that found another version or another byte than the start before."""

from __future__ import annotations

import json

from felt.journal.reading import beginnings
from felt.nouns.values import Value
from felt.ports import Disk


class SoftwareChange(Value):
    seq: int  # of the record from which on it holds
    wall_ns: int
    from_firmware: str  # empty: the journal began
    from_software: str
    firmware: str
    software: str  # the digest of all that was installed; empty: the version before did not say


def software_changes(disk: Disk) -> list[SoftwareChange]:
    """Oldest first; the first is the installation with which the journal began."""
    found: list[SoftwareChange] = []
    kept_by = ("", "")
    for one in beginnings(disk):
        header = json.loads(one.header)
        keeps = (str(header.get("firmware", "")), str(header.get("software", "")))
        if keeps != kept_by and one.wall_ns is not None:
            found.append(SoftwareChange(one.seq, one.wall_ns, *kept_by, *keeps))
            kept_by = keeps
    return found
