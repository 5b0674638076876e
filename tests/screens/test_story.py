"""Stories told on the page in a real browser: at a pace, stopped, stepped, and another one chosen. Then the teller
itself, without a browser."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from felt.stories.bookcase import COME_WITH_US, Bookcase, NoSuchStory
from felt.stories.door import StoryConversation
from felt.stories.telling import Telling
from tests.screens.browsers import Looked

PORTS = ("--set", "screens.port=18780", "--set", "screens.sign_port=18790")


def demo(folder: Path, *words: str) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "felt.cli", "demo", "--state", str(folder), *PORTS, *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"stories are at (\S+)", line):
            return process, found[1]
    raise AssertionError("no address was printed")


def test_a_jackpot_is_told_on_the_page_stopped_stepped_and_another_story_chosen(
    browser: Browser, tmp_path: Path
) -> None:
    process, address = demo(tmp_path, "--story", "royal_in_hearts")
    try:
        looked = Looked(browser, address, "desk")
        page = looked.page
        expect(page.locator("#story-title")).to_contain_text("royal flush in hearts")
        page.locator("#pause").click()
        expect(page.locator("#pause")).to_have_attribute("aria-label", "Go on")
        stopped = page.locator("#lines [aria-current]").inner_text()
        page.locator("[data-act=step]").click()
        expect(page.locator("#lines [aria-current]")).not_to_have_text(stopped)
        page.locator("[data-speed='4']").click()
        page.locator("#pause").click()
        won = re.compile(r"\+\$14,")
        expect(page.locator("[data-ribbon='3']")).to_have_attribute("aria-label", won, timeout=30_000)
        expect(page.locator("#meters")).to_contain_text("jackpot won")
        expect(page.locator("#lines [aria-current]")).to_be_in_viewport()
        page.locator("[data-ribbon='3']").click()
        expect(page.locator("#box .line").first).to_contain_text("4.4")
        page.locator("[data-tab=choose]").click()
        page.locator("#search").fill("late chip")
        page.locator("[data-pick=late_chip]").click()
        expect(page.locator("#story-title")).to_contain_text("no bet")
        expect(page.locator("[data-lamp=late]").first).to_be_attached(timeout=20_000)
        page.locator(".back").click()
        page.locator("[data-tab=house]").click()
        expect(page.locator(".elsewhere[href='/story']")).to_be_visible(timeout=20_000)
        assert looked.complaints == []
        looked.close()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


# --- the teller ------------------------------------------------------------------------------------------


@pytest.fixture
def telling(tmp_path: Path) -> Iterator[Telling]:
    (tmp_path / "wrong.round").write_text("supervisor opens the table\nexpect phase BETTING\n")
    (tmp_path / "gibberish.round").write_text("supervisor opens the table\nthe moon shines\n")
    telling = Telling(Bookcase([tmp_path]))
    telling.start()
    yield telling
    telling.close()


def until(telling: Telling, truth: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    deadline = time.monotonic() + 20
    while not truth(told := telling.told(-1)):
        assert time.monotonic() < deadline, told
        time.sleep(0.02)
    return told


def test_a_story_stands_still_while_it_is_paused_and_goes_on_line_by_line(telling: Telling) -> None:
    telling.choose("late_chip")
    telling.pause(True)
    told = until(telling, lambda told: told["story"]["at"] >= 0)
    at = told["story"]["at"]
    telling.step()
    until(telling, lambda told: told["story"]["at"] == at + 1)
    time.sleep(0.2)
    assert telling.told(-1)["story"]["at"] == at + 1


def test_a_story_that_does_not_hold_says_where(telling: Telling) -> None:
    telling.choose("wrong")
    telling.pace(8)
    told = until(telling, lambda told: told["story"]["state"] == "failed")
    assert "wrong.round:2" in told["story"]["problem"] or "wrong:2" in told["story"]["problem"]
    telling.choose("late_chip")
    until(telling, lambda told: told["story"]["name"] == "late_chip")


def test_a_story_that_is_not_there_leaves_the_one_in_hand_alone(telling: Telling) -> None:
    telling.choose("late_chip")
    until(telling, lambda told: told["story"]["name"] == "late_chip")
    with pytest.raises(NoSuchStory, match="no story 'dragons'"):
        telling.choose("dragons")
    assert telling.told(-1)["story"]["name"] == "late_chip"


@pytest.mark.parametrize("words", [{}, {"story": "pace", "speed": 0}, {"story": "pause"}, {"ask": "journal"}])
def test_whoever_asks_a_teller_for_something_else_is_refused(words: dict[str, Any], telling: Telling) -> None:
    answer = StoryConversation(telling).answer({"felt": 1, "id": 4, **words})
    assert (answer["id"], answer["refused"][-1]) == (4, ".")


def test_every_story_that_comes_with_the_product_has_a_title_and_a_game() -> None:
    bound = Bookcase().list()
    assert len(bound) == len(list(COME_WITH_US.glob("*.round"))) > 5
    assert all(one.game and one.title != one.name for one in bound)
