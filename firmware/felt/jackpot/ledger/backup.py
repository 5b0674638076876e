"""A ledger as one plain file, from either database and into either: a line of JSON for each closing, each commit with
what it brought and each row of the standing, and at the end a digest of everything before it. It is written from one
instant of a ledger in use, read again before it counts as made, and put back only where there is nothing. Whoever reads
it follows the chain, so that no letter is missing in its middle. The file is the whole of the money's history: its
owner alone may read it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from felt.jackpot.books.accounts import Account, Entry
from felt.jackpot.books.terms import Procedure
from felt.jackpot.ledger import chain
from felt.jackpot.ledger.audit import broken_conservation, standing_in
from felt.jackpot.ledger.opening import open_ledger
from felt.jackpot.ledger.port import Closing, Commit, LedgerError, StoredLetter, is_database
from felt.jackpot.ledger.rows import Rows, standing_of
from felt.jackpot.ledger.schema import VERSION
from felt.jackpot.ledger.sql import FIRST, Brought, SqlLedger
from felt.nouns.values import Value, from_plain, replace, to_bytes

FORMAT = 1
ELSEWHERE = "an earlier backup"
_DIGEST = "sha256"
_LINE_BYTES_MAX = 64 * 1024 * 1024


class _OtherVersion(ValueError):  # it is told as a sentence, not as an error
    """Nothing is wrong with the backup."""


class Made(Value):
    """What a person writes down beside the file."""

    entries: int
    letters: int
    digest: str


def write_backup(ledger: SqlLedger, path: Path, *, today: bool = False) -> Made:
    """`ledger` is open for reading, so that everything is of one instant. `today`: from the latest closing on, which
    tells how everything stood. The file is there, whole and read back, or it is not there at all."""
    if path.exists():
        raise LedgerError(f"{path} is there already: name a new file, for a backup never replaces one.")
    fresh = path.with_name(path.name + ".new")
    try:
        fresh.unlink(missing_ok=True)
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            digest = hashlib.new(_DIGEST)
            for line in _lines(ledger, today=today):
                digest.update(line)
                file.write(line)
            file.write(_line(_DIGEST, digest.hexdigest()))
            file.flush()
            os.fsync(file.fileno())
        made = read_backup(fresh)
        os.link(fresh, path)  # refuses a file that appeared meanwhile
        fresh.unlink()
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        problem = error.strerror or str(error)
        raise LedgerError(f"The backup {path} cannot be written ({problem}): see to its disk.") from None
    return made


def read_backup(path: Path) -> Made:
    """Checked whole: its digest, its form, its chain, and that the money in it adds up."""
    with _said(path):
        return _Reading(path).judge()


def restore(ledger: SqlLedger, path: Path, procedure: Procedure) -> Made:
    """Into a ledger that holds nothing, in one transaction, and counted again afterwards."""
    made = read_backup(path)
    if ledger.last_commit().number:
        raise LedgerError("The ledger is not empty: a backup is only put back where there is none; use an empty one.")
    with _said(path):
        reading = _Reading(path)
        ledger.fill(reading.closings(), reading.brought(), lambda: (reading.rows, reading.signature))
    problem = broken_conservation(ledger, standing_in(ledger, procedure), procedure)
    if problem:
        raise LedgerError(f"The restored ledger does not add up ({problem}): do not use it; restore elsewhere.")
    return made


def put_back(where: str, path: Path, procedure: Procedure) -> Made:
    """To a place where there is no ledger. A database takes all of it in one transaction, or keeps the empty tables in
    which the next try puts it."""
    if is_database(where):
        read_backup(path)  # before a ledger is made for it
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


def _lines(ledger: SqlLedger, *, today: bool) -> Iterator[bytes]:
    yield _line("felt ledger", [FORMAT, VERSION])
    latest = ledger.last_closing() if today else None
    start = FIRST
    for closing in ledger.closings() if latest is None else [replace(latest, archived=latest.archived or ELSEWHERE)]:
        yield _line("closing", closing)
        start = closing.closed if closing.archived else start
    for made, entries, letters in ledger.brought(start):
        yield _line("commit", made)
        for entry in entries:
            yield _line("entry", entry)
        for letter in letters:
            yield _line("letter", letter)
    for row in sorted(ledger.rows().items()):
        yield _line("row", row)
    yield _line("signature", ledger.signature())


def _line(name: str, content: object) -> bytes:
    return to_bytes([name, content]) + b"\n"


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


# --- reading -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def _said(path: Path) -> Iterator[None]:
    try:
        if path.exists() and not path.is_file():
            raise LedgerError(f"The backup {path} is no ordinary file: name one that felt jackpot backup has made.")
        yield
    except OSError as error:
        raise LedgerError(f"The backup {path} cannot be read ({error.strerror or error}).") from None
    except _OtherVersion as error:
        raise LedgerError(
            f"The backup {path} is of another version ({error}): restore it with the firmware that made it, then start "
            "this one."
        ) from None
    except RecursionError:
        raise LedgerError(f"The backup {path} has lists within lists too deep to read: take an older one.") from None
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise LedgerError(f"The backup {path} cannot be read ({error}): take an older one.") from None


class _Reading:
    """A backup from its first line to its last, holding no more than a commit and the standing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = self._content()
        self._next: tuple[str, Any] = ("", None)
        self.last = b""
        self.number = self.entries = self.letters = 0
        self.start: Closing | None = None  # what was before it is archived
        self.rows: Rows = {}
        self.signature = ""

    def judge(self) -> Made:
        digest_of_all = self._check_digest()
        digests: dict[int, str] = {}
        broken = chain.broken_closings(self._noted(digests))
        if broken:
            raise ValueError(broken)
        last, summed = FIRST, Counter[tuple[str, Account]]()
        if self.start is not None:
            last = self.start.closed
            for meter in standing_of(self.start.rows).meters:
                summed.update({(meter.name, account): getattr(meter, account.value) for account in Account})
        for made, entries, letters in self.brought():
            digest = digests.get(made.number, "")
            head = chain.next_head(last.head, last.number + 1, made.written_ns, entries, letters, made.rows_sum, digest)
            if head != made.head or made.number != last.number + 1:
                raise ValueError(f"line {self.number}: commit {made.number} does not follow the one before it")
            for entry in entries:
                if entry.debit is not None and entry.credit is not None:
                    summed[entry.meter, entry.debit] -= entry.amount
                    summed[entry.meter, entry.credit] += entry.amount
            last = made
        if chain.sum_of_rows(self.rows) != last.rows_sum:
            raise ValueError("the standing is not what the last commit led to")
        for meter in standing_of(self.rows).meters:
            for account in Account:
                if summed[meter.name, account] != getattr(meter, account.value):
                    raise ValueError(f"the {account} of the meter {meter.name!r} is not what its entries add up to")
        return Made(self.entries, self.letters, digest_of_all)

    def _noted(self, digests: dict[int, str]) -> Iterator[Closing]:
        for closing in self.closings():
            digests[closing.closed.number + 1] = chain.digest_of_closing(closing)
            yield closing

    def closings(self) -> Iterator[Closing]:
        """One after another, from the first line on."""
        name, plain = self._advance()
        if name != "felt ledger":
            raise ValueError("it does not begin as a ledger does")
        if from_plain(tuple[int, int], plain) != (FORMAT, VERSION):
            raise _OtherVersion(f"this firmware reads ledgers of version {VERSION}")
        while self._advance()[0] == "closing":
            closing = self._as(Closing)
            if closing.archived:
                self.start = closing
            yield closing

    def brought(self) -> Iterator[Brought]:
        """Commit after commit, and then what comes after them."""
        while self._next[0] == "commit":
            made, entries, letters = self._as(Commit), list[Entry](), list[StoredLetter]()
            while self._advance()[0] == "entry":
                entries.append(self._as(Entry))
            while self._next[0] == "letter":
                letters.append(self._as(StoredLetter))
                self._advance()
            self.entries += len(entries)
            self.letters += len(letters)
            yield made, entries, letters
        while self._next[0] == "row":
            key, text = from_plain(tuple[str, str], self._next[1])
            if key in self.rows:
                raise ValueError(f"line {self.number}: the row {key!r} is there twice")
            self.rows[key] = text
            self._advance()
        if self._next[0] != "signature":
            raise ValueError(f"line {self.number}: {self._next[0][:40]!r} is no part of a ledger here")
        self.signature = from_plain(str, self._next[1])
        if self._advance()[0]:
            raise ValueError(f"line {self.number}: it goes on after its end")

    def _as(self, kind: type[Any]) -> Any:
        try:
            return from_plain(kind, self._next[1])
        except ValueError as error:
            raise ValueError(f"line {self.number}: {error}") from None

    def _advance(self) -> tuple[str, Any]:
        line = next(self._lines, None)
        if line is None:
            self._next = ("", None)
            return self._next
        self.number += 1
        name, plain = from_plain(tuple[str, Any], json.loads(line))
        self._next = (name, plain)
        return self._next

    def _content(self) -> Iterator[bytes]:
        """All but the last line, which is the digest of those before."""
        held = b""
        with self._path.open("rb") as file:
            while line := file.readline(_LINE_BYTES_MAX):
                if held:
                    yield held
                held = line
        self.last = held

    def _check_digest(self) -> str:
        digest = hashlib.new(_DIGEST)
        for line in self._content():
            digest.update(line)
        if self.last != _line(_DIGEST, digest.hexdigest()):
            raise LedgerError(
                f"The backup {self._path} is damaged or cut short: its digest does not fit; take another one."
            )
        return digest.hexdigest()
