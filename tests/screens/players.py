"""A table without pins, and somebody who plays at it by clicking."""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page, WebSocket, expect

from felt.nouns.cards import DECK, Card
from felt.virtual.shuffler import PtyShuffler, ShufflerDevice
from tests.real.child import Child
from tests.real.console_house import PINS, list_people
from tests.real.driver import TABLE
from tests.screens.browsers import Looked, Screens

# Box 1 and the dealer have a royal flush of hearts between them; box 2 has a pair.
DEALT = "Ah Kh Qh 9c 9d 4s Jh Th Jc".split()
DECK_WITH_ROYAL = [*map(Card, DEALT), *(card for card in random.Random(5).sample(DECK, 52) if card not in DEALT)]
LATER_MS = 8000


class VirtualTable:
    """A table without pins whose hands are the page's, and a shuffler that a test holds."""

    def __init__(self, folder: Path, more: str = "", *, seats: int = 3, deck: Sequence[Card] = DECK_WITH_ROYAL) -> None:
        """`more` is added to the table file; `deck` is dealt in every round."""
        list_people(folder, PINS)
        self.shuffler = PtyShuffler(ShufflerDevice(random.Random(1), [list(deck)] * 8), folder / "tty")
        self.shuffler.plug()
        file = folder / "table.toml"
        ports = "[screens]\nport = 18380\nsign_port = 18390\n"
        table = TABLE.format(name="T1", url=self.shuffler.path).replace("seats = 3", f"seats = {seats}")
        file.write_text(table + ports + more)
        (folder / "levels.json").write_text("{}")
        self.table = Child(
            [sys.executable, "-m", "felt.cli", "run", "--config", str(file)], folder / "stderr", os.environ
        )
        self.table.start()
        self.screens = Screens(file, "--demo-person", f"Sam:{PINS['Sam']}", "--demo-person", f"Shu:{PINS['Shu']}")

    def close(self) -> None:
        said = self.screens.stop()
        self.table.close()
        self.shuffler.close()
        assert said == ""


class Player:
    """Somebody who clicks, and everything that his page was told."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.told: list[str] = []
        self.looked = Looked(browser, "about:blank", "desk")
        self.page: Page = self.looked.page
        self.page.on("websocket", self._listen)
        self.page.goto(address)

    def _listen(self, line: WebSocket) -> None:
        line.on("framereceived", lambda frame: self.told.append(str(frame)))

    def phase(self, name: str) -> None:
        expect(self.page.locator("#phase")).to_have_text(re.compile(name, re.I), timeout=LATER_MS)

    def key(self, name: str) -> None:
        expect(self.page.locator(f"[data-key={name}][data-lit]")).to_be_visible(timeout=LATER_MS)
        self.page.locator(f"[data-key={name}]").click()

    def chip(self, spot: str) -> None:
        self.page.locator(f'g[data-spot="{spot}"]').click()

    def lamp(self, spot: str, shows: str) -> None:
        found = self.page.locator(f'g[data-spot="{spot}"] [data-lamp="{shows}"]')
        expect(found).to_have_count(1, timeout=LATER_MS)

    def box(self, number: int) -> None:
        self.page.locator(f'g[data-box="{number}"]').click()

    def open_bets(self) -> None:
        self.page.locator("#aside [data-order=TableOpened]").click()
        self.phase("between rounds")
        self.key("open")
        self.phase("betting")

    def trouble(self, kind: str) -> None:
        self.page.locator("[data-tab=troubles]").click()
        self.page.locator(f"[data-trouble={kind}]").click()


def cards_told(told: list[str]) -> set[str]:
    return {card for message in told for card in re.findall(r'"([2-9TJQKA][cdhs])"', message)}
