"""An older ledger is put back while a table remembers what a newer one answered: the table says F-304 and takes no
bets. With the newer ledger it goes on as before. Without it, people bring the meters up to the table's papers, and the
table begins another journal."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from felt.nouns.cards import Card
from tests.real.linked import JackpotController, LinkedDriver, felt, until
from tests.real.mosquitto import Mosquitto
from tests.real.test_standby import SteadyDriver

SEED = 7
LOST_S = 8
MICRO_GROWN = 200_000  # of each staked minor unit: the meter of `linked.CONTROLLER` grows by 20%


class DriverWithoutRoyals(SteadyDriver):
    """Deals no jackpot: how many rounds lie between backup and loss depends on the machine, and the sums below leave
    out awards."""

    def _decks(self) -> list[list[Card]]:
        return []


class House(NamedTuple):
    folder: Path
    broker: Mosquitto
    controller: JackpotController
    ends: contextlib.ExitStack

    def table(self, name: str, seed: int) -> LinkedDriver:
        """The table T1, with a journal of this name."""
        (self.folder / name).mkdir()
        keys = self.folder / "house" / "link-T1"
        driver = DriverWithoutRoyals(self.folder / name, seed, self.broker.port, keys, LOST_S)
        return self.ends.enter_context(contextlib.closing(driver))

    def felt_jackpot(self, *words: str | Path) -> str:
        done = felt("jackpot", *words, "--config", self.controller.file)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def put_aside(self, name: str) -> None:
        (self.folder / name).mkdir()
        for file in self.controller.folder.glob("jackpot.ledger*"):
            file.rename(self.folder / name / file.name)

    def put_back(self, name: str) -> None:
        for file in (self.folder / name).iterdir():
            file.rename(self.controller.folder / file.name)


@pytest.fixture
def house() -> Iterator[House]:
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="felt-restored-")))
        (folder / "house").mkdir()
        broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        controller = ends.enter_context(contextlib.closing(JackpotController(folder / "house", broker.port, ("T1",))))
        yield House(folder, broker, controller, ends)


def play_a_round(driver: LinkedDriver) -> None:
    done = driver.tally.count("RoundEnded")

    def is_played() -> bool:
        where = driver.tally.where
        ended = driver.tally.count("RoundEnded") > done
        return ended and where["phase"] == "IDLE" and where["service"] == "IN_SERVICE" and not where["unanswered"]

    driver.play_until(is_played, "a round is played and answered")


def stopped(driver: LinkedDriver) -> bool:
    return bool(driver.tally.where["service"] == "OUT_OF_SERVICE")


def refused_by_f_304(driver: LinkedDriver) -> bool:
    return "F-304: Do not open the table." in driver.order("BackInServiceOrdered", person="Ada")


@pytest.mark.timeout(240)
def test_an_older_ledger_stops_the_table_until_the_newer_one_is_back_or_persons_have_made_it_good(house: House) -> None:
    controller, driver = house.controller, house.table("table", SEED)
    driver.tally.may_stop = True
    controller.start()
    driver.sit_down()
    play_a_round(driver)
    house.felt_jackpot("backup", house.folder / "backup")
    known = len(driver.tally.letters)
    before_minor = driver.tally.contributions_minor(), driver.tally.awards_minor()
    play_a_round(driver)

    # The older ledger: the table says which letter is missing, and nobody can bring it back into service.
    assert controller.stop() == 0
    house.put_aside("newer")
    assert "will say F-304" in house.felt_jackpot("restore", house.folder / "backup")
    controller.start()
    driver.watch_until(lambda: stopped(driver), "the table goes out of service")
    assert refused_by_f_304(driver)
    missing = f"letter {known + 1}"
    assert not driver.order("FaultCleared", code="F-304", where=missing, person="Ada")
    assert not driver.order("BackInServiceOrdered", person="Ada")
    until(lambda: refused_by_f_304(driver), "it says so again")

    # The first remedy: put the newer ledger back.
    assert controller.stop() == 0
    house.put_aside("older")
    house.put_back("newer")
    controller.start()
    assert not driver.order("FaultCleared", code="F-304", where=missing, person="Ada")
    assert not driver.order("BackInServiceOrdered", person="Ada")
    play_a_round(driver)
    driver.get_up()
    assert controller.stop() == 0
    driver.tally.check(link_was_lost=True)
    assert controller.letters() == [(number, *heard) for number, heard in sorted(driver.tally.letters.items())]
    assert controller.books() == (True, driver.tally.contributions_minor(), driver.tally.awards_minor())

    # The second remedy: there is no newer ledger.
    house.put_aside("lost")
    house.put_back("older")
    make_good_by_the_papers(house, driver, before_minor)


def make_good_by_the_papers(house: House, driver: LinkedDriver, before_minor: tuple[int, int]) -> None:
    """What is missing is in the table's journal: two persons put it on the meter, and the table begins another
    journal."""
    controller = house.controller
    controller.start()
    staked, won = driver.tally.contributions_minor() - before_minor[0], driver.tally.awards_minor() - before_minor[1]
    assert won == 0
    fields = {"meter": "major", "purse": "display", "amount_micro": staked * MICRO_GROWN}
    house.felt_jackpot(
        "act", "AdjustMeter", "--fields", json.dumps({**fields, "type": "malfunction_corrected"}),
        "--person", "Ada:supervisor", "--person", "Bob:shift_manager", "--reason", "rounds after the lost ledger",
        "--yes",
    )  # fmt: skip
    again = house.table("reborn", SEED + 1)
    again.sit_down()
    play_a_round(again)
    again.get_up()
    report = json.loads(house.felt_jackpot("report", "--day", "--json"))
    assert report["adds_up"]
    status = controller.status()
    assert controller.stop() == 0
    conserved, stakes_minor, _ = controller.books()
    assert conserved
    assert stakes_minor == before_minor[0] + again.tally.contributions_minor()
    grown = (before_minor[0] + staked + again.tally.contributions_minor()) * MICRO_GROWN
    assert again.tally.awards_minor() == 0
    assert status["meters"]["major"] == 5_000_000 * 1_000_000 + grown
