"""What is installed, by digests: independent of compiled code, and one changed byte is another answer."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from felt.evidence import digests, felt_check

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    shutil.copytree(digests.HERE / "felt", tmp_path / "felt", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_every_package_that_the_project_names_is_in_the_digest() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [re.split(r"[><=;\[]", text)[0] for text in project["dependencies"]]
    assert sorted(named) == sorted(digests.PACKAGES)
    installed = {one.split()[0].lower() for one in digests.versions()}
    assert {name.lower() for name in named} <= installed
    assert "six" in installed  # what a package needs in turn


def test_compiled_code_changes_nothing(tree: Path) -> None:
    before = digests.software(root=tree)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(tree / "felt" / "nouns")], check=True)
    assert list(tree.rglob("*.pyc"))
    assert digests.software(root=tree) == before
    assert "felt/rules/tables.bin" in before


def test_one_changed_byte_anywhere_is_another_answer(tree: Path) -> None:
    before = digests.software(root=tree)
    for name in ("felt/rules/tables.bin", "felt/config/defaults.toml", "felt/py.typed", "felt/cli.py"):
        file = tree / name
        whole = file.read_bytes()
        file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]) if whole else b" ")
        after = digests.software(root=tree)
        assert [one for one in after if after[one] != before[one]] == [name]
        assert digests.whole(after) != digests.whole(before)
        file.write_bytes(whole)
    assert digests.software(root=tree) == before


def test_a_challenge_makes_another_answer_that_a_reference_tree_gives_too(tree: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest"
    manifest.write_text(felt_check.listing(digests.software(root=tree)))
    first, second = (digests.whole(digests.software(one, tree), one) for one in (b"one", b"two"))
    assert first != second
    assert felt_check.check_tree(tree, manifest, b"one") == ([first], [])
    (tree / "felt" / "cli.py").write_text("")
    told, changed = felt_check.check_tree(tree, manifest, b"one")
    assert told != [first]
    assert changed == ["felt/cli.py was changed"]


@pytest.mark.parametrize(
    "text",
    ["", "x\n", f"{'0' * 64} name\n", f"{'0' * 64}  ../name\n", f"{'0' * 64}  /etc/passwd\n", f"{'A' * 64}  name\n",
     f"{'0' * 64}  b\n{'0' * 64}  a\n", f"{'0' * 64}  a\n{'0' * 64}  a\n", f"{'0' * 64}  a"],
)  # fmt: skip
def test_what_is_no_manifest_is_refused(text: str) -> None:
    if text:
        with pytest.raises(felt_check.Wrong):
            felt_check.read_listing(text, "it")
    else:
        assert felt_check.read_listing(text, "it") == {}
