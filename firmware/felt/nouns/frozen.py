"""Frozen values with named parts, whose kinds cost next to nothing to make. A `dataclass` writes and compiles six
functions for each kind, and for facts, settings and lines of a board together that took a fifth of a start; here all
kinds share theirs."""

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
        _names: ClassVar[tuple[str, ...]]
        _defaults: ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        cls.__doc__ = cls.__doc__ or cls.__name__  # it would write one, from a signature that says nothing here
        dataclass(init=False, repr=False, eq=False)(cls)
        parts = cls.__dataclass_fields__.values()
        assert all(part.default_factory is MISSING for part in parts), "a default is a value here"
        cls._names = tuple(part.name for part in parts)
        cls._defaults = {part.name: part.default for part in parts if part.default is not MISSING}

    def __init__(self, *in_order: Any, **named: Any) -> None:
        # As values are read back, and as most are made: all parts by name, or all in order.
        if not in_order and named.keys() == self.__dataclass_fields__.keys():
            vars(self).update(named)
        elif not named and len(in_order) == len(self._names):
            vars(self).update(zip(self._names, in_order, strict=True))
        else:
            vars(self).update(self._completed(in_order, named))

    def _completed(self, in_order: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        given = dict(zip(self._names, in_order, strict=False)) | named
        parts = self._defaults | given
        if len(given) != len(in_order) + len(named) or parts.keys() != self.__dataclass_fields__.keys():
            raise TypeError(f"{type(self).__name__} is made of {', '.join(self._names)}, each given once")
        return parts

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
        parts = (f"{name}={getattr(self, name)!r}" for name in self._names)
        return f"{type(self).__name__}({', '.join(parts)})"
