"""Several tables of one demo in a browser: one meter, the jackpot of one of them on the sign of another, a controller
that is killed under the page, and no word to a controller that the demo did not start."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from felt.commands.demo_link import write_link
from felt.config import ConfigError, demo_table, load
from felt.screens.feed import SIGN_PARTS, Feed
from tests.screens.browsers import Looked
from tests.screens.players import LATER_MS, Player

PORTS = ("--set", "screens.port=18980", "--set", "screens.sign_port=18990")


@pytest.fixture
def three(tmp_path: Path, full: bool) -> Iterator[tuple[subprocess.Popen[str], dict[str, str], dict[str, str]]]:
    tables = "3" if full else "2"
    command = [sys.executable, "-m", "felt.cli", "demo", "--tables", tables, "--state", str(tmp_path), *PORTS]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    pages: dict[str, str] = {}
    signs: dict[str, str] = {}
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"(T\d): (pages are|the sign is) at (\S+)", line):
            (pages if found[2] == "pages are" else signs)[found[1]] = found[3]
        if "Ctrl-C" in line:
            break
    yield process, pages, signs
    process.send_signal(signal.SIGINT)
    process.wait(60)


def pid_of(folder: Path, *words: str) -> int:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        line = path.read_bytes().split(b"\0") if os.access(path, os.R_OK) else []
        if all(word.encode() in line for word in words) and any(str(folder).encode() in one for one in line):
            return int(path.parent.name)
    raise AssertionError(f"no process of {words}")


def test_tables_share_one_meter_and_outlive_their_controller(
    three: tuple[subprocess.Popen[str], dict[str, str], dict[str, str]], tmp_path: Path, browser: Browser
) -> None:
    _, pages, signs = three
    player = Player(browser, pages["T1"])
    neighbour = Looked(browser, signs["T2"], "1080p")
    expect(neighbour.page.locator("main")).to_contain_text("$50,000.00", timeout=LATER_MS)
    player.open_bets()
    player.chip("1.ante")
    player.chip("1.progressive")
    player.lamp("1.progressive", "seen")
    player.key("no_more_bets")
    player.phase("dealing")
    player.page.locator("[data-act=deal]").click()
    player.phase("deciding")
    player.key("cards_seen")
    player.box(1)
    player.page.locator("[data-act=box-fold]").click()
    player.key("reveal")
    player.key("settle")
    player.phase("paying")
    expect(neighbour.page.locator("main")).to_contain_text("$50,001.00", timeout=LATER_MS)
    controller = pid_of(tmp_path, "jackpot")
    os.kill(controller, signal.SIGSTOP)
    expect(player.page.locator("#where")).to_contain_text("Link lost", timeout=30_000)
    os.kill(controller, signal.SIGKILL)
    expect(player.page.locator("#where")).not_to_contain_text("Link lost", timeout=30_000)
    expect(neighbour.page.locator("main")).to_contain_text("$50,001.00", timeout=LATER_MS)
    assert (player.looked.complaints, neighbour.complaints) == ([], [])
    neighbour.close()
    player.looked.close()


def test_a_jackpot_of_a_neighbour_is_told_with_its_table() -> None:
    feed = Feed(socket.socket)
    neighbour = Feed(socket.socket, on_news=feed.retell_sign)
    feed.neighbours.append(neighbour)
    picture = {**dict.fromkeys(SIGN_PARTS, 0), "table": "T1", "won": []}
    feed.picture, neighbour.picture = picture, {**picture, "table": "T2", "won": [{"claim": "1.3", "seat": 3}]}
    feed.retell_sign()
    assert json.loads(feed.sign.text)["picture"]["won"] == [{"claim": "1.3", "seat": 3, "table": "T2"}]
    neighbour.picture = {}  # its table is gone, and its jackpot with it
    feed.retell_sign()
    assert json.loads(feed.sign.text)["picture"]["won"] == []


def test_a_game_without_a_jackpot_has_nothing_to_share(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no jackpot to share"):
        write_link(load(demo_table("lucky-three-pictures"), ()), tmp_path, 2, "")
    assert list(tmp_path.iterdir()) == []


def test_each_link_of_a_demo_has_keys_of_its_own_and_keeps_its_port(tmp_path: Path) -> None:
    config = load(None, ())
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    first, second = (write_link(config, folder, 1, "") for folder in folders)
    keys = [(one.tables[0].file.parent / "link" / "own.keys").read_text() for one in (first, second)]
    assert keys[0] != keys[1]
    again = write_link(config, folders[0], 1, "")
    assert again.tables[0].file.read_text() == first.tables[0].file.read_text()
    assert (again.tables[0].file.parent / "link" / "own.keys").read_text() == keys[0]


@pytest.mark.parametrize("words", [("--tables", "3", "--autoplay"), ("--tables", "2", "--story", "late_chip")])
def test_several_tables_are_for_the_pages(words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "felt.cli", "demo", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "leave" in done.stderr
