"""JSON, strictly: whole numbers of 64 bits, true texts, no key twice. What is refused is told in one short sentence."""

from __future__ import annotations

import json

from felt.nouns.shapes import ShapeError

WHOLE_MAX = 2**63 - 1  # what a database column holds
WHOLE_CHARACTERS_MAX = 20  # with a sign
WHOLE_CHARACTERS_SAFE = 18  # no number of so few is longer than 64 bits
PROBLEM_CHARACTERS_MAX = 240


def read_json(text: str) -> object:
    """Of one value and nothing else: what a program of ours wrote has no blanks around it."""
    plain: object
    plain, end = _DECODER.raw_decode(text)
    if end != len(text):
        raise ShapeError("something follows the value")
    # Without an escape by number, or a character that is none, there is no text in it that could be refused.
    if "\\u" in text or "\0" in text or not text.isascii():
        _check_texts(plain)
    return plain


def _object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    plain = dict(pairs)
    if len(plain) != len(pairs):
        raise ShapeError("a key is written twice")
    return plain


def _no_fraction(text: str) -> object:
    raise ShapeError(f"{brief(text)} is not a whole number")


def _whole(text: str) -> int:
    if len(text) <= WHOLE_CHARACTERS_SAFE:
        return int(text)
    if len(text) > WHOLE_CHARACTERS_MAX or abs(int(text)) > WHOLE_MAX:
        raise ShapeError("a number is longer than 64 bits")
    return int(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object_of, parse_int=_whole, parse_float=_no_fraction, parse_constant=_no_fraction
)


def _check_texts(plain: object) -> None:
    """Whatever passes here fits in a database: true Unicode, and no nought character."""
    if isinstance(plain, str):
        plain.encode("utf-8")  # a lone surrogate raises a ValueError
        if "\0" in plain:
            raise ShapeError("a text holds a nought character")
    elif isinstance(plain, list):
        for item in plain:
            _check_texts(item)
    elif isinstance(plain, dict):
        for key, item in plain.items():
            _check_texts(key)
            _check_texts(item)


def brief(problem: object) -> str:
    text = str(problem).encode("ascii", "backslashreplace").decode("ascii").rstrip(".")
    return text if len(text) <= PROBLEM_CHARACTERS_MAX else text[:PROBLEM_CHARACTERS_MAX] + "…"
