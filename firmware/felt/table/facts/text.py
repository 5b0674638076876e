"""A fact as one line of JSON and back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from json.scanner import make_scanner
from operator import attrgetter
from typing import Any

from felt.nouns.named import NamedTuple
from felt.nouns.plain import write_plain
from felt.nouns.shapes import Decoder, ShapeError, decoder_of
from felt.table.facts.fact import Fact

SCHEMA = 1

# Every kind is known here: the package imports its families before this module.
FACTS: dict[str, type[Fact]] = {kind.__name__: kind for kind in Fact.__subclasses__()}
_NAMES: dict[type[Fact], tuple[str, ...]] = {
    kind: tuple(field.name for field in dataclasses.fields(kind)) for kind in FACTS.values()
}
assert not any("fact" in names or "v" in names for names in _NAMES.values()), "these two name kind and version"


class _Form(NamedTuple):
    """How facts of one kind are written."""

    head: str  # the text before its fields
    names: tuple[str, ...]
    values: Callable[[Fact], tuple[Any, ...]]
    defaults: tuple[tuple[str, object], ...]  # of fields that may be left out


def _form(kind: type[Fact], names: tuple[str, ...]) -> _Form:
    head = write_plain({"fact": kind.__name__, "v": SCHEMA}).removesuffix("}")
    defaults = ((one.name, one.default) for one in dataclasses.fields(kind))
    return _Form(
        head,
        names,
        attrgetter(*names) if len(names) > 1 else _stamp_alone,
        tuple((name, default) for name, default in defaults if default is not dataclasses.MISSING),
    )


def _stamp_alone(fact: Fact) -> tuple[Any, ...]:
    """attrgetter of a single name would give the bare value; `at` is what every fact has."""
    return (fact.at,)


_FORMS = {kind: _form(kind, names) for kind, names in _NAMES.items()}


class _Decoders(dict[str, Decoder]):
    """By the name of the kind. Each is made when the first fact of its kind is read: an evening knows few of them."""

    def __missing__(self, name: str) -> Decoder:
        made = self[name] = decoder_of(FACTS[name])
        return made


_DECODERS = _Decoders()

# What `json.loads` comes to in the end: a replay decodes a fact for every record.
_decode_json = make_scanner(json.JSONDecoder())  # type: ignore[arg-type] # the stubs name the wrong class


def encode(fact: Fact) -> str:
    """One line of JSON, the same for the same fact always: what equals its default is not written."""
    head, names, values, defaults = _FORMS[type(fact)]
    plain = dict(zip(names, values(fact), strict=True))
    for name, default in defaults:
        if plain[name] == default:
            del plain[name]
    return f"{head},{write_plain(plain)[1:]}"


def decode(text: str | bytes) -> Fact:
    """The fact that `encode` wrote. Anything else is a `ShapeError`."""
    try:
        plain, end = _decode_json(text if isinstance(text, str) else text.decode("ascii"), 0)
    except (ValueError, StopIteration) as error:
        raise ShapeError(f"not JSON: {error}") from None
    except RecursionError:
        raise ShapeError("nested too deeply") from None
    if end != len(text):
        raise ShapeError("not JSON: something follows the object")
    if not isinstance(plain, dict):
        raise ShapeError("not an object")
    name = plain.pop("fact", None)
    if not isinstance(name, str) or name not in FACTS or plain.pop("v", None) != SCHEMA:
        raise ShapeError("names no fact of this version")
    fact: Fact = _DECODERS[name](plain)
    return fact
