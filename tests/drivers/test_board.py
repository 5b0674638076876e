"""What is particular to pins. The contract tests cover what every board does."""

from __future__ import annotations

import gc
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from felt.drivers.board import BoardUnavailable, FeedbackUse, GpioBoard, OutputUse, PinProfile, PinUse
from felt.drivers.factories import _refuse_old_kernel, build_factory
from felt.drivers.pins_by_line import ChipUse

PROFILE = PinProfile(
    (PinUse("1.progressive", 5), PinUse("2.progressive", 6)),
    (OutputUse("lamp.1", 20), OutputUse("lamp.2", 21, active_low=True)),
)
PATIENCE_S = 10.0


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


@pytest.mark.parametrize("name", ["gpiochip", "rpigpio"])
def test_off_a_pi_the_real_factories_say_so_in_one_sentence(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Make a machine with pins look like one without: no chip below its root, and no RPi.GPIO.
    monkeypatch.setitem(sys.modules, "RPi.GPIO", None)
    monkeypatch.setitem(sys.modules, "RPi", None)
    with pytest.raises(BoardUnavailable) as caught:
        GpioBoard(PROFILE, name, tmp_path)
    sentence = str(caught.value)
    assert re.match(rf"the pin factory {name} cannot be used for pinctrl-\w+ \(|the chip pinctrl-bcm2711 ", sentence)
    assert "run on a Raspberry Pi" in sentence
    assert "\n" not in sentence


def test_a_factory_that_does_not_exist_is_refused_with_the_choice() -> None:
    with pytest.raises(BoardUnavailable, match=r"'pigpio' is no pin factory: choose one of gpiochip, rpigpio, mock"):
        build_factory("pigpio", ChipUse("pinctrl-bcm2711", on_header=True))


def test_a_kernel_without_the_interface_that_pins_need_is_refused() -> None:
    with pytest.raises(BoardUnavailable, match=r"kernel 4\.19\.0-rpi does not have the GPIO interface .* use 5\.10 or"):
        _refuse_old_kernel("4.19.0-rpi")
    _refuse_old_kernel("5.10.0")
    _refuse_old_kernel("6.12.25+rpt-rpi-2712")


def test_a_line_used_twice_is_refused_with_both_owners() -> None:
    profile = PinProfile((PinUse("1.progressive", 5),), (OutputUse("lamp.1", 5),))
    with pytest.raises(BoardUnavailable, match=r"line 5 of pinctrl-bcm2711 is used by both 1\.progressive and lamp\.1"):
        GpioBoard(profile, "mock")


def test_a_name_used_twice_is_refused() -> None:
    profile = PinProfile((PinUse("1.progressive", 5), PinUse("1.progressive", 6)))
    with pytest.raises(BoardUnavailable, match=r"1\.progressive is given twice"):
        GpioBoard(profile, "mock")


def test_a_line_the_header_does_not_have_is_named_with_its_owner() -> None:
    with pytest.raises(BoardUnavailable, match=r"line 28 of pinctrl-bcm2711 cannot be used for 1\.progressive"):
        GpioBoard(PinProfile((PinUse("1.progressive", 28),)), "mock")


def test_a_pull_the_board_cannot_give_is_named_with_its_owner() -> None:
    with pytest.raises(BoardUnavailable, match=r"line 2 of pinctrl-bcm2711 cannot be used for 1\.progressive"):
        GpioBoard(PinProfile((PinUse("1.progressive", 2, "down", active_low=False),)), "mock")


def test_pins_still_listen_after_the_garbage_has_been_collected() -> None:
    board = GpioBoard(PROFILE, "mock")
    edges: list[tuple[str, bool]] = []
    board.start(lambda line, level, ns: edges.append((line, level)))
    gc.collect()
    board.factory.pin(5).drive_low()
    board.close()
    assert edges == [("1.progressive", True)]


def test_edges_are_counted_on_which_the_receiver_raises() -> None:
    board = GpioBoard(PROFILE, "mock")

    def refuse(line: str, level: bool, ns: int) -> None:
        raise RuntimeError("full")

    board.start(refuse)
    board.factory.pin(5).drive_low()
    assert board.refused_edges() == 1
    board.close()


def test_lamps_are_lit_with_their_polarity_and_dark_when_the_board_closes() -> None:
    board = GpioBoard(PROFILE, "mock")
    plain, inverted = board.factory.pin(20), board.factory.pin(21)
    assert (plain.state, inverted.state) == (False, True)
    board.show({"lamp.1": "on", "lamp.2": "accepted"})
    until(lambda: (plain.state, inverted.state) == (True, False))
    board.close()
    assert [state for _, state in plain.states][-1] is False
    assert [state for _, state in inverted.states][-1] is True


class LibraryError(Exception):
    """An error of a pin library's own: neither an OSError nor one of gpiozero's."""


def test_a_line_that_fails_in_service_is_named_and_kills_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    board = GpioBoard(PROFILE, "mock")

    def fail(*_: object) -> None:
        raise LibraryError("bad handle")

    with monkeypatch.context() as broken:
        broken.setattr(MockPin, "_set_state", fail)
        board.show({"lamp.1": "on"})
        until(lambda: "(lamp.1) cannot be written (LibraryError: bad handle)" in board.problem())
        assert board.alive(), "its threads are at work, and starting again would mend nothing"
        broken.setattr(MockPin, "_get_state", fail)
        with pytest.raises(OSError, match=r"\(1\.progressive\) cannot be read \(LibraryError: bad handle\)"):
            board.levels()
    until(lambda: not board.problem())
    assert board.factory.pin(20).state, "the lamp is written again, though what it shows has not changed"
    board.close()


def test_an_active_low_lamp_does_not_flash_when_the_board_opens() -> None:
    board = GpioBoard(PROFILE, "mock")
    board.close()
    # Mock pins record every level they are driven to. This one may rise to dark, and must never fall to lit.
    levels = [state for _, state in board.factory.pin(21).states]
    assert levels == sorted(levels)


# --- several chips ----------------------------------------------------------------------------------------


def on_expander(line: int, chip: str = "mcp23017", name: str = "1.progressive") -> PinUse:
    return PinUse(name, line, chip=chip, on_header=False)


def test_one_line_number_on_two_chips_is_two_pins() -> None:
    board = GpioBoard(PinProfile((PinUse("key.open", 5), on_expander(5))), "mock")
    edges: list[tuple[str, bool]] = []
    board.start(lambda line, level, ns: edges.append((line, level)))
    board.chips["mcp23017"].pin(5).drive_low()
    assert edges == [("1.progressive", True)]
    assert board.levels() == {"key.open": False, "1.progressive": True}
    board.close()


def test_an_expander_has_no_resistors_of_its_own_and_more_lines_than_the_header() -> None:
    uses = (
        PinUse("1.ante", 2, "down", active_low=False, chip="big", on_header=False),
        PinUse("2.ante", 40, "floating", active_low=False, chip="big", on_header=False),
    )
    board = GpioBoard(PinProfile(uses), "mock")
    assert board.levels() == {"1.ante": False, "2.ante": False}
    board.close()


def test_rpigpio_cannot_have_an_expander_and_names_the_driver_that_can() -> None:
    with pytest.raises(BoardUnavailable) as caught:
        GpioBoard(PinProfile((PinUse("key.open", 5), on_expander(5))), "rpigpio")
    assert str(caught.value) == (
        "the chip mcp23017 is out of reach for rpigpio, which knows only the 40-pin header: "
        'set board.kind = "gpiochip" in the table file'
    )


def test_opened_chips_are_closed_when_a_later_line_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[int] = []
    monkeypatch.setattr(MockFactory, "close", lambda self: closed.append(id(self)))
    with pytest.raises(BoardUnavailable, match=r"line 99 of mcp23017 cannot be used for 1\.progressive"):
        GpioBoard(PinProfile((PinUse("key.open", 5), on_expander(99))), "mock")
    assert len(set(closed)) == 2


# --- sensors that share light with their lamps -----------------------------------------------------------

DARK = PinProfile(
    (PinUse("1.progressive", 5, late_ms_max=20, sampled_dark=True), PinUse("key.open", 6)),
    (OutputUse("1.progressive", 20),),
)


class LitSensor(MockPin):  # type: ignore[misc] # gpiozero publishes no types
    """Sees no chip while its lamp is lit, and remembers if it was ever read in that light."""

    read_in_light = 0

    def _get_state(self) -> bool:
        if self._number == 5 and self.factory.pin(20)._state:
            LitSensor.read_in_light += 1
            return True
        return bool(super()._get_state())


@pytest.mark.parametrize("pattern", ["off", "on", "removed"])
def test_a_sampled_sensor_is_read_in_the_dark_alone(monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    monkeypatch.setattr(MockFactory, "__init__", with_pins_of(LitSensor))
    LitSensor.read_in_light = 0
    board = GpioBoard(DARK, "mock")
    edges: list[tuple[str, bool, int]] = []
    board.start(lambda line, level, ns: edges.append((line, level, ns)))
    board.show({"1.progressive": pattern})
    for place, move in enumerate(("drive_low", "drive_high") * 5, start=1):
        before_ns = time.monotonic_ns()
        getattr(board.chips["pinctrl-bcm2711"].pin(5), move)()
        until(lambda place=place: len(edges) == place)  # type: ignore[misc] # bound now, not when it is called
        assert before_ns <= edges[-1][2] <= time.monotonic_ns()
        assert board.levels()["1.progressive"] is edges[-1][1]
    board.close()
    assert [level for _, level, _ in edges] == [True, False] * 5
    assert LitSensor.read_in_light == 0


def with_pins_of(kind: type[MockPin]) -> Callable[..., None]:
    original = MockFactory.__init__

    def build(self: MockFactory, *_: object) -> None:
        original(self, pin_class=kind)

    return build


def test_a_sampled_line_does_not_claim_the_kernels_stamps_and_is_as_late_as_its_sampling() -> None:
    board = GpioBoard(DARK, "mock")
    (sampled, _) = board.lines()
    assert (sampled.kernel_stamped, sampled.late_ms_max) == (False, 20)
    board.close()


def test_a_lamp_over_a_sampled_sensor_is_lit_most_of_the_time() -> None:
    board = GpioBoard(DARK, "mock")
    lamp = board.factory.pin(20)
    board.show({"1.progressive": "on"})
    until(lambda: len(lamp.states) > 40)
    board.close()
    spans = [(state, seconds) for (_, state), (seconds, _) in zip(lamp.states[2:], lamp.states[3:], strict=False)]
    lit_s, dark_s = (sum(seconds for state, seconds in spans if state is which) for which in (True, False))
    assert lit_s > dark_s


def test_a_sampled_sensor_that_cannot_be_read_is_reported_and_the_lamps_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    board = GpioBoard(DARK, "mock")

    def fail(*_: object) -> None:
        raise LibraryError("bad handle")

    with monkeypatch.context() as broken:
        broken.setattr(MockPin, "_get_state", fail)
        until(lambda: "cannot be read" in board.problem())
    board.show({"1.progressive": "removed"})
    until(lambda: not board.problem())
    assert board.alive()
    board.close()


# --- lamps whose current is fed back ----------------------------------------------------------------------

FED_BACK = PinProfile((PinUse("key.open", 6),), (OutputUse("1.progressive", 20),), (FeedbackUse("1.progressive", 21),))


def test_an_unreadable_feedback_is_reported_until_it_can_be_read_even_if_no_lamp_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = GpioBoard(FED_BACK, "mock")

    def fail(*_: object) -> None:
        raise LibraryError("bad handle")

    with monkeypatch.context() as broken:
        broken.setattr(MockPin, "_get_state", fail)
        until(lambda: bool(board.problem()))
    until(lambda: not board.problem())
    assert board.lamps_found() == {}
    board.close()


def test_a_feedback_and_its_lamp_cannot_have_one_line() -> None:
    wrong = PinProfile((), (OutputUse("1.progressive", 20),), (FeedbackUse("1.progressive", 20),))
    with pytest.raises(BoardUnavailable, match=r"line 20 of pinctrl-bcm2711 is used by both 1\.progressive and"):
        GpioBoard(wrong, "mock")


def test_a_lamp_that_a_sampled_sensor_darkens_again_and_again_is_still_seen_lit() -> None:
    board = GpioBoard(PinProfile(DARK.inputs, DARK.outputs, (FeedbackUse("1.progressive", 21),)), "mock")
    lamp, sense = board.factory.pin(20), board.factory.pin(21)
    sense._get_state = lambda: not lamp.state
    board.show({"1.progressive": "removed"})
    until(lambda: board.lamps_found() == {"1.progressive": "good"})
    board.close()
