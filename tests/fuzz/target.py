"""A fuzz target: a reader of something from outside, and what must hold for any content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

CORPUS = Path(__file__).with_name("corpus")
SENTENCE_CHARACTERS_MAX = 1_200


class Target(NamedTuple):
    check: Callable[[bytes], None]  # raises whatever must never be raised
    seeds: Callable[[], Sequence[bytes]]  # good contents to begin with
    words: Sequence[bytes] = ()  # pieces worth putting in
    examples: int = 40  # in a short run: fewer where one takes long


def is_one_sentence(said: object) -> bool:
    """On one line, of a readable length, and with nothing in it that a terminal would obey."""
    text = str(said)
    return 0 < len(text) <= SENTENCE_CHARACTERS_MAX and "Traceback" not in text and text.isprintable()


def corpus_of(name: str) -> list[Path]:
    return sorted(path for path in (CORPUS / name).glob("*") if path.is_file())
