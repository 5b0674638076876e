"""Everybody can use the pages: contrast of WCAG AA measured, a name for whatever can be touched, a round with the
keyboard alone, no motion for whom it disturbs, and no page that is wider than its window."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.screens.browsers import SIZES, Looked
from tests.screens.players import LATER_MS, Player, VirtualTable

PHONE = (400, 800)
CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
NAMELESS = """() => [...document.querySelectorAll("button, a, input, [role=button], [tabindex]")]
  .filter((one) => one.checkVisibility())
  .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length || one.title))
  .map((one) => one.outerHTML.slice(0, 120))"""
MOVING = "() => document.getAnimations().filter((one) => one.playState === 'running').map((one) => String(one))"
TOO_WIDE = "() => document.documentElement.scrollWidth - innerWidth"
TOO_HIGH = "() => document.documentElement.scrollHeight - innerHeight"


@pytest.fixture
def virtual(tmp_path: Path) -> Iterator[VirtualTable]:
    virtual = VirtualTable(tmp_path)
    yield virtual
    virtual.close()


def judged(page: Page) -> dict[str, Any]:
    return {"contrast": page.evaluate(CONTRAST), "nameless": page.evaluate(NAMELESS)}


FINE: dict[str, Any] = {"contrast": [], "nameless": []}


def test_every_page_is_readable_named_and_as_wide_as_its_window(virtual: VirtualTable, browser: Browser) -> None:
    player = Player(browser, f"{virtual.screens.pages}/table")
    dealer = Looked(browser, f"{virtual.screens.pages}/dealer", "small")
    sign = Looked(browser, f"{virtual.screens.sign}/sign", "1080p")
    pages = {"table": player.page, "dealer": dealer.page, "sign": sign.page}

    def judge(moment: str) -> None:
        for name, page in pages.items():
            assert judged(page) == FINE, (moment, name)
        for width, height in (*SIZES.values(), PHONE):
            player.page.set_viewport_size({"width": width, "height": height})
            assert player.page.evaluate(TOO_WIDE) <= 0, (moment, width)
        player.page.set_viewport_size({"width": 1280, "height": 800})
        for name in ("dealer", "sign"):
            for width, height in SIZES.values():
                pages[name].set_viewport_size({"width": width, "height": height})
                assert max(pages[name].evaluate(TOO_WIDE), pages[name].evaluate(TOO_HIGH)) <= 0, (moment, name, width)

    judge("closed")
    player.open_bets()
    for tab in ("house", "troubles", "lamps", "box"):
        player.page.locator(f"[data-tab={tab}]").click()
        assert judged(player.page) == FINE, tab
    player.chip("1.ante")
    player.chip("1.progressive")
    player.lamp("1.progressive", "seen")
    judge("betting")
    player.key("no_more_bets")
    player.phase("dealing")
    player.trouble("late_chip")
    player.lamp("2.progressive", "late")
    judge("a late chip")
    player.chip("2.progressive")
    virtual.shuffler.dispense(2, 3)
    player.phase("deciding")
    player.key("collect")
    player.key("cards_seen")
    player.box(1)
    player.page.locator("[data-act=look]").click()
    player.page.locator("[data-act=box-play]").click()
    judge("deciding")
    player.key("reveal")
    player.key("settle")
    player.phase("jackpot|paying")
    judge("settled")
    replay = Looked(browser, f"{virtual.screens.pages}/replay?round=1", "desk")
    expect(replay.page.locator("#door h2")).to_be_visible()
    assert judged(replay.page) == FINE
    for looked in (player.looked, dealer, sign, replay):
        assert looked.complaints == []
        looked.close()


def test_a_round_is_played_with_the_keyboard_alone(virtual: VirtualTable, browser: Browser) -> None:
    player = Player(browser, f"{virtual.screens.pages}/table")
    page = player.page
    used: set[str] = set()

    def by_key(selector: str) -> None:
        """Tab until it has the focus, which is seen, and Enter."""
        expect(page.locator(selector).first).to_be_visible(timeout=LATER_MS)
        for _ in range(200):
            page.keyboard.press("Tab")
            if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                break
        assert page.evaluate("(selector) => document.activeElement.matches(selector)", selector), selector
        assert page.evaluate("() => document.activeElement.matches(':focus-visible')")
        page.keyboard.press("Enter")
        used.add(selector)

    by_key("[data-order=TableOpened]")
    player.phase("between rounds")
    by_key("[data-key=open]")
    player.phase("betting")
    by_key('g[data-spot="1.ante"]')
    by_key('g[data-spot="1.progressive"]')
    player.lamp("1.progressive", "seen")
    by_key("[data-act=key-all]")
    by_key("[data-key=no_more_bets]")
    player.phase("dealing")
    virtual.shuffler.dispense(2, 3)
    player.phase("deciding")
    by_key("[data-key=cards_seen]")
    by_key('g[data-box="1"]')
    by_key("[data-act=box-fold]")
    expect(page.locator("#box")).to_contain_text("folded", timeout=LATER_MS)
    by_key("[data-key=reveal]")
    by_key("[data-key=settle]")
    player.phase("paying")
    by_key('[data-ribbon="1"]')
    expect(page.locator("#box .line").first).to_contain_text("3.12.1")
    by_key("#clear")
    assert len(used) > 10
    player.looked.close()


def test_nothing_moves_for_whom_motion_disturbs_and_lamps_are_told_apart_all_the_same(
    virtual: VirtualTable, browser: Browser
) -> None:
    player = Player(browser, f"{virtual.screens.pages}/table")
    player.open_bets()
    assert player.page.evaluate(MOVING)
    player.page.emulate_media(reduced_motion="reduce")
    assert player.page.evaluate(MOVING) == []
    invited = player.page.locator('g[data-spot="1.progressive"] [data-lamp="invite"] .lit').first
    expect(invited).to_have_css("opacity", "1")
    expect(player.page.locator('g[data-spot="1.progressive"]')).to_have_attribute(
        "aria-label", re.compile("a bet may be placed")
    )
    player.looked.close()
