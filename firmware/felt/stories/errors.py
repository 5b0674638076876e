"""The errors of a story, each with one sentence."""

from __future__ import annotations


class StoryError(Exception):
    """What is wrong with a story, in one sentence; `at` is the file and the line."""

    def __init__(self, problem: str, at: str = "") -> None:
        super().__init__(f"{at}: {problem}" if at else problem)
        self.problem = problem


class StoryNotUnderstood(StoryError):
    """The story cannot be played: the file must be corrected, not the table."""


class NothingToSee(StoryError):
    """The table is off, or has not played a round: there is nothing yet that an expectation could examine."""


class Unmet(StoryError):
    """An expectation that does not hold."""

    def __init__(self, expected: str, seen: object) -> None:
        super().__init__(f"expected {expected}, seen {seen}")
