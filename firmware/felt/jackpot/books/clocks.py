"""When something happened at a table, by the controller's own clock: an interval, never a point. Tables have clocks
of their own; a sample ties two of them together, and every bound taken from one is true, so that all of them
together are. Pure: times come in as numbers of nanoseconds."""

from __future__ import annotations

from enum import StrEnum

from felt.nouns.values import Value

SAMPLES_MAX = 64
BOOTS_MAX = 4  # of one table: a hand may have been dealt in a boot before this one
MILLION = 1_000_000


class Sample(Value):
    """The controller spoke, the table heard; the table spoke, the controller heard. Each clock only counts up."""

    controller_sent_ns: int  # not later than the sending
    table_heard_ns: int  # not earlier than the hearing
    table_sent_ns: int
    controller_heard_ns: int


class TableClock(Value):
    """What is known of one table's clock in one of its boots, against one boot of the controller."""

    table: str
    boot: str
    card_late_ns: int
    samples: tuple[Sample, ...] = ()


class Interval(Value):
    low_ns: int
    high_ns: int


class Moment(Value):
    """A stamp as a table wrote it, and where it lies in the controller's time when that is known."""

    boot: str
    mono_ns: int
    early_ns: int = 0  # how much earlier than its stamp the card may have been, as its table says
    controller: str = ""  # the controller's boot in which the interval counts; empty: not known
    low_ns: int = 0
    high_ns: int = 0


class Order(StrEnum):
    BEFORE = "before"
    AFTER = "after"
    UNDETERMINED = "undetermined"


class Clocks:
    """Every table's clock against the controller's present boot. What a sample says stays true whatever becomes of the
    letters around it, so it is learnt at once and never taken back."""

    __slots__ = ("_known", "card_late_ns", "controller", "drift_ppm")

    def __init__(self, controller: str, drift_ppm: int, card_late_ns: int) -> None:
        self.controller = controller
        self.drift_ppm = drift_ppm
        self.card_late_ns = card_late_ns  # for tables that do not say
        self._known: dict[str, tuple[TableClock, ...]] = {}

    def begin(self, controller: str) -> None:
        """Samples against another boot of the controller say nothing of this one."""
        if self.controller != controller:
            self.controller = controller
            self._known = {}

    def of_table(self, table: str) -> tuple[TableClock, ...]:
        """One for each boot, the latest last."""
        return self._known.get(table, ())

    def learn(self, table: str, boot: str, card_late_ns: int, sample: Sample) -> None:
        """A sample that contradicts itself (the table held it longer than the controller waited) is left out."""
        if width_ns(sample, self.drift_ppm) < 0:
            return
        late_ns = max(card_late_ns, self.card_late_ns)
        own = self.of_table(table)
        former = next((clock for clock in own if clock.boot == boot), TableClock(table, boot, late_ns))
        samples = _thinned((*former.samples, sample), self.drift_ppm)
        changed = TableClock(table, boot, max(late_ns, former.card_late_ns), samples)
        kept = [clock for clock in own if clock.boot != boot][-(BOOTS_MAX - 1) :]
        self._known[table] = (*kept, changed)


def width_ns(sample: Sample, drift_ppm: int) -> int:
    """The round trip without the time that the table held it."""
    held_ns = sample.table_sent_ns - sample.table_heard_ns
    return sample.controller_heard_ns - sample.controller_sent_ns - held_ns + _drift_ns(held_ns, drift_ppm)


def _thinned(samples: tuple[Sample, ...], drift_ppm: int) -> tuple[Sample, ...]:
    """Of the older half, each second one is given up, and always the wider of two neighbours."""
    if len(samples) <= SAMPLES_MAX:
        return samples
    half = SAMPLES_MAX // 2
    old, new = samples[:half], samples[half:]
    pairs = zip(old[::2], old[1::2], strict=True)
    return (*(min(pair, key=lambda sample: width_ns(sample, drift_ppm)) for pair in pairs), *new)


def moment_of(clocks: Clocks, table: str, boot: str, mono_ns: int, early_ns: int = 0) -> Moment:
    """Where a table's stamp lies in the controller's time. The card itself may be earlier than its stamp."""
    if boot == clocks.controller:
        low_ns = mono_ns - max(early_ns, clocks.card_late_ns)
        return Moment(boot, mono_ns, early_ns, boot, low_ns, mono_ns)
    for clock in clocks.of_table(table):
        if clock.boot == boot:
            found = interval_of(clock, mono_ns, clocks.drift_ppm, early_ns)
            if found is not None:
                return Moment(boot, mono_ns, early_ns, clocks.controller, found.low_ns, found.high_ns)
    return Moment(boot, mono_ns, early_ns)


def interval_of(clock: TableClock, mono_ns: int, drift_ppm: int, early_ns: int = 0) -> Interval | None:
    """The narrowest interval that every sample allows, widened by drift with the distance from each. None without
    samples, or where they contradict one another: then one of the clocks is not what it says."""
    if not clock.samples:
        return None
    low = max(
        sample.controller_sent_ns - sample.table_heard_ns - _drift_ns(mono_ns - sample.table_heard_ns, drift_ppm)
        for sample in clock.samples
    )
    high = min(
        sample.controller_heard_ns - sample.table_sent_ns + _drift_ns(mono_ns - sample.table_sent_ns, drift_ppm)
        for sample in clock.samples
    )
    return None if low > high else Interval(mono_ns + low - max(early_ns, clock.card_late_ns), mono_ns + high)


def order_of(moment: Moment, other: Moment) -> Order:
    """Of two stamps of different tables. Intervals that touch are not told apart."""
    if moment.boot == other.boot:
        return Order.BEFORE if moment.mono_ns < other.mono_ns else _after_or_undetermined(moment, other)
    if not moment.controller or moment.controller != other.controller:
        return Order.UNDETERMINED
    if moment.high_ns < other.low_ns:
        return Order.BEFORE
    return Order.AFTER if other.high_ns < moment.low_ns else Order.UNDETERMINED


def _after_or_undetermined(moment: Moment, other: Moment) -> Order:
    return Order.AFTER if moment.mono_ns > other.mono_ns else Order.UNDETERMINED


def _drift_ns(distance_ns: int, drift_ppm: int) -> int:
    """Rounded up: a bound may only become wider."""
    return -(-abs(distance_ns) * drift_ppm // MILLION)


def say_moment(moment: Moment) -> str:
    """As evidence in the ledger."""
    if not moment.controller:
        return f"stamp {moment.mono_ns} ns of boot {moment.boot}, not placed in the controller's time"
    width_us = (moment.high_ns - moment.low_ns) // 1000
    return f"stamp {moment.mono_ns} ns of boot {moment.boot}, between {moment.low_ns} and {moment.high_ns} ns " + (
        f"of the controller's boot {moment.controller} ({width_us} us)"
    )
