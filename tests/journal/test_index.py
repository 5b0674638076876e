"""The index answers questions and is never trusted: missing, foreign or broken, it is built again."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.journal import open_journal, read_records
from felt.journal.index import Index, IndexUnlinked
from felt.virtual.disk import ForgetfulDisk
from tests.journal.evening import HEADER, digest

WALL_NS = 1_700_000_000_000_000_000


def fact(name: str, number: int, round_number: int | None = None) -> str:
    plain = {"fact": name, "at": ["boot", number, WALL_NS + number], "cards": "As Kd"}
    return json.dumps(plain if round_number is None else {**plain, "round": round_number})


def journal(rounds: int, nonce: str = "one") -> ForgetfulDisk:
    """A booted table, then rounds of three facts, a new segment after each."""
    disk = ForgetfulDisk()
    store = open_journal(disk, json.dumps({"nonce": nonce})).store
    store.append_turn([fact("Booted", 0)], digest(0))
    for number in range(1, rounds + 1):
        store.append_turn([fact("ChipSeen", number * 10, number)], digest(number))
        store.append_turn(
            [fact("LetterPosted", number * 10 + 1, number), fact("FaultRaised", number * 10 + 2)], digest(number)
        )
        store.rotate(HEADER)
    return disk




@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


@pytest.fixture
def index(path: Path) -> Iterator[Index]:
    made = Index(path)
    yield made
    made.close()


def test_rounds_are_listed_oldest_first(index: Index) -> None:
    index.catch_up(read_records(journal(5)))
    assert [found.round for found in index.rounds(last=3)] == [3, 4, 5]
    last = index.rounds(last=1)[0]
    assert (last.first_wall_ns, last.last_wall_ns, last.facts) == (WALL_NS + 50, WALL_NS + 51, 2)
    assert last.last_seq == last.first_seq + 1


def test_facts_are_found_by_name_family_time_and_round(index: Index) -> None:
    index.catch_up(read_records(journal(5)))
    assert [found.round for found in index.facts("ChipSeen")] == [1, 2, 3, 4, 5]
    assert {found.fact for found in index.facts("Letter*")} == {"LetterPosted"}
    assert [found.fact for found in index.facts(since=WALL_NS + 51)] == ["LetterPosted", "FaultRaised"]
    assert [found.fact for found in index.facts(round_number=2)] == ["ChipSeen", "LetterPosted"]
    assert [found.wall_ns - WALL_NS for found in index.facts(limit=2)] == [51, 52]
    assert index.facts("NoSuchFact") == []


def test_payloads_pass_through_the_callers_redaction(index: Index) -> None:
    index.catch_up(read_records(journal(1)))
    shown = index.facts("ChipSeen", redact=lambda payload: payload.replace("As Kd", "??"))
    assert "As" not in shown[0].payload
    assert "??" in shown[0].payload


def test_catching_up_adds_only_what_is_new(index: Index) -> None:
    disk = journal(3)
    assert index.catch_up(read_records(disk)) == 10
    assert index.catch_up(read_records(disk)) == 0
    store = open_journal(disk, HEADER).store
    store.append_turn([fact("ChipSeen", 99, 4)], digest(9))
    assert index.refresh(lambda first: read_records(disk, first)) == 1
    store.append_turn([fact("ChipSeen", 100, 4)], digest(9))
    assert index.catch_up(read_records(disk, index.head_seq + 1)) == 1
    assert index.catch_up([]) == 0
    assert [found.round for found in index.rounds()] == [1, 2, 3, 4]


def test_records_with_a_gap_before_them_are_refused_and_change_nothing(index: Index) -> None:
    disk = journal(3)
    everything = list(read_records(disk))
    index.catch_up(everything[:4])
    with pytest.raises(IndexUnlinked, match="does not continue"):
        index.catch_up(everything[6:])
    assert index.head_seq == everything[3].seq


def test_an_index_of_another_journal_is_built_again(index: Index) -> None:
    index.catch_up(read_records(journal(4)))
    other = journal(2, nonce="two")
    assert index.refresh(lambda first: read_records(other, first)) == 7
    assert [found.round for found in index.rounds()] == [1, 2]
    longer = journal(6, nonce="three")
    assert index.refresh(lambda first: read_records(longer, first)) == 19
    assert [found.round for found in index.rounds()] == [1, 2, 3, 4, 5, 6]


def test_an_index_that_knows_more_than_the_journal_is_built_again(index: Index) -> None:
    disk = journal(2)
    everything = list(read_records(disk))
    index.catch_up(everything)
    shorter = everything[:3]
    assert index.refresh(lambda first: [record for record in shorter if record.seq >= first]) == 3
    assert index.head_seq == shorter[-1].seq


def test_the_index_outlives_its_process(path: Path) -> None:
    first = Index(path)
    first.catch_up(read_records(journal(2)))
    first.close()
    second = Index(path)
    assert len(second.rounds()) == 2
    second.close()


@pytest.mark.parametrize("junk", [b"no database, only a text" * 100, b"SQLite format 3\x00" + b"x" * 4096])
def test_a_broken_file_is_built_again(path: Path, junk: bytes) -> None:
    path.write_bytes(junk)
    index = Index(path)
    assert index.catch_up(read_records(journal(1))) == 4
    index.close()


def test_an_index_of_another_shape_is_built_again(path: Path) -> None:
    script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA user_version = 99'); c.close()"
    subprocess.run([sys.executable, "-c", script, str(path)], check=True)
    index = Index(path)
    assert index.catch_up(read_records(journal(1))) == 4
    index.close()


def test_its_files_are_for_their_owner_alone(index: Index, path: Path) -> None:
    index.catch_up(read_records(journal(1)))
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.glob("index.sqlite*")} == {0o600}


def test_sqlite_is_not_loaded_with_the_journal() -> None:
    script = "import sys, felt.journal, felt.journal.index; sys.exit('sqlite3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
