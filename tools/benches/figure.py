"""One measured figure beside the reference of the same run, and the table in which people read them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple


class Bar(NamedTuple):
    """The bound that the ratio must meet, or the measured value itself if `of_value`."""

    limit: float
    at_most: bool
    of_value: bool = False

    def is_met(self, figure: Figure) -> bool:
        value = figure.measured if self.of_value else figure.ratio
        return value <= self.limit if self.at_most else value >= self.limit

    def say(self, unit: str) -> str:
        return f"{'≤' if self.at_most else '≥'} {self.limit:g}{' ' + unit if self.of_value else ''}"


class Figure(NamedTuple):
    name: str
    measured: float
    unit: str
    reference_name: str
    reference: float
    ratio: float
    bar: Bar | None = None

    def plain(self) -> dict[str, Any]:
        bar = self.bar
        return {
            "name": self.name,
            "measured": self.measured,
            "unit": self.unit,
            "reference": {"name": self.reference_name, "measured": self.reference},
            "ratio": self.ratio,
            "bar": None if bar is None else bar.say(self.unit),
            "met": None if bar is None else bar.is_met(self),
        }


def cost(
    name: str, measured: float, unit: str, reference_name: str, reference: float, bar: Bar | None = None
) -> Figure:
    """Less is better: the cost as a multiple of the reference."""
    return Figure(name, measured, unit, reference_name, reference, measured / reference, bar)


def rate(
    name: str, measured: float, unit: str, reference_name: str, reference: float, bar: Bar | None = None
) -> Figure:
    """Measured as a cost, compared as a rate: which part of the reference's rate is reached."""
    return Figure(name, measured, unit, reference_name, reference, reference / measured, bar)


def interleaved(works: Mapping[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Median processor seconds of each. They take turns, so that a busy machine slows all alike."""
    spent: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repetitions):
        for name, work in works.items():
            begun = time.process_time()
            work()
            spent[name].append(time.process_time() - begun)
    return {name: statistics.median(each) for name, each in spent.items()}


def table(figures: Iterable[Figure]) -> str:
    head = ("figure", "measured", "reference", "", "ratio", "bar", "")
    rows = [head, *(_row(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    right = (1, 3, 4)
    lines = [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines)


def _row(figure: Figure) -> tuple[str, ...]:
    bar = figure.bar
    return (
        figure.name,
        f"{figure.measured:,.1f} {figure.unit}",
        figure.reference_name,
        f"{figure.reference:,.1f} {figure.unit}",
        f"{figure.ratio:.2f}",
        "" if bar is None else bar.say(figure.unit),
        "" if bar is None else "met" if bar.is_met(figure) else "MISSED",
    )
