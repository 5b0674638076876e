"""`felt completion` and the help that it is made from: real shells complete what the parsers know."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from felt.cli import COMMANDS, main, parsers
from felt.commands.completion import bash, zsh
from felt.rules.shelf import GAMES

PATIENCE_S = 20
_UNSEEN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\a")  # control sequences, and the bell


@pytest.fixture(scope="module")
def bash_script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bash") / "felt"
    path.write_text(bash(parsers()), encoding="utf-8")
    return path


def completed(script: Path, line: str, folder: Path) -> list[str]:
    """What a real bash offers after this line. The words are those that readline would make of it."""
    words = [word for word in re.split(r"\s+|(=)", line) if word]
    if line.endswith((" ", "=")):
        words.append("")
    quoted = " ".join(f"'{word}'" for word in words)
    asked = (
        f"source '{script}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
        '"$(complete -p felt | sed "s/.*-F \\([^ ]*\\).*/\\1/")"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", asked], cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [line for line in done.stdout.splitlines() if line]


def test_bash_completes_every_command(bash_script: Path, tmp_path: Path) -> None:
    assert set(completed(bash_script, "felt ", tmp_path)) == {*COMMANDS, "-h", "--help", "--version"}
    assert completed(bash_script, "felt up", tmp_path) == ["upgrade-check"]


@pytest.mark.parametrize("command", COMMANDS)
def test_bash_offers_each_option_that_the_help_of_a_command_shows(
    command: str, bash_script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    usage = capsys.readouterr().out.partition("\n\n")[0]
    shown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", usage))
    offered = completed(bash_script, f"felt {command} --", tmp_path)
    assert set(offered) == {*shown, "--help"}
    assert len(offered) == len(set(offered))


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("felt report --as ", ["text", "csv", "html"]),
        ("felt report --as=c", ["csv"]),
        ("felt report --as=", ["text", "csv", "html"]),
        ("felt jackpot pro", ["provision"]),
        ("felt jackpot --config jackpot.toml re", ["report", "restore"]),
        ("felt console add-person Tess su", ["supervisor"]),
        ("felt console --config=table.toml add-person Tess te", ["technician"]),
        ("felt rules ", list(GAMES)),
        ("felt demo --game stax", ["stax-three-card"]),
        ("felt explain F-40", [f"F-40{number}" for number in range(1, 10)]),
        ("felt completion ", ["bash", "zsh"]),
        ("felt nonsense ", []),
        ("felt demo --rounds ", []),
    ],
)
def test_bash_completes_values(line: str, offered: list[str], bash_script: Path, tmp_path: Path) -> None:
    assert sorted(completed(bash_script, line, tmp_path)) == sorted(offered)


def test_bash_completes_files_and_folders(bash_script: Path, tmp_path: Path) -> None:
    (tmp_path / "my table.toml").touch()
    (tmp_path / "journal").mkdir()
    assert completed(bash_script, "felt check --config ", tmp_path) == ["journal", "my table.toml"]
    assert completed(bash_script, "felt replay ", tmp_path) == ["journal"]
    assert completed(bash_script, "felt verify --export j", tmp_path) == ["journal"]


# --- a person at a terminal ------------------------------------------------------------------------------


def typed(words: list[str], lines: list[str], folder: Path, expected: str) -> str:
    """Everything that a shell shows on its terminal until `expected`, while a person types these lines."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe(words[0], words, {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "PS1": "% "})
    shown = ""
    for line in lines:
        os.write(terminal, line.encode())
        until = time.monotonic() + PATIENCE_S
        while expected not in shown and time.monotonic() < until:
            if not select.select([terminal], [], [], 0.2)[0]:
                if line is not lines[-1]:
                    break
                continue
            try:
                shown += _UNSEEN.sub("", os.read(terminal, 65536).decode(errors="replace"))
            except OSError:
                break
    os.close(terminal)
    os.waitpid(process, 0)
    return shown


def test_a_person_in_bash_presses_tab(bash_script: Path, tmp_path: Path) -> None:
    lines = [f"source '{bash_script}'\n", "felt safe\t"]
    assert "felt safe-outputs" in typed(["bash", "--norc", "-i"], lines, tmp_path, "felt safe-outputs")


@pytest.fixture(scope="module")
def zsh_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is missing: apt install zsh")
    folder = tmp_path_factory.mktemp("zsh")
    (folder / "_felt").write_text(zsh(parsers()), encoding="utf-8")
    return folder


def test_zsh_reads_its_script_without_a_word(zsh_folder: Path) -> None:
    done = subprocess.run(["zsh", "-n", str(zsh_folder / "_felt")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("felt safe\t", "felt safe-outputs"),
        ("felt jackpot prov\t", "felt jackpot provision"),
        ("felt jackpot --config x re\t", "restore"),
        ("felt console add-person Tess tech\t", "technician"),
        ("felt report --as h\t", "--as html"),
        ("felt demo --autop\t", "felt demo --autoplay"),
        ("felt check --config my\t", "mytable.toml"),
        ("felt rules cali\t", "california-three-card-poker"),
        ("felt demo --\t", "play from the keyboard, without a browser"),
    ],
)
def test_a_person_in_zsh_presses_tab(line: str, shown: str, zsh_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mytable.toml").touch()
    start = f"fpath=('{zsh_folder}' $fpath); autoload -U compinit; compinit -u -D\n"
    assert shown in typed(["zsh", "-f", "-i"], [start, line], tmp_path, shown)
