"""Names that a reader meets twice: two public classes with one name, or two modules with one name that share a
function's name."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import combinations

# Rooms that are read and tested apart from the table's. Their short names follow their own trade.
APART = ("felt.jackpot.", "felt.odds.", "felt.screens.")


def classes_met_twice(sources: Mapping[str, str]) -> list[str]:
    """Public classes with one name in two modules, unless one of the two is in a room of `APART`."""
    homes: dict[str, list[str]] = {}
    for module, source in sorted(sources.items()):
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not module.startswith(APART):
                homes.setdefault(node.name, []).append(module)
    return [f"class {name} is in {' and in '.join(modules)}" for name, modules in homes.items() if len(modules) > 1]


def functions_met_twice(sources: Mapping[str, str]) -> list[str]:
    """Public functions with one name in two modules with one name."""
    found: dict[str, dict[str, set[str]]] = {}
    for module, source in sorted(sources.items()):
        functions = {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
        found.setdefault(module.rpartition(".")[2], {})[module] = {name for name in functions if name[0] != "_"}
    return [
        f"{name} is in {first} and in {second}"
        for modules in found.values()
        for first, second in combinations(modules, 2)
        for name in sorted(modules[first] & modules[second])
    ]
