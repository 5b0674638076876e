"""One GPIO chip as a gpiozero factory, on the kernel's GPIO character device.

Each line is one request of the kernel, held as long as the factory. One thread a chip waits for edges. It also notices
that the chip went away, as when the driver of an expander is unbound. Its lines then raise OSError. The thread looks
for the chip's label once a second. When the chip is back, every line is requested again as it was: inputs with their
pull, outputs with the level that was last asked for. This module does not know what a line is for."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from gpiozero.exc import PinFixedPull, PinInvalidFunction, PinInvalidPull, PinSetInput
from gpiozero.pins import Factory, Pin, PinInfo

from felt.drivers import line_requests
from felt.drivers.chips import find_chip
from felt.drivers.pins_by_line import ChipUse, PinsByLine
from felt.nouns.stamps import NS_PER_S
from felt.ports import BoardUnavailable

WhenChanged = Callable[[float, bool], None]
# Kernels before 6.6 do not wake the thread when a chip goes away, so it looks by itself.
LOOK_S = 1.0
SILENT_S = 10.0  # without a sign of life for so long, the thread hangs
_GONE = select.POLLERR | select.POLLHUP


class LineHeld(BoardUnavailable):
    """Another program or driver holds the line. The message is one sentence."""


class GpiochipPin(Pin):  # type: ignore[misc] # gpiozero publishes no types
    """A line. gpiozero sets and reads its properties through the methods with an underscore."""

    def __init__(self, factory: GpiochipFactory, info: PinInfo) -> None:
        self._factory = factory
        self._info = info
        self._line: int = info.number
        self._function = ""  # empty until the line is requested
        self._pull = "floating"
        self._edges = "none"
        self._wanted = False  # the level of an output, also while its chip is away
        self._when_changed: WhenChanged | None = None
        self._listening_since_ns = 0
        self.request = -1  # the kernel's file descriptor; -1 while there is none

    def input_with_pull(self, pull: str) -> None:
        if self._info.pull not in ("", pull):
            raise PinFixedPull(f"{self!r} has a physical pull-{self._info.pull} resistor")
        if pull not in ("up", "down", "floating"):
            raise PinInvalidPull(f"invalid pull {pull!r} for pin {self!r}")
        self._function, self._pull = "input", pull
        self._factory.take(self)

    def output_with_state(self, state: bool) -> None:
        """Sets direction and level in one request, so an active-low lamp does not flash."""
        self._function, self._wanted = "output", bool(state)
        self._factory.take(self)

    def close(self) -> None:
        """Does nothing: the factory frees its lines. Outputs keep the level that was just written."""

    def open_on(self, chip: int) -> None:
        """Requests the line as it was last set up. Raises OSError."""
        if self._function == "output":
            self.request = line_requests.request_output(chip, self._line, self._wanted)
        else:
            has_edges = self._edges != "none"
            self.request = line_requests.request_input(chip, self._line, self._pull, edges=has_edges)

    def free(self) -> None:
        request, self.request = self.request, -1
        if request >= 0:
            os.close(request)

    def tell_edges(self) -> None:
        """Passes on the edges that wait. Those from before somebody listened are dropped: he reads the levels."""
        for edge in line_requests.read_edges(self.request):
            if self._when_changed is not None and edge.ns >= self._listening_since_ns:
                self._when_changed(edge.ns / NS_PER_S, edge.level)

    def __repr__(self) -> str:
        return f"line {self._line}"

    def _get_info(self) -> PinInfo:
        return self._info

    def _get_function(self) -> str:
        return self._function or "input"

    def _set_function(self, value: str) -> None:
        if value == "input":
            self.input_with_pull(self._info.pull or "floating")
        elif value == "output":
            self.output_with_state(False)
        else:
            raise PinInvalidFunction(f"invalid function {value!r} for pin {self!r}")

    def _get_state(self) -> bool:
        with self._factory.present():
            return line_requests.read_level(self.request)

    def _set_state(self, value: bool) -> None:
        if self._function != "output":
            raise PinSetInput(f"cannot set the state of {self!r}")
        self._wanted = bool(value)
        with self._factory.present():
            line_requests.write_level(self.request, self._wanted)

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        self.input_with_pull(value)

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        """Takes effect with the next `input_with_pull`."""
        self._edges = value

    def _get_when_changed(self) -> WhenChanged | None:
        return self._when_changed

    def _set_when_changed(self, value: WhenChanged | None) -> None:
        self._listening_since_ns = time.monotonic_ns()
        self._when_changed = value


class GpiochipFactory(PinsByLine, Factory):  # type: ignore[misc] # gpiozero publishes no types
    def __init__(self, use: ChipUse, root: Path = Path("/")) -> None:
        """`root` is where the machine's /dev and /sys are mounted."""
        self._label, self._root = use.label, root
        self._guard = threading.RLock()  # of requests: pins are read and written in threads other than this one's
        self._chip = -1
        lines = self._open_chip()
        super().__init__(use, lines)
        self.pin_class = GpiochipPin
        self._away = ""
        self._closed = False
        self._beat_ns = time.monotonic_ns()
        self._news = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._thread = threading.Thread(target=self._run, name=f"felt-{self._label}", daemon=True)
        self._thread.start()

    def ticks(self) -> float:
        return time.monotonic()

    def ticks_diff(self, later: float, earlier: float) -> float:
        return later - earlier

    def problem(self) -> str:
        """One sentence while the chip is away; otherwise empty."""
        return self._away

    def alive(self) -> bool:
        return self._thread.is_alive() and time.monotonic_ns() - self._beat_ns < SILENT_S * NS_PER_S

    def close(self) -> None:
        """Frees every line. The kernel leaves an output at its last level."""
        if self._closed:
            return
        self._closed = True
        os.eventfd_write(self._news, 1)
        self._thread.join(SILENT_S)
        with self._guard:
            self._free_all()
        os.close(self._news)

    def take(self, pin: GpiochipPin) -> None:
        """Requests a line. Raises LineHeld or OSError."""
        with self._guard:
            pin.free()
            try:
                pin.open_on(self._chip)
            except OSError as error:
                if line_requests.is_held(error):
                    raise LineHeld(self._who_holds(pin)) from error
                raise
        os.eventfd_write(self._news, 1)

    @contextlib.contextmanager
    def present(self) -> Iterator[None]:
        """Within it, the chip's lines stay requested. Raises OSError while the chip is away."""
        with self._guard:
            if self._away:
                raise OSError(errno.ENODEV, self._away)
            yield

    def _who_holds(self, pin: GpiochipPin) -> str:
        holder = ""
        with contextlib.suppress(OSError):
            holder = line_requests.consumer_of(self._chip, pin.info.number)
        place = f"line {pin.info.number} of {self._label} is in use by"
        if holder == line_requests.CONSUMER:
            return f"{place} a running table: systemctl stop felt, then try again"
        return f"{place} {holder or 'another program'}: stop it, or take its overlay out of config.txt"

    def _open_chip(self) -> int:
        """Opens the chip by its label, whatever its number is now, and returns how many lines it has."""
        chip = find_chip(self._label, self._root)
        self._chip = os.open(self._root / f"dev/gpiochip{chip.number}", os.O_RDONLY | os.O_CLOEXEC)
        return chip.lines

    def _run(self) -> None:
        while not self._closed:
            self._beat_ns = time.monotonic_ns()
            if self._away:
                self._wait([], LOOK_S)
                self._look_for_chip()
            else:
                self._tell_edges()

    def _tell_edges(self) -> None:
        pins = {pin.request: pin for pin in [*self.pins.values()] if pin.request >= 0}
        for request, happened in self._wait([*pins], LOOK_S):
            if request not in pins or pins[request].request != request:
                continue
            try:
                if happened & _GONE:
                    raise OSError(errno.ENODEV, "its driver was unbound")
                pins[request].tell_edges()
            except OSError as error:
                if not self._closed:
                    self._lose(error)
                return

    def _wait(self, requests: list[int], seconds: float) -> list[tuple[int, int]]:
        """poll() and not epoll: it asks every line anew, so a chip that is gone is seen without being woken."""
        waiting = select.poll()
        waiting.register(self._news, select.POLLIN)
        for request in requests:
            waiting.register(request, select.POLLIN)
        happened = waiting.poll(seconds * 1000)
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._news)
        return happened

    def _lose(self, error: OSError) -> None:
        with self._guard:
            self._away = f"the chip {self._label} does not answer ({error.strerror}): check its cable and its overlay"
            self._free_all()

    def _look_for_chip(self) -> None:
        with self._guard:
            if self._closed:
                return
            try:
                self._open_chip()
                for pin in self.pins.values():
                    pin.open_on(self._chip)
                    line_requests.read_level(pin.request)  # a chip that is back must answer for each line
            except (BoardUnavailable, OSError):
                self._free_all()
                return
            self._away = ""

    def _free_all(self) -> None:
        for pin in self.pins.values():
            pin.free()
        chip, self._chip = self._chip, -1
        if chip >= 0:
            os.close(chip)
