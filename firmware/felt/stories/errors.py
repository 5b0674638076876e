"""What can be wrong with a story, each in one sentence."""

from __future__ import annotations


class StoryError(Exception):
    """What is wrong with a story, in one sentence; `at` tells the file and the line."""

    def __init__(self, problem: str, at: str = "") -> None:
        super().__init__(f"{at}: {problem}" if at else problem)
        self.problem = problem


class NotUnderstood(StoryError):
    """A story that says nothing that could be played: the file is to be corrected, not the table."""


class NothingToSee(StoryError):
    """The table is dark, or no round has been played: there is nothing yet that an expectation could speak of."""


class Unmet(StoryError):
    """An expectation that does not hold."""

    def __init__(self, expected: str, seen: object) -> None:
        super().__init__(f"expected {expected}, seen {seen}")
