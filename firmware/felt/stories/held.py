"""Expectations about the whole story: `always expect …` must hold after every later sentence, `never expect …` after
none. While a table is off or has played no round, they are not evaluated."""

from __future__ import annotations

from re import Match

from felt.nouns.values import Value
from felt.stories.errors import NothingToSee, StoryError, StoryNotUnderstood, Unmet
from felt.stories.repeats import ScriptLine
from felt.stories.script import Framed, Sentence
from felt.stories.stage import StoryStage

_COUNTED_ONCE = "expect letters "


class _Promise(Value):
    line: ScriptLine
    never: bool
    stage: StoryStage
    sentence: Sentence
    found: Match[str]


class Held:
    def __init__(self) -> None:
        self._promises: list[_Promise] = []

    def hold(self, frame: Framed, stage: StoryStage, sentence: Sentence, found: Match[str]) -> None:
        """Holds it from this line on; the line itself was examined already."""
        if found.string.startswith(_COUNTED_ONCE):
            problem = "`expect letters` lists what left since it was last asked, so it cannot be held over a story"
            raise StoryNotUnderstood(f"{frame.line.text!r}: {problem}; use `expect last letter`", frame.line.at)
        promise = _Promise(frame.line, frame.held == "never", stage, sentence, found)
        self._promises.append(promise)
        _look_at(promise)

    def look(self) -> None:
        """Evaluates them after a sentence that did something."""
        for promise in self._promises:
            _look_at(promise)


def _look_at(promise: _Promise) -> None:
    word = "never" if promise.never else "always"
    try:
        promise.sentence.do(promise.stage, promise.found)
    except NothingToSee:
        return
    except Unmet as unmet:
        if not promise.never:
            raise StoryError(f"always {promise.found.string!r} ({promise.line.at}): {unmet.problem}") from None
        return
    if promise.never:
        raise StoryError(f"{word} {promise.found.string!r} ({promise.line.at}): it holds now")
