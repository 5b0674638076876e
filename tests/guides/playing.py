"""Does what a page says, on real parts: shell blocks in a folder of their own, consoles on pseudo-terminals, stories on
the production loop, and clicks in a real browser."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as NotThere

from tests.guides.pages import Block, Clicks, blocks, clicks
from tests.house.tree import ROOT
from tests.real.typist import Typist

PATIENCE_S = 60
PIN = re.compile(r"(?:echo|printf) (\d{4,12})\S* \| felt console add-person (\w+)")
DEMO_PINS = {"Kim": "1111", "Noa": "2222"}  # the people of a demo
PROMPT = re.compile(r"^\S+ (\w+)(?: \*\*\* TEST MODE \*\*\*)?> (.*)$")
_ELIDED = re.compile(r"…|\.\.\.")
_ADDRESS = re.compile(r"http://\S+/(?:table|training)\b")
# "itself" marks the command that runs these tests: it cannot run inside itself.
PASSED_OVER = ("hardware", "itself")
SEEN_MS = 15_000


class Untrue(AssertionError):
    """The page says something that does not happen."""


class Background(NamedTuple):
    process: subprocess.Popen[bytes]
    log: Path


def shows(expected: Sequence[str], output: str) -> str:
    """The first expected line that is missing after the ones before it; empty if all are there. … stands for
    anything."""
    lines = [" ".join(line.split()) for line in output.splitlines()]
    place = 0
    for wanted in expected:
        words = " ".join(wanted.split())
        if not words or words in ("…", "..."):
            continue
        pattern = re.compile(".*".join(re.escape(part.strip()) for part in _ELIDED.split(words)))
        found = next((number for number in range(place, len(lines)) if pattern.search(lines[number])), None)
        if found is None:
            return wanted
        place = found + 1
    return ""


class Reader:
    """Somebody who reads a page from top to bottom and does all of it."""

    def __init__(self, page: Path, folder: Path, browser: Callable[[], Browser]) -> None:
        self.page, self.folder, self._browser = page, folder, browser
        self._output = ""
        self._running: list[Background] = []
        self._typists: dict[tuple[str, str], Typist] = {}
        self._pins = dict(DEMO_PINS)
        self._table_file = ""
        _lay_out(folder)
        self._environment = {
            **{name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")},
            "PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}:/usr/sbin",
            "HOME": str(folder),
            "COLUMNS": "100",
        }

    def follow(self, *, full: bool) -> None:
        """`full`: also what takes long."""
        passed_over = False
        steps: list[Block | Clicks] = [*blocks(self.page), *clicks(self.page)]
        for step in sorted(steps, key=lambda step: step.line):
            if isinstance(step, Clicks):
                self._click(step)
            elif step.language == "text":
                if not passed_over:
                    self._see(step)
            elif step.mark in PASSED_OVER or (step.mark == "full" and not full):
                passed_over = True
            else:
                passed_over = False
                self._do(step)

    def close(self) -> None:
        for typist in self._typists.values():
            typist.hang_up()
        for running in reversed(self._running):
            _stop(running.process)

    # --- blocks ------------------------------------------------------------------------------------------

    def _do(self, block: Block) -> None:
        match block.language:
            case "sh":
                self._run(block)
            case "console":
                self._type(block)
            case "round":
                self._tell(block)
            case "toml":
                self._write(block)
            case "py":
                self._write(block)
            case _:
                raise self._untrue(block, f"nobody knows how to follow a block of {block.language!r}")

    def _run(self, block: Block) -> None:
        self._pins.update({name: pin for pin, name in PIN.findall(block.text)})
        self._table_file = (re.findall(r"felt run --config (\S+)", block.text) or [self._table_file])[-1]
        state = re.findall(r"--state (\S+)", block.text)
        if state:
            self._table_file = f"{state[-1]}/demo.toml"
        if block.mark == "stays":
            self._start(block)
            return
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.text], cwd=self.folder, env=self._environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=PATIENCE_S * 5, check=False,
        )  # fmt: skip
        self._output = done.stdout
        if done.returncode:
            raise self._untrue(block, f"exit status {done.returncode}:\n{done.stdout[-3000:]}")

    def _start(self, block: Block) -> None:
        """A command that stays: the next block says what it shows when it is ready."""
        log = self.folder / f"stays-{block.line}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                ["bash", "-euc", f"exec {block.text}"], cwd=self.folder, env=self._environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        self._running.append(Background(process, log))

    def _see(self, block: Block) -> None:
        running = self._running[-1] if self._running else None
        is_of_running = running is not None and f"stays-{self._before(block).line}.log" == running.log.name
        if not is_of_running or running is None:
            missing = shows(block.lines, self._output)
            if missing:
                raise self._untrue(block, f"{missing!r} is not shown; shown is:\n{self._output[-3000:]}")
            return
        until = time.monotonic() + PATIENCE_S
        while missing := shows(block.lines, running.log.read_text(encoding="utf-8")):
            if time.monotonic() > until or running.process.poll() is not None:
                raise self._untrue(block, f"{missing!r} is not shown; shown is:\n{running.log.read_text()[-3000:]}")
            time.sleep(0.05)

    def _before(self, block: Block) -> Block:
        return [other for other in blocks(self.page) if other.line < block.line][-1]

    def _type(self, block: Block) -> None:
        """Lines after a prompt are typed at the console of the person whom it names; the others must be shown."""
        typist: Typist | None = None
        expected: list[str] = []
        shown = ""
        for line in block.lines:
            prompt = PROMPT.match(line)
            if prompt is None:
                expected.append(line)
                continue
            self._compare(block, expected, shown)
            typist, expected = self._typist(block, prompt[1]), []
            shown = typist.do(prompt[2])
        self._compare(block, expected, shown)
        if typist is None:
            raise self._untrue(block, "a console needs a prompt, as in T1 Kim> status")

    def _compare(self, block: Block, expected: list[str], shown: str) -> None:
        missing = shows(expected, shown)
        if missing:
            raise self._untrue(block, f"{missing!r} is not shown; the console says:\n{shown}")

    def _typist(self, block: Block, name: str) -> Typist:
        if name not in self._pins:
            raise self._untrue(block, f"nobody has listed {name}")
        key = (self._table_file, name)
        if key not in self._typists:
            self._wait_for_desk()
            self._typists[key] = Typist(self.folder / self._table_file)
            self._typists[key].sign_in(name, self._pins[name])
        return self._typists[key]

    def _wait_for_desk(self) -> None:
        """A person looks whether the table runs before he walks to its console."""
        desk = (self.folder / self._table_file).parent / "desk"
        until = time.monotonic() + PATIENCE_S
        while not desk.is_socket():
            if time.monotonic() > until:
                raise Untrue(f"{self.page.name}: no table opens a desk at {desk}")
            time.sleep(0.05)

    def _tell(self, block: Block) -> None:
        name = re.match(r"# (\S+\.round)", block.lines[0])
        story = self.folder / (name[1] if name else f"line-{block.line}.round")
        story.write_text(block.text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(ROOT / "tools" / "round"), "--quiet", str(story)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S * 5, check=False,
        )  # fmt: skip
        if done.returncode:
            raise self._untrue(block, done.stdout)

    def _write(self, block: Block) -> None:
        """The first line is a comment that names the file."""
        name = re.match(r"# (\S+)", block.lines[0])
        if name is None:
            raise self._untrue(block, "the first line does not name its file, as in # table.toml")
        place = self.folder / name[1]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(block.text, encoding="utf-8")

    # --- the browser -------------------------------------------------------------------------------------

    def _click(self, clicked: Clicks) -> None:
        address = _ADDRESS.search(self._running[-1].log.read_text(encoding="utf-8"))
        if address is None:
            raise Untrue(f"{self.page.name}, line {clicked.line}: no page is open that could be clicked")
        context = self._browser().new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto(address[0])
        try:
            for step in clicked.steps:
                self._click_one(page, clicked, step)
        finally:
            context.close()

    def _click_one(self, page: Page, clicked: Clicks, name: str) -> None:
        """A name in quotes is to be read on the page; any other is the name of a button, a tab or a place."""
        where = f"{self.page.name}, line {clicked.line}"
        if name.startswith("“"):
            try:
                said = re.compile(re.escape(name.strip("“”.")), re.IGNORECASE)
                page.get_by_text(said).first.wait_for(timeout=SEEN_MS)
            except NotThere:
                raise Untrue(f"{where}: the page does not say {name}") from None
            return
        named = re.compile(rf"^\s*{re.escape(name)}(?!\d)", re.IGNORECASE)
        found = page.get_by_role("button", name=named)
        for role in ("tab", "link", "radio"):
            found = found.or_(page.get_by_role(role, name=named))
        lit = page.locator(f'[data-key="{name.lower().replace(" ", "_")}"]')
        try:
            if name.isupper():  # a key of the panel: it is pressed once its lamp is lit
                page.locator(f'[data-key="{name.lower().replace(" ", "_")}"][data-lit]').wait_for(timeout=SEEN_MS)
                lit.click(timeout=SEEN_MS)
            else:
                found.first.wait_for(timeout=SEEN_MS)
                exact = page.get_by_role("button", name=name, exact=True)
                (exact if exact.count() else found).first.click(timeout=SEEN_MS)
        except NotThere as problem:
            raise Untrue(f"{where}: there is no {name!r} to click:\n{problem}") from None

    def _untrue(self, block: Block, problem: str) -> Untrue:
        return Untrue(f"{self.page.name}, line {block.line}: {problem}")


def _lay_out(folder: Path) -> None:
    """A clone as far as pages name it, in a folder where files may be written. Each tool is run where it lies."""
    for name in ("hw", "systemd", "firmware", "tests", ".venv"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "tools").mkdir()
    for tool in (ROOT / "tools").iterdir():
        if tool.is_file() and os.access(tool, os.X_OK):
            there = folder / "tools" / tool.name
            there.write_text(f'#!/bin/sh\nexec "{tool}" "$@"\n')
            there.chmod(0o755)
    if shutil.which("bash") is None:
        raise AssertionError("bash is missing: apt install bash")


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(15)
