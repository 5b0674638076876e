"""A configuration error as one sentence: file, key, problem, remedy."""

from __future__ import annotations

import json
import re

PROBLEM_CHARACTERS_MAX = 300  # a whole section as a key would not help anybody

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class ConfigError(Exception):
    def __init__(self, file: str, key: str, problem: str, remedy: str) -> None:
        self.file = file
        self.key = _shortened(key)
        self.problem = _shortened(problem)
        self.remedy = remedy
        super().__init__(": ".join(part for part in (file, self.key, f"{self.problem}; {remedy}") if part))


class UnknownGame(ConfigError):
    """`typed` means that the game was named on the command line, not in a file."""

    def __init__(self, file: str, key: str, problem: str, remedy: str, *, typed: bool) -> None:
        super().__init__(file, key, problem, remedy)
        self.typed = typed


def key_of(path: tuple[str, ...]) -> str:
    """A path as TOML writes it: `game.limits.ante`, quoted where needed."""
    return ".".join(part if _BARE_KEY.fullmatch(part) else json.dumps(part) for part in path)


def _shortened(problem: str) -> str:
    if len(problem) <= PROBLEM_CHARACTERS_MAX:
        return problem
    half = PROBLEM_CHARACTERS_MAX // 2
    return f"{problem[:half]} … {problem[-half:]}"
