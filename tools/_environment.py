"""How a tool written in Python begins and ends. It begins in the project's own environment, which tools/_setup makes if
it is missing. It ends with a status, and never with a traceback for what a person did. It needs only Python, so a tool
can read its arguments and show its help before anything is set up."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OWN = ROOT / ".venv"
_ENTERED = "FELT_TOOL_ENTERED"  # tells the restarted program that its environment is ready
_OTHERS = ("VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH")  # another environment that happens to be active is not ours
SECONDS_MAX = 1_000_000
_SET_UP = '. "$(dirname -- "$0")/_setup" && set_up "$1"'


def enter(level: str) -> None:
    """Continues in the project's own environment, in which tools/_setup has put what `level` names: demo, tools,
    test."""
    sys.path[:0] = [str(ROOT), str(ROOT / "firmware")]
    if os.environ.pop(_ENTERED, "") == level:
        return
    tool = str(Path(sys.argv[0]).resolve())
    done = subprocess.run(["sh", "-c", _SET_UP, tool, level], check=False)
    if done.returncode:
        sys.exit(done.returncode)
    if Path(sys.prefix) != OWN:
        python = str(OWN / "bin" / "python")
        kept = {name: value for name, value in os.environ.items() if name not in _OTHERS}
        os.execve(python, [python, tool, *sys.argv[1:]], {**kept, _ENTERED: level})


def finish(main: Callable[[], int]) -> None:
    """Runs a tool to its end. Nobody reads on, somebody presses Ctrl-C, a file cannot be written or a port is taken:
    none of it gives a traceback."""
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except KeyboardInterrupt:
        status = 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"{Path(sys.argv[0]).name}: {where}{error.strerror or error}", file=sys.stderr)
        status = 1
    sys.exit(status)


# --- arguments that several tools take ---------------------------------------------------------------


def folder(text: str) -> Path:
    """A folder that exists."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text}")
    return Path(text)


def work_folder(text: str) -> Path:
    """A folder in which files can be made."""
    place = folder(text)
    try:
        with tempfile.TemporaryDirectory(prefix="felt-", dir=place):
            return place
    except OSError as error:
        raise argparse.ArgumentTypeError(f"nothing can be written in {text} ({error.strerror})") from None


def new_file(text: str) -> Path:
    """A file that can be written, whether it exists or not."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is a folder: name a file")
    if not path.exists():
        work_folder(str(path.parent))
    elif not os.access(path, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text} cannot be written")
    return path


def seconds(text: str) -> float:
    """Whole seconds, or a part of them as in 0.5."""
    if not text.replace(".", "", 1).isdecimal() or not text.isascii() or float(text) > SECONDS_MAX:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is no number of seconds from 0 to {SECONDS_MAX}")
    return float(text)
