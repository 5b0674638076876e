"""A reason that nobody can read is none."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from felt.nouns.texts import says_something

# Nothing of these leaves a mark on paper.
BLANKS = {
    "spaces": "   ",
    "no-break space": "\u00a0",
    "zero-width space": "\u200b",
    "zero-width joiner": "\u200d",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "marks of direction": "\u200e\u200f\u202e\u2066\u2069",
    "control characters": "\x00\t\n\x1b",
    "combining joiner": "\u034f",
    "variation selector": "\ufe0f",
    "braille blank": "\u2800",
    "hangul fillers": "\u115f\u1160\u3164\uffa0",
    "ideographic space": "\u3000",
    "tags": "\U000e0041\U000e007f",
    "punctuation": "... -- !?",
}


@pytest.mark.parametrize("text", BLANKS.values(), ids=BLANKS)
def test_what_cannot_be_seen_says_nothing(text: str) -> None:
    assert not says_something(text)


@pytest.mark.parametrize("text", ["wet layout", "5", "Überlauf", "錯", "\u200bx\u200b"])
def test_words_in_any_script_say_something(text: str) -> None:
    assert says_something(text)


def test_no_single_character_without_a_shape_says_something() -> None:
    """By their classes: separators, controls, formats and marks never do."""
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        if unicodedata.category(letter)[0] in "ZCM":
            assert not says_something(letter), hex(code)
