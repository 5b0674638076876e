"""Refusals that a story does not expect. A story means its acts to happen: a refused act fails the story, unless the
expectations right after it mention the refusal."""

from __future__ import annotations

from felt.stories.errors import StoryError
from felt.stories.expectations import refusals_of
from felt.stories.repeats import ScriptLine
from felt.stories.stage import StoryStage

_EXPECTING = ("expect refused", "expect notice")
_NOBODYS_ACT = ("late_chip", "step_failed")  # not an answer to an act


class Unexpected(StoryError):
    """An act that was refused unexpectedly."""


class Refusals:
    def __init__(self) -> None:
        self._unexpected: tuple[ScriptLine, str] | None = None

    def note_act(self, line: ScriptLine, stage: StoryStage, *, was_dark: bool) -> None:
        """After a boot the notices of the evening come back: they do not answer the boot."""
        if was_dark or stage.evening.running is None:
            return
        refused = [refusal.sentence for refusal in refusals_of(stage) if refusal.code not in _NOBODYS_ACT]
        if refused:
            self._unexpected = (line, refused[0])

    def note_expectation(self, text: str) -> None:
        if text.startswith(_EXPECTING):
            self._unexpected = None

    def complain(self) -> None:
        """Raises the unexpected refusal, before the next act and at the end."""
        if self._unexpected is not None:
            line, refused = self._unexpected
            problem = f"{line.text!r}: refused, and no `expect refused` follows: {refused}"
            raise Unexpected(problem, line.at)
