"""The language of `.round` files: lines into sentences, sentences to what they do. Knows no table; what a
sentence does stands in `acts` and `expectations`. README.md is the reference."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.rounds.head import HEAD, Head, HeadError
from tests.rounds.nearest import nearest
from tests.rounds.repeats import Line, told_out
from tests.rounds.synonyms import other_words

if TYPE_CHECKING:
    from tests.rounds.stage import Stage


class StoryError(Exception):
    """What is wrong with a story, in one sentence; `at` tells the file and the line."""

    def __init__(self, problem: str, at: str = "") -> None:
        super().__init__(f"{at}: {problem}" if at else problem)
        self.problem = problem


class NotUnderstood(StoryError):
    """A story that says nothing that could be played: the file is to be corrected, not the table."""


class Unmet(StoryError):
    """An expectation that does not hold."""

    def __init__(self, expected: str, seen: object) -> None:
        super().__init__(f"expected {expected}, seen {seen}")


class Sentence(NamedTuple):
    form: str  # as README.md shows it
    pattern: re.Pattern[str]
    do: Callable[[Stage, re.Match[str]], None]


SENTENCES: list[Sentence] = []
Deed = Callable[["Stage", "re.Match[str]"], None]


# What is wrong with a line that is nearly a sentence: a shape, and what to say of it, or nothing.
Hint = Callable[["re.Match[str]"], str]
HINTS: list[tuple[re.Pattern[str], Hint]] = []


def hints(pattern: str) -> Callable[[Hint], Hint]:
    def enter(hint: Hint) -> Hint:
        HINTS.append((re.compile(pattern), hint))
        return hint

    return enter


def says(form: str, pattern: str) -> Callable[[Deed], Deed]:
    """Makes a function the meaning of every line that the pattern matches whole."""

    def enter(do: Deed) -> Deed:
        SENTENCES.append(Sentence(form, re.compile(pattern), do))
        return do

    return enter


class Story(NamedTuple):
    head: Head
    lines: tuple[Line, ...]


def read_story(path: Path) -> Story:
    return parse_story(path.read_text(encoding="utf-8"), path.name)


def parse_story(text: str, name: str) -> Story:
    head = Head()
    lines: list[Line] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = Line(f"{name}:{number}", " ".join(_without_comment(raw).split()))
        if not line.text:
            continue
        if lines or not _belongs_to_head(head, line):
            lines.append(line)
    if not lines:
        raise StoryError("tells no story: it has no sentence after its head", name)
    return Story(head, tuple(told_out(lines, StoryError)))


def _without_comment(raw: str) -> str:
    """A # begins a comment, except inside quotes."""
    quoted = False
    for place, character in enumerate(raw):
        if character == '"':
            quoted = not quoted
        elif character == "#" and not quoted:
            return raw[:place]
    return raw


def _belongs_to_head(head: Head, line: Line) -> bool:
    for _, pattern, put in HEAD:
        found = pattern.fullmatch(line.text)
        if found:
            try:
                put(head, found)
            except HeadError as error:
                raise StoryError(str(error), line.at) from None
            return True
    return False


def sentence_for(line: Line) -> tuple[Sentence, re.Match[str]]:
    """As it stands; else in other words."""
    for text in (line.text, *other_words(line.text)):
        for sentence in SENTENCES:
            found = sentence.pattern.fullmatch(text)
            if found:
                return sentence, found
    for pattern, hint in HINTS:
        found = pattern.fullmatch(line.text)
        said = hint(found) if found else ""
        if said:
            raise NotUnderstood(f"{line.text!r}: {said}", line.at)
    close = " or ".join(f"`{form}`" for form in nearest(line.text, [one.form for one in SENTENCES]))
    problem = f"{line.text!r} is no sentence of the language (README.md lists them); nearest: {close}"
    raise NotUnderstood(problem, line.at)
