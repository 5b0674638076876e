"""`felt verify` as an inspector uses it: it answers what he works out himself, and says what it did not check."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from felt import cli
from felt.evidence import digests, felt_check
from felt.evidence.signing import write_new_key
from tests.evidence.evening import BEGIN, ROUND, SignedTable

ROOT = Path(__file__).parents[2]


def felt(*words: str) -> int:
    try:
        return cli.main(words)
    except SystemExit as left:
        return int(left.code or 0)


def test_an_honest_box_answers_a_challenge_as_the_reference_tree_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest, reference = tmp_path / "felt.sha256", tmp_path / "reference"
    make = [sys.executable, str(ROOT / "tools" / "make_manifest"), "--output", str(manifest)]
    subprocess.run(make, check=True)
    packages = Path(str(metadata.distribution("gpiozero").locate_file("")))
    for name in felt_check.read_listing(manifest.read_text(), "it"):
        (reference / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy((digests.HERE if name.startswith("felt/") else packages) / name, reference / name)
    assert felt("verify", "--challenge", "7f3a9c0012") == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("software", "packages"))]
    script = [sys.executable, "-I", "-S", str(Path(felt_check.__file__)), "--tree", str(reference)]
    command = [*script, "--manifest", str(manifest), "--challenge", "7F3A9C0012"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout.splitlines()) == (0, told)
    assert len(told) == 2
    (reference / "felt" / "added.py").write_text("")
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (answer.returncode, "felt/added.py is not in the manifest" in answer.stdout) == (1, True)


@pytest.mark.parametrize("wanted", [["--manifest", "x"], ["--full"], ["--changes"], ["--export", "x"]])
def test_a_challenge_that_would_key_nothing_is_refused(wanted: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert felt("verify", "--config", "x", "--challenge", "01", *wanted) == 2
    assert "--challenge keys" in capsys.readouterr().err


def test_a_seal_that_nobody_checked_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert felt("verify", "--files") == 0
    manifest, key = tmp_path / "MANIFEST", write_new_key(tmp_path / "release.key")
    manifest.write_text(capsys.readouterr().out)
    (tmp_path / "MANIFEST.sig").write_bytes(key.seal_of_manifest(manifest.read_bytes()))
    assert felt("verify", "--manifest", str(manifest)) == 0
    assert "MANIFEST.sig was not checked" in capsys.readouterr().err
    assert felt("verify", "--manifest", str(manifest), "--public-key", key.public.hex().upper()) == 0
    assert "not checked" not in capsys.readouterr().err


def test_a_journal_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "table.toml").touch()
    assert felt("verify", "--config", str(tmp_path / "table.toml")) == 0
    assert f"there is no journal in {tmp_path / 'journal'}, so it is left out" in capsys.readouterr().err


def test_where_the_key_is_not_at_hand_the_truth_is_told_of_signatures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = SignedTable(tmp_path, BEGIN + ROUND)
    assert table.key is not None
    own = table.key.public.hex()
    words = ["verify", "--config", str(table.config_file), "--full", "--set", 'journal.key=""']
    assert felt(*words) == 0
    assert f"checkpoints are signed by {own}; whether that is the table's key" in capsys.readouterr().err
    assert felt(*words, "--set", f'journal.public_keys=["{own}"]') == 0
    assert "held against journal.public_keys alone" in capsys.readouterr().err


def test_where_nobody_signs_that_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = SignedTable(tmp_path, BEGIN + ROUND, with_key=False)
    assert felt("verify", "--config", str(table.config_file), "--full") == 0
    assert "no key is set (journal.key), and the last checkpoint is not signed" in capsys.readouterr().err
