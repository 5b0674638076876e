"""What people type and read: whether a text says anything, how a sentence begins, how a long line wraps."""

from __future__ import annotations

import textwrap

# Letters by Unicode class, yet invisible: the Hangul fillers.
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0"


def says_something(text: str) -> bool:
    """True if the text has a visible letter or digit. Spaces, zero-width marks, control characters and punctuation
    alone do not count as a reason."""
    return any(letter.isalnum() and letter not in _BLANK_LETTERS for letter in text)


def capitalized(text: str) -> str:
    """The text with a capital first letter and the rest as it is."""
    return text[:1].upper() + text[1:]


def fitted(line: str, width: int) -> str:
    """Wraps a line of any length; continuation lines are indented further."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
