"""Every trouble of the menu at a demo's table by clicking, and what the table says and does about it: what its one
sentence promises. In an ordinary run those that take long are left to the other tests of their room."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.screens.players import LATER_MS, Player

PORTS = ("--set", "screens.port=18480", "--set", "screens.sign_port=18490")
LINK_LOST_MS = 40_000


@pytest.fixture
def player(tmp_path: Path, browser: Browser) -> Iterator[Player]:
    command = [sys.executable, "-m", "felt.cli", "demo", "--state", str(tmp_path), *PORTS]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = (re.search(r"pages are at (\S+)", line) for line in process.stdout)
    player = Player(browser, next(one[1] for one in found if one))
    yield player
    assert player.looked.complaints == []
    player.looked.close()
    process.send_signal(signal.SIGINT)
    process.wait(30)


def bet(player: Player, box: int) -> None:
    player.chip(f"{box}.ante")
    player.chip(f"{box}.progressive")
    player.lamp(f"{box}.progressive", "seen")


def deal(player: Player) -> None:
    player.key("no_more_bets")
    player.phase("dealing")
    player.page.locator("[data-act=deal]").click()


def void(player: Player) -> None:
    """The void asks once, and what it asks can be declined."""
    player.page.locator("[data-tab=house]").click()
    player.page.locator("[data-act=ask-void]").click()
    expect(player.page.locator("#aside")).to_contain_text("Void this round?")
    player.page.locator("[data-act=keep]").click()
    expect(player.page.locator("#aside")).not_to_contain_text("Void this round?")
    player.page.locator("[data-act=ask-void]").click()
    player.page.locator("#aside [data-act=void]").click()


def end_round(player: Player) -> None:
    player.phase("voiding|paying")
    player.key("settle")
    player.phase("between rounds")
    player.page.locator("#clear").click()
    expect(player.page.locator('g[data-spot="1.ante"]')).to_have_attribute("aria-label", re.compile("no chip"))


def choose(player: Player, box: int) -> None:
    player.page.locator(f'rect[data-choose="{box}"]').dispatch_event("click")


def test_contacts_and_lamps_that_fail(player: Player) -> None:
    player.open_bets()
    bet(player, 1)
    bet(player, 2)
    choose(player, 2)
    player.trouble("chatter")
    player.lamp("2.progressive", "fault")
    expect(player.page.locator("#where")).not_to_contain_text("gone")
    choose(player, 3)
    player.trouble("stuck")
    player.chip("3.ante")
    player.chip("3.progressive")  # the table does not sense it
    player.page.wait_for_timeout(300)
    player.lamp("3.progressive", "invite")
    player.page.locator("[data-tab=troubles]").click()
    choose(player, 3)
    player.trouble("stuck")  # it moves again, and the chip is there
    player.lamp("3.progressive", "seen")
    choose(player, 1)
    player.trouble("lamp")
    expect(player.page.locator("[data-trouble=lamp]")).to_have_attribute("aria-pressed", "true")
    player.page.locator("[data-tab=house]").click()
    expect(player.page.locator("#house")).to_contain_text(re.compile("lamp", re.I), timeout=LATER_MS)


def test_a_chip_that_comes_late_and_chips_that_are_left_lying(player: Player) -> None:
    player.open_bets()
    bet(player, 1)
    player.key("no_more_bets")
    player.phase("dealing")
    player.trouble("late_chip")
    player.lamp("2.progressive", "late")
    player.page.locator("[data-act=deal]").click()
    player.phase("deciding")
    void(player)
    player.phase("voiding")
    player.key("settle")
    player.phase("between rounds")
    player.key("open")
    player.phase("betting")
    expect(player.page.locator("#aside")).to_contain_text("Chips of an earlier round lie at box 1", timeout=15_000)
    player.page.locator("#clear").click()
    expect(player.page.locator("#aside")).not_to_contain_text("Chips of an earlier round")
    expect(player.page.locator('g[data-spot="1.ante"]')).to_have_attribute("aria-label", re.compile("no chip"))


@pytest.mark.parametrize("trouble", ["foreign_card", "repeated_card"])
def test_a_card_that_is_none_of_the_deck_or_comes_twice_holds_play(trouble: str, player: Player) -> None:
    player.open_bets()
    bet(player, 1)
    player.trouble(trouble)
    deal(player)
    player.phase("held")
    expect(player.page.locator("#house .ask").first).to_contain_text(re.compile(r"5\.\d"), timeout=LATER_MS)
    player.page.locator("#house .ask .first").first.click()
    expect(player.page.locator("#phase")).not_to_have_text("Held", timeout=LATER_MS)


def test_a_shuffler_without_its_cable_and_a_disk_that_is_slow(player: Player) -> None:
    player.open_bets()
    player.trouble("unplug")
    expect(player.page.locator("#where")).to_contain_text("Shuffler gone", timeout=LATER_MS)
    player.trouble("unplug")
    expect(player.page.locator("#where")).not_to_contain_text("Shuffler gone", timeout=LATER_MS)
    player.trouble("disk")
    bet(player, 1)  # the lamp comes later, and comes
    player.key("no_more_bets")
    player.phase("dealing")
    player.lamp("1.progressive", "accepted")
    player.trouble("disk")
    expect(player.page.locator("[data-trouble=disk]")).to_have_attribute("aria-pressed", "false")


def test_a_link_that_is_lost_takes_no_jackpot_bets(player: Player, full: bool) -> None:
    player.open_bets()
    player.trouble("link")
    expect(player.page.locator("[data-trouble=link]")).to_have_attribute("aria-pressed", "true")
    if full:
        expect(player.page.locator("#where")).to_contain_text("Link lost", timeout=LINK_LOST_MS)
    player.trouble("link")
    expect(player.page.locator("#where")).not_to_contain_text("Link lost", timeout=LATER_MS)


def test_the_power_is_cut_and_comes_back_with_everything_where_it_stood(player: Player) -> None:
    player.open_bets()
    bet(player, 1)
    player.key("no_more_bets")
    player.phase("dealing")
    player.trouble("power")
    expect(player.page.locator("#stale")).to_be_visible(timeout=LATER_MS)
    player.phase("held")
    expect(player.page.locator("#house .ask")).to_contain_text("5.7", timeout=20_000)
    player.page.locator("#house .ask .first").first.click()
    player.phase("voiding|dealing")
