"""A jackpot on three linked tables by clicking: one table's royal, confirmed by two persons on its page, stands on the
signs of all three within a second, and all of them go on from the same meter."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from felt.commands.demo_link import write_link
from felt.config import load
from felt.demo.pages import list_people
from felt.virtual.shuffler import PtyShuffler, ShufflerDevice
from tests.screens.browsers import Looked
from tests.screens.players import DECK_WITH_ROYAL, LATER_MS, Player

PORTS = ("screens.port=19080", "screens.sign_port=19090")
SECOND_MS = 1000
# As `felt demo --tables` goes on once its files are written: the test has put a shuffler of its own into one of them.
PLAY = """
import sys
from pathlib import Path
from felt.demo.linked import DemoTable, Linked, play_linked
broker, controller, *tables = sys.argv[1:]
told = tuple(DemoTable(Path(one).parent.name, Path(one), Path(one).parent / "desk") for one in tables)
linked = Linked(tuple(broker.split()), Path(controller), told)
play_linked(linked, Path(controller).parent, lambda line: print(line, flush=True))
"""


@pytest.fixture
def shuffler(tmp_path: Path) -> Iterator[PtyShuffler]:
    shuffler = PtyShuffler(ShufflerDevice(random.Random(1), [DECK_WITH_ROYAL] * 4), tmp_path / "tty")
    shuffler.plug()
    yield shuffler
    shuffler.close()


@pytest.fixture
def addresses(tmp_path: Path, shuffler: PtyShuffler) -> Iterator[dict[str, str]]:
    people = tmp_path / "people.toml"
    list_people(people)
    linked = write_link(load(None, (*PORTS, f"desk.people={people}")), tmp_path, 3, "")
    first = linked.tables[0].file
    text = first.read_text()
    own = text.replace('[shuffler]\nurl = ""', f'[shuffler]\nurl = "{shuffler.path}"')
    assert own != text
    first.write_text(own)
    files = [str(linked.controller), *(str(table.file) for table in linked.tables)]
    command = [sys.executable, "-c", PLAY, " ".join(linked.broker), *files]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told: dict[str, str] = {}
    for line in process.stdout:
        if found := re.search(r"(T\d: \w+ \w+)(?: \w+)? at (\S+)", line):
            told[found[1]] = found[2]
        if "Ctrl-C" in line:
            break
    yield told
    process.terminate()
    process.wait(60)


def test_a_jackpot_of_one_table_is_on_the_signs_of_all_three(
    addresses: dict[str, str], shuffler: PtyShuffler, browser: Browser
) -> None:
    player, *neighbours = (Player(browser, addresses[f"T{number}: pages are"]) for number in (1, 2, 3))
    for neighbour in neighbours:
        neighbour.page.locator("#aside [data-order=TableOpened]").click()
        neighbour.phase("between rounds")
    signs = [Looked(browser, addresses[f"T{number}: the sign"], "small") for number in (1, 2, 3)]
    player.open_bets()
    for box in (1, 2):
        player.chip(f"{box}.ante")
        player.chip(f"{box}.progressive")
        player.lamp(f"{box}.progressive", "seen")
    player.key("no_more_bets")
    player.phase("dealing")
    shuffler.dispense(3, 3)
    player.phase("deciding")
    player.key("collect")
    player.key("cards_seen")
    for box in (1, 2):
        player.page.locator(f'rect[data-choose="{box}"]').dispatch_event("click")
        player.page.locator("[data-act=box-play]").click()
        expect(player.page.locator("#box")).to_contain_text("plays", timeout=LATER_MS)
    player.key("reveal")
    player.key("settle")
    player.phase("jackpot")
    expect(player.page.locator(".prize")).to_have_text("$12,500.50", timeout=LATER_MS)
    player.page.locator("[data-order=ClaimConfirmed]").click()
    player.phase("paying")
    began = time.monotonic()
    for sign in signs:
        expect(sign.page.locator("main")).to_contain_text("Table T1, box 1: royal flush in hearts", timeout=LATER_MS)
        expect(sign.page.locator("main")).to_contain_text("$12,500.50")
    assert (time.monotonic() - began) * 1000 < 3 * SECOND_MS  # three are looked at, one after another
    player.key("settle")
    player.phase("between rounds")
    for neighbour in neighbours:
        expect(neighbour.page.locator("#meters")).to_contain_text("$37,501.50", timeout=LATER_MS)
    for looked in (player.looked, *(neighbour.looked for neighbour in neighbours), *signs):
        assert looked.complaints == []
        looked.close()
