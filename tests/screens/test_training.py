"""Lessons: the dealer is asked before each of his acts, a wrong answer is explained with its paragraph, and the score
is kept for the pit. In a real browser, and without one."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from felt.stories.bookcase import LESSONS, Bookcase
from felt.stories.script import read_story
from felt.stories.training import ANSWERS, CALL, HAND_BACK, answer_to
from tests.screens.browsers import SIZES, Looked


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "felt.cli", "training", "--port", "18880", "--scores", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"lessons are at (\S+)", process.stdout.readline())
    assert found is not None
    yield found[1]
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0


def test_a_lesson_asks_explains_by_paragraph_and_keeps_the_score(
    address: str, tmp_path: Path, browser: Browser
) -> None:
    looked = Looked(browser, address, "desk")
    page = looked.page
    expect(page.locator(".mark")).to_have_text("Training")
    page.locator("#trainee").fill("Ada")
    page.locator("[data-pick=a_chip_comes_late]").click()
    wrong_once = True
    dealers_way = f"open no_more_bets {HAND_BACK} collect cards_seen fold play reveal settle settle".split()
    for answer in dealers_way:
        expect(page.locator("#say")).to_have_text("What do you do now?", timeout=20_000)
        if answer == HAND_BACK and wrong_once:
            wrong_once = False
            page.locator("[data-answer=settle]").click()
            expect(page.locator("#say")).to_have_text("No: HAND IT BACK comes now.")
            expect(page.locator("#aside .rule")).to_have_text("5.11")
        page.locator(f"[data-answer={answer}]").click()
        expect(page.locator("#say")).not_to_have_text("What do you do now?")
    expect(page.locator("#say")).to_have_text("The lesson is over: 9 of 10 right at once.", timeout=20_000)
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator(".mark")).to_be_in_viewport()
    kept = json.loads((tmp_path / "training.jsonl").read_text())
    assert (kept["dealer"], kept["lesson"], kept["asked"], kept["right"]) == ("Ada", "a_chip_comes_late", 10, 9)
    assert looked.complaints == []
    looked.close()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("press no more bets", "no_more_bets"),
        ("press box 2", "box"),
        ("light misdeal exposed cards", "misdeal"),
        ("play box 1, 3", "play"),
        ("lift 2.progressive", HAND_BACK),
        ("lift 1.progressive", ""),
        ("supervisor confirms the claim", CALL),
        ("deal box 1: 2c 7d 9h; dealer: Qd Jc 4s", ""),
        ("bets box 1: ante $25", ""),
    ],
)
def test_a_line_of_a_lesson_is_the_dealers_or_it_is_not(text: str, answer: str) -> None:
    assert answer_to(text, {"1.progressive": "accepted", "2.progressive": "late"}) == answer


def test_every_lesson_asks_for_something_that_can_be_answered() -> None:
    lessons = Bookcase(own=LESSONS).list()
    assert len(lessons) >= 4
    for path in LESSONS.glob("*.round"):
        asked = [answer_to(line.text, {}) for line in read_story(path).lines]
        assert sum(map(bool, asked)) >= 5
        assert all(one in ANSWERS for one in asked if one)
