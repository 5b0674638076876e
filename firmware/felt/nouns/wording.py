"""Whether a text that a person must write says anything."""

from __future__ import annotations

# Letters by their class that leave the paper white: the fillers of the Korean script.
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0"


def says_something(text: str) -> bool:
    """Whether it has a letter or a digit that can be seen. Spaces, marks without width, control characters and
    punctuation alone are no reason for anything."""
    return any(letter.isalnum() and letter not in _BLANK_LETTERS for letter in text)
