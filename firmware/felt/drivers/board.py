"""The pins of a Raspberry Pi through gpiozero. Edges go out with their stamp and nothing else happens in a
callback; debouncing and meaning are others' work.

The pin factory is named by the profile and built here: no environment variable, no search for another one.
Who cannot have the factory asked for gets one sentence.

Whose stamps: `lgpio` passes on the kernel's own time of the edge, on the monotonic clock (kernels from 5.7).
RPi.GPIO passes none and the mock's is the caller's, so theirs are the time of arrival here."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gpiozero.pins import Factory, Pin

from felt.drivers.lamps import LampScheduler
from felt.nouns.stamps import NS_PER_S
from felt.ports import Line

OnEdge = Callable[[str, bool, int], None]
Pull = Literal["up", "down", "floating"]
FACTORY_NAMES = ("lgpio", "rpigpio", "mock")
KERNEL_STAMPED = ("lgpio",)
# Before this kernel the edge's time was the wall clock's, which steps and cannot be compared with ours.
MONOTONIC_STAMPS_SINCE = (5, 7)


class BoardUnavailable(Exception):
    """The board cannot be had. The text is one sentence for a technician."""


@dataclass(frozen=True, slots=True)
class PinUse:
    """An input: a sensor or a key. Its level is True when it is active, whatever the voltage."""

    name: str
    line: int
    pull: Pull = "up"
    active_low: bool = True
    settle_ms: int = 10
    late_ms_max: int = 5


@dataclass(frozen=True, slots=True)
class OutputUse:
    """An output: a lamp or the buzzer. Safe means not active."""

    name: str
    line: int
    active_low: bool = False


@dataclass(frozen=True, slots=True)
class PinProfile:
    inputs: tuple[PinUse, ...]
    outputs: tuple[OutputUse, ...] = ()


class GpioBoard:
    """Fills `ports.Board`."""

    def __init__(self, profile: PinProfile, factory_name: str) -> None:
        refuse_double_use(profile)
        self._kernel_stamped = factory_name in KERNEL_STAMPED
        self._factory_name = factory_name
        self.factory = build_factory(factory_name)
        try:
            self._outputs = {use.name: _Output(self.factory, use) for use in profile.outputs}
            self._inputs = tuple(_Input(self.factory, use, self._kernel_stamped) for use in profile.inputs)
        except BoardUnavailable:
            self.factory.close()
            raise
        self._lamps = LampScheduler(tuple(self._outputs), self._write_output)
        self._lamps.start()
        self._closed = False

    def lines(self) -> tuple[Line, ...]:
        return tuple(
            Line(pin.use.name, pin.use.settle_ms, self._kernel_stamped, pin.use.late_ms_max) for pin in self._inputs
        )

    def start(self, on_edge: OnEdge) -> None:
        for pin in self._inputs:
            pin.listen(on_edge)

    def levels(self) -> Mapping[str, bool]:
        return {pin.use.name: pin.level() for pin in self._inputs}

    def show(self, lamps: Mapping[str, str]) -> None:
        self._lamps.show(lamps)

    def alive(self) -> bool:
        return not self._closed and self._lamps.alive() and self._notifier_is_alive()

    def refused_edges(self) -> int:
        """Edges the receiver raised at. They are lost; the next reading of the levels makes up for them."""
        return sum(pin.refused for pin in self._inputs)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        for pin in self._inputs:
            pin.stop_listening()
        self._lamps.stop()
        for output in self._outputs.values():
            with contextlib.suppress(OSError):  # one dead output must not keep the others from their safe state
                output.write(False)
        self.factory.close()

    def _write_output(self, name: str, active: bool) -> None:
        self._outputs[name].write(active)

    def _notifier_is_alive(self) -> bool:
        """lgpio delivers every edge of every pin from one thread that ends for good if anything goes wrong in
        it. The others run theirs out of our sight."""
        if self._factory_name != "lgpio":
            return True
        thread = getattr(sys.modules.get("lgpio"), "_notify_thread", None)
        return thread is not None and thread.is_alive()


class _Input:
    """Held by the board for its whole life: gpiozero keeps only a weak reference to the callback."""

    def __init__(self, factory: Factory, use: PinUse, kernel_stamped: bool) -> None:
        self.use = use
        self.refused = 0
        self._kernel_stamped = kernel_stamped
        self._on_edge: OnEdge | None = None
        self._pin = _take(factory, use.name, use.line, lambda pin: pin.input_with_pull(use.pull))

    def listen(self, on_edge: OnEdge) -> None:
        self._on_edge = on_edge
        self._pin.bounce = None
        self._pin.edges = "both"
        self._pin.when_changed = self.changed

    def stop_listening(self) -> None:
        self._pin.when_changed = None

    def level(self) -> bool:
        with _failing_as(OSError, f"line {self.use.line} of {self.use.name} cannot be read"):
            return bool(self._pin.state) != self.use.active_low

    def changed(self, ticks: float, state: Any) -> None:
        # Whatever is raised here would end lgpio's only thread and with it every pin, silently.
        try:
            ns = round(ticks * NS_PER_S) if self._kernel_stamped else time.monotonic_ns()
            self._on_edge(self.use.name, bool(state) != self.use.active_low, ns)  # type: ignore[misc] # set by listen
        except Exception:  # noqa: BLE001 # see above
            self.refused += 1


class _Output:
    def __init__(self, factory: Factory, use: OutputUse) -> None:
        self._use = use
        # Output and level in one act, so that an active-low lamp does not flash when it is set up.
        self._pin = _take(factory, use.name, use.line, lambda pin: pin.output_with_state(use.active_low))

    def write(self, active: bool) -> None:
        with _failing_as(OSError, f"line {self._use.line} of {self._use.name} cannot be written"):
            self._pin.state = active != self._use.active_low


def refuse_double_use(profile: PinProfile) -> None:
    """A line has one owner. A name may stand for a sensor and for its lamp, but for no two of either."""
    owners: dict[int, str] = {}
    names: set[tuple[type, str]] = set()
    uses: tuple[PinUse | OutputUse, ...] = (*profile.inputs, *profile.outputs)
    for use in uses:
        if use.line in owners:
            raise BoardUnavailable(
                f"line {use.line} is used by both {owners[use.line]} and {use.name}: give one of them another line"
            )
        if (type(use), use.name) in names:
            raise BoardUnavailable(f"{use.name} is given twice in the board's profile: name each pin once")
        owners[use.line] = use.name
        names.add((type(use), use.name))


def build_factory(name: str) -> Factory:
    """The factory that was named, or one sentence. Never another one in its place."""
    if name not in FACTORY_NAMES:
        raise BoardUnavailable(f"{name!r} is no pin factory: choose one of {', '.join(FACTORY_NAMES)}")
    if name in KERNEL_STAMPED:
        _refuse_old_kernel(os.uname().release)
    with _failing_as(BoardUnavailable, f"the pin factory {name} cannot be had on this machine", _REMEDY[name]):
        return _BUILDERS[name]()


def _lgpio_factory() -> Factory:
    from gpiozero.pins.lgpio import LGPIOFactory

    return LGPIOFactory()


def _rpigpio_factory() -> Factory:
    from gpiozero.pins.rpigpio import RPiGPIOFactory

    return RPiGPIOFactory()


def _mock_factory() -> Factory:
    from gpiozero.pins.mock import MockFactory

    return MockFactory()


_BUILDERS: dict[str, Callable[[], Factory]] = {
    "lgpio": _lgpio_factory,
    "rpigpio": _rpigpio_factory,
    "mock": _mock_factory,
}
_REMEDY = {
    "lgpio": "run on a Raspberry Pi with python3-lgpio installed, in a writable working directory, "
    "as a user of the group gpio",
    "rpigpio": "run on a Raspberry Pi up to the 4 with RPi.GPIO installed, or choose lgpio",
    "mock": "install gpiozero 2.0.1 or newer",
}


def _refuse_old_kernel(release: str) -> None:
    numbers = release.split(".")
    with contextlib.suppress(ValueError, IndexError):
        if (int(numbers[0]), int(numbers[1])) < MONOTONIC_STAMPS_SINCE:
            raise BoardUnavailable(
                f"kernel {release} stamps edges with the wall clock: use {'.'.join(map(str, MONOTONIC_STAMPS_SINCE))} "
                "or newer, or choose the factory rpigpio"
            )


def _take(factory: Factory, name: str, line: int, set_up: Callable[[Pin], None]) -> Pin:
    with _failing_as(BoardUnavailable, f"line {line} cannot be had for {name}", "check the board's profile"):
        pin = factory.pin(line)
        set_up(pin)
        return pin


@contextlib.contextmanager
def _failing_as(kind: type[Exception], what: str, remedy: str = "") -> Iterator[None]:
    """One sentence of one kind for whatever goes wrong with a pin."""
    try:
        yield
    # The libraries raise what they like: ImportError, RuntimeError off a Pi, and lgpio's own plain Exception.
    except Exception as error:  # noqa: BLE001
        reason = " ".join(str(error).split()) or "no reason given"
        advice = f": {remedy}" if remedy else ""
        raise kind(f"{what} ({type(error).__name__}: {reason}){advice}") from None
