"""What every ledger must do, whether it is a file, a database server's or nothing but memory."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from felt.jackpot.ledger import Ledger, LedgerBusyError, LedgerError, MemoryLedger, StoredLetter, SumKey
from felt.jackpot.meters import Account, Kind
from felt.jackpot.migrations import POSTGRESQL, SQLITE, VERSION, steps
from felt.jackpot.office import Office
from felt.jackpot.opening import open_ledger
from felt.jackpot.postgresql import PostgresqlLedger
from felt.jackpot.reading import open_for_reading
from felt.jackpot.standing import Entry
from tests.jackpot.evening import MAJOR, Sender
from tests.real.postgres import Server
from tests.storm.ledger import Books

LETTER = StoredLetter("T1", "n1", 1, "RoundLocked", "[]", 7, "ab")
GROWTH = Entry(Kind.COMMITTED, "T1", "n1", 4, "", "major", Account.DISPLAY, 15_000_000, 99, "")
AWARD = Entry(Kind.AWARDED, "T1", "n1", 4, "4.1", "major", Account.DISPLAY, -9_000_000, 100, "Confirmed by Ada.")
NOTE = Entry(Kind.NOTED, "T1", "n1", detail="naïve ☃")
BEYOND_ASCII = Entry(Kind.NOTED, "T1", "n1", detail="Jürgen zählte nach: größer als ☃")


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of a ledger that outlives its connection."""
    if request.param == "sqlite":
        return str(tmp_path / "jackpot.ledger")
    server: Server = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture(params=["memory", "shared memory", "sqlite", "postgresql"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    opened: Ledger
    if request.param == "memory":
        opened = MemoryLedger()
    elif request.param == "shared memory":
        opened = Books().open()
    elif request.param == "sqlite":
        opened = open_ledger(str(tmp_path / "jackpot.ledger"))
    else:
        opened = open_ledger(request.getfixturevalue("postgres").new_database())
    yield opened
    opened.close()


def test_a_new_ledger_is_empty(ledger: Ledger) -> None:
    assert (ledger.rows(), list(ledger.entries()), list(ledger.letters()), ledger.sums()) == ({}, [], [], {})
    assert ledger.letter("T1", "n1", 1) is None


def test_what_was_committed_is_there_in_its_order(ledger: Ledger) -> None:
    ledger.commit([GROWTH, NOTE], {"meter/major": "1"}, [LETTER])
    ledger.commit([AWARD], {})
    assert list(ledger.entries()) == [GROWTH, NOTE, AWARD]
    assert list(ledger.entries(Kind.NOTED)) == [NOTE]
    assert ledger.letter("T1", "n1", 1) == LETTER
    assert list(ledger.letters()) == [LETTER]


def test_rows_are_put_replaced_and_removed(ledger: Ledger) -> None:
    ledger.commit([], {"a": "1", "b": "1"})
    ledger.commit([], {"a": "2", "b": None, "never": None})
    assert ledger.rows() == {"a": "2"}


def test_sums_are_by_meter_kind_and_account_and_leave_notes_out(ledger: Ledger) -> None:
    ledger.commit([GROWTH, NOTE, AWARD], {})
    ledger.commit([GROWTH], {})
    assert ledger.sums() == {
        SumKey("major", Kind.COMMITTED, Account.DISPLAY): 30_000_000,
        SumKey("major", Kind.AWARDED, Account.DISPLAY): -9_000_000,
    }


def test_a_letter_is_stored_once_and_a_second_one_takes_nothing_with_it(ledger: Ledger) -> None:
    ledger.commit([], {}, [LETTER])
    with pytest.raises(LedgerError, match="already"):
        ledger.commit([GROWTH], {"a": "1"}, [LETTER._replace(body="[1]")])
    assert (list(ledger.entries()), ledger.rows()) == ([], {})
    assert ledger.letter("T1", "n1", 1) == LETTER


def test_after_a_commit_that_failed_nothing_more_is_accepted(ledger: Ledger) -> None:
    ledger.commit([], {}, [LETTER])
    for letter in (LETTER, LETTER._replace(sequence=2)):
        with pytest.raises(LedgerError, match="Letter 1 of table T1"):
            ledger.commit([GROWTH], {}, [letter])
    assert list(ledger.letters()) == [LETTER]


def test_letters_of_two_journals_do_not_meet(ledger: Ledger) -> None:
    other = LETTER._replace(nonce="n2")
    ledger.commit([], {}, [LETTER])
    ledger.commit([], {}, [other])
    assert ledger.letter("T1", "n2", 1) == other
    assert ledger.letter("T2", "n1", 1) is None


def test_letters_of_one_batch_are_stored_together_or_not_at_all(ledger: Ledger) -> None:
    batch = [LETTER._replace(sequence=number) for number in (1, 2, 3)]
    ledger.commit([GROWTH], {}, batch)
    assert list(ledger.letters()) == batch
    with pytest.raises(LedgerError, match="Letter 3 of table T1 is in the ledger already"):
        ledger.commit([AWARD], {"a": "1"}, [LETTER._replace(sequence=4), batch[-1]])
    assert (list(ledger.letters()), list(ledger.entries()), ledger.rows()) == (batch, [GROWTH], {})


def test_what_was_begun_is_durable_when_it_is_finished_and_whatever_is_asked_waits_for_it(ledger: Ledger) -> None:
    first = ledger.begin([GROWTH], {"a": "1"}, [LETTER])
    assert (ledger.letter("T1", "n1", 1), ledger.rows()) == (LETTER, {"a": "1"})
    second = ledger.begin([AWARD], {"a": "2"})
    ledger.commit([NOTE], {"b": "1"})
    for finish in (second, first):
        if finish is not None:
            finish()
    assert (list(ledger.entries()), ledger.rows()) == ([GROWTH, AWARD, NOTE], {"a": "2", "b": "1"})


def test_what_cannot_be_begun_is_refused_as_a_commit_is_and_leaves_what_was_begun_before(ledger: Ledger) -> None:
    first = ledger.begin([GROWTH], {}, [LETTER])
    for _ in range(2):
        with pytest.raises(LedgerError, match="Letter 1 of table T1 is in the ledger already"):
            ledger.begin([AWARD], {"a": "1"}, [LETTER])
    if first is not None:
        first()
    assert (list(ledger.entries()), ledger.rows()) == ([GROWTH], {})


def test_a_second_controller_shuts_the_first_one_out(address: str) -> None:
    first, second = open_ledger(address), open_ledger(address)
    for _ in range(2):  # and it stays so
        with pytest.raises(LedgerError, match="Another process has taken over"):
            first.commit([], {"a": "1"})
        with pytest.raises(LedgerError, match="Another process has taken over"):
            first.begin([], {"a": "1"})
    second.commit([], {"a": "2"})
    assert first.rows() == second.rows() == {"a": "2"}
    first.close()
    second.close()


WRITER = """
import sys
from felt.jackpot.ledger import LedgerBusyError, LedgerError
from felt.jackpot.opening import open_ledger
from felt.jackpot.meters import Kind
from felt.jackpot.standing import Entry


def insist(call, *values):
    while True:
        try:
            return call(*values)
        except LedgerBusyError:
            pass


ledger = insist(open_ledger, sys.argv[1])
written = 0
try:
    while True:
        insist(ledger.commit, [Entry(Kind.NOTED, detail=sys.argv[2])], {"last": sys.argv[2]})
        written += 1
        if written == 20:
            print("writing", flush=True)
except LedgerError as error:
    print(written, error, flush=True)
"""


def test_two_processes_never_both_write(address: str) -> None:
    """The second takes over in the middle of the first one's writing, the test itself in the middle of the second's.
    Each commit that was answered is in the ledger once, and none of one writer's after its successor's first."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    command = [sys.executable, "-c", WRITER, address]
    expected: list[str] = []
    with ExitStack() as running:
        writers = []
        for name in ("first", "second"):
            child = subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True, env=environment)
            running.enter_context(child)
            running.callback(child.kill)
            assert child.stdout is not None
            assert child.stdout.readline() == "writing\n"
            writers.append((name, child.stdout))
        third = _opened_at_last(address)
        for name, told in writers:
            (line,) = told.readlines()
            written, _, sentence = line.partition(" ")
            assert "Another process has taken over" in sentence
            expected += [name] * int(written)
    assert [entry.detail for entry in third.entries()] == expected
    third.commit([], {"last": "third"})
    third.close()


def _opened_at_last(address: str) -> Ledger:
    while True:
        try:
            return open_ledger(address)
        except LedgerBusyError:
            continue


def test_a_ledger_of_a_newer_firmware_is_refused(address: str) -> None:
    open_ledger(address).close()
    with _direct(address) as execute:
        if address.startswith("postgresql"):
            execute("UPDATE ledger_version SET number = 99")
        else:
            execute("PRAGMA user_version = 99")
    with pytest.raises(LedgerError, match=f"version 99, and this firmware knows only version {VERSION}"):
        open_ledger(address)


def test_a_ledger_of_a_version_that_nobody_ever_wrote_is_damaged(address: str) -> None:
    open_ledger(address).close()
    with _direct(address) as execute:
        on_server = address.startswith("postgresql")
        execute("UPDATE ledger_version SET number = -1" if on_server else "PRAGMA user_version = -1")
    for opening in (open_ledger, open_for_reading):
        with pytest.raises(LedgerError, match="version -1, which no firmware ever wrote: it is damaged; keep it as"):
            opening(address)


def test_an_older_ledger_is_migrated_when_it_is_opened(address: str) -> None:
    on_server = address.startswith("postgresql")
    (first, *_) = steps(POSTGRESQL if on_server else SQLITE)
    with _direct(address) as execute:
        for statement in first.statements:
            execute(statement)
        execute("INSERT INTO entries VALUES (1, 'noted', '', '', 0, '', '', NULL, 0, 0, 'of the first version')")
        if on_server:
            execute("CREATE TABLE ledger_version (number BIGINT NOT NULL)")
            execute("INSERT INTO ledger_version VALUES (1)")
        else:
            execute("PRAGMA user_version = 1")
    ledger = open_ledger(address)
    ledger.commit([GROWTH], {})
    assert list(ledger.entries()) == [Entry(Kind.NOTED, detail="of the first version"), GROWTH]
    ledger.close()


def test_entries_and_letters_are_only_ever_added(address: str) -> None:
    office = Office(open_ledger(address), [MAJOR])
    Sender(office).play(1, 1)
    office.close()
    changes = ("DELETE FROM {}", "UPDATE {} SET kind = ''")
    for statement in (change.format(table) for change in changes for table in ("entries", "letters")):
        with pytest.raises(Exception, match="only ever added"), _direct(address) as execute:
            execute(statement)


def test_an_office_on_any_ledger_stands_where_it_stood(address: str) -> None:
    office = Office(open_ledger(address), [MAJOR])
    table = Sender(office)
    table.play(1, 1, 2)
    table.play(2, 1)
    before, meters = office.standing, office.meters()
    office.close()
    again = Office(open_ledger(address), [MAJOR])
    assert (again.standing, again.meters()) == (before, meters)
    assert again.report().conserved
    again.close()


@contextmanager
def _direct(address: str) -> Iterator[Callable[[str], object]]:
    """The database itself, behind the ledger's back."""
    if address.startswith("postgresql"):
        import psycopg

        with psycopg.connect(address) as server:
            yield lambda statement: server.execute(statement.encode())
    else:
        with closing(sqlite3.connect(address)) as file:
            yield file.execute
            file.commit()


def test_one_that_hangs_in_the_middle_of_a_commit_does_not_keep_its_successor_out(
    request: pytest.FixtureRequest,
) -> None:
    """The server cuts it off, and with it goes the lock on the row that both must have."""
    address = request.getfixturevalue("postgres").new_database()
    with closing(PostgresqlLedger(address)) as hung:
        with pytest.raises(psycopg.Error):
            _hang_in_a_commit_while_another_takes_over(hung, address)
        with pytest.raises(LedgerError):
            hung.commit([AWARD], {})
    with closing(PostgresqlLedger(address)) as again:
        assert list(again.entries()) == [GROWTH]


def _hang_in_a_commit_while_another_takes_over(hung: PostgresqlLedger, address: str) -> None:
    with hung._transaction():
        hung._claim_epoch()
        with closing(PostgresqlLedger(address)) as successor:
            successor.commit([GROWTH], {}, [LETTER])


def test_a_database_that_names_no_encoding_keeps_texts_as_they_are(postgres: Server) -> None:
    address = postgres.new_database("SQL_ASCII")
    with closing(open_ledger(address)) as ledger:
        ledger.commit([GROWTH, BEYOND_ASCII], {"clerk/Jürgen": "größer"}, [LETTER])
    with closing(open_ledger(address)) as again:
        assert list(again.entries()) == [GROWTH, BEYOND_ASCII]
        assert again.rows() == {"clerk/Jürgen": "größer"}
        assert again.letter("T1", "n1", 1) == LETTER
        assert set(again.sums()) == {SumKey("major", Kind.COMMITTED, Account.DISPLAY)}
