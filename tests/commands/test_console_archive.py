"""What the console reads from the disk, from journals of whole stories."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from felt.commands.console_archive import DiskArchive
from felt.config import ConfigError, load
from felt.config.people import ListedPerson, Role, digest_of, read_people, write_people
from felt.journal.reading import read_records
from felt.stories.playing import play, play_file
from felt.stories.script import parse_story
from felt.stories.stage import StoryStage

STORIES = Path(__file__).parent.parent / "rounds" / "progressive_3_card_poker"
CARD = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][cdhs](?![A-Za-z0-9])")

MANY = """story: Twelve rounds in three eras
""" + "supervisor opens the table\n" + """press open
bets box 1: ante $25
press no more bets
wait until DEALING
deal
fold box 1
press reveal
press settle
lift 1.ante
press settle
""" * 4


def archive_of(stage: StoryStage, folder: Path) -> DiskArchive:
    journal = folder / "journal"
    journal.mkdir(mode=0o700)
    for name in stage.evening.disk.names():
        (journal / name).write_bytes(stage.evening.disk.read(name))
    table_file = folder / "table.toml"
    table_file.write_text('[dealers]\nKim = "1231"\n')
    return DiskArchive(load(table_file))


def test_the_last_ten_rounds_are_told_in_full_across_eras(tmp_path: Path) -> None:
    eras = "stop in good order\nboot\n".join([MANY, *[MANY.partition("\n")[2]] * 2])
    archive = archive_of(play(parse_story(eras, "many"), "many"), tmp_path)
    told = list(archive.rounds(10, ""))
    assert [line.split(":")[0] for line in told if line.startswith("round ")] == [f"round {n}" for n in range(3, 13)]
    assert sum("box 1 ante" in line for line in told) == 10
    assert next(iter(archive.round(2, ""))).startswith("round 2:")
    assert list(archive.round(99, "")) == ["No round 99 has ended in this journal."]


def test_a_folded_hand_is_for_a_supervisor_s_eyes(tmp_path: Path) -> None:
    stage = play_file(STORIES / "fold_loses_pair_plus.round")
    archive = archive_of(stage, tmp_path)
    seen, hidden = list(archive.round(1, "supervisor")), list(archive.round(1, "technician"))
    assert any("##" in line for line in hidden)
    assert not any("##" in line for line in seen)


def test_the_tail_of_the_journal_shows_no_cards(tmp_path: Path) -> None:
    archive = archive_of(play_file(STORIES / "fold_loses_pair_plus.round"), tmp_path)
    told = "\n".join(archive.tail(500, "technician"))
    dealt = r"^\S+Z T1:00c0ffee:\d+ CardDealt: A card left the shuffler \(message \d+\): ##\.$"
    assert re.search(dealt, told, re.MULTILINE)
    assert not CARD.search(told)
    assert CARD.search("\n".join(archive.tail(500, "supervisor")))


def test_an_export_is_json_lines_with_the_chain_for_a_supervisor(tmp_path: Path) -> None:
    stage = play_file(STORIES / "fold_loses_pair_plus.round")
    archive = archive_of(stage, tmp_path)
    exported = [json.loads(line) for line in archive.export(5, "supervisor")]
    last = list(read_records(stage.evening.disk))[-5:]
    assert [event["chain"] for event in exported] == [record.chain for record in last]


@pytest.mark.parametrize("role", ["", "viewer", "dealer", "technician"])
def test_who_may_not_see_cards_gets_no_digest_over_them(role: str, tmp_path: Path) -> None:
    """A chain value or a table's digest tells a card in 52 tries."""
    stage = play_file(STORIES / "fold_loses_pair_plus.round")
    archive = archive_of(stage, tmp_path)
    records = list(read_records(stage.evening.disk))
    digests = {record.chain for record in records} | {record.digest for record in records if record.digest}
    digests |= {json.loads(record.payload)["digest"] for record in records if '"SnapshotTaken"' in record.payload}
    for told in ("\n".join(archive.tail(500, role)), "\n".join(archive.export(500, role))):
        assert '"SnapshotTaken"' in told or "SnapshotTaken:" in told
        assert not [digest for digest in digests if digest[:16] in told]


def test_a_jackpot_is_told_with_who_confirmed_it(tmp_path: Path) -> None:
    archive = archive_of(play_file(STORIES / "denied_claim.round"), tmp_path)
    assert any("denied by" in line for line in archive.hits(25))


def test_a_jackpot_that_waits_is_told_too(tmp_path: Path) -> None:
    told = (STORIES / "denied_claim.round").read_text().partition("denies")[0].rpartition("\n")[0]
    archive = archive_of(play(parse_story(told, "waiting"), "waiting"), tmp_path)
    assert [line for line in archive.hits(25) if "in play" in line and line.endswith("waits")]


def test_a_damaged_journal_is_one_sentence(tmp_path: Path) -> None:
    archive = archive_of(play_file(STORIES / "plain_round.round"), tmp_path)
    segment = next((tmp_path / "journal").glob("*"))
    content = segment.read_bytes()
    segment.write_bytes(content[:300] + b"X" + content[301:])
    assert "cannot be read" in " ".join(archive.rounds(10, ""))
    assert "cannot be read" in " ".join(archive.tail(10, ""))


def test_the_last_ten_versions_of_the_software_are_listed(tmp_path: Path) -> None:
    eras = "".join(f"firmware 1.{n} is installed\nstop in good order\nboot\n" for n in range(12))
    archive = archive_of(play(parse_story(f"story: Upgrades\n{eras}", "upgrades"), "upgrades"), tmp_path)
    listed = [line.split()[-2] for line in archive.versions() if line.startswith("since")]
    assert listed == [f"1.{n}" for n in range(2, 12)]


def test_no_dealer_s_code_is_shown(tmp_path: Path) -> None:
    archive = archive_of(play_file(STORIES / "plain_round.round"), tmp_path)
    told = "\n".join(archive.configuration())
    assert "Kim" in told
    assert "1231" not in told


def test_people_are_kept_in_a_file_of_their_own_user(tmp_path: Path) -> None:
    file = tmp_path / "people.toml"
    write_people(file, {"Tess": ListedPerson(Role.TECHNICIAN, digest_of("2222"), "T-77")})
    assert file.stat().st_mode & 0o777 == 0o600
    assert "2222" not in file.read_text()
    assert read_people(file)["Tess"].licence == "T-77"
    file.chmod(0o640)
    with pytest.raises(ConfigError, match="others may read this file"):
        read_people(file)


def test_rounds_that_end_while_the_console_is_open_are_told_too(tmp_path: Path) -> None:
    whole = play(parse_story(MANY, "many"), "many")
    archive = archive_of(whole, tmp_path)
    files = {file: file.read_bytes() for file in (tmp_path / "journal").iterdir()}
    last = max(files, key=lambda file: len(files[file]))
    lines = files[last].splitlines(keepends=True)
    third = [place for place, line in enumerate(lines) if b'"SnapshotTaken"' in line][2]
    last.write_bytes(b"".join(lines[: third + 1]))
    assert sum(line.startswith("round ") for line in archive.rounds(10, "")) == 3
    last.write_bytes(files[last])
    assert sum(line.startswith("round ") for line in archive.rounds(10, "")) == 4


@pytest.mark.parametrize(("role", "seen"), [("", False), ("dealer", False), ("viewer", False), ("supervisor", True)])
def test_what_the_shuffler_sent_and_what_people_wrote_of_cards_is_for_a_supervisor(
    role: str, seen: bool, tmp_path: Path
) -> None:
    archive = archive_of(play_file(STORIES / "evidence_names_a_card.round"), tmp_path)
    for told in ("\n".join(archive.tail(500, role)), "\n".join(archive.export(500, role))):
        assert ("7e0041734b737e" in told) is seen
        assert ("As and Ks lie in box 2" in told) is seen
    assert "7e0041734b737e" not in "\n".join(archive.rounds(10, role))
