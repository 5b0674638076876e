"""Finds the sentences of the language that come closest to a line that is none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

SHOWN = 2
_SMALL = ("the", "of", "is", "at", "in", "on")


def nearest(line: str, forms: Iterable[str]) -> list[str]:
    """By common words first, then by letters. A form counts by its best alternative."""
    words = _words(line)

    def likeness_of(form: str) -> float:
        return max(_likeness(line, words, variant) for variant in form.split(" / "))

    ranked = sorted(forms, key=likeness_of, reverse=True)
    return ranked[:SHOWN]


def _likeness(line: str, words: set[str], form: str) -> float:
    common = len(words & _words(form))
    opening = 1.0 if line.split()[:1] == form.split()[:1] else 0.0
    return 2 * common + opening + SequenceMatcher(None, line.lower(), form.lower()).ratio()


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z]{2,}", text.lower()) if word not in _SMALL}
