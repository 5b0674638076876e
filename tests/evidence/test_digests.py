"""Digests of what is installed: one changed byte changes the answer, and compiled code is judged by its source."""

from __future__ import annotations

import py_compile
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from felt.evidence import digests, felt_check
from felt.evidence.bytecode import files_below, foreign_bytecode

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    shutil.copytree(digests.HERE / "felt", tmp_path / "felt", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_every_package_that_the_project_names_is_in_the_digest() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [re.split(r"[><=;\[]", text)[0] for text in project["dependencies"]]
    assert sorted(named) == sorted(digests.PACKAGES)
    installed = {version.split()[0].lower() for version in digests.versions()}
    assert {name.lower() for name in named} <= installed
    assert "six" in installed  # what a package needs in turn


def _compiled(tree: Path, *words: str) -> dict[str, str]:
    """What is foreign after another process compiled one room; its strings have other hashes."""
    subprocess.run([sys.executable, "-m", "compileall", "-q", *words, str(tree / "felt" / "nouns")], check=True)
    assert list(tree.rglob("*.pyc"))
    return foreign_bytecode(files_below(tree, ["felt"]))


@pytest.mark.parametrize("mode", ["timestamp", "checked-hash", "unchecked-hash"])
def test_code_that_was_compiled_from_its_source_changes_nothing(mode: str, tree: Path) -> None:
    before = digests.software(root=tree)
    assert _compiled(tree, "--invalidation-mode", mode, "-s", str(tree), "-p", "/elsewhere") == {}
    assert digests.software(root=tree) == before
    assert "felt/rules/tables.bin" in before


def _replaced(tree: Path, mode: py_compile.PycInvalidationMode, more: str) -> Path:
    """Compiled code of another source, which an import takes for this module's."""
    source = tree / "felt/nouns/money.py"
    other = tree / "other.py"
    other.write_text(source.read_text() + more)
    compiled = Path(cache_from_source(str(source)))
    py_compile.compile(str(other), str(compiled), str(source), invalidation_mode=mode)
    whole = bytearray(compiled.read_bytes())
    honest = Path(py_compile.compile(str(source), str(tree / "honest.pyc"), invalidation_mode=mode) or "")
    whole[8:16] = honest.read_bytes()[8:16]  # its date and size, or its digest
    compiled.write_bytes(whole)
    return compiled


FOREIGN = f"felt/nouns/__pycache__/money.{sys.implementation.cache_tag}.pyc"


@pytest.mark.parametrize("mode", py_compile.PycInvalidationMode)
def test_code_that_was_compiled_from_another_source_is_named(mode: py_compile.PycInvalidationMode, tree: Path) -> None:
    assert _compiled(tree) == {}
    _replaced(tree, mode, "\ndef growth_micro(*_): return 0\n")
    found = foreign_bytecode(files_below(tree, ["felt"]))
    assert list(found) == [FOREIGN]
    running = [sys.executable, "-B", "-c", "from felt.nouns.money import growth_micro as it; print(it(500, 2000))"]
    done = subprocess.run(running, cwd=tree, env={"PYTHONPATH": str(tree)}, capture_output=True, text=True, check=True)
    assert done.stdout == "0\n", "it is what would have run"


def test_a_constant_that_is_equal_but_of_another_type_is_other_code(tree: Path) -> None:
    source = tree / "felt/nouns/money.py"
    source.write_text("RATE = 1\n")
    _replaced(tree, py_compile.PycInvalidationMode.UNCHECKED_HASH, "")
    assert foreign_bytecode(files_below(tree, ["felt"])) == {}
    source.write_text("RATE = 1.0\n")
    assert list(foreign_bytecode(files_below(tree, ["felt"]))) == [FOREIGN]


def _spoilt(content: bytes) -> Sequence[bytes]:
    return content[:40], content[:16] + b"N", content[:16] + b"\xff" * 9


def test_unreadable_compiled_code_is_named_and_stale_code_does_not_run(tree: Path) -> None:
    compiled = _replaced(tree, py_compile.PycInvalidationMode.UNCHECKED_HASH, "")
    whole = compiled.read_bytes()
    for spoilt in _spoilt(whole):
        compiled.write_bytes(spoilt)
        assert list(foreign_bytecode(files_below(tree, ["felt"]))) == [FOREIGN]
    compiled.write_bytes(b"\0\0\0\0" + whole[4:])  # of another Python
    assert foreign_bytecode(files_below(tree, ["felt"])) == {}
    _replaced(tree, py_compile.PycInvalidationMode.TIMESTAMP, "\nEVIL = 1\n")
    (tree / "felt/nouns/money.py").write_text("RATE = 2\n")
    assert foreign_bytecode(files_below(tree, ["felt"])) == {}


def test_compiled_code_without_a_source_is_named(tree: Path) -> None:
    shutil.copy(py_compile.compile(str(tree / "felt/cli.py")) or "", tree / "felt/evil.pyc")
    assert list(foreign_bytecode(files_below(tree, ["felt"]))) == ["felt/evil.pyc"]


def test_a_file_added_to_a_package_or_linked_into_the_software_changes_the_digest(tree: Path, tmp_path: Path) -> None:
    before = digests.software(root=tree)
    (tree / "felt/extra").symlink_to(digests.HERE / "felt/wire")
    assert set(digests.software(root=tree)) - set(before) == {"felt/extra"}
    installed = tmp_path / "site-packages"
    (installed / "gpiozero").mkdir(parents=True)
    (installed / "gpiozero-2.dist-info").mkdir()
    (installed / "gpiozero-2.dist-info/METADATA").write_text("Name: gpiozero\nVersion: 2\n\n")
    (installed / "gpiozero-2.dist-info/RECORD").write_text("gpiozero/__init__.py,,\ngpiozero-2.dist-info/METADATA,,\n")
    (installed / "gpiozero/__init__.py").write_text("")
    expected = ["gpiozero-2.dist-info/METADATA", "gpiozero/__init__.py"]
    assert list(digests.packages(root=installed)) == expected
    (installed / "gpiozero/boards.so").write_text("evil")
    assert list(digests.packages(root=installed)) == [*expected, "gpiozero/boards.so"]


def test_a_link_that_leads_nowhere_or_to_itself_counts_for_nothing_and_stops_nothing(tree: Path) -> None:
    before = digests.software(root=tree)
    (tree / "felt/nowhere").symlink_to(tree / "missing")
    (tree / "felt/itself").symlink_to("itself")
    assert digests.software(root=tree) == before


def test_one_changed_byte_anywhere_changes_the_digest(tree: Path) -> None:
    before = digests.software(root=tree)
    for name in ("felt/rules/tables.bin", "felt/config/defaults.toml", "felt/py.typed", "felt/cli.py"):
        file = tree / name
        whole = file.read_bytes()
        file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]) if whole else b" ")
        after = digests.software(root=tree)
        assert [path for path in after if after[path] != before[path]] == [name]
        assert digests.whole(after) != digests.whole(before)
        file.write_bytes(whole)
    assert digests.software(root=tree) == before


def test_a_challenge_makes_another_answer_that_a_reference_tree_gives_too(tree: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest"
    manifest.write_text(felt_check.listing(digests.software(root=tree)))
    first, second = (digests.whole(digests.software(challenge, tree), challenge) for challenge in (b"one", b"two"))
    assert first != second
    assert felt_check.check_tree(tree, manifest, b"one") == ([f"software      {first}"], [])
    (tree / "felt" / "cli.py").write_text("")
    told, changed = felt_check.check_tree(tree, manifest, b"one")
    assert told != [f"software      {first}"]
    assert changed == ["felt/cli.py was changed"]


@pytest.mark.parametrize(
    "text",
    ["", "x\n", f"{'0' * 64} name\n", f"{'0' * 64}  ../name\n", f"{'0' * 64}  /etc/passwd\n", f"{'A' * 64}  name\n",
     f"{'0' * 64}  b\n{'0' * 64}  a\n", f"{'0' * 64}  a\n{'0' * 64}  a\n", f"{'0' * 64}  a"],
)  # fmt: skip
def test_a_file_that_is_no_manifest_is_refused(text: str) -> None:
    if text:
        with pytest.raises(felt_check.Wrong):
            felt_check.read_listing(text, "it")
    else:
        assert felt_check.read_listing(text, "it") == {}
