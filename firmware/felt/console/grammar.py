"""Parsing for console commands: any unique prefix of a word will do. A missing argument is requested in one
sentence."""

from __future__ import annotations

import difflib


class Misspelt(Exception):
    """The input is not a command, or lacks an argument. The message is one sentence."""


def whole_word(begun: str, known: tuple[str, ...], noun: str) -> str:
    """The only known word with this prefix."""
    if begun in known:
        return begun
    fitting = [word for word in known if word.startswith(begun)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise Misspelt(f"{begun!r} may be {' or '.join(fitting)}: type more of it.")
    near = difflib.get_close_matches(begun, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "type help."
    raise Misspelt(f"There is no {noun} {begun[:40]!r}: {hint}")


def number_in(arguments: list[str], place: int, default: int, most: int) -> int:
    if len(arguments) <= place:
        return default
    text = arguments[place]
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text[:12]) <= most:
        raise Misspelt(f"{text[:40]!r} is not a number between 1 and {most}.")
    return int(text)


def rest_of(arguments: list[str], place: int, what: str) -> str:
    rest = " ".join(arguments[place:])
    if not rest:
        raise Misspelt(f"Say {what}.")
    return rest


def one_of(arguments: list[str], place: int, what: str) -> str:
    if len(arguments) <= place:
        raise Misspelt(f"Say {what}.")
    return arguments[place]
