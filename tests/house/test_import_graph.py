"""No module imports itself indirectly, not even through an import inside a function."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.house.import_graph import cycle_in, firmware_sources, graph_of, rooms_of
from tests.house.tree import ROOT

A, B, C = "felt.nouns.a", "felt.nouns.b", "felt.rules.c"


def test_no_module_of_the_firmware_is_in_a_cycle_of_imports() -> None:
    cycle = cycle_in(graph_of(firmware_sources()))
    assert not cycle, f"this is a cycle: {' is imported by '.join(cycle)}"


@pytest.mark.parametrize(
    "back",
    [
        "import felt.nouns.a",
        "from felt.nouns import a",
        "from felt.nouns.a import name",
        "def f():\n    from felt.nouns.a import name",
        "if TYPE_CHECKING:\n    from felt.nouns.a import Name",
    ],
)
def test_a_cycle_is_found_however_it_is_written(back: str) -> None:
    sources = {A: "from felt.nouns.b import x", B: "import felt.rules.c", C: back}
    assert set(cycle_in(graph_of(sources))) == {A, B, C}


def test_a_module_that_is_imported_twice_is_no_cycle() -> None:
    sources = {A: "from felt.nouns.b import x\nimport felt.rules.c", B: "import felt.rules.c", C: "import json"}
    assert graph_of(sources) == {A: {B, C}, B: {C}, C: set()}
    assert cycle_in(graph_of(sources)) == []


def test_what_a_package_gathers_is_imported_from_where_it_is() -> None:
    """A module of the package that imports it from the package instead closes a cycle."""
    sources = {"felt.wire": "from felt.wire.one import x", "felt.wire.one": "", "felt.wire.two": "import felt.wire.one"}
    assert cycle_in(graph_of(sources)) == []
    sources["felt.wire.one"] = "from felt.wire import y"
    assert set(cycle_in(graph_of(sources))) == {"felt.wire", "felt.wire.one"}


def test_the_picture_of_the_rooms_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "draw_architecture"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "firmware/rooms.svg is up to date\n"), done.stderr


def test_no_room_imports_itself_indirectly() -> None:
    """Each module may be clean while two rooms depend on each other."""
    cycle = cycle_in(rooms_of(graph_of(firmware_sources())))
    assert not cycle, f"this is a cycle of rooms: {' is imported by '.join(cycle)}"


def test_one_import_back_inside_a_function_closes_a_cycle_of_the_firmware() -> None:
    sources = firmware_sources()
    sources["felt.loop.turn"] += "\n\ndef look_back() -> None:\n    from felt.loop.table_loop import TableLoop\n"
    assert {"felt.loop.turn", "felt.loop.table_loop"} <= set(cycle_in(graph_of(sources)))
    sources = firmware_sources()
    sources["felt.loop.inbox"] += "\n\ndef look_up() -> None:\n    import felt.desk.permissions\n"
    assert {"loop", "desk"} <= set(cycle_in(rooms_of(graph_of(sources))))
