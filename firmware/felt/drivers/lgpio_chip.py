"""One GPIO chip through lgpio. A separate module, because importing lgpio opens a pipe in the working directory.
This module does not know what a line is for."""

from __future__ import annotations

import lgpio
from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

from felt.drivers.pins_by_line import ChipUse, PinsByLine


class LgpioPin(LGPIOPin):  # type: ignore[misc] # gpiozero publishes no types
    def output_with_state(self, state: bool) -> None:
        """Sets direction and level in one request. gpiozero first makes the line a low output and then sets the
        level, so an active-low lamp would flash and a buzzer click."""
        lgpio.gpio_claim_output(self.factory._handle, self._number, int(state))

    def close(self) -> None:
        """Does nothing: closing the chip frees its lines. gpiozero would first turn every output into a floating
        input, undoing the safe level that was just written."""


class LgpioChip(PinsByLine, LGPIOFactory):  # type: ignore[misc] # gpiozero publishes no types
    def __init__(self, use: ChipUse, lines: int, number: int) -> None:
        super().__init__(use, lines, number)
        self.pin_class = LgpioPin
