"""The language of `.round` files: splits lines into sentences and finds what a sentence does. Knows no table. The
modules listed in `playing` define the sentences. README.md is the reference."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from felt.nouns.values import Value
from felt.stories.errors import StoryError, StoryNotUnderstood
from felt.stories.head import HeadError, StoryHead, take_head_line, take_line_of_table
from felt.stories.nearest import nearest
from felt.stories.repeats import ScriptLine, told_out
from felt.stories.synonyms import other_words

if TYPE_CHECKING:
    from felt.stories.stage import StoryStage


class Sentence(Value):
    form: str  # as README.md shows it
    pattern: re.Pattern[str]
    do: Callable[[StoryStage, re.Match[str]], None]


SENTENCES: list[Sentence] = []
Deed = Callable[["StoryStage", "re.Match[str]"], None]


# A shape of a line that is almost a sentence, and a function that says what is wrong with it.
Hint = Callable[["re.Match[str]"], str]
HINTS: list[tuple[re.Pattern[str], Hint]] = []


def hints(pattern: str) -> Callable[[Hint], Hint]:
    def enter(hint: Hint) -> Hint:
        HINTS.append((re.compile(pattern), hint))
        return hint

    return enter


def says(form: str, pattern: str) -> Callable[[Deed], Deed]:
    """Registers a function as the meaning of every line that the whole pattern matches."""

    def enter(do: Deed) -> Deed:
        SENTENCES.append(Sentence(form, re.compile(pattern), do))
        return do

    return enter


class Story(Value):
    head: StoryHead
    lines: tuple[ScriptLine, ...]
    head_refused: str = ""  # why the head makes no table, if the story expects that


# What may precede a sentence, as in README.md. `at table` names the table; `always` and `never` hold an expectation for
# the rest of the story.
FRAMES = {
    "at table TABLE: SENTENCE": r"[Aa]t table (?P<table>[\w-]+)[:,] (?P<rest>.+)",
    "at every table: SENTENCE": r"[Aa]t every table[:,] (?P<rest>.+)",
    "always expect …": r"[Aa]lways (?P<rest>expect .+)",
    "never expect …": r"[Nn]ever (?P<rest>expect .+)",
}
_AT_TABLE, _AT_EVERY_TABLE, _ALWAYS, _NEVER = (re.compile(pattern) for pattern in FRAMES.values())
EVERY_TABLE = "*"
HEAD_REFUSED = re.compile(r'expect (?:the )?head refused "(.+)"')


class Framed(Value):
    """A line split into its sentence and what precedes it."""

    line: ScriptLine
    table: str  # its number or id, `EVERY_TABLE`, or empty
    held: str  # always, never, or empty


def framed(line: ScriptLine) -> Framed:
    text, table, held = line.text, "", ""
    if found := _AT_TABLE.fullmatch(text):
        text, table = found["rest"], found["table"]
    elif found := _AT_EVERY_TABLE.fullmatch(text):
        text, table = found["rest"], EVERY_TABLE
    for name, pattern in (("always", _ALWAYS), ("never", _NEVER)):
        if found := pattern.fullmatch(text):
            text, held = found["rest"], name
    return Framed(ScriptLine(line.at, text), table, held)


def read_story(path: Path) -> Story:
    return parse_story(path.read_text(encoding="utf-8"), path.name)


def parse_story(text: str, name: str) -> Story:
    head = StoryHead()
    lines: list[ScriptLine] = []
    wrong: StoryError | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = ScriptLine(f"{name}:{number}", " ".join(_without_comment(raw).split()))
        if not line.text:
            continue
        try:
            if lines or not _belongs_to_head(head, line):
                lines.append(line)
        except HeadError as error:
            wrong = wrong or StoryError(str(error), line.at)
    if not lines:
        raise wrong or StoryError("tells no story: it has no sentence after its head", name)
    if wrong and not any(HEAD_REFUSED.fullmatch(line.text) for line in lines):
        raise wrong
    return Story(head, tuple(told_out(lines, StoryError)), wrong.problem if wrong else "")


def _without_comment(raw: str) -> str:
    """A # begins a comment, except inside quotes."""
    quoted = False
    for place, character in enumerate(raw):
        if character == '"':
            quoted = not quoted
        elif character == "#" and not quoted:
            return raw[:place]
    return raw


def _belongs_to_head(head: StoryHead, line: ScriptLine) -> bool:
    found = _AT_TABLE.fullmatch(line.text)
    if found:
        return take_line_of_table(head, found["table"], found["rest"])
    return take_head_line(head, line.text)


@hints(r"[Aa]t (?P<where>[^:]+): .+")
def no_place(found: re.Match[str]) -> str:
    return f"at {found['where']} is no place; write `at table TABLE: SENTENCE` or `at every table: SENTENCE`"


def sentence_for(line: ScriptLine) -> tuple[Sentence, re.Match[str]]:
    """The sentence as written, without what precedes it; otherwise by its synonyms."""
    line = framed(line).line
    for text in (line.text, *other_words(line.text)):
        for sentence in SENTENCES:
            found = sentence.pattern.fullmatch(text)
            if found:
                return sentence, found
    for pattern, hint in HINTS:
        found = pattern.fullmatch(line.text)
        said = hint(found) if found else ""
        if said:
            raise StoryNotUnderstood(f"{line.text!r}: {said}", line.at)
    forms = [*(sentence.form for sentence in SENTENCES), *FRAMES]
    close = " or ".join(f"`{form}`" for form in nearest(line.text, forms))
    problem = f"{line.text!r} is no sentence of the language (README.md lists them); nearest: {close}"
    raise StoryNotUnderstood(problem, line.at)


def fields_in(text: str) -> dict[str, Any]:
    """The fields that a sentence gives as JSON."""
    try:
        return dict(json.loads(text))
    except ValueError as error:
        raise StoryError(f"{text} is not JSON: {error}") from None
