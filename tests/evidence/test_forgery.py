"""Every checker finds a history that was rewritten without the table's key: by the keys that signed it, by what the
last good audit saw, and by the registered key."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from felt import cli
from felt.commands.verify_export import export_to
from felt.config import load
from felt.evidence import felt_check
from felt.evidence.checkpoints import write_checkpoint
from felt.evidence.felt_check import CHECKPOINTS, Wrong, check_export, digest_of, listing, read_checkpoints
from felt.evidence.signing import SigningKey, key_of_seed
from felt.journal.record import write_line
from tests.evidence.evening import BEGIN, ROUND, SignedTable

THIEF = key_of_seed(b"t" * 32)
ISOLATED = [sys.executable, "-I", "-S", str(Path(felt_check.__file__))]


def felt(*words: str) -> int:
    try:
        return cli.main(words)
    except SystemExit as left:
        return int(left.code or 0)


def own_key(table: SignedTable) -> SigningKey:
    assert table.key is not None
    return table.key


def rewrite(table: SignedTable, *, last_by_the_table: bool) -> None:
    """Writes every record anew with checksums and chain, and signs the old checkpoints with the thief's own key. The
    table makes the last checkpoint itself, once the forged journal is back in its box."""
    segment, attested = table.journal / "journal-00000001.felt", table.journal / CHECKPOINTS
    chain, lines, chains = "0" * 64, [], dict[int, str]()
    for number, line in enumerate(segment.read_text().splitlines(), 1):
        payload, digest = line.split(" ", 2)[2].rsplit(" ", 2)[:2]
        payload = payload.replace('"person":"supervisor"', '"person":"Innocent"')
        text, chain = write_line(number, payload, None if digest == "-" else digest, chain)
        lines.append(text)
        chains[number] = chain
    segment.write_bytes(b"".join(lines))
    for snapshot in table.journal.glob("snapshot*"):
        snapshot.unlink()
    checkpoints, forged, before = read_checkpoints(attested.read_bytes()), b"", "0" * 64
    for checkpoint in checkpoints:
        key = own_key(table) if last_by_the_table and checkpoint is checkpoints[-1] else THIEF
        chain, public = chains[checkpoint.seq], key.public.hex()
        made = checkpoint._replace(journal=chains[1], chain=chain, public=public, before=before)
        forged += write_checkpoint(made, key)
        before = digest_of(forged.splitlines()[-1])
    attested.write_bytes(forged)


@pytest.fixture
def table(tmp_path: Path) -> SignedTable:
    (tmp_path / "table").mkdir()
    return SignedTable(tmp_path / "table", BEGIN + ROUND * 2)


@pytest.mark.parametrize("last_by_the_table", [True, False])
def test_a_history_rewritten_without_the_key_is_found_by_all_who_check(
    last_by_the_table: bool, table: SignedTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(table, last_by_the_table=last_by_the_table)
    config = ["--config", str(table.config_file)]
    for words in (["verify", "--full"], ["audit"]):
        assert felt(words[0], *config, *words[1:]) == 1
        said = "".join(capsys.readouterr())
        assert f"checkpoint 1 is not signed by a known key, but by {THIEF.public.hex()}" in said
    export_to(tmp_path / "export", load(table.config_file), "supervisor", 1)
    for key in (own_key(table).public.hex(), ""):
        with pytest.raises(Wrong, match="checkpoint 1 is not signed by a known key"):
            check_export(tmp_path / "export", key)


def test_the_audit_needs_no_secret_to_know_whose_checkpoints_count(
    table: SignedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    """The nightly audit cannot read the key; its public half stands in the settings."""
    words = ["audit", "--config", str(table.config_file), "--set", 'journal.key=""', "--set"]
    own = own_key(table).public.hex()
    assert felt(*words, f'journal.public_keys=["{own}"]') == 0
    shutil.rmtree(table.folder / "audit")
    rewrite(table, last_by_the_table=False)
    assert felt(*words, f'journal.public_keys=["{own}"]') == 1
    assert "F-408" in capsys.readouterr().out
    assert felt(*words, f'journal.public_keys=["{own}", "{THIEF.public.hex()}"]') == 0


def test_an_earlier_key_counts_once_it_is_named(
    table: SignedTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """To a checker an earlier key looks like a forgery, so the house says which keys the table had."""
    rewrite(table, last_by_the_table=True)
    earlier, own = THIEF.public.hex(), own_key(table).public.hex()
    known = f'journal.public_keys=["{earlier}"]'
    assert felt("verify", "--config", str(table.config_file), "--full", "--set", known) == 0
    export_to(tmp_path / "export", load(table.config_file, [known]), "supervisor", 1)
    assert f"an earlier key signed checkpoints: {earlier}" in check_export(tmp_path / "export")
    command = [*ISOLATED, str(tmp_path / "export"), "--key", own]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
    assert subprocess.run([*command, "--earlier-key", earlier], capture_output=True, check=False).returncode == 0


def test_a_checkpoint_without_a_signature_after_a_signed_one_is_wrong(table: SignedTable, tmp_path: Path) -> None:
    attested = table.journal / CHECKPOINTS
    first, last = read_checkpoints(attested.read_bytes())
    kept = attested.read_bytes().splitlines(keepends=True)[0]
    attested.write_bytes(kept + write_checkpoint(last._replace(public="-"), None))
    assert felt("verify", "--config", str(table.config_file), "--full") == 1
    export_to(tmp_path / "export", load(table.config_file), "supervisor", 1)
    with pytest.raises(Wrong, match="checkpoint 2 is not signed by a known key, but by -"):
        check_export(tmp_path / "export", first.public)


# --- what was there, and is gone -----------------------------------------------------------------------


def cut_back(table: SignedTable) -> None:
    """Ends journal and checkpoints together after the first round, as if the rest had never been."""
    segment, attested = table.journal / "journal-00000001.felt", table.journal / CHECKPOINTS
    first = attested.read_bytes().splitlines(keepends=True)[0]
    attested.write_bytes(first)
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join(lines[: read_checkpoints(first)[0].seq]))
    for snapshot in table.journal.glob("snapshot*"):
        snapshot.unlink()


def test_what_an_audit_saw_must_still_be_there_the_next_night(
    table: SignedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["audit", "--config", str(table.config_file)]
    assert felt(*words) == 0
    known = (table.folder / "audit" / "known.json").read_bytes()
    cut_back(table)
    for _ in range(2):  # the night after, too: good results are kept
        assert felt(*words) == 1
        assert "the last good audit saw record" in capsys.readouterr().out
        assert (table.folder / "audit" / "known.json").read_bytes() == known
        assert json.loads((table.folder / "audit" / "result.json").read_text())["verdict"] == "bad"
    assert felt("verify", "--config", str(table.config_file), "--full") == 1
    for file in table.journal.iterdir():
        file.unlink()
    assert felt(*words) == 1


def test_a_table_that_plays_on_passes_the_next_audit(table: SignedTable) -> None:
    whole = {file: file.read_bytes() for file in table.journal.iterdir()}
    cut_back(table)
    assert felt("audit", "--config", str(table.config_file)) == 0
    for file, content in whole.items():
        file.write_bytes(content)
    assert felt("audit", "--config", str(table.config_file)) == 0


def test_checkpoints_that_were_taken_away_are_missed(
    table: SignedTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (table.journal / CHECKPOINTS).unlink()
    for words in (["verify", "--full"], ["audit"]):
        assert felt(words[0], "--config", str(table.config_file), *words[1:]) == 1
        assert "this table has a key, but after 2 rounds no checkpoint is signed" in "".join(capsys.readouterr())
    export_to(tmp_path / "export", load(table.config_file), "supervisor", 1)
    with pytest.raises(Wrong, match="no checkpoint is signed"):
        check_export(tmp_path / "export", own_key(table).public.hex())


def test_signatures_that_an_audit_saw_are_missed_even_where_no_key_is_known(table: SignedTable) -> None:
    words = ["audit", "--config", str(table.config_file), "--set", 'journal.key=""']
    assert felt(*words) == 0
    (table.journal / CHECKPOINTS).unlink()
    assert felt(*words) == 1


# --- the script itself ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [["--key", ""], ["--key", "00"], ["--key", "z" * 64], ["--earlier-key", "0" * 64], ["--challenge", "00"],
     ["--key", "0" * 64, "--unsigned"], ["--tree", ".", "--manifest", "."], ["--manifest", "."]],
)  # fmt: skip
def test_a_wrong_call_gives_no_verdict(words: list[str]) -> None:
    assert subprocess.run([*ISOLATED, "export", *words], capture_output=True, check=False).returncode == 2


@pytest.mark.parametrize("challenge", ["", "zz", "000", "00" * 65])
def test_a_wrong_challenge_is_a_wrong_call(challenge: str) -> None:
    words = ["--tree", ".", "--manifest", "x", "--challenge", challenge]
    assert subprocess.run([*ISOLATED, *words], capture_output=True, check=False).returncode == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [("about.json", "[" * 200_000), ("about.json", "[]"), ("about.json", '{"redacted": false, "digests": []}'),
     ("public.key", ""), ("public.key", "no key")],
)  # fmt: skip
def test_any_content_of_an_export_gives_one_sentence(
    name: str, content: str, table: SignedTable, tmp_path: Path
) -> None:
    folder = tmp_path / "export"
    export_to(folder, load(table.config_file), "supervisor", 1)
    (folder / name).write_text(content)
    names = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    listed = {file: digest_of((folder / file).read_bytes()) for file in names if "MANIFEST" not in file}
    (folder / "MANIFEST").write_text(listing(listed))
    (folder / "MANIFEST.sig").write_bytes(own_key(table).seal_of_manifest((folder / "MANIFEST").read_bytes()))
    answer = subprocess.run([*ISOLATED, str(folder)], capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert answer.stderr.startswith("felt_check: DOES NOT HOLD: ")
    assert answer.stderr.count("\n") == 1
