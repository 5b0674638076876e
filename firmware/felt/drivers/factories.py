"""Builds one pin factory per chip, of exactly the requested kind. This module does not know what a line is for.

The source of stamps: `gpiochip` passes the kernel's time of the edge on the monotonic clock. On the header that is the
time of the interrupt; on an expander, the time when the kernel had read it over the bus. RPi.GPIO passes no time, so
its stamps are arrival times here; the mock's stamps are the caller's.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gpiozero.pins import Factory

from felt.drivers.line_requests import SINCE_KERNEL
from felt.drivers.pins_by_line import HEADER_LINES, ChipUse, PinsByLine
from felt.ports import BoardUnavailable

FACTORY_NAMES = ("gpiochip", "rpigpio", "mock")
KERNEL_STAMPED = ("gpiochip",)

MOCK_LINES = 64


def refuse_unreachable(name: str, uses: Iterable[ChipUse]) -> None:
    """Refuses a profile with expanders before anything is opened, if the factory cannot reach them."""
    for use in uses:
        if name == "rpigpio" and not use.on_header:
            raise BoardUnavailable(
                f"the chip {use.label} is out of reach for rpigpio, which knows only the 40-pin header: "
                'set board.kind = "gpiochip" in the table file'
            )


def build_factory(name: str, use: ChipUse, root: Path = Path("/")) -> Factory:
    """The named factory for that chip, or one sentence. No other factory is tried."""
    if name not in FACTORY_NAMES:
        raise BoardUnavailable(f"{name!r} is no pin factory: choose one of {', '.join(FACTORY_NAMES)}")
    if name in KERNEL_STAMPED:
        _refuse_old_kernel(os.uname().release)
    with failing_as(BoardUnavailable, f"the pin factory {name} cannot be used for {use.label}", _REMEDY[name]):
        return _BUILDERS[name](use, root)


def _gpiochip_factory(use: ChipUse, root: Path) -> Factory:
    from felt.drivers.gpiochip import GpiochipFactory

    return GpiochipFactory(use, root)


def _rpigpio_factory(use: ChipUse, root: Path) -> Factory:
    from gpiozero.pins.rpigpio import RPiGPIOFactory

    class RpigpioHeader(PinsByLine, RPiGPIOFactory):  # type: ignore[misc] # gpiozero publishes no types
        """The header through RPi.GPIO or its substitute."""

    return RpigpioHeader(use, HEADER_LINES)


def _mock_factory(use: ChipUse, root: Path) -> Factory:
    from gpiozero.pins.mock import MockFactory

    class MockChip(PinsByLine, MockFactory):  # type: ignore[misc] # gpiozero publishes no types
        """A chip whose lines the owner drives."""

    return MockChip(use, MOCK_LINES)


_BUILDERS: dict[str, Callable[[ChipUse, Path], Factory]] = {
    "gpiochip": _gpiochip_factory,
    "rpigpio": _rpigpio_factory,
    "mock": _mock_factory,
}
_REMEDY = {
    "gpiochip": "run on a Raspberry Pi, as a user of the group gpio",
    "rpigpio": "run on a Raspberry Pi up to the 4 with RPi.GPIO installed, or choose gpiochip",
    "mock": "install gpiozero 2.0.1 or newer",
}


def _refuse_old_kernel(release: str) -> None:
    numbers = release.split(".")
    with contextlib.suppress(ValueError, IndexError):
        if (int(numbers[0]), int(numbers[1])) < SINCE_KERNEL:
            raise BoardUnavailable(
                f"kernel {release} does not have the GPIO interface that the factory gpiochip needs: "
                f"use {'.'.join(map(str, SINCE_KERNEL))} or newer, or choose the factory rpigpio"
            )


@contextlib.contextmanager
def failing_as(kind: type[Exception], what: str, remedy: str = "") -> Iterator[None]:
    """Turns any error of a pin into one sentence of the given kind."""
    try:
        yield
    except BoardUnavailable:
        raise  # already the final sentence
    # The libraries raise anything: ImportError, RuntimeError off a Pi, and plain Exceptions.
    except Exception as error:  # noqa: BLE001
        reason = " ".join(str(error).split()) or "no reason given"
        advice = f": {remedy}" if remedy else ""
        raise kind(f"{what} ({type(error).__name__}: {reason}){advice}") from None
