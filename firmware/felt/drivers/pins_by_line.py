"""Pins by the lines of a chip. gpiozero's factories know the 40-pin header of a Raspberry Pi and nothing else: here a
pin is a line of a chip. This room must not know what a line is for."""

from __future__ import annotations

from typing import Any

from gpiozero.exc import PinInvalidPin
from gpiozero.pins import Pin, PinInfo

from felt.nouns.values import Value

HEADER_LINES = 28
HEADER_PULLED_UP = (2, 3)  # resistors on the Pi itself, for its I2C bus


class ChipUse(Value):
    label: str
    on_header: bool  # it is the chip behind the 40-pin header


class PinsByLine:
    """Laid over a gpiozero factory: pins by line, without a Raspberry Pi's pin map. It also keeps the pins of this
    chip to itself: gpiozero keeps one store for all local factories, where line 5 of a second chip is line 5 of
    the first."""

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
