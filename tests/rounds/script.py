"""The language of `.round` files: lines into sentences, sentences to what they do. Knows no table; what a
sentence does stands in `acts` and `expectations`. README.md is the reference."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tests.rounds.stage import Stage


class StoryError(Exception):
    """What is wrong with a story, in one sentence; `at` tells the file and the line."""

    def __init__(self, problem: str, at: str = "") -> None:
        super().__init__(f"{at}: {problem}" if at else problem)
        self.problem = problem


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


def says(form: str, pattern: str) -> Callable[[Deed], Deed]:
    """Makes a function the meaning of every line that the pattern matches whole."""

    def enter(do: Deed) -> Deed:
        SENTENCES.append(Sentence(form, re.compile(pattern), do))
        return do

    return enter


class Line(NamedTuple):
    at: str  # file:line
    text: str


@dataclass
class Head:
    game: str = ""
    overrides: list[str] = field(default_factory=list)
    late_ms: dict[str, int] = field(default_factory=dict)
    seed: int = 0


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
    return Story(head, tuple(lines))


def _without_comment(raw: str) -> str:
    """A # begins a comment, except inside quotes."""
    quoted = False
    for place, character in enumerate(raw):
        if character == '"':
            quoted = not quoted
        elif character == "#" and not quoted:
            return raw[:place]
    return raw


_HEAD = (
    (re.compile(r"story: .+"), lambda head, found: None),
    (re.compile(r"game: (\S+)"), lambda head, found: setattr(head, "game", found[1])),
    (re.compile(r"set ([\w.]+) = (.+)"), lambda head, found: head.overrides.append(f"{found[1]}={found[2]}")),
    (
        re.compile(r"reading (\w+) = (\w+)"),
        lambda head, found: head.overrides.append(f"game.readings.{found[1]}={found[2]}"),
    ),
    (re.compile(r"late (\S+) = (\d+) ms"), lambda head, found: head.late_ms.update({found[1]: int(found[2])})),
    (re.compile(r"late every line = (\d+) ms"), lambda head, found: head.late_ms.update({"*": int(found[1])})),
    (re.compile(r"seed (\d+)"), lambda head, found: setattr(head, "seed", int(found[1]))),
)


def _belongs_to_head(head: Head, line: Line) -> bool:
    for pattern, put in _HEAD:
        found = pattern.fullmatch(line.text)
        if found:
            put(head, found)
            return True
    return False


def sentence_for(line: Line) -> tuple[Sentence, re.Match[str]]:
    for sentence in SENTENCES:
        found = sentence.pattern.fullmatch(line.text)
        if found:
            return sentence, found
    raise StoryError(f"{line.text!r} is no sentence of the language; README.md lists them", line.at)
