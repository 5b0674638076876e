"""An evening in a browser: a virtual table and its pages, each a process of its own, as on a box. If the table's
power is cut, the table restarts after a moment."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from felt.config.people import ListedPerson, Role, digest_of, write_people
from felt.stories.bookcase import Bookcase
from felt.stories.door import open_door
from felt.stories.telling import Telling

# A demo player is both of them, since a jackpot takes two persons.
PEOPLE = (("Kim", Role.SUPERVISOR, "1111"), ("Noa", Role.SHIFT_MANAGER, "2222"))
POWER_BACK_S = 3.0
GOODBYE_S = 10.0
LOG = "table.log"
PANEL = "panel.secret"  # by which the dealer's screen of a demo shows that it is part of the panel
STORIES = "stories"  # the socket at which they are told


def list_people(path: Path) -> None:
    """Writes a people file for a demo that has none."""
    if not path.exists():
        write_people(path, {name: ListedPerson(role, digest_of(pin), "demo") for name, role, pin in PEOPLE})


def offered_people() -> list[str]:
    """The persons that the virtual table offers for signing in."""
    return [word for name, _, pin in PEOPLE for word in ("--demo-person", f"{name}:{pin}")]


def panel_secret(folder: Path) -> str:
    """Kept, because the table file has its digest, and a table asks when its file has changed."""
    path = folder / PANEL
    if not path.exists():
        path.touch(0o600)
        path.write_text(secrets.token_urlsafe(24), encoding="utf-8")
    return path.read_text(encoding="utf-8")


def play_in_browser(file: Path, folder: Path, bookcase: Bookcase, story: str, say: Callable[[str], None]) -> int:
    """Until somebody presses Ctrl-C, or the pages cannot be served. `story`: the one that is told at once, if any."""
    with (
        contextlib.ExitStack() as opening,
        log_in(folder) as log,
        running(["run", "--config", str(file)], log) as table,
    ):
        telling = Telling(bookcase)
        open_door(folder / STORIES, telling, opening)
        opening.callback(telling.close)
        telling.start()
        if story:
            telling.choose(story)
        words = ["screens", "--config", str(file), "--stories", str(folder / STORIES), *offered_people()]
        with running(words, subprocess.PIPE) as pages:
            return _watch(table, pages, say, folder / LOG, "stories" if story else "pages")


def _watch(table: Child, pages: Child, say: Callable[[str], None], log: Path, opened: str) -> int:
    """`opened`: which of the addresses that are told is opened."""
    assert pages.process.stdout is not None
    for line in pages.process.stdout:  # an address a line, and then nothing until it ends
        sentence = line.decode().strip().removeprefix("felt screens: ")
        say(sentence)
        if sentence.startswith(opened):
            open_page(sentence.rpartition(" ")[2])
        if sentence.startswith("pages"):
            site = sentence.rpartition(" ")[2].rpartition("/")[0]
            say(f"the dealer's screen is at {site}/dealer#panel={panel_secret(log.parent)}")
            break
    say("Ctrl-C ends the evening")
    while pages.process.poll() is None:
        status = table.process.poll()
        if status is not None and status >= 0:
            print(f"felt demo: the table ended: see {log}", file=sys.stderr)
            return 1
        if status is not None:  # its power was cut
            time.sleep(POWER_BACK_S)
            table.start()
        time.sleep(0.2)
    return pages.process.returncode


def open_page(address: str) -> None:
    """Opens the address on a desktop. Without one, the player reads it from the terminal."""
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(address)


class Child:
    def __init__(self, words: list[str], output: int | IO[bytes]) -> None:
        self._command, self._output = [sys.executable, "-m", "felt.demo.attended", *words], output
        self.start()

    def start(self) -> None:
        errors = None if self._output == subprocess.PIPE else self._output
        self.process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=self._output, stderr=errors, start_new_session=True
        )


@contextlib.contextmanager
def running(words: list[str], output: int | IO[bytes]) -> Iterator[Child]:
    child = Child(words, output)
    try:
        yield child
    finally:
        child.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.process.wait(GOODBYE_S)
        child.process.kill()
        child.process.wait()
        for pipe in (child.process.stdin, child.process.stdout):
            if pipe is not None:
                pipe.close()


@contextlib.contextmanager
def log_in(folder: Path) -> Iterator[IO[bytes]]:
    with (folder / LOG).open("ab") as log:
        yield log
