"""The manual pages that the package installs: each command has one, it names each of its options, and groff sets it
without a warning."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from pathlib import Path

import pytest

from felt.cli import COMMANDS, parsers
from felt.commands.parser import Parser
from tools.packaging.manuals import BASH, MANUALS, ZSH, lay_out, manuals

PAGES = manuals(parsers(), "9.9.9")


def set_by_groff(text: str) -> tuple[str, str]:
    """The page as a terminal shows it, and what groff warns of."""
    if shutil.which("groff") is None:
        pytest.skip("groff is missing: apt install groff-base")
    words = ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=78n"]
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def test_every_command_has_a_page() -> None:
    assert set(PAGES) == {"felt.1", *(f"felt-{command}.1" for command in COMMANDS)}


@pytest.mark.parametrize("name", PAGES)
def test_groff_sets_a_page_without_a_warning_and_shows_all_of_it(name: str) -> None:
    shown, warnings = set_by_groff(PAGES[name])
    assert warnings == ""
    parser = parsers()[name.removesuffix(".1").removeprefix("felt").removeprefix("-")]
    text = " ".join(shown.split())
    for argument in parser.arguments:
        assert ", ".join(argument.option_strings) in text
        assert " ".join((argument.help or "").split()) in text
    for line in (parser.epilog or "").splitlines():
        if line.startswith("  felt"):
            assert " ".join(line.partition("   ")[0].split()) in text
    assert "9.9.9" in text
    assert "EXAMPLES" in shown
    assert f"{name.removesuffix('.1').replace('-', ' ', 1)} " in text.partition("EXAMPLES")[2]


def test_a_warning_would_be_seen() -> None:
    assert "warning" in set_by_groff(".TH A 1\n.SH B\n\\[nothing]\n")[1]


def test_text_is_never_a_command_of_roff() -> None:
    parser = Parser(prog="felt odd", description=".so /etc/passwd")
    parser.add_argument("--path", help="a \\fBback\\fR slash, and a - sign")
    shown, warnings = set_by_groff(manuals({"check": parser, "": parser}, "1")["felt-check.1"])
    assert warnings == ""
    assert ".so /etc/passwd" in shown
    assert "a \\fBback\\fR slash, and a - sign" in shown


def test_man_finds_a_page_by_its_words(tmp_path: Path) -> None:
    if shutil.which("man") is None:
        pytest.skip("man is missing: apt install man-db")
    lay_out(tmp_path, parsers(), "9.9.9")
    environment = {"PATH": "/usr/bin:/bin", "MANPATH": str(tmp_path / MANUALS).removesuffix("/man1"), "MANWIDTH": "78"}
    for words in (["felt", "jackpot"], ["felt-jackpot"], ["felt"]):
        done = subprocess.run(
            ["man", "--warnings=w", *words], env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        assert "felt - firmware" in done.stdout or "administer the jackpot controller" in done.stdout


def test_pages_and_scripts_lie_where_debian_looks_for_them(tmp_path: Path) -> None:
    lay_out(tmp_path, parsers(), "9.9.9")
    page = gzip.decompress((tmp_path / MANUALS / "felt-check.1.gz").read_bytes()).decode()
    assert page == PAGES["felt-check.1"]
    assert (tmp_path / BASH).read_text().startswith("# Completes felt in bash")
    assert (tmp_path / ZSH).read_text().startswith("#compdef felt")
