"""Only the thinking loop reads the whole table. Everybody else receives a `PublicTable` from `table.redacted`. Readers
of the journal replay it, and ask the same module for what their role may see."""

from __future__ import annotations

import ast

import pytest

from tests.house.import_graph import firmware_sources
from tests.house.walls import imports_of

# The loop itself, and the rig in which tests and lessons play whole houses.
READERS = ("felt.loop.", "felt.stories.")
RECEIVERS = ("felt.desk.", "felt.console.", "felt.screens.", "felt.wiring.", "felt.demo.")
SOURCES = firmware_sources()


def readings_of_the_loops_table(source: str) -> list[str]:
    """Where a module takes the table of a loop: `loop.table`, `self._loop.table`, `running.loop.table`."""
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr == "table" and ast.unparse(node.value).endswith("loop")
    ]


@pytest.mark.parametrize("module", [module for module in SOURCES if not module.startswith(READERS)])
def test_nobody_outside_the_loop_takes_its_table(module: str) -> None:
    assert readings_of_the_loops_table(SOURCES[module]) == []


@pytest.mark.parametrize("module", [module for module in SOURCES if module.startswith(RECEIVERS)])
def test_nobody_who_receives_a_table_steps_one(module: str) -> None:
    taken = {found.module for found in imports_of(ast.parse(SOURCES[module]), module)}
    assert not {found for found in taken if found.startswith("felt.table.machine")}


def test_a_reading_is_found() -> None:
    source = "def tell(self):\n    return self._loop.table.round, loop.shown(), stage.table"
    assert readings_of_the_loops_table(source) == ["line 2: self._loop.table"]


def test_only_the_redacting_view_makes_a_public_table() -> None:
    makers = [
        module
        for module, source in SOURCES.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("PublicTable")
    ]
    assert set(makers) == {"felt.table.redacted"}
