"""Backups: of either database and into either, consistent while the ledger is written, and believed only when read."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from felt.jackpot.books.terms import Procedure
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.backup import Made, read_backup, restore, write_backup
from felt.jackpot.ledger.opening import open_ledger
from felt.jackpot.ledger.port import LedgerError
from felt.jackpot.ledger.reading import open_for_reading
from felt.jackpot.ledger.sql import FIRST, SqlLedger
from felt.letters.from_controller import GAP
from tests.jackpot.evening import MAJOR, STAKE, Sender, claim
from tests.real.postgres import Server

KINDS = ["sqlite", "postgresql", "postgresql of no encoding"]
Place = Callable[[str], str]


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place for a new ledger in one of the two databases, of which one may know no encoding."""
    numbers = itertools.count()

    def find(kind: str) -> str:
        if kind == "sqlite":
            return str(tmp_path / f"ledger-{next(numbers)}")
        server: Server = request.getfixturevalue("postgres")
        return server.new_database("" if kind == "postgresql" else "SQL_ASCII")

    return find


def played(where: str) -> tuple[Office, Sender]:
    office = Office(open_ledger(where), [MAJOR])
    sender = Sender(office)
    (valued,) = sender.play(1, 1, 2, claims=(claim(1, 1, 1, 3),))
    sender.confirm(1, "1.1", valued.award_minor)
    sender.end(1, 2 * STAKE, valued.award_minor, 2)
    sender.lock(2, 3)
    return office, sender


def backed_up(where: str, path: Path) -> Made:
    with contextlib.closing(open_for_reading(where)) as ledger:
        return write_backup(ledger, path)


def restored(where: str, path: Path) -> Made:
    ledger = open_ledger(where)
    assert isinstance(ledger, SqlLedger)
    with contextlib.closing(ledger):
        return restore(ledger, path, Procedure())


def whole(where: str) -> tuple[list[object], list[object], dict[str, str]]:
    with contextlib.closing(open_for_reading(where)) as ledger:
        return list(ledger.brought(FIRST)), list(ledger.closings()), ledger.rows()


@pytest.mark.parametrize("into", KINDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_ledger_comes_back_whole_and_goes_on(kind: str, into: str, place: Place, tmp_path: Path) -> None:
    where, target, path = place(kind), place(into), tmp_path / "backup"
    office, sender = played(where)
    made = backed_up(where, path)
    assert restored(target, path) == made
    assert whole(target) == whole(where)
    office.close()
    with contextlib.closing(Office(open_ledger(target), [MAJOR])) as again:
        sender.office = again
        sender.decide(2)
        sender.end(2, STAKE, 0, 1)
        assert again.report().conserved
        assert again.standing.meters[0].wagers == 3


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_ledger_with_an_archived_day_the_rest_comes_back(kind: str, place: Place, tmp_path: Path) -> None:
    where, target, path = place(kind), place(kind), tmp_path / "backup"
    office = Office(open_ledger(where), [MAJOR])
    sender = Sender(office)
    for number, day in enumerate(("2026-03-04", "2026-03-05"), 1):
        sender.play(number, 1)
        office.close_period(day)
    sender.play(3, 1)
    office.close()
    with contextlib.closing(open_ledger(where)) as ledger:
        ledger.detach(next(ledger.closings()), "tape 7")
    made = backed_up(where, path)
    assert made.letters == 6
    assert restored(target, path) == made
    with contextlib.closing(Office(open_ledger(target), [MAJOR])) as again:
        sender.office = again
        sender.end(3, STAKE, 0, 1)
        assert again.report().conserved
    with contextlib.closing(open_for_reading(target)) as ledger:
        assert [known.archived for known in ledger.closed_days()] == ["tape 7", ""]
        assert ledger.broken_chain(whole=True) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_backup_is_of_one_instant_while_letters_come(kind: str, place: Place, tmp_path: Path) -> None:
    where = place(kind)
    office, sender = played(where)
    with contextlib.closing(open_for_reading(where)) as ledger:
        if kind == "postgresql":
            ledger.rows()  # its instant is that of the first question
        ledger.sums()
        sender.decide(2)
        sender.end(2, STAKE, 0, 1)
        made = write_backup(ledger, tmp_path / "backup")
    assert made.letters == len(sender.posted) - 2
    assert backed_up(where, tmp_path / "later").letters == len(sender.posted)
    office.close()


def test_a_backup_is_its_owners_alone_and_replaces_nothing(tmp_path: Path) -> None:
    office, _ = played(str(tmp_path / "ledger"))
    made = backed_up(str(tmp_path / "ledger"), tmp_path / "backup")
    assert stat.S_IMODE((tmp_path / "backup").stat().st_mode) == 0o600
    assert read_backup(tmp_path / "backup") == made
    with pytest.raises(LedgerError, match="never replaces one"):
        backed_up(str(tmp_path / "ledger"), tmp_path / "backup")
    with pytest.raises(LedgerError, match="cannot be written"):
        backed_up(str(tmp_path / "ledger"), tmp_path / "nowhere" / "backup")
    office.close()


def test_any_changed_byte_and_any_missing_end_is_found(tmp_path: Path) -> None:
    office, _ = played(str(tmp_path / "ledger"))
    backed_up(str(tmp_path / "ledger"), tmp_path / "backup")
    office.close()
    content = (tmp_path / "backup").read_bytes()
    for place in range(0, len(content), 97):
        changed = bytearray(content)
        changed[place] ^= 1
        (tmp_path / "changed").write_bytes(changed)
        with pytest.raises(LedgerError, match="damaged or cut short"):
            read_backup(tmp_path / "changed")
        (tmp_path / "changed").write_bytes(content[:place])
        with pytest.raises(LedgerError, match="damaged or cut short"):
            read_backup(tmp_path / "changed")


def sealed(body: list[str]) -> bytes:
    """With a digest that fits, as whoever writes such a file can make it."""
    content = "".join(f"{line}\n" for line in body).encode()
    return content + f'["sha256","{hashlib.sha256(content).hexdigest()}"]\n'.encode()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('["row",["meter/other",5]]', "5 is not a text"),
        ('["row",["meter/other"]]', "not a list of 2"),
        ('["row",["meter/major","{}"]]', "twice"),
        ('["row",["meter/other","{}"]]', "not what the last commit led to"),
        ('["entry",{}]', "no part of a ledger"),
        ('["signature",5]', "5 is not a text"),
        ('["given away",5]', "no part of a ledger"),
        ("5", "is not a list"),
        ("[]", "not a list of 2"),
        ('{"row": 5}', "is not a list"),
        ("[" * 5000, "too deep"),
        ("9" * 5000, "digits"),
    ],
)
def test_a_backup_of_odd_content_is_one_sentence_however_well_its_digest_fits(
    tmp_path: Path, line: str, problem: str
) -> None:
    office, _ = played(str(tmp_path / "ledger"))
    backed_up(str(tmp_path / "ledger"), tmp_path / "backup")
    office.close()
    *body, signature = (tmp_path / "backup").read_text().splitlines()[:-1]
    (tmp_path / "again").write_bytes(sealed([*body, signature]))
    read_backup(tmp_path / "again")  # what is spoilt below is good otherwise
    (tmp_path / "odd").write_bytes(sealed([*body, line, signature]))
    with pytest.raises(LedgerError, match=r"take an older one") as refused:
        read_backup(tmp_path / "odd")
    assert problem in str(refused.value)
    assert str(tmp_path / "odd") in str(refused.value)


@pytest.mark.parametrize("kind", ["commit", "entry", "letter", "row"])
@pytest.mark.parametrize("change", ["gone", "another"])
def test_a_backup_with_something_missing_or_changed_in_its_middle_is_refused(
    tmp_path: Path, kind: str, change: str
) -> None:
    """Whoever changes it can make a digest that fits, and no chain."""
    office, _ = played(str(tmp_path / "ledger"))
    backed_up(str(tmp_path / "ledger"), tmp_path / "backup")
    office.close()
    body = (tmp_path / "backup").read_text().splitlines()[:-1]
    places = [place for place, line in enumerate(body) if line.startswith(f'["{kind}"')]
    place = places[len(places) // 2]
    field = {"commit": '"written_ns":', "entry": '"amount":', "letter": '"head_sequence":', "row": '["row",["'}[kind]
    changed = body[place].replace(field, f"{field}1", 1)
    spoilt = [*body[:place], *([changed] if change == "another" else []), *body[place + 1 :]]
    assert spoilt != body
    (tmp_path / "odd").write_bytes(sealed(spoilt))
    with pytest.raises(LedgerError, match="take an older one"):
        read_backup(tmp_path / "odd")


def test_todays_backup_is_what_came_since_the_latest_closing_and_goes_on(tmp_path: Path) -> None:
    office, sender = played(str(tmp_path / "ledger"))
    office.close_period("2026-03-04")
    sender.decide(2)
    with contextlib.closing(open_for_reading(str(tmp_path / "ledger"))) as ledger:
        made = write_backup(ledger, tmp_path / "backup", today=True)
    assert made.letters == 1
    office.close()
    assert restored(str(tmp_path / "again"), tmp_path / "backup") == made
    with contextlib.closing(Office(open_ledger(str(tmp_path / "again")), [MAJOR])) as again:
        assert again.standing == office.standing
        sender.office = again
        sender.end(2, STAKE, 0, 1)
        assert again.report().conserved
        with contextlib.closing(open_for_reading(str(tmp_path / "again"))) as ledger:
            assert ledger.broken_chain(whole=True) == ""


@pytest.mark.parametrize("first", ["[" * 5000, "5", '["felt ledger",1]', "", "nothing"])
def test_a_backup_that_does_not_begin_as_one_is_refused(tmp_path: Path, first: str) -> None:
    (tmp_path / "odd").write_bytes(sealed([first]))
    with pytest.raises(LedgerError, match="take an older one"):
        read_backup(tmp_path / "odd")


def test_what_is_no_ordinary_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe", tmp_path):
        with pytest.raises(LedgerError, match="no ordinary file"):
            read_backup(path)


def test_a_ledger_that_holds_anything_is_not_written_over(tmp_path: Path) -> None:
    office, _ = played(str(tmp_path / "ledger"))
    backed_up(str(tmp_path / "ledger"), tmp_path / "backup")
    office.close()
    with pytest.raises(LedgerError, match="not empty"):
        restored(str(tmp_path / "ledger"), tmp_path / "backup")


def test_a_table_that_went_on_hears_that_the_restored_ledger_is_older(tmp_path: Path) -> None:
    """Which the table says as F-304, after several such answers."""
    office, sender = played(str(tmp_path / "ledger"))
    backed_up(str(tmp_path / "ledger"), tmp_path / "backup")
    known = len(sender.posted)
    sender.decide(2)
    office.close()
    restored(str(tmp_path / "older"), tmp_path / "backup")
    with contextlib.closing(Office(open_ledger(str(tmp_path / "older")), [MAJOR])) as older:
        sender.office = older
        assert sender.ping()[0].highest_seen == known < len(sender.posted)
        assert sender.try_to_post(sender.locking(3, 1)) == GAP
        sender.deliver(sender.posted[known])  # a letter of the journal, posted again, is taken
        assert sender.ping()[0].highest_seen == len(sender.posted)
        assert older.report().conserved


@pytest.mark.parametrize("version", [0, 2, 99])
def test_a_backup_of_a_version_that_is_not_read_here_is_none_that_is_spoilt(
    version: int, place: Place, tmp_path: Path
) -> None:
    where, path = place("sqlite"), tmp_path / "backup"
    office, _ = played(where)
    backed_up(where, path)
    office.close()
    _, *body = path.read_text().splitlines()[:-1]
    path.write_bytes(sealed([f'["felt ledger",[1,{version}]]', *body]))
    with pytest.raises(LedgerError, match=r"of another version .* restore it with the firmware that made it"):
        read_backup(path)
