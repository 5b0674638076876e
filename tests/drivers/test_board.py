"""What is particular to pins; what every board does is in the contract tests."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable

import pytest
from gpiozero.pins.mock import MockPin

from felt.drivers.board import (
    BoardUnavailable,
    GpioBoard,
    OutputUse,
    PinProfile,
    PinUse,
    _refuse_old_kernel,
    build_factory,
)

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


@pytest.mark.skipif(os.path.exists("/dev/gpiochip0"), reason="this machine has pins")
@pytest.mark.parametrize("name", ["lgpio", "rpigpio"])
def test_off_a_pi_the_real_factories_say_so_in_one_sentence(name: str) -> None:
    with pytest.raises(BoardUnavailable) as caught:
        GpioBoard(PROFILE, name)
    sentence = str(caught.value)
    assert sentence.startswith(f"the pin factory {name} cannot be had on this machine (")
    assert "run on a Raspberry Pi" in sentence
    assert "\n" not in sentence


def test_a_factory_that_does_not_exist_is_refused_with_the_choice() -> None:
    with pytest.raises(BoardUnavailable, match=r"'pigpio' is no pin factory: choose one of lgpio, rpigpio, mock"):
        build_factory("pigpio")


def test_a_kernel_that_stamps_with_the_wall_clock_is_refused() -> None:
    with pytest.raises(BoardUnavailable, match=r"kernel 4\.19\.0-rpi stamps edges with the wall clock"):
        _refuse_old_kernel("4.19.0-rpi")
    _refuse_old_kernel("5.7.0")
    _refuse_old_kernel("6.12.25+rpt-rpi-2712")


def test_a_line_used_twice_is_refused_with_both_owners() -> None:
    profile = PinProfile((PinUse("1.progressive", 5),), (OutputUse("lamp.1", 5),))
    with pytest.raises(BoardUnavailable, match=r"line 5 is used by both 1\.progressive and lamp\.1"):
        GpioBoard(profile, "mock")


def test_a_name_used_twice_is_refused() -> None:
    profile = PinProfile((PinUse("1.progressive", 5), PinUse("1.progressive", 6)))
    with pytest.raises(BoardUnavailable, match=r"1\.progressive is given twice"):
        GpioBoard(profile, "mock")


def test_a_line_the_header_does_not_have_is_named_with_its_owner() -> None:
    with pytest.raises(BoardUnavailable, match=r"line 99 cannot be had for 1\.progressive"):
        GpioBoard(PinProfile((PinUse("1.progressive", 99),)), "mock")


def test_a_pull_the_board_cannot_give_is_named_with_its_owner() -> None:
    with pytest.raises(BoardUnavailable, match=r"line 2 cannot be had for 1\.progressive"):
        GpioBoard(PinProfile((PinUse("1.progressive", 2, "down", active_low=False),)), "mock")


def test_pins_still_listen_after_the_garbage_has_been_collected() -> None:
    board = GpioBoard(PROFILE, "mock")
    edges: list[tuple[str, bool]] = []
    board.start(lambda line, level, ns: edges.append((line, level)))
    gc.collect()
    board.factory.pin(5).drive_low()
    board.close()
    assert edges == [("1.progressive", True)]


def test_edges_the_receiver_raises_at_are_counted() -> None:
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


class LgpioError(Exception):
    """As lgpio's own: neither an OSError nor one of gpiozero's."""


def test_a_line_that_fails_in_service_is_named_and_kills_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    board = GpioBoard(PROFILE, "mock")

    def fail(*_: object) -> None:
        raise LgpioError("bad handle")

    with monkeypatch.context() as broken:
        broken.setattr(MockPin, "_set_state", fail)
        board.show({"lamp.1": "on"})
        until(lambda: not board.alive())
        broken.setattr(MockPin, "_get_state", fail)
        with pytest.raises(OSError, match=r"line 5 of 1\.progressive cannot be read \(LgpioError: bad handle\)"):
            board.levels()
    board.show({"lamp.1": "off"})
    until(board.alive)
    board.close()


def test_an_active_low_lamp_does_not_flash_when_the_board_opens() -> None:
    board = GpioBoard(PROFILE, "mock")
    board.close()
    # Mock pins record every level they are driven to: it may rise to dark, and never falls to lit.
    levels = [state for _, state in board.factory.pin(21).states]
    assert levels == sorted(levels)
