"""The pins of a table through gpiozero, on one or several chips. A callback only forwards the edge with its stamp;
debouncing and meaning belong to other rooms.

The table file names the pin factory, and one is built for each chip. No environment variable is read, and no other
factory is tried. If a factory or chip is unavailable, the error is one sentence.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from gpiozero.pins import Factory, Pin

from felt.drivers.factories import KERNEL_STAMPED, build_factory, failing_as, refuse_unreachable
from felt.drivers.gpiochip import GpiochipFactory
from felt.drivers.lamps import DarkSampling, LampScheduler
from felt.drivers.pins_by_line import ChipUse
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import Value, replace
from felt.ports import BoardLine, BoardUnavailable
from felt.wire.feedback import LampJudge

__all__ = ["BoardUnavailable", "FeedbackUse", "GpioBoard", "OutputUse", "PinProfile", "PinUse"]

OnEdge = Callable[[str, bool, int], None]
Pull = Literal["up", "down", "floating"]
HEADER = "pinctrl-bcm2711"
# RPi.GPIO calls back from its own thread and passes no time, so the stamp includes the delay of two threads.
RPIGPIO_LATE_MS_LEAST = 10


class PinUse(Value):
    """An input: a sensor or a key. Its level is True if active, whatever the voltage."""

    name: str
    line: int
    pull: Pull = "up"
    active_low: bool = True
    settle_ms: int = 10
    late_ms_max: int = 5
    chip: str = HEADER
    on_header: bool = True
    sampled_dark: bool = False  # disturbed by the lamp of the same name; read only while that is dark


class OutputUse(Value):
    """An output: a lamp or the buzzer. Its safe state is inactive."""

    name: str
    line: int
    active_low: bool = False
    chip: str = HEADER
    on_header: bool = True


class FeedbackUse(Value):
    """The line that is active while current flows through the lamp of that name. It is polled and has no edges."""

    name: str
    line: int
    pull: Pull = "up"
    active_low: bool = True
    chip: str = HEADER
    on_header: bool = True


AnyUse = PinUse | OutputUse | FeedbackUse


class PinProfile(Value):
    inputs: tuple[PinUse, ...]
    outputs: tuple[OutputUse, ...] = ()
    feedbacks: tuple[FeedbackUse, ...] = ()

    @property
    def uses(self) -> tuple[AnyUse, ...]:
        return (*self.inputs, *self.outputs, *self.feedbacks)


class GpioBoard:
    """Implements `ports.Board`."""

    def __init__(self, profile: PinProfile, factory_name: str, root: Path = Path("/")) -> None:
        """`root` is where the machine's /dev and /sys are mounted."""
        refuse_double_use(profile)
        self._factory_name = factory_name
        self._closed = False
        self.chips: dict[str, Factory] = {}
        chip_uses = tuple(dict.fromkeys(ChipUse(use.chip, use.on_header) for use in profile.uses))
        refuse_unreachable(factory_name, chip_uses)
        try:
            for chip in chip_uses:
                self.chips[chip.label] = build_factory(factory_name, chip, root)
            self._outputs = {use.name: _Output(self.chips[use.chip], use) for use in profile.outputs}
            self._inputs = tuple(
                (_SampledInput if use.sampled_dark else _Input)(self.chips[use.chip], use, factory_name)
                for use in profile.inputs
            )
            self._feedbacks = tuple(_Feedback(self.chips[use.chip], use) for use in profile.feedbacks)
        except BoardUnavailable:
            self._close_chips()
            raise
        self._judge = LampJudge(use.name for use in profile.feedbacks)
        compare = self._compare_lamps if profile.feedbacks else None
        self._lamps = LampScheduler(tuple(self._outputs), self._write_output, self._dark_sampling(), compare)
        self._lamps.start()

    @property
    def factory(self) -> Factory:
        """The factory of the profile's first chip; on most boards, the header's."""
        return next(iter(self.chips.values()))

    def lines(self) -> tuple[BoardLine, ...]:
        return tuple(pin.stated() for pin in self._inputs)

    def start(self, on_edge: OnEdge) -> None:
        for pin in self._inputs:
            pin.listen(on_edge)

    def levels(self) -> Mapping[str, bool]:
        return {pin.use.name: pin.level() for pin in self._inputs}

    def show(self, lamps: Mapping[str, str]) -> None:
        self._lamps.show(lamps)

    def lamps_found(self) -> Mapping[str, str]:
        return self._judge.found()

    def alive(self) -> bool:
        return not self._closed and self._lamps.alive() and all(chip.alive() for chip in self._watched_chips())

    def problem(self) -> str:
        away = next((chip.problem() for chip in self._watched_chips() if chip.problem()), "")
        return away or self._lamps.problem()

    def refused_edges(self) -> int:
        """Edges that were lost because the receiver raised. The next reading of the levels makes up for them."""
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
        self._close_chips()

    def _close_chips(self) -> None:
        for factory in self.chips.values():
            # The libraries raise anything; a vanished expander must not keep the other chips open.
            with contextlib.suppress(Exception):
                factory.close()

    def _write_output(self, name: str, active: bool) -> None:
        self._outputs[name].write(active)

    def _compare_lamps(self, lit: Mapping[str, bool]) -> None:
        """Runs in the lamps' own thread, so no lamp changes between the order and the comparison."""
        for feedback in self._feedbacks:
            if feedback.use.name in lit:
                self._judge.compare(feedback.use.name, lit=lit[feedback.use.name], flows=feedback.flows())

    def _dark_sampling(self) -> DarkSampling | None:
        sampled = [pin for pin in self._inputs if isinstance(pin, _SampledInput)]
        if not sampled:
            return None

        def take_samples() -> None:
            for pin in sampled:
                pin.sample(time.monotonic_ns())

        # Sample twice as often as promised, so a short delay of the thread does not break the promise.
        every_ms = max(1, min(pin.use.late_ms_max for pin in sampled) // 2)
        return DarkSampling(tuple(pin.use.name for pin in sampled), every_ms, take_samples)

    def _watched_chips(self) -> list[GpiochipFactory]:
        """The chips whose threads can be asked. The other factories do not expose theirs."""
        return [chip for chip in self.chips.values() if isinstance(chip, GpiochipFactory)]


class _Input:
    """The board keeps this object for its whole life: gpiozero holds only a weak reference to the callback."""

    has_edges = True

    def __init__(self, factory: Factory, use: PinUse, factory_name: str) -> None:
        self.use = use
        self.refused = 0
        self._factory_name = factory_name
        self._monotonic_ticks = factory_name in KERNEL_STAMPED
        self._on_edge: OnEdge | None = None
        self._pin = _take(factory, use, self._set_up)

    def _set_up(self, pin: Pin) -> None:
        if self.has_edges:  # said first, so that one request of the kernel serves for the pin's whole life
            pin.edges = "both"
        pin.input_with_pull(self.use.pull)

    def stated(self) -> BoardLine:
        # An expander's interrupt only says that something changed; the kernel stamps it after reading the expander.
        kernel_stamped = self._monotonic_ticks and self.use.on_header
        least_ms = RPIGPIO_LATE_MS_LEAST if self._factory_name == "rpigpio" else 0
        return BoardLine(self.use.name, self.use.settle_ms, kernel_stamped, max(self.use.late_ms_max, least_ms))

    def listen(self, on_edge: OnEdge) -> None:
        self._on_edge = on_edge
        self._pin.bounce = None
        self._pin.when_changed = self.changed

    def stop_listening(self) -> None:
        self._pin.when_changed = None

    def level(self) -> bool:
        with failing_as(OSError, f"{_place(self.use)} ({self.use.name}) cannot be read"):
            return bool(self._pin.state) != self.use.active_low

    def changed(self, ticks: float, state: Any) -> None:
        # An exception here would end the thread that delivers the edges of every pin.
        try:
            ns = round(ticks * NS_PER_S) if self._monotonic_ticks else time.monotonic_ns()
            self._on_edge(self.use.name, bool(state) != self.use.active_low, ns)  # type: ignore[misc] # set by listen
        except Exception:  # noqa: BLE001 # see above
            self.refused += 1


class _SampledInput(_Input):
    """A light sensor that its own lamp disturbs. It has no edges; the lamps' thread samples it in the dark. The
    stamp is that of the first differing sample, so it is late by at most one sampling interval."""

    has_edges = False

    def __init__(self, factory: Factory, use: PinUse, factory_name: str) -> None:
        super().__init__(factory, use, factory_name)
        self._sampled = super().level()  # no lamp is lit yet

    def stated(self) -> BoardLine:
        return replace(super().stated(), kernel_stamped=False)

    def listen(self, on_edge: OnEdge) -> None:
        self._on_edge = on_edge

    def stop_listening(self) -> None:
        self._on_edge = None

    def level(self) -> bool:
        return self._sampled

    def sample(self, ns: int) -> None:
        level = super().level()
        if level == self._sampled:
            return
        self._sampled = level
        if self._on_edge is None:
            return
        try:
            self._on_edge(self.use.name, level, ns)
        except Exception:  # noqa: BLE001 # an error of the receiver must not stop the lamps
            self.refused += 1


class _Output:
    def __init__(self, factory: Factory, use: OutputUse) -> None:
        self._use = use
        # Set direction and level in one call, so an active-low lamp does not flash during setup.
        self._pin = _take(factory, use, lambda pin: pin.output_with_state(use.active_low))

    def write(self, active: bool) -> None:
        with failing_as(OSError, f"{_place(self._use)} ({self._use.name}) cannot be written"):
            self._pin.state = active != self._use.active_low


class _Feedback:
    def __init__(self, factory: Factory, use: FeedbackUse) -> None:
        self.use = use
        self._pin = _take(factory, use, lambda pin: pin.input_with_pull(use.pull))

    def flows(self) -> bool:
        with failing_as(OSError, f"{_place(self.use)} (current of {self.use.name}) cannot be read"):
            return bool(self._pin.state) != self.use.active_low


def refuse_double_use(profile: PinProfile) -> None:
    """A line has one owner. One name may stand for a sensor, its lamp and its feedback, but not for two of the same
    kind."""
    owners: dict[tuple[str, int], str] = {}
    names: set[tuple[type, str]] = set()
    for use in profile.uses:
        place = (use.chip, use.line)
        if place in owners:
            raise BoardUnavailable(
                f"{_place(use)} is used by both {owners[place]} and {use.name}: give one of them another line"
            )
        if (type(use), use.name) in names:
            raise BoardUnavailable(f"{use.name} is given twice in the board's profile: name each pin once")
        owners[place] = use.name
        names.add((type(use), use.name))


def _place(use: AnyUse) -> str:
    return f"line {use.line} of {use.chip}"


def _take(factory: Factory, use: AnyUse, set_up: Callable[[Pin], None]) -> Pin:
    with failing_as(BoardUnavailable, f"{_place(use)} cannot be used for {use.name}", "check the board's profile"):
        pin = factory.pin(use.line)
        set_up(pin)
        return pin
