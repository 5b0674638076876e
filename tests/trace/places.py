"""Does a place that the catalogue names exist? Read from the source, so that nothing has to be imported."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


def place_exists(package: Path, place: str) -> bool:
    """`room.module.name` or `room.module.Class.name` within the package: a function, a class or a constant."""
    parts = place.split(".")
    for length in range(len(parts) - 1, 0, -1):
        module = package.joinpath(*parts[:length]).with_suffix(".py")
        if module.is_file():
            return _holds(_parsed(module).body, parts[length:])
    return False


@cache
def _parsed(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def _holds(body: list[ast.stmt], names: list[str]) -> bool:
    first, *rest = names
    for statement in body:
        if first in _names_of(statement):
            return not rest or (isinstance(statement, ast.ClassDef) and _holds(statement.body, rest))
    return False


def _names_of(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [name.id for target in targets if target for name in ast.walk(target) if isinstance(name, ast.Name)]
