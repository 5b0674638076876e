"""What only the ledger's file can do wrong: damage, strangers, a second writer, a death in the middle."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from felt.jackpot.acts import ClaimName, Person, SettleAbandonedClaim
from felt.jackpot.ledger import LedgerBusyError, LedgerError, MemoryLedger, StoredLetter
from felt.jackpot.meters import Account, Kind
from felt.jackpot.office import Office
from felt.jackpot.rows import rows_of
from felt.jackpot.sqlite import ROWS_AT_ONCE, SqliteLedger
from felt.jackpot.standing import Entry
from felt.jackpot.terms import MeterTerms, SameLevelHits
from felt.letters.from_controller import Acked
from felt.wire.jackpot import decode
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR, STAKE, Sender, claim, stamp
from tests.jackpot.former_rows import as_of_version

GROWTH = STAKE * 30_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


def played(path: Path, rounds: int = 3) -> Sender:
    office = Office(SqliteLedger(path), [MAJOR])
    table = Sender(office)
    for number in range(1, rounds + 1):
        table.play(number, 1, 2)
    office.close()
    return table


def altered(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def problem_of(path: Path) -> str:
    with pytest.raises(LedgerError) as caught:
        Office(SqliteLedger(path), [MAJOR])
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_a_file_that_is_no_database_is_named(path: Path) -> None:
    path.write_text("Dear diary, " * 1_000)
    assert "some other file" in problem_of(path)


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    assert "the folder must exist" in problem_of(tmp_path / "nowhere" / "ledger")


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    assert "cannot be opened" in problem_of(tmp_path)


@pytest.fixture
def _ordinary_user() -> Iterator[None]:
    """The superuser may write everywhere, so for a moment it is somebody else."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65_534)
    yield
    os.seteuid(user)


@pytest.fixture
def read_only(path: Path) -> Path:
    played(path)
    path.chmod(0o400)
    return path


@pytest.mark.usefixtures("read_only", "_ordinary_user")
def test_a_file_without_permission_is_named(path: Path) -> None:
    assert "belong to the user" in problem_of(path)


def test_a_newer_version_is_refused(path: Path) -> None:
    played(path)
    altered(path, "PRAGMA user_version = 99")
    assert "version 99" in problem_of(path)


def test_a_damaged_file_is_refused(path: Path) -> None:
    played(path, 40)
    whole = path.read_bytes()
    refused = 0
    for page in range(1, len(whole) // 4096):
        damaged = bytearray(whole)
        damaged[page * 4096 : page * 4096 + 64] = b"\xa5" * 64
        path.write_bytes(damaged)
        assert problem_of(path)
        refused += 1
    assert refused > 3


def test_entries_and_letters_cannot_be_changed_or_removed(path: Path) -> None:
    played(path)
    for table in ("entries", "letters"):
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            altered(path, f"DELETE FROM {table}")
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            altered(path, f"UPDATE {table} SET round = 1" if table == "entries" else f"UPDATE {table} SET kind = ''")


@pytest.mark.parametrize(
    ("tampering", "said"),
    [
        (["DROP TRIGGER entries_refuse_UPDATE", "UPDATE entries SET amount = amount + 1 WHERE id = 1"], "add up to"),
        (["DROP TRIGGER entries_refuse_DELETE", "DELETE FROM entries WHERE id = 2"], "lacks 1 of its entries"),
        (["DROP TRIGGER letters_refuse_DELETE", "DELETE FROM letters WHERE id = 9"], "not the last that is stored"),
        (["DROP TRIGGER letters_refuse_DELETE", "DELETE FROM letters WHERE id = 2"], "lacks 1 of its letters"),
        (["DELETE FROM standing WHERE key = 'meter/major'"], "the entries know a meter 'major'"),
        (["UPDATE standing SET value = replace(value, '\"major\"', '7')"], "cannot be read"),
        (["UPDATE standing SET value = 'x' WHERE key = 'meter/major'"], "cannot be read"),
        (["INSERT INTO standing VALUES ('stranger/1', '[]')"], "no part of a standing"),
    ],
)
def test_a_ledger_that_contradicts_itself_is_refused(path: Path, tampering: list[str], said: str) -> None:
    played(path)
    altered(path, *tampering)
    assert said in problem_of(path)


def test_a_commit_that_fails_halfway_leaves_nothing(path: Path) -> None:
    ledger = SqliteLedger(path)
    too_long = Entry(Kind.SEED, meter="major", account=Account.DISPLAY, amount=2**70)
    with pytest.raises(LedgerError, match="cannot be written"):
        ledger.commit([Entry(Kind.NOTED), too_long], {"a": "1"})
    ledger.close()
    again = SqliteLedger(path)
    assert (list(again.entries()), again.rows()) == ([], {})
    again.close()


ENDLESS_EVENING = """
import sys
from pathlib import Path
from felt.jackpot.sqlite import ROWS_AT_ONCE, SqliteLedger
from felt.jackpot.office import Office
from felt.jackpot.staged import NOTHING_BEGUN
from felt.letters.from_controller import Acked, Pong
from felt.letters.from_table import Ping
from felt.wire.jackpot import decode, encode
from tests.jackpot.evening import MAJOR, Sender

table = Sender(Office(SqliteLedger(Path(sys.argv[1])), [MAJOR]))
pong = decode(table.office.receive(encode(Ping("T1", "n1", 0)))[0])
assert isinstance(pong, Pong)
table.posted = [b""] * pong.highest_seen
letters = [table.lock, table.deal, table.decide]
begun = NOTHING_BEGUN


class Ahead:
    def receive(self, data, now):
        global begun
        before, begun = begun, self.office.begin_batch([decode(data)], now)
        for answer in before.answers():
            print(answer.highest_seen, flush=True)
        return [encode(Acked("T1", "n1", len(table.posted) + 1, len(table.posted) + 1))]


if sys.argv[2] == "ahead":
    ahead = Ahead()
    ahead.office, table.office = table.office, ahead
while True:
    round_number, place = divmod(len(table.posted), 3)
    letters[place](round_number + 1, *([1, 2] if place < 2 else []))
    if sys.argv[2] == "one by one":
        print(len(table.posted), flush=True)
"""


def test_every_letter_that_was_acknowledged_survives_a_kill(path: Path, full: bool) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    heard = 0
    for turn in range(40 if full else 4):
        way, unheard = ("ahead", 2) if turn % 2 else ("one by one", 1)
        child = subprocess.Popen(
            [sys.executable, "-c", ENDLESS_EVENING, str(path), way], stdout=subprocess.PIPE, text=True, env=environment
        )
        assert child.stdout is not None
        for _ in range(5 + 7 * turn % 11):
            heard = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        rest = [int(line) for line in child.stdout.read().splitlines() if line.strip()]
        child.wait()
        child.stdout.close()
        heard = max([heard, *rest])
        office = Office(SqliteLedger(path), [MAJOR])
        highest = next(iter(office.standing.journals)).highest
        assert heard <= highest <= heard + unheard  # at most so many were taken whose answers were not heard
        assert office.standing.meters[0].stakes == highest // 3 * 2 * STAKE
        assert office.report().conserved
        office.close()


def test_a_reopened_file_answers_what_the_first_one_answered(path: Path) -> None:
    table = played(path)
    office = Office(SqliteLedger(path), [MAJOR])
    answers = [decode(office.receive(data)[0]) for data in table.posted]
    assert answers == [Acked("T1", "n1", place, 9) for place in range(1, 10)]
    office.close()


# --- versions --------------------------------------------------------------------------------------------



def write_as_of_version(version: int, connection: sqlite3.Connection) -> None:
    for key, text in connection.execute("SELECT key, value FROM standing").fetchall():
        former = as_of_version(version, key, text)
        connection.execute("UPDATE standing SET value = ? WHERE key = ?", (former, key))


VERSION_1 = Path(__file__).with_name("ledger_version_1.sql")
TERMS_OF_VERSION_1 = [MAJOR, MeterTerms("minor", 1_000, 100, 50)]


@pytest.fixture
def first_version(path: Path) -> Path:
    """A ledger that the first version wrote: a plain round, one that pends, and two open claims, one of them valued."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1.read_text())
    return path


def test_a_ledger_of_the_first_version_is_migrated_and_goes_on(first_version: Path) -> None:
    office = Office(SqliteLedger(first_version), TERMS_OF_VERSION_1)
    assert office.meters() == {"major": 5_000_060 * MICRO, "minor": 1_010 * MICRO}
    table = Sender(office, second=50, posted=[b""] * 7)
    (next_one,) = table.confirm(2, "2.1", 5_000_060)
    assert next_one.claim == "2.2"
    other = Sender(office, "T2", second=60, posted=[b""])
    other.decide(1)
    table.deny(2, "2.2")
    report = office.report()
    assert report.conserved, report.problem
    assert [meter.pending_micro for meter in report.meters] == [0, 0]
    office.close()
    again = Office(SqliteLedger(first_version), TERMS_OF_VERSION_1)  # and once is enough
    assert again.report().conserved
    again.close()


def test_a_waiting_claim_of_the_third_version_has_its_bets_in_the_next_cycle(path: Path) -> None:
    office = Office(SqliteLedger(path), [MAJOR])
    first = Sender(office)
    first.play(1, 1, claims=(claim(1, 1),))  # has its value, so that the next one's bets are for the next cycle
    Sender(office, "T2").play(1, 1, claims=(claim(1, 1, second=5),))
    lots = list(office.standing.lots)
    assert [(lot.table, lot.meter, lot.micro) for lot in lots] == [("T2", "major", GROWTH)]
    office.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        write_as_of_version(3, connection)
        connection.execute("DELETE FROM standing WHERE key LIKE 'lot/%'")
        connection.execute("PRAGMA user_version = 3")
    again = Office(SqliteLedger(path), [MAJOR])
    assert list(again.standing.lots) == lots
    again.close()


def test_what_no_round_of_a_former_version_is_known_for_comes_in_when_no_claim_is_open(path: Path) -> None:
    """Rounds were forgotten while their bets waited."""
    office = Office(SqliteLedger(path), [MAJOR])
    first = Sender(office)
    (valued,) = first.play(1, 1, claims=(claim(1, 1),))
    Sender(office, "T2").play(1, 1)
    office.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM standing WHERE key LIKE 'lot/%' OR key LIKE 'round/T2/%'")
        write_as_of_version(4, connection)
        connection.execute("PRAGMA user_version = 4")
    first.office = again = Office(SqliteLedger(path), [MAJOR])
    assert [lot.micro for lot in again.standing.lots] == [GROWTH]
    first.confirm(1, "1.1", valued.award_minor)
    assert again.meters()["major"] == RESET_MINOR * MICRO + GROWTH
    assert not list(again.standing.lots)
    again.close()


def test_a_part_that_a_former_version_paid_is_still_one(path: Path) -> None:
    """Two share, one is paid, and the other is settled as abandoned after the upgrade."""
    terms = MAJOR._replace(same_level_hits=SameLevelHits.SPLIT_EQUALLY, reset_minor=1_000)
    office = Office(SqliteLedger(path), [terms])
    table = Sender(office)
    first, _ = table.play(1, 1, 2, claims=(claim(1, 1, second=2), claim(1, 2, second=2)))
    table.confirm(1, "1.1", first.award_minor)
    Sender(office, nonce="n2").lock(1)
    office.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        write_as_of_version(4, connection)
        connection.execute("PRAGMA user_version = 4")
    again = Office(SqliteLedger(path), [terms])
    persons = (Person("Ada", "supervisor"), Person("Bob", "shift_manager"))
    again.act(SettleAbandonedClaim(ClaimName("T1", "n1", "1.2"), pay=False), persons, "lost", stamp(99))
    assert again.meters()["major"] == 1_000 * MICRO
    again.close()


def test_a_migration_that_dies_leaves_the_ledger_as_it_was(first_version: Path) -> None:
    altered(first_version, "ALTER TABLE entries ADD COLUMN persons TEXT NOT NULL DEFAULT ''")  # the step will fail here
    with pytest.raises(LedgerError, match="cannot be opened"):
        SqliteLedger(first_version)
    with closing(sqlite3.connect(first_version)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        (made,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'generation'").fetchone()
        assert "epoch" not in made


# --- the write-ahead log ---------------------------------------------------------------------------------


def torn_off(path: Path, folder: Path) -> Path:
    """The files as a process that dies leaves them: the log is not folded into the database."""
    office = Office(SqliteLedger(path), [MAJOR])
    table = Sender(office)
    for number in range(1, 30):
        table.play(number, 1, 2)
    for file in path.parent.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    office.close()
    return folder / path.name


def test_a_flipped_bit_in_the_write_ahead_log_is_found(path: Path, tmp_path: Path) -> None:
    """SQLite itself opens such a log without a word, and with fewer transactions."""
    folder = tmp_path / "crashed"
    folder.mkdir()
    crashed = torn_off(path, folder)
    whole = {file: file.read_bytes() for file in folder.iterdir()}
    log = folder / f"{path.name}-wal"
    length = len(whole[log])
    assert length > 40_000
    for place in range(4_000, length - 4_200, length // 9):
        for file, content in whole.items():
            file.write_bytes(content)
        damaged = bytearray(whole[log])
        damaged[place] ^= 1
        log.write_bytes(damaged)
        said = problem_of(crashed)
        assert "has lost" in said or "lacks" in said or "damaged" in said, said


def test_a_whole_write_ahead_log_opens_after_a_crash(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crashed"
    folder.mkdir()
    office = Office(SqliteLedger(torn_off(path, folder)), [MAJOR])
    assert next(iter(office.standing.journals)).highest == 87
    office.close()


def test_a_log_that_was_taken_away_is_missed(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crashed"
    folder.mkdir()
    crashed = torn_off(path, folder)
    (folder / f"{path.name}-wal").unlink()
    assert "has lost" in problem_of(crashed) or "lacks" in problem_of(crashed)


def test_a_witness_that_was_scribbled_on_is_named(path: Path) -> None:
    played(path)
    Path(f"{path}-witness").write_text("Dear diary")
    assert "is not what the controller wrote" in problem_of(path)


def test_a_ledger_whose_witness_was_lost_gets_another(path: Path) -> None:
    played(path)
    witness = Path(f"{path}-witness")
    before = witness.read_text()
    witness.unlink()
    SqliteLedger(path).close()
    assert witness.read_text() == before


# --- groups ----------------------------------------------------------------------------------------------


def test_a_batch_is_one_commit_and_says_what_single_letters_say(path: Path, tmp_path: Path) -> None:
    table = played(path, 20)
    batched = Office(SqliteLedger(tmp_path / "batched"), [MAJOR])
    answers = batched.receive_batch([*table.posted, table.posted[3]])  # one of them again in the same batch
    assert [decode(answer) for answer in answers] == [
        *(Acked("T1", "n1", place, place) for place in range(1, 61)),
        Acked("T1", "n1", 4, 60),
    ]
    single = SqliteLedger(path)
    assert rows_of(batched.standing) == single.rows()
    batched.close()
    with closing(sqlite3.connect(tmp_path / "batched")) as connection:
        assert connection.execute("SELECT number FROM generation").fetchone() == (2,)  # the opening and the batch
    again = SqliteLedger(tmp_path / "batched")
    assert list(again.entries()) == list(single.entries())
    single.close()
    again.close()


def test_a_batch_that_cannot_be_written_was_never_taken(path: Path) -> None:
    ledger = SqliteLedger(path, busy_ms=1)
    office = Office(ledger, [MAJOR])
    table = Sender(Office(MemoryLedger(), [MAJOR]))
    table.play(1, 1)
    before, gap = office.standing, table.envelope(table.locking(9, 1), 77)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerBusyError, match="another process holds it"):
            office.receive_batch([*table.posted, gap])
        other.execute("ROLLBACK")
    assert (office.standing, office.alarms) == (before, 0)
    assert len(office.receive_batch([*table.posted, gap])) == 4  # and now it is, alarm and all
    assert [entry.kind for entry in ledger.entries(Kind.ALARM)] == [Kind.ALARM]
    office.close()


def many(first: int, count: int) -> tuple[list[Entry], dict[str, str | None], list[StoredLetter]]:
    numbers = range(first, first + count)
    entries = [Entry(Kind.NOTED, "T1", "n1", number, detail=f"naïve {number}") for number in numbers]
    letters = [StoredLetter("T1", "n1", number, "RoundDealt", "[]", number, "ab") for number in numbers]
    return entries, {f"round/T1/n1/{number}": str(number) for number in numbers}, letters


@pytest.mark.parametrize("count", [1, ROWS_AT_ONCE - 1, ROWS_AT_ONCE, 2 * ROWS_AT_ONCE, 3 * ROWS_AT_ONCE + 1])
def test_any_number_of_rows_is_written_in_their_order(path: Path, count: int) -> None:
    entries, rows, letters = many(1, count)
    with closing(SqliteLedger(path)) as ledger:
        ledger.commit(entries, rows, letters)
        ledger.commit([], {"round/T1/n1/1": "other"})
        ledger.commit([], dict.fromkeys(rows, "changed"))
    with closing(SqliteLedger(path)) as again:
        assert (list(again.entries()), list(again.letters())) == (entries, letters)
        assert again.rows() == dict.fromkeys(rows, "changed")


@pytest.mark.parametrize("known", [1, ROWS_AT_ONCE, ROWS_AT_ONCE + 2])
def test_of_many_rows_none_stays_if_one_letter_is_known_already(path: Path, known: int) -> None:
    entries, rows, letters = many(1, ROWS_AT_ONCE + 2)
    with closing(SqliteLedger(path)) as ledger:
        ledger.commit([], {}, letters[known - 1 : known])
        with pytest.raises(LedgerError, match=f"Letter {known} of table T1 is in the ledger already"):
            ledger.commit(entries, rows, letters)
    with closing(SqliteLedger(path)) as again:
        assert (list(again.entries()), again.rows(), list(again.letters())) == ([], {}, letters[known - 1 : known])


# --- taken away while it is in use ---


def deleted(path: Path) -> None:
    path.unlink()


def replaced_by_a_copy(path: Path) -> None:
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


def without_its_log(path: Path) -> None:
    Path(f"{path}-wal").unlink()


@pytest.mark.parametrize("take_away", [deleted, replaced_by_a_copy, without_its_log])
def test_a_ledger_that_is_taken_away_while_it_is_in_use_answers_nothing_more(
    path: Path, take_away: Callable[[Path], None]
) -> None:
    office = Office(SqliteLedger(path), [MAJOR])
    table = Sender(office)
    table.play(1, 1)
    take_away(path)
    with pytest.raises(LedgerError, match="deleted, moved or replaced while the controller ran"):
        table.ping()
    with pytest.raises(LedgerError, match="deleted, moved or replaced"):
        table.lock(2, 1)
    office.close()


def test_a_letter_that_went_into_a_deleted_ledger_is_not_answered(path: Path) -> None:
    office = Office(SqliteLedger(path), [MAJOR])
    table = Sender(office)
    table.play(1, 1)
    path.unlink()
    with pytest.raises(LedgerError, match="deleted, moved or replaced"):
        table.lock(2, 1)
    office.close()
