"""Checks whether a text that a person typed contains anything readable."""

from __future__ import annotations

# Letters by Unicode class, yet invisible: the Hangul fillers.
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0"


def says_something(text: str) -> bool:
    """True if the text has a visible letter or digit. Spaces, zero-width marks, control characters and punctuation
    alone do not count as a reason."""
    return any(letter.isalnum() and letter not in _BLANK_LETTERS for letter in text)
