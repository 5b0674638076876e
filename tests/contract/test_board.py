"""What every board must do, run on the virtual board and on gpiozero's mock pins. Levels are driven from other
threads than the one that listens, as on a real machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import pytest

from felt.drivers.board import GpioBoard, OutputUse, PinProfile, PinUse
from felt.ports import Board, Line
from felt.virtual.board import VirtualBoard
from felt.wire.debounce import Debouncer, Settled

SPOTS = ("1.progressive", "2.progressive", "3.progressive", "key.no_more_bets")
LAMPS = ("lamp.1", "lamp.2")
INPUTS = (
    PinUse(SPOTS[0], 5, "up", active_low=True),
    PinUse(SPOTS[1], 6, "down", active_low=False, settle_ms=4),
    PinUse(SPOTS[2], 13, "floating", active_low=False, late_ms_max=9),
    PinUse(SPOTS[3], 19, "up", active_low=True),
)
OUTPUTS = (OutputUse(LAMPS[0], 20), OutputUse(LAMPS[1], 21, active_low=True))
PATIENCE_S = 10.0
Edge = tuple[str, bool, int]


class Bench:
    """A board and the hands that drive its lines."""

    def __init__(self, board: Board, drive: Callable[[str, bool], None]) -> None:
        self.board = board
        self.drive = drive
        self.edges: SimpleQueue[Edge] = SimpleQueue()

    def listen(self) -> None:
        self.board.start(lambda line, level, ns: self.edges.put((line, level, ns)))

    def hand(self, line: str, *levels: bool) -> Callable[[], None]:
        """A hand that drives one line through some levels."""

        def move() -> None:
            for level in levels:
                self.drive(line, level)

        return move

    def heard(self) -> list[Edge]:
        edges = []
        while not self.edges.empty():
            edges.append(self.edges.get())
        return edges


def in_threads(*works: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def virtual_bench() -> Bench:
    lines = [Line(use.name, use.settle_ms, False, use.late_ms_max) for use in INPUTS]
    board = VirtualBoard(lines, LAMPS)
    return Bench(board, board.drive)


def mock_bench() -> Bench:
    board = GpioBoard(PinProfile(INPUTS, OUTPUTS), "mock")
    pins = {use.name: (board.factory.pin(use.line), use.active_low) for use in INPUTS}

    def drive(line: str, level: bool) -> None:
        pin, active_low = pins[line]
        if level != active_low:
            pin.drive_high()
        else:
            pin.drive_low()

    return Bench(board, drive)


@pytest.fixture(params=[virtual_bench, mock_bench], ids=["virtual", "mock"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    made: Bench = request.param()
    yield made
    made.board.close()


def test_each_line_states_its_settle_time_and_how_late_its_stamps_can_be(bench: Bench) -> None:
    assert [line.name for line in bench.board.lines()] == list(SPOTS)
    assert [line.settle_ms for line in bench.board.lines()] == [10, 4, 10, 10]
    assert [line.late_ms_max for line in bench.board.lines()] == [5, 5, 9, 5]
    assert not any(line.kernel_stamped for line in bench.board.lines())


def test_every_line_begins_not_active_whatever_its_polarity(bench: Bench) -> None:
    assert bench.board.levels() == dict.fromkeys(SPOTS, False)


def test_an_edge_arrives_with_its_level_and_a_stamp_of_the_monotonic_clock(bench: Bench) -> None:
    bench.listen()
    before_ns = time.monotonic_ns()
    in_threads(bench.hand(SPOTS[0], True))
    (edge,) = bench.heard()
    assert edge[:2] == (SPOTS[0], True)
    assert before_ns <= edge[2] <= time.monotonic_ns()
    assert bench.board.levels()[SPOTS[0]] is True


def test_a_level_that_is_driven_again_makes_no_edge(bench: Bench) -> None:
    bench.listen()
    in_threads(bench.hand(SPOTS[1], True, True, True))
    assert len(bench.heard()) == 1


def test_levels_set_before_the_start_are_read_and_not_told(bench: Bench) -> None:
    bench.drive(SPOTS[1], True)
    bench.listen()
    assert bench.heard() == []
    assert bench.board.levels()[SPOTS[1]] is True


def test_all_lines_at_once_from_their_own_threads_lose_and_invent_nothing(bench: Bench) -> None:
    bench.listen()
    chatter = [True, False] * 250
    in_threads(*(bench.hand(line, *chatter) for line in SPOTS))
    heard = bench.heard()
    assert len(heard) == len(chatter) * len(SPOTS)
    for line in SPOTS:
        mine = [edge for edge in heard if edge[0] == line]
        assert [level for _, level, _ in mine] == chatter
        assert [ns for _, _, ns in mine] == sorted(ns for _, _, ns in mine)


def test_a_receiver_that_raises_does_not_deafen_the_board(bench: Bench) -> None:
    edges: list[str] = []

    def receive(line: str, level: bool, ns: int) -> None:
        edges.append(line)
        raise RuntimeError("the inbox is full")

    bench.board.start(receive)
    in_threads(bench.hand(SPOTS[0], True))
    in_threads(bench.hand(SPOTS[0], False))
    assert edges == [SPOTS[0], SPOTS[0]]
    assert bench.board.alive()


def test_edges_and_debouncer_together_make_one_bet_of_a_bouncing_chip(bench: Bench) -> None:
    bench.listen()
    debouncer = Debouncer(bench.board.lines(), bench.board.levels())
    in_threads(bench.hand(SPOTS[0], True, False, True, False, True))
    edges = bench.heard()
    for edge in edges:
        debouncer.edge(*edge)
    (event,) = debouncer.advance(edges[-1][2] + 10**9)
    assert isinstance(event, Settled)
    assert (event.line, event.level, event.first_edge_ns) == (SPOTS[0], True, edges[0][2])


def test_lamps_it_does_not_have_and_patterns_it_does_not_know_are_no_error(bench: Bench) -> None:
    bench.board.show({LAMPS[0]: "accepted", "lamp.of_another_table": "on", LAMPS[1]: "a pattern of tomorrow"})
    assert bench.board.alive()


def test_it_can_be_closed_twice_and_is_then_no_longer_alive(bench: Bench) -> None:
    bench.listen()
    assert bench.board.alive()
    bench.board.close()
    bench.board.close()
    assert not bench.board.alive()
    assert bench.heard() == []
