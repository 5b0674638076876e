"""The sign in a real browser: what players read is what the table knows, within a second, and never more."""

from __future__ import annotations

import contextlib
import json
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from felt.config.settings import SignLanguage
from felt.drivers.line_socket import LineClient
from felt.nouns.cards import DECK, Card
from felt.rules import shelf
from felt.screens.pages import FOLDER
from tests.real.console_house import House
from tests.screens.browsers import SIZES, Looked, Screens

WITHIN_MS = 1000
INSIDE = """[...document.querySelectorAll('.sign b, .sign dd, .sign dt, .sign p, .sign strong')].every((one) => {
    const at = one.getBoundingClientRect();
    return at.right <= innerWidth + 1 && at.bottom <= innerHeight + 1;
})"""
# Box 1 and the dealer have a royal flush of hearts between them.
ROYAL = [Card(one) for one in "Ah Kh Qh 2c 7d 9s Jh Th Jc".split()]
DECK_WITH_ROYAL = [*ROYAL, *(card for card in random.Random(5).sample(DECK, 52) if card not in ROYAL)]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path, [DECK_WITH_ROYAL] * 4, '[screens]\nport = 18080\nsign_port = 18090\n')
    yield house
    house.close()


@pytest.fixture
def screens(house: House) -> Iterator[Screens]:
    screens = Screens(house.file)
    yield screens
    assert screens.stop() == ""


def order(house: House, kind: str, **fields: object) -> None:
    house.table.send(order=kind, fields=fields, id=1)


def say(sign: Looked) -> str:
    return sign.page.locator("#say").inner_text().casefold()


def bets_open(house: House) -> None:
    if house.where["phase"] == "CLOSED":
        order(house, "TableOpened", person="Sam")
        house.until(lambda: house.where["phase"] == "IDLE")
    house.press_until("open", lambda: house.where["phase"] == "BETTING")


def deal_a_royal(house: House) -> None:
    bets_open(house)
    for spot in ("1.ante", "1.progressive", "2.ante", "2.progressive"):
        house.drive(spot, True)
    house.until(lambda: house.lamps.get("2.progressive") == "seen")
    house.press_until("no_more_bets", lambda: house.where["phase"] == "DEALING")
    house.shuffler.dispense(3, 3)
    house.until(lambda: house.where["phase"] == "DECIDING")
    house.press("cards_seen")
    house.press_until("play", lambda: house.where["mode"] == "play")
    house.press_until("seat_1", lambda: "1" in house.where["decisions"])
    house.press_until("seat_2", lambda: "2" in house.where["decisions"])
    house.press_until("reveal", lambda: house.where["revealed"])
    house.press_until("settle", lambda: house.where["phase"] == "VERIFYING")


def test_a_whole_evening_of_the_sign_in_one_browser(house: House, screens: Screens, browser: Browser) -> None:
    sign = Looked(browser, f"{screens.sign}/sign")
    expect(sign.page.locator("#hero h1")).to_have_text("This table is closed")
    bets_open(house)
    expect(sign.page.locator("#say")).to_have_text("Place your bets, please", timeout=WITHIN_MS)
    expect(sign.page.locator("#limits")).to_contain_text("$25 – $1,000")
    expect(sign.page.locator("#limits")).to_contain_text("Jackpot bet$5")
    expect(sign.page.locator("#pays")).to_contain_text("Royal flush, spades100%$500")
    order(house, "VoidOrdered", person="Sam", reason="again, with bets")
    expect(sign.page.locator("#say")).to_have_text("Round void: bets go back", timeout=WITHIN_MS)
    house.press_until("settle", lambda: house.where["phase"] == "IDLE")
    deal_a_royal(house)
    expect(sign.page.locator("#say")).to_have_text("No more bets")
    claim = house.where["claims"][0]
    order(house, "ClaimConfirmed", claim=claim["claim"], person="Sam and Shu")
    house.until(lambda: house.where["claims"][0]["verdict"] == "confirmed")
    award = house.where["claims"][0]["award_minor"]
    expect(sign.page.locator("#hero .under")).to_have_text("Table T1, box 1: royal flush in hearts", timeout=WITHIN_MS)
    shown = sign.page.locator("#hero .amount").inner_text()
    assert int(re.sub(r"\D", "", shown)) == award
    assert sign.page.locator("#hero .cards > g").count() == 5
    expect(sign.page.locator("#say")).to_have_text("25% of the jackpot")
    order(house, "OutOfServiceOrdered", person="Sam", reason="the sign is tried")
    expect(sign.page.locator("#hero h1")).to_have_text("This table is out of order", timeout=3 * WITHIN_MS)
    order(house, "BackInServiceOrdered", person="Sam")
    assert sign.complaints == []
    sign.close()


def test_the_notice_that_no_progressive_bets_are_taken_is_on_the_sign(
    house: House, screens: Screens, browser: Browser
) -> None:
    sign = Looked(browser, f"{screens.sign}/sign", "small")
    order(house, "TableOpened", person="Sam")
    house.until(lambda: house.where["phase"] == "IDLE")
    order(house, "ProgressiveSwitched", off=True, person="Sam", reason="the controller is serviced")
    notice = sign.page.locator("#hero h1")
    expect(notice).to_have_text("No Progressive Jackpot bets are accepted or paid", timeout=WITHIN_MS)
    assert "Jackpot bet" not in sign.page.locator("#limits").inner_text()
    expect(sign.page.locator("#hero .amount")).to_contain_text("$", timeout=9000)  # notice and amount take turns
    expect(sign.page.locator("#hero .under").last).to_have_text("No Progressive Jackpot bets are accepted or paid")
    expect(notice).to_be_visible(timeout=9000)
    order(house, "ProgressiveSwitched", off=False, person="Sam", reason="it is back")
    expect(sign.page.locator("#hero .over")).to_have_text("Progressive Jackpot", timeout=WITHIN_MS)
    sign.close()


def test_a_page_takes_its_meter_away_when_the_table_dies_and_comes_back_with_it(
    house: House, screens: Screens, browser: Browser
) -> None:
    sign = Looked(browser, f"{screens.sign}/sign", "small")
    bets_open(house)
    expect(sign.page.locator("#say")).to_have_text("Place your bets, please")
    house.table.kill()
    expect(sign.page.locator("#say")).to_have_text("One moment, please", timeout=3000)
    expect(sign.page.locator("#hero h1")).to_have_text("One moment, please", timeout=8000)
    assert sign.page.locator("[data-meter]").count() == 0
    house.start()
    expect(sign.page.locator("#say")).to_have_text("Place your bets, please", timeout=5000)
    sign.close()


def test_a_meter_counts_up_and_never_stands_above_the_truth(house: House, screens: Screens, browser: Browser) -> None:
    sign = Looked(browser, f"{screens.sign}/sign", "small")
    deal_a_royal(house)
    # The truth of every moment is what the page was told; the figure on it is read in every frame.
    seen = sign.page.evaluate(
        """() => new Promise((done) => {
            const read = () => Number(document.querySelector("[data-meter]")?.textContent.replace(/[^0-9]/g, "") || 0);
            const figures = [];
            const frame = () => {
                figures.push(read());
                figures.length < 90 ? requestAnimationFrame(frame) : done(figures);
            };
            frame();
        })"""
    )
    truth = 5_000_000 + 2 * 100  # two jackpot bets of five dollars, a fifth of each
    assert max(seen) <= truth
    deadline = time.monotonic() + 5
    while (now := sign.page.locator("[data-meter]").inner_text()) != "$50,002.00":
        assert time.monotonic() < deadline, now
    sign.close()


def test_the_sign_speaks_the_language_it_is_asked_for(house: House, screens: Screens, browser: Browser) -> None:
    bets_open(house)
    for language, said in (("zh", "请下注"), ("ms", "Sila letakkan taruhan"), ("xx", "Place your bets, please")):
        sign = Looked(browser, f"{screens.sign}/sign?language={language}", "small")
        expect(sign.page.locator("#say")).to_have_text(said)
        sign.close()


def test_every_language_has_every_word_of_every_game() -> None:
    words = {path.stem: json.loads(path.read_text()) for path in (FOLDER / "words").glob("*.json")}
    assert set(words) == {one.value for one in SignLanguage}
    english = words["en"]
    for language in words.values():
        assert shape(language) == shape(english)
    for book in map(shelf.rulebook, shelf.GAMES):
        assert book.id in english["titles"]
        assert set(book.meters) <= set(english["meters"])
        assert {wager.name for wager in book.wagers} <= set(english["bets"])
        tables = [(one.bet, hand) for one in book.pay_tables if one.bet != "ante" for hand, _ in one.rows]
        posted = [(bet, hand) for bet, hands in book.posted_rows for hand in hands]
        for bet, hand in (*tables, *posted):
            assert bet in english["bets"]
            assert hand in english["hands"] or f"{bet}.{hand}" in english["hands"]


def shape(words: dict[str, Any]) -> dict[str, Any]:
    """Names without what they say, but with the places that are filled in."""
    return {
        name: shape(said) if isinstance(said, dict) else sorted(re.findall(r"\{\w+\}", said))
        for name, said in words.items()
    }


@contextlib.contextmanager
def a_demo_of(game: str, folder: Path, *words: str) -> Iterator[str]:
    """The address of its sign."""
    ports = ("--set", "screens.port=18680", "--set", "screens.sign_port=18690")
    command = [sys.executable, "-m", "felt.cli", "demo", "--game", game, "--state", str(folder), *ports, *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield next(found[1] for line in process.stdout if (found := re.search(r"the sign is at (\S+)", line)))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def test_every_game_has_its_limits_and_pay_tables_on_the_sign(tmp_path: Path, browser: Browser, full: bool) -> None:
    """Also what else a contribution pays for, where a meter's terms say it."""
    for game in shelf.GAMES if full else ("stax-three-card",):
        meters = shelf.rulebook(game).meters
        told = ["--set", f'progressive.meters.{meters[0]}.secondary_award="5% pay a draw on Sundays"'] if meters else []
        with a_demo_of(game, tmp_path / game, *told) as address:
            sign = Looked(browser, address)
            page = sign.page
            expect(page.locator("#say")).to_have_text("Closed", timeout=20_000)
            with closing(LineClient(tmp_path / game / "desk", 10)) as desk:
                assert "answer" in desk.ask({"felt": 1, "id": 1, "login": "Kim", "pin": "1111"})
                assert "answer" in desk.ask({"felt": 1, "id": 2, "order": "TableOpened", "fields": {}})
            expect(page.locator("#pays > div").first).to_be_visible(timeout=5000)
            shown = page.locator("main").inner_text()
            assert "$" in shown
            assert ("5% pay a draw on Sundays" in shown) == bool(meters)
            for size in SIZES.values():
                page.set_viewport_size({"width": size[0], "height": size[1]})
                page.wait_for_timeout(150)
                assert page.evaluate(INSIDE), (game, size)
            assert sign.complaints == []
            sign.close()
