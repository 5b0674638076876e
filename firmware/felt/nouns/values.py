"""The one kind of value in this house, and the one way to write it and to read it. Facts, letters, the table's state,
settings and messages are frozen `Value`s. `to_bytes` writes the canonical JSON of a value: the same value always gives
the same bytes. `read` takes only those bytes back. `read_message` takes what others wrote: keys in any order, each
once and none missing. Whatever is refused is a `ShapeError`: one sentence, with the path to what is wrong."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Annotated, Any, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

T = TypeVar("T")
V = TypeVar("V", bound="Value")

WHOLE_MAX = 2**63 - 1  # what 64 bits hold, and what a database column holds
STEP_CHARACTERS_MAX = 60  # of a key in a sentence: whoever reads it wants to know which, and not all of it
PROBLEM_CHARACTERS_MAX = 600
MARK = "\ufffd"  # where a character stood that cannot be written


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields are declared once, with their types. A constructor checks nothing; reading does."""


replace = msgspec.structs.replace


class ShapeError(ValueError):
    """A value that does not have the shape asked for. `path` leads to it from the outside in."""

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


class OutOfBounds(ShapeError):
    """The type is right and the value is not. `wanted` says which would be, for whoever has to correct it."""

    def __init__(self, problem: str, path: tuple[str, ...], wanted: str) -> None:
        super().__init__(problem, path)
        self.wanted = wanted


def _sayable(step: str) -> str:
    """Nothing that a terminal would obey."""
    begun = step if len(step) <= STEP_CHARACTERS_MAX else f"{step[:STEP_CHARACTERS_MAX]}…"
    return begun if begun.isprintable() else ascii(begun)


# --- writing -----------------------------------------------------------------------------------------

to_bytes: Callable[[object], bytes] = msgspec.json.Encoder().encode


def to_text(value: object) -> str:
    return to_bytes(value).decode()


def to_plain(value: object) -> Any:
    """The value as dicts, lists and numbers, as its JSON would be read by anybody."""
    return msgspec.json.decode(to_bytes(value))


def fields_of(kind: type[Value]) -> tuple[str, ...]:
    return kind.__struct_fields__


def parts_of(value: Value) -> dict[str, Any]:
    """The fields by name, as they are."""
    return msgspec.structs.asdict(value)


# --- reading -----------------------------------------------------------------------------------------


def read(kind: type[T], data: bytes | str) -> T:
    """What `to_bytes` wrote, to the last byte: also a field with a default is written."""
    value = _decoded(kind, data)
    written = to_bytes(value)
    if written != (data.encode() if isinstance(data, str) else data):
        raise ShapeError("it is not in its canonical form")
    if _MAYBE_TOO_LONG.search(written):
        read_json(written)
    return value


def read_message(kind: type[T], data: bytes) -> T:
    """What somebody else wrote: keys and blanks as they like, but no key twice, no field left out, no number beyond 64
    bits."""
    try:
        value: T = _decoder(kind).decode(data)
        if to_bytes(value) == data and not _MAYBE_TOO_LONG.search(data):
            return value  # our own form: nothing can be twice or missing in it
    except (ValueError, RecursionError):
        pass  # the careful reader says what is wrong
    plain = read_json(data)
    value = from_plain(kind, plain)
    for path in _left_out(to_plain(value), plain, ()):
        raise MissingField(path)
    return value


def from_plain(kind: type[T], plain: object) -> T:
    """Strictly, from what a parser made of JSON or TOML. Fields with a default may be left out."""
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise _told(error, kind, plain) from None
    except RecursionError:
        raise ShapeError("nested too deeply") from None


def read_json(data: bytes | str) -> Any:
    """JSON of others: no key twice, whole numbers of at most 64 bits, true texts."""
    try:
        plain = _STRICT.decode(data if isinstance(data, str) else data.decode())
        to_bytes(plain)  # a lone surrogate is no text
    except RecursionError:
        raise ShapeError("nested too deeply") from None
    except ShapeError:
        raise
    except ValueError as error:
        raise ShapeError(f"not JSON: {error}") from None
    return plain


def fit(value: V) -> V:
    """The value as it may enter the core: each character that `unwritable` finds in its texts becomes a mark. A person
    is refused such a text; a device cannot be asked again."""
    try:
        written = to_text(value)
    except UnicodeEncodeError:
        written = "\\"
    # Only a text with an escape or with such a character itself can hold one.
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


def unwritable(text: str) -> str:
    """The first character that must not enter the core: control characters, line ends of any kind, lone surrogates.
    Empty: there is none."""
    found = _UNWRITABLE.search(text)
    return found[0] if found else ""


_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_MAYBE_TOO_LONG = re.compile(rb"[0-9]{20}|9[0-9]{18}")  # no honest number looks so before the year 2255


def _decoded(kind: type[T], data: bytes | str) -> T:
    try:
        value: T = _decoder(kind).decode(data)
    except msgspec.ValidationError as error:
        raise _told(error, kind, read_json(data)) from None
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
        raise ShapeError("a key is written twice")
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

_AT = re.compile(r"(?P<problem>.*?)(?: - at (?P<key>`key` in )?`\$(?P<path>.*)`)?", re.DOTALL)
_STEPS = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_FIELD = re.compile(r"Object (contains unknown|missing required) field `(.*)`", re.DOTALL)
_NOUNS = {int: "a whole number", str: "a text", bool: "true or false", dict: "a table of names and values"}


def _told(error: msgspec.ValidationError, kind: Any, plain: object) -> ShapeError:
    """The library's message as our sentence. It does not name the key of a map on its way, so that is found by trying
    the map's entries one by one."""
    found = _AT.fullmatch(str(error))
    assert found is not None, "every text fits"
    steps = [name or place for name, place in _STEPS.findall(found["path"] or "")]
    if "..." in steps:
        depth = steps.index("...")
        for narrowed in _narrowed(plain, steps[:depth]):
            try:
                msgspec.convert(narrowed, kind)
            except msgspec.ValidationError as again:
                if str(again) == str(error):
                    (key,) = _at(narrowed, steps[:depth])
                    steps[depth] = key
                    if "..." not in steps:
                        break
                    depth, plain = steps.index("..."), narrowed
    return _sentence(found["problem"], bool(found["key"]), tuple(steps), kind, plain)


def _narrowed(plain: Any, steps: list[str]) -> Iterator[Any]:
    """The same with one entry at a time of the map at the end of the steps."""
    if not steps:
        yield from ({key: value} for key, value in plain.items())
        return
    name = steps[0] if isinstance(plain, Mapping) else int(steps[0])
    for inside in _narrowed(plain[name], steps[1:]):
        if isinstance(plain, Mapping):
            yield {**plain, name: inside}
        else:
            yield [*plain[:name], inside, *plain[int(name) + 1 :]]


def _at(plain: Any, steps: list[str] | tuple[str, ...]) -> Any:
    for step in steps:
        plain = plain[step] if isinstance(plain, Mapping) else plain[int(step)]
    return plain


def _sentence(problem: str, of_key: bool, path: tuple[str, ...], kind: Any, plain: object) -> ShapeError:
    hint, told = _hint_at(kind, path), _named(kind, path)
    field = _FIELD.fullmatch(problem)
    if field is not None and field[1] == "missing required":
        return MissingField((*told, field[2]))
    if field is not None:
        shape = _bare(hint)
        return UnknownField((*told, field[2]), fields_of(shape) if isinstance(shape, type) else ())
    value = _at(plain, path)
    if of_key:
        key_hint = get_args(_bare(hint))[0]
        for key in value:
            try:
                msgspec.convert(key, key_hint)
            except msgspec.ValidationError:
                return _judged(key, key_hint, (*told, str(key)), problem)
    return _judged(value, hint, told, problem)


def _judged(value: object, hint: Any, path: tuple[str, ...], problem: str) -> ShapeError:
    shape = _bare(hint)
    limits = _limits(hint)
    if type(value) is shape and limits is not None:
        if limits.pattern is not None:
            wanted = limits.description or f"a text like {limits.pattern}"
            return OutOfBounds(f"{value!r} is not {wanted}", path, f"write {wanted}")
        return OutOfBounds(f"{value!r} is not from {limits.ge} to {limits.le}", path, "choose a value in that range")
    if isinstance(shape, type) and issubclass(shape, Enum):
        return ShapeError(f"{value!r} is none of {', '.join(str(one.value) for one in shape)}", path)
    noun = _NOUNS.get(get_origin(shape) or shape) or ("a list" if get_origin(shape) is tuple else None)
    if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
        noun = _NOUNS[dict]
    if get_origin(shape) is tuple and isinstance(value, list | tuple):
        noun = f"a list of {len(get_args(shape))}"
    if noun is None:
        return ShapeError(f"{problem[:1].lower()}{problem[1:]}", path)
    return ShapeError(f"{value!r} is not {noun}", path)


def _hint_at(kind: Any, path: tuple[str, ...]) -> Any:
    """The declared type of what a path leads to; None where nothing is declared."""
    hint = kind
    for step in path:
        shape = _bare(hint)
        arguments = get_args(shape)
        if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
            names = shape.__struct_fields__
            hint = _hints(shape).get(names[int(step)] if shape.__struct_config__.array_like else step)
        elif _is_named_tuple(shape):
            hint = _hints(shape)[shape._fields[int(step)]]
        elif get_origin(shape) is dict:
            hint = arguments[1]
        elif get_origin(shape) is tuple:
            hint = arguments[0] if arguments[-1] is Ellipsis else arguments[int(step)]
        else:
            return None
    return hint


def _is_named_tuple(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, tuple) and hasattr(shape, "_fields")


def _named(kind: Any, path: tuple[str, ...]) -> tuple[str, ...]:
    """The same path with the names of fields that are written without them."""
    told = []
    for depth, step in enumerate(path):
        shape = _bare(_hint_at(kind, path[:depth]))
        if _is_named_tuple(shape):
            told.append(shape._fields[int(step)])
        elif isinstance(shape, type) and issubclass(shape, msgspec.Struct) and step.isdigit():
            told.append(shape.__struct_fields__[int(step)])
        else:
            told.append(step)
    return tuple(told)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _bare(hint: Any) -> Any:
    """Without what is noted beside it, and without `| None`."""
    while True:
        if get_origin(hint) is Annotated:
            hint = get_args(hint)[0]
        elif hasattr(hint, "__supertype__"):
            hint = hint.__supertype__
        elif get_origin(hint) in (Union, types.UnionType):
            inner = [one for one in get_args(hint) if one is not type(None)]
            if len(inner) != 1:
                return hint
            hint = inner[0]
        else:
            return hint


def _limits(hint: Any) -> Meta | None:
    while get_origin(hint) in (Union, types.UnionType):
        hint = next((one for one in get_args(hint) if get_origin(one) is Annotated), None)
    if get_origin(hint) is not Annotated:
        return None
    return next((note for note in hint.__metadata__ if isinstance(note, Meta)), None)
