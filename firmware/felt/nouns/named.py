"""Tuples with named parts, as `typing.NamedTuple` makes them, in less than half of the time. It compiles the type of
every part from its text, which nobody asks for but `get_type_hints`, and that takes the text as well; for the two
hundred kinds of a table that was nearly a tenth of a start."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple"]


class _Kind(type):
    """Makes of each class that names its parts a tuple: it inherits from nothing else."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
        if not bases:
            return super().__new__(cls, name, bases, body)
        parts = body["__annotations__"]
        preset = [part for part in parts if part in body]
        assert preset == list(parts)[len(parts) - len(preset) :], f"{name}: a part without a default after one with it"
        defaults = [body.pop(part) for part in preset]
        kind: type = namedtuple(name, parts, defaults=defaults)  # type: ignore[misc] # the name is not known here
        for word, value in body.items():
            setattr(kind, word, value)
        return kind


class _Named(metaclass=_Kind):
    pass


if TYPE_CHECKING:
    from typing import NamedTuple
else:
    NamedTuple = _Named
