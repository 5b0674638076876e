"""The virtual table by clicking, in a real browser: a jackpot confirmed by two persons, one box's cards and no other's,
troubles from the menu, a power cut under the page, and an evening in every game."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from felt.rules import shelf
from tests.screens.players import LATER_MS, Player, VirtualTable, cards_told


@pytest.fixture
def virtual(tmp_path: Path) -> Iterator[VirtualTable]:
    virtual = VirtualTable(tmp_path)
    yield virtual
    virtual.close()


def test_a_jackpot_by_clicking_is_confirmed_by_two_and_no_hidden_card_is_told(
    virtual: VirtualTable, browser: Browser
) -> None:
    player = Player(browser, f"{virtual.screens.pages}/table")
    player.open_bets()
    player.page.locator('[data-chip="25"]').click()
    for box in (1, 2):
        player.chip(f"{box}.ante")
        player.chip(f"{box}.progressive")
        player.lamp(f"{box}.progressive", "seen")
    expect(player.page.locator("#aside")).to_contain_text("2 amounts are not keyed", timeout=LATER_MS)
    player.page.locator("[data-act=key-all]").click()
    expect(player.page.locator('g[data-spot="2.ante"]')).to_have_attribute(
        "aria-label", "Box 2, Ante: chips worth $25, keyed $25", timeout=LATER_MS
    )
    player.key("no_more_bets")
    player.phase("dealing")
    virtual.shuffler.dispense(3, 3)
    player.phase("deciding")
    player.key("collect")
    expect(player.page.locator('g[data-spot="1.progressive"]')).not_to_have_attribute(
        "aria-label", re.compile("a chip lies here"), timeout=LATER_MS
    )
    assert cards_told(player.told) == set()
    assert not re.search(r"of (clubs|diamonds|hearts|spades)", player.page.content())
    player.box(2)
    player.page.locator("[data-act=look]").click()
    expect(player.page.get_by_label("9 of clubs")).to_be_visible()
    assert cards_told(player.told) == {"9c", "9d", "4s"}
    player.key("cards_seen")
    player.box(1)
    player.page.locator("[data-act=box-play]").click()
    expect(player.page.locator("#box")).to_contain_text("plays", timeout=LATER_MS)
    player.box(2)  # PLAY is lit: the box's own key is enough
    expect(player.page.locator("#box h2")).to_have_text("Box 2")
    expect(player.page.locator("#box")).to_contain_text("plays", timeout=LATER_MS)
    player.key("reveal")
    player.key("settle")
    player.phase("jackpot")
    expect(player.page.locator(".prize")).to_have_text(re.compile(r"^\$12,50\d\.\d\d$"))
    player.page.locator("[data-order=ClaimConfirmed]").click()
    player.phase("paying")
    expect(player.page.locator("[data-ribbon='1']")).to_have_attribute(
        "aria-label", re.compile(r"Box 1: Ace, king, queen suited, \+\$1\d,\d{3}"), timeout=LATER_MS
    )
    expect(player.page.locator("#box .line").first).to_contain_text("4.4")
    assert player.looked.complaints == []
    player.looked.close()


def test_troubles_of_the_menu_are_answered_by_the_table_also_a_power_cut(
    virtual: VirtualTable, browser: Browser
) -> None:
    player = Player(browser, f"{virtual.screens.pages}/table")
    player.open_bets()
    virtual.shuffler.unplug()
    expect(player.page.locator("#where")).to_contain_text("Shuffler gone", timeout=LATER_MS)
    virtual.shuffler.plug()
    expect(player.page.locator("#where")).not_to_contain_text("Shuffler gone", timeout=LATER_MS)
    player.chip("1.ante")
    player.chip("1.progressive")
    player.lamp("1.progressive", "seen")
    player.key("no_more_bets")
    player.phase("dealing")
    player.trouble("late_chip")
    player.lamp("2.progressive", "late")
    player.chip("2.progressive")  # handed back
    player.lamp("2.progressive", "off")
    player.trouble("power")
    expect(player.page.locator("#stale")).to_be_visible(timeout=LATER_MS)
    assert virtual.table.process.wait(10) == -signal.SIGKILL
    virtual.table.forget()
    virtual.table.start()
    player.phase("held")
    expect(player.page.locator("#stale")).not_to_be_visible()
    expect(player.page.locator("#house .ask")).to_contain_text("5.7", timeout=LATER_MS)
    player.page.locator("#house .ask .first").first.click()
    player.phase("voiding|dealing")
    assert player.looked.complaints == []
    player.looked.close()


def test_a_coin_without_an_ante_is_never_called_late(virtual: VirtualTable, browser: Browser) -> None:
    player = Player(browser, f"{virtual.screens.pages}/table")
    player.open_bets()
    player.chip("1.ante")
    player.chip("2.progressive")
    spot = player.page.locator('g[data-spot="2.progressive"]')
    expect(spot).to_have_attribute("aria-label", re.compile("no bet without Ante"), timeout=LATER_MS)
    player.page.wait_for_timeout(300)
    player.key("no_more_bets")
    player.lamp("2.progressive", "late")
    expect(spot).to_have_attribute("aria-label", re.compile("hand back, no bet of this round"), timeout=LATER_MS)
    assert not re.search(r"\blate\b|after the lock", player.page.locator("#box").inner_text())
    player.looked.close()


def test_the_felt_lies_still_whatever_is_said_below_it(virtual: VirtualTable, browser: Browser) -> None:
    player = Player(browser, f"{virtual.screens.pages}/table")
    expect(player.page.locator("svg.felt")).to_be_visible()
    places = set()
    for said in ("Bets are open.", "A sentence of the table that is rather long. " * 6):
        player.page.evaluate("(said) => (document.getElementById('say').textContent = said)", said)
        places.add(str(player.page.locator("svg.felt").bounding_box()))
    assert len(places) == 1
    player.looked.close()


def running_on(file: Path) -> list[str]:
    """Processes of this demo, by its table file."""
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if os.access(path, os.R_OK)]
    return [line.decode() for line in lines if str(file).encode() in line]


def test_a_demo_that_is_killed_takes_its_table_along_and_starts_again(tmp_path: Path) -> None:
    for killed_by in (signal.SIGKILL, signal.SIGHUP, signal.SIGINT):
        process, _ = demo(tmp_path, "progressive-3-card-poker")
        assert running_on(tmp_path / "demo.toml")
        process.send_signal(killed_by)
        process.wait(30)
        deadline = time.monotonic() + 15
        while running_on(tmp_path / "demo.toml"):
            assert time.monotonic() < deadline, "table or pages still run"
            time.sleep(0.1)


def demo(folder: Path, game: str) -> tuple[subprocess.Popen[str], str]:
    ports = ("--set", "screens.port=18480", "--set", "screens.sign_port=18490")
    command = [sys.executable, "-m", "felt.cli", "demo", "--game", game, "--state", str(folder), *ports]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"pages are at (\S+)", line):
            return process, found[1]
    raise AssertionError("no address was printed")


def test_the_demo_prints_its_address_and_every_game_is_played_by_clicking(
    browser: Browser, tmp_path: Path, full: bool
) -> None:
    for game in shelf.GAMES if full else ("lucky-three-pictures",):
        process, address = demo(tmp_path / game, game)
        try:
            _play_an_evening(browser, address, game, rounds=3 if full else 1)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def _play_an_evening(browser: Browser, address: str, game: str, rounds: int) -> None:
    """From the opening of the table to its close. Chips are cleared after each round."""
    player = Player(browser, address)
    player.page.locator("#aside [data-order=TableOpened]").click()
    for _ in range(rounds):
        player.phase("between rounds")
        player.key("open")
        player.phase("betting")
        _play_a_round(player, game)
        player.page.locator("#clear").click()
    player.page.locator("[data-tab=house]").click()
    player.page.locator("[data-order=TableClosed]").click()
    player.phase("closed")
    assert player.looked.complaints == []
    assert json.loads(player.told[-1])
    player.looked.close()


def _play_a_round(player: Player, game: str) -> None:
    book = shelf.rulebook(game)
    for wager in book.wagers:
        if not wager.after_cards:
            player.chip(f"2.{wager.name}")
    main = next(wager.name for wager in book.wagers if not wager.needs)
    expect(player.page.locator(f'g[data-spot="2.{main}"]')).to_have_attribute("aria-label", re.compile("chips worth"))
    player.page.wait_for_timeout(300)  # a hand leaves the layout
    player.key("no_more_bets")
    player.phase("dealing")
    player.page.locator("[data-act=deal]").click()
    player.phase("deciding|revealing")
    if "iscard" in player.page.locator("#say").inner_text():
        expect(player.page.locator("[data-discard]")).to_have_count(3)
        player.page.locator("[data-discard='1']").click()
        expect(player.page.locator("#say")).not_to_contain_text("iscard", timeout=LATER_MS)
    if book.has_fold:
        player.key("cards_seen")
        player.box(2)
        player.page.locator("[data-act=box-play]").click()
    player.key("reveal")
    player.key("settle")
    player.phase("paying|jackpot")
    if player.page.locator("#phase").inner_text().casefold() == "jackpot":
        player.page.locator("[data-order=ClaimConfirmed]").click()
        player.phase("paying")
    expect(player.page.locator("[data-ribbon='2']")).to_be_visible(timeout=LATER_MS)
    player.key("settle")
    player.phase("between rounds")
