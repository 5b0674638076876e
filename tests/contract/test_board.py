"""What every board must do. It runs on the virtual board, on gpiozero's mock pins over three chips, and on the
machine's own GPIO chips if it has some and FELT_BOARD_PROFILE names the profile that they are wired by. Other threads
than the listening one drive the levels, as on a real machine."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from queue import SimpleQueue

import pytest

from felt.config.boards import HEADER_CHIPS, find_profile, load_profile
from felt.config.settings import BoardKind
from felt.drivers.board import FeedbackUse, GpioBoard, OutputUse, PinProfile, PinUse
from felt.drivers.chips import find_chip
from felt.ports import Board, BoardLine
from felt.virtual.board import VirtualBoard
from felt.wire.debounce import Debouncer, Settled
from felt.wiring.devices import gpio_board

SPOTS = ("1.progressive", "2.progressive", "3.progressive", "key.no_more_bets")
LAMPS = ("1.progressive", "lamp.2")
FED_BACK = LAMPS[0]
EXPANDERS = ("mcp23017@1-0020", "mcp23017@1-0021")
INPUTS = (
    PinUse(SPOTS[0], 5, "up", active_low=True, chip=EXPANDERS[0], on_header=False),
    PinUse(SPOTS[1], 5, "down", active_low=False, settle_ms=4, chip=EXPANDERS[1], on_header=False),
    PinUse(SPOTS[2], 3, "floating", active_low=False, late_ms_max=9, chip=EXPANDERS[1], on_header=False),
    PinUse(SPOTS[3], 5, "up", active_low=True),
)
OUTPUTS = (OutputUse(LAMPS[0], 20), OutputUse(LAMPS[1], 15, True, EXPANDERS[0], on_header=False))
FEEDBACK = FeedbackUse(FED_BACK, 6, chip=EXPANDERS[0], on_header=False)
STATED = tuple(BoardLine(use.name, use.settle_ms, False, use.late_ms_max) for use in INPUTS)
PATIENCE_S = 60.0  # an emulated machine is slow
Edge = tuple[str, bool, int]


class Bench:
    """A board, what it must say about its lines, and the hands that drive them."""

    def __init__(
        self,
        board: Board,
        stated: tuple[BoardLine, ...],
        lamps: tuple[str, ...],
        drive: Callable[[str, bool], None],
        delivery_s: float = 0.0,
        current: Callable[[str], None] | None = None,
    ) -> None:
        """`current` makes the first lamp `open`, `short`, or `good` again."""
        self.board = board
        self.current = current
        self.stated = stated
        self.names = tuple(line.name for line in stated)
        self.lamps = lamps
        self.drive = drive
        self._delivery_s = delivery_s  # by this time every edge has been reported
        self._edges: SimpleQueue[Edge] = SimpleQueue()

    def listen(self) -> None:
        self.board.start(lambda line, level, ns: self._edges.put((line, level, ns)))

    def hand(self, line: str, *levels: bool) -> Callable[[], None]:
        """A hand that drives one line through some levels."""

        def move() -> None:
            for level in levels:
                self.drive(line, level)

        return move

    def heard(self) -> list[Edge]:
        threading.Event().wait(self._delivery_s)
        edges = []
        while not self._edges.empty():
            edges.append(self._edges.get())
        return edges


def in_threads(*works: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def virtual_bench() -> Bench:
    board = VirtualBoard(STATED, LAMPS)

    def current(how: str) -> None:
        if how == "good":
            board.repair_lamp(FED_BACK)
        else:
            board.break_lamp(FED_BACK, how)

    return Bench(board, STATED, LAMPS, board.drive, current=current)


def mock_bench() -> Bench:
    board = GpioBoard(PinProfile(INPUTS, OUTPUTS, (FEEDBACK,)), "mock")
    lamp, sense = (board.chips[use.chip].pin(use.line) for use in (OUTPUTS[0], FEEDBACK))
    how = ["good"]

    def flows() -> bool:
        return how[0] == "short" or (how[0] == "good" and bool(lamp.state))

    # The optocoupler pulls the line low while current flows.
    sense._get_state = lambda: not flows()

    def current(wanted: str) -> None:
        how[0] = wanted

    pins = {use.name: (board.chips[use.chip].pin(use.line), use.active_low) for use in INPUTS}

    def drive(line: str, level: bool) -> None:
        pin, active_low = pins[line]
        if level != active_low:
            pin.drive_high()
        else:
            pin.drive_low()

    return Bench(board, STATED, LAMPS, drive, current=current)


# --- the machine's own chips ------------------------------------------------------------------------------

PROFILE_NAME = os.environ.get("FELT_BOARD_PROFILE", "")
MACHINE_HAS_THEM = bool(PROFILE_NAME) and Path("/dev/gpiochip0").exists()


def pulls_of_simulated_lines() -> Mapping[str, tuple[Path, bool]]:
    """For each input on a chip of the kernel's gpio-sim: the file that pulls its line, and whether low is active."""
    profile = load_profile(find_profile(PROFILE_NAME, Path()))
    found = {}
    for line in profile.input:
        device = Path("/sys/bus/gpio/devices") / f"gpiochip{find_chip(line.chip).number}"
        found[line.name] = (device / f"sim_gpio{line.line}" / "pull", line.active.value == "low")
    return found


def machine_bench() -> Bench:
    profile = load_profile(find_profile(PROFILE_NAME, Path()))
    stated = tuple(
        BoardLine(line.name, line.settle_ms, line.chip in HEADER_CHIPS and not line.sampled_dark, line.late_ms_max)
        for line in profile.input
    )
    pulls = pulls_of_simulated_lines()

    def drive(line: str, level: bool) -> None:
        file, active_low = pulls[line]
        file.write_text("pull-up" if level != active_low else "pull-down", encoding="ascii")
        time.sleep(0.001)  # the kernel keeps sixteen edges of a line for its readers

    for name, (file, _) in pulls.items():
        if file.exists():
            drive(name, False)
    lamps = tuple(line.name for line in profile.output)
    return Bench(gpio_board(BoardKind.GPIOCHIP, profile), stated, lamps, drive, delivery_s=0.2)


# A machine's own suite is collected only where it can run. No test is skipped.
STANDING = {"virtual": virtual_bench, "mock": mock_bench}
if MACHINE_HAS_THEM:
    STANDING["machine"] = machine_bench
DRIVEN = dict(STANDING)
if MACHINE_HAS_THEM and not all(file.exists() for file, _ in pulls_of_simulated_lines().values()):
    del DRIVEN["machine"]


def _opened(make: Callable[[], Bench]) -> Iterator[Bench]:
    made = make()
    yield made
    made.board.close()


@pytest.fixture(params=DRIVEN.values(), ids=list(DRIVEN))
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """A board whose lines can be driven."""
    yield from _opened(request.param)


@pytest.fixture(params=STANDING.values(), ids=list(STANDING))
def untouched(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """A board, for tests that need no hand at its lines."""
    yield from _opened(request.param)


def test_each_line_states_its_settle_time_and_how_late_its_stamps_can_be(untouched: Bench) -> None:
    assert untouched.board.lines() == untouched.stated
    assert set(untouched.board.levels()) == set(untouched.names)


def test_every_line_begins_not_active_whatever_its_polarity(bench: Bench) -> None:
    assert bench.board.levels() == dict.fromkeys(bench.names, False)


def test_an_edge_arrives_with_its_level_and_a_stamp_of_the_monotonic_clock(bench: Bench) -> None:
    bench.listen()
    before_ns = time.monotonic_ns()
    in_threads(bench.hand(bench.names[0], True))
    (edge,) = bench.heard()
    assert edge[:2] == (bench.names[0], True)
    assert before_ns <= edge[2] <= time.monotonic_ns()
    assert bench.board.levels()[bench.names[0]] is True


def test_a_level_that_is_driven_again_makes_no_edge(bench: Bench) -> None:
    bench.listen()
    in_threads(bench.hand(bench.names[1], True, True, True))
    assert len(bench.heard()) == 1


def test_levels_set_before_the_start_are_read_and_not_told(bench: Bench) -> None:
    bench.drive(bench.names[1], True)
    bench.listen()
    assert bench.heard() == []
    assert bench.board.levels()[bench.names[1]] is True


def test_all_lines_at_once_from_their_own_threads_lose_and_invent_nothing(bench: Bench) -> None:
    bench.listen()
    chatter = [True, False] * 250
    in_threads(*(bench.hand(line, *chatter) for line in bench.names))
    heard = bench.heard()
    assert len(heard) == len(chatter) * len(bench.names)
    for line in bench.names:
        mine = [edge for edge in heard if edge[0] == line]
        assert [level for _, level, _ in mine] == chatter
        assert [ns for _, _, ns in mine] == sorted(ns for _, _, ns in mine)


def test_a_receiver_that_raises_does_not_deafen_the_board(bench: Bench) -> None:
    edges: list[str] = []

    def receive(line: str, level: bool, ns: int) -> None:
        edges.append(line)
        raise RuntimeError("the inbox is full")

    bench.board.start(receive)
    in_threads(bench.hand(bench.names[0], True))
    in_threads(bench.hand(bench.names[0], False))
    assert edges == [bench.names[0], bench.names[0]]
    assert bench.board.alive()


def test_edges_and_debouncer_together_make_one_bet_of_a_bouncing_chip(bench: Bench) -> None:
    bench.listen()
    debouncer = Debouncer(bench.board.lines(), bench.board.levels())
    in_threads(bench.hand(bench.names[0], True, False, True, False, True))
    edges = bench.heard()
    for edge in edges:
        debouncer.edge(*edge)
    (event,) = debouncer.advance(edges[-1][2] + 10**9)
    assert isinstance(event, Settled)
    assert (event.line, event.level, event.first_edge_ns) == (bench.names[0], True, edges[0][2])


def test_lamps_it_does_not_have_and_patterns_it_does_not_know_are_no_error(untouched: Bench) -> None:
    bulb, other = untouched.lamps[:2]
    untouched.board.show({bulb: "accepted", "lamp.of_another_table": "on", other: "a pattern of tomorrow"})
    assert untouched.board.alive()


def test_it_can_be_closed_twice_and_is_not_alive_afterwards(untouched: Bench) -> None:
    untouched.listen()
    assert untouched.board.alive()
    untouched.board.close()
    untouched.board.close()
    assert not untouched.board.alive()
    assert untouched.heard() == []


# --- lamps whose current is fed back: those boards that say so ---------------------------------------------


@pytest.fixture(params=[virtual_bench, mock_bench], ids=["virtual", "mock"])
def fed_back(request: pytest.FixtureRequest) -> Iterator[Bench]:
    yield from _opened(request.param)


def until_found(bench: Bench, state: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while bench.board.lamps_found().get(FED_BACK) != state:
        assert time.monotonic() < deadline, f"never found {state}: {bench.board.lamps_found()}"
        time.sleep(0.005)


@pytest.mark.parametrize(("how", "shows"), [("open", "accepted"), ("open", "removed"), ("short", "off")])
def test_a_broken_lamp_is_found_and_is_good_again_only_when_it_was_seen_lit_and_dark(
    fed_back: Bench, how: str, shows: str
) -> None:
    assert fed_back.current is not None
    fed_back.board.show({FED_BACK: shows})
    fed_back.current(how)
    until_found(fed_back, how)
    fed_back.current("good")
    if shows in ("accepted", "off"):
        threading.Event().wait(0.7)  # at least three looks: a steady lamp proves half of what it must
        assert fed_back.board.lamps_found()[FED_BACK] == how
    fed_back.board.show({FED_BACK: "removed"})
    until_found(fed_back, "good")


def test_a_lamp_without_feedback_is_never_judged(fed_back: Bench) -> None:
    assert fed_back.current is not None
    fed_back.board.show(dict.fromkeys(LAMPS, "removed"))
    fed_back.current("open")
    until_found(fed_back, "open")
    assert set(fed_back.board.lamps_found()) == {FED_BACK}
