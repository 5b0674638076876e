"""SECURITY.md names a test for everything that it says is stopped; each of these tests exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "firmware" / "SECURITY.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[^`\s]+)`", TEXT)))
SOMEBODY = ("player", "dealer", "technician", "network", "thief of the box", "insider", "supplier")


@pytest.mark.parametrize("named", NAMED)
def test_every_test_that_the_document_names_exists(named: str) -> None:
    path, _, function = named.partition("::")
    assert (ROOT / path).is_file()
    if function:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert function in [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("who", SOMEBODY)
def test_every_attacker_has_what_stops_him_its_test_and_what_is_not_stopped(who: str) -> None:
    (chapter,) = [part for part in TEXT.split("\n## ") if who in part.partition("\n")[0].lower()]
    assert "\nNot stopped: " in chapter
    rows = [line for line in chapter.splitlines() if line.startswith("| ")][1:]
    assert rows
    for row in rows:
        tries, stopped_by, shown_by = row.strip("|").split("|")
        assert tries.strip()
        assert stopped_by.strip()
        assert "`tests/" in shown_by, row
