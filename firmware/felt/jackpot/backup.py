"""A ledger as one plain file, from either database and into either: a line of JSON for each row, and at the end a
digest of everything before it. It is written from one instant of a ledger in use, read again before it counts as made,
and put back only where there is nothing. The file is the whole of the money's history: its owner alone may read
it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from felt.jackpot.audit import broken_conservation, standing_in
from felt.jackpot.ledger import LedgerError, MemoryLedger, StoredLetter
from felt.jackpot.meters import Account, Kind
from felt.jackpot.migrations import VERSION
from felt.jackpot.sql import SqlLedger
from felt.jackpot.standing import Entry
from felt.jackpot.terms import Procedure
from felt.nouns.named import NamedTuple

FORMAT = 1
_DIGEST = "sha256"


class Contents(NamedTuple):
    dated_entries: list[tuple[int, Entry]]
    letters: list[StoredLetter]
    rows: dict[str, str]


class Made(NamedTuple):
    """What a person writes down beside the file."""

    entries: int
    letters: int
    digest: str


def write_backup(ledger: SqlLedger, path: Path, procedure: Procedure) -> Made:
    """`ledger` is open for reading, so that everything is of one instant. The file is there, whole and read back, or
    it is not there at all."""
    if path.exists():
        raise LedgerError(f"{path} is there already: name a new file, for a backup never replaces one.")
    fresh = path.with_name(path.name + ".new")
    try:
        fresh.unlink(missing_ok=True)
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            digest = hashlib.new(_DIGEST)
            for line in _lines(ledger):
                digest.update(line)
                file.write(line)
            file.write(_line([_DIGEST, digest.hexdigest()]))
            file.flush()
            os.fsync(file.fileno())
        made = _verified(fresh, procedure)
        os.link(fresh, path)  # refuses a file that appeared meanwhile
        fresh.unlink()
        _sync_folder(path.parent)
    except OSError as error:
        problem = error.strerror or str(error)
        raise LedgerError(f"The backup {path} cannot be written ({problem}): see to its disk.") from None
    return made


def read_backup(path: Path, procedure: Procedure) -> tuple[Contents, Made]:
    """Checked whole: its digest, its form, and that the money in it adds up."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LedgerError(f"The backup {path} cannot be read ({error.strerror or error}).") from None
    body, digest = _parted(path, content)
    try:
        contents = _contents(body)
    except (ValueError, TypeError, LookupError) as error:
        raise LedgerError(f"The backup {path} cannot be read ({error}): take an older one.") from None
    _check_money(path, contents, procedure)
    return contents, Made(len(contents.dated_entries), len(contents.letters), digest)


def restore(ledger: SqlLedger, path: Path, procedure: Procedure) -> Made:
    """Into a ledger that holds nothing, in one transaction, and counted again afterwards."""
    contents, made = read_backup(path, procedure)
    if ledger.rows() or next(ledger.entries(), None) is not None or next(ledger.letters(), None) is not None:
        raise LedgerError("The ledger is not empty: a backup is only put back where there is none; use an empty one.")
    ledger.fill(contents.dated_entries, contents.rows, contents.letters)
    standing = standing_in(ledger, procedure)
    problem = broken_conservation(ledger, standing, procedure)
    if problem:
        raise LedgerError(f"The restored ledger does not add up ({problem}): do not use it.")
    return made


# --- writing -----------------------------------------------------------------------------------------


def _lines(ledger: SqlLedger) -> Iterator[bytes]:
    yield _line(["felt ledger", FORMAT, VERSION])
    for written_ns, entry in ledger.dated_entries():
        yield _line(["entry", written_ns, *entry])
    for letter in ledger.letters():
        yield _line(["letter", *letter])
    for key, text in sorted(ledger.rows().items()):
        yield _line(["row", key, text])


def _line(parts: list[Any]) -> bytes:
    return json.dumps(parts, separators=(",", ":")).encode("ascii") + b"\n"


def _verified(path: Path, procedure: Procedure) -> Made:
    """What the disk gives back is judged, not what was meant."""
    return read_backup(path, procedure)[1]


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


# --- reading -----------------------------------------------------------------------------------------


def _parted(path: Path, content: bytes) -> tuple[bytes, str]:
    place = content.rfind(b"\n", 0, -1) + 1
    body, last = content[:place], content[place:]
    digest = hashlib.new(_DIGEST, body).hexdigest()
    if last != _line([_DIGEST, digest]):
        raise LedgerError(f"The backup {path} is damaged or cut short: its digest does not fit; take another one.")
    return body, digest


def _contents(body: bytes) -> Contents:
    contents = Contents([], [], {})
    first, *lines = body.splitlines()
    if json.loads(first) != ["felt ledger", FORMAT, VERSION]:
        raise ValueError(f"it is of another version: this firmware reads ledgers of version {VERSION}")
    for line in lines:
        what, *parts = json.loads(line)
        if what == "entry":
            written_ns, kind, *others = parts
            entry = Entry(Kind(kind), *others)
            account = None if entry.account is None else Account(entry.account)
            contents.dated_entries.append((written_ns, entry._replace(account=account)))
        elif what == "letter":
            contents.letters.append(StoredLetter(*parts))
        elif what == "row":
            contents.rows[parts[0]] = parts[1]
        else:
            raise ValueError(f"{what!r} is no part of a ledger")
    return contents


def _check_money(path: Path, contents: Contents, procedure: Procedure) -> None:
    ledger = MemoryLedger()
    ledger.commit([entry for _, entry in contents.dated_entries], contents.rows, contents.letters)
    problem = broken_conservation(ledger, standing_in(ledger, procedure), procedure)
    if problem:
        raise LedgerError(f"The ledger in {path} does not add up ({problem}): keep it as evidence and take another.")
