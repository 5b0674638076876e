"""What a fuzz target is: a reader of something that comes from outside, with what must hold whatever comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

CORPUS = Path(__file__).with_name("corpus")
SENTENCE_CHARACTERS_MAX = 1_200


class Target(NamedTuple):
    check: Callable[[bytes], None]  # raises whatever should never be raised
    seeds: Callable[[], Sequence[bytes]]  # good ones, to begin with
    words: Sequence[bytes] = ()  # worth putting in
    examples: int = 40  # of a short run: fewer where one takes long


def is_one_sentence(said: object) -> bool:
    """On one line, of a length that somebody reads, and nothing in it that a terminal would obey."""
    text = str(said)
    return 0 < len(text) <= SENTENCE_CHARACTERS_MAX and "Traceback" not in text and text.isprintable()


def corpus_of(name: str) -> list[Path]:
    return sorted(path for path in (CORPUS / name).glob("*") if path.is_file())
