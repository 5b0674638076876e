"""Two jackpot controllers on one PostgreSQL database, with a broker and a table between them. One leads. The other
takes over when it dies, stops or hangs. The two never both write."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

from felt.jackpot.books.terms import Procedure
from felt.jackpot.ledger.audit import broken_conservation, standing_in
from felt.jackpot.ledger.reading import open_for_reading
from tests.real.linked import JackpotController, LinkedDriver, felt, until
from tests.real.mosquitto import Mosquitto
from tests.real.postgres import Server

TAKEOVER_S = 2
LOST_S = 8
SEED = 11


class SteadyDriver(LinkedDriver):
    """Nobody voids a round on a whim: an order that crosses the end of its round would void a round that has ended, and
    the tally counts ends."""

    def _void_by_whim(self, _: dict[str, Any]) -> bool:
        return False


class Pair(NamedTuple):
    first: JackpotController
    second: JackpotController
    driver: LinkedDriver
    address: str
    folder: Path

    def settled(self) -> int:
        return self.driver.tally.count("RoundEnded")

    def idle(self) -> bool:
        where = self.driver.tally.where
        return bool(where) and where["phase"] == "IDLE" and not where["unanswered"]

    def play_a_round(self) -> None:
        done = self.settled()
        self.driver.play_until(lambda: self.settled() > done and self.idle(), "a round is played and answered")

    def check_the_books(self) -> None:
        """Everything that the table said is in the ledger once, and the money adds up."""
        with contextlib.closing(open_for_reading(self.address)) as ledger:
            kept = [(letter.sequence, letter.kind, letter.body) for letter in ledger.letters()]
            said = sorted(self.driver.tally.letters.items())
            assert sorted(kept) == [(number, *letter) for number, letter in said]
            assert not broken_conservation(ledger, standing_in(ledger, Procedure()), Procedure())


def on_database(controller: JackpotController, address: str) -> None:
    setting = f'[controller]\nledger = "{address}"\ntakeover_s = {TAKEOVER_S}\n'
    controller.file.write_text(controller.file.read_text().replace("[controller]\n", setting, 1))


@pytest.fixture
def pair(postgres: Server) -> Iterator[Pair]:
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="felt-standby-")))
        for name in ("first", "second", "table"):
            (folder / name).mkdir()
        broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        first, second = (
            ends.enter_context(contextlib.closing(JackpotController(folder / name, broker.port, ("T1",))))
            for name in ("first", "second")
        )
        shutil.rmtree(folder / "second" / "link")
        shutil.copytree(folder / "first" / "link", folder / "second" / "link")
        address = postgres.new_database()
        on_database(first, address)
        on_database(second, address)
        driver = SteadyDriver(folder / "table", SEED, broker.port, folder / "first" / "link-T1", LOST_S)
        yield Pair(first, second, ends.enter_context(contextlib.closing(driver)), address, folder)


def start_both(pair: Pair) -> None:
    pair.first.start()
    until(lambda: "This controller leads." in pair.first.said(), "the first leads")
    pair.second.start()
    until(lambda: "Standing by" in pair.second.said(), "the second stands by")
    pair.driver.sit_down()
    pair.play_a_round()


@pytest.mark.timeout(180)
def test_a_standby_waits_says_so_and_takes_over_when_the_first_is_killed_and_when_it_stops(pair: Pair) -> None:
    start_both(pair)
    assert pair.second.status() == {"standby": True}
    assert pair.second.page("/health") == "standing by\n"
    assert "felt_jackpot_leads 0" in pair.second.page("/metrics")
    assert "This controller leads." not in pair.second.said()
    refused = felt("jackpot", "restore", pair.folder / "any", "--config", pair.second.file)
    assert "A controller is running on this ledger" in refused.stderr
    pair.first.kill()
    pair.play_a_round()
    assert "This controller leads." in pair.second.said()
    pair.first.start()
    until(lambda: "Standing by" in pair.first.said(), "the first stands by now")
    assert pair.second.stop() == 0
    pair.play_a_round()
    assert pair.first.status()["present"] == {"T1": True}
    pair.driver.get_up()
    assert pair.first.stop() == 0
    pair.check_the_books()
    pair.driver.tally.check(link_was_lost=False)


@pytest.mark.timeout(180)
def test_one_that_hung_and_wakes_writes_nothing_says_nothing_and_ends_in_one_sentence(pair: Pair) -> None:
    start_both(pair)
    hung = pair.first.process
    hung.send_signal(signal.SIGSTOP)
    pair.play_a_round()
    assert "This controller leads." in pair.second.said()
    with psycopg.connect(pair.address) as connection:
        before = connection.execute("SELECT number, epoch FROM generation").fetchone()
    hung.send_signal(signal.SIGCONT)
    assert hung.wait(30) == 1
    (sentence,) = [line for line in pair.first.said().splitlines() if "lost the lead" in line]
    assert sentence.startswith(f"felt jackpot: This controller was silent for {TAKEOVER_S} s and has lost the lead")
    assert "Traceback" not in pair.first.said()
    with psycopg.connect(pair.address) as connection:
        after = connection.execute("SELECT number, epoch FROM generation").fetchone()
    assert before is not None
    assert after is not None
    assert after[1] == before[1]
    pair.play_a_round()
    pair.driver.get_up()
    assert pair.second.stop() == 0
    pair.check_the_books()
    pair.driver.tally.check(link_was_lost=False)


@pytest.mark.timeout(600)
def test_leaders_that_hang_one_after_the_other_in_the_middle_of_rounds_lose_and_double_nothing(
    pair: Pair, full: bool
) -> None:
    start_both(pair)
    leader, standby = pair.first, pair.second
    for _ in range(8 if full else 2):
        pair.driver.play_until(lambda: pair.driver.tally.where.get("phase") == "DEALING", "a round is locked")
        hung = leader.process
        hung.send_signal(signal.SIGSTOP)
        pair.play_a_round()
        hung.send_signal(signal.SIGCONT)
        assert hung.wait(30) == 1
        leader.forget()
        leader.start()
        leader, standby = standby, leader
    pair.driver.get_up()
    assert leader.stop() == 0
    assert standby.stop() == 0
    pair.check_the_books()
    pair.driver.tally.check(link_was_lost=False)


@pytest.mark.timeout(120)
def test_reports_and_backups_are_made_beside_the_controller_that_leads(pair: Pair) -> None:
    start_both(pair)
    report = felt("jackpot", "report", "--day", "--json", "--config", pair.second.file)
    assert report.returncode == 0, report.stderr
    made = json.loads(report.stdout)
    assert made["adds_up"]
    assert made["meters"]["major"]["flow"]["stakes_minor"] == pair.driver.tally.contributions_minor()
    backup = felt("jackpot", "backup", pair.folder / "backup", "--json", "--config", pair.first.file)
    assert backup.returncode == 0, backup.stderr
    assert json.loads(backup.stdout)["letters"] == len(pair.driver.tally.letters)
    pair.play_a_round()
    pair.driver.get_up()
