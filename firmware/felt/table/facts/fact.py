"""What every fact is: frozen, with its stamp, and the same as another of its kind whose parts are the same."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar, dataclass_transform

from felt.nouns.stamps import Stamp

Kind = TypeVar("Kind")


@dataclass_transform(frozen_default=True)
def fact(kind: type[Kind]) -> type[Kind]:
    """A frozen dataclass that takes its text and its equality from `Fact`. There are eighty kinds: those that
    `dataclass` would write and compile for each of them took a good part of a start. One that says no more than that it
    happened has nothing of its own at all."""
    if "__annotations__" not in vars(kind):
        own = {name: value for name, value in vars(kind).items() if name not in ("__dict__", "__weakref__")}
        return type(kind.__name__, kind.__bases__, {**own, "__slots__": ()})
    return dataclass(frozen=True, slots=True, repr=False, eq=False)(kind)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Fact:
    at: Stamp

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._parts() == other._parts()

    __hash__ = None  # type: ignore[assignment] # some hold a dict, so none is a key

    def __repr__(self) -> str:
        parts = zip(fields(self), self._parts(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{field.name}={part!r}' for field, part in parts)})"

    def _parts(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))
