"""A past round on the page: only for who has signed in, with the cards of his role, by an address that grants nothing;
and what the desk answers, without a browser."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from felt.desk.round_replays import NoReplay, RoundReplays
from felt.desk.round_steps import round_steps
from felt.stories.playing import play
from felt.stories.script import parse_story
from tests.real.console_house import PINS
from tests.screens.browsers import Looked
from tests.screens.players import LATER_MS, Player, VirtualTable

STORY = """
supervisor opens the table
press open
bets box 1: ante $25, progressive; box 2: ante $25
press no more bets
deal box 1: 2c 7d 9h; box 2: 3c 8d Th; dealer: Qd Jc 4s
fold box 1
play box 2
press reveal
press settle
press settle
press open
"""


def steps(role: str = "") -> dict[str, Any]:
    stage = play(parse_story(STORY, "evening.round"), "evening.round")
    told = round_steps(stage.evening.disk, 1, role)
    assert told is not None
    plain: dict[str, Any] = json.loads(json.dumps(told))
    return plain


def pictures(told: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for step in told["steps"]:
        found.append({**(found[-1] if found else {}), **step["changed"]})
    return found


def hand(picture: dict[str, Any], target: str) -> list[str]:
    return next((one["cards"] for one in picture["playing"]["hands"] if one["target"] == target), [])


def test_a_round_is_told_from_its_opening_to_the_next_with_its_lamps_and_lines() -> None:
    told = steps()
    assert [told["steps"][place]["kind"] for place in (0, -1)] == ["OpenPressed", "SettlePressed"]
    dealt = next(step for step in told["steps"] if step["kind"] == "CardDealt")
    assert dealt["times"] > 5
    seen = pictures(told)
    assert {"seen", "accepted"} <= {one["lamps"]["1.progressive"] for one in seen}
    assert any(line["rule"] == "3.12.1" for line in seen[-1]["playing"]["lines"])


def test_a_reader_without_the_role_never_has_a_folded_hand_and_a_supervisor_has_it_at_once() -> None:
    assert "2c" not in json.dumps(steps())
    by_supervisor = pictures(steps("supervisor"))
    first = next(one for one in by_supervisor if hand(one, "1"))
    assert not first["playing"]["revealed"]
    assert hand(by_supervisor[-1], "1") == ["2c", "7d", "9h"]


def test_a_players_card_is_in_no_step_before_it_was_turned_over() -> None:
    for picture in pictures(steps()):
        if hand(picture, "2"):
            assert picture["playing"]["settled"]


def test_a_round_that_was_never_played_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NoReplay, match=r"^There is no round 7 in this journal\.$"):
        RoundReplays(tmp_path).replay(7, "")


def test_steps_of_no_round_in_particular_are_wrong_use(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "felt.cli", "replay", str(tmp_path), "--steps"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "felt replay: --steps tells one round: name its number\n")


@pytest.fixture
def virtual(tmp_path: Path) -> Iterator[VirtualTable]:
    virtual = VirtualTable(tmp_path)
    yield virtual
    virtual.close()


def test_a_past_round_on_the_page_by_its_address(virtual: VirtualTable, browser: Browser) -> None:
    player = Player(browser, f"{virtual.screens.pages}/table")
    player.open_bets()
    player.chip("1.ante")
    player.page.wait_for_timeout(300)
    player.key("no_more_bets")
    player.phase("dealing")
    virtual.shuffler.dispense(2, 3)
    player.phase("deciding")
    player.key("cards_seen")
    player.box(1)
    player.page.locator("[data-act=box-fold]").click()
    player.key("reveal")
    player.key("settle")
    player.phase("paying")
    player.key("settle")
    player.phase("between rounds")
    looked = Looked(browser, f"{virtual.screens.pages}/replay?round=1&step=2", "desk")
    told: list[str] = []
    page = looked.page
    page.on("websocket", lambda line: line.on("framereceived", lambda frame: told.append(str(frame))))
    page.reload()
    expect(page.locator("#door h2")).to_have_text("Replay of round 1")
    assert not any('"steps"' in one for one in told)
    page.locator("[name=name]").fill("Tess")
    page.locator("[name=pin]").fill(PINS["Tess"])
    page.locator("[data-act=sign-in]").click()
    expect(page.locator("#step")).to_have_text(re.compile("step 3 of"), timeout=LATER_MS)
    expect(page.locator("#about")).to_contain_text("with the cards that lay open")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#step")).to_have_text(re.compile("step 4 of"))
    expect(page).to_have_url(re.compile(r"round=1&step=3$"))
    assert not any('"Kh"' in one for one in told)  # box 1 folded: for a technician its cards stay face down
    page.locator("[data-step]").last.click()
    expect(page.locator("#verdicts")).to_contain_text("Folded")
    assert len(page.pdf()) > 10_000
    page.locator("#which [name=round]").fill("99")
    page.locator("#which [data-act=open]").click()
    expect(page.locator(".refusal")).to_contain_text("There is no round 99", timeout=LATER_MS)
    assert looked.complaints == []
    looked.close()
    player.looked.close()
