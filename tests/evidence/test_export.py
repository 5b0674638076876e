"""One script with nothing but Python checks an export offline, and finds one changed byte anywhere in it."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.commands import verify_export
from felt.commands.verify_digests import Parts, parts_of
from felt.commands.verify_export import export_to
from felt.config import Config, ConfigError, load
from felt.evidence import export, felt_check
from felt.evidence.felt_check import Wrong, check_export, read_checkpoints, walk
from felt.evidence.signing import SigningKey
from felt.journal.reading import read_records, whole_segments
from felt.ports import Disk
from felt.table.settings import code_digest
from tests.evidence.evening import BEGIN, ROUND, SignedTable, flipped

CARD = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][cdhs](?![A-Za-z0-9])")
SCRIPT = Path(felt_check.__file__)
NOW_NS = 1_794_843_764_686_146_318


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> SignedTable:
    return SignedTable(tmp_path_factory.mktemp("table"))


def exported(table: SignedTable, folder: Path, role: str = "") -> Path:
    export_to(folder, load(table.config_file), role, NOW_NS)
    return folder


def run_script(*words: str) -> subprocess.CompletedProcess[str]:
    """Isolated, without site packages: what a laboratory's computer has."""
    command = [sys.executable, "-I", "-S", str(SCRIPT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("role", ["", "supervisor"])
def test_a_laboratory_checks_it_with_the_script_alone(table: SignedTable, tmp_path: Path, role: str) -> None:
    folder = exported(table, tmp_path / "export", role)
    assert table.key is not None
    answer = run_script(str(folder), "--key", table.key.public.hex())
    assert answer.returncode == 0, answer.stderr
    redacted = "redacted: signature and manifest checked; the chain needs the supervisor's export"
    assert ("3 checkpoints hold" if role else redacted) in answer.stdout
    assert run_script(str(folder), "--key", table.key.public.hex().upper()).returncode == 0
    wrong_key = run_script(str(folder), "--key", "0" * 64)
    assert (wrong_key.returncode, wrong_key.stdout) == (1, "")
    assert "DOES NOT HOLD" in wrong_key.stderr
    assert run_script().returncode == 2


def test_the_script_is_small_and_needs_only_the_standard_library() -> None:
    source = SCRIPT.read_text()
    assert len(source.splitlines()) < 360
    imported = set(re.findall(r"^(?:from|import) (\w+)", source, re.MULTILINE))
    assert imported <= set(sys.stdlib_module_names)


def test_only_its_owner_may_read_an_export_and_nothing_is_mixed_in(table: SignedTable, tmp_path: Path) -> None:
    folder = exported(table, tmp_path / "export", "supervisor")
    assert {file.stat().st_mode & 0o777 for file in folder.rglob("*") if file.is_file()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    with pytest.raises(ConfigError, match="not empty"):
        exported(table, folder)


def test_cards_leave_the_house_with_a_supervisor_s_role_only(table: SignedTable, tmp_path: Path) -> None:
    plain = (exported(table, tmp_path / "plain") / "events" / "events-00000001.jsonl").read_text()
    whole = (exported(table, tmp_path / "whole", "supervisor") / "journal" / "journal-00000001.felt").read_text()
    assert not CARD.search(plain)
    assert CARD.search(whole)
    assert plain.count('"CardDealt"') == whole.count('"CardDealt"') == 12
    original = (table.journal / "journal-00000001.felt").read_text()
    assert original.startswith(whole)
    events = [json.loads(line) for line in plain.splitlines()]
    assert [event["seq"] for event in events] == [record.seq for record in read_records(table.stage.evening.disk)]


def test_without_the_role_no_digest_over_a_card_leaves_the_house(table: SignedTable, tmp_path: Path) -> None:
    """With a digest, trying all 52 cards would find one that was left out."""
    folder = exported(table, tmp_path / "export")
    told = "".join(file.read_text() for file in folder.rglob("*") if file.is_file())
    disk = table.stage.evening.disk
    lines = [line.split() for _, content in whole_segments(disk) for line in content.decode().splitlines()]
    digests = {word for line in lines for word in line[-2:]} - {"-"}
    for kind in ('"SnapshotTaken"', '"Configured"'):
        payloads = [record.payload for record in read_records(disk) if kind in record.payload]
        digests |= {json.loads(payload)["digest"] for payload in payloads}
    assert len(digests) > 80
    assert not [digest for digest in digests if digest in told]
    about = json.loads((folder / "about.json").read_text())
    assert "journal" not in about["digests"]
    whole = exported(table, tmp_path / "whole", "supervisor")
    assert json.loads((whole / "about.json").read_text())["digests"]["journal"] not in told


def test_no_secret_is_exported(table: SignedTable, tmp_path: Path) -> None:
    folder = exported(table, tmp_path / "export", "supervisor")
    texts = "".join(file.read_text() for file in folder.rglob("*") if file.is_file())
    assert table.key_file.read_text().split()[-1] not in texts
    assert "1231" not in (folder / "configuration.json").read_text()
    assert code_digest("T1", "1231") not in (folder / "configuration.json").read_text()
    assert '"dealers":["Kim"]' in (folder / "configuration.json").read_text()


@pytest.mark.timeout(1800)  # at full size, every byte
@pytest.mark.parametrize("role", ["", "supervisor"])
def test_one_changed_byte_anywhere_is_found(table: SignedTable, tmp_path: Path, full: bool, role: str) -> None:
    folder = exported(table, tmp_path / "export", role)
    assert table.key is not None
    key = table.key.public.hex()
    check_export(folder, key)
    chance = random.Random(5)
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = file.read_bytes()
        places = range(len(content))
        for place in places if full else chance.sample(places, min(len(places), 25)):
            file.write_bytes(flipped(content, place, chance.randrange(8)))
            with pytest.raises((Wrong, ValueError, KeyError, OSError)):
                check_export(folder, key)
        file.write_bytes(content[:-1])
        with pytest.raises((Wrong, ValueError, KeyError, OSError)):
            check_export(folder, key)
        file.write_bytes(content)
    check_export(folder, key)


def test_the_chain_finds_every_changed_byte_of_the_journal_by_itself(
    table: SignedTable, tmp_path: Path, full: bool
) -> None:
    """An intruder who can write a new manifest still has to write a new journal, and then the checkpoints."""
    folder = exported(table, tmp_path / "export", "supervisor")
    names = ["journal/journal-00000001.felt", "journal/journal-00000002.felt"]
    segments = [(name, (folder / name).read_bytes()) for name in names]
    whole = walk(segments)
    chance = random.Random(6)
    for which, (name, content) in enumerate(segments):
        places = range(len(content))
        for place in places if full else chance.sample(places, min(len(places), 150)):
            others = list(segments)
            others[which] = (name, flipped(content, place, chance.randrange(8)))
            try:
                found = walk(others)
            except (Wrong, ValueError, KeyError, TypeError):
                continue
            raise AssertionError(f"{name}, byte {place}: {found} in place of {whole}")


@pytest.mark.parametrize("lost", ["checkpoints.felt", "MANIFEST.sig", "public.key", "journal/journal-00000001.felt"])
def test_a_missing_file_is_named(table: SignedTable, tmp_path: Path, lost: str) -> None:
    folder = exported(table, tmp_path / "export", "supervisor")
    (folder / lost).unlink()
    answer = run_script(str(folder))
    assert answer.returncode == 1
    assert lost in answer.stderr


def test_where_the_key_is_a_credential_an_export_without_it_is_refused_with_the_remedy(
    table: SignedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load(table.config_file, ['journal.key=""'])
    with pytest.raises(ConfigError, match=r"systemd-run .*LoadCredential=journal.key:.*--export .*journal.key=FILE"):
        export_to(tmp_path / "export", config, "", NOW_NS)
    assert not (tmp_path / "export").exists()
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(table.folder))
    assert export_to(tmp_path / "export", config, "", NOW_NS).is_signed


def test_an_unsigned_export_passes_only_for_a_checker_who_accepts_it(tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    table = SignedTable(tmp_path / "table", with_key=False)
    folder = exported(table, tmp_path / "export", "supervisor")
    answer = run_script(str(folder))
    assert (answer.returncode, "the manifest is not signed" in answer.stderr) == (1, True)
    accepted = run_script(str(folder), "--unsigned")
    assert (accepted.returncode, "NOT SIGNED" in accepted.stdout) == (0, True)
    refused = run_script(str(folder), "--key", "0" * 64)
    assert (refused.returncode, "the export is not signed" in refused.stderr) == (1, True)


def test_an_export_that_fails_leaves_nothing(
    table: SignedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "there").mkdir()
    for folder in (tmp_path / "new" / "export", tmp_path / "there"):
        with monkeypatch.context() as late:
            late.setattr(SigningKey, "seal_of_manifest", full_disk)
            with pytest.raises(OSError, match="No space"):
                exported(table, folder)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["there"]


def test_a_table_that_plays_on_while_it_is_exported_spoils_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn comes after the digests were taken, or a turn with its checkpoint after the segments were read."""
    (tmp_path / "table").mkdir()
    table = SignedTable(tmp_path / "table", BEGIN + ROUND * 2)
    segment, attested = table.journal / "journal-00000001.felt", table.journal / "checkpoints.felt"
    records, lines = (file.read_bytes().splitlines(keepends=True) for file in (segment, attested))
    first = read_checkpoints(lines[0])[0].seq

    def play(how_far: int, checkpoints: int) -> None:
        segment.write_bytes(b"".join(records[:how_far]))
        attested.write_bytes(b"".join(lines[:checkpoints]))

    def while_segments_are_read(disk: Disk) -> Iterator[tuple[str, bytes]]:
        yield from whole_segments(disk)
        play(len(records), 2)

    def after_the_digests(config: Config) -> Parts:
        found = parts_of(config)
        play(len(records), 1)
        return found

    assert table.key is not None
    for module, name, change in (
        (export, "whole_segments", while_segments_are_read), (verify_export, "parts_of", after_the_digests)
    ):  # fmt: skip
        play(first, 1)
        with monkeypatch.context() as playing:
            playing.setattr(module, name, change)
            folder = exported(table, tmp_path / name, "supervisor")
        told = check_export(folder, table.key.public.hex())
        assert f"1 checkpoints hold, 1 signed up to record {first}" in told[1]


def test_an_added_file_is_named(table: SignedTable, tmp_path: Path) -> None:
    folder = exported(table, tmp_path / "export", "supervisor")
    shutil.copy(folder / "README.txt", folder / "journal" / "more.txt")
    assert "journal/more.txt is not in the manifest" in run_script(str(folder)).stderr
    (folder / "journal" / "more.txt").unlink()
    (folder / "journal" / "empty").mkdir()
    assert "journal/empty is not in the manifest" in run_script(str(folder)).stderr
    (folder / "journal" / "empty").rmdir()
    for target in ("/etc", "/nowhere", "README.txt"):
        (folder / "link").symlink_to(target)
        assert "link is not in the manifest" in run_script(str(folder)).stderr
        (folder / "link").unlink()
    (folder / "README.txt").rename(tmp_path / "README.txt")
    (folder / "README.txt").symlink_to(tmp_path / "README.txt")
    assert "README.txt is not a regular file" in run_script(str(folder)).stderr


def test_a_journal_rewritten_with_its_manifest_fails_at_the_checkpoints(table: SignedTable, tmp_path: Path) -> None:
    """Somebody without the key makes a whole new chain and signs the manifest with a key of his own."""
    from felt.evidence.signing import key_of_seed
    from felt.journal.record import write_line

    folder = exported(table, tmp_path / "export", "supervisor")
    segment, chain, forged = folder / "journal" / "journal-00000001.felt", "0" * 64, []
    for number, line in enumerate(segment.read_text().splitlines(), 1):
        payload, digest = line.split(" ", 2)[2].rsplit(" ", 2)[:2]
        changed = payload.replace('"spot":"1.ante"', '"spot":"2.ante"')
        text, chain = write_line(number, changed, None if digest == "-" else digest, chain)
        forged.append(text)
    segment.write_bytes(b"".join(forged))
    (folder / "journal" / "journal-00000002.felt").unlink()
    thief = key_of_seed(b"t" * 32)
    (folder / "public.key").write_text(f"{thief.public.hex()}\n{(folder / 'public.key').read_text()}")
    names = [str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()]
    listed = {name: felt_check.digest_of((folder / name).read_bytes()) for name in names if "MANIFEST" not in name}
    manifest = felt_check.listing(listed).encode()
    (folder / "MANIFEST").write_bytes(manifest)
    (folder / "MANIFEST.sig").write_bytes(thief.seal_of_manifest(manifest))
    with pytest.raises(Wrong, match="checkpoint 1"):
        check_export(folder, "")
    assert table.key is not None
    with pytest.raises(Wrong, match="registered"):
        check_export(folder, table.key.public.hex())
