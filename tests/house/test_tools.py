"""Every script in tools/ as somebody meets it who has just cloned the project: it shows its help at once, answers a
wrong option in a sentence with status 2, and sets itself up."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.house.tree import ROOT

TOOLS = sorted(path.name for path in (ROOT / "tools").iterdir() if path.is_file() and os.access(path, os.X_OK))
IN_PYTHON = [name for name in TOOLS if (ROOT / "tools" / name).read_text().startswith("#!/usr/bin/env python3")]
HELP_NEEDS = ("tools", "tests/storm/arguments.py")  # what may be read before anything is set up
STORY = "tests/rounds/progressive_3_card_poker/late_chip.round"
# What each does in a clean clone, in an order in which a small environment comes before a large one is needed.
FIRST_STEPS = (
    "tools/demo --autoplay --rounds 1 --json",
    "tools/draw_verdicts --check",
    "tools/draw_charts --check",
    "tools/draw_remedies --check",
    "tools/draw_wiring --check",
    "tools/draw_lamps --check",
    "tools/draw_architecture --check",
    "tools/make_hand_tables --check",
    "tools/make_odds --help",
    "tools/make_schemas --check",
    "tools/conform --help",
    "tools/make_manifest",
    "tools/package --help",
    "tools/shuffler --help",
    "tools/vm --help",
    f"tools/round --quiet {STORY}",
    "tools/storm --seeds 1 --rounds 1",
    "tools/fuzz --list",
    "tools/bench --quick",
    "tools/screenshots --help",
    "tools/load --quick",
    "tools/load --quick --database postgresql",
    "tools/test tests/house/test_walls.py -q",
)

WITHOUT_PACKAGES = ("tools/make_hand_tables --check", "tools/draw_architecture --check", "tools/package --help")
USERS = ["root", "nobody"] if os.getuid() == 0 else [getpass.getuser()]


def run(
    *words: str, cwd: Path = ROOT, timeout_s: int = 30, user: str | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_s, check=False,
        user=user, env=env,
    )  # fmt: skip


def test_every_tool_is_there() -> None:
    named = {step.split()[0].removeprefix("tools/") for step in FIRST_STEPS}
    assert set(TOOLS) == named


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_shows_its_help(tool: str) -> None:
    done = run(f"tools/{tool}", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert tool in done.stdout


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_answers_a_wrong_option_in_a_sentence(tool: str) -> None:
    done = run(f"tools/{tool}", "--nonsense")
    assert done.returncode == 2
    assert "--nonsense" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fuzz", "nothing"), "'nothing' is no target"),
        (("storm", "--seeds", "many"), "'many' is no number"),
        (("storm", "--seeds", "0"), "'0' is no number"),
        (("storm", "--seed", "1", "--tables", "a"), "'a' is no list of numbers"),
        (("storm", "--seed", "1", "--weather", "sunshine"), "'sunshine' is no weather"),
        (("round",), "name at least one story"),
        (("round", "nowhere.round"), "there is no such file"),
        (("make_manifest", "--packages", "/nowhere"), "there is no package felt in /nowhere"),
        (("shuffler", "--damaged", "1001"), "is not between 0 and 1000"),
        (("demo", "--game", "whist"), "'whist' is not a game"),
        (("storm", "--seed", "1", "--tables", "0"), "evening 1 has no table 0"),
        (("storm", "--seed", "1", "--tables", "99"), "evening 1 has no table 99"),
        (("storm", "--seeds", "1", "--log", "/nowhere/sums"), "there is no folder /nowhere"),
        (("storm", "--seeds", "1", "--shrink-s", "-1"), "'-1' is no number of seconds"),
        (("make_manifest", "--output", "/nowhere/manifest"), "there is no folder /nowhere"),
        (("bench", "--json", "/nowhere/figures"), "there is no folder /nowhere"),
        (("bench", "--folder", "/nowhere"), "there is no folder /nowhere"),
        (("screenshots", "--folder", "/nowhere"), "there is no folder /nowhere"),
        (("load", "--folder", "/nowhere"), "there is no folder /nowhere"),
        (("bench", "--folder", "/proc"), "nothing can be written in /proc"),
        (("load", "--folder", "/proc"), "nothing can be written in /proc"),
        (("bench", "--json", "/proc/figures"), "nothing can be written in /proc"),
        (("load", "--seconds", "nan"), "'nan' is no number of seconds"),
        (("fuzz", "felt-1", "--seconds", "-1"), "'-1' is no number of seconds"),
        (("fuzz", "felt-1", "--seconds", "inf"), "'inf' is no number of seconds"),
    ],
)
def test_a_tool_answers_a_wrong_argument_in_a_sentence(words: tuple[str, ...], said: str) -> None:
    done = run(f"tools/{words[0]}", *words[1:])
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("tool", IN_PYTHON)
def test_the_help_of_a_tool_in_python_needs_no_environment(tool: str, tmp_path: Path) -> None:
    for name in HELP_NEEDS:
        there = tmp_path / name
        there.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, there)
    done = run("/usr/bin/env", "python3", f"tools/{tool}", "--help", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / ".venv").exists()


def test_the_setup_makes_an_environment_where_no_variable_is_set(tmp_path: Path) -> None:
    """As under `env -i`, or from a bare cron table: Python is found without a PATH, and so is its standard library."""
    tools = tmp_path / "tools"
    tools.mkdir()
    shutil.copy(ROOT / "tools/_setup", tools)
    make = '. "$(dirname -- "$0")/_setup" && make_environment'
    done = run("/bin/sh", "-c", make, str(tools / "demo"), timeout_s=120, env={})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / ".venv/bin/python").exists()


def test_a_full_disk_is_no_reason_for_a_traceback() -> None:
    done = run("tools/make_manifest", "--output", "/dev/full")
    assert (done.returncode, done.stderr) == (1, "make_manifest: No space left on device\n")


def test_a_reader_who_stops_reading_is_no_reason_for_a_traceback() -> None:
    done = run("sh", "-c", "tools/round --sentences | head -1")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("user", USERS)
def test_every_tool_sets_itself_up_in_a_clean_clone(user: str, full: bool, tmp_path: Path) -> None:
    """At full size every package is downloaded for each user."""
    for folder in (tmp_path, *tmp_path.parents):  # the runner's own folders are its user's alone
        if folder == Path(tempfile.gettempdir()):
            break
        folder.chmod(0o755)
    clone = tmp_path / "clone"
    assert run("git", "clone", "-q", str(ROOT), str(clone)).returncode == 0
    shutil.chown(tmp_path, user)
    assert run("chown", "-R", user, str(clone)).returncode == 0
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)}
    for step in FIRST_STEPS if full else WITHOUT_PACKAGES:
        done = run(*step.split(), cwd=clone, timeout_s=600, user=user, env=environment)
        assert "Traceback" not in done.stderr, f"{step}: {done.stderr}"
        assert done.returncode == 0, f"{step}: {done.stdout[-500:]} {done.stderr[-500:]}"
