"""How the guides write: short sentences, the usual word, nothing that a reader must translate."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.house.plain_words import BANNED

SENTENCE_WORDS_MAX = 35

# A heavy word or turn, and what to write.
HEAVY = {
    r"\butili[sz]\w+": "use",
    r"\bcommenc\w+": "begin",
    r"\bterminat\w+": "end",
    r"\bprior to\b": "before",
    r"\bsubsequent\w*": "later",
    r"\bin order to\b": "to",
    r"\bin the event (?:of|that)\b": "if",
    r"\bby means of\b": "by, with",
    r"\bfacilitat\w+": "help",
    r"\bis to be\b|\bare to be\b|\bwas to be\b": "say who does it",
    r"\bthereof\b|\bwherein\b|\bthereby\b|\bhereby\b": "name it",
    r"\bshall\b": "must",
    r"\banew\b": "again",
    r"\bnought\b": "zero",
    r"\bit is told\b|\bis told of\b": "say who says it",
    r"\bas it were\b": "leave it out",
    r"\bamongst\b": "among",
    r"\bsaid\b (?:table|box|file)": "this",
}


def mean_words(sentences: Sequence[str]) -> float:
    return sum(len(sentence.split()) for sentence in sentences) / max(1, len(sentences))


def hard_sentences(sentences: Sequence[str]) -> list[str]:
    """Each sentence that is too long or holds a heavy word, with the remedy."""
    problems: list[str] = []
    for sentence in sentences:
        words = len(sentence.split())
        if words > SENTENCE_WORDS_MAX:
            problems.append(f"{words} words, at most {SENTENCE_WORDS_MAX}: {sentence}")
        for heavy, remedy in (*HEAVY.items(), *BANNED.items()):
            found = re.search(heavy, sentence, re.IGNORECASE)
            if found:
                problems.append(f"{found[0]!r}: {remedy}: {sentence}")
    return problems
