"""The base class of all values, and the only code that encodes and decodes them. Facts, letters, table state,
settings and messages are frozen `Value`s. `to_bytes` writes the canonical JSON: equal values give equal bytes.
`read` accepts only those bytes. `read_message` accepts what other programs write: keys in any order, each exactly
once. Every refusal is a `ShapeError`: one sentence with the path to the problem."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

T = TypeVar("T")
V = TypeVar("V", bound="Value")

WHOLE_MAX = 2**63 - 1  # fits in 64 bits and in a database column
STEP_CHARACTERS_MAX = 60  # of a key in a message: enough to recognise it
PROBLEM_CHARACTERS_MAX = 600
MARK = "\ufffd"  # replaces a character that cannot be written


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields are declared once, with their types. The constructor checks nothing; decoding does."""


replace = msgspec.structs.replace


class ShapeError(ValueError):
    """A value does not have the expected shape. `path` leads to it, outermost step first."""

    def __init__(self, problem: str, path: tuple[str, ...] = ()) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path

    def __str__(self) -> str:
        where, problem = ".".join(map(_sayable, self.path)), self.problem
        if len(problem) > PROBLEM_CHARACTERS_MAX:
            half = PROBLEM_CHARACTERS_MAX // 2
            problem = f"{problem[:half]} … {problem[-half:]}"
        return f"{where}: {problem}" if where else problem


class UnknownField(ShapeError):
    def __init__(self, path: tuple[str, ...], known: tuple[str, ...]) -> None:
        super().__init__(f"unknown key; known here: {', '.join(known)}", path)
        self.known = known


class MissingField(ShapeError):
    def __init__(self, path: tuple[str, ...]) -> None:
        super().__init__("missing", path)


class NotAChoice(ShapeError):
    def __init__(self, value: object, choices: Iterable[object], path: tuple[str, ...]) -> None:
        super().__init__(f"{value!r} is none of {', '.join(map(str, choices))}", path)


class OutOfBounds(ShapeError):
    """The type is right, but the value is not allowed. `wanted` tells a person which values are."""

    def __init__(self, problem: str, path: tuple[str, ...], wanted: str) -> None:
        super().__init__(problem, path)
        self.wanted = wanted


def _sayable(step: str) -> str:
    """The step without characters that a terminal would interpret."""
    begun = step if len(step) <= STEP_CHARACTERS_MAX else f"{step[:STEP_CHARACTERS_MAX]}…"
    return begun if begun.isprintable() else ascii(begun)


# --- writing -----------------------------------------------------------------------------------------

to_bytes: Callable[[object], bytes] = msgspec.json.Encoder().encode


def to_text(value: object) -> str:
    return to_bytes(value).decode()


def to_plain(value: object) -> Any:
    """The value as dicts, lists and numbers, the way any JSON parser would return it."""
    return msgspec.json.decode(to_bytes(value))


def fields_of(kind: type[Value]) -> tuple[str, ...]:
    return kind.__struct_fields__


def parts_of(value: Value) -> dict[str, Any]:
    """The fields by name, not converted."""
    return msgspec.structs.asdict(value)


# --- reading -----------------------------------------------------------------------------------------


def read(kind: type[T], data: bytes | str) -> T:
    """Decodes what `to_bytes` wrote and accepts nothing else. Fields with a default must be present too."""
    value = _decoded(kind, data)
    written = to_bytes(value)
    if written != (data.encode() if isinstance(data, str) else data):
        raise ShapeError("it is not in its canonical form")
    if _MAYBE_TOO_LONG.search(written):
        read_json(written)
    return value


def read_message(kind: type[T], data: bytes) -> T:
    """Decodes another program's JSON. Key order and white space are free. Duplicate keys, missing fields and numbers
    beyond 64 bits are refused."""
    try:
        value: T = _decoder(kind).decode(data)
        if to_bytes(value) == data and not _MAYBE_TOO_LONG.search(data):
            return value  # canonical, so no key is duplicated or missing
    except (ValueError, RecursionError):
        pass  # fall through to the strict reader, which names the problem
    plain = read_json(data)
    value = from_plain(kind, plain)
    for path in _left_out(to_plain(value), plain, ()):
        raise MissingField(path)
    return value


def read_part(kind: type[T], data: bytes | str) -> T:
    """Decodes the fields that `kind` names, for what another version may have written. `kind` says that it takes
    unknown fields."""
    return _decoded(kind, data)


def from_plain(kind: type[T], plain: object) -> T:
    """Converts parsed JSON or TOML, strictly. Fields with a default may be missing."""
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError:
        raise explain(plain, kind) from None
    except RecursionError:
        raise ShapeError("nested too deeply") from None


def read_json(data: bytes | str) -> Any:
    """Parses another program's JSON: no duplicate keys, no number beyond 64 bits, no lone surrogates."""
    try:
        plain = _STRICT.decode(data if isinstance(data, str) else data.decode())
        to_bytes(plain)  # raises on a lone surrogate
    except RecursionError:
        raise ShapeError("nested too deeply") from None
    except ShapeError:
        raise
    except UnicodeEncodeError:
        raise ShapeError("a text holds half of a character, a lone surrogate") from None
    except ValueError as error:
        raise ShapeError(f"not JSON: {error}") from None
    return plain


def refuse_doubles(data: bytes) -> None:
    """Refuses JSON in which an object has a key twice: two readers would understand it differently."""
    try:
        json.loads(data, object_pairs_hook=_without_doubles)
    except RecursionError:
        raise ShapeError("nested too deeply") from None
    except ShapeError:
        raise
    except ValueError as error:
        raise ShapeError(f"not JSON: {error}") from None


def fit(value: V) -> V:
    """The value with every unwritable character replaced by `MARK`. Used for texts from devices; a person's text is
    refused instead."""
    try:
        written = to_text(value)
    except UnicodeEncodeError:
        written = "\\"
    # Only a text that needs an escape, or that holds such a character, needs the slow path.
    fitted: V = _fit(value) if "\\" in written or _UNWRITABLE.search(written) else value
    return fitted


def _fit(part: Any) -> Any:
    match part:
        case str():
            return part if isinstance(part, Enum) else _UNWRITABLE.sub(MARK, part)
        case tuple() | list():
            return type(part)(map(_fit, part))
        case dict():
            return {_fit(name): _fit(inner) for name, inner in part.items()}
        case Value():
            return replace(part, **{name: _fit(inner) for name, inner in parts_of(part).items()})
    return part


# What must not enter the core: control characters, line breaks of any kind, lone surrogates.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_MAYBE_TOO_LONG = re.compile(rb"[0-9]{20}|9[0-9]{18}")  # no real number looks like this before the year 2255


def _decoded(kind: type[T], data: bytes | str) -> T:
    try:
        value: T = _decoder(kind).decode(data)
    except msgspec.ValidationError:
        raise explain(read_json(data), kind) from None
    except RecursionError:
        raise ShapeError("nested too deeply") from None
    except ValueError as error:
        raise ShapeError(f"not JSON: {error}") from None
    return value


def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    found = _decoders.get(kind)
    if found is None:
        found = _decoders[kind] = msgspec.json.Decoder(kind)
    return found


_decoders: dict[object, msgspec.json.Decoder[Any]] = {}


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    plain = dict(pairs)
    if len(plain) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ShapeError(f"the key {_sayable(twice)!r} is duplicated")
    return plain


def _whole(text: str) -> int:
    if len(text) > 20 or not -WHOLE_MAX <= int(text) <= WHOLE_MAX:
        raise ShapeError("a number is longer than 64 bits")
    return int(text)


def _no_fraction(text: str) -> object:
    raise ShapeError(f"{text[:40]} is not a whole number")


_STRICT = json.JSONDecoder(
    object_pairs_hook=_without_doubles, parse_int=_whole, parse_float=_no_fraction, parse_constant=_no_fraction
)


def _left_out(whole: object, told: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(whole, dict) and isinstance(told, dict):
        for name, part in whole.items():
            if name not in told:
                yield (*path, name)
            else:
                yield from _left_out(part, told[name], (*path, name))
    elif isinstance(whole, list) and isinstance(told, list):
        if len(whole) > len(told):
            yield (*path, str(len(told)))
        for place, (part, told_part) in enumerate(zip(whole, told, strict=False)):
            yield from _left_out(part, told_part, (*path, str(place)))


# --- what is wrong -----------------------------------------------------------------------------------

_NOUNS = {int: "a whole number", str: "a text", bool: "true or false", dict: "a table of names and values"}


def explain(plain: object, kind: Any) -> ShapeError:
    """The first thing in `plain` that does not fit `kind`, once the library has refused it. The library's message is
    never parsed."""
    return _misfit(plain, kind, ()) or ShapeError("it does not have the shape that is expected here")


def _misfit(value: Any, hint: Any, path: tuple[str, ...]) -> ShapeError | None:
    if _fits(value, hint):
        return None
    bare = _bare(hint)
    structs = _structs_in(bare)
    if structs and isinstance(value, Mapping):
        return _misfit_of_struct(value, structs, path)
    parts = _parts_in_order(bare)
    if parts is not None and isinstance(value, list | tuple):
        return _misfit_in_order(value, bare, parts, path)
    bare = _only_map_in(bare) or bare
    if get_origin(bare) is dict and isinstance(value, Mapping):
        of_key, of_value = get_args(bare)
        return _misfit_in_map(value, of_key, of_value, path)
    return _judged(value, hint, path)


def _fits(value: object, hint: Any) -> bool:
    if _bare(hint) is msgspec.Raw:
        return True  # decoded later
    try:
        msgspec.convert(value, hint)
    except msgspec.ValidationError:
        return False
    return True


def _structs_in(bare: Any) -> tuple[type[msgspec.Struct], ...]:
    """The structs that are written as an object: one, or those of a tagged union."""
    kinds = get_args(bare) if get_origin(bare) in (Union, types.UnionType) else (bare,)
    structs = tuple(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, msgspec.Struct))
    return structs if not any(struct.__struct_config__.array_like for struct in structs) else ()


def _only_map_in(bare: Any) -> Any:
    """Of a union with one kind of map that kind, because a mapping can be meant for nothing else."""
    kinds = get_args(bare) if get_origin(bare) in (Union, types.UnionType) else ()
    maps = [kind for kind in kinds if get_origin(kind) is dict]
    return maps[0] if len(maps) == 1 else None


def _misfit_of_struct(
    value: Mapping[str, Any], structs: tuple[type[msgspec.Struct], ...], path: tuple[str, ...]
) -> ShapeError | None:
    tag_field = structs[0].__struct_config__.tag_field
    if tag_field is not None:
        by_tag = {struct.__struct_config__.tag: struct for struct in structs}
        if tag_field not in value and len(structs) > 1:
            return MissingField((*path, tag_field))
        tag = value.get(tag_field, structs[0].__struct_config__.tag)  # one kind alone may come without its tag
        if not isinstance(tag, str) or tag not in by_tag:
            return NotAChoice(tag, by_tag, (*path, tag_field))
        structs = (by_tag[tag],)
    (struct,) = structs
    fields = {field.encode_name: field for field in msgspec.structs.fields(struct)}
    for name, part in value.items():
        if name == tag_field:
            continue
        if name not in fields:
            return UnknownField((*path, name), tuple(fields))
        problem = _misfit(part, fields[name].type, (*path, name))
        if problem is not None:
            return problem
    missing = next((name for name, field in fields.items() if field.required and name not in value), None)
    return None if missing is None else MissingField((*path, missing))


def _parts_in_order(bare: Any) -> list[tuple[str, Any]] | None:
    """Name and type of each place in a value that is written as a list; empty for a list of any length."""
    if isinstance(bare, type) and issubclass(bare, msgspec.Struct) and bare.__struct_config__.array_like:
        return [(field.name, field.type) for field in msgspec.structs.fields(bare)]
    if isinstance(bare, type) and issubclass(bare, tuple) and hasattr(bare, "_fields"):
        hints = get_type_hints(bare, include_extras=True)
        return [(name, hints[name]) for name in bare._fields]
    if get_origin(bare) not in (tuple, list):
        return None
    arguments = get_args(bare)
    if get_origin(bare) is list or arguments[-1] is Ellipsis:
        return []
    return [(str(place), part) for place, part in enumerate(arguments)]


def _misfit_in_order(
    value: list[Any] | tuple[Any, ...], bare: Any, parts: list[tuple[str, Any]], path: tuple[str, ...]
) -> ShapeError | None:
    if not parts:
        parts = [(str(place), get_args(bare)[0]) for place in range(len(value))]
    if len(parts) != len(value):
        return ShapeError(f"{value!r} is not a list of {len(parts)}", path)
    misfits = (_misfit(inner, part, (*path, name)) for inner, (name, part) in zip(value, parts, strict=True))
    return next((problem for problem in misfits if problem is not None), None)


def _misfit_in_map(value: Mapping[str, Any], of_key: Any, of_value: Any, path: tuple[str, ...]) -> ShapeError | None:
    for key, inner in value.items():
        if not _fits(key, of_key):
            return _judged(key, of_key, (*path, str(key)))
        problem = _misfit(inner, of_value, (*path, str(key)))
        if problem is not None:
            return problem
    return None


def _judged(value: object, hint: Any, path: tuple[str, ...]) -> ShapeError:
    shape = _bare(hint)
    limits = _limits(hint)
    if type(value) is shape and limits is not None:
        if limits.pattern is not None:
            wanted = limits.description or f"a text like {limits.pattern}"
            return OutOfBounds(f"{value!r} is not {wanted}", path, f"write {wanted}")
        return OutOfBounds(f"{value!r} is not from {limits.ge} to {limits.le}", path, "choose a value in that range")
    if isinstance(shape, type) and issubclass(shape, Enum):
        return NotAChoice(value, (member.value for member in shape), path)
    if get_origin(shape) is Literal:
        return NotAChoice(value, get_args(shape), path)
    kinds = get_args(shape) if get_origin(shape) in (Union, types.UnionType) else (shape,)
    for kind in kinds:
        if kind is not shape and type(value) is _bare(kind):
            return _judged(value, kind, path)
    return ShapeError(f"{value!r} is not {' or '.join(dict.fromkeys(map(_noun_of, kinds)))}", path)


def _noun_of(kind: Any) -> str:
    bare = _bare(kind)
    if _structs_in(bare):
        return _NOUNS[dict]
    if _parts_in_order(bare) is not None:
        return "a list"
    return _NOUNS.get(get_origin(bare) or bare, "of the type that is expected here")


def _bare(hint: Any) -> Any:
    """The type without its annotations, and without `| None` or `| UnsetType`."""
    while True:
        if get_origin(hint) is Annotated:
            hint = get_args(hint)[0]
        elif hasattr(hint, "__supertype__"):
            hint = hint.__supertype__
        elif get_origin(hint) in (Union, types.UnionType):
            inner = [argument for argument in get_args(hint) if argument not in (type(None), msgspec.UnsetType)]
            if len(inner) != 1:
                return hint
            hint = inner[0]
        else:
            return hint


def _limits(hint: Any) -> Meta | None:
    while get_origin(hint) in (Union, types.UnionType):
        hint = next((argument for argument in get_args(hint) if get_origin(argument) is Annotated), None)
    if get_origin(hint) is not Annotated:
        return None
    return next((note for note in hint.__metadata__ if isinstance(note, Meta)), None)
