"""The console's words: any unique beginning of a word will do. A number or a text that is missing is asked for in one
sentence."""

from __future__ import annotations

import difflib


class Misspelt(Exception):
    """What was typed is no command, or lacks something. One sentence."""


def whole_word(begun: str, known: tuple[str, ...], noun: str) -> str:
    """The word that was meant by its beginning."""
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
        raise Misspelt(f"{text[:40]!r} is not a number from 1 to {most}.")
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
