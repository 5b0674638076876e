"""A ledger as one plain file, from either database and into either: a line of JSON for each row, and at the end a
digest of everything before it. It is written from one instant of a ledger in use, read again before it counts as made,
and put back only where there is nothing. The file is the whole of the money's history: its owner alone may read
it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from felt.jackpot.audit import broken_conservation, standing_in
from felt.jackpot.ledger import LedgerError, MemoryLedger, StoredLetter, is_database
from felt.jackpot.migrations import SQLITE, VERSION, steps
from felt.jackpot.opening import open_ledger
from felt.jackpot.sql import SqlLedger
from felt.jackpot.standing import Entry
from felt.jackpot.terms import Procedure
from felt.nouns.values import from_plain

FORMAT = 1
_DIGEST = "sha256"
_OLDEST = 3  # since then an entry has the time at which it came into the books
_WHOLE_NUMBERS = range(-(2**63), 2**63)  # what both databases hold


class _OtherVersion(ValueError):  # it is told as a sentence, not as an error
    """Nothing is wrong with the backup."""


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
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        problem = error.strerror or str(error)
        raise LedgerError(f"The backup {path} cannot be written ({problem}): see to its disk.") from None
    return made


def read_backup(path: Path, procedure: Procedure) -> tuple[Contents, Made]:
    """Checked whole: its digest, its form, and that the money in it adds up."""
    try:
        if path.exists() and not path.is_file():
            raise LedgerError(f"The backup {path} is no ordinary file: name one that felt jackpot backup has made.")
        content = path.read_bytes()
    except OSError as error:
        raise LedgerError(f"The backup {path} cannot be read ({error.strerror or error}).") from None
    body, digest = _parted(path, content)
    try:
        contents = _contents(body)
        _check_money(path, contents, procedure)
    except _OtherVersion as error:
        raise LedgerError(
            f"The backup {path} is of another version ({error}): restore it with the firmware that made it, then start "
            "this one."
        ) from None
    except RecursionError:
        raise LedgerError(f"The backup {path} has lists within lists too deep to read: take an older one.") from None
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise LedgerError(f"The backup {path} cannot be read ({error}): take an older one.") from None
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
        raise LedgerError(f"The restored ledger does not add up ({problem}): do not use it; restore elsewhere.")
    return made


def put_back(where: str, path: Path, procedure: Procedure) -> Made:
    """To a place where there is no ledger. A database takes all of it in one transaction, or keeps the empty tables in
    which the next try puts it."""
    if is_database(where):
        read_backup(path, procedure)  # before a ledger is made for it
        return _restored_to(where, path, procedure)
    try:
        return _put_file_back(Path(where), path, procedure)
    except LedgerError as error:
        raise LedgerError(f"Nothing was put back. {error}") from None
    except OSError as error:
        problem = error.strerror or str(error)
        raise LedgerError(
            f"Nothing was put back: the ledger {where} cannot be made ({problem}); see to its folder and its disk."
        ) from None


def _put_file_back(place: Path, path: Path, procedure: Procedure) -> Made:
    """Made in a folder beside its place, and put there when it is whole: whatever goes wrong, nothing is left behind
    that would have to be moved aside, and nobody else's ledger is touched."""
    beside = tempfile.TemporaryDirectory(
        prefix=f"{place.name}.restoring-", dir=place.parent, ignore_cleanup_errors=True
    )
    with beside as folder:
        fresh = Path(folder) / place.name
        made = _restored_to(str(fresh), path, procedure)
        if Path(f"{fresh}-wal").exists():
            raise LedgerError(f"{fresh} could not be brought to an end: see to its disk.")
        os.link(fresh, place)  # refuses a file that appeared meanwhile; its witness is made when it is opened
        _sync_folder(place.parent)
    return made


def _restored_to(where: str, path: Path, procedure: Procedure) -> Made:
    ledger = open_ledger(where)
    assert isinstance(ledger, SqlLedger), "only a database is restored to"
    with contextlib.closing(ledger):
        return restore(ledger, path, procedure)


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
    name, form, version = from_plain(tuple[str, int, int], json.loads(first))
    if name != "felt ledger":
        raise ValueError("it does not begin as a ledger does")
    if form != FORMAT or not _OLDEST <= version <= VERSION:
        raise _OtherVersion(f"this firmware reads ledgers of the versions {_OLDEST} to {VERSION}")
    for number, line in enumerate(lines, 2):
        try:
            _take_line(contents, from_plain(tuple[Any, ...], json.loads(line)))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    for step in steps(SQLITE)[version:]:
        contents.rows.update(step.rewrite(contents.rows))
    return contents


def _refuse_other_length(kind: type[Entry] | type[StoredLetter], parts: list[Any]) -> None:
    if len(parts) != len(kind._fields):
        raise ValueError(f"a {kind.__name__} has {len(kind._fields)} parts, and this has {len(parts)}")


def _take_line(contents: Contents, parts: tuple[Any, ...]) -> None:
    _refuse_what_no_database_holds(parts)
    match parts:
        case ("entry", written_ns, *others):
            _refuse_other_length(Entry, others)
            dated = from_plain(tuple[int, Entry], (written_ns, others))
            if dated[0] < 0:
                raise ValueError(f"{written_ns} is no time at which an entry was written")
            contents.dated_entries.append(dated)
        case ("letter", *others):
            _refuse_other_length(StoredLetter, others)
            contents.letters.append(from_plain(StoredLetter, others))
        case ("row", *others):
            key, text = from_plain(tuple[str, str], others)
            if key in contents.rows:
                raise ValueError(f"the row {key!r} is there twice")
            contents.rows[key] = text
        case _:
            raise ValueError("this is no part of a ledger")


def _refuse_what_no_database_holds(parts: tuple[Any, ...]) -> None:
    for part in parts:
        if isinstance(part, int) and part not in _WHOLE_NUMBERS:
            raise ValueError("a number is too large")
        if isinstance(part, str):
            part.encode()  # half of a pair of surrogates is no text


def _check_money(path: Path, contents: Contents, procedure: Procedure) -> None:
    ledger = MemoryLedger()
    try:
        ledger.commit([entry for _, entry in contents.dated_entries], contents.rows, contents.letters)
        standing = standing_in(ledger, procedure)
        problem = broken_conservation(ledger, standing, procedure)
    except LedgerError as error:
        raise LedgerError(f"The backup {path} holds no good ledger. {error}") from None
    if problem:
        raise LedgerError(f"The ledger in {path} does not add up ({problem}): keep it as evidence and take another.")
