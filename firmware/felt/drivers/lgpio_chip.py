"""One GPIO chip through lgpio. A module of its own because importing it imports lgpio, which opens a pipe in the
working directory. This room must not know what a line is for."""

from __future__ import annotations

import lgpio
from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

from felt.drivers.pins_by_line import ChipUse, PinsByLine


class LgpioPin(LGPIOPin):  # type: ignore[misc] # gpiozero publishes no types
    def output_with_state(self, state: bool) -> None:
        """Direction and level in one request. gpiozero makes it an output first, at low, and sets the level then:
        an active-low lamp would flash and a buzzer click."""
        lgpio.gpio_claim_output(self.factory._handle, self._number, int(state))

    def close(self) -> None:
        """Nothing: closing the chip frees its lines. gpiozero would first make every output a floating input,
        where we have just written the safe level."""


class LgpioChip(PinsByLine, LGPIOFactory):  # type: ignore[misc] # gpiozero publishes no types
    def __init__(self, use: ChipUse, lines: int, number: int) -> None:
        super().__init__(use, lines, number)
        self.pin_class = LgpioPin
