"""Pins by chip and line. gpiozero's factories only know the 40-pin header of a Raspberry Pi; here a pin is a line of
a chip. This module does not know what a line is for."""

from __future__ import annotations

from typing import Any

from gpiozero.exc import PinInvalidPin
from gpiozero.pins import Pin, PinInfo

from felt.nouns.values import Value

HEADER_LINES = 28
HEADER_PULLED_UP = (2, 3)  # pull-up resistors on the Pi itself, for its I2C bus


class ChipUse(Value):
    label: str
    on_header: bool  # the chip behind the 40-pin header


class PinsByLine:
    """A mixin for gpiozero factories: pins by line, without a Raspberry Pi's pin map. It gives each chip its own pin
    store; gpiozero shares one store between all local factories, so line 5 of a second chip would be line 5 of the
    first."""

    pin_class: Any

    def __init__(self, use: ChipUse, lines: int, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.pins: dict[int, Pin] = {}
        self._lines = min(lines, HEADER_LINES) if use.on_header else lines
        self._pulled_up = HEADER_PULLED_UP if use.on_header else ()

    def pin(self, line: int) -> Pin:
        if line not in range(self._lines):
            raise PinInvalidPin(f"it has the lines 0 to {self._lines - 1}")
        if line not in self.pins:
            self.pins[line] = self.pin_class(self, self._info_of(line))
        return self.pins[line]

    def _info_of(self, line: int) -> PinInfo:
        name = f"GPIO{line}"
        pull = "up" if line in self._pulled_up else ""
        return PinInfo(line, name, frozenset({name}), pull, row=line, col=1, interfaces=frozenset({"gpio"}))
