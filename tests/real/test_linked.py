"""A table, a broker and the jackpot controller as three processes. Any of them may die: nothing is lost or doubled, and
without an answer no progressive bet is taken."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.real.linked import JackpotController, LinkedDriver
from tests.real.mosquitto import Mosquitto

SEED = 7
LOST_S = 2
TURNS, TURNS_FULL = 2, 12


class Link(NamedTuple):
    broker: Mosquitto
    controller: JackpotController
    driver: LinkedDriver

    def settled(self) -> int:
        return self.driver.tally.count("RoundEnded")

    def stands(self, phase: str, state: str) -> bool:
        where = self.driver.tally.where
        return (where["phase"], where["link"]) == (phase, state)

    def idle(self) -> bool:
        where = self.driver.tally.where
        return bool(where) and where["phase"] == "IDLE" and not where["unanswered"]


def coin_lamps(link: Link) -> set[str]:
    return {shows for lamp, shows in link.driver.tally.lamps.items() if lamp.endswith(".progressive")}


def contributions(link: Link) -> list[list[object]]:
    """The contributions of each locked round, in order."""
    letters = sorted(link.driver.tally.letters.items())
    return [heard.parts["contributions"] for _, heard in letters if heard.kind == "RoundLocked"]


@pytest.fixture
def link() -> Iterator[Link]:
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="felt-link-")))
        (folder / "house").mkdir()
        (folder / "table").mkdir()
        broker = ends.enter_context(contextlib.closing(Mosquitto(folder)))
        controller = ends.enter_context(contextlib.closing(JackpotController(folder / "house", broker.port, ("T1",))))
        keys = folder / "house" / "link-T1"
        driver = LinkedDriver(folder / "table", SEED, broker.port, keys, LOST_S)
        yield Link(broker, controller, ends.enter_context(contextlib.closing(driver)))


@pytest.mark.timeout(600)
def test_nothing_is_lost_or_doubled_when_broker_and_controller_are_killed(link: Link, full: bool) -> None:
    broker, controller, driver = link
    controller.start()
    driver.sit_down()
    for _ in range(TURNS_FULL if full else TURNS):
        driver.play_until(lambda: driver.tally.where.get("phase") == "DEALING", "a round is locked")
        broker.kill()
        driver.play_until(lambda: bool(driver.tally.where["unanswered"]), "letters wait in the table")
        broker.start()
        done = link.settled()
        driver.play_until(lambda done=done: link.settled() > done, "the round ends")  # type: ignore[misc]
        controller.kill()
        driver.play_until(lambda: driver.tally.where["link"] == "LOST", "the silence is noticed")
        controller.start()
        driver.play_until(lambda done=done: link.settled() > done + 1, "another round ends")  # type: ignore[misc]
    driver.play_until(link.idle, "every letter is answered")
    driver.get_up()
    assert controller.stop() == 0
    driver.tally.check(link_was_lost=True)
    conserved, stakes_minor, wins_minor = controller.books()
    assert conserved
    assert (stakes_minor, wins_minor) == (driver.tally.contributions_minor(), driver.tally.awards_minor())
    assert controller.letters() == [(number, *heard) for number, heard in sorted(driver.tally.letters.items())]
    assert "ALARM" not in controller.said()


@pytest.mark.timeout(300)
def test_without_an_answer_no_progressive_bet_is_taken_until_both_sides_agree_again(link: Link) -> None:
    broker, controller, driver = link
    controller.start()
    driver.sit_down()
    driver.play_until(lambda: link.settled() >= 1 and link.idle(), "a round is played")
    assert driver.tally.where["link"] == "UP"
    broker.kill()
    driver.play_until(lambda: link.stands("IDLE", "LOST"), "the silence is noticed")
    assert coin_lamps(link) == {"out_of_service"}
    done = link.settled()

    def round_is_played() -> bool:
        if not link.stands("IDLE", "LOST"):
            return False
        if link.settled() > done:
            return True
        driver.open_round()  # the first one, or another one if that was voided
        return False

    driver.play_until(round_is_played, "a round without a link is played")
    assert coin_lamps(link) == {"out_of_service"}
    assert contributions(link)[-1] == []
    assert driver.tally.where["unanswered"], "what the table has to say waits in the table"
    broker.start()
    driver.play_until(lambda: link.stands("IDLE", "UP") and link.idle(), "the answers come again, and all are heard")
    done = link.settled()
    driver.play_until(lambda: link.settled() > done and link.idle(), "a round is played")
    driver.get_up()
    assert controller.stop() == 0
    assert contributions(link)[-1] != []
    assert controller.letters() == [(number, *heard) for number, heard in sorted(driver.tally.letters.items())]


@pytest.mark.timeout(120)
def test_the_controller_reports_its_state_and_stops_in_good_order(link: Link) -> None:
    _, controller, driver = link
    controller.start()
    driver.sit_down()
    driver.play_until(lambda: link.settled() >= 1 and link.idle(), "a round is played")
    status = controller.status()
    assert status["connected"]
    assert status["present"] == {"T1": True}
    assert status["counts"]["T1"]["acked"] == len(driver.tally.letters)
    assert 'felt_jackpot_table_present{table="T1"} 1' in controller.page("/metrics")
    assert controller.page("/health") == "well\n"
    driver.get_up()
    assert controller.stop() == 0
    assert not (controller.folder / "control").exists()
