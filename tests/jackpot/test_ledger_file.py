"""What only the ledger's file can do wrong: damage, strangers, a second writer, a death in the middle."""

from __future__ import annotations

import hmac
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from felt.jackpot.books.accounts import Account, Code, Entry
from felt.jackpot.books.meter import open_meter
from felt.jackpot.books.standing import NOTHING, journals_in
from felt.jackpot.books.terms import Procedure
from felt.jackpot.controller.office import Office
from felt.jackpot.controller.reports import Period, report_of
from felt.jackpot.ledger.audit import standing_in
from felt.jackpot.ledger.port import LedgerBusyError, LedgerError
from felt.jackpot.ledger.rows import rows_of
from felt.jackpot.ledger.schema import KEPT
from felt.jackpot.ledger.sqlite import MemoryLedger, SqliteLedger
from felt.letters.from_controller import Acked, Valued
from felt.nouns.values import replace
from felt.wire.jackpot import decode
from tests.jackpot.evening import MAJOR, MICRO, RESET_MINOR, STAKE, Sender, claim, stamp

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
        refused += _is_found(path)
    assert refused == len(whole) // 4096 - 1


def _is_found(path: Path) -> bool:
    """At the start, or by the nightly audit, which reads the file from end to end."""
    try:
        with closing(SqliteLedger(path)) as ledger:
            standing_in(ledger, Procedure())
            return bool(ledger.damage())
    except LedgerError:
        return True


def test_entries_and_letters_cannot_be_changed_or_removed(path: Path) -> None:
    played(path)
    for table in ("entries", "letters"):
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            altered(path, f"DELETE FROM {table}")
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            altered(path, f"UPDATE {table} SET nonce = ''")


OPEN = [f"DROP TRIGGER {table}_refuse_{change}" for table in KEPT for change in ("UPDATE", "DELETE")]


@pytest.mark.parametrize(
    ("tampering", "said"),
    [
        ("UPDATE entries SET amount = amount + 1 WHERE id = 1", "commit 1 is not what was written"),
        ("DELETE FROM entries WHERE id = 2", "commit 2 is not what was written"),
        ("DELETE FROM letters WHERE id = 9", "does not end where its last commit says"),
        ("DELETE FROM letters WHERE id = 2", "is not what was written"),
        ("DELETE FROM commits WHERE number = 3", "is not what was written"),
        ("DELETE FROM commits WHERE number = 10", "does not end where its last commit says"),
        ("DELETE FROM standing WHERE key = 'meter/major'", "the standing is not what was written"),
        ("UPDATE standing SET value = replace(value, '\"display\":5', '\"display\":6')", "the standing is not what"),
        ("INSERT INTO standing VALUES ('stranger/1', '[]')", "the standing is not what was written"),
        (
            "UPDATE balances SET micro = micro + 1 WHERE account = 'display'",
            "the display of the meter 'major' stands at",
        ),
    ],
)
def test_a_ledger_that_was_changed_is_refused(path: Path, tampering: str, said: str) -> None:
    played(path)
    altered(path, *OPEN, tampering)
    assert said in problem_of(path)


def test_a_commit_that_fails_halfway_leaves_nothing(path: Path) -> None:
    ledger = SqliteLedger(path)
    too_long = Entry(Code.SEED, meter="major", debit=Account.HOUSE, credit=Account.DISPLAY, amount=2**70)
    with pytest.raises(LedgerError, match="cannot be written"):
        ledger.commit([Entry(Code.NOTED), too_long], {"a": "1"})
    ledger.close()
    again = SqliteLedger(path)
    assert (list(again.entries()), again.rows()) == ([], {})
    again.close()


ENDLESS_EVENING = """
import sys
from pathlib import Path
from felt.jackpot.controller.office import Office
from felt.jackpot.controller.reports import Period, report_of
from felt.jackpot.ledger.audit import standing_in
from felt.jackpot.ledger.sqlite import SqliteLedger
from felt.letters.from_controller import Pong
from felt.letters.from_table import Ping
from felt.wire.jackpot import decode, encode
from tests.jackpot.evening import MAJOR, Sender

table = Sender(Office(SqliteLedger(Path(sys.argv[1])), [MAJOR]))
pong = decode(table.office.receive(encode(Ping("T1", "n1", 0)))[0])
assert isinstance(pong, Pong)
table.posted = [b""] * pong.highest_seen
letters = [table.lock, table.deal, table.decide]
while True:
    round_number, place = divmod(len(table.posted), 3)
    letters[place](round_number + 1, *([1, 2] if place < 2 else []))
    print(len(table.posted), flush=True)
"""


def test_every_letter_that_was_acknowledged_survives_a_kill(path: Path, full: bool) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    heard = 0
    for turn in range(40 if full else 4):
        child = subprocess.Popen(
            [sys.executable, "-c", ENDLESS_EVENING, str(path)], stdout=subprocess.PIPE, text=True, env=environment
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
        highest = next(journals_in(office.standing)).highest
        assert heard <= highest <= heard + 1  # at most one was taken whose answer was not heard
        assert office.standing.meters[0].stakes == highest // 3 * 2 * STAKE
        assert office.report().conserved
        office.close()


def test_a_reopened_file_answers_what_the_first_one_answered(path: Path) -> None:
    table = played(path)
    office = Office(SqliteLedger(path), [MAJOR])
    answers = [decode(office.receive(data)[0]) for data in table.posted]
    assert answers == [Acked("T1", "n1", place, 9) for place in range(1, 10)]
    office.close()


# --- behind the controller's back ------------------------------------------------------------------------


class Signer:
    """A key that nobody else has."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def sign(self, message: bytes) -> bytes:
        return hmac.digest(self._secret, message, "sha256")


def test_whoever_chains_anew_what_he_has_changed_lacks_the_controllers_key(path: Path) -> None:
    """The first seed and the standing raised alike, every digest made again: it adds up, and is signed by nobody."""
    office = Office(SqliteLedger(path, key=Signer(b"own")), [MAJOR])
    Sender(office).play(1, 1)
    office.close()
    forged, more = path.with_name("forged"), 10_000_00 * MICRO
    with closing(SqliteLedger(path)) as ledger, closing(SqliteLedger(forged, key=Signer(b"another"))) as other:
        rows: dict[str, str | None] = dict(ledger.rows())
        raised = str(rows["meter/major"]).replace('"display":500001', '"display":600001')
        raised = raised.replace('"house":-5000000', '"house":-6000000')
        assert raised != rows["meter/major"]
        entries = [
            replace(entry, amount=entry.amount + more) if entry.code is Code.SEED else entry
            for entry in ledger.entries()
        ]
        other.commit(entries, {**rows, "meter/major": raised}, list(ledger.letters()))
        assert other.broken_chain(whole=True) == ""
    with pytest.raises(LedgerError, match="is not what this controller's key has signed"):
        SqliteLedger(forged, key=Signer(b"own"))


def test_the_first_seed_is_what_the_terms_say(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        moved = open_meter(replace(MAJOR, base_minor=RESET_MINOR + 1))
        other = replace(moved.meter, terms=MAJOR)
        (seed,) = moved.transfers
        entry = Entry(seed.code, meter="major", debit=seed.debit, credit=seed.credit, amount=seed.micro)
        ledger.commit([entry], rows_of(replace(NOTHING, meters=(other,))))
    assert "was opened with 5000001000000, which its terms do not say" in problem_of(path)


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
    for does in (table.ping, lambda: office.look_again(stamp(9)), lambda: table.lock(2, 1)):
        with pytest.raises(LedgerError, match="deleted, moved or replaced while the controller ran"):
            does()
    office.close()


def test_a_letter_that_went_into_a_deleted_ledger_is_not_answered(path: Path) -> None:
    office = Office(SqliteLedger(path), [MAJOR])
    table = Sender(office)
    table.play(1, 1)
    path.unlink()
    with pytest.raises(LedgerError, match="deleted, moved or replaced"):
        table.lock(2, 1)
    office.close()


# --- periods ---------------------------------------------------------------------------------------------


def test_a_start_reads_the_latest_closing_and_what_follows(path: Path) -> None:
    office = Office(SqliteLedger(path), [MAJOR])
    table = Sender(office)
    table.play(1, 1, claims=(claim(1, 1),))
    office.close_period("2026-03-04")
    before = office.standing
    office.close()
    again = Office(SqliteLedger(path), [MAJOR])
    assert again.standing == before
    assert again.report().conserved
    table.office = again
    (valued,) = [one for one in table.ping()[1] if isinstance(one, Valued)]
    table.confirm(1, "1.1", valued.award_minor)
    table.end(1, STAKE, valued.award_minor, 1)
    assert again.report().conserved, "rounds and claims of before the closing are known"
    again.close()


def test_a_period_that_is_archived_says_where_it_is_and_the_ledger_goes_on(path: Path) -> None:
    office = Office(SqliteLedger(path), [MAJOR])
    table = Sender(office)
    table.play(1, 1)
    office.close_period("2026-03-04")
    table.play(2, 1)
    office.close_period("2026-03-05")
    table.play(3, 1)
    office.close()
    with closing(SqliteLedger(path)) as ledger:
        first, _ = ledger.closings()
        ledger.detach(first, "tape 7")
        assert [closing.archived for closing in ledger.closings()] == ["tape 7", ""]
        assert [letter.sequence for letter in ledger.letters()] == [4, 5, 6, 7, 8, 9]
        assert ledger.broken_chain(whole=True) == ""
        standing = standing_in(ledger, Procedure())
        with pytest.raises(LedgerError, match="The period 2026-03-04 is archived: it is in tape 7"):
            report_of(ledger, standing, Period(0, 1, day="2026-03-04"))
        assert report_of(ledger, standing, Period(0, 1, day="2026-03-05")).meters[0].flow.wagers == 1
    with closing(Office(SqliteLedger(path), [MAJOR])) as again:
        table.office = again
        table.end(3, STAKE, 0, 1)
        assert again.report().conserved


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
        assert "has lost" in said or "damaged" in said or "not what was written" in said, said


def test_a_whole_write_ahead_log_opens_after_a_crash(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crashed"
    folder.mkdir()
    office = Office(SqliteLedger(torn_off(path, folder)), [MAJOR])
    assert next(journals_in(office.standing)).highest == 87
    office.close()


def test_a_log_that_was_taken_away_is_missed(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crashed"
    folder.mkdir()
    crashed = torn_off(path, folder)
    (folder / f"{path.name}-wal").unlink()
    assert "has lost" in problem_of(crashed)


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
    assert [entry.code for entry in ledger.entries(Code.ALARM)] == [Code.ALARM]
    office.close()
