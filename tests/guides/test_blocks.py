"""Every fenced block of every guide and of the README is done as it is written, on real parts."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from felt.cli import COMMANDS
from tests.guides.pages import FOLLOWED, README, Block, blocks
from tests.guides.playing import PASSED_OVER, Reader, Untrue, shows
from tests.house.tree import ROOT

MARKS = ("", "stays", "full", "hardware", "itself")
LANGUAGES = ("sh", "console", "round", "toml", "py", "text")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def follow(page: Path, folder: Path, browser: Callable[[], Browser], *, full: bool) -> None:
    reader = Reader(page, folder, browser)
    try:
        reader.follow(full=full)
    finally:
        reader.close()


def named(page: Path) -> str:
    return page.stem


@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", FOLLOWED, ids=named)
def test_what_a_page_says_happens(page: Path, browser_when_asked: Callable[[], Browser], full: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="felt-guide-") as folder:  # short: sockets have short names
        follow(page, Path(folder), browser_when_asked, full=full)


@pytest.mark.parametrize("page", FOLLOWED, ids=named)
def test_every_block_says_what_it_is(page: Path) -> None:
    strange = [block for block in blocks(page) if block.language not in LANGUAGES or block.mark not in MARKS]
    assert not strange
    assert any(block.mark not in PASSED_OVER for block in blocks(page))


@pytest.mark.parametrize("page", FOLLOWED, ids=named)
def test_what_needs_hardware_is_at_least_written_right(page: Path) -> None:
    for block in blocks(page):
        if block.mark == "hardware":
            assert block.language == "sh"
            done = subprocess.run(["bash", "-n", "-c", block.text], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            for line in block.lines:
                _options_exist(block, line)


def test_the_block_that_runs_these_tests_is_the_whole_command_and_says_what_it_prints_last() -> None:
    listed = blocks(README)
    (place,) = (number for number, block in enumerate(listed) if block.mark == "itself")
    assert listed[place].lines == ("tools/test",)
    last_words = listed[place + 1].lines
    printed = [line for line in (ROOT / "tools" / "test").read_text(encoding="utf-8").splitlines() if line][-1]
    assert printed == f"printf '\\n{last_words[0]}\\n'"
    assert [page for page in FOLLOWED if page != README and any(block.mark == "itself" for block in blocks(page))] == []


def _options_exist(block: Block, line: str) -> None:
    words = line.partition("#")[0].split()
    commands = [after for word, after in pairwise(words) if word == "felt" and after in COMMANDS]
    if not commands:
        return
    known = _help(commands[-1])
    missing = [option for option in _OPTION.findall(line.partition(f"felt {commands[-1]}")[2]) if option not in known]
    assert not missing, f"line {block.line}: felt {commands[-1]} has no {missing[0]}"


@cache
def _help(command: str) -> str:
    words = [sys.executable, "-m", "felt.cli", command, "--help"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def _no_browser() -> Browser:
    raise AssertionError("no page is clicked here")


# --- the test can fail -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```sh\necho one\nfalse\n```\n", "page.md, line 1: exit status 1"),
        ("```sh\necho one\n```\n\n```text\ntwo\n```\n", "page.md, line 5: 'two' is not shown"),
        ("```round\nstory: x\nsupervisor opens the table\nexpect phase IDLE\nexpect phase BETTING\n```\n", "expected"),
        ("```toml\nid = 1\n```\n", "the first line does not name its file"),
        ("```console\nT1 Kim> status\n```\n", "no table opens a desk"),
        ("```sh stays\nsleep 60\n```\n\n```text\nready\n```\n", "'ready' is not shown"),
    ],
    ids=["status", "output", "story", "file", "console", "stays"],
)
def test_a_page_that_is_not_true_fails(
    text: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.guides.playing.PATIENCE_S", 1.5)
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    folder = tmp_path / "clone"
    folder.mkdir()
    with pytest.raises(Untrue, match=re.escape(problem)):
        follow(page, folder, _no_browser, full=False)


def test_an_elided_line_matches_in_its_order_alone() -> None:
    output = "table T1 is good\nmeter major  50000.00\n"
    assert shows(["table … good", "meter major 50000.00"], output) == ""
    assert shows(["meter major", "table"], output) == "table"


def test_tools_and_firmware_of_this_tree_are_what_a_page_runs(tmp_path: Path) -> None:
    Reader(README, tmp_path, _no_browser)
    assert (tmp_path / "tools" / "round").read_text().splitlines()[1] == f'exec "{ROOT}/tools/round" "$@"'
