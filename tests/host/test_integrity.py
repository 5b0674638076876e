"""Compares the installed software with the list that its package brought."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from felt.host.integrity import COMPILED, DPKG_RECORD, LINKS, MANIFEST, changed_software

FILES = {
    "opt/felt/bin/felt": b"#!/bin/sh\n",
    "opt/felt/python3.11/lib/felt/cli.py": b"import sys\n",
    "usr/share/felt/boards/seven-seat-ante.toml": b"name = 'seven-seat-ante'\n",
}
DOCUMENTS = ("usr/share/doc/felt/README.md", "usr/share/man/man1/felt.1.gz")
INTERPRETER = "opt/felt/python3.11/bin/python3"
BYTECODE = "opt/felt/python3.11/lib/felt/__pycache__/cli.cpython-311.pyc"


def put(root: Path, name: str, content: bytes) -> str:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return f"{hashlib.sha256(content).hexdigest()}  /{name}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    every = {**FILES, **dict.fromkeys(DOCUMENTS, b"Felt\n")}
    listed = "".join(put(tmp_path, name, content) for name, content in every.items())
    links = f"{INTERPRETER} -> /usr/bin/python3.11\nusr/bin/felt -> /opt/felt/bin/felt\n"
    listed += put(tmp_path, LINKS, links.encode())
    put(tmp_path, MANIFEST, listed.encode())
    put(tmp_path, DPKG_RECORD, b"#!/bin/sh\n")
    put(tmp_path, COMPILED, put(tmp_path, BYTECODE, b"\0compiled").encode())
    (tmp_path / "opt/felt/python3.11/bin").mkdir()
    (tmp_path / INTERPRETER).symlink_to("/usr/bin/python3.11")
    (tmp_path / "usr/bin").mkdir()
    (tmp_path / "usr/bin/felt").symlink_to("/opt/felt/bin/felt")
    return tmp_path


def test_unchanged_software_is_no_finding(root: Path) -> None:
    assert changed_software(root) == ""


def test_a_checkout_without_a_package_is_no_finding(tmp_path: Path) -> None:
    put(tmp_path, "opt/felt/bin/felt", b"anything")
    assert changed_software(tmp_path) == ""


@pytest.mark.parametrize("name", [*FILES, BYTECODE])
def test_one_changed_byte_is_told_by_its_file(name: str, root: Path) -> None:
    content = bytearray((root / name).read_bytes())
    content[-1] ^= 1
    (root / name).write_bytes(content)
    assert changed_software(root) == f"/{name} was changed"


@pytest.mark.parametrize("name", [*FILES, BYTECODE])
def test_a_missing_file_is_reported(name: str, root: Path) -> None:
    (root / name).unlink()
    assert changed_software(root) == f"/{name} is missing"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_that_the_system_leaves_out_stops_no_table_and_a_changed_one_is_reported(
    document: str, root: Path
) -> None:
    (root / document).unlink()
    assert changed_software(root) == ""
    put(root, document, b"Felted\n")
    assert changed_software(root) == f"/{document} was changed"


@pytest.mark.parametrize("name", ["sitecustomize.py", "sitecustomize.pyc", "felt/__pycache__/run.cpython-311.pyc"])
def test_a_file_that_nobody_delivered_is_told(name: str, root: Path) -> None:
    put(root, f"opt/felt/python3.11/lib/{name}", b"import os\n")
    assert changed_software(root) == f"/opt/felt/python3.11/lib/{name} does not belong there"


@pytest.mark.parametrize("target", ["/etc/passwd", "/etc", "/nowhere", "felt"])
def test_a_link_that_nobody_delivered_is_told_wherever_it_leads(target: str, root: Path) -> None:
    (root / "opt/felt/python3.11/lib/zz.pth").symlink_to(target)
    assert changed_software(root) == "/opt/felt/python3.11/lib/zz.pth does not belong there"


def test_a_link_that_leads_elsewhere_or_is_gone_is_reported(root: Path) -> None:
    (root / INTERPRETER).unlink()
    assert changed_software(root) == f"/{INTERPRETER} is missing"
    (root / INTERPRETER).symlink_to("/tmp/python3.11")
    assert changed_software(root) == f"/{INTERPRETER} does not belong there"
    (root / INTERPRETER).unlink()
    (root / INTERPRETER).symlink_to("/usr/bin/python3.11")
    (root / "usr/bin/felt").unlink()
    (root / "usr/bin/felt").symlink_to("/tmp/felt")
    assert changed_software(root) == "/usr/bin/felt was changed"


def test_a_box_whose_list_was_taken_away_is_told(root: Path) -> None:
    (root / MANIFEST).unlink()
    assert changed_software(root) == f"/{MANIFEST} is missing"


def test_a_list_may_name_its_files_from_the_root_on_or_below_it(root: Path) -> None:
    (root / MANIFEST).write_text((root / MANIFEST).read_text().replace("  /", "  "))
    assert changed_software(root) == ""


def test_many_changes_are_one_sentence(root: Path) -> None:
    for number in range(9):
        put(root, f"opt/felt/extra-{number}", b"")
    assert changed_software(root).endswith("/opt/felt/extra-2 does not belong there and 6 more")


def test_a_malformed_list_lists_nothing(root: Path) -> None:
    (root / MANIFEST).write_bytes(b"\xff\xfe no list\n\n")
    assert "does not belong there" in changed_software(root)
