"""A technician tests a board on gpiozero's mock pins, moved by a hand in another thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from felt.drivers.board import FeedbackUse, GpioBoard, OutputUse, PinProfile, PinUse
from felt.host import pin_tests

SPOTS = (PinUse("1.progressive", 17, settle_ms=5), PinUse("2.progressive", 27, settle_ms=40))
LAMPS = (OutputUse("1.progressive", 5), OutputUse("2.progressive", 6))
BOUNCES = 5
GAP_S = 0.004


@pytest.fixture
def board() -> Iterator[GpioBoard]:
    board = GpioBoard(PinProfile(SPOTS, LAMPS), "mock")
    yield board
    board.close()
    board.factory.reset()


class Technician:
    """Hears what the test says and moves the contact that it names, with bounce. He leaves a dead one alone."""

    def __init__(self, board: GpioBoard, dead: str = "") -> None:
        self.heard: list[str] = []
        self._board = board
        self._dead = dead
        self._lines = {use.name: use.line for use in SPOTS}

    def hear(self, sentence: str) -> None:
        self.heard.append(sentence)
        verb, _, line = sentence.partition(" ")
        if verb in ("cover", "uncover") and line != self._dead:
            threading.Thread(target=self._move, args=(line, verb == "cover"), daemon=True).start()

    def _move(self, line: str, covered: bool) -> None:
        pin = self._board.factory.pin(self._lines[line])
        for bounce in range(BOUNCES):
            # Active low, as the profile says: a covered sensor pulls its line down.
            (pin.drive_low if covered is (bounce % 2 == 0) else pin.drive_high)()
            time.sleep(GAP_S)


def test_each_spot_that_follows_is_measured_and_a_settle_time_too_short_is_named(board: GpioBoard) -> None:
    found = pin_tests.calibrate(board, board.lines(), Technician(board).hear, patience_s=10)
    assert [spot.follows for spot in found] == [True, True]
    assert all(spot.bounced_ms >= (BOUNCES - 1) * GAP_S * 1000 for spot in found)
    assert "is too short: write settle_ms =" in found[0].say()


def test_a_dead_sensor_is_named_and_the_others_are_still_tested(board: GpioBoard) -> None:
    technician = Technician(board, dead="1.progressive")
    found = pin_tests.calibrate(board, board.lines(), technician.hear, patience_s=0.5)
    assert [spot.follows for spot in found] == [False, True]
    assert found[0].say() == "1.progressive: does not follow; check its sensor, cable and connector"


def test_every_lamp_is_lit_alone_and_in_order(board: GpioBoard) -> None:
    seen: list[tuple[str, list[bool]]] = []
    pins = [board.factory.pin(lamp.line) for lamp in LAMPS]
    walking = threading.Thread(
        target=pin_tests.walk, args=(board, [lamp.name for lamp in LAMPS], lambda _: None, 0.25), daemon=True
    )
    walking.start()
    while walking.is_alive():
        lit = [bool(pin.state) for pin in pins]
        if any(lit) and (not seen or seen[-1][1] != lit):
            seen.append(("lit", lit))
        time.sleep(0.005)
    assert [lit for _, lit in seen] == [[True, False], [False, True]]


def test_a_contact_that_moves_is_reported_with_its_bounces(board: GpioBoard) -> None:
    technician = Technician(board)
    said: list[str] = []

    def say(sentence: str) -> None:
        said.append(sentence)
        if sentence.startswith("active now"):
            technician.hear("cover 2.progressive")

    assert pin_tests.watch(board, say, patience_s=1.0) == 1
    assert said[0] == "active now: nothing"
    assert said[1].startswith("2.progressive: active after 5 edges in ")


def test_the_walk_names_lamps_whose_current_does_not_follow() -> None:
    feedbacks = (FeedbackUse("1.progressive", 20), FeedbackUse("2.progressive", 21))
    board = GpioBoard(PinProfile(SPOTS, LAMPS, feedbacks), "mock")
    lamp, good, cut = (board.factory.pin(line) for line in (5, 20, 21))
    good._get_state = lambda: not lamp.state  # an optocoupler: low while current flows
    cut._get_state = lambda: True
    heard: list[str] = []
    wrong = pin_tests.walk(board, [lamp.name for lamp in LAMPS], heard.append, 0.9)
    board.close()
    assert wrong == ["2.progressive"]
    assert heard[-2:] == [
        "1.progressive: current follows",
        "2.progressive: lit and no current flows; check its plug, wire and lamp",
    ]
