"""Plain JSON values into typed, frozen ones, strictly: an unknown key, a missing key or a wrong type is
a `ShapeError` that says where. NamedTuples travel as lists, dataclasses as objects."""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Callable, Collection
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Decoder = Callable[[object], Any]

_decoders: dict[object, Decoder] = {}


class ShapeError(ValueError):
    """A value that does not have the shape asked for. `path` leads to it from the outside in."""

    def __init__(self, problem: str, path: tuple[str, ...] = ()) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path

    def under(self, step: str) -> ShapeError:
        return ShapeError(self.problem, (step, *self.path))

    def __str__(self) -> str:
        where, problem = ".".join(map(_sayable, self.path)), self.problem
        if len(problem) > PROBLEM_CHARACTERS_MAX:
            half = PROBLEM_CHARACTERS_MAX // 2
            problem = f"{problem[:half]} … {problem[-half:]}"
        return f"{where}: {problem}" if where else problem


# Keys and values came from outside: whoever reads the sentence wants to know which, and not all of it.
STEP_CHARACTERS_MAX = 60
PROBLEM_CHARACTERS_MAX = 600


def _sayable(step: str) -> str:
    """Nothing that a terminal would obey."""
    begun = step if len(step) <= STEP_CHARACTERS_MAX else f"{step[:STEP_CHARACTERS_MAX]}…"
    return begun if begun.isprintable() else ascii(begun)


def from_plain(shape: type[T], value: object) -> T:
    return typing.cast(T, decoder_of(shape)(value))


def decoder_of(shape: object) -> Decoder:
    found = _decoders.get(shape)
    if found is None:
        found = _decoders[shape] = _build(shape)
    return found


def _build(shape: object) -> Decoder:
    origin = get_origin(shape)
    if isinstance(shape, typing.NewType):
        return decoder_of(shape.__supertype__)
    if origin is Annotated:
        return decoder_of(get_args(shape)[0])
    if origin in (Union, types.UnionType):
        return _optional(shape)
    if origin is tuple:
        return _tuple(shape)
    if origin is dict:
        return _mapping(shape)
    if isinstance(shape, type):
        if issubclass(shape, enum.Enum):
            return _choice(shape)
        if dataclasses.is_dataclass(shape):
            return _object(shape)
        if issubclass(shape, tuple) and hasattr(shape, "_fields"):
            return _record(shape)
        if shape in (int, str, bool):
            return _scalar(shape)
    if shape in (Any, object):
        return _anything
    raise TypeError(f"no decoder for the shape {shape!r}")


def _anything(value: object) -> object:
    return value


def _scalar(shape: type) -> Decoder:
    noun = {int: "a whole number", str: "a text", bool: "true or false"}[shape]

    def decode(value: object) -> object:
        if type(value) is not shape:
            raise ShapeError(f"{value!r} is not {noun}")
        return value

    return decode


def _bare(hint: object) -> type | None:
    """The type that a value of this shape simply has; None where a decoder has to look."""
    if isinstance(hint, typing.NewType):
        return _bare(hint.__supertype__)
    if get_origin(hint) is Annotated:
        return _bare(get_args(hint)[0])
    return hint if isinstance(hint, type) and hint in (int, str, bool) else None


def _choice(shape: type[enum.Enum]) -> Decoder:
    members = {member.value: member for member in shape}

    def decode(value: object) -> object:
        if isinstance(value, str | int) and value in members:
            return members[value]
        raise ShapeError(f"{value!r} is none of {', '.join(map(str, members))}")

    return decode


def _optional(shape: object) -> Decoder:
    inner = [part for part in get_args(shape) if part is not type(None)]
    if len(inner) != 1 or len(inner) == len(get_args(shape)):
        raise TypeError(f"only X | None is a union that can be read back, not {shape!r}")
    decode_inner = decoder_of(inner[0])

    def decode(value: object) -> object:
        return None if value is None else decode_inner(value)

    return decode


def _tuple(shape: object) -> Decoder:
    parts = get_args(shape)
    if len(parts) == 2 and parts[1] is Ellipsis:
        return _sequence(parts[0])
    decoders = tuple(decoder_of(part) for part in parts)

    def decode(value: object) -> object:
        if not isinstance(value, list | tuple) or len(value) != len(decoders):
            raise ShapeError(f"{value!r} is not a list of {len(decoders)}")
        return tuple(decode_one(item) for decode_one, item in zip(decoders, value, strict=True))

    return decode


def _sequence(part: object) -> Decoder:
    decode_one = decoder_of(part)

    def decode(value: object) -> object:
        if not isinstance(value, list | tuple):
            raise ShapeError(f"{value!r} is not a list")
        try:
            return tuple([decode_one(item) for item in value])
        except ShapeError:
            return tuple(_at(decode_one, item, str(place)) for place, item in enumerate(value))

    return decode


def _mapping(shape: object) -> Decoder:
    decode_key, decode_one = (decoder_of(part) for part in get_args(shape))

    def decode(value: object) -> object:
        if not isinstance(value, dict):
            raise ShapeError(f"{value!r} is not a table of names and values")
        return {_at(decode_key, key, str(key)): _at(decode_one, item, str(key)) for key, item in value.items()}

    return decode


def _at(decode: Decoder, value: object, step: str) -> object:
    try:
        return decode(value)
    except ShapeError as error:
        raise error.under(step) from None


def _record(shape: type) -> Decoder:
    names: tuple[str, ...] = shape._fields  # type: ignore[attr-defined]
    hints = get_type_hints(shape)
    decoders = tuple(decoder_of(hints[name]) for name in names)
    count = len(names)
    # A record of bare numbers and texts, such as a stamp, is right when its parts have exactly these types.
    bare = tuple(hints[name] for name in names)

    def decode(value: object) -> object:
        if type(value) is list and tuple(map(type, value)) == bare:
            return tuple.__new__(shape, value)  # every fact has its stamp; `_make` would count the parts again
        if not isinstance(value, list | tuple) or len(value) != count:
            raise ShapeError(f"{value!r} is not a {shape.__name__} of {count} parts")
        try:
            return shape(*[decode_one(item) for decode_one, item in zip(decoders, value, strict=True)])
        except ShapeError:
            pairs = zip(names, decoders, value, strict=True)
            return shape(*[_at(decode_one, item, name) for name, decode_one, item in pairs])

    return decode


def _refuse_other_keys(value: dict[object, object], known: Collection[str], required: tuple[str, ...]) -> None:
    for name in value:
        if name not in known:
            raise ShapeError(f"unknown key; known here: {', '.join(known)}", (str(name),))
    for name in required:
        if name not in value:
            raise ShapeError("missing", (name,))


@functools.cache
def hints_of(shape: type) -> dict[str, Any]:
    """The type of each part with what is noted beside it. Compiled from their text, which is not done twice."""
    return get_type_hints(shape, include_extras=True)


def _object(shape: type) -> Decoder:
    hints = hints_of(shape)
    fields = {field.name: field for field in dataclasses.fields(shape) if field.init}
    decoders = {name: decoder_of(hints[name]) for name in fields}
    # What has exactly its bare type is right as it is; this spares most parts of a fact a call.
    bare = {name: _bare(hints[name]) for name in fields}
    known = decoders.keys()
    required = tuple(
        name
        for name, field in fields.items()
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    )
    # As with a record: bare numbers and texts, all of them there and in their order, are right by their types.
    names, kinds = tuple(fields), tuple(bare.values())
    in_order = None not in kinds and not any(field.kw_only for field in fields.values())

    def decode(value: object) -> object:
        if not isinstance(value, dict):
            raise ShapeError(f"{value!r} is not a table of names and values")
        if in_order and tuple(map(type, value.values())) == kinds and tuple(value) == names:
            return shape(*value.values())
        # Most values are right: what is wrong is looked for only once it has shown.
        try:
            parts = dict(value)
            for name, item in value.items():
                if type(item) is not bare[name]:
                    parts[name] = decoders[name](item)
            return shape(**parts)
        except (ShapeError, KeyError, TypeError):
            _refuse_other_keys(value, known, required)
            return shape(**{name: _at(decoders[name], item, name) for name, item in value.items()})

    return decode
