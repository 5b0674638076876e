"""Refusals that a story does not expect. Whoever writes a story means what it says to be done: an act that the table
refused fails the story, unless the expectations right after it speak of the refusal."""

from __future__ import annotations

import re

from tests.rounds.expectations import refusals_of
from tests.rounds.repeats import Line
from tests.rounds.script import StoryError
from tests.rounds.stage import Stage

_EXPECTING = ("expect refused", "expect notice")
# Told as refused too, but nobody's act: chips come when they come.
_OF_A_CHIP = re.compile(r"\S+: a chip came after the lock")


class Unexpected(StoryError):
    """An act that was refused and should not have been."""


class Refusals:
    def __init__(self) -> None:
        self._unexpected: tuple[Line, str] | None = None

    def note_act(self, line: Line, stage: Stage, *, was_dark: bool) -> None:
        """After a boot the notices of the evening come back: they are no answer to the boot."""
        if was_dark or stage.evening.running is None:
            return
        refused = [sentence for sentence in refusals_of(stage) if not _OF_A_CHIP.match(sentence)]
        if refused:
            self._unexpected = (line, refused[0])

    def note_expectation(self, text: str) -> None:
        if text.startswith(_EXPECTING):
            self._unexpected = None

    def complain(self) -> None:
        """Before the next act, and at the end."""
        if self._unexpected is not None:
            line, refused = self._unexpected
            problem = f"{line.text!r}: refused, and no `expect refused` follows: {refused}"
            raise Unexpected(problem, line.at)
