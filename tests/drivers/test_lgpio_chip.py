"""What we ask of lgpio, on a machine where it has nothing to open: a stand-in that writes down every call. That lgpio
does what it is asked is for a machine with a GPIO chip to show."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from felt.drivers import chips, factories
from felt.drivers.board import BoardUnavailable, GpioBoard, OutputUse, PinProfile, PinUse
from felt.drivers.chips import ChipInfo

EXPANDER = "mcp23017@1-0020"
PROFILE = PinProfile(
    (PinUse("key.open", 3), PinUse("1.progressive", 3, chip=EXPANDER, on_header=False, late_ms_max=10)),
    (OutputUse("1.progressive", 15, active_low=True, chip=EXPANDER, on_header=False), OutputUse("buzzer", 4)),
)
HEADER_HANDLE, EXPANDER_HANDLE = 100, 102


class Recorder(ModuleType):
    """As much of lgpio as gpiozero uses. A chip's handle is its number and 100."""

    def __init__(self) -> None:
        super().__init__("lgpio")
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.callbacks: dict[tuple[int, int], Callable[[int, int, int, int], None]] = {}
        self.modes: dict[tuple[int, int], int] = {}
        self.BOTH_EDGES, self.RISING_EDGE, self.FALLING_EDGE = 3, 1, 2
        self.SET_PULL_NONE, self.SET_PULL_UP, self.SET_PULL_DOWN = 128, 32, 64
        self.error = RuntimeError
        self._notify_thread = None

    def _record(self, name: str, *given: Any) -> int:
        self.calls.append((name, given))
        return 0

    def gpiochip_open(self, number: int) -> int:
        self._record("gpiochip_open", number)
        return number + 100

    def gpio_claim_output(self, handle: int, line: int, level: int = 0) -> int:
        self.modes[handle, line] = 2
        return self._record("gpio_claim_output", handle, line, level)

    def gpio_claim_input(self, handle: int, line: int, flags: int = 0) -> int:
        self.modes[handle, line] = flags
        return self._record("gpio_claim_input", handle, line, flags)

    def gpio_get_mode(self, handle: int, line: int) -> int:
        return self.modes.get((handle, line), 0)

    def gpio_read(self, handle: int, line: int) -> int:
        return 1

    def callback(self, handle: int, line: int, edges: int, call: Callable[[int, int, int, int], None]) -> Any:
        self.callbacks[handle, line] = call
        return type("Callback", (), {"cancel": lambda self: None})()

    def __getattr__(self, name: str) -> Callable[..., int]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *given: self._record(name, *given)

    def asked(self, name: str) -> list[tuple[Any, ...]]:
        return [given for call, given in self.calls if call == name]


@pytest.fixture
def lgpio(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    recorder = Recorder()
    monkeypatch.setitem(sys.modules, "lgpio", recorder)
    for module in ("gpiozero.pins.lgpio", "felt.drivers.lgpio_chip"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    yield recorder
    for module in ("gpiozero.pins.lgpio", "felt.drivers.lgpio_chip"):
        sys.modules.pop(module, None)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with the header's chip at number 0, some chip at 1 and the expander at 2."""
    labels = {"gpiochip0": ("pinctrl-bcm2711", 58, "soc"), "gpiochip1": ("raspberrypi-exp-gpio", 8, "firmware"),
              "gpiochip2": ("mcp23017", 16, "1-0020")}  # fmt: skip
    (tmp_path / "dev").mkdir()
    (tmp_path / "sys/bus/gpio/devices").mkdir(parents=True)
    for name, (_, _, device) in labels.items():
        (tmp_path / "dev" / name).touch()
        (tmp_path / "sys/devices" / device / name).mkdir(parents=True)
        (tmp_path / "sys/bus/gpio/devices" / name).symlink_to(tmp_path / "sys/devices" / device / name)

    def find(name: str, where: Path) -> chips.Chip:
        return chips.find_chip(name, where, lambda device: ChipInfo(*labels[device.name][:2]))

    monkeypatch.setattr(factories, "find_chip", find)
    return tmp_path


@pytest.fixture
def board(lgpio: Recorder, root: Path) -> Iterator[GpioBoard]:
    made = GpioBoard(PROFILE, "lgpio", root)
    yield made
    made.close()


def test_each_label_opens_its_own_chip_once(board: GpioBoard, lgpio: Recorder) -> None:
    assert lgpio.asked("gpiochip_open") == [(0,), (2,)]


def test_an_output_gets_direction_and_level_in_one_request(board: GpioBoard, lgpio: Recorder) -> None:
    assert lgpio.asked("gpio_claim_output") == [(EXPANDER_HANDLE, 15, 1), (HEADER_HANDLE, 4, 0)]
    assert lgpio.asked("gpio_write") == []


def test_one_line_of_two_chips_is_two_pins_each_with_its_pull(board: GpioBoard, lgpio: Recorder) -> None:
    pulled_up = [given[:2] for given in lgpio.asked("gpio_claim_input") if given[2] == lgpio.SET_PULL_UP]
    assert pulled_up == [(HEADER_HANDLE, 3), (EXPANDER_HANDLE, 3)]


def test_only_the_header_claims_the_kernels_stamps(board: GpioBoard) -> None:
    assert [(line.name, line.kernel_stamped, line.late_ms_max) for line in board.lines()] == [
        ("key.open", True, 5),
        ("1.progressive", False, 10),
    ]


def test_an_edge_keeps_the_stamp_it_was_given(board: GpioBoard, lgpio: Recorder) -> None:
    edges: list[tuple[str, bool, int]] = []
    board.start(lambda *edge: edges.append(edge))
    lgpio.callbacks[HEADER_HANDLE, 3](0, 3, 0, 81_234_567_891_234)
    lgpio.callbacks[EXPANDER_HANDLE, 3](2, 3, 1, 81_234_567_899_999)
    assert edges == [("key.open", True, 81_234_567_891_234), ("1.progressive", False, 81_234_567_899_999)]


def test_a_board_whose_notifier_is_gone_is_not_alive(board: GpioBoard) -> None:
    assert not board.alive()  # the stand-in has no such thread


def test_at_the_end_outputs_are_safe_and_not_let_go_as_inputs(board: GpioBoard, lgpio: Recorder) -> None:
    before = len(lgpio.calls)
    board.close()
    last = [(name, given) for name, given in lgpio.calls[before:] if given[:2] != (HEADER_HANDLE, 3)]
    assert [call for call in last if call[1][:2] != (EXPANDER_HANDLE, 3)] == [
        ("gpio_write", (EXPANDER_HANDLE, 15, True)),
        ("gpio_write", (HEADER_HANDLE, 4, False)),
        ("gpiochip_close", (HEADER_HANDLE,)),
        ("gpiochip_close", (EXPANDER_HANDLE,)),
    ]


def test_a_missing_expander_is_one_sentence_and_closes_the_header(lgpio: Recorder, root: Path) -> None:
    missing = PinProfile((PinUse("key.open", 3), PinUse("1.ante", 3, chip="mcp23017@1-0021", on_header=False)))
    with pytest.raises(BoardUnavailable, match=r"^the chip mcp23017@1-0021 is not found, this machine has .*mcp23017:"):
        GpioBoard(missing, "lgpio", root)
    assert lgpio.asked("gpiochip_close") == [(HEADER_HANDLE,)]
