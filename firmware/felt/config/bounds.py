"""Limits that stand beside the setting they limit, and the walk that checks them all."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping

from felt.nouns.named import NamedTuple
from felt.nouns.shapes import hints_of


class Whole(NamedTuple):
    low: int
    high: int

    def problem(self, value: object) -> str | None:
        if isinstance(value, int) and self.low <= value <= self.high:
            return None
        return f"{value!r} is not from {self.low} to {self.high}"

    def remedy(self) -> str:
        return "choose a value in that range"


class Worded(NamedTuple):
    pattern: str
    shape: str  # what the pattern means, for people

    def problem(self, value: object) -> str | None:
        if isinstance(value, str) and re.fullmatch(self.pattern, value):
            return None
        return f"{value!r} is not {self.shape}"

    def remedy(self) -> str:
        return f"write {self.shape}"


class Violation(NamedTuple):
    path: tuple[str, ...]
    problem: str
    remedy: str


@functools.cache
def _bounds_of(shape: type) -> dict[str, Whole | Worded]:
    """The bound of each field that has one, written beside its type as `Annotated[int, Whole(1, 9)]`."""
    return {
        name: note
        for name, hint in hints_of(shape).items()
        for note in getattr(hint, "__metadata__", ())
        if isinstance(note, Whole | Worded)
    }


def violations(settings: object, path: tuple[str, ...] = ()) -> Iterator[Violation]:
    """Every setting outside its bounds, in the order of the file."""
    if dataclasses.is_dataclass(settings) and not isinstance(settings, type):
        bounds = _bounds_of(type(settings))
        for field in dataclasses.fields(settings):
            value, inside = getattr(settings, field.name), (*path, field.name)
            if field.name in bounds and value is not None:  # only what may be left out is None
                yield from _outside(bounds[field.name], value, inside)
            yield from violations(value, inside)
    elif isinstance(settings, Mapping):
        for name, value in settings.items():
            yield from violations(value, (*path, str(name)))
    elif isinstance(settings, tuple):
        for place, value in enumerate(settings):
            yield from violations(value, (*path, str(place)))


def _outside(bound: Whole | Worded, value: object, path: tuple[str, ...]) -> Iterator[Violation]:
    if isinstance(value, Mapping):
        judged: list[tuple[object, tuple[str, ...]]] = [(name, (*path, str(name))) for name in value]
    elif isinstance(value, tuple):
        judged = [(item, (*path, str(place))) for place, item in enumerate(value)]
    else:
        judged = [(value, path)]
    for one, where in judged:
        problem = bound.problem(one)
        if problem is not None:
            yield Violation(where, problem, bound.remedy())
