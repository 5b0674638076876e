"""The dealer's screen in a real browser: part of the panel by the secret of its device and not otherwise, the misdeal
assistant, and a jackpot's lock-up; and the desk's own judgement of who is part of the panel."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from felt.desk.pin_lockout import Lockout
from felt.desk.screen_panel import PanelRefused, ScreenPanel
from felt.loop.inbox import Edge
from tests.real.console_house import PINS
from tests.screens.browsers import SIZES, Looked
from tests.screens.players import LATER_MS, Player, VirtualTable, cards_told

SECRET = "the-secret-of-this-screen"
DIGEST = hashlib.sha256(SECRET.encode()).hexdigest()
MORE = f'[desk]\npanel = "{DIGEST}"\n'


@pytest.fixture
def virtual(tmp_path: Path) -> Iterator[VirtualTable]:
    virtual = VirtualTable(tmp_path, MORE)
    yield virtual
    virtual.close()


def touch(page: Page, key: str) -> None:
    expect(page.locator(f"#keys [data-key={key}]")).to_be_visible(timeout=LATER_MS)
    page.locator(f"#keys [data-key={key}]").click()


def phase(page: Page, name: str) -> None:
    expect(page.locator("#line .phase")).to_have_text(re.compile(name, re.I), timeout=LATER_MS)


def test_a_round_is_dealt_by_touching_the_screen_that_is_part_of_the_panel(
    virtual: VirtualTable, browser: Browser
) -> None:
    player = Player(browser, f"{virtual.screens.pages}/table")
    player.page.locator("#aside [data-order=TableOpened]").click()
    player.phase("between rounds")
    told: list[str] = []
    stranger = Looked(browser, f"{virtual.screens.pages}/dealer", "small")
    phase(stranger.page, "between rounds")
    stranger.page.locator("#keys [data-key=open]").click(force=True)
    expect(stranger.page.locator("#say")).to_contain_text("no part of the panel")
    looked = Looked(browser, "about:blank", "small")
    page = looked.page
    page.on("websocket", lambda line: line.on("framereceived", lambda frame: told.append(str(frame))))
    page.goto(f"{virtual.screens.pages}/dealer#panel={SECRET}")
    expect(page.locator(".note")).to_have_count(0, timeout=LATER_MS)
    assert SECRET not in page.url
    phase(page, "between rounds")
    touch(page, "open")
    phase(page, "betting")
    for box in (1, 2):
        player.chip(f"{box}.ante")
        player.chip(f"{box}.progressive")
        player.lamp(f"{box}.progressive", "seen")
    expect(page.locator(".count b")).to_have_text("2", timeout=LATER_MS)
    _misdeal_that_players_choose_about(virtual, page)
    assert cards_told(told) == set()
    _play_to_the_jackpot(page)
    assert (looked.complaints, stranger.complaints) == ([], [])
    for one in (looked, stranger, player.looked):
        one.close()


def _misdeal_that_players_choose_about(virtual: VirtualTable, page: Page) -> None:
    touch(page, "no_more_bets")
    phase(page, "dealing")
    virtual.shuffler.dispense(3, 3)
    phase(page, "deciding")
    touch(page, "collect")
    expect(page.locator(".count b").first).to_have_text("2")
    page.locator("[data-act=more]").click()
    touch(page, "misdeal")
    page.locator("[data-seat='2'][data-lit]").click()
    phase(page, "held")
    expect(page.locator(".opt")).to_have_count(2)
    expect(page.locator(".opt .rule").first).to_have_text("5.10")
    page.locator(".opt", has_text="goes on").click()
    page.locator("[name=name]").fill("Sam")
    page.locator("[name=pin]").fill("0000")
    page.locator("[data-act=sign-in]").click()
    expect(page.locator("#say")).to_contain_text("do not belong together")
    page.locator("[name=pin]").fill(PINS["Sam"])
    page.locator("[data-act=sign-in]").click()
    phase(page, "deciding")


def _play_to_the_jackpot(page: Page) -> None:
    touch(page, "cards_seen")
    touch(page, "play")
    page.locator("[data-seat='1'][data-lit]").click()
    expect(page.locator("[data-seat='1'] .did")).to_have_text("Plays", timeout=LATER_MS)
    page.locator("[data-seat='2'][data-lit]").click()
    touch(page, "reveal")
    touch(page, "settle")
    phase(page, "jackpot")
    expect(page.locator(".prize")).to_have_text(re.compile(r"^\$12,50\d\.\d\d$"), timeout=LATER_MS)
    page.locator("[data-act=sign-jackpot]").click()
    for name, text in (("first", "Sam"), ("first_pin", PINS["Sam"]), ("second", "Shu"), ("second_pin", PINS["Shu"])):
        page.locator(f"[name={name}]").fill(text)
    page.locator("[data-act=confirm]").click()
    phase(page, "paying")
    expect(page.locator(".pay.hit .rule").first).to_have_text("4.4")
    touch(page, "settle")
    phase(page, "between rounds")


def test_a_missing_shuffler_stands_in_the_first_line_and_nothing_scrolls_at_any_size(
    virtual: VirtualTable, browser: Browser
) -> None:
    looked = Looked(browser, f"{virtual.screens.pages}/dealer", "small")
    virtual.shuffler.unplug()
    expect(looked.page.locator("#line .no")).to_have_text("Shuffler gone", timeout=LATER_MS)
    for width, height in SIZES.values():
        looked.page.set_viewport_size({"width": width, "height": height})
        assert looked.page.evaluate(
            "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"
        )
    assert looked.complaints == []
    looked.close()


# --- who is part of the panel ----------------------------------------------------------------------------


def panel_of(digest: str, edges: list[Edge]) -> ScreenPanel:
    now = iter(range(10**9, 10**14, 10**6))
    return ScreenPanel(digest, {"key.open": 1}, edges.append, Lockout(lambda: next(now)))


def test_a_press_is_an_edge_down_and_an_edge_up_of_that_key() -> None:
    edges: list[Edge] = []
    panel_of(DIGEST, edges).press("open")
    assert [(one.line, one.level) for one in edges] == [("key.open", True), ("key.open", False)]
    assert edges[0].ns < edges[1].ns


@pytest.mark.parametrize("key", ["1.ante", "door", "supervisor", "", "open "])
def test_nothing_but_a_key_of_the_board_is_pressed(key: str) -> None:
    edges: list[Edge] = []
    with pytest.raises(PanelRefused, match="no key"):
        panel_of(DIGEST, edges).press(key)
    assert edges == []


def test_another_secret_is_refused_and_soon_not_even_looked_at() -> None:
    panel = panel_of(DIGEST, [])
    for _ in range(10):
        with pytest.raises(PanelRefused):
            panel.admit("something else")
    with pytest.raises(PanelRefused, match="wait"):
        panel.admit(SECRET)


def test_a_table_file_without_such_a_screen_admits_none() -> None:
    with pytest.raises(PanelRefused, match="makes no screen part"):
        panel_of("", []).admit("")
