"""JSON, strictly: whole numbers of 64 bits, true texts, no key twice. What is refused is told in one short sentence."""

from __future__ import annotations

import json

from felt.nouns.shapes import ShapeError

WHOLE_MAX = 2**63 - 1  # what a database column holds
PROBLEM_CHARACTERS_MAX = 240


def read_json(text: str) -> object:
    plain: object = json.loads(
        text, object_pairs_hook=_object_of, parse_float=_no_fraction, parse_constant=_no_fraction
    )
    _check_plain(plain)
    return plain


def _object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    plain = dict(pairs)
    if len(plain) != len(pairs):
        raise ShapeError("a key is written twice")
    return plain


def _no_fraction(text: str) -> object:
    raise ShapeError(f"{brief(text)} is not a whole number")


def _check_plain(plain: object) -> None:
    """Whatever passes here fits in a database: whole numbers of 64 bits, and texts that are true Unicode."""
    if isinstance(plain, str):
        plain.encode("utf-8")  # a lone surrogate raises a ValueError
        if "\0" in plain:
            raise ShapeError("a text holds a nought character")
    elif isinstance(plain, int):
        if abs(plain) > WHOLE_MAX:
            raise ShapeError("a number is longer than 64 bits")
    elif isinstance(plain, list):
        for item in plain:
            _check_plain(item)
    elif isinstance(plain, dict):
        for key, item in plain.items():
            _check_plain(key)
            _check_plain(item)


def brief(problem: object) -> str:
    text = str(problem).encode("ascii", "backslashreplace").decode("ascii").rstrip(".")
    return text if len(text) <= PROBLEM_CHARACTERS_MAX else text[:PROBLEM_CHARACTERS_MAX] + "…"
