"""What every file of this house must look like: its size, its names, and what no tracked text may say."""

from __future__ import annotations

import ast
import re
from pathlib import PurePath

MODULE_LINES_MAX = 700
FUNCTION_LINES_MAX = 70

EMPTY_WORDS = frozenset("util utils helper helpers common manager data handle process".split())
EMPTY_CLASS_ENDINGS = ("Manager", "Helper", "Helpers", "Utils")

# Written in two halves, so that this file does not find itself.
LEFT_OPEN = re.compile(r"\b(?:TO" + "DO|FIX" + r"ME|XX" + r"X)\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:root|work|Users|home/(?!pi\b|<)\w+|tmp/venv)/")
REGISTRY = re.compile(r"(?:py" + r"pi\.org|python" + r"hosted\.org|artifact" + r"ory|index" + r"-url)", re.IGNORECASE)


def oversizes(source: str, name: str) -> list[str]:
    lines = source.count("\n") + (not source.endswith("\n") and bool(source))
    problems = [f"{name}: {lines} lines, at most {MODULE_LINES_MAX}"] if lines > MODULE_LINES_MAX else []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES_MAX:
                problems.append(f"{name}: {node.name} has {length} lines, at most {FUNCTION_LINES_MAX}")
    return problems


def empty_names(source: str, name: str) -> list[str]:
    """Modules, folders and classes whose name says nothing."""
    path = PurePath(name)
    words = [word for part in path.with_suffix("").parts for word in part.lower().split("_")]
    problems = [f"{name}: '{word}' says nothing" for word in words if word in EMPTY_WORDS]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            if node.name.lower() in EMPTY_WORDS or node.name.endswith(EMPTY_CLASS_ENDINGS):
                problems.append(f"{name}, line {node.lineno}: class {node.name} says nothing")
    return problems


def improper_texts(text: str, name: str) -> list[str]:
    return [
        f"{name}, line {number}: {found.group()!r} {why}"
        for number, line in enumerate(text.splitlines(), start=1)
        for pattern, why in (
            (LEFT_OPEN, "leaves work open in the tree"),
            (MACHINE_PATH, "is a path of one machine"),
            (REGISTRY, "names a package registry"),
        )
        if (found := pattern.search(line))
    ]
