"""Frozen values with named parts, whose kinds cost next to nothing to make. A `dataclass` writes and compiles six
functions for each kind, and for settings and lines of a board together that took a tenth of a start; here
all kinds share theirs. A single value takes a microsecond longer: facts, of which there are millions, are made
otherwise."""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import Field


@dataclass_transform(frozen_default=True)
class Frozen:
    """What inherits from it is a dataclass to `dataclasses.fields`, `replace` and `asdict`."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
        _defaults: ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        cls.__doc__ = cls.__doc__ or cls.__name__  # it would write one, from a signature that says nothing here
        dataclass(init=False, repr=False, eq=False)(cls)
        parts = cls.__dataclass_fields__.values()
        assert all(part.default_factory is MISSING for part in parts), "a default is a value here"
        cls._defaults = {part.name: part.default for part in parts if part.default is not MISSING}

    def __init__(self, *in_order: Any, **named: Any) -> None:
        names = self.__dataclass_fields__.keys()
        given = dict(zip(names, in_order, strict=False)) | named
        parts = self._defaults | given
        if len(given) != len(in_order) + len(named) or parts.keys() != names:
            raise TypeError(f"{type(self).__name__} is made of {', '.join(names)}, each given once")
        vars(self).update(parts)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> NoReturn:
        # Some hold a dict, so none is a key. Not None, which would forbid one as the default of another's part.
        raise TypeError(f"unhashable: {type(self).__name__}")

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)
        return f"{type(self).__name__}({', '.join(parts)})"
