"""Which room may know which: the table of firmware/ARCHITECTURE.md as a check on imports."""

from __future__ import annotations

import ast
import sys
from typing import NamedTuple

EVERYTHING_PURE = ("nouns", "rules", "letters", "table", "wire", "ports")
OWN_LEDGER = ("books.acts", "books.draft", "controller.embedded", "ledger.port")


class Room(NamedTuple):
    """What a room may import: rooms or single modules of felt, and packages that are not everybody's."""

    felt: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


# A module with rules of its own (table.machine) stands beside its room; the longest name wins.
ROOMS: dict[str, Room] = {
    # The texts that people read, and nothing else.
    "wording": Room(),
    "nouns": Room(("wording",)),
    "nouns.values": Room((), ("msgspec",)),
    "rules": Room(("nouns",)),
    "letters": Room(("nouns",), ("msgspec",)),
    "table": Room(("wording", "nouns", "rules", "letters")),
    "table.machine": Room(("nouns", "rules", "letters", "table"), ("transitions",)),
    "wire": Room(("nouns", "letters", "table.facts"), ("msgspec",)),
    "ports": Room(("nouns",)),
    "journal": Room(("nouns", "table", "ports")),
    "drivers": Room(("nouns", "letters", "ports", "wire"), ("gpiozero", "serial", "RPi", "paho")),
    "virtual": Room(("nouns", "letters", "ports", "wire")),
    # What others check. Its stand-alone script is for a laboratory and knows nothing of felt.
    "evidence": Room(("nouns", "rules", "table", "ports", "journal")),
    "evidence.felt_check": Room(),
    "evidence.signing": Room(("nouns", "evidence"), ("cryptography",)),
    "loop": Room((*EVERYTHING_PURE, "journal", "evidence")),
    "host": Room((*EVERYTHING_PURE, "journal", "evidence", "config", "loop")),
    # An act on the meters of a stand-alone table goes to its own ledger.
    "desk": Room(
        (
            *EVERYTHING_PURE, *"odds.standing journal evidence config loop host".split(),
            *(f"jackpot.{name}" for name in OWN_LEDGER),
        )
    ),
    "wiring": Room(
        (*EVERYTHING_PURE, *"journal evidence jackpot config loop host desk drivers virtual".split()),
    ),
    "console": Room(("nouns", "table.views")),
    # The controller meets its tables through seals and a broker that it is given: paho is the drivers' alone.
    "jackpot": Room(
        ("nouns", "letters", "ports", "wire.jackpot", "wire.bulletin", "wire.sealed"), ("sqlite3", "psycopg")
    ),
    "screens": Room(("nouns",), ("aiohttp",)),
    # Exact odds. What a table needs of it at its start was counted before, so only the counting takes numpy.
    "odds": Room(("nouns", "rules"), ("msgspec",)),
    "odds.enumeration": Room(("nouns", "rules", "odds"), ("msgspec", "numpy")),
    "odds.kinds": Room(("nouns", "rules", "odds"), ("msgspec", "numpy")),
    "odds.advice": Room(("nouns", "rules", "odds"), ("msgspec", "numpy")),
    "odds.wagers": Room(("nouns", "rules", "odds"), ("msgspec", "numpy")),
    # Rounds that somebody else dealt, as JSON lines.
    "settling": Room(("nouns", "rules"), ("msgspec",)),
    # Paragraphs and test results: it knows of files, and of nothing that runs.
    "trace": Room(("nouns", "rules")),
    # jackpot.books.terms: the words in which a house sets its meters.
    "config": Room(("nouns", "rules", "odds.cached", "odds.exact", "jackpot.books.terms"), ("msgspec",)),
    # The language of stories, and the whole house that they are played in.
    "stories": Room(
        (*EVERYTHING_PURE, *"journal jackpot config evidence loop desk wiring drivers virtual".split())
    ),
    # An evening on one host: it plays on a virtual table that wiring has put together.
    "demo": Room((*EVERYTHING_PURE, "config", "loop", "desk", "wiring", "stories")),
    # The code behind each word of the command line: it may ask any room, but pins and bytes only through wiring.
    "commands": Room(
        (
            *EVERYTHING_PURE,
            *"journal jackpot config evidence loop host desk wiring demo trace console odds screens settling".split(),
            "stories",
        ),
    ),
    "cli": Room(("commands",)),
    "": Room(),  # felt/__init__.py
}

# In the standard library, and still not for everybody.
GUARDED = ("sqlite3",)


class Import(NamedTuple):
    line: int
    module: str


def imports_of(tree: ast.Module, module: str) -> list[Import]:
    """Every module that is imported, wherever in the file; relative ones by their full name."""
    found: list[Import] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [Import(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = module.split(".")[: -node.level]
                base = ".".join([*above, *([base] if base else [])])
            # `from felt.table import facts` imports the module felt.table.facts as much as the package.
            found += [Import(node.lineno, f"{base}.{alias.name}") for alias in node.names]
    return found


def room_of(inside: str) -> str:
    """The entry of ROOMS for a module's name within felt: the longest that fits."""
    parts = inside.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in ROOMS:
            return name
    raise KeyError(f"felt.{inside} is in no room: add its room to ROOMS in tests/house/walls.py")


def is_within(name: str, allowed: str) -> bool:
    return name == allowed or name.startswith(allowed + ".")


def broken_walls(source: str, module: str) -> list[str]:
    """What a module of felt imports and may not, one sentence each."""
    inside = module.removeprefix("felt").removeprefix(".")
    room = ROOMS[room_of(inside)]
    own = inside.partition(".")[0]
    problems = []
    for found in imports_of(ast.parse(source), module):
        top, _, rest = found.module.partition(".")
        if top == "felt":
            allowed = rest == "__version__" or any(is_within(rest, name) for name in (own, *room.felt) if name)
        elif top in GUARDED or top not in sys.stdlib_module_names:
            allowed = top in room.packages
        else:
            allowed = True
        if not allowed:
            problems.append(f"{module}, line {found.line}: may not import {found.module}")
    return problems
