"""A running `felt screens` beside a running table, and pages of it in a real Chromium."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

PATIENCE_MS = 15_000
SIZES = {"1080p": (1920, 1080), "desk": (1280, 800), "small": (800, 480)}


class Screens:
    """The process, and where it says that its pages are."""

    def __init__(self, file: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "felt.cli", "screens", "--config", str(file), *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        said = [self.process.stdout.readline() for _ in range(2)]
        found = [re.search(r"(https?://\S+?)/(?:sign|table)?\s*$", line) for line in said]
        self.sign, self.pages = (one[1] if one else "" for one in found)
        assert all(found), (said, self.stop())

    def stop(self) -> str:
        """What it said as errors."""
        self.process.terminate()
        return self.process.communicate(timeout=30)[1]


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The system's browser; none is downloaded."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.fail("chromium is missing: run tools/test where it may install packages, or 'sudo apt install chromium'")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Looked:
    """A page that somebody looks at, with everything that its console complained of."""

    def __init__(self, browser: Browser, address: str, size: str = "1080p") -> None:
        width, height = SIZES[size]
        self.context = browser.new_context(viewport={"width": width, "height": height})
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.complaints: list[str] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def close(self) -> None:
        self.context.close()
