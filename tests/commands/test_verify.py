"""`felt verify` as people and programs call it."""

from __future__ import annotations

import json
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from felt import cli
from felt.commands import verify_digests
from felt.evidence import digests, felt_check
from felt.evidence.signing import write_new_key
from tests.evidence.evening import BEGIN, ROUND, SignedTable, flipped

ROOT = Path(__file__).parents[2]
PARTS = ["software", "packages", "configuration", "rules", "journal", "overall"]
_WAYS: list[list[str]] = [[], ["--challenge", "01"], ["--challenge", "02"]]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> SignedTable:
    return SignedTable(tmp_path_factory.mktemp("table"))


def felt(*words: str) -> int:
    try:
        return cli.main(words)
    except SystemExit as left:
        return int(left.code or 0)


def answers(capsys: pytest.CaptureFixture[str], table: SignedTable, *words: str) -> dict[str, str]:
    assert felt("verify", "--config", str(table.config_file), "--json", *words) == 0
    found: dict[str, str] = json.loads(capsys.readouterr().out)["digests"]
    return found


def test_each_part_has_a_digest_and_all_of_them_one(capsys: pytest.CaptureFixture[str], table: SignedTable) -> None:
    found = answers(capsys, table)
    assert list(found) == PARTS
    assert found == answers(capsys, table)
    overall = felt_check.listing({name: digest for name, digest in found.items() if name != "overall"})
    assert found["overall"] == felt_check.digest_of(overall.encode())


def test_without_full_it_says_that_only_the_head_was_read(
    capsys: pytest.CaptureFixture[str], table: SignedTable
) -> None:
    words = ["verify", "--config", str(table.config_file)]
    assert cli.main(words) == 0
    assert "only the head was read: --full reads every record" in capsys.readouterr().out
    assert cli.main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["journal"]["read"] == "head only"
    assert cli.main([*words, "--full"]) == 0
    assert "only the head" not in capsys.readouterr().out


def test_a_challenge_changes_every_answer(capsys: pytest.CaptureFixture[str], table: SignedTable) -> None:
    plain, first, second = (answers(capsys, table, *words) for words in _WAYS)
    assert all(len({plain[name], first[name], second[name]}) == 3 for name in PARTS)
    assert first == answers(capsys, table, "--challenge", "01")


def test_another_setting_is_another_configuration(capsys: pytest.CaptureFixture[str], table: SignedTable) -> None:
    before = answers(capsys, table)
    after = answers(capsys, table, "--set", 'dealers.Lee="1232"')
    assert [name for name in PARTS if before[name] != after[name]] == ["configuration", "overall"]
    assert answers(capsys, table, "--set", 'dealers.Kim="1232"') == before  # a code is nobody's to work out
    limits = answers(capsys, table, "--set", "game.limits.ante.max=90000")
    assert [name for name in PARTS if before[name] != limits[name]] == ["configuration", "rules", "overall"]


@pytest.mark.parametrize("challenge", ["", "x", "123", "0" * 130])
def test_what_is_no_challenge_is_wrong_use(challenge: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert felt("verify", "--challenge", challenge) == 2
    assert "hexadecimal" in capsys.readouterr().err


@pytest.mark.parametrize("wanted", [["--full"], ["--changes"], ["--export", "x"]])
def test_a_journal_needs_a_table_file(wanted: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert felt("verify", *wanted) == 2
    assert "--config FILE" in capsys.readouterr().err


def test_every_file_that_is_not_the_release_s_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest, key = tmp_path / "MANIFEST", write_new_key(tmp_path / "release.key")
    make = [sys.executable, str(ROOT / "tools" / "make_manifest"), "--output", str(manifest)]
    subprocess.run([*make, "--key", str(tmp_path / "release.key")], check=True)
    signed = ["verify", "--manifest", str(manifest), "--public-key", key.public.hex()]
    assert felt(*signed) == 0
    assert felt("verify", "--files") == 0
    assert manifest.read_text() in capsys.readouterr().out
    real = digests.software()
    changed = {**real, "felt/cli.py": "0" * 64, "felt/more.py": "0" * 64}
    del changed["felt/rules/tables.bin"]
    monkeypatch.setattr(digests, "software", lambda: changed)
    assert felt(*signed) == 1
    assert capsys.readouterr().err.splitlines() == [
        "felt verify: felt/cli.py was changed",
        "felt verify: felt/more.py is not part of the release",
        "felt verify: felt/rules/tables.bin is missing",
    ]


def test_a_package_s_manifest_is_compared_below_its_root(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "opt").mkdir()
    (tmp_path / "opt" / "one").write_text("one")
    listed = {"opt/one": felt_check.digest_of(b"one"), "opt/two": felt_check.digest_of(b"two")}
    (tmp_path / "manifest").write_text(felt_check.listing(listed))
    words = ["verify", "--manifest", str(tmp_path / "manifest"), "--root", str(tmp_path)]
    assert felt(*words) == 1
    assert capsys.readouterr().err == "felt verify: opt/two is missing\n"
    (tmp_path / "opt" / "two").write_text("two")
    assert felt(*words) == 0


def test_what_was_added_to_a_release_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "felt").mkdir()
    (tmp_path / "felt" / "one.py").write_text("ONE = 1\n")
    (tmp_path / "manifest").write_text(felt_check.listing({"felt/one.py": felt_check.digest_of(b"ONE = 1\n")}))
    words = ["verify", "--manifest", str(tmp_path / "manifest"), "--root", str(tmp_path)]
    compiled = py_compile.compile(str(tmp_path / "felt" / "one.py"))
    assert felt(*words) == 0
    capsys.readouterr()
    (tmp_path / "felt" / "evil.py").write_text("")
    (tmp_path / "felt" / "sub").symlink_to("/etc")
    (tmp_path / "evil.py").write_text("TWO = 2\n")
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(tmp_path / "evil.py"), compiled, invalidation_mode=unchecked)
    assert felt(*words) == 1
    told = capsys.readouterr().err
    assert "felt verify: felt/evil.py is not part of the release\nfelt verify: felt/sub is not part" in told
    assert "felt/__pycache__/one." in told
    assert "is not what this Python compiles from its source" in told


def test_foreign_bytecode_is_named_and_is_another_answer(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert felt("verify", "--json") == 0
    before = json.loads(capsys.readouterr().out)["digests"]
    monkeypatch.setattr(verify_digests, "foreign_bytecode", lambda: {"felt/__pycache__/cli.pyc": "0" * 64})
    assert felt("verify", "--json") == 1
    told = capsys.readouterr()
    after = json.loads(told.out)
    assert after["foreign_bytecode"] == ["felt/__pycache__/cli.pyc"]
    assert {name for name in after["digests"] if after["digests"][name] != before.get(name)} == {"bytecode", "overall"}
    assert "felt verify: felt/__pycache__/cli.pyc is not what this Python compiles" in told.err


def test_a_manifest_that_somebody_else_signed_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest, key = tmp_path / "MANIFEST", write_new_key(tmp_path / "release.key")
    assert felt("verify", "--files") == 0
    content = capsys.readouterr().out
    manifest.write_text(content)
    (tmp_path / "MANIFEST.sig").write_bytes(key.seal_of_manifest(content.encode() + b"x"))
    assert felt("verify", "--manifest", str(manifest), "--public-key", key.public.hex()) == 1
    assert "the signature of the manifest is not valid" in capsys.readouterr().err


def test_the_whole_journal_is_checked(table: SignedTable, capsys: pytest.CaptureFixture[str]) -> None:
    assert felt("verify", "--config", str(table.config_file), "--full", "--json") == 0
    checked = json.loads(capsys.readouterr().out)
    assert (checked["good"], checked["checkpoints"], checked["problems"]) == (True, 3, [])
    assert 0 < checked["signed"] <= checked["head"]
    assert 0 < checked["replayed"] < checked["records"]


@pytest.mark.parametrize("name", ["journal-00000001.felt", "checkpoints.felt"])
def test_a_changed_byte_of_the_journal_fails_the_check(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = SignedTable(tmp_path, BEGIN + ROUND)
    file = table.journal / name
    file.write_bytes(flipped(file.read_bytes(), 500, 0))
    assert felt("verify", "--config", str(table.config_file), "--full") == 1
    assert name in capsys.readouterr().err


def test_the_last_changes_of_the_software_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = "".join(f"firmware 1.{number} is installed\nstop in good order\nboot\n" for number in range(12))
    table = SignedTable(tmp_path, told)
    assert felt("verify", "--config", str(table.config_file), "--changes", "--json") == 0
    changes = json.loads(capsys.readouterr().out)
    assert [change["firmware"] for change in changes[-12:]] == [f"1.{number}" for number in range(12)]
    assert all(change["wall_ns"] and len(change["software"]) == 64 for change in changes)
    assert felt("verify", "--config", str(table.config_file), "--changes") == 0
    assert "1.10 " in capsys.readouterr().out.splitlines()[-1]


def test_a_key_that_others_may_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = SignedTable(tmp_path, BEGIN + ROUND)
    table.key_file.chmod(0o640)
    assert felt("verify", "--config", str(table.config_file), "--export", str(tmp_path / "export")) == 1
    assert "chmod 600" in capsys.readouterr().err


@pytest.mark.parametrize(("content", "said"), [(None, "cannot be read"), ("no key", "this is not a key")])
def test_a_table_does_not_start_without_the_key_that_its_file_names(
    content: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = SignedTable(tmp_path, BEGIN, with_key=False)
    if content is not None:
        (tmp_path / "own.key").write_text(content)
        (tmp_path / "own.key").chmod(0o600)
    before = {file: file.read_bytes() for file in table.journal.iterdir()}
    for command in ("check", "run"):
        assert felt(command, "--config", str(table.config_file), "--set", "journal.key=own.key") == 1
        assert said in capsys.readouterr().err
    assert all(file.read_bytes() == content for file, content in before.items())


def test_a_key_may_come_as_a_credential_of_systemd(tmp_path: Path) -> None:
    from felt.config import load
    from felt.config.keys import signing_key_file

    config = load(None)
    assert signing_key_file(config, {}) is None
    assert signing_key_file(config, {"CREDENTIALS_DIRECTORY": str(tmp_path)}) is None
    write_new_key(tmp_path / "journal.key")
    assert signing_key_file(config, {"CREDENTIALS_DIRECTORY": str(tmp_path)}) == tmp_path / "journal.key"


def test_a_new_key_is_made_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new.key"
    assert felt("verify", "--new-key", str(file)) == 0
    assert len(capsys.readouterr().out.strip()) == 64
    assert felt("verify", "--new-key", str(file)) == 1
    assert "already exists" in capsys.readouterr().err
