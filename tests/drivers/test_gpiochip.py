"""The driver of GPIO chips against a simulated kernel. The machine (tests/machine) shows it on a real one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from felt.drivers.board import BoardUnavailable, FeedbackUse, GpioBoard, OutputUse, PinProfile, PinUse
from tests.drivers.simulated_kernel import (
    FALLING,
    INPUT,
    NO_PULL,
    OUTPUT,
    PULL_UP,
    RISING,
    SimulatedChip,
    SimulatedKernel,
    put_in,
)

EXPANDER = "mcp23017@1-0020"
PROFILE = PinProfile(
    (PinUse("key.open", 3), PinUse("1.progressive", 3, chip=EXPANDER, on_header=False, late_ms_max=10)),
    (OutputUse("1.progressive", 15, active_low=True, chip=EXPANDER, on_header=False), OutputUse("buzzer", 4)),
    (FeedbackUse("1.progressive", 9, "floating", chip=EXPANDER, on_header=False),),
)
PATIENCE_S = 10.0


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


@pytest.fixture
def header() -> SimulatedChip:
    return SimulatedChip("pinctrl-bcm2711", 58, "soc")


@pytest.fixture
def expander() -> SimulatedChip:
    return SimulatedChip("mcp23017", 16, "1-0020")


@pytest.fixture
def kernel(
    header: SimulatedChip, expander: SimulatedChip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> SimulatedKernel:
    made = SimulatedKernel(tmp_path, header, SimulatedChip("raspberrypi-exp-gpio", 8, "firmware"), expander)
    put_in(made, monkeypatch)
    return made


@pytest.fixture
def board(kernel: SimulatedKernel) -> Iterator[GpioBoard]:
    made = GpioBoard(PROFILE, "gpiochip", kernel.root)
    yield made
    made.close()


def test_each_line_is_one_request_with_its_pull_and_edges(
    board: GpioBoard, header: SimulatedChip, expander: SimulatedChip
) -> None:
    assert header.requested == [(4, OUTPUT, 0), (3, INPUT | PULL_UP | RISING | FALLING, -1)]
    assert expander.requested == [
        (15, OUTPUT, 1),
        (3, INPUT | PULL_UP | RISING | FALLING, -1),
        (9, INPUT | NO_PULL, -1),
    ]


def test_only_the_header_claims_the_kernels_stamps(board: GpioBoard) -> None:
    assert [(line.name, line.kernel_stamped, line.late_ms_max) for line in board.lines()] == [
        ("key.open", True, 5),
        ("1.progressive", False, 10),
    ]


def test_edges_keep_the_kernels_stamps_and_their_order(
    board: GpioBoard, kernel: SimulatedKernel, header: SimulatedChip, expander: SimulatedChip
) -> None:
    edges: list[tuple[str, bool, int]] = []
    board.start(lambda *edge: edges.append(edge))
    keys = [("key.open", not level, kernel.drive(header, 3, level)) for level in (False, True) * 50]
    spots = [("1.progressive", not level, kernel.drive(expander, 3, level)) for level in (False, True, False)]
    until(lambda: len(edges) == len(keys) + len(spots))
    assert [edge for edge in edges if edge[0] == "key.open"] == keys
    assert [edge for edge in edges if edge[0] == "1.progressive"] == spots
    assert board.levels() == {"key.open": False, "1.progressive": True}


def test_an_edge_from_before_the_start_is_read_and_not_told(
    board: GpioBoard, kernel: SimulatedKernel, header: SimulatedChip
) -> None:
    edges: list[str] = []
    kernel.drive(header, 3, False)
    board.start(lambda line, level, ns: edges.append(f"{line} {level}"))
    kernel.drive(header, 3, True)
    until(lambda: bool(edges))
    assert edges == ["key.open False"]


def test_lamps_are_driven_with_their_polarity_and_stay_safe_at_the_end(
    board: GpioBoard, kernel: SimulatedKernel, expander: SimulatedChip, header: SimulatedChip
) -> None:
    board.show({"1.progressive": "on", "buzzer": "on"})
    until(lambda: not expander.levels[15] and header.levels[4])
    board.close()
    assert (expander.levels[15], header.levels[4]) == (True, False)
    assert kernel.held(header) == kernel.held(expander) == []
    assert not board.alive()


def test_a_missing_expander_is_one_sentence_and_frees_the_header(
    kernel: SimulatedKernel, header: SimulatedChip
) -> None:
    missing = PinProfile((PinUse("key.open", 3), PinUse("1.ante", 3, chip="mcp23017@1-0021", on_header=False)))
    with pytest.raises(BoardUnavailable, match=r"^the chip mcp23017@1-0021 is not found, this machine has .*mcp23017:"):
        GpioBoard(missing, "gpiochip", kernel.root)
    assert kernel.held(header) == []


@pytest.mark.parametrize(
    ("holder", "sentence"),
    [
        ("felt", "line 3 of pinctrl-bcm2711 is in use by a running table: systemctl stop felt, then try again"),
        ("spi0 CS0", "line 3 of pinctrl-bcm2711 is in use by spi0 CS0: stop it, or take its overlay out of config.txt"),
    ],
)
def test_a_line_in_use_names_its_holder_and_not_the_profile(
    kernel: SimulatedKernel, header: SimulatedChip, holder: str, sentence: str
) -> None:
    header.holders[3] = holder
    with pytest.raises(BoardUnavailable) as caught:
        GpioBoard(PROFILE, "gpiochip", kernel.root)
    assert str(caught.value) == sentence


# --- a chip that goes away and comes back -----------------------------------------------------------------


def test_a_chip_that_disappears_is_reported_and_its_lines_stop_in_good_order(
    board: GpioBoard, kernel: SimulatedKernel, header: SimulatedChip, expander: SimulatedChip
) -> None:
    edges: list[str] = []
    board.start(lambda line, level, ns: edges.append(f"{line} {level}"))
    kernel.unbind(expander)
    until(lambda: bool(board.problem()))
    assert board.problem() == (
        "the chip mcp23017@1-0020 does not answer (its driver was unbound): check its cable and its overlay"
    )
    with pytest.raises(OSError, match=r"line 3 of mcp23017@1-0020 \(1\.progressive\) cannot be read"):
        board.levels()
    assert board.alive(), "a new start would not bring it back"
    assert kernel.held(expander) == []
    kernel.drive(header, 3, False)
    until(lambda: edges == ["key.open True"])


def test_a_thread_whose_chip_is_gone_takes_no_core(
    board: GpioBoard, kernel: SimulatedKernel, expander: SimulatedChip
) -> None:
    kernel.unbind(expander)
    until(lambda: bool(board.problem()))
    before_s = time.process_time()
    time.sleep(1.5)
    assert time.process_time() - before_s < 0.5


def test_a_chip_that_is_back_under_another_number_goes_on(
    board: GpioBoard, kernel: SimulatedKernel, expander: SimulatedChip
) -> None:
    edges: list[tuple[str, bool, int]] = []
    board.start(lambda *edge: edges.append(edge))
    board.show({"1.progressive": "on"})
    until(lambda: not expander.levels[15])
    kernel.unbind(expander)
    until(lambda: bool(board.problem()))
    board.show({"1.progressive": "off"})
    expander.requested.clear()
    expander.levels[3] = False  # a chip was put down meanwhile
    kernel.install(expander, 7)
    until(lambda: not board.problem())
    assert expander.requested == [
        (15, OUTPUT, 1),
        (3, INPUT | PULL_UP | RISING | FALLING, -1),
        (9, INPUT | NO_PULL, -1),
    ], "each line as it was set up, and the lamp dark as it was asked to be"
    assert board.levels()["1.progressive"] is True
    ns = kernel.drive(expander, 3, True)
    until(lambda: edges == [("1.progressive", False, ns)])


def test_a_chip_that_is_back_but_does_not_answer_stays_a_problem(
    board: GpioBoard, kernel: SimulatedKernel, expander: SimulatedChip
) -> None:
    kernel.unbind(expander)
    until(lambda: bool(board.problem()))
    expander.holders[9] = "somebody"
    kernel.install(expander, 2)
    until(lambda: len(expander.requested) > 3)  # it tried
    assert board.problem()
    assert kernel.held(expander) == [], "nothing is held half"
    expander.holders.clear()
    until(lambda: not board.problem())
