"""Which module of the firmware imports which, read from the sources: at the head of a module, inside a function, or
only for a type checker. `tools/draw_architecture` draws its picture from the same graph."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from tests.house.tree import module_of, python_files
from tests.house.walls import imports_of

Graph = dict[str, set[str]]  # a module and what it imports


def firmware_sources() -> dict[str, str]:
    return {module_of(path): path.read_text() for path in python_files("firmware")}


def graph_of(sources: Mapping[str, str]) -> Graph:
    """Imports among these modules. A name that is imported from a module counts as that module. Python imports a
    module's package before the module itself; that does not count as an import here."""
    graph: Graph = {}
    for module, source in sources.items():
        named = {_module_in(found.module, sources) for found in imports_of(ast.parse(source), module)}
        graph[module] = named - {module, ""}
    return graph


def _module_in(name: str, sources: Mapping[str, str]) -> str:
    """The module that defines a full name such as felt.nouns.money.say; empty: none of these."""
    while name and name not in sources:
        name = name.rpartition(".")[0]
    return name


def rooms_of(graph: Graph) -> Graph:
    """The same between rooms: folders of the package, and the modules beside them. `jackpot.terms`, the vocabulary in
    which a house sets its meters, counts as a room of its own, because the configuration is below the jackpot."""
    rooms: Graph = {}
    for module, imported in graph.items():
        room = _room_of(module)
        rooms.setdefault(room, set()).update({_room_of(other) for other in imported} - {room})
    return rooms


def _room_of(module: str) -> str:
    inside = module.removeprefix("felt").removeprefix(".")
    return inside if inside == "jackpot.terms" else inside.partition(".")[0]


def cycle_in(graph: Graph) -> list[str]:
    """One cycle, each module imported by the next, with the first one again at the end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []
