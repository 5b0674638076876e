"""What people type and read: whether a text says anything, how a sentence begins, how a long line wraps."""

from __future__ import annotations

import textwrap
import unicodedata

# Letters by Unicode class, yet invisible: the Hangul fillers.
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0"


def says_something(text: str) -> bool:
    """True if the text has a visible letter or digit. Spaces, zero-width marks, control characters and punctuation
    alone do not count as a reason."""
    return any(letter.isalnum() and letter not in _BLANK_LETTERS for letter in text)


def as_compared(name: str) -> str:
    """One spelling for all names that look the same: in small letters, without spaces and joiners."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in plain if unicodedata.category(letter)[0] not in "CZ")


def capitalized(text: str) -> str:
    """The text with a capital first letter and the rest as it is."""
    return text[:1].upper() + text[1:]


def fitted(line: str, width: int) -> str:
    """Wraps a line of any length; continuation lines are indented further."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
