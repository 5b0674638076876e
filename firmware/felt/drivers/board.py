"""The pins of a table through gpiozero, on one chip or several. Edges go out with their stamp and nothing else happens
in a callback; debouncing and meaning are others' work.

The pin factory is named by the table file and built for each chip: no environment variable, no search for another one.
Who cannot have the factory or a chip gets one sentence."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from gpiozero.pins import Factory, Pin

from felt.drivers.factories import KERNEL_STAMPED, build_factory, failing_as, refuse_unreachable
from felt.drivers.lamps import DarkSampling, LampScheduler
from felt.drivers.pins_by_line import ChipUse
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import Value, replace
from felt.ports import BoardUnavailable, Line
from felt.wire.feedback import LampJudge

__all__ = ["BoardUnavailable", "FeedbackUse", "GpioBoard", "OutputUse", "PinProfile", "PinUse"]

OnEdge = Callable[[str, bool, int], None]
Pull = Literal["up", "down", "floating"]
HEADER = "pinctrl-bcm2711"
# RPi.GPIO calls back from a thread of its own and passes no time: the stamp waits for that thread and for ours.
RPIGPIO_LATE_MS_LEAST = 10


class PinUse(Value):
    """An input: a sensor or a key. Its level is True when it is active, whatever the voltage."""

    name: str
    line: int
    pull: Pull = "up"
    active_low: bool = True
    settle_ms: int = 10
    late_ms_max: int = 5
    chip: str = HEADER
    on_header: bool = True
    sampled_dark: bool = False  # the lamp of the same name disturbs it: read only while that is dark


class OutputUse(Value):
    """An output: a lamp or the buzzer. Safe means not active."""

    name: str
    line: int
    active_low: bool = False
    chip: str = HEADER
    on_header: bool = True


class FeedbackUse(Value):
    """The line that is active while current flows through the lamp of that name. It is read, and has no edges."""

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
    """Fills `ports.Board`."""

    def __init__(self, profile: PinProfile, factory_name: str, root: Path = Path("/")) -> None:
        """`root` is where the machine's /dev and /sys are."""
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
        """Of the first chip that the profile names; on most boards the header's."""
        return next(iter(self.chips.values()))

    def lines(self) -> tuple[Line, ...]:
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
        return not self._closed and self._lamps.alive() and self._notifier_is_alive()

    def problem(self) -> str:
        return self._lamps.problem()

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
        self._close_chips()

    def _close_chips(self) -> None:
        for factory in self.chips.values():
            # lgpio's own error is a plain Exception; an expander that has gone must not keep the others open.
            with contextlib.suppress(Exception):
                factory.close()

    def _write_output(self, name: str, active: bool) -> None:
        self._outputs[name].write(active)

    def _compare_lamps(self, lit: Mapping[str, bool]) -> None:
        """From the lamps' own thread, so that no lamp changes between the order and the look."""
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

        # Twice as often as promised, so that a thread which is held up for a moment still keeps the promise.
        every_ms = max(1, min(pin.use.late_ms_max for pin in sampled) // 2)
        return DarkSampling(tuple(pin.use.name for pin in sampled), every_ms, take_samples)

    def _notifier_is_alive(self) -> bool:
        """lgpio delivers every edge of every chip from one thread that ends for good if anything goes wrong in
        it. The others run theirs out of our sight."""
        if self._factory_name != "lgpio":
            return True
        thread = getattr(sys.modules.get("lgpio"), "_notify_thread", None)
        return thread is not None and thread.is_alive()


class _Input:
    """Held by the board for its whole life: gpiozero keeps only a weak reference to the callback."""

    def __init__(self, factory: Factory, use: PinUse, factory_name: str) -> None:
        self.use = use
        self.refused = 0
        self._factory_name = factory_name
        self._monotonic_ticks = factory_name in KERNEL_STAMPED
        self._on_edge: OnEdge | None = None
        self._pin = _take(factory, use, lambda pin: pin.input_with_pull(use.pull))

    def stated(self) -> Line:
        # An expander's interrupt says that something changed; the stamp is made when the kernel has read what.
        kernel_stamped = self._monotonic_ticks and self.use.on_header
        least_ms = RPIGPIO_LATE_MS_LEAST if self._factory_name == "rpigpio" else 0
        return Line(self.use.name, self.use.settle_ms, kernel_stamped, max(self.use.late_ms_max, least_ms))

    def listen(self, on_edge: OnEdge) -> None:
        self._on_edge = on_edge
        self._pin.bounce = None
        self._pin.edges = "both"
        self._pin.when_changed = self.changed

    def stop_listening(self) -> None:
        self._pin.when_changed = None

    def level(self) -> bool:
        with failing_as(OSError, f"{_place(self.use)} ({self.use.name}) cannot be read"):
            return bool(self._pin.state) != self.use.active_low

    def changed(self, ticks: float, state: Any) -> None:
        # Whatever is raised here would end lgpio's only thread and with it every pin, silently.
        try:
            ns = round(ticks * NS_PER_S) if self._monotonic_ticks else time.monotonic_ns()
            self._on_edge(self.use.name, bool(state) != self.use.active_low, ns)  # type: ignore[misc] # set by listen
        except Exception:  # noqa: BLE001 # see above
            self.refused += 1


class _SampledInput(_Input):
    """A light sensor that its own lamp disturbs. It has no edges: the lamps' thread reads it in the dark. Its stamp is
    the sample that disagreed with the one before, so it is late by at most the time between the two."""

    def __init__(self, factory: Factory, use: PinUse, factory_name: str) -> None:
        super().__init__(factory, use, factory_name)
        self._sampled = super().level()  # no lamp is lit yet

    def stated(self) -> Line:
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
        except Exception:  # noqa: BLE001 # a receiver's mistake must not stop the lamps
            self.refused += 1


class _Output:
    def __init__(self, factory: Factory, use: OutputUse) -> None:
        self._use = use
        # Output and level in one act, so that an active-low lamp does not flash when it is set up.
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
    """A line has one owner. A name may stand for a sensor, its lamp and its feedback, but for no two of either."""
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
    with failing_as(BoardUnavailable, f"{_place(use)} cannot be had for {use.name}", "check the board's profile"):
        pin = factory.pin(use.line)
        set_up(pin)
        return pin
