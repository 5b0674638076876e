"""What an audit of a journal found, and the folder in which it is left: the last result, and the last good one."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import ShapeError, Value, read, to_bytes
from felt.ports import Disk, DiskError

OLD_NS = 3 * 24 * 3600 * NS_PER_S  # a nightly audit that was missed more than twice
RESULT = "result.json"
KNOWN = "known.json"  # the last result that was good: a later journal must go on from there


class Verdict(StrEnum):
    GOOD = "good"
    BAD = "bad"  # the journal is not whole, or leads elsewhere
    UNDONE = "undone"  # it could not be read
    NONE = "none"  # there was no audit yet


class Audit(Value):
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
    clock: str = ""  # what is wrong with its synchronisation


# The last one, or None where nobody audits.
LastAudit = Callable[[], Audit | None]


def nobody_audits() -> None:
    return None


def leave_result(folder: Disk, audit: Audit) -> None:
    """What was good stays for later audits to be held against, whatever they find."""
    content = to_bytes(audit)
    if audit.verdict is Verdict.GOOD:
        folder.replace(KNOWN, content)
    folder.replace(RESULT, content)


def last_good(folder: Disk) -> Audit | None:
    """A file that is there and makes no sense is a `ValueError`."""
    for name in (KNOWN, RESULT):
        if name in folder.names():
            try:
                found = read(Audit, folder.read(name))
            except ShapeError as error:
                raise ValueError(str(error)) from None
            return found if found.verdict is Verdict.GOOD else None
    return None


def read_result(folder: Disk, begun_ns: int) -> Audit:
    """`begun_ns` is since when results are waited for."""
    try:
        if RESULT not in folder.names():
            return Audit(begun_ns, Verdict.NONE, "there was no audit yet")
        return read(Audit, folder.read(RESULT))
    except (DiskError, ShapeError) as error:
        return Audit(begun_ns, Verdict.UNDONE, f"the result of the last audit cannot be read ({error})")
