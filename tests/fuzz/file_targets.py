"""What the firmware reads from disks: configuration files, the files of a journal, and stories."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from felt.config.boards import load_profile
from felt.config.errors import ConfigError
from felt.config.jackpot_file import load_jackpot
from felt.config.loading import DEFAULTS, DEMO_TABLES, load
from felt.config.people import read_people, write_people
from felt.config.writing import to_toml
from felt.evidence.checkpoints import AttestedJournal, CheckpointWriter, read_attested, refuse_lost_end
from felt.evidence.felt_check import CHECKPOINTS
from felt.journal import JournalError, open_journal
from felt.journal.reading import audit, head_of, last_records, read_records
from felt.journal.snapshot import read_snapshot, write_snapshot
from felt.journal.store import Head
from felt.stories.errors import StoryError
from felt.stories.script import parse_story
from tests.fuzz.target import Target, is_one_sentence
from tests.journal.evening import HEADER, content_of, disk_with, small_journal, turn, turns_in
from tests.journal.test_snapshot import evening_with_snapshots
from tests.rounds import test_rounds  # importing them makes their sentences known

ROOT = Path(__file__).resolve().parents[2]

# --- configuration -----------------------------------------------------------------------------------


def _refused_or(read: Callable[[Path], None], content: bytes, name: str = "some.toml") -> None:
    """Reads the content in a folder of its own. A refusal is one sentence that begins with the file's name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        path.chmod(0o600)
        try:
            read(path)
        except ConfigError as error:
            assert is_one_sentence(error), str(error)
            assert str(error).startswith(folder), str(error)


def _table(path: Path) -> None:
    config = load(path)
    again = path.with_name("again.toml")
    again.write_text(to_toml(config.sections()), encoding="utf-8")
    assert load(again).digest == config.digest


def _people(path: Path) -> None:
    people = read_people(path)
    again = path.with_name("again.toml")
    write_people(again, people)
    assert read_people(again) == people


def check_table(content: bytes) -> None:
    _refused_or(_table, content)


def check_jackpot(content: bytes) -> None:
    _refused_or(lambda path: (load_jackpot(path).meter_terms(), None)[1], content)


def check_people(content: bytes) -> None:
    _refused_or(_people, content)


def check_board(content: bytes) -> None:
    _refused_or(lambda path: (load_profile(path).late_ms_max(), None)[1], content)


JACKPOT = b"""[meters.major]
reset_minor = 5000000
rate_bp = 300
[meters.minor]
reset_minor = 1000
rate_bp = 100
limit_minor = 2000
[procedure]
claim_wait_s = 600
[reports]
shifts = ["06:00", "14:00", "22:00"]
"""


def _people_file() -> list[bytes]:
    digest = "scrypt$" + "A" * 22 + "==$" + "A" * 43 + "="
    return [f'[{name}]\nrole = "{role}"\npin = "{digest}"\nlicence = "L-1"\n'.encode() for name, role in _ROLES]


_ROLES = (("Ada", "supervisor"), ("Tess", "technician"), ("Max", "shift_manager"))


def _jackpot_files() -> list[bytes]:
    return [JACKPOT, *(path.read_bytes() for path in (ROOT / "tools").glob("debian/jackpot.toml"))]


def _of(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob("*.toml"))]


JOURNAL = AttestedJournal("T1", "ef" * 32, "01" * 32)

# --- the journal -------------------------------------------------------------------------------------


@cache
def _files() -> dict[str, bytes]:
    return small_journal()


def check_segment(content: bytes) -> None:
    """Puts the content in place of the last segment. What is believed is a beginning of the truth, what is refused
    stays untouched, and every other reader says the same or refuses too."""
    last = max(_files())
    files = {**_files(), last: content}
    disk = disk_with(files)
    for read in (audit, head_of, lambda disk: last_records(disk, 3), lambda disk: list(read_records(disk))):
        try:
            read(disk_with(files))
        except JournalError as error:
            assert is_one_sentence(error), str(error)
    try:
        opened = open_journal(disk, HEADER)
    except JournalError as error:
        assert is_one_sentence(error), str(error)
        assert content_of(disk) == files
        return
    turns = turns_in(opened.records)
    assert turns == [turn(number) for number in range(6)][: len(turns)]
    again = open_journal(disk, HEADER)
    assert (again.records, again.torn, again.store.head) == (opened.records, None, opened.store.head)


@cache
def _snapshots() -> dict[str, bytes]:
    return content_of(evening_with_snapshots())


def check_snapshot(content: bytes) -> None:
    """Puts the content in place of the latest snapshot. The journal is found as it is, from an older snapshot or from
    none."""
    found = read_snapshot(content)
    assert found is None or read_snapshot(write_snapshot(found)) == found
    latest = max(name for name in _snapshots() if name.startswith("snapshot"))
    opened = open_journal(disk_with({**_snapshots(), latest: content}), HEADER)
    turns = turns_in(opened.records)
    assert turns == [turn(number) for number in range(10)][10 - len(turns) :]
    assert len(turns) >= 2


def check_checkpoints(content: bytes) -> None:
    """Puts the content in place of the checkpoints beside a journal. A writer goes on after them, a reader says what is
    wrong, and nothing is lost."""
    disk = disk_with({CHECKPOINTS: content})
    checkpoints = CheckpointWriter(disk, JOURNAL, None, 1)
    kept = disk.read(CHECKPOINTS) + b"".join(disk.read(name) for name in disk.names() if name.startswith("torn"))
    assert kept == content
    checkpoints.attest(Head(9, "cd" * 32), 5)
    attested = read_attested(disk)
    assert bool(attested.checkpoints) != bool(attested.problems)
    assert all(is_one_sentence(problem) for problem in attested.problems), attested.problems
    with contextlib.suppress(JournalError):
        refuse_lost_end(disk, JOURNAL.genesis, Head(9, "cd" * 32))


def _checkpoints() -> list[bytes]:
    disk = disk_with({})
    checkpoints = CheckpointWriter(disk, JOURNAL, None, 1)
    for seq in (3, 7):
        checkpoints.attest(Head(seq, "ab" * 32), seq)
    return [disk.read(CHECKPOINTS)]


# --- stories -----------------------------------------------------------------------------------------


def check_story(content: bytes) -> None:
    try:
        story = parse_story(content.decode("utf-8", "replace"), "some.round")
    except StoryError as error:
        assert str(error)
        assert "\n" not in str(error)
    else:
        assert story.lines


def _stories() -> Sequence[bytes]:
    folder = Path(test_rounds.__file__).parent
    return [path.read_bytes() for path in sorted(folder.glob("*/*.round"))[::20]]


SECTIONS = (
    b"[table]", b"[game]", b"[meters.x]", b"[lock]", b"drain_ms = ", b"[progressive.meters.major]", b"[[input]]",
    b"id = ", b'"""', b"1979-05-27", b"inf", b"0x10", b"\t",
)  # fmt: skip
FILES: dict[str, Target] = {
    "table-file": Target(check_table, lambda: [DEFAULTS.read_bytes(), *_of(DEMO_TABLES)], SECTIONS, 15),
    "jackpot-file": Target(check_jackpot, _jackpot_files, SECTIONS, 30),
    "people-file": Target(check_people, _people_file, (b"role = ", b"pin = ", b"scrypt$"), 20),
    "board-profile": Target(check_board, lambda: _of(ROOT / "hw" / "boards"), SECTIONS, 10),
    "journal-segment": Target(check_segment, lambda: [_files()[max(_files())]], (b" - ", b"\n"), 30),
    "journal-snapshot": Target(
        check_snapshot,
        lambda: [content for name, content in _snapshots().items() if name.startswith("snapshot")],
        (b"\n",),
        30,
    ),
    "checkpoints": Target(check_checkpoints, _checkpoints, (b"felt-checkpoint-1 ", b"sha256:", b"ed25519:", b"\n"), 30),
    "story": Target(check_story, _stories, (b'"', b"#", b" times", b"repeat "), 20),
}
