"""A fact as one line of JSON and back."""

from __future__ import annotations

import dataclasses
import json
from json.scanner import make_scanner
from operator import attrgetter

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
# attrgetter of a single name gives the bare value; every fact has `at`, so only bare facts are single.
_VALUES = {kind: attrgetter(*names) for kind, names in _NAMES.items()}
_BARE = {kind for kind, names in _NAMES.items() if len(names) == 1}
# Fields that may be left out, each with the value it has then.
_DEFAULTS: dict[type[Fact], tuple[tuple[str, object], ...]] = {
    kind: tuple((one.name, one.default) for one in dataclasses.fields(kind) if one.default is not dataclasses.MISSING)
    for kind in FACTS.values()
}


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
    kind = type(fact)
    if kind in _BARE:
        return write_plain({"fact": kind.__name__, "v": SCHEMA, "at": fact.at})
    plain = {"fact": kind.__name__, "v": SCHEMA, **dict(zip(_NAMES[kind], _VALUES[kind](fact), strict=True))}
    for name, default in _DEFAULTS[kind]:
        if plain[name] == default:
            del plain[name]
    return write_plain(plain)


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
