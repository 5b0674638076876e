"""Where a name that the catalogue gives stands in the sources. Read from the text, so that nothing is imported."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from felt.nouns.values import Value


class SourceLine(Value):
    path: str  # below the folder that was searched
    line: int


def place_of(package: Path, place: str) -> SourceLine | None:
    """`room.module.name` or `room.module.Class.name` within the package: a function, a class or a constant."""
    parts = place.split(".")
    for length in range(len(parts) - 1, 0, -1):
        module = Path(*parts[:length]).with_suffix(".py")
        if (package / module).is_file():
            line = _line_of(_parsed(package / module).body, parts[length:])
            return SourceLine(module.as_posix(), line) if line else None
    return None


def source_of_test(tests: Path, node: str) -> SourceLine | None:
    """A node id below `tests`, or the beginning of one with `*`: the file, and the first test with that name."""
    path, _, name = node.partition("::")
    file = tests / path
    if not file.is_file():
        return None
    bare = name.partition("[")[0]
    for statement in ast.walk(_parsed(file)):
        if isinstance(statement, ast.FunctionDef) and bare:
            beginning = bare.removesuffix("*")
            if statement.name == beginning or (bare.endswith("*") and statement.name.startswith(beginning)):
                return SourceLine(path, statement.lineno)
    return SourceLine(path, 1)


@cache
def _parsed(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def _line_of(body: list[ast.stmt], names: list[str]) -> int:
    first, *rest = names
    for statement in body:
        if first in _names_of(statement):
            if not rest:
                return statement.lineno
            if isinstance(statement, ast.ClassDef):
                return _line_of(statement.body, rest)
    return 0


def _names_of(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [name.id for target in targets if target for name in ast.walk(target) if isinstance(name, ast.Name)]
