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

from felt.jackpot.books.accounts import Account, Code, Entry
from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.opening import open_ledger
from felt.jackpot.ledger.port import Ledger, LedgerBusyError, LedgerError, StoredLetter, SumKey
from felt.jackpot.ledger.postgresql import PostgresqlLedger
from felt.jackpot.ledger.reading import open_for_reading
from felt.jackpot.ledger.schema import VERSION
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.nouns.values import replace
from tests.jackpot.evening import MAJOR, Sender
from tests.real.postgres import Server
from tests.storm.ledger import Books

LETTER = StoredLetter("T1", "n1", 1, "RoundLocked", "[]", 7, "ab")
SEED = Entry(Code.SEED, "", "", 0, "", "major", Account.HOUSE, Account.DISPLAY, 15_000_000, at_wall_ns=99)
AWARD = Entry(
    Code.AWARDED, "T1", "n1", 4, "4.1", "major", Account.DISPLAY, Account.WINNERS, 9_000_000, at_wall_ns=100,
    detail="Confirmed by Ada.",
)  # fmt: skip
NOTE = Entry(Code.NOTED, "T1", "n1", detail="naïve ☃")
BEYOND_ASCII = Entry(Code.NOTED, "T1", "n1", detail="Jürgen zählte nach: größer als ☃")


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
    ledger.commit([SEED, NOTE], {"meter/major": "1"}, [LETTER])
    ledger.commit([AWARD], {})
    assert list(ledger.entries()) == [SEED, NOTE, AWARD]
    assert list(ledger.entries(Code.NOTED)) == [NOTE]
    assert ledger.letter("T1", "n1", 1) == LETTER
    assert list(ledger.letters()) == [LETTER]


def test_rows_are_put_replaced_and_removed(ledger: Ledger) -> None:
    ledger.commit([], {"a": "1", "b": "1"})
    ledger.commit([], {"a": "2", "b": None, "never": None})
    assert ledger.rows() == {"a": "2"}


def test_sums_are_by_meter_code_and_accounts_and_leave_notes_out(ledger: Ledger) -> None:
    ledger.commit([SEED, NOTE, AWARD], {})
    ledger.commit([SEED], {})
    assert ledger.sums() == {
        SumKey("major", Code.SEED, Account.HOUSE, Account.DISPLAY): 30_000_000,
        SumKey("major", Code.AWARDED, Account.DISPLAY, Account.WINNERS): 9_000_000,
    }
    balances = ledger.balances()["major"]
    assert {account: micro for account, micro in balances.items() if micro} == {
        Account.HOUSE: -30_000_000, Account.DISPLAY: 21_000_000, Account.WINNERS: 9_000_000,
    }  # fmt: skip


@pytest.mark.parametrize(
    "impossible",
    [
        replace(AWARD, amount=15_000_001),
        replace(AWARD, amount=-1),
        replace(AWARD, debit=Account.HOUSE),
        replace(SEED, debit=Account.PLAYERS),
        replace(SEED, credit=None),
        replace(SEED, amount=2**62),
    ],
    ids=["more than there is", "negative", "from the house", "from players", "to nobody", "too much"],
)
def test_the_database_refuses_what_no_transfer_may_be(ledger: Ledger, impossible: Entry) -> None:
    ledger.commit([SEED], {})
    if impossible.amount == 2**62:
        ledger.commit([impossible], {})  # the sum of both is more than 64 bits hold
    with pytest.raises(LedgerError):
        ledger.commit([impossible], {"a": "1"})
    assert "a" not in ledger.rows()


def test_a_changed_row_breaks_the_chain_from_there(ledger: Ledger) -> None:
    ledger.commit([SEED, NOTE], {"a": "1"}, [LETTER])
    ledger.commit([AWARD], {"a": "2", "b": "3"})
    assert ledger.broken_chain() == ledger.broken_chain(whole=True) == ""
    closing = ledger.close_period("2026-03-04")
    assert (closing.number, closing.rows, closing.closed.last_entry) == (1, {"a": "2", "b": "3"}, 3)
    ledger.commit([NOTE], {"a": None})
    assert ledger.last_closing() == closing
    assert list(ledger.entries(after=closing.closed.last_entry))[-1] == NOTE
    assert ledger.broken_chain() == ledger.broken_chain(whole=True) == ""


def test_a_letter_is_stored_once_and_a_second_one_takes_nothing_with_it(ledger: Ledger) -> None:
    ledger.commit([], {}, [LETTER])
    with pytest.raises(LedgerError, match="already"):
        ledger.commit([SEED], {"a": "1"}, [replace(LETTER, body="[1]")])
    assert (list(ledger.entries()), ledger.rows()) == ([], {})
    assert ledger.letter("T1", "n1", 1) == LETTER


def test_after_a_commit_that_failed_nothing_more_is_accepted(ledger: Ledger) -> None:
    ledger.commit([], {}, [LETTER])
    for letter in (LETTER, replace(LETTER, sequence=2)):
        with pytest.raises(LedgerError, match="Letter 1 of table T1"):
            ledger.commit([SEED], {}, [letter])
    assert list(ledger.letters()) == [LETTER]


def test_letters_of_two_journals_do_not_meet(ledger: Ledger) -> None:
    other = replace(LETTER, nonce="n2")
    ledger.commit([], {}, [LETTER])
    ledger.commit([], {}, [other])
    assert ledger.letter("T1", "n2", 1) == other
    assert ledger.letter("T2", "n1", 1) is None


def test_letters_of_one_batch_are_stored_together_or_not_at_all(ledger: Ledger) -> None:
    batch = [replace(LETTER, sequence=number) for number in (1, 2, 3)]
    ledger.commit([SEED], {}, batch)
    assert list(ledger.letters()) == batch
    with pytest.raises(LedgerError, match="Letter 3 of table T1 is in the ledger already"):
        ledger.commit([AWARD], {"a": "1"}, [replace(LETTER, sequence=4), batch[-1]])
    assert (list(ledger.letters()), list(ledger.entries()), ledger.rows()) == (batch, [SEED], {})


def test_a_second_controller_shuts_the_first_one_out(address: str) -> None:
    first, second = open_ledger(address), open_ledger(address)
    for _ in range(2):  # and it stays so
        with pytest.raises(LedgerError, match="Another process has taken over"):
            first.commit([], {"a": "1"})
    second.commit([], {"a": "2"})
    assert first.rows() == second.rows() == {"a": "2"}
    first.close()
    second.close()


WRITER = """
import sys
from felt.jackpot.ledger.port import LedgerBusyError, LedgerError
from felt.jackpot.ledger.opening import open_ledger
from felt.jackpot.books.accounts import Code
from felt.jackpot.books.accounts import Entry


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
        insist(ledger.commit, [Entry(Code.NOTED, detail=sys.argv[2])], {"last": sys.argv[2]})
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
        with pytest.raises(LedgerError, match=r"version -1, .* if none did, it is damaged; keep it as"):
            opening(address)


def test_entries_and_letters_are_only_ever_added(address: str) -> None:
    office = Office(open_ledger(address), [MAJOR])
    Sender(office).play(1, 1)
    office.close()
    changes = ("DELETE FROM {}", "UPDATE {} SET nonce = ''")
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
        assert list(again.entries()) == [SEED]


def _hang_in_a_commit_while_another_takes_over(hung: PostgresqlLedger, address: str) -> None:
    with hung._transaction():
        hung._claim_epoch(replace(hung.last_commit(), number=1))
        with closing(PostgresqlLedger(address)) as successor:
            successor.commit([SEED], {}, [LETTER])


def test_a_database_that_names_no_encoding_keeps_texts_as_they_are(postgres: Server) -> None:
    address = postgres.new_database("SQL_ASCII")
    with closing(open_ledger(address)) as ledger:
        ledger.commit([SEED, BEYOND_ASCII], {"clerk/Jürgen": "größer"}, [LETTER])
    with closing(open_ledger(address)) as again:
        assert list(again.entries()) == [SEED, BEYOND_ASCII]
        assert again.rows() == {"clerk/Jürgen": "größer"}
        assert again.letter("T1", "n1", 1) == LETTER
        assert set(again.sums()) == {SumKey("major", Code.SEED, Account.HOUSE, Account.DISPLAY)}
